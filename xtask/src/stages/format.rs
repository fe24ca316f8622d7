//! Stage `format`: the sources are as `cargo fmt` leaves them.

use crate::command::cargo;
use crate::parts::Parts;
use crate::report::Stage;
use crate::{places, tools};

pub const STAGE: Stage =
    Stage { name: "format", about: "the sources are as cargo fmt leaves them", run };

fn run(parts: &mut Parts) {
    parts.part("workspace", || {
        tools::need_component("rustfmt")?;
        cargo(["fmt", "--all", "--check"]).run()
    });
    for workspace in places::separate_workspaces() {
        parts.part(places::shown(&workspace), || {
            tools::need_component("rustfmt")?;
            cargo(["fmt", "--all", "--check"]).within(&workspace).run()
        });
    }
}

//! Stage `tooling`: the tests of the tooling itself, above all of the profile checker.

use crate::command::cargo;
use crate::parts::Parts;
use crate::report::Stage;

pub const STAGE: Stage = Stage {
    name: "tooling",
    about: "the tests of the tooling, the profile checker's above all",
    run,
};

fn run(parts: &mut Parts) {
    parts.part("xtask", || cargo(["test", "-p", "xtask"]).tests());
}

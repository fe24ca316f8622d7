//! Stage `lint`: no warning from the compiler or clippy, in any of the ways the core is built.

use crate::command::cargo;
use crate::parts::Parts;
use crate::report::Stage;
use crate::tools;

pub const STAGE: Stage = Stage { name: "lint", about: "no warning from rustc or clippy", run };

fn run(parts: &mut Parts) {
    parts.part("workspace", || clippy(&["--workspace", "--all-targets"]));
    parts.part("core without std", || clippy(&["-p", "xtimer-core", "--no-default-features"]));
}

fn clippy(what: &[&str]) -> anyhow::Result<()> {
    tools::need_component("clippy")?;
    cargo(["clippy"]).args(what).args(["--", "-D", "warnings"]).run()
}

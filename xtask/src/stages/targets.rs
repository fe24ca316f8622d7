//! Stage `targets`: the core alone builds for the machines it is meant for, without std.
//!
//! Alone (`-p`), because another member of the workspace could turn on a feature that hides a
//! broken build.

use crate::cross::{TARGETS, cargo_for};
use crate::parts::Parts;
use crate::report::Stage;

pub const STAGE: Stage = Stage {
    name: "targets",
    about: "the core alone for Cortex-M0, M3, M4F, RISC-V and WebAssembly",
    run,
};

fn run(parts: &mut Parts) {
    for target in TARGETS {
        parts.part(target.triple, || {
            let build = cargo_for(target.triple, "build")?;
            let build = match target.rustflags {
                "" => build,
                flags => build.env("RUSTFLAGS", flags),
            };
            build.args(["-p", "xtimer-core", "--no-default-features"]).run()
        });
    }
}

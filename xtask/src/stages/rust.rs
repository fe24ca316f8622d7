//! Stage `rust`: what stands around the core for Rust: `#[timed]`, the tracing layer, compiled out.

use crate::command::cargo;
use crate::parts::Parts;
use crate::report::Stage;

pub const STAGE: Stage =
    Stage { name: "rust", about: "#[timed] and its errors, the tracing layer, compiled out", run };

fn run(parts: &mut Parts) {
    for package in ["xtimer-macros", "xtimer-tracing"] {
        parts.part(package, || cargo(["test", "-p", package]).tests());
    }
    parts.part("compiled out", || {
        cargo(["test", "-p", "xtimer-core", "--features", "disable", "--test", "disabled"]).tests()
    });
}

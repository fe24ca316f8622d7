//! Stage `loom`: every interleaving of the small concurrent models, on the production functions.

use crate::command::optimised_tests;
use crate::parts::Parts;
use crate::places;
use crate::report::Stage;

pub const STAGE: Stage = Stage {
    name: "loom",
    about: "all interleavings of interning, lanes, slots, categories, clear",
    run,
};

fn run(parts: &mut Parts) {
    parts.part("models", || {
        optimised_tests()
            .args(["--lib", "loom_models"])
            .env("RUSTFLAGS", "--cfg loom")
            .env("CARGO_TARGET_DIR", places::work("loom")?)
            .tests()
    });
}

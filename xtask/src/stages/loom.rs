//! Stage `loom`: every interleaving of the small concurrent models, on the production functions.

use crate::command::cargo;
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
        cargo(["test", "-p", "xtimer-core", "--release", "--lib", "loom_models"])
            .env("RUSTFLAGS", "--cfg loom")
            .env("CARGO_TARGET_DIR", places::work("loom")?)
            // Linking takes longer with it, the models no less.
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .tests()
    });
}

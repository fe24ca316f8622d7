//! Stage `core`: the tests of the core, in each of the ways it can be built for this machine.

use crate::command::{cargo, optimised_tests};
use crate::parts::Parts;
use crate::places;
use crate::report::Stage;

pub const STAGE: Stage = Stage {
    name: "core",
    about: "the core's tests: checked, optimised, without std, with 32-bit words",
    run,
};

fn run(parts: &mut Parts) {
    // Each build finds something else: overflow checks and debug assertions; the code that ships;
    // the code of a firmware; the words of a target without 64-bit atomics.
    parts.part("checked", || cargo(["test", "-p", "xtimer-core"]).tests());
    parts.part("optimised", || {
        // Those that race, or that only optimised code can run.
        optimised_tests()
            .args(["--lib", "--test", "semantics", "--test", "interrupted", "--test", "threads"])
            .args(["--test", "lanes", "--test", "samples", "--test", "signal"])
            // The stage `signal` has the long run.
            .env("XTIMER_SIGNAL_INSTANTS", "5000")
            .tests()
    });
    parts.part("without std", || {
        cargo(["test", "-p", "xtimer-core", "--no-default-features"]).tests()
    });
    parts.part("with alloc alone", || {
        cargo(["test", "-p", "xtimer-core", "--no-default-features", "--features", "alloc"]).tests()
    });
    parts.part("32-bit words", || {
        cargo(["test", "-p", "xtimer-core", "--all-targets"])
            .env("RUSTFLAGS", "--cfg xtimer_narrow")
            .env("CARGO_TARGET_DIR", places::work("narrow")?)
            .tests()
    });
}

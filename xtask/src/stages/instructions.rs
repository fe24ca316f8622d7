//! Stage `instructions`: the hot paths take no more instructions than agreed, as callgrind counts,
//! and none at all where the timer is compiled out.

use crate::command::cargo;
use crate::parts::Parts;
use crate::report::Stage;
use crate::tools;

pub const STAGE: Stage = Stage {
    name: "instructions",
    about: "the hot paths take no more instructions than agreed (callgrind)",
    run,
};

fn run(parts: &mut Parts) {
    parts.part("gates", || {
        tools::need("valgrind", &["valgrind"])?;
        cargo(["run", "-p", "xtimer-benches", "--release", "--bin", "instructions"])
            .args(["--", "--check"])
            .run()
    });
    parts.part("compiled out", || {
        tools::need("valgrind", &["valgrind"])?;
        cargo(["test", "-p", "xtimer-benches", "--lib", "--bins", "--tests"]).tests()
    });
}

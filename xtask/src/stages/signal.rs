//! Stage `signal`: a report from a signal handler at 100,000 random instants.

use std::time::Duration;

use crate::command::optimised_tests;
use crate::parts::Parts;
use crate::report::Stage;

pub const STAGE: Stage = Stage {
    name: "signal",
    about: "a report from a signal handler at 100,000 random instants",
    run,
};

fn run(parts: &mut Parts) {
    parts.part("reports", || {
        optimised_tests()
            .args(["--test", "signal", "--", "--nocapture"])
            .limit(Duration::from_secs(600))
            .tests()
    });
}

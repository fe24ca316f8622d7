//! `cargo xtask soak`: what takes longer than the tests may.

use std::time::Duration;

use anyhow::Result;

use crate::command::{cargo, optimised_tests};
use crate::instrumented::{self, Sanitizer};
use crate::parts::Parts;
use crate::report::{self, Stage};
use crate::stages::{self, sanitizers};
use crate::{cross, places};

const PARTS: &[Stage] = &[
    Stage { name: "properties", about: "20,000 random sequences a property", run: properties },
    Stage { name: "threads", about: "the tests with many threads, 20 times", run: threads },
    Stage { name: "signals", about: "reports from a handler, 1,000,000 instants", run: signals },
    Stage {
        name: "fuzz",
        about: "the decoder of profiles under cargo-fuzz, 10 minutes",
        run: fuzz,
    },
    Stage { name: "saves", about: "200 saves killed at any moment", run: saves },
    Stage { name: "merge", about: "10,000 ranks reduced: memory, time, any order", run: merge },
    Stage { name: "drift", about: "the clock's scale over a minute", run: drift },
    Stage { name: "races", about: "core, C and C++ under ThreadSanitizer", run: races },
];

const HOUR: Duration = Duration::from_secs(3600);

/// Prints the parts.
pub fn list() {
    report::list(PARTS);
}

/// Runs the chosen parts, all without a choice; whether none failed.
///
/// # Errors
/// An unknown name.
pub fn run(chosen: &[String]) -> Result<bool> {
    report::run("part", PARTS, chosen)
}

/// Whether all of `chosen` are parts; else a sentence.
pub fn known(chosen: &[String]) -> std::result::Result<(), String> {
    report::known("part", PARTS, chosen)
}

fn properties(parts: &mut Parts) {
    parts.part("core", || {
        optimised_tests()
            .args(["--test", "semantics"])
            .env("PROPTEST_CASES", "20000")
            .limit(HOUR)
            .tests()
    });
}

fn threads(parts: &mut Parts) {
    parts.part("core", || {
        for _ in 0..20 {
            optimised_tests().args(["--test", "threads"]).tests()?;
        }
        Ok(())
    });
}

fn signals(parts: &mut Parts) {
    parts.part("core", || {
        optimised_tests()
            .args(["--test", "signal"])
            .env("XTIMER_SIGNAL_INSTANTS", "1000000")
            .limit(HOUR)
            .tests()
    });
}

fn fuzz(parts: &mut Parts) {
    parts.part("profiles", || stages::fuzz::profiles(Duration::from_secs(600)));
}

fn saves(parts: &mut Parts) {
    parts.part("profiles", || {
        cargo(["test", "-p", "xtimer-core", "--release", "--test", "profile", "killed"])
            .env("XTIMER_PROFILE_KILLS", "200")
            .tests()
    });
}

fn merge(parts: &mut Parts) {
    parts.part("cli", || {
        cargo(["test", "-p", "xtimer-cli", "--release", "--test", "many"])
            .args(["--", "--nocapture"])
            .env("XTIMER_MERGE_RANKS", "10000")
            .limit(HOUR)
            .tests()
    });
}

fn drift(parts: &mut Parts) {
    parts.part("core", || {
        optimised_tests()
            .args(["--test", "clock_drift", "--", "--nocapture"])
            .env("XTIMER_DRIFT_SECONDS", "60")
            .tests()
    });
}

/// With the standard library rebuilt: its own atomics would look like races otherwise.
fn races(parts: &mut Parts) {
    parts.part("core", || {
        cross::linux_only("a sanitizer")?;
        let (compiler, host) = (instrumented::compiler("c")?, cross::host()?);
        cross::debian("test")?
            .args(["-p", "xtimer-core", "--tests", "-Zbuild-std=std,test,panic_unwind"])
            .args(["--target", &host])
            .env("CARGO_TARGET_DIR", places::work("sanitize-thread")?)
            .env(
                "RUSTFLAGS",
                format!(
                    "--cfg xtimer_thread_sanitizer -Zsanitizer=thread -Zexternal-clangrt \
                     -Clinker={} -Clink-arg=-fsanitize=thread",
                    compiler.display()
                ),
            )
            .env("TSAN_OPTIONS", "halt_on_error=1")
            // Each takes many times longer; `properties` has the many.
            .env("PROPTEST_CASES", "32")
            .limit(HOUR)
            .tests()
    });
    sanitizers::under(Sanitizer::Thread, parts);
}

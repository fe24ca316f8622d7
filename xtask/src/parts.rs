//! Runs the parts of a stage one after the other and keeps how each ended.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Result;

/// Why something cannot run here, and what to do about it. Any part may return it as its error.
#[derive(Debug)]
pub struct Missing(pub String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// A `Missing` as an error.
pub fn missing<T>(reason: impl Into<String>) -> Result<T> {
    Err(Missing(reason.into()).into())
}

/// How a part, or a whole stage, ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Passed,
    Failed,
    /// It could not run here.
    Skipped,
}

/// An ending with its reason: empty where all is well.
pub struct Ended {
    pub ending: Ending,
    pub why: String,
}

/// The parts of one stage that have run so far.
#[derive(Default)]
pub struct Parts {
    ended: Vec<(String, Ended)>,
}

impl Parts {
    /// Runs one part; later parts run whatever became of it. Returns whether it passed.
    pub fn part(&mut self, name: impl Into<String>, body: impl FnOnce() -> Result<()>) -> bool {
        let name = name.into();
        println!("\n-- {name}");
        let start = Instant::now();
        let (ending, why) = match body() {
            Ok(()) => (Ending::Passed, String::new()),
            Err(error) => match error.downcast::<Missing>() {
                Ok(Missing(reason)) => (Ending::Skipped, reason),
                Err(error) => (Ending::Failed, format!("{error:#}")),
            },
        };
        let spent = shown(start.elapsed());
        match ending {
            Ending::Passed => println!("-- {name}: passed in {spent}"),
            Ending::Skipped => println!("-- {name}: skipped: {why}"),
            Ending::Failed => println!("-- {name}: FAILED after {spent}: {why}"),
        }
        self.ended.push((name, Ended { ending, why }));
        ending == Ending::Passed
    }

    /// The stage's end. A part that could not run is a failure where `strict`; elsewhere a stage
    /// of which some part ran has passed, and the reason says what it went without.
    pub fn ending(self, strict: bool) -> Ended {
        let (mut passed, mut failed, mut skipped) = (0, Vec::new(), Vec::new());
        for (name, Ended { ending, why }) in self.ended {
            let why = format!("{name}: {}", why.lines().next().unwrap_or_default());
            match ending {
                Ending::Passed => passed += 1,
                Ending::Failed => failed.push(why),
                Ending::Skipped => skipped.push(why),
            }
        }
        let without = skipped.join("; ");
        if strict && !skipped.is_empty() {
            failed.push(format!("CI is set and this cannot run: {without}"));
        }
        if !failed.is_empty() {
            Ended { ending: Ending::Failed, why: failed.join("; ") }
        } else if passed == 0 {
            Ended { ending: Ending::Skipped, why: without }
        } else if skipped.is_empty() {
            Ended { ending: Ending::Passed, why: String::new() }
        } else {
            Ended { ending: Ending::Passed, why: format!("without {without}") }
        }
    }
}

/// A duration as people say it: 3.4 s, 2 min 05 s.
pub fn shown(spent: Duration) -> String {
    let seconds = spent.as_secs();
    if seconds < 60 {
        format!("{:.1} s", spent.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

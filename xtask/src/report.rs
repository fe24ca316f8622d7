//! Runs a list of stages and prints how they went: headers, the closing table, the last line.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::parts::{Ended, Ending, Parts, shown};

/// A named list of parts.
pub struct Stage {
    pub name: &'static str,
    /// What it shows, in half a line.
    pub about: &'static str,
    pub run: fn(&mut Parts),
}

/// Prints what can be chosen.
pub fn list(stages: &[Stage]) {
    for stage in stages {
        println!("{:14}{}", stage.name, stage.about);
    }
}

/// Whether all of `chosen` name a stage; else a sentence that lists the stages.
pub fn known(kind: &str, stages: &[Stage], chosen: &[String]) -> std::result::Result<(), String> {
    let is_known = |name: &String| stages.iter().any(|stage| stage.name == *name);
    match chosen.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<_> = stages.iter().map(|stage| stage.name).collect();
            Err(format!("there is no {kind} `{unknown}`; there are {}", names.join(", ")))
        }
    }
}

/// Runs the stages named in `chosen`, or all of them, in their order. Whether none failed.
///
/// # Errors
/// A name that no stage has.
pub fn run(kind: &str, stages: &[Stage], chosen: &[String]) -> Result<bool> {
    known(kind, stages, chosen).map_err(|sentence| anyhow!(sentence))?;
    let selected: Vec<_> = stages
        .iter()
        .filter(|stage| chosen.is_empty() || chosen.iter().any(|name| name == stage.name))
        .collect();
    let strict = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    let begin = Instant::now();
    let mut rows = Vec::new();
    for (index, stage) in selected.iter().enumerate() {
        let place = format!("{} of {}", index + 1, selected.len());
        println!("\n==== {} ({place}): {}", stage.name, stage.about);
        let start = Instant::now();
        let mut parts = Parts::default();
        (stage.run)(&mut parts);
        rows.push((stage.name, parts.ending(strict), start.elapsed()));
    }
    table(&rows, begin.elapsed());
    Ok(rows.iter().all(|(_, ended, _)| ended.ending != Ending::Failed))
}

/// One line a stage; the very last line counts them, in the form that tools read.
fn table(rows: &[(&str, Ended, Duration)], spent: Duration) {
    println!();
    for (name, Ended { ending, why }, spent) in rows {
        let ending = match ending {
            Ending::Passed => "passed",
            Ending::Failed => "FAILED",
            Ending::Skipped => "skipped",
        };
        println!("{}", format!("{name:14}{ending:9}{:>13}  {why}", shown(*spent)).trim_end());
    }
    println!("{}", format!("{:23}{:>13}", "all", shown(spent)).trim_end());
    let count = |wanted| rows.iter().filter(|(_, ended, _)| ended.ending == wanted).count();
    println!(
        "\n{} passed, {} failed, {} skipped",
        count(Ending::Passed),
        count(Ending::Failed),
        count(Ending::Skipped)
    );
}

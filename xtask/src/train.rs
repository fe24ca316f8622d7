//! Builds and runs the training example, checks the JSON that it leaves, and compares its workers by their
//! profiles.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::command::{Run, cargo};
use crate::{archive, places, profile, tools};

/// Enough for a model better than bigrams, whatever the machine.
const SHORT_STEPS: u64 = 800;

/// The section of the example that holds the sections of its workers.
const PARALLEL: &str = "step";

/// The worker that computes everything twice, to be found by its profile.
const SLOW_WORKER: &str = "1";

/// `cargo xtask demo`: the example as its users run it, on the project's documents.
pub fn demo(steps: Option<u64>, texts: &[PathBuf]) -> Result<()> {
    let steps = steps.map(|steps| vec!["--steps".to_owned(), steps.to_string()]);
    run(&steps.unwrap_or_default(), texts)
}

/// The stage `train`: the same in fewer steps, however long they take.
pub fn short() -> Result<()> {
    let steps = SHORT_STEPS.to_string();
    run(&["--steps", &steps, "--seconds", "600"].map(str::to_owned), &[])
}

fn run(options: &[String], texts: &[PathBuf]) -> Result<()> {
    let release = archive::built()?;
    let folder = places::work("xtask/train")?;
    let program = folder.join("train");
    Run::new(tools::cpp_compiler()?)
        .args(["-std=c++17", "-O3", "-march=native", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .args(["-pthread", "-Iinclude", "examples/train/train.cpp"])
        .arg(release.join("libxtimer.a"))
        .args(["-ldl", "-lm", "-o"])
        .arg(&program)
        .run()?;

    let json = folder.join("train.json");
    if json.exists() {
        std::fs::remove_file(&json)?;
    }
    let mut run = Run::new(&program).args(options);
    if !texts.is_empty() {
        run = run.arg("--text").args(texts);
    }
    let printed = run
        .arg("--json")
        .arg(&json)
        .args(["--slow-worker", SLOW_WORKER, "--profiles"])
        .arg(folder.join("train"))
        .arg("--checkpoint")
        .arg(folder.join("train.checkpoint"))
        .limit(Duration::from_secs(900))
        .shown()?;

    let text = std::fs::read_to_string(&json).context("the example left no JSON")?;
    let found = profile::check(&text, &[PARALLEL])
        .with_context(|| format!("in {}", places::shown(&json)))?;
    for (name, category) in &found.sections {
        ensure!(printed.contains(name), "the report does not show the section {name:?}");
        ensure!(printed.contains(category), "the report does not show the category {category:?}");
    }
    println!(
        "\nchecked {}: {} sections, {} categories; nested sections within their parents, totals as \
         computed from the JSON\nnext: examples/train/README.md tells how the program is timed",
        places::shown(&json),
        found.sections.len(),
        found.categories
    );
    compare(&folder)
}

/// Merges the workers' profiles, shows who is slow, and draws how long each was in the all-reduce: the fast
/// one waits there.
fn compare(folder: &Path) -> Result<()> {
    let xtimer =
        |arguments: &[&str]| cargo(["run", "-q", "-p", "xtimer-cli", "--"]).args(arguments);
    let (merged, picture) = (folder.join("workers.xtp"), folder.join("all-reduce.png"));
    xtimer(&["merge"]).arg(folder.join("train.*.xtp")).arg("-o").arg(&merged).run()?;
    let shown = xtimer(&["show"]).arg(&merged).shown()?;
    let compute = shown.lines().rfind(|line| line.starts_with("compute"));
    let slowest = format!("rank {SLOW_WORKER}");
    ensure!(
        compute.is_some_and(|line| line.ends_with(&slowest)),
        "the worker that computes twice is not named as the slowest"
    );
    xtimer(&["hist", "--path", "step/all-reduce", "--by-rank", "--log"])
        .arg(&merged)
        .arg("-o")
        .arg(&picture)
        .run()?;
    println!(
        "\nworker {SLOW_WORKER} is the slow one; how long each was in the all-reduce: {}",
        places::shown(&picture)
    );
    Ok(())
}

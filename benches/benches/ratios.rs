//! What a pair costs as a ratio to two bare clock reads that alternate with it in the same run, as
//! tables in markdown.
//!
//! `cargo bench -p xtimer-benches --bench ratios -- [--quick] [WORDS]`: only rows whose name holds
//! one of the words. Fails where the Rust handle takes more than 1.5 times two bare clock reads.
//! Without `--bench`, which `cargo bench` passes, it only shows that everything runs.

use std::process::ExitCode;

use xtimer_benches::alternate::{Effort, alternate};
use xtimer_benches::table::{Aim, Table};
use xtimer_benches::{machine, paths, scenarios, singles, snapshots};
use xtimer_core::section;

/// A Rust handle above this is a failure, whatever the machine.
const MOST: f64 = 1.5;

struct Arguments {
    effort: Effort,
    words: Vec<String>,
    is_measured: bool,
}

impl Arguments {
    fn read() -> Self {
        let (flags, words): (Vec<_>, Vec<_>) =
            std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
        let has = |wanted| flags.iter().any(|flag| flag == wanted);
        let rounds = match (has("--bench"), has("--quick")) {
            (false, _) => 1,
            (true, true) => 200,
            (true, false) => 2000,
        };
        Self { effort: Effort { rounds, pairs: 1024 }, words, is_measured: has("--bench") }
    }

    fn asks_for(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word.as_str()))
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::read();
    println!("{}\n", machine::description());
    let handle = pairs(&arguments);
    #[cfg(feature = "peers")]
    peers(&arguments);
    if arguments.asks_for("singles") {
        single_pairs();
    }
    if arguments.asks_for("snapshots") {
        snapshot_times();
    }
    match handle {
        Some(ratio) if arguments.is_measured && ratio > MOST => {
            eprintln!("Rust handle: {ratio:.3} times two bare clock reads, more than {MOST}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The paths and the scenarios. Gives the Rust handle's ratio.
fn pairs(arguments: &Arguments) -> Option<f64> {
    let mut table = Table::of_outcomes();
    let mut handle = None;
    for path in paths::all().into_iter().filter(|path| arguments.asks_for(path.name)) {
        let _parent = section!("parent");
        let outcome = alternate(arguments.effort, paths::bare, path.run);
        table.add_outcome(path.name, &outcome, path.aim.map(Aim::Ratio));
        if path.name == "Rust handle" {
            handle = Some(outcome.ratio);
        }
    }
    for scenario in scenarios::all() {
        if arguments.asks_for(scenario.name) {
            let outcome = (scenario.measure)(arguments.effort);
            table.add_outcome(scenario.name, &outcome, scenario.aim);
        }
    }
    table.print();
    handle
}

#[cfg(feature = "peers")]
fn peers(arguments: &Arguments) {
    let mut table = Table::of_outcomes();
    for peer in xtimer_benches::peers::all() {
        if arguments.asks_for(peer.name) {
            let outcome = (peer.measure)(arguments.effort);
            table.add_outcome(peer.name, &outcome, None);
        }
    }
    table.print();
}

fn single_pairs() {
    let mut names = vec!["two bare clock reads"];
    let mut runs = vec![paths::bare as fn(u32)];
    for path in paths::all() {
        names.push(path.name);
        runs.push(path.run);
    }
    let _parent = section!("parent");
    let mut table = Table::new(&["single pairs, ns", "p50", "p99", "p99.9"]);
    for (name, times) in names.into_iter().zip(singles::measure(200_000, &runs)) {
        let cell = |time: f64| format!("{time:.0}");
        table.add([name.to_owned(), cell(times.p50), cell(times.p99), cell(times.p999)]);
    }
    table.print();
}

fn snapshot_times() {
    let mut table = Table::new(&["1,000 sections in 8 lanes", "µs"]);
    let times = snapshots::measure(1000, 8);
    for (name, time) in
        [("snapshot", times.snapshot), ("report", times.report), ("JSON", times.json)]
    {
        table.add([name.to_owned(), format!("{time:.0}")]);
    }
    table.print();
}

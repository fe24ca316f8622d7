//! `xtimer`, the command line: profiles shown, compared, merged, checked, drawn and exported.
//!
//! ```text
//! line      the command line
//! input     files, patterns and standard input -> profiles, each of a rank of its own
//! overview  ranks or a reduced profile -> the rows of all tables
//! filter    which rows, by path, name and category
//! units     durations to text and back
//! table     columns for a terminal
//! output    standard output or a file; what can fail
//! show, info, merge, check, diff, hist    one file a subcommand
//! export/   one file a format
//! ```

mod check;
mod diff;
mod export;
mod failure;
mod filter;
mod hist;
mod info;
mod input;
mod line;
mod merge;
mod output;
mod overview;
mod show;
mod table;
mod units;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::failure::Failure;
use crate::line::{Action, Line};

/// What a gate came to: 1 is for scripts that ask, 2 for what could not be done.
const FAILED_GATE: u8 = 1;
const NOT_DONE: u8 = 2;

fn main() -> ExitCode {
    let outcome = match Line::parse().action {
        Action::Show(options) => show::run(&options).map(|()| true),
        Action::Info(options) => info::run(&options).map(|()| true),
        Action::Merge(options) => merge::run(&options).map(|()| true),
        Action::Check(options) => check::run(&options),
        Action::Diff(options) => diff::run(&options),
        Action::Hist(options) => hist::run(&options).map(|()| true),
        Action::Export(options) => export::run(&options).map(|()| true),
        Action::Completions { shell } => completions(shell).map(|()| true),
    };
    match outcome {
        Ok(true) | Err(Failure::Closed) => ExitCode::SUCCESS,
        Ok(false) => FAILED_GATE.into(),
        Err(Failure::Sentence(sentence)) => {
            anstream::eprintln!("error: {sentence}");
            NOT_DONE.into()
        }
    }
}

fn completions(shell: clap_complete::Shell) -> failure::Result {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Line::command(), "xtimer", &mut script);
    output::write_all(None, &script)
}

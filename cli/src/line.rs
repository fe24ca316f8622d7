//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::units;

/// Shows, compares, merges, checks, draws and exports profiles of xtimer.
#[derive(Debug, Parser)]
#[command(name = "xtimer", version, max_term_width = 100, after_help = EXITS)]
pub struct Line {
    #[command(subcommand)]
    pub action: Action,
}

const EXITS: &str = "Exit status: 0 done; 1 a gate failed (check, diff --fail-above); 2 not done: \
                     the command line, a file or a profile is not right, and one sentence says why.";

#[derive(Debug, Subcommand)]
pub enum Action {
    /// Show sections as a tree, and categories
    #[command(after_help = EXITS)]
    Show(Show),
    /// Tell what files hold: ranks, clock, sections, samples, losses
    #[command(after_help = EXITS)]
    Info(Info),
    /// Put the profiles of many ranks into one file, or reduce them
    #[command(after_help = EXITS)]
    Merge(Merge),
    /// Hold sections to budgets; exits with 1 where one is exceeded
    #[command(after_help = EXITS)]
    Check(Check),
    /// Tell what became slower from A to B, and how sure that is
    #[command(after_help = EXITS)]
    Diff(Diff),
    /// Draw how the durations of a section are distributed
    #[command(after_help = EXITS)]
    Hist(Hist),
    /// Write JSON, CSV, a trace for Perfetto or Chrome, speedscope, or folded stacks
    #[command(after_help = EXITS)]
    Export(Export),
    /// Print the script that completes this command line in a shell
    Completions { shell: Shell },
}

/// Where profiles come from.
#[derive(Args, Debug)]
pub struct Inputs {
    /// Files of profiles, patterns such as 'run/*.xtp', or - for standard input
    #[arg(required = true, value_name = "FILES")]
    pub files: Vec<PathBuf>,
    /// Number the ranks 0, 1, 2 in order of files, whatever rank a profile tells
    #[arg(long)]
    pub renumber: bool,
}

/// Which ranks and sections are meant.
#[derive(Args, Debug, Default)]
pub struct Choice {
    /// Sections at this path, and all beneath; patterns with * and ? as well
    #[arg(long, value_name = "PATTERN")]
    pub path: Vec<String>,
    /// Sections of this name
    #[arg(long, value_name = "PATTERN")]
    pub name: Vec<String>,
    /// Sections of this category
    #[arg(long, value_name = "PATTERN")]
    pub category: Vec<String>,
    /// Ranks, such as 0,4-7
    #[arg(long, value_name = "RANKS", value_parser = parse_ranks)]
    pub rank: Option<Ranks>,
    /// Unite counted sections: step[0], step[1] as step
    #[arg(long)]
    pub flatten: bool,
}

/// Ranges of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks(pub Vec<std::ops::RangeInclusive<u32>>);

fn parse_ranks(text: &str) -> Result<Ranks, String> {
    let number = |text: &str| {
        text.trim().parse::<u32>().map_err(|_| format!("'{text}' is no rank; write ranks as 0,4-7"))
    };
    let range = |part: &str| match part.split_once('-') {
        Some((from, to)) => Ok(number(from)?..=number(to)?),
        None => number(part).map(|rank| rank..=rank),
    };
    text.split(',').map(range).collect::<Result<_, _>>().map(Ranks)
}

#[derive(Args, Debug)]
pub struct Show {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub choice: Choice,
    /// Order of the sections; any but entry shows a list instead of a tree
    #[arg(long, value_enum, default_value_t = Sort::Entry)]
    pub sort: Sort,
    /// Show the first N rows
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Show sections nested in fewer than N others
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// As they were first entered
    Entry,
    /// Most time first
    Time,
    /// Most time of their own first
    #[value(name = "self")]
    Exclusive,
    /// Most entries first
    Count,
    /// Longest entry on average first
    Mean,
    /// Longest single entry first
    Max,
    /// Most uneven over the ranks first
    Imbalance,
    /// By path
    Path,
}

#[derive(Args, Debug)]
pub struct Info {
    #[command(flatten)]
    pub inputs: Inputs,
}

#[derive(Args, Debug)]
pub struct Merge {
    #[command(flatten)]
    pub inputs: Inputs,
    /// Keep what all ranks came to instead of each: the file does not grow with the ranks
    #[arg(long)]
    pub reduce: bool,
    /// The file to write, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Args, Debug)]
pub struct Check {
    #[command(flatten)]
    pub inputs: Inputs,
    /// What a section may take: PATH=DURATION for an entry on average, or PATH:STAT=DURATION with
    /// STAT one of mean, total (of the slowest rank), min, max, p50, p90, p99
    #[arg(long, value_name = "BUDGET")]
    pub budget: Vec<String>,
    /// What a category may take on the slowest rank: CATEGORY=DURATION
    #[arg(long, value_name = "BUDGET")]
    pub category_budget: Vec<String>,
    /// How uneven the ranks may be: the slowest one's time over their mean
    #[arg(long, value_name = "RATIO")]
    pub max_imbalance: Option<f64>,
    /// A section or category that is not there keeps its budget
    #[arg(long)]
    pub allow_missing: bool,
    /// Unite counted sections: step[0], step[1] as step
    #[arg(long)]
    pub flatten: bool,
}

#[derive(Args, Debug)]
pub struct Diff {
    /// The file before, a pattern, or - for standard input
    #[arg(value_name = "A")]
    pub before: PathBuf,
    /// The file after
    #[arg(value_name = "B")]
    pub after: PathBuf,
    #[command(flatten)]
    pub choice: Choice,
    /// Exit with 1 where a section became slower by more than this: 5% or 200us
    #[arg(long, value_name = "LIMIT", value_parser = parse_limit)]
    pub fail_above: Option<Limit>,
    /// A change below so many times its noise is none
    #[arg(long, value_name = "N", default_value_t = 3.0)]
    pub sigma: f64,
    /// Show the first N rows
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Show sections that did not change as well
    #[arg(long)]
    pub all: bool,
    /// Number the ranks 0, 1, 2 in order of files, whatever rank a profile tells
    #[arg(long)]
    pub renumber: bool,
}

/// How much slower is too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A share of what it took before.
    Share(f64),
    /// Nanoseconds an entry.
    Time(f64),
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    match text.trim().strip_suffix('%') {
        None => units::parse(text).map(Limit::Time),
        Some(number) => match number.trim().parse::<f64>() {
            Ok(percent) if percent >= 0.0 && percent.is_finite() => {
                Ok(Limit::Share(percent / 100.0))
            }
            _ => Err(format!("'{text}' is no limit: write it as 5% or 200us")),
        },
    }
}

#[derive(Args, Debug)]
pub struct Hist {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub choice: Choice,
    /// A picture: a file that ends in .svg or .png. Without it, the terminal
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Each rank apart instead of all together
    #[arg(long)]
    pub by_rank: bool,
    /// How many bins, or the rule that finds them: fd (Freedman-Diaconis), scott, sturges, sqrt
    #[arg(long, default_value = "fd")]
    pub bins: xtimer_plot::Bins,
    /// A logarithmic axis of time, with bins as wide on it
    #[arg(long)]
    pub log: bool,
    /// How opaque the bars of ranks are, from 0 to 1
    #[arg(long, default_value_t = 0.7)]
    pub alpha: f64,
    #[arg(long, default_value = xtimer_plot::TITLE)]
    pub title: String,
    /// Width of a picture in pixels
    #[arg(long, default_value_t = 960, value_parser = clap::value_parser!(u32).range(200..=10_000))]
    pub width: u32,
    /// Height of a picture in pixels
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(150..=10_000))]
    pub height: u32,
}

#[derive(Args, Debug)]
pub struct Export {
    #[command(flatten)]
    pub inputs: Inputs,
    #[arg(short, long, value_enum)]
    pub format: Format,
    /// The file to write. Without it, standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Ranks, such as 0,4-7
    #[arg(long, value_name = "RANKS", value_parser = parse_ranks)]
    pub rank: Option<Ranks>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// All numbers, for programs
    Json,
    /// A row for each section of each rank
    Csv,
    /// A row for each sample
    Samples,
    /// Trace events, for Perfetto and chrome://tracing
    Trace,
    /// For speedscope.app
    Speedscope,
    /// Stacks and their own time in nanoseconds, for flame graphs
    Folded,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Line::command().debug_assert();
    }

    #[test]
    fn ranks_and_limits_are_read() {
        assert_eq!(parse_ranks("0,4-7"), Ok(Ranks(vec![0..=0, 4..=7])));
        assert!(parse_ranks("").is_err() && parse_ranks("1-x").is_err());
        assert_eq!(parse_limit("5%"), Ok(Limit::Share(0.05)));
        assert_eq!(parse_limit("2us"), Ok(Limit::Time(2e3)));
        assert!(parse_limit("-5%").is_err() && parse_limit("x%").is_err());
    }
}

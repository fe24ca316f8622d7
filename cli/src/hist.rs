//! `xtimer hist`: how the durations of a section are distributed, as text, SVG or PNG.

use std::io::{self, IsTerminal};
use std::path::Path;

use xtimer_core::histogram::middle;
use xtimer_core::profile::{GatheredTimes, RankTimes};
use xtimer_plot::{Options, Series};

use crate::failure::{Failure, Result};
use crate::filter::Filter;
use crate::input::{self, Loaded};
use crate::line::Hist;
use crate::output;
use crate::table::printable;

/// Columns of text where no terminal tells its own.
const COLUMNS: usize = 100;

/// Draws.
pub fn run(options: &Hist) -> Result {
    if !(0.0..=1.0).contains(&options.alpha) {
        return Err(Failure::Sentence(format!("--alpha is {}, not within 0 and 1", options.alpha)));
    }
    let choice = &options.choice;
    let loaded = input::load(&options.inputs)?.chosen(choice)?;
    let filter = Filter::new(&choice.path, &choice.name, &choice.category)?;
    let (subjects, series): (Vec<String>, Vec<(u32, Series)>) = match &loaded {
        Loaded::Ranks(gathered) => {
            let chosen = gathered
                .iter()
                .filter(|(path, times)| is_meant(&filter, options, path, times.categories()));
            let (paths, times): (Vec<_>, Vec<_>) = chosen.unzip();
            let series = times.iter().flat_map(of_ranks).collect();
            (paths.iter().map(|path| path.join("/")).collect::<Vec<_>>(), series)
        }
        Loaded::Reduced(_) if options.by_rank => {
            return Err(Failure::of(
                "a reduced profile knows no rank apart, so --by-rank needs the profiles that it was made from",
            ));
        }
        Loaded::Reduced(reduced) => {
            let chosen = reduced.sections().filter(|(path, section)| {
                is_meant(&filter, options, path, [section.category()].into_iter())
            });
            let all = chosen.map(|(path, section)| {
                let values =
                    section.histogram().map(|(bucket, count)| (middle(bucket as usize), count));
                let series = Series::from_weighted("", values);
                (
                    path.join("/"),
                    (0, series.with_summary(section.count(), section.mean(), section.std())),
                )
            });
            all.unzip()
        }
    };
    if subjects.is_empty() {
        return Err(Failure::of("no section is meant by --path, --name and --category"));
    }
    let subject = match &subjects[..] {
        [one] => one.clone(),
        many => format!("{} sections", many.len()),
    };
    tell_of_missing(&series);
    let series: Vec<Series> =
        joined(series, options.by_rank).into_iter().map(|(_, series)| series).collect();
    let drawn = Options {
        title: options.title.clone(),
        subject: printable(&subject),
        bins: options.bins,
        is_log: options.log,
        alpha: options.alpha,
    };
    write(options, &series, &drawn)
}

/// By path a section alone is meant, without what is nested in it.
fn is_meant<'n>(
    filter: &Filter,
    options: &Hist,
    path: &[&str],
    categories: impl Iterator<Item = &'n str>,
) -> bool {
    let is_alone = options.choice.path.is_empty()
        || options.choice.path.iter().any(|text| {
            glob::Pattern::new(text)
                .is_ok_and(|pattern| crate::filter::is_match(&pattern, &path.join("/")))
        });
    is_alone && filter.admits(path, categories)
}

/// What each rank has, from its samples where all are there, else from its histogram, else from the
/// samples that are left.
fn of_ranks(times: &GatheredTimes) -> Vec<(u32, Series)> {
    times.by_rank().iter().map(|rank| (rank.rank, of_rank(times, rank))).collect()
}

fn of_rank(times: &GatheredTimes, rank: &RankTimes) -> Series {
    let one = times.get_rank(&[rank.rank]);
    let name = rank.rank.to_string();
    let series = match &rank.histogram {
        Some(buckets) if !one.has_all_samples() => Series::from_weighted(
            name,
            buckets.iter().map(|&(bucket, count)| (middle(bucket as usize), count)),
        ),
        _ => Series::from_durations(name, one.durations()),
    };
    series.with_summary(one.count(), one.mean(), one.std())
}

/// One series a rank, or one of all.
fn joined(series: Vec<(u32, Series)>, by_rank: bool) -> Vec<(u32, Series)> {
    let mut all: Vec<(u32, Series)> = Vec::new();
    for (rank, one) in series {
        let rank = if by_rank { rank } else { 0 };
        match all.iter_mut().find(|entry| entry.0 == rank) {
            Some((_, sum)) => {
                let summary = Series::united(&[sum.clone(), one.clone()]);
                let both = Series::together(sum.name.clone(), &[sum.clone(), one]);
                *sum = both.with_summary(summary.count, summary.mean, summary.std);
            }
            None => all.push((rank, one)),
        }
    }
    all.sort_by_key(|entry| entry.0);
    if !by_rank {
        all.iter_mut().for_each(|entry| entry.1.name.clear());
    }
    all
}

fn tell_of_missing(series: &[(u32, Series)]) {
    let missing: u64 =
        series.iter().map(|(_, series)| series.count.saturating_sub(series.drawn())).sum();
    if missing > 0 {
        anstream::eprintln!(
            "note: {missing} durations have neither sample nor histogram; n, mean and std know them"
        );
    }
}

fn write(options: &Hist, series: &[Series], drawn: &Options) -> Result {
    let size = (options.width, options.height);
    let Some(path) = &options.output else {
        let columns = if io::stdout().is_terminal() { terminal_columns() } else { COLUMNS };
        let title = format!("{}   {}", drawn.title, drawn.subject);
        let text = xtimer_plot::text(columns, series, &Options { title, ..drawn.clone() });
        return output::write_all(None, text.as_bytes());
    };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => {
            let picture = xtimer_plot::svg(size, series, drawn).map_err(Failure::of)?;
            output::write_all(Some(path), picture.as_bytes())
        }
        Some("png") => {
            let picture = xtimer_plot::png(size, series, drawn).map_err(Failure::of)?;
            output::write_binary(Some(path), &picture)
        }
        _ => Err(no_picture(path)),
    }
}

fn no_picture(path: &Path) -> Failure {
    Failure::Sentence(format!("'{}' ends in neither .svg nor .png", path.display()))
}

fn terminal_columns() -> usize {
    std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).unwrap_or(COLUMNS)
}

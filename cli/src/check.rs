//! `xtimer check`: budgets of sections and categories, for gates.

use std::io::{self, Write};

use anstyle::AnsiColor;
use glob::Pattern;

use crate::failure::{Failure, Result};
use crate::filter::is_match;
use crate::input;
use crate::line::{Check, Choice};
use crate::overview::{Overview, PERCENTS, Row};
use crate::table::printable;
use crate::units;

/// A number of a section that can have a budget.
type Figure = (&'static str, fn(&Row) -> f64);

const FIGURES: [Figure; 7] = [
    ("mean", |row| row.mean),
    ("total", |row| row.across.max().map_or(f64::NAN, |time| time as f64)),
    ("min", |row| row.min.map_or(f64::NAN, |time| time as f64)),
    ("max", |row| row.max.map_or(f64::NAN, |time| time as f64)),
    ("p50", |row| row.percentiles[0]),
    ("p90", |row| row.percentiles[1]),
    ("p99", |row| row.percentiles[2]),
];
const _: () = assert!(PERCENTS[0] == 50.0 && PERCENTS[1] == 90.0 && PERCENTS[2] == 99.0);

/// What a section or category may take, in nanoseconds.
struct Budget {
    pattern: Pattern,
    figure: Figure,
    limit: f64,
}

fn parse(text: &str) -> Result<Budget> {
    let Some((path, limit)) = text.rsplit_once('=') else {
        return Err(Failure::Sentence(format!("'{text}' is no budget: write it as path=200us")));
    };
    let limit = units::parse(limit)
        .map_err(|error| Failure::Sentence(format!("budget '{text}': {error}")))?;
    let named = path.rsplit_once(':').and_then(|(path, name)| {
        FIGURES.iter().find(|figure| figure.0 == name).map(|figure| (path, *figure))
    });
    let (path, figure) = named.unwrap_or((path, FIGURES[0]));
    let pattern = Pattern::new(path)
        .map_err(|error| Failure::Sentence(format!("budget '{text}': {error}")))?;
    Ok(Budget { pattern, figure, limit })
}

/// Checks, says what is over its budget, and tells whether none is.
pub fn run(options: &Check) -> Result<bool> {
    let budgets = options.budget.iter().map(|text| parse(text)).collect::<Result<Vec<_>>>()?;
    let categories =
        options.category_budget.iter().map(|text| parse(text)).collect::<Result<Vec<_>>>()?;
    if budgets.is_empty() && categories.is_empty() && options.max_imbalance.is_none() {
        return Err(Failure::of(
            "nothing to check: give --budget, --category-budget or --max-imbalance",
        ));
    }
    let choice = Choice { flatten: options.flatten, ..Choice::default() };
    let overview = Overview::of(&input::load(&options.inputs)?.chosen(&choice)?);
    let mut report =
        Report { out: io::BufWriter::new(anstream::stdout().lock()), failed: 0, held: 0 };
    for budget in &budgets {
        let rows = overview.rows.iter();
        let found = rows
            .filter(|row| is_match(&budget.pattern, &row.shown_path()))
            .map(|row| (row.shown_path(), (budget.figure.1)(row)));
        report.budget(
            budget,
            "section",
            budget.figure.0,
            found.collect(),
            options.allow_missing,
        )?;
    }
    for budget in &categories {
        let found = overview
            .categories
            .iter()
            .filter(|category| is_match(&budget.pattern, &category.name))
            .map(|category| {
                (category.name.clone(), category.across.max().map_or(f64::NAN, |time| time as f64))
            });
        report.budget(budget, "category", "total", found.collect(), options.allow_missing)?;
    }
    if let Some(limit) = options.max_imbalance {
        let imbalance = overview.total.imbalance();
        let slowest = overview.total.slowest().map_or(0, |slowest| slowest.0);
        let sentence = format!(
            "imbalance of the ranks {imbalance:.3}, at most {limit:.3}; slowest is rank {slowest}"
        );
        report.line(imbalance <= limit || imbalance.is_nan(), &sentence)?;
    }
    let (failed, held) = (report.failed, report.held);
    writeln!(report.out, "{held} kept, {failed} exceeded")?;
    report.out.flush()?;
    Ok(failed == 0)
}

struct Report<W: Write> {
    out: W,
    failed: usize,
    held: usize,
}

impl<W: Write> Report<W> {
    fn budget(
        &mut self,
        budget: &Budget,
        kind: &str,
        figure: &str,
        found: Vec<(String, f64)>,
        allow_missing: bool,
    ) -> Result {
        let limit = units::shown(budget.limit);
        if found.is_empty() {
            let name = printable(budget.pattern.as_str());
            return self.line(
                allow_missing,
                &format!("no {kind} '{name}', which has a budget of {limit}"),
            );
        }
        for (name, value) in found {
            let sentence =
                format!("{} {figure} {}, at most {limit}", printable(&name), units::shown(value));
            // What is not known is not kept.
            self.line(value <= budget.limit, &sentence)?;
        }
        Ok(())
    }

    fn line(&mut self, is_held: bool, sentence: &str) -> Result {
        let (count, word, colour) = if is_held {
            (&mut self.held, "kept    ", AnsiColor::Green)
        } else {
            (&mut self.failed, "EXCEEDED", AnsiColor::Red)
        };
        *count += 1;
        let style = colour.on_default();
        Ok(writeln!(self.out, "{style}{word}{style:#}  {sentence}")?)
    }
}

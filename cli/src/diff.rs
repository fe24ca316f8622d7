//! `xtimer diff`: what became slower from A to B, with the noise of each.
//!
//! Sections are compared by what an entry takes on average. The noise of a mean is its standard error,
//! std / sqrt(n); that of a change is the root of the sum of both squares. A change below a few times
//! its noise (`--sigma`) is none. Where a side has fewer than two durations its noise is not known, and
//! no change is excused by it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::failure::Result;
use crate::filter::Filter;
use crate::input;
use crate::line::{Diff, Inputs, Limit};
use crate::overview::{Overview, Row};
use crate::table::{Cell, Side, Table, printable};
use crate::units;

/// A section that both have.
struct Change<'r> {
    before: &'r Row,
    after: &'r Row,
}

impl Change<'_> {
    fn time(&self) -> f64 {
        self.after.mean - self.before.mean
    }

    /// Of what it took before; infinite where that was 0.
    fn share(&self) -> f64 {
        if self.time() == 0.0 { 0.0 } else { self.time() / self.before.mean }
    }

    fn noise(&self) -> f64 {
        self.before.noise().hypot(self.after.noise())
    }

    /// Slower (greater), faster, or the same within noise; nothing where a side was never exited.
    fn verdict(&self, sigma: f64) -> Option<Ordering> {
        let time = self.time();
        let is_noise = time.abs() <= sigma * self.noise();
        if is_noise { Some(Ordering::Equal) } else { time.partial_cmp(&0.0) }
    }

    fn is_above(&self, limit: Limit) -> bool {
        match limit {
            Limit::Share(share) => self.share() > share,
            Limit::Time(time) => self.time() > time,
        }
    }

    /// What the change comes to over all entries.
    fn weight(&self) -> f64 {
        let weight = self.time() * self.after.count as f64;
        if weight.is_nan() { f64::NEG_INFINITY } else { weight }
    }
}

/// Compares; whether nothing is slower than allowed.
pub fn run(options: &Diff) -> Result<bool> {
    let choice = &options.choice;
    let read = |file: &std::path::PathBuf| -> Result<Overview> {
        let inputs = Inputs { files: vec![file.clone()], renumber: options.renumber };
        Ok(Overview::of(&input::load(&inputs)?.chosen(choice)?))
    };
    let (before, after) = (read(&options.before)?, read(&options.after)?);
    let filter = Filter::new(&choice.path, &choice.name, &choice.category)?;
    let is_chosen =
        |row: &&Row| filter.admits(&row.names(), row.categories.iter().map(String::as_str));
    let old: BTreeMap<&[String], &Row> =
        before.rows.iter().filter(is_chosen).map(|row| (&*row.path, row)).collect();
    let mut changes = Vec::new();
    let mut added = Vec::new();
    for row in after.rows.iter().filter(is_chosen) {
        match old.get(&*row.path) {
            Some(before) => changes.push(Change { before, after: row }),
            None => added.push(row),
        }
    }
    let removed = before.rows.iter().filter(is_chosen);
    let removed: Vec<&Row> =
        removed.filter(|row| after.rows.iter().all(|other| other.path != row.path)).collect();
    changes.sort_by(|a, b| b.weight().total_cmp(&a.weight()));

    let mut out = io::BufWriter::new(anstream::stdout().lock());
    write_changes(&mut out, &changes, options)?;
    for (word, rows) in [("only in A", &removed), ("only in B", &added)] {
        for row in rows {
            writeln!(
                out,
                "{word}: {}, {} in {} entries",
                printable(&row.shown_path()),
                units::shown(row.sum as f64),
                row.count
            )?;
        }
    }
    let (total, old_total) = (after.total.mean(), before.total.mean());
    writeln!(
        out,
        "total of a rank {} -> {}, {}{}",
        units::shown(old_total),
        units::shown(total),
        units::change(total - old_total),
        percent((total - old_total) / old_total)
            .map_or_else(String::new, |share| format!(" ({share})"))
    )?;
    let Some(limit) = options.fail_above else {
        out.flush()?;
        return Ok(true);
    };
    let slower = changes.iter().filter(|change| {
        change.verdict(options.sigma) == Some(Ordering::Greater) && change.is_above(limit)
    });
    let slower: Vec<String> = slower.map(|change| printable(&change.after.shown_path())).collect();
    let limit = match limit {
        Limit::Share(share) => format!("{}%", share * 100.0),
        Limit::Time(time) => units::shown(time),
    };
    match slower.len() {
        0 => writeln!(out, "no section is slower by more than {limit}")?,
        count => writeln!(out, "{count} slower by more than {limit}: {}", slower.join(", "))?,
    }
    out.flush()?;
    Ok(slower.is_empty())
}

fn write_changes(out: &mut dyn Write, changes: &[Change<'_>], options: &Diff) -> io::Result<()> {
    let is_shown = |change: &&Change<'_>| {
        options.all || change.verdict(options.sigma) != Some(Ordering::Equal)
    };
    let shown: Vec<_> = changes.iter().filter(is_shown).collect();
    let same = changes.len() - shown.len();
    let top = options.top.unwrap_or(usize::MAX);
    if !shown.is_empty() {
        let (left, right) = (Side::Left, Side::Right);
        let mut table = Table::new(&[
            ("", left),
            ("section", left),
            ("A", right),
            ("noise", right),
            ("B", right),
            ("noise", right),
            ("change", right),
            ("", right),
            ("entries A", right),
            ("entries B", right),
        ]);
        for change in shown.iter().take(top) {
            table.row(cells(change, options.sigma));
        }
        table.write(out)?;
    }
    if shown.len() > top {
        writeln!(out, "and {} more", shown.len() - top)?;
    }
    if same > 0 {
        writeln!(out, "{same} sections are the same within noise")?;
    }
    Ok(())
}

fn cells(change: &Change<'_>, sigma: f64) -> Vec<Cell> {
    let (word, style) = match change.verdict(sigma) {
        Some(Ordering::Greater) => ("slower", AnsiColor::Red.on_default()),
        Some(Ordering::Less) => ("faster", AnsiColor::Green.on_default()),
        Some(Ordering::Equal) => ("same", Style::new()),
        None => ("?", Style::new()),
    };
    let noise = |row: &Row| {
        let noise = row.noise();
        if noise.is_nan() { "?".into() } else { format!("±{}", units::shown(noise)) }
    };
    let (before, after) = (change.before, change.after);
    vec![
        Cell::from(word).styled(style),
        printable(&after.shown_path()).into(),
        units::shown(before.mean).into(),
        noise(before).into(),
        units::shown(after.mean).into(),
        noise(after).into(),
        units::change(change.time()).into(),
        percent(change.share()).unwrap_or_default().into(),
        before.count.to_string().into(),
        after.count.to_string().into(),
    ]
}

fn percent(share: f64) -> Option<String> {
    share.is_finite().then(|| format!("{:+.1}%", share * 100.0))
}

//! `xtimer show`: sections as a tree or a sorted list, and categories.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use xtimer_core::profile::Across;

use crate::failure::Result;
use crate::filter::Filter;
use crate::input;
use crate::line::{Show, Sort};
use crate::overview::{Overview, Row};
use crate::table::{Cell, Side, Table, printable};
use crate::units;

/// The imbalance from which it is coloured.
const UNEVEN: f64 = 1.1;
const VERY_UNEVEN: f64 = 1.5;

/// Shows what was read.
pub fn run(options: &Show) -> Result {
    let choice = &options.choice;
    let loaded = input::load(&options.inputs)?.chosen(choice)?;
    let filter = Filter::new(&choice.path, &choice.name, &choice.category)?;
    let overview = Overview::of(&loaded);
    let mut rows: Vec<&Row> = overview
        .rows
        .iter()
        .filter(|row| {
            options.depth.is_none_or(|depth| row.path.len() <= depth)
                && filter.admits(&row.names(), row.categories.iter().map(String::as_str))
        })
        .collect();
    sort(&mut rows, options.sort);
    let hidden = options.top.map_or(0, |top| rows.len().saturating_sub(top));
    rows.truncate(rows.len() - hidden);

    let mut out = io::BufWriter::new(anstream::stdout().lock());
    write_rows(&mut out, &rows, &overview, options.sort == Sort::Entry)?;
    if hidden > 0 {
        writeln!(out, "and {hidden} more")?;
    }
    if filter.is_open() && options.top.is_none() {
        write_categories(&mut out, &overview)?;
        write_losses(&mut out, &overview)?;
    }
    Ok(out.flush()?)
}

fn sort(rows: &mut [&Row], order: Sort) {
    let descending = |rows: &mut [&Row], key: fn(&Row) -> f64| {
        // What is not a number goes last; the sort is stable.
        let key = |row: &Row| {
            let value = key(row);
            if value.is_nan() { f64::NEG_INFINITY } else { value }
        };
        rows.sort_by(|a, b| key(b).total_cmp(&key(a)));
    };
    match order {
        Sort::Entry => {}
        Sort::Path => rows.sort_by(|a, b| a.path.cmp(&b.path)),
        Sort::Time => rows.sort_by_key(|row| std::cmp::Reverse(row.sum)),
        Sort::Exclusive => rows.sort_by_key(|row| std::cmp::Reverse(row.exclusive)),
        Sort::Count => rows.sort_by_key(|row| std::cmp::Reverse(row.count)),
        Sort::Max => rows.sort_by_key(|row| std::cmp::Reverse(row.max)),
        Sort::Mean => descending(rows, |row| row.mean),
        Sort::Imbalance => descending(rows, |row| row.across.imbalance()),
    }
}

/// How rows are named: in a tree by what is behind the last one above that is shown, else by path.
fn labels(rows: &[&Row], is_tree: bool) -> Vec<String> {
    let mut above: Vec<&[String]> = Vec::new();
    let mut labels = Vec::with_capacity(rows.len());
    for row in rows {
        while above.last().is_some_and(|top| !row.path.starts_with(top)) {
            above.pop();
        }
        let known = above.last().map_or(0, |top| top.len());
        let names: Vec<String> = row.path[known..].iter().map(|name| printable(name)).collect();
        labels.push(format!("{:indent$}{}", "", names.join("/"), indent = 2 * above.len()));
        if is_tree {
            above.push(&row.path);
        }
    }
    labels
}

fn write_rows(
    out: &mut dyn Write,
    rows: &[&Row],
    overview: &Overview,
    is_tree: bool,
) -> io::Result<()> {
    let ranks = overview.total.rank_count();
    if rows.is_empty() {
        return writeln!(out, "no sections");
    }
    let labels = labels(rows, is_tree);
    let (left, right) = (Side::Left, Side::Right);
    let mut columns = vec![("section", left)];
    columns.extend(if ranks > 1 {
        [
            ("ranks", right),
            ("min", right),
            ("mean", right),
            ("max", right),
            ("imbalance", right),
            ("slowest", right),
            ("count", right),
            ("category", left),
            ("", left),
        ]
    } else {
        [
            ("time", right),
            ("share", right),
            ("count", right),
            ("self", right),
            ("mean", right),
            ("min", right),
            ("max", right),
            ("category", left),
            ("", left),
        ]
    });
    let mut table = Table::new(&columns);
    for (row, label) in rows.iter().zip(labels) {
        let mut cells = vec![Cell::from(label)];
        if ranks > 1 {
            cells.push(row.across.rank_count().to_string().into());
            cells.extend(across_cells(&row.across));
            cells.push(row.count.to_string().into());
        } else {
            let whole = overview.total.sum() as f64;
            cells.push(units::shown(row.sum as f64).into());
            cells.push(if whole > 0.0 {
                format!("{:.1}%", row.sum as f64 / whole * 100.0).into()
            } else {
                "-".into()
            });
            cells.push(row.count.to_string().into());
            cells.push(units::shown(row.exclusive.map_or(f64::NAN, |time| time as f64)).into());
            let time = |time: Option<u64>| units::shown(time.map_or(f64::NAN, |time| time as f64));
            cells.extend([units::shown(row.mean), time(row.min), time(row.max)].map(Cell::from));
        }
        cells.push(Cell::from(category_of(row)).styled(Style::new().dimmed()));
        cells.push(note_of(row).into());
        table.row(cells);
    }
    table.write(out)
}

fn category_of(row: &Row) -> String {
    row.categories.iter().map(|name| printable(name)).collect::<Vec<_>>().join(", ")
}

/// The words of the report for what is remarkable.
fn note_of(row: &Row) -> String {
    let open = format!("{} open", row.open);
    let notes = [
        (row.open > 0, &*open),
        (row.marks.busy, "busy"),
        (row.marks.late, "late"),
        (row.marks.exceeded, "beside"),
        (row.is_mixed, "categories differ"),
    ];
    let words: Vec<&str> = notes.iter().filter(|note| note.0).map(|note| note.1).collect();
    words.join(", ")
}

/// Least, mean, most, imbalance, slowest.
fn across_cells(across: &Across) -> [Cell; 5] {
    let time =
        |time: Option<u64>| Cell::from(units::shown(time.map_or(f64::NAN, |time| time as f64)));
    let imbalance = across.imbalance();
    let style = match imbalance {
        uneven if uneven >= VERY_UNEVEN => AnsiColor::Red.on_default(),
        uneven if uneven >= UNEVEN => AnsiColor::Yellow.on_default(),
        _ => Style::new(),
    };
    let shown = if imbalance.is_nan() { "-".into() } else { format!("{imbalance:.3}") };
    [
        time(across.min()),
        units::shown(across.mean()).into(),
        time(across.max()),
        Cell::from(shown).styled(style),
        across.slowest().map_or_else(String::new, |(rank, _)| format!("rank {rank}")).into(),
    ]
}

fn write_categories(out: &mut dyn Write, overview: &Overview) -> io::Result<()> {
    let ranks = overview.total.rank_count();
    if overview.categories.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let (left, right) = (Side::Left, Side::Right);
    let many = [
        ("category", left),
        ("ranks", right),
        ("min", right),
        ("mean", right),
        ("max", right),
        ("imbalance", right),
        ("slowest", right),
    ];
    let one = [("category", left), ("time", right), ("share", right)];
    let mut table = Table::new(if ranks > 1 { &many } else { &one });
    let all =
        overview.categories.iter().map(|category| (printable(&category.name), &category.across));
    for (name, across) in all.chain([("total".to_owned(), &overview.total)]) {
        let mut cells = vec![Cell::from(name)];
        if ranks > 1 {
            cells.push(across.rank_count().to_string().into());
            cells.extend(across_cells(across));
        } else {
            let (time, whole) = (across.sum() as f64, overview.total.sum() as f64);
            cells.push(units::shown(time).into());
            cells.push(if whole > 0.0 {
                format!("{:.1}%", time / whole * 100.0).into()
            } else {
                "-".into()
            });
        }
        table.row(cells);
    }
    table.write(out)
}

fn write_losses(out: &mut dyn Write, overview: &Overview) -> io::Result<()> {
    let lost: Vec<String> = overview
        .losses
        .iter()
        .filter(|loss| loss.1 > 0)
        .map(|(name, count)| format!("{name} {count}"))
        .chain(overview.categories.iter().filter(|category| category.lost_count > 0).map(
            |category| {
                format!("without slot in {} {}", printable(&category.name), category.lost_count)
            },
        ))
        .collect();
    if lost.is_empty() { Ok(()) } else { writeln!(out, "\nlost: {}", lost.join(", ")) }
}

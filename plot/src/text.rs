//! A histogram for a terminal: a line for each bin, with a bar as long as it holds durations.

use std::fmt::Write;

use crate::axis::{time, unit};
use crate::bins::Edges;
use crate::draw::Options;
use crate::series::Series;

/// Lines that a rule makes at most.
const LINES: usize = 24;
/// Eighths of a character.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// The histogram of each series as text, so many columns wide.
pub fn text(columns: usize, series: &[Series], options: &Options) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", options.title); // to a String: never fails
    let Some(edges) = Edges::of(series, options.bins, options.is_log, LINES) else {
        let _ = writeln!(out, "no durations to show");
        return out;
    };
    let (name, size) = unit(edges.nanoseconds(edges.count));
    let labels: Vec<String> =
        (0..=edges.count).map(|bin| format!("{:.3}", edges.nanoseconds(bin) / size)).collect();
    let label = labels.iter().map(String::len).max().unwrap_or(0);
    let all: Vec<Vec<u64>> = series.iter().map(|series| edges.counts(series)).collect();
    let most = all.iter().flatten().copied().max().unwrap_or(1).max(1);
    let digits = most.to_string().len();
    // label, " to ", label, " ", unit, "  ", bar, " ", count
    let room = columns.saturating_sub(2 * label + 5 + name.len() + 2 + 1 + digits).max(8);
    for (series, counts) in series.iter().zip(all) {
        let Series { name: of, count, mean, std, .. } = series;
        let _ = writeln!(
            out,
            "{of}{}n = {count}   mean = {}   std = {}",
            if of.is_empty() { "" } else { "   " },
            time(*mean),
            time(*std)
        );
        for (bin, &count) in counts.iter().enumerate() {
            let (from, to) = (&labels[bin], &labels[bin + 1]);
            let bar = bar(count, most, room);
            let _ = writeln!(out, "{from:>label$} to {to:>label$} {name}  {bar} {count}");
        }
    }
    out
}

fn bar(count: u64, most: u64, room: usize) -> String {
    let eighths = (count as f64 / most as f64 * (room * 8) as f64).round() as usize;
    // What is there is seen.
    let eighths = eighths.max(usize::from(count > 0));
    let mut bar = "█".repeat(eighths / 8);
    if let Some(rest) = (eighths % 8).checked_sub(1) {
        bar.push(EIGHTHS[rest]);
    }
    bar
}

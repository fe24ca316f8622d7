//! The report: a table of sections as a tree, and what belongs beneath it, for a terminal.
//!
//! Two passes over the rows: the first finds the columns' widths and the marks in use, the second
//! writes. Nothing is kept but these.

use core::fmt::{self, Write};

use crate::export::decimal::{Fixed, Scaled};
use crate::export::spaces;
use crate::snapshot::{Section, Snapshot};

/// Spaces that a level is indented by.
const INDENT: usize = 2;
/// Longer names push their row to the right instead of widening the column.
const WIDEST_NAME: usize = 60;
/// As above, for categories.
const WIDEST_CATEGORY: usize = 24;
/// Between columns.
const GAP: usize = 2;
/// The percentiles shown where a histogram is kept, and their shares in millionths.
const PERCENTILES: [&str; 2] = ["p50", "p99"];
const SHARES: [u32; PERCENTILES.len()] = [500_000, 990_000];
/// What stands behind a number: a space and a unit of two characters at most.
const UNIT: usize = 3;

/// A snapshot as text: [`Snapshot::report`] makes it, `Display` writes it.
///
/// Nothing at all where nothing was recorded; else lines without a newline behind the last.
#[derive(Clone, Copy, Debug)]
pub struct Report<'s> {
    snapshot: &'s Snapshot<'s>,
}

impl<'s> Report<'s> {
    pub(crate) const fn new(snapshot: &'s Snapshot<'s>) -> Self {
        Self { snapshot }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let snapshot = self.snapshot;
        if snapshot.is_empty() {
            return Ok(());
        }
        let table = Table::measure(snapshot);
        if table.has_sections {
            table.write_sections(formatter)?;
            write_legend(formatter, &table)?;
            formatter.write_char('\n')?;
        }
        table.write_categories(formatter)?;
        if table.overlaps {
            writeln!(formatter, "\n{OVERLAP}")?;
        }
        formatter.write_char('\n')?;
        write_price(formatter, snapshot)?;
        write_losses(formatter, snapshot)
    }
}

/// Something remarkable about a row: a word at its end, and a line beneath the table.
struct Mark {
    word: &'static str,
    meaning: &'static str,
    holds: fn(&Section<'_>) -> bool,
}

const MARKS: [Mark; 6] = [
    Mark {
        word: "open",
        meaning: "not exited yet, the first entry for so long; not in its count and times",
        holds: |section| section.open() > 0,
    },
    Mark {
        word: "no exit",
        meaning: "entered, but discarded before its exit, or open in a context without a lane",
        holds: |section| section.count() == 0 && section.open() == 0 && !section.is_busy(),
    },
    Mark {
        word: "busy",
        meaning: "stopped while it was entered anew: count and times may be one entry apart",
        holds: |section| section.is_busy(),
    },
    Mark {
        word: "late",
        meaning: "also timed by contexts that found no lane: no standard deviation",
        holds: |section| section.is_late(),
    },
    Mark {
        word: "near price",
        meaning: "its mean is below four times the price or the clock's quantum",
        holds: |section| section.is_near_price(),
    },
    Mark {
        word: "beside",
        meaning: "sections beneath add up to more than it: some ran on other threads, or were recorded",
        holds: |section| section.is_exceeded(),
    },
];

/// Beneath the categories where one contains another, so that they add up to more than the total.
const OVERLAP: &str = "a category includes what others took inside it; parallel threads add up";

/// The widths of the columns, and what the rows hold.
struct Table<'s> {
    snapshot: &'s Snapshot<'s>,
    has_sections: bool,
    /// Whether exclusive time is kept.
    has_exclusive: bool,
    /// Whether a histogram is kept.
    has_percentiles: bool,
    /// Whether a category's time is counted in another's too.
    overlaps: bool,
    marks: [bool; MARKS.len()],
    name: usize,
    /// Of the number, without the unit behind it.
    time: usize,
    share: usize,
    count: usize,
    exclusive: usize,
    percentiles: [usize; PERCENTILES.len()],
    category: usize,
}

impl<'s> Table<'s> {
    fn measure(snapshot: &'s Snapshot<'s>) -> Self {
        let mut table = Self {
            snapshot,
            has_sections: false,
            has_exclusive: snapshot.statistics().has_exclusive(),
            has_percentiles: snapshot.layout.config.histograms,
            overlaps: false,
            marks: [false; MARKS.len()],
            name: "category".len(),
            time: "0.000".len(),
            share: "share".len(),
            count: "count".len(),
            exclusive: "0.000".len(),
            percentiles: ["0.000".len(); PERCENTILES.len()],
            category: 0,
        };
        for section in snapshot.sections() {
            table.has_sections = true;
            table.overlaps |= section.total() > 0
                && snapshot.total() > 0
                && section.parent().is_some_and(|outer| outer.category() != section.category());
            for (used, mark) in table.marks.iter_mut().zip(&MARKS) {
                *used |= (mark.holds)(&section);
            }
            widen(&mut table.name, Label(section), WIDEST_NAME);
            widen(&mut table.count, section.count(), usize::MAX);
            widen(&mut table.category, Escaped(section.category()), WIDEST_CATEGORY);
            table.widen_times(section.total(), section.exclusive());
            let found = section.percentiles(SHARES).into_iter().flatten();
            for (width, time) in table.percentiles.iter_mut().zip(found) {
                widen(width, Scaled::nanoseconds(time).number, usize::MAX);
            }
        }
        for (category, nanoseconds) in snapshot.categories() {
            widen(&mut table.name, Escaped(category), WIDEST_NAME);
            table.widen_times(nanoseconds, None);
        }
        table.widen_times(snapshot.total(), None);
        table
    }

    fn widen_times(&mut self, time: u64, exclusive: Option<u64>) {
        widen(&mut self.time, Scaled::nanoseconds(time).number, usize::MAX);
        widen(&mut self.share, Share(time, self.snapshot.total()), usize::MAX);
        if let Some(exclusive) = exclusive {
            widen(&mut self.exclusive, Scaled::nanoseconds(exclusive).number, usize::MAX);
        }
    }

    fn write_sections(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        left(out, self.name, "section")?;
        right(out, self.time + UNIT, "time")?;
        right(out, self.share, "share")?;
        right(out, self.count, "count")?;
        if self.has_exclusive {
            right(out, self.exclusive + UNIT, "self")?;
        }
        if self.has_percentiles {
            for (width, head) in self.percentiles.into_iter().zip(PERCENTILES) {
                right(out, width + UNIT, head)?;
            }
        }
        out.write_str("  category\n")?;
        for section in self.snapshot.sections() {
            self.write_section(out, &section)?;
        }
        Ok(())
    }

    fn write_section(&self, out: &mut fmt::Formatter<'_>, section: &Section<'_>) -> fmt::Result {
        left(out, self.name, Label(*section))?;
        self.write_time(out, self.time, section.total())?;
        right(out, self.share, Share(section.total(), self.snapshot.total()))?;
        right(out, self.count, section.count())?;
        if let Some(exclusive) = section.exclusive() {
            self.write_time(out, self.exclusive, exclusive)?;
        }
        if self.has_percentiles {
            match section.percentiles(SHARES) {
                Some(found) => {
                    for (width, time) in self.percentiles.into_iter().zip(found) {
                        self.write_time(out, width, time)?;
                    }
                }
                None => {
                    for width in self.percentiles {
                        right(out, width + UNIT, "-")?;
                    }
                }
            }
        }
        spaces(out, GAP)?;
        let marks = Marks(*section);
        if MARKS.iter().any(|mark| (mark.holds)(section)) {
            left(out, self.category, Escaped(section.category()))?;
            writeln!(out, "  {marks}")
        } else {
            writeln!(out, "{}", Escaped(section.category()))
        }
    }

    /// Decimal points stand beneath each other, whatever the units.
    fn write_time(&self, out: &mut fmt::Formatter<'_>, width: usize, time: u64) -> fmt::Result {
        let Scaled { number, unit } = Scaled::nanoseconds(time);
        right(out, width, number)?;
        write!(out, " {unit:2}")
    }

    fn write_categories(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        left(out, self.name, "category")?;
        right(out, self.time + UNIT, "time")?;
        right(out, self.share, "share")?;
        out.write_char('\n')?;
        for (category, nanoseconds) in self.snapshot.categories() {
            self.write_category(out, Escaped(category), nanoseconds)?;
        }
        self.write_category(out, "total", self.snapshot.total())
    }

    fn write_category(
        &self,
        out: &mut fmt::Formatter<'_>,
        label: impl fmt::Display,
        nanoseconds: u64,
    ) -> fmt::Result {
        left(out, self.name, label)?;
        self.write_time(out, self.time, nanoseconds)?;
        right(out, self.share, Share(nanoseconds, self.snapshot.total()))?;
        out.write_char('\n')
    }
}

fn write_legend(out: &mut fmt::Formatter<'_>, table: &Table<'_>) -> fmt::Result {
    let used = || MARKS.iter().zip(table.marks).filter(|(_, used)| *used).map(|(mark, _)| mark);
    let width = used().map(|mark| mark.word.len()).max().unwrap_or(0);
    for (index, mark) in used().enumerate() {
        if index == 0 {
            out.write_char('\n')?;
        }
        left(out, width, mark.word)?;
        writeln!(out, "  {}", mark.meaning)?;
    }
    Ok(())
}

fn write_price(out: &mut fmt::Formatter<'_>, snapshot: &Snapshot<'_>) -> fmt::Result {
    let price = snapshot.price();
    let (clock, scale) = snapshot.clock();
    match price.pair {
        0 => out.write_str("price  not measured")?,
        pair => write!(out, "price  {} for an enter and exit", Scaled::picoseconds(pair.into()))?,
    }
    write!(out, "\nclock  {}, {}, ", Escaped(clock), Scaled::hertz(scale.hertz()))?;
    match price.quantum {
        0 => out.write_str("quantum not measured"),
        quantum => write!(out, "quantum {}", Scaled::picoseconds(quantum.into())),
    }
}

/// A noun, for one and for many.
#[derive(Clone, Copy)]
struct Noun(&'static str, &'static str);

const SECTION: Noun = Noun("section", "sections");
const ENTER: Noun = Noun("enter", "enters");
const EXIT: Noun = Noun("exit", "exits");
const CONTEXT: Noun = Noun("context", "contexts");
/// The words behind enters that a rule refused; the last such rule follows.
const REFUSED: &str = "refused by a rule";

impl Noun {
    const fn of(self, count: u64) -> &'static str {
        if count == 1 { self.0 } else { self.1 }
    }
}

fn write_losses(out: &mut fmt::Formatter<'_>, snapshot: &Snapshot<'_>) -> fmt::Result {
    let losses = snapshot.losses();
    let lines = [
        (losses.unclosed, SECTION, "left unclosed when an outer one exited, or its context ended"),
        (losses.too_deep, ENTER, "too deep for the stack; the time is in the deepest section"),
        (losses.refused, ENTER, REFUSED),
        (losses.not_open, EXIT, "of a section that was not open"),
        (losses.steps_back, SECTION, "taken as zero because the clock stepped back"),
        (losses.base_name, ENTER, "of a counted section recorded under its base name"),
        (losses.interrupted, EXIT, "in a signal handler that met the section in a change"),
        (losses.categories, ENTER, "with a category that did not fit, recorded as (other)"),
        (losses.late_contexts, CONTEXT, "that found no lane: slower, no standard deviation"),
        // Last, because lines of its own follow.
        (losses.no_slot, ENTER, "of a new section when the table was full; by category:"),
    ];
    let mut width = 0;
    for (count, ..) in lines {
        if count > 0 {
            widen(&mut width, count, usize::MAX);
        }
    }
    let mut label = "lost";
    for (count, noun, words) in lines {
        if count > 0 {
            out.write_char('\n')?;
            left(out, "price".len(), label)?;
            right(out, width, count)?;
            write!(out, " {} {words}", noun.of(count))?;
            label = "";
            if let Some((outer, inner)) = snapshot.last_refused().filter(|_| words == REFUSED) {
                write!(out, ", last '{}' inside '{}'", Escaped(inner), Escaped(outer))?;
            }
        }
    }
    for (category, count, nanoseconds) in snapshot.without_slot() {
        out.write_char('\n')?;
        spaces(out, "price".len() + GAP + width + 1)?;
        let time = Scaled::nanoseconds(nanoseconds);
        write!(out, "{}: {time} in {count} {}", Escaped(category), EXIT.of(count))?;
    }
    Ok(())
}

/// The name of a row, indented; behind those of its path that have no row above it.
struct Label<'s>(Section<'s>);

impl fmt::Display for Label<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let section = self.0;
        spaces(formatter, INDENT * section.depth())?;
        if section.parent().is_some() {
            return write!(formatter, "{}", Escaped(section.name()));
        }
        // What it is nested in was open at a clear, and is not shown.
        for (index, name) in section.path().enumerate() {
            if index > 0 {
                formatter.write_char('/')?;
            }
            write!(formatter, "{}", Escaped(name))?;
        }
        Ok(())
    }
}

/// The marks of a row.
struct Marks<'s>(Section<'s>);

impl fmt::Display for Marks<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let section = &self.0;
        let mut separator = "";
        for mark in MARKS.iter().filter(|mark| (mark.holds)(section)) {
            write!(formatter, "{separator}{}", mark.word)?;
            separator = ", ";
            if mark.word == "open" {
                write!(formatter, " {}", Scaled::nanoseconds(section.open_time()))?;
                if section.open() > 1 {
                    write!(formatter, " ({} entries)", section.open())?;
                }
            }
        }
        Ok(())
    }
}

/// A part of the total in per cent. While the outermost sections are open the total is small yet,
/// and a share may be beyond all measure.
struct Share(u64, u64);

impl fmt::Display for Share {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Fixed::percent(self.0, self.1) {
            Some(_) if self.0 / 100 > self.1 => formatter.write_str(">9999%"),
            Some(share) => write!(formatter, "{share}%"),
            None => formatter.write_char('-'),
        }
    }
}

/// A name such that a row stays a row: control characters, line ends and marks that turn the
/// direction of writing are spelled out, and an empty name is seen.
struct Escaped<'n>(&'n str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return formatter.write_str("\"\"");
        }
        for character in self.0.chars() {
            match character {
                '\n' | '\r' | '\t' => write!(formatter, "{}", character.escape_default())?,
                '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    write!(formatter, "{}", character.escape_unicode())?;
                }
                control if control.is_control() => {
                    write!(formatter, "{}", control.escape_unicode())?;
                }
                plain => formatter.write_char(plain)?,
            }
        }
        Ok(())
    }
}

/// Counts the cells of a terminal that what is written to it takes.
struct Width(usize);

impl fmt::Write for Width {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let cells = text.chars().map(cells).fold(0, usize::saturating_add);
        self.0 = self.0.saturating_add(cells);
        Ok(())
    }
}

/// Cells of a character, by blocks: two in the scripts of East Asia and for pictures, none for what
/// combines with the character before it.
const fn cells(character: char) -> usize {
    match character {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

fn width_of(value: &impl fmt::Display) -> usize {
    let mut width = Width(0);
    // Counting does not fail.
    let _ = write!(width, "{value}");
    width.0
}

/// Makes a column hold a value, unless that is wider than `most`.
fn widen(column: &mut usize, value: impl fmt::Display, most: usize) {
    let width = width_of(&value);
    if width <= most {
        *column = (*column).max(width);
    }
}

/// Writes a value at the left of a column.
fn left(out: &mut fmt::Formatter<'_>, column: usize, value: impl fmt::Display) -> fmt::Result {
    write!(out, "{value}")?;
    spaces(out, column.saturating_sub(width_of(&value)))
}

/// Writes the gap before a column, and a value at its right.
fn right(out: &mut fmt::Formatter<'_>, column: usize, value: impl fmt::Display) -> fmt::Result {
    spaces(out, GAP + column.saturating_sub(width_of(&value)))?;
    write!(out, "{value}")
}

#[cfg(all(test, feature = "std", not(loom)))]
mod tests {
    use super::*;
    use crate::snapshot::mark;
    use crate::{Config, ManualClock, Timer};

    #[test]
    fn a_busy_row_says_so() {
        let timer = Timer::with_clock(Config::HOST, ManualClock::new(64)).unwrap();
        let context = timer.context().unwrap();
        context.record("load", "io", 7).unwrap();
        context.record("step", "default", 9).unwrap();
        let snapshot = timer.snapshot().unwrap();
        let row = snapshot.sections().next().map(|section| section.row.section).unwrap();
        snapshot.rows[row as usize].marks |= mark::BUSY;
        let report = snapshot.report().to_string();
        let rows = "\
load       7.000 ns   43.8%      1  7.000 ns  io       busy
step       9.000 ns   56.3%      1  9.000 ns  default

busy  stopped while it was entered anew: count and times may be one entry apart
";
        assert!(report.contains(rows), "{report}");
        assert!(snapshot.json().to_string().contains(r#""open":0,"busy":true}"#));
    }

    #[test]
    fn names_are_escaped_so_that_a_row_stays_a_row() {
        for (name, shown) in [
            ("", "\"\""),
            ("a/b c", "a/b c"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{1b}[31m\u{0}\u{7f}", "\\u{1b}[31m\\u{0}\\u{7f}"),
            ("\u{85}\u{2028}\u{202e}", "\\u{85}\\u{2028}\\u{202e}"),
            ("naïve 日本 😀 \\n", "naïve 日本 😀 \\n"),
        ] {
            assert_eq!(Escaped(name).to_string(), shown);
        }
    }

    #[test]
    fn widths_are_cells_of_a_terminal() {
        for (text, cells) in
            [("", 0), ("step", 4), ("µs", 2), ("e\u{301}", 1), ("日本", 4), ("😀", 2)]
        {
            assert_eq!(width_of(&text), cells, "{text}");
        }
    }
}

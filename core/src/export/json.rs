//! JSON: what a snapshot knows, for programs. serde-json-core writes strings and scalars, a piece at
//! a time into a small buffer, so that names of any length stream.

use core::fmt::{self, Write};

use crate::export::decimal::Fixed;
use crate::export::spaces;
use crate::snapshot::{Section, Snapshot};

/// The most spaces a level is indented by.
const MOST_INDENT: usize = 16;
/// Bytes of a string taken at once, and what they come to at most: six each, and two quotes.
const PIECE: usize = 32;
const PIECE_WRITTEN: usize = 6 * PIECE + 2;

/// A snapshot as JSON: [`Snapshot::json`] makes it, `Display` writes it.
///
/// One object, its keys in this order:
///
/// | key | value |
/// |---|---|
/// | `total_time` | time of the sections that have no recorded parent |
/// | `total_category_time` | object: each recorded category's total, sorted by code point |
/// | `sections` | array: the sections, depth first in order of first entry |
/// | `clock` | `name`, `hertz` (ticks a second), `width` (bits) |
/// | `overhead` | `pair` (an enter and its exit) and `quantum` (the clock's usual step); `null` where not measured |
/// | `lost` | the counts of [`Losses`](crate::Losses), and `without_slot`: for each category, `count` and `time` of the sections that found the table full |
///
/// A section has
///
/// | key | value |
/// |---|---|
/// | `name`, `path` | its name; all names from the outermost to its own |
/// | `time`, `category`, `count` | its time, the category last entered with, how often it was exited |
/// | `self_time` | time not spent in sections nested in it; `null` where not kept |
/// | `min`, `max`, `mean`, `std` | of its durations; `null` where not kept, or too few |
/// | `percentiles` | object of the durations that 50, 90, 99 and 99.9 per cent don't exceed, only where a histogram is kept; `null` where there are none yet |
/// | `open`, `open_time` | entries open now; for how long the first of them, only where there are any |
/// | `busy`, `late`, `near_price`, `exceeded` | `true`, only where it is so: see [`Section`](crate::Section) |
///
/// Times are seconds with nine decimals (whole nanoseconds); `mean`, `std`, `pair` and `quantum` have
/// twelve. `min` <= `mean` <= `max` wherever they are numbers. What is not a number is `null`. Nothing follows the last brace: who writes a file adds the
/// newline.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, ManualClock, Timer};
///
/// let timer = Timer::with_clock(Config::HOST, ManualClock::new(64)).unwrap();
/// timer.context().unwrap().record("load", "io", 1_500).unwrap();
/// let snapshot = timer.snapshot().unwrap();
/// let json = snapshot.json().to_string();
/// assert!(json.starts_with("{\"total_time\":0.000001500,"), "{json}");
/// let indented = snapshot.json().indent(2).to_string();
/// assert!(indented.starts_with("{\n  \"total_time\": 0.000001500,"), "{indented}");
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Json<'s> {
    snapshot: &'s Snapshot<'s>,
    indent: usize,
}

impl<'s> Json<'s> {
    pub(crate) const fn new(snapshot: &'s Snapshot<'s>) -> Self {
        Self { snapshot, indent: 0 }
    }

    /// Indents each level by so many spaces, 16 at most; 0 is compact, without line breaks.
    #[must_use]
    pub const fn indent(mut self, spaces: usize) -> Self {
        self.indent = if spaces < MOST_INDENT { spaces } else { MOST_INDENT };
        self
    }
}

impl fmt::Display for Json<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let snapshot = self.snapshot;
        let mut out = Writer { out: formatter, indent: self.indent, depth: 0, is_first: true };
        out.begin('{')?;
        out.key("total_time")?;
        out.decimal(Fixed::seconds(snapshot.total()))?;
        out.key("total_category_time")?;
        out.begin('{')?;
        for (category, nanoseconds) in snapshot.categories() {
            out.key(category)?;
            out.decimal(Fixed::seconds(nanoseconds))?;
        }
        out.end('}')?;
        out.key("sections")?;
        out.begin('[')?;
        for section in snapshot.sections() {
            out.item()?;
            write_section(&mut out, &section)?;
        }
        out.end(']')?;
        write_clock(&mut out, snapshot)?;
        write_losses(&mut out, snapshot)?;
        out.end('}')
    }
}

fn write_section(out: &mut Writer<'_, '_>, section: &Section<'_>) -> fmt::Result {
    let seconds = |time: Option<u64>| time.map(Fixed::seconds);
    let fine = |time: Option<u128>| time.map(Fixed::seconds_of_picoseconds);
    out.begin('{')?;
    out.key("name")?;
    out.string(section.name())?;
    out.key("path")?;
    out.strings(section.path())?;
    out.key("time")?;
    out.decimal(Fixed::seconds(section.total()))?;
    out.key("category")?;
    out.string(section.category())?;
    out.key("count")?;
    out.integer(section.count())?;
    for (key, value) in [
        ("self_time", seconds(section.exclusive())),
        ("min", seconds(section.min())),
        ("max", seconds(section.max())),
        ("mean", fine(section.mean_picoseconds())),
        ("std", fine(section.std_picoseconds())),
    ] {
        out.key(key)?;
        out.decimal_or_null(value)?;
    }
    if section.histogram().is_some() {
        write_percentiles(out, section)?;
    }
    out.key("open")?;
    out.integer(section.open().into())?;
    if section.open() > 0 {
        out.key("open_time")?;
        out.decimal(Fixed::seconds(section.open_time()))?;
    }
    for (key, holds) in [
        ("busy", section.is_busy()),
        ("late", section.is_late()),
        ("near_price", section.is_near_price()),
        ("exceeded", section.is_exceeded()),
    ] {
        if holds {
            out.key(key)?;
            out.boolean(true)?;
        }
    }
    out.end('}')
}

fn write_percentiles(out: &mut Writer<'_, '_>, section: &Section<'_>) -> fmt::Result {
    let found = section.percentiles([500_000, 900_000, 990_000, 999_000]);
    out.key("percentiles")?;
    out.begin('{')?;
    for (index, key) in ["50", "90", "99", "99.9"].into_iter().enumerate() {
        out.key(key)?;
        let time = found.and_then(|times| times.get(index).copied());
        out.decimal_or_null(time.map(Fixed::seconds))?;
    }
    out.end('}')
}

fn write_clock(out: &mut Writer<'_, '_>, snapshot: &Snapshot<'_>) -> fmt::Result {
    let (name, scale) = snapshot.clock();
    out.key("clock")?;
    out.begin('{')?;
    out.key("name")?;
    out.string(name)?;
    out.key("hertz")?;
    out.integer(scale.hertz())?;
    out.key("width")?;
    out.integer(snapshot.width.into())?;
    out.end('}')?;
    let price = snapshot.price();
    out.key("overhead")?;
    out.begin('{')?;
    for (key, picoseconds) in [("pair", price.pair), ("quantum", price.quantum)] {
        out.key(key)?;
        let measured = (picoseconds > 0).then(|| Fixed::seconds_of_picoseconds(picoseconds.into()));
        out.decimal_or_null(measured)?;
    }
    out.end('}')
}

fn write_losses(out: &mut Writer<'_, '_>, snapshot: &Snapshot<'_>) -> fmt::Result {
    let losses = snapshot.losses();
    out.key("lost")?;
    out.begin('{')?;
    for (key, count) in [
        ("unclosed", losses.unclosed),
        ("too_deep", losses.too_deep),
        ("refused", losses.refused),
        ("not_open", losses.not_open),
        ("steps_back", losses.steps_back),
        ("base_name", losses.base_name),
        ("no_slot", losses.no_slot),
        ("interrupted", losses.interrupted),
        ("categories", losses.categories),
        ("late_contexts", losses.late_contexts),
    ] {
        out.key(key)?;
        out.integer(count)?;
    }
    if let Some((outer, inner)) = snapshot.last_refused() {
        out.key("last_refused")?;
        out.strings([outer, inner].into_iter())?;
    }
    out.key("without_slot")?;
    out.begin('{')?;
    for (category, count, nanoseconds) in snapshot.without_slot() {
        out.key(category)?;
        out.begin('{')?;
        out.key("count")?;
        out.integer(count)?;
        out.key("time")?;
        out.decimal(Fixed::seconds(nanoseconds))?;
        out.end('}')?;
    }
    out.end('}')?;
    out.end('}')
}

/// Puts the commas, line breaks and spaces between values.
struct Writer<'w, 'f> {
    out: &'w mut fmt::Formatter<'f>,
    indent: usize,
    depth: usize,
    /// Nothing was written yet in the innermost object or array.
    is_first: bool,
}

impl Writer<'_, '_> {
    fn begin(&mut self, bracket: char) -> fmt::Result {
        self.depth += 1;
        self.is_first = true;
        self.out.write_char(bracket)
    }

    fn end(&mut self, bracket: char) -> fmt::Result {
        self.depth -= 1;
        if !self.is_first {
            self.break_line()?;
        }
        self.is_first = false;
        self.out.write_char(bracket)
    }

    fn break_line(&mut self) -> fmt::Result {
        if self.indent == 0 {
            return Ok(());
        }
        self.out.write_char('\n')?;
        spaces(self.out, self.indent * self.depth)
    }

    /// Before each item of an object or array.
    fn item(&mut self) -> fmt::Result {
        if !self.is_first {
            self.out.write_char(',')?;
        }
        self.is_first = false;
        self.break_line()
    }

    fn key(&mut self, key: &str) -> fmt::Result {
        self.item()?;
        self.string(key)?;
        self.out.write_str(if self.indent == 0 { ":" } else { ": " })
    }

    /// An array of strings, on one line.
    fn strings<'n>(&mut self, strings: impl Iterator<Item = &'n str>) -> fmt::Result {
        self.out.write_char('[')?;
        for (index, string) in strings.enumerate() {
            if index > 0 {
                self.out.write_str(if self.indent == 0 { "," } else { ", " })?;
            }
            self.string(string)?;
        }
        self.out.write_char(']')
    }

    fn string(&mut self, mut rest: &str) -> fmt::Result {
        let mut buffer = [0; PIECE_WRITTEN];
        self.out.write_char('"')?;
        while !rest.is_empty() {
            let mut end = rest.len().min(PIECE);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (piece, behind) = rest.split_at_checked(end).ok_or(fmt::Error)?;
            rest = behind;
            let written = serde_json_core::to_slice(piece, &mut buffer);
            let quoted = text_of(&buffer, written)?;
            let inner = quoted.get(1..quoted.len() - 1).ok_or(fmt::Error)?;
            self.out.write_str(inner)?;
        }
        self.out.write_char('"')
    }

    fn integer(&mut self, value: u64) -> fmt::Result {
        let mut buffer = [0; 20];
        let written = serde_json_core::to_slice(&value, &mut buffer);
        self.out.write_str(text_of(&buffer, written)?)
    }

    fn boolean(&mut self, value: bool) -> fmt::Result {
        let mut buffer = [0; 5];
        let written = serde_json_core::to_slice(&value, &mut buffer);
        self.out.write_str(text_of(&buffer, written)?)
    }

    fn null(&mut self) -> fmt::Result {
        let mut buffer = [0; 4];
        let written = serde_json_core::to_slice(&(), &mut buffer);
        self.out.write_str(text_of(&buffer, written)?)
    }

    /// Not through floating point, which would lose digits.
    fn decimal(&mut self, value: Fixed) -> fmt::Result {
        write!(self.out, "{value}")
    }

    fn decimal_or_null(&mut self, value: Option<Fixed>) -> fmt::Result {
        match value {
            Some(value) => self.decimal(value),
            None => self.null(),
        }
    }
}

/// What serde-json-core wrote into a buffer that is always large enough.
fn text_of(
    buffer: &[u8],
    written: serde_json_core::ser::Result<usize>,
) -> Result<&str, fmt::Error> {
    let written = written.ok().and_then(|length| buffer.get(..length)).ok_or(fmt::Error)?;
    core::str::from_utf8(written).map_err(|_| fmt::Error)
}

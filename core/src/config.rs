//! Capacities and the statistics kept: what may be chosen, what each costs, what cannot work.

use core::fmt::{self, Write};

use crate::error::Error;
use crate::sync::{CATEGORY_BITS, INDEX_BITS, NARROW};

/// Which statistics a timer keeps for each section, besides count and total.
///
/// | kept | bytes a section and lane, where the slot is not a whole line |
/// |---|---|
/// | [`COUNT_TOTAL`](Self::COUNT_TOTAL) | 24 |
/// | [`MIN_MAX`](Self::MIN_MAX) | 40 |
/// | [`EXCLUSIVE`](Self::EXCLUSIVE) (with min and max) | 48 |
/// | [`FULL`](Self::FULL) (with the sum of squares) | 64 |
///
/// On hosts a slot is always one 64-byte cache line; a `static` timer pays only for what it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics(u32);

impl Statistics {
    /// Number of entries and total time.
    pub const COUNT_TOTAL: Self = Self(0);
    /// And the shortest and longest duration.
    pub const MIN_MAX: Self = Self(1);
    /// And the time not spent in nested sections.
    pub const EXCLUSIVE: Self = Self(3);
    /// And the sum of squares, for the standard deviation.
    pub const FULL: Self = Self(7);

    pub(crate) const fn bits(self) -> u32 {
        self.0
    }
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits & 7)
    }
    /// Whether the shortest and longest duration are kept.
    pub const fn has_min_max(self) -> bool {
        self.0 & 1 != 0
    }
    /// All but the shortest and longest duration.
    pub(crate) const fn without_min_max(self) -> Self {
        Self(self.0 & !1)
    }
    /// Whether exclusive time is kept.
    pub const fn has_exclusive(self) -> bool {
        self.0 & 2 != 0
    }
    /// Whether the sum of squares is kept.
    pub const fn has_squares(self) -> bool {
        self.0 & 4 != 0
    }
    /// Bytes of the smallest slot that holds these statistics.
    pub const fn slot_bytes(self) -> u32 {
        if self.has_squares() {
            64
        } else if self.has_exclusive() {
            48
        } else if self.has_min_max() {
            40
        } else {
            24
        }
    }
}

/// Which samples a full ring keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The newest: a new sample takes the place of the oldest.
    Newest,
    /// The oldest since the last clear: a new one is dropped.
    Oldest,
}

/// The capacities of a timer, fixed when it is made.
///
/// Each field says what one more of it costs. `Timer::bytes` and [`static_bytes`](crate::static_bytes)
/// give the whole; memory that is never touched costs no physical memory on a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Distinct section paths. Each costs 40 bytes, 144 for each scratch, and a slot (24 to 64 bytes)
    /// and 16 bytes in each lane.
    pub sections: u32,
    /// Sections open at once in one context. Each costs 32 bytes in each lane.
    pub depth: u32,
    /// Writers (threads, interrupt levels) with statistics of their own. Each costs 192 bytes and
    /// what sections, depth and categories cost in a lane.
    pub lanes: u32,
    /// Categories, `default` and the reserved `(other)` among them. Each costs 4 bytes, and three
    /// slots in each lane for sections that find the table full.
    pub categories: u32,
    /// Forbidden nestings. Each costs 4 bytes.
    pub rules: u32,
    /// Bytes of all distinct names and categories, with 12 bytes for each.
    pub name_bytes: u32,
    /// Snapshots that may be taken at the same time without memory of the caller's.
    pub scratch: u32,
    /// Whether contexts beyond `lanes` add to shared slots (1) or are refused (0). Costs two
    /// lanes' slots; needs 64-bit atomics.
    pub late: u32,
    /// The statistics kept.
    pub statistics: Statistics,
    /// Durations that each lane keeps one by one, with their starts; 0: none. Each costs 16 bytes in
    /// each lane. One of 2^44 ticks or more (an hour at least) takes the place of two.
    pub samples_per_lane: u32,
    /// Which samples stay where there are more.
    pub keep: Keep,
    /// Whether each section has a histogram of its durations, for percentiles. Costs 15,360 bytes for
    /// each section in each lane, and twice more where there are late contexts: address space on a
    /// host, where few of its pages are ever touched. For timers with fewer lanes or sections than
    /// [`HOST`](Self::HOST) has.
    pub histograms: bool,
}

impl Config {
    /// What a host gets unless it asks for something else. Fewer sections and categories where words
    /// have 32 bits, whose indices are shorter.
    pub const HOST: Self = Self {
        sections: if NARROW { 512 } else { 4096 },
        depth: 1024,
        lanes: 256,
        categories: if NARROW { 128 } else { 256 },
        rules: 64,
        name_bytes: 512 * 1024,
        scratch: 4,
        late: if NARROW { 0 } else { 1 },
        statistics: Statistics::FULL,
        samples_per_lane: 0,
        keep: Keep::Newest,
        histograms: false,
    };

    /// A small timer for firmware: 16 sections, depth 8, 2 lanes, 4 categories, 2 rules.
    pub const SMALL: Self = Self {
        sections: 16,
        depth: 8,
        lanes: 2,
        categories: 4,
        rules: 2,
        name_bytes: 384,
        scratch: 1,
        late: 0,
        statistics: Statistics::FULL,
        samples_per_lane: 0,
        keep: Keep::Newest,
        histograms: false,
    };

    /// The largest number of slots that an index can name here: one for each section, three for each
    /// category, and one more.
    pub const MOST_SECTIONS: u32 = (1 << INDEX_BITS) - 1;
    /// The largest number of categories.
    pub const MOST_CATEGORIES: u32 = (1 << CATEGORY_BITS) - 1;
    /// The largest number of lanes.
    pub const MOST_LANES: u32 = 4095;
    /// The largest nesting depth.
    pub const MOST_DEPTH: u32 = 65_535;
    /// The largest number of samples in a lane: 2 GiB of them.
    pub const MOST_SAMPLES: u32 = 1 << 27;

    /// Says whether these capacities can work.
    ///
    /// # Errors
    /// [`Error::Config`] names the field that cannot.
    pub const fn validate(&self) -> Result<(), Error> {
        match self.refusal() {
            Some(refusal) => Err(Error::Config(refusal.field)),
            None => Ok(()),
        }
    }

    /// The first capacity that is out of its range, to be displayed with its value and the range:
    /// `depth is 0; it must be 1 to 65535.` `None` where each is in range.
    pub const fn refusal(&self) -> Option<Refusal> {
        let ranges = self.ranges();
        let mut index = 0;
        while index < ranges.len() {
            let range = ranges[index];
            if range.value < range.least || range.value > range.most {
                return Some(range);
            }
            index += 1;
        }
        None
    }

    /// Each capacity and what it must be. Categories come first, for they bound the sections.
    const fn ranges(&self) -> [Refusal; 9] {
        [
            Refusal::of("categories", self.categories, 2, Self::MOST_CATEGORIES),
            Refusal::of("sections", self.sections, 1, Self::most_sections(self.categories)),
            Refusal::of("depth", self.depth, 1, Self::MOST_DEPTH),
            Refusal::of("lanes", self.lanes, 1, Self::MOST_LANES),
            Refusal::of("rules", self.rules, 0, 65_536),
            Refusal::of("name_bytes", self.name_bytes, 64, 1 << 30),
            Refusal::of("scratch", self.scratch, 0, 64),
            Refusal::of("late", self.late, 0, if NARROW { 0 } else { 1 }),
            Refusal::of("samples_per_lane", self.samples_per_lane, 0, Self::MOST_SAMPLES),
        ]
    }

    /// The sections that leave room for the root's slot and three a category.
    const fn most_sections(categories: u32) -> u32 {
        (Self::MOST_SECTIONS - 1).saturating_sub(categories.saturating_mul(3))
    }

    /// Whether a lane keeps more of a duration than its statistics.
    pub(crate) const fn keeps_more(&self) -> bool {
        self.samples_per_lane != 0 || self.histograms
    }

    /// Slots of a lane: the root's, one a section, three a category.
    pub(crate) const fn slots(&self) -> u64 {
        1 + self.sections as u64 + 3 * self.categories as u64
    }
}

/// A capacity out of its range, displayed as a sentence with its value and the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    field: &'static str,
    value: u32,
    least: u32,
    most: u32,
}

impl Refusal {
    const fn of(field: &'static str, value: u32, least: u32, most: u32) -> Self {
        Self { field, value, least, most }
    }

    /// The capacity's name.
    pub const fn field(&self) -> &'static str {
        self.field
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, value, least, most } = self;
        write!(formatter, "{field} is {value}; it must be {least} to {most}")?;
        match *field {
            "sections" => formatter.write_str(" with so many categories."),
            _ => formatter.write_char('.'),
        }
    }
}

/// Writes what a capacity must be, where its value is not known.
pub(crate) fn write_rule(formatter: &mut fmt::Formatter<'_>, field: &str) -> fmt::Result {
    let fewest = Config { categories: 2, ..Config::HOST };
    match fewest.ranges().iter().find(|range| range.field == field) {
        Some(Refusal { least, most, .. }) => {
            write!(formatter, "The capacity '{field}' must be {least} to {most}")?;
        }
        None => return write!(formatter, "The capacity '{field}' cannot work."),
    }
    formatter.write_str(match field {
        "sections" => ", three less for each category above two.",
        "lanes" if usize::BITS < 64 => ", and all of them fit into the memory.",
        _ => ".",
    })
}

impl Default for Config {
    fn default() -> Self {
        Self::HOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_refused_capacity_tells_its_value_and_range() {
        let refused = |config: Config| {
            let refusal = config.refusal().unwrap();
            assert_eq!(config.validate(), Err(Error::Config(refusal.field())));
            refusal.to_string()
        };
        let most = Config::MOST_SECTIONS - 1 - 3 * Config::HOST.categories;
        for sections in [0, most + 1, u32::MAX] {
            assert_eq!(
                refused(Config { sections, ..Config::HOST }),
                format!("sections is {sections}; it must be 1 to {most} with so many categories.")
            );
        }
        assert_eq!(Config { sections: most, ..Config::HOST }.validate(), Ok(()));
        let categories = refused(Config { categories: 1, ..Config::HOST });
        let most = Config::MOST_CATEGORIES;
        assert_eq!(categories, format!("categories is 1; it must be 2 to {most}."));
        for (config, sentence) in [
            (Config { depth: 0, ..Config::HOST }, "depth is 0; it must be 1 to 65535."),
            (Config { lanes: 4096, ..Config::HOST }, "lanes is 4096; it must be 1 to 4095."),
            (Config { rules: 65_537, ..Config::HOST }, "rules is 65537; it must be 0 to 65536."),
            (
                Config { name_bytes: 63, ..Config::HOST },
                "name_bytes is 63; it must be 64 to 1073741824.",
            ),
            (Config { scratch: 65, ..Config::HOST }, "scratch is 65; it must be 0 to 64."),
            (
                Config { samples_per_lane: 134_217_729, ..Config::HOST },
                "samples_per_lane is 134217729; it must be 0 to 134217728.",
            ),
        ] {
            assert_eq!(refused(config), sentence);
        }
        assert_eq!(Config::HOST.refusal(), None);
        assert_eq!(Config::SMALL.refusal(), None);
    }

    #[test]
    fn an_error_tells_the_range_of_its_capacity() {
        assert_eq!(Error::Config("depth").to_string(), "The capacity 'depth' must be 1 to 65535.");
        let most = Config::MOST_SECTIONS - 7;
        assert_eq!(
            Error::Config("sections").to_string(),
            format!(
                "The capacity 'sections' must be 1 to {most}, three less for each category above two."
            )
        );
        assert_eq!(
            Error::Config("statistics").to_string(),
            "The capacity 'statistics' cannot work."
        );
    }
}

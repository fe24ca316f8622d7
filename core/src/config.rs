//! Capacities and the statistics kept: what may be chosen, what each costs, what cannot work.

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
    /// Writers (threads, interrupt levels) with statistics of their own. Each costs 128 bytes and
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
    };

    /// The largest number of sections (with three for each category) that an index can name here.
    pub const MOST_SECTIONS: u32 = (1 << INDEX_BITS) - 1;
    /// The largest number of categories.
    pub const MOST_CATEGORIES: u32 = (1 << CATEGORY_BITS) - 1;
    /// The largest number of lanes.
    pub const MOST_LANES: u32 = 4095;
    /// The largest nesting depth.
    pub const MOST_DEPTH: u32 = 65_535;

    /// Says whether these capacities can work.
    ///
    /// # Errors
    /// [`Error::Config`] names the field that cannot.
    pub const fn validate(&self) -> Result<(), Error> {
        if self.sections == 0 || self.sections > Self::MOST_SECTIONS {
            return Err(Error::Config("sections"));
        }
        if self.categories < 2 || self.categories > Self::MOST_CATEGORIES {
            return Err(Error::Config("categories"));
        }
        if self.slots() > Self::MOST_SECTIONS as u64 {
            return Err(Error::Config("sections"));
        }
        if self.depth == 0 || self.depth > Self::MOST_DEPTH {
            return Err(Error::Config("depth"));
        }
        if self.lanes == 0 || self.lanes > Self::MOST_LANES {
            return Err(Error::Config("lanes"));
        }
        if self.rules > 65_536 {
            return Err(Error::Config("rules"));
        }
        if self.name_bytes < 64 || self.name_bytes > 1 << 30 {
            return Err(Error::Config("name_bytes"));
        }
        if self.scratch > 64 {
            return Err(Error::Config("scratch"));
        }
        if self.late > 1 || (self.late == 1 && NARROW) {
            return Err(Error::Config("late"));
        }
        Ok(())
    }

    /// Slots of a lane: the root's, one a section, three a category.
    pub(crate) const fn slots(&self) -> u64 {
        1 + self.sections as u64 + 3 * self.categories as u64
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::HOST
    }
}

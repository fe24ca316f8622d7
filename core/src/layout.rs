//! Where everything lies in a region: computed once from the capacities, the same for every reader.

use crate::config::{Config, Keep};
use crate::error::Error;
use crate::histogram::BUCKETS;

/// First word of a region in use: "XTIM" in memory order.
pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"XTIM");
/// Moves with every change of this file that a reader of regions must know of.
pub(crate) const LAYOUT_VERSION: u32 = 2;

/// Offsets of the header's words, in bytes from the region's start.
pub(crate) mod header {
    pub(crate) const MAGIC: usize = 0;
    pub(crate) const VERSION: usize = 4;
    /// Serial number of the timer; 0 until first use.
    pub(crate) const OWNER: usize = 8;
    /// Bytes of a slot.
    pub(crate) const SLOT_BYTES: usize = 12;
    /// Wide: epoch << 4 | flags. Alone in its line but for words that stand still.
    pub(crate) const STATE: usize = 16;
    pub(crate) const SECTIONS: usize = 24;
    pub(crate) const DEPTH: usize = 28;
    pub(crate) const LANES: usize = 32;
    pub(crate) const CATEGORIES: usize = 36;
    pub(crate) const RULES: usize = 40;
    pub(crate) const NAME_BYTES: usize = 44;
    pub(crate) const SCRATCH: usize = 48;
    pub(crate) const LATE: usize = 52;
    pub(crate) const STATISTICS: usize = 56;
    pub(crate) const CLOCK_WIDTH: usize = 60;
    /// Wide. Nanoseconds = ticks * multiplier >> shift; 0 until frozen.
    pub(crate) const SCALE_MULTIPLIER: usize = 64;
    pub(crate) const SCALE_SHIFT: usize = 72;
    /// Bytes of a histogram for each section and lane; 0: none kept.
    pub(crate) const HISTOGRAM_BYTES: usize = 76;
    /// Samples in the ring of each lane; 0: none kept.
    pub(crate) const SAMPLES: usize = 80;
    /// Picoseconds of an enter and exit, and of the clock's quantum; 0: not measured.
    pub(crate) const PRICE_PAIR: usize = 84;
    pub(crate) const PRICE_QUANTUM: usize = 88;
    /// Form of lanes and tables; 0: as in this file. Room for a compact form.
    pub(crate) const FORM: usize = 92;
    /// 1: a full ring keeps the oldest samples; 0: the newest.
    pub(crate) const KEEPS_OLDEST: usize = 96;
    // The words below are written now and then, in lines of their own.
    /// Wide: the next ticket of first entries and category changes.
    pub(crate) const TICKET: usize = 128;
    pub(crate) const NAME_BYTES_USED: usize = 136;
    pub(crate) const SECTIONS_USED: usize = 140;
    pub(crate) const RULES_USED: usize = 144;
    /// Lanes 0 to this one less 1 were claimed once.
    pub(crate) const LANES_USED: usize = 148;
    /// A clear is zeroing the late bank.
    pub(crate) const CLEARING: usize = 152;
    /// Contexts that found no lane, so far.
    pub(crate) const LATE_CONTEXTS: usize = 156;
    /// Paths, names and categories that did not fit, counted each time they were asked for.
    pub(crate) const LOST_CATEGORIES: usize = 160;
    /// Categories of the last enter that a rule refused: outer << `CATEGORY_BITS` | inner.
    pub(crate) const LAST_REFUSED: usize = 164;
    /// Wide loss counters of late contexts (see `lane::header` for a lane's own).
    pub(crate) const LATE_LOSSES: usize = 168;
    /// Claims of the scratch areas, one bit each: two words.
    pub(crate) const SCRATCH_CLAIMS: usize = 232;
    pub(crate) const BYTES: usize = 256;
}

/// Offsets within a lane.
pub(crate) mod lane {
    // First line: all that enter and exit touch.
    /// Wide.
    pub(crate) const STATE: usize = 0;
    /// Wide.
    pub(crate) const NEXT: usize = 8;
    pub(crate) const TOP: usize = 16;
    pub(crate) const LIMIT: usize = 20;
    pub(crate) const ERA: usize = 24;
    /// `PLAIN`, `LATE`.
    pub(crate) const KIND: usize = 28;
    /// 0: free; else claimed.
    pub(crate) const OWNER: usize = 32;
    pub(crate) const GENERATION: usize = 36;
    /// Offset of frame 0.
    pub(crate) const FRAMES: usize = 40;
    /// The last error of this context: code and its two details.
    pub(crate) const ERROR_CODE: usize = 44;
    pub(crate) const ERROR_FIRST: usize = 48;
    pub(crate) const ERROR_SECOND: usize = 52;
    /// A section index + 1 that a lost race left reserved.
    pub(crate) const SPARE: usize = 56;
    // 60: not used.
    /// Wide loss counters, see [`super::loss`].
    pub(crate) const LOSSES: usize = 64;
    /// The add at work, see [`super::journal`].
    pub(crate) const JOURNAL: usize = 128;
    /// First slot.
    pub(crate) const SLOTS: usize = 192;
}

/// Offsets within a lane's journal: what the slot that is being added to is about to hold.
pub(crate) mod journal {
    /// The slot's index, perhaps with [`REWRITING`] and [`WITHIN`]; 0, [`KEEPING`] or [`HELD`]:
    /// none.
    pub(crate) const SECTION: usize = 0;
    /// The slot begins anew or gets another category: the words below don't tell how that ends.
    pub(crate) const REWRITING: u32 = 1 << 30;
    /// A handler is at work that interrupted the owner at another slot.
    pub(crate) const WITHIN: u32 = 1 << 29;
    /// No add is at work, in a lane that keeps samples or histograms: the hot path's look for an
    /// interrupted add finds this instead of 0, and so costs nothing where neither is kept.
    pub(crate) const KEEPING: u32 = 1 << 31;
    /// No add is at work but one that was interrupted, by the handler that puts its words back.
    pub(crate) const HELD: u32 = KEEPING | 1;
    /// Counts the adds of handlers that interrupted one.
    pub(crate) const INTERRUPTED: usize = 4;
    pub(crate) const MIN: usize = 8;
    pub(crate) const TOTAL: usize = 16;
    pub(crate) const EXCLUSIVE: usize = 24;
    pub(crate) const SQUARES_LOW: usize = 32;
    pub(crate) const SQUARES_HIGH: usize = 40;
    pub(crate) const COUNT: usize = 48;
    pub(crate) const MAX: usize = 56;
    /// All wide words.
    pub(crate) const WORDS: [usize; 7] =
        [MIN, TOTAL, EXCLUSIVE, SQUARES_LOW, SQUARES_HIGH, COUNT, MAX];
}

/// Loss counters: index of a wide word in a lane's losses.
pub(crate) mod loss {
    pub(crate) const UNCLOSED: usize = 0;
    pub(crate) const TOO_DEEP: usize = 1;
    pub(crate) const REFUSED: usize = 2;
    pub(crate) const NOT_OPEN: usize = 3;
    pub(crate) const STEPS_BACK: usize = 4;
    /// Counted sections recorded under their base name.
    pub(crate) const BASE_NAME: usize = 5;
    /// Sections timed without a slot of their own.
    pub(crate) const NO_SLOT: usize = 6;
    /// Entries of a handler that met the slot in the middle of a change.
    pub(crate) const INTERRUPTED: usize = 7;
    pub(crate) const COUNT: usize = 8;
}

/// Offsets within a slot.
pub(crate) mod slot {
    pub(crate) const STAMP: usize = 0;
    pub(crate) const SEQUENCE: usize = 4;
    pub(crate) const COUNT: usize = 8;
    pub(crate) const TOTAL: usize = 16;
    pub(crate) const MIN: usize = 24;
    pub(crate) const MAX: usize = 32;
    pub(crate) const EXCLUSIVE: usize = 40;
    pub(crate) const SQUARES_LOW: usize = 48;
    pub(crate) const SQUARES_HIGH: usize = 56;
}

/// Offsets within a frame.
pub(crate) mod frame {
    pub(crate) const TOKEN: usize = 0;
    pub(crate) const START: usize = 8;
    pub(crate) const CHILDREN: usize = 16;
    pub(crate) const NODE: usize = 24;
    pub(crate) const CATEGORY: usize = 28;
    pub(crate) const BYTES: usize = 32;
}

/// Offsets within a lane's ring of samples.
pub(crate) mod ring {
    /// Wide: places filled since the lane was made. Grows for ever.
    pub(crate) const HEAD: usize = 0;
    /// Wide: what HEAD was when the lane last caught up with a clear.
    pub(crate) const BEGIN: usize = 8;
    /// The owner's own: the next place, in bytes from the first.
    pub(crate) const CURSOR: usize = 16;
    // 20 to 31: not used.
    /// First place.
    pub(crate) const PLACES: usize = 32;
    /// Bytes of a place: start, and section and duration.
    pub(crate) const BYTES: usize = 16;
}

/// Offsets within a path's record.
pub(crate) mod record {
    pub(crate) const PARENT: usize = 0;
    pub(crate) const NAME: usize = 4;
    /// Wide: ticket of the last change << `CATEGORY_BITS` | category.
    pub(crate) const CHANGE: usize = 8;
    /// Wide: epoch of the last first entry.
    pub(crate) const SEEN: usize = 16;
    pub(crate) const BYTES: usize = 24;
}

/// Bytes of a row of scratch; `snapshot.rs` asserts that it holds a row.
pub(crate) const ROW_BYTES: usize = 144;
/// Bytes of a histogram: a wide count for each bucket.
pub(crate) const HISTOGRAM_BYTES: usize = 8 * BUCKETS;
/// Bytes of a birth: count at the last new beginning, ticket.
pub(crate) const BIRTH_BYTES: usize = 16;
const LINE: u64 = 64;

/// The offsets of a region with given capacities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(crate) config: Config,
    pub(crate) slot_bytes: usize,
    /// Buckets of the name table, a power of two, less 1.
    pub(crate) name_mask: u32,
    pub(crate) names: usize,
    pub(crate) arena: usize,
    /// Buckets of the path table, a power of two, less 1.
    pub(crate) path_mask: u32,
    pub(crate) paths: usize,
    pub(crate) records: usize,
    pub(crate) categories: usize,
    pub(crate) rules: usize,
    pub(crate) lanes: usize,
    pub(crate) lane_bytes: usize,
    /// Within a lane.
    pub(crate) frames: usize,
    /// Within a lane.
    pub(crate) births: usize,
    /// Within a lane: its ring of samples.
    pub(crate) ring: usize,
    /// Places of a ring: one more than samples, for the one that is being written.
    pub(crate) places: u32,
    /// Within a lane: a histogram for each section.
    pub(crate) histograms: usize,
    pub(crate) late: usize,
    pub(crate) bank_bytes: usize,
    pub(crate) scratch: usize,
    pub(crate) scratch_bytes: usize,
    pub(crate) bytes: usize,
}

const fn up(offset: u64, to: u64) -> u64 {
    offset.div_ceil(to) * to
}

const fn buckets(entries: u32) -> u64 {
    (2 * entries as u64).next_power_of_two()
}

impl Layout {
    /// The layout for these capacities with slots of `slot_bytes`.
    ///
    /// # Errors
    /// [`Error::Config`] names the capacity that cannot work.
    pub const fn new(config: Config, slot_bytes: u32) -> Result<Self, Error> {
        if let Err(error) = config.validate() {
            return Err(error);
        }
        if slot_bytes < config.statistics.slot_bytes() {
            return Err(Error::Config("statistics"));
        }
        // Small regions pack lanes by 8 bytes; whole-line slots start on a line.
        let line = if slot_bytes as u64 == LINE { LINE } else { 8 };
        let name_buckets = buckets(config.sections + config.categories);
        let path_buckets = buckets(config.sections);
        let slots = config.slots();
        let names = header::BYTES as u64;
        let arena = names + 4 * name_buckets;
        let paths = arena + up(config.name_bytes as u64, 8);
        let records = up(paths + 4 * path_buckets, 8);
        let categories = records + record::BYTES as u64 * (1 + config.sections as u64);
        let rules = categories + 4 * config.categories as u64;
        let lanes = up(rules + 4 * config.rules as u64, line);
        let frames = lane::SLOTS as u64 + slots * slot_bytes as u64;
        let births = frames + frame::BYTES as u64 * (1 + config.depth as u64);
        let behind = births + BIRTH_BYTES as u64 * slots;
        let places = if config.samples_per_lane == 0 { 0 } else { config.samples_per_lane + 1 };
        let (ring, behind) = if places == 0 {
            (behind, behind)
        } else {
            let ring = up(behind, line);
            (ring, ring + ring::PLACES as u64 + ring::BYTES as u64 * places as u64)
        };
        let all_histograms =
            if config.histograms { HISTOGRAM_BYTES as u64 * config.sections as u64 } else { 0 };
        let histograms = up(behind, line);
        let lane_bytes = up(histograms + all_histograms, line);
        let late = lanes + lane_bytes * config.lanes as u64;
        let bank_bytes = slots * (slot_bytes as u64 + BIRTH_BYTES as u64) + all_histograms;
        let scratch = up(late + 2 * bank_bytes * config.late as u64, 16);
        let scratch_bytes = ROW_BYTES as u64 * slots;
        let bytes = scratch + scratch_bytes * config.scratch as u64;
        // Offsets within a lane are 32-bit words, and a block of memory is at most isize::MAX.
        if behind > u32::MAX as u64 {
            return Err(Error::Config(if places == 0 { "sections" } else { "samples_per_lane" }));
        }
        if bytes > isize::MAX as u64 {
            return Err(Error::Config("lanes"));
        }
        Ok(Self {
            config,
            slot_bytes: slot_bytes as usize,
            name_mask: (name_buckets - 1) as u32,
            names: names as usize,
            arena: arena as usize,
            path_mask: (path_buckets - 1) as u32,
            paths: paths as usize,
            records: records as usize,
            categories: categories as usize,
            rules: rules as usize,
            lanes: lanes as usize,
            lane_bytes: lane_bytes as usize,
            frames: frames as usize,
            births: births as usize,
            ring: ring as usize,
            places,
            histograms: histograms as usize,
            late: late as usize,
            bank_bytes: bank_bytes as usize,
            scratch: scratch as usize,
            scratch_bytes: scratch_bytes as usize,
            bytes: bytes as usize,
        })
    }

    /// What a lane's journal says while no add is at work.
    pub(crate) const fn idle(&self) -> u32 {
        if self.config.keeps_more() { journal::KEEPING } else { 0 }
    }

    /// Bytes of a histogram for each section and lane; 0: none kept.
    pub(crate) const fn histogram_bytes(&self) -> u32 {
        if self.config.histograms { HISTOGRAM_BYTES as u32 } else { 0 }
    }

    /// Whether a full ring keeps the oldest samples.
    #[inline(always)]
    pub(crate) const fn keeps_oldest(&self) -> bool {
        matches!(self.config.keep, Keep::Oldest)
    }

    /// Bytes of the whole region.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }
}

//! One section of a snapshot: names, numbers, formulas.

use crate::category;
use crate::flatten::shown;
use crate::paths;
use crate::snapshot::{NO_ROW, Section, mark, name_of};

impl<'s> Section<'s> {
    /// The section's name: the last of its path.
    pub fn name(&self) -> &'s str {
        shown(self.row, name_of(self.snapshot, self.row.section))
    }

    /// The names of its path, outermost first.
    pub fn path(&self) -> impl Iterator<Item = &'s str> {
        let (snapshot, row) = (self.snapshot, self.row);
        let parent = |section| paths::parent(snapshot.region, snapshot.layout, section);
        let mut length = 0;
        let mut section = row.section;
        while section != 0 {
            length += 1;
            section = parent(section);
        }
        // Links lead upwards, names come downwards: so many sections are kept for each way up.
        let mut kept = [0; 64];
        (0..length).map(move |position: usize| {
            if position.is_multiple_of(kept.len()) {
                let mut section = row.section;
                for at in (position..length).rev() {
                    if let Some(place) = kept.get_mut(at - position) {
                        *place = section;
                    }
                    section = parent(section);
                }
            }
            shown(row, name_of(snapshot, kept[position % kept.len()]))
        })
    }

    /// How many recorded sections it is nested in; 0 at the top.
    pub const fn depth(&self) -> usize {
        self.row.depth as usize
    }

    /// The section it is shown beneath.
    pub fn parent(&self) -> Option<Section<'s>> {
        let parent = self.row.parent;
        (parent != NO_ROW)
            .then(|| Section { snapshot: self.snapshot, row: &self.snapshot.rows[parent as usize] })
    }

    /// Its number in its timer, by which samples name it. Of sections united by
    /// [`flatten`](crate::Snapshot::flatten), the first one's.
    pub const fn number(&self) -> u32 {
        self.row.section
    }

    /// Its category: the one it was last entered with.
    pub fn category(&self) -> &'s str {
        let snapshot = self.snapshot;
        category::text(snapshot.region, snapshot.layout, u32::from(self.row.category))
    }

    /// How often it was exited.
    pub const fn count(&self) -> u64 {
        self.row.count
    }

    /// Its time, in nanoseconds.
    pub const fn total(&self) -> u64 {
        self.row.total
    }

    /// Its time not spent in sections nested in it on the same stack, in nanoseconds; `None` where
    /// that is not kept.
    pub fn exclusive(&self) -> Option<u64> {
        self.snapshot.statistics().has_exclusive().then_some(self.row.exclusive)
    }

    /// The shortest duration in nanoseconds; `None` where it is not kept or there is none yet.
    pub fn min(&self) -> Option<u64> {
        (self.snapshot.statistics().has_min_max() && self.row.count > 0).then_some(self.row.min)
    }

    /// The longest duration in nanoseconds; `None` where it is not kept or there is none yet.
    pub fn max(&self) -> Option<u64> {
        (self.snapshot.statistics().has_min_max() && self.row.count > 0).then_some(self.row.max)
    }

    /// The mean duration in picoseconds; `None` before the first exit.
    ///
    /// Where the shortest and longest are kept it lies between them. These are whole nanoseconds, so
    /// a mean that only their rounding puts outside, by half a nanosecond at most, is the nearer one.
    pub fn mean_picoseconds(&self) -> Option<u128> {
        let count = u128::from(self.row.count);
        if count == 0 {
            return None;
        }
        let sum = self.snapshot.scale.picoseconds(self.row.ticks);
        let mean = sum.saturating_add(count / 2) / count;
        let bound = |nanoseconds: Option<u64>| nanoseconds.map(|time| 1000 * u128::from(time));
        let mean = bound(self.min()).map_or(mean, |min| mean.max(min));
        Some(bound(self.max()).map_or(mean, |max| mean.min(max)))
    }

    /// The sample standard deviation (divisor n-1) in picoseconds; `None` below two durations, and
    /// where squares are not kept or late contexts added to the section.
    pub fn std_picoseconds(&self) -> Option<u128> {
        let row = self.row;
        let known = self.snapshot.statistics().has_squares() && row.marks & mark::LATE == 0;
        if !known || row.count < 2 {
            return None;
        }
        let variance = ScaledVariance::of(row.count, row.ticks, row.squares);
        Some(variance.root_in_picoseconds(self.snapshot.scale))
    }

    /// The sum of squared durations, in ticks of the clock squared.
    pub fn squares_ticks(&self) -> u128 {
        self.row.squares
    }

    /// How many of its entries are open now.
    pub const fn open(&self) -> u32 {
        self.row.open
    }

    /// How long the longest of them has been open, in nanoseconds.
    pub const fn open_time(&self) -> u64 {
        self.row.open_time
    }

    /// Whether a writer was stopped in the middle of entering it anew (after a clear, or with another
    /// category), so that count and times may be one entry apart.
    pub const fn is_busy(&self) -> bool {
        self.row.marks & mark::BUSY != 0
    }

    /// Whether late contexts added to it.
    pub const fn is_late(&self) -> bool {
        self.row.marks & mark::LATE != 0
    }

    /// Whether its mean is so near to the timer's own cost, or to the clock's quantum, that the
    /// numbers say as much of them as of the section (see [`Price::is_near`](crate::Price::is_near)).
    pub fn is_near_price(&self) -> bool {
        self.mean_picoseconds().is_some_and(|mean| self.snapshot.price.is_near(mean))
    }

    /// Whether the sections directly beneath it add up to more than it took: some of them ran on
    /// other stacks, or were recorded. Sections that ran so but add up to less are not told, nor is
    /// one without an exit. By the clock's ticks, since nanoseconds are rounded a section each. A task's
    /// [active time](crate::Task::ACTIVE) is left out: it holds the time of what nested in its turns.
    pub fn is_exceeded(&self) -> bool {
        let rows = &*self.snapshot.rows;
        let mut child = self.row.first_child;
        let mut sum = 0_u64;
        while child != NO_ROW {
            let row = &rows[child as usize];
            if name_of(self.snapshot, row.section) != crate::Task::ACTIVE {
                sum = sum.saturating_add(row.ticks);
            }
            child = row.next_sibling;
        }
        sum > self.row.ticks && self.row.open == 0 && self.row.count > 0
    }
}

/// A variance in ticks squared times 2^shift.
struct ScaledVariance {
    value: u128,
    shift: u32,
}

impl ScaledVariance {
    /// (sum of squares - sum² / n) / (n - 1), the remainder of sum² / n included.
    fn of(count: u64, sum: u64, squares: u128) -> Self {
        let n = u128::from(count);
        let square = u128::from(sum) * u128::from(sum);
        let (quotient, remainder) = (square / n, square % n);
        let spread = squares.saturating_sub(quotient);
        // As many binary digits behind the point as fit, an even number of them for the root.
        let room = spread.leading_zeros().min((remainder.max(1)).leading_zeros());
        let shift = room.saturating_sub(1).min(64) & !1;
        let scaled = (spread << shift).saturating_sub((remainder << shift) / n);
        Self { value: scaled / (n - 1), shift }
    }

    fn root_in_picoseconds(&self, scale: crate::clock::Scale) -> u128 {
        // More digits before the root where the value leaves room: the result has half of them.
        let more = self.value.leading_zeros().saturating_sub(1) & !1;
        let digits = (self.shift + more) / 2;
        let root = (self.value << more).isqrt();
        let whole = (root >> digits) as u64;
        // The fraction of a tick in 20 bits, converted as ticks a million times finer.
        let fraction = if digits >= 20 {
            (root >> (digits - 20)) & 0xf_ffff
        } else {
            (root << (20 - digits)) & 0xf_ffff
        };
        scale.picoseconds(whole) + (scale.picoseconds(fraction as u64) >> 20)
    }
}

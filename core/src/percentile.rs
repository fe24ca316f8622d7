//! A section's histogram, added up over the lanes: buckets, and percentiles in nanoseconds.
//!
//! A snapshot's rows have no room for histograms, so these are read in the lanes when they are asked
//! for, which takes neither memory nor the stack that a whole histogram would. They may know of
//! durations that came after the snapshot; once the timer was cleared they are gone.

use crate::flatten;
use crate::histogram::{self, BUCKETS};
use crate::keeping::histogram_of;
use crate::lane::is_founded;
use crate::late;
use crate::layout::{header, lane as at, slot};
use crate::region::Memory;
use crate::snapshot::{Row, Section, Snapshot};
use crate::sync::{Acquire, CATEGORY_BITS, Relaxed, fence};
use crate::timer::EPOCH;

/// Buckets that are looked through together.
const GROUP: usize = 32;

/// How often a section took how long, by log-linear buckets of ticks (see
/// [`histogram`](crate::histogram)), since the last clear.
///
/// It is read in the timer each time: writers go on.
#[derive(Clone, Copy, Debug)]
pub struct Histogram<'s> {
    snapshot: &'s Snapshot<'s>,
    row: &'s Row,
}

impl<'s> Section<'s> {
    /// Its histogram; `None` where the timer keeps none.
    pub fn histogram(&self) -> Option<Histogram<'s>> {
        let Section { snapshot, row } = *self;
        (snapshot.layout.config.histograms && !snapshot.is_window)
            .then_some(Histogram { snapshot, row })
    }

    /// The duration, in nanoseconds, that a share of its durations don't exceed, in millionths:
    /// 500,000 is the median, 990,000 the 99th percentile. At most 1/32 off, and a nanosecond's
    /// rounding; it lies between the shortest and the longest. `None` where there is no histogram, no
    /// duration yet, or the timer was cleared since the snapshot.
    pub fn percentile(&self, millionths: u32) -> Option<u64> {
        self.percentiles([millionths]).map(|[one]| one)
    }

    /// Several percentiles, in one go through the histogram.
    pub fn percentiles<const N: usize>(&self, millionths: [u32; N]) -> Option<[u64; N]> {
        self.histogram()?.percentiles(millionths)
    }
}

impl Histogram<'_> {
    /// Bucket by bucket: index, and how many durations it holds; those that hold some. `None` where
    /// the timer was cleared since the snapshot.
    ///
    /// Calls `take` for each. Each bucket is read once.
    pub fn for_each(&self, mut take: impl FnMut(usize, u64)) -> Option<()> {
        for group in 0..BUCKETS / GROUP {
            let counts = self.group(group)?;
            for (at, count) in counts.into_iter().enumerate() {
                if count != 0 {
                    take(group * GROUP + at, count);
                }
            }
        }
        Some(())
    }

    fn percentiles<const N: usize>(&self, millionths: [u32; N]) -> Option<[u64; N]> {
        let mut groups = [0_u64; BUCKETS / GROUP];
        self.read(|lane| {
            for (group, sum) in groups.iter_mut().enumerate() {
                for at in 0..GROUP {
                    *sum = sum.saturating_add(bucket(lane, group * GROUP + at));
                }
            }
        })?;
        let count = groups.iter().copied().map(u128::from).sum();
        let mut found = [0; N];
        for (found, share) in found.iter_mut().zip(millionths) {
            *found = self.ranked(&groups, histogram::rank(count, share))?;
        }
        Some(found)
    }

    /// The value of a rank, from 1 on, in nanoseconds.
    fn ranked(&self, groups: &[u64; BUCKETS / GROUP], rank: u128) -> Option<u64> {
        let mut left = rank.checked_sub(1)?;
        for (group, &sum) in groups.iter().enumerate() {
            if left >= u128::from(sum) {
                left -= u128::from(sum);
                continue;
            }
            // Counts only grow, so the rank still lies within this group.
            for (at, count) in self.group(group)?.into_iter().enumerate() {
                if left < u128::from(count) {
                    return Some(self.shown(histogram::middle(group * GROUP + at)));
                }
                left -= u128::from(count);
            }
        }
        None
    }

    /// A bucket's value as the section shows it.
    fn shown(&self, ticks: u64) -> u64 {
        let section = Section { snapshot: self.snapshot, row: self.row };
        let time = self.snapshot.scale.nanoseconds(ticks);
        let time = section.min().map_or(time, |min| time.max(min));
        section.max().map_or(time, |max| time.min(max))
    }

    /// The counts of a group of buckets.
    fn group(&self, group: usize) -> Option<[u64; GROUP]> {
        let mut counts = [0_u64; GROUP];
        self.read(|lane| {
            for (at, sum) in counts.iter_mut().enumerate() {
                *sum = sum.saturating_add(bucket(lane, group * GROUP + at));
            }
        })?;
        Some(counts)
    }

    /// Calls `look` with the histogram of each lane, and of each section that the row stands for.
    /// `None` where the timer was cleared.
    fn read(&self, mut look: impl FnMut(Memory<'_>)) -> Option<()> {
        let snapshot = self.snapshot;
        if !snapshot.flattened {
            self.read_section(self.row.section, &mut look);
        } else {
            for row in flatten::united(snapshot, self.row.section) {
                self.read_section(row, &mut look);
            }
        }
        // Acquire fence: the look at the epoch comes after all buckets, as in `gather`.
        fence(Acquire);
        let epoch = snapshot.region.wide(header::STATE).load_ordered(Relaxed) / EPOCH;
        (epoch == snapshot.epoch).then_some(())
    }

    fn read_section(&self, section: u32, look: &mut impl FnMut(Memory<'_>)) {
        let Snapshot { region, layout, epoch, .. } = *self.snapshot;
        // Acquire pairs with the Release in `claim`.
        let lanes = region.word(header::LANES_USED).load(Acquire).min(layout.config.lanes);
        for index in 0..lanes {
            let lane = region.at(layout.lanes + index as usize * layout.lane_bytes);
            // Acquire: the era that goes with it, see `catch_up`.
            if !is_founded(lane) || lane.wide(at::STATE).load_ordered(Acquire) / EPOCH != epoch {
                continue;
            }
            let slot = lane.at(at::SLOTS + section as usize * layout.slot_bytes);
            // Acquire: pairs with the fence in `lane::begin`, behind which the stamp is written: who
            // sees it sees the histogram forgotten.
            let stamp = slot.word(slot::STAMP).load(Acquire);
            let era = lane.word(at::ERA).load(Relaxed); // Relaxed: as above
            if stamp >> CATEGORY_BITS == era >> CATEGORY_BITS {
                look(histogram_of(lane, layout, section));
            }
        }
        if let Some(histogram) = late::histogram(region, layout, epoch, section) {
            look(histogram);
        }
    }
}

/// How many durations a bucket of a lane holds.
fn bucket(histogram: Memory<'_>, index: usize) -> u64 {
    histogram.wide(8 * index).load_ordered(Relaxed) // Relaxed: a counter
}

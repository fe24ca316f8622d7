//! Every duration, one by one: a ring in each lane, written by its owner, read by anyone.
//!
//! A place holds the start, and section and duration in one word: 20 and 44 bits. A duration that
//! doesn't fit fills its bits, and stands whole in the place behind, which names no section.
//!
//! HEAD counts the places that are filled, and moves behind each. A reader looks at it again after
//! each place: the owner may be writing the one that HEAD is at, which lies where the one a ring's
//! length before it was, and so on back. What was overwritten meanwhile is left out, and counted as
//! dropped with all that is not there: the slots know how many durations there were.

use crate::clock::Clock;
use crate::context::{INDEX_MASK, Path};
use crate::error::Error;
use crate::lane::{self, Reading, birth_of, is_founded, slot_of};
use crate::late;
use crate::layout::{Layout, header, lane as at, ring, slot};
use crate::paths;
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Acquire, CATEGORY_BITS, Relaxed, Release, attempts, fence, give_way};
use crate::timer::{EPOCH, Timer};

/// Bits of a duration beside its section.
const DURATION_BITS: u32 = 44;
/// In place of a duration that stands in the next place.
const LONG: u64 = (1 << DURATION_BITS) - 1;
/// How often samples are read because the timer was cleared meanwhile, or a section begun anew.
const ATTEMPTS: u32 = attempts(16);

/// Adds a sample to a lane's ring. Only the lane's owner calls this, and no handler in the middle of
/// it.
#[inline(always)]
pub(crate) fn push(ring: Memory<'_>, layout: &Layout, section: u32, start: u64, duration: u64) {
    let head = ring.wide(ring::HEAD).load();
    if layout.keeps_oldest() {
        let used = head.wrapping_sub(ring.wide(ring::BEGIN).load());
        if used >= u64::from(layout.config.samples_per_lane) {
            return;
        }
    }
    let first = u64::from(section) << DURATION_BITS;
    if duration < LONG {
        fill(ring, layout, head, start, first | duration);
    } else {
        push_long(ring, layout, head, (start, first | LONG), duration);
    }
}

#[cold]
#[inline(never)]
fn push_long(ring: Memory<'_>, layout: &Layout, head: u64, first: (u64, u64), duration: u64) {
    if layout.keeps_oldest() {
        let used = head.wrapping_sub(ring.wide(ring::BEGIN).load());
        if used + 1 == u64::from(layout.config.samples_per_lane) {
            // The last place is too small, and is used up: a later sample must not be kept instead.
            return fill(ring, layout, head, 0, 0);
        }
    }
    fill(ring, layout, head, first.0, first.1);
    fill(ring, layout, head.wrapping_add(1), duration, 0);
}

/// Writes the place that HEAD is at and moves HEAD.
#[inline(always)]
fn fill(ring: Memory<'_>, layout: &Layout, head: u64, start: u64, word: u64) {
    let cursor = ring.word(ring::CURSOR).load(Relaxed); // Relaxed: own, as below
    let place = ring.at(ring::PLACES + cursor as usize);
    // Release pairs with the last fence in `scan`: who sees what follows sees the HEAD before it.
    fence(Release);
    place.wide(0).store(start);
    place.wide(8).store(word);
    let next = cursor + ring::BYTES as u32;
    let next = if next == layout.places * ring::BYTES as u32 { 0 } else { next };
    ring.word(ring::CURSOR).store(next, Relaxed);
    // Release pairs with the Acquire in `scan`: the place is filled.
    ring.wide(ring::HEAD).store_ordered(head.wrapping_add(1), Release);
}

/// Forgets all samples: what follows is of another epoch. Owner only, between the fence and the store
/// of STATE in `catch_up`.
pub(crate) fn begin(ring: Memory<'_>) {
    ring.wide(ring::BEGIN).store(ring.wide(ring::HEAD).load());
}

/// Brings the next place in line with HEAD, where the owner was stopped for ever while it moved both.
#[cfg(feature = "std")]
#[allow(dead_code)] // only a fork asks for it, and not everything is built with one
pub(crate) fn align(ring: Memory<'_>, layout: &Layout) {
    let place = ring.wide(ring::HEAD).load() % u64::from(layout.places);
    ring.word(ring::CURSOR).store(place as u32 * ring::BYTES as u32, Relaxed); // Relaxed: no owner
}

/// Gives section, start and duration of each sample in the ring, oldest first, but of those that are
/// overwritten meanwhile.
pub(crate) fn scan(ring: Memory<'_>, layout: &Layout, mut found: impl FnMut(u32, u64, u64)) {
    // Acquire pairs with the Release in `fill`.
    let head = ring.wide(ring::HEAD).load_ordered(Acquire);
    let used = head.wrapping_sub(ring.wide(ring::BEGIN).load());
    let (most, places) = (u64::from(layout.config.samples_per_lane), u64::from(layout.places));
    let place = |at: u64| {
        let place = ring.at(ring::PLACES + (at % places) as usize * ring::BYTES);
        (place.wide(0).load(), place.wide(8).load())
    };
    let mut at = head.saturating_sub(used.min(most));
    while at < head {
        let (start, word) = place(at);
        let (section, mut duration) = ((word >> DURATION_BITS) as u32, word & LONG);
        let mut next = at + 1;
        if duration == LONG {
            if next == head {
                return; // the rest was not written yet
            }
            duration = place(next).0;
            next += 1;
        }
        // Acquire pairs with the fence in `fill`: had we seen any of a later lap, we see its HEAD.
        fence(Acquire);
        let now = ring.wide(ring::HEAD).load_ordered(Relaxed);
        // Halves of a word that carries may be seen apart, and then `now` is too small.
        if now < head || at + places <= now {
            at = (at + 1).max(now.saturating_sub(most));
            continue;
        }
        if section != 0 {
            found(section, start, duration);
        }
        at = next;
    }
}

/// One measured duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When it began, in nanoseconds of the timer's clock, which may begin anywhere and comes round
    /// after 2^width ticks. A duration that was recorded began by its length before that.
    pub start: u64,
    /// How long it took, in nanoseconds.
    pub duration: u64,
    /// The section's number in its timer, see [`Section::number`](crate::Section::number).
    pub section: u32,
    /// The lane that it was measured in: a thread's, at one time.
    pub lane: u32,
}

/// Samples that were read, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Samples<'b> {
    /// By start; those that started at once by lane and duration.
    pub kept: &'b [Sample],
    /// How many durations more there are whose samples are not kept: because the ring was full, by a
    /// context without a lane, by a handler that interrupted an exit, or while they were read. Those
    /// kept and these are all that were measured since the last clear; but those of a lane whose
    /// owner was stopped while it began a section anew
    /// ([`Section::is_busy`](crate::Section::is_busy)) are not known.
    pub dropped: u64,
}

/// Samples as they are found in the lanes, in the caller's memory.
struct Found<'b> {
    buffer: &'b mut [Sample],
    kept: usize,
    counted: u64,
    /// A slot's count is not known.
    is_busy: bool,
}

impl<S: Shape, C: Clock> Timer<S, C> {
    /// The samples of the section at a path of names, outermost first. A path that was never timed
    /// has none, and so has a timer that keeps none.
    ///
    /// Into the caller's memory, while writers go on: no allocation, no lock, from anywhere. As many
    /// as [`samples_bound`](Self::samples_bound) says always fit.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use xtimer_core::{Config, ManualClock, Sample, Timer};
    ///
    /// let config = Config { samples_per_lane: 100, ..Config::HOST };
    /// let clock = ManualClock::new(64);
    /// let timer = Timer::with_clock(config, &clock).unwrap();
    /// let context = timer.context().unwrap();
    /// for duration in [5, 3] {
    ///     let token = context.enter("load", "io").unwrap();
    ///     clock.advance(duration);
    ///     context.exit(token).unwrap();
    /// }
    /// let mut memory = vec![Sample::default(); timer.samples_bound()];
    /// let samples = timer.samples(&["load"], &mut memory).unwrap();
    /// let times: Vec<_> = samples.kept.iter().map(|sample| (sample.start, sample.duration)).collect();
    /// assert_eq!((times, samples.dropped), (vec![(0, 5), (5, 3)], 0));
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::TooSmall`] when they don't fit; [`Error::Busy`] when the timer is being cleared again
    /// and again.
    pub fn samples<'b>(
        &self,
        path: &[&str],
        buffer: &'b mut [Sample],
    ) -> Result<Samples<'b>, Error> {
        match self.find_path(path) {
            Some(path) => self.samples_of(path, buffer),
            None => Ok(Samples::default()),
        }
    }

    /// As [`samples`](Self::samples), of a path.
    ///
    /// # Errors
    /// As [`samples`](Self::samples), and [`Error::OtherTimer`].
    pub fn samples_of<'b>(
        &self,
        path: Path,
        buffer: &'b mut [Sample],
    ) -> Result<Samples<'b>, Error> {
        let named = paths::used(self.ready(), &self.layout);
        if path.owner != self.serial() || path.section > named {
            return Err(Error::OtherTimer);
        }
        self.read_samples(path.section, path.section, buffer)
    }

    /// As [`samples`](Self::samples), of all sections that have a path, together by start.
    ///
    /// # Errors
    /// As [`samples`](Self::samples).
    pub fn all_samples<'b>(&self, buffer: &'b mut [Sample]) -> Result<Samples<'b>, Error> {
        self.read_samples(1, paths::used(self.ready(), &self.layout), buffer)
    }

    /// How many samples there can be in the lanes that were used so far.
    pub fn samples_bound(&self) -> usize {
        // Acquire pairs with the Release in `claim`.
        let lanes = self.ready().word(header::LANES_USED).load(Acquire);
        let lanes = lanes.min(self.layout.config.lanes) as usize;
        lanes * self.layout.config.samples_per_lane as usize
    }

    /// The samples of the sections from `first` to `last`.
    fn read_samples<'b>(
        &self,
        first: u32,
        last: u32,
        buffer: &'b mut [Sample],
    ) -> Result<Samples<'b>, Error> {
        let region = self.ready();
        if self.layout.places == 0 || first == 0 {
            return Ok(Samples::default());
        }
        for attempt in 1..=ATTEMPTS {
            // Acquire: what follows is read after the epoch.
            let epoch = region.wide(header::STATE).load_ordered(Acquire) / EPOCH;
            let mut found = Found { buffer: &mut *buffer, kept: 0, counted: 0, is_busy: false };
            self.find_samples(region, (first, last), epoch, &mut found);
            let Found { kept, counted, is_busy, .. } = found;
            // Acquire fence: the second look at the epoch comes after all samples, as in `gather`.
            fence(Acquire);
            if region.wide(header::STATE).load_ordered(Relaxed) / EPOCH != epoch
                || (is_busy && attempt < ATTEMPTS)
            {
                give_way();
                continue;
            }
            let kept = buffer.get_mut(..kept).ok_or(Error::TooSmall)?;
            self.order(kept);
            // A duration's count is read behind its sample, so there are at least as many.
            let dropped = counted.saturating_sub(kept.len() as u64);
            return Ok(Samples { kept, dropped });
        }
        Err(Error::Busy)
    }

    /// Looks through all lanes that have caught up with the epoch.
    fn find_samples(
        &self,
        region: Memory<'_>,
        (first, last): (u32, u32),
        epoch: u64,
        found: &mut Found<'_>,
    ) {
        let layout = &self.layout;
        // Acquire pairs with the Release in `claim`.
        let lanes = region.word(header::LANES_USED).load(Acquire).min(layout.config.lanes);
        for index in 0..lanes {
            let lane = self.lane_memory(index);
            // Acquire: the era that goes with it, and where its samples begin, see `catch_up`.
            if !is_founded(lane) || lane.wide(at::STATE).load_ordered(Acquire) / EPOCH != epoch {
                continue;
            }
            let era = lane.word(at::ERA).load(Relaxed) >> CATEGORY_BITS; // Relaxed: as above
            scan(lane.at(layout.ring), layout, |section, start, duration| {
                if (first..=last).contains(&section) {
                    found.add(Sample { start, duration, section, lane: index });
                }
            });
            for section in first..=last {
                let slot = slot_of::<S>(lane, section);
                // Relaxed: a look.
                if slot.word(slot::STAMP).load(Relaxed) >> CATEGORY_BITS == era {
                    let birth = birth_of(lane, layout, section);
                    let owner = Some((lane, section));
                    let pause = |_| core::hint::spin_loop();
                    let reading = lane::read(slot, birth, S::STATISTICS, owner, pause);
                    if reading.stamp >> CATEGORY_BITS == era {
                        found.count(&reading);
                    }
                }
            }
        }
        // Relaxed: a late context not seen here began after this look.
        if layout.config.late != 0 && region.word(header::LATE_CONTEXTS).load(Relaxed) != 0 {
            for section in first..=last {
                let pause = |_| core::hint::spin_loop();
                if let Some(reading) = late::read(region, layout, epoch, section, pause) {
                    found.count(&reading);
                }
            }
        }
    }

    /// Puts samples in order, and their times in nanoseconds.
    fn order(&self, samples: &mut [Sample]) {
        let (scale, now, width) = (self.clock.scale(), self.clock.now(), self.clock.width());
        // A clock that comes round tells the order by how long ago it was.
        let unused = 64 - width.clamp(1, 64);
        let origin = if unused == 0 { 0 } else { now.wrapping_add(1) };
        samples.sort_unstable_by_key(|sample| {
            (sample.start.wrapping_sub(origin) << unused, sample.lane, sample.duration)
        });
        for sample in samples {
            sample.start = scale.nanoseconds(sample.start);
            sample.duration = scale.nanoseconds(sample.duration);
        }
    }

    /// The start that a duration of `ticks` which ends now would have.
    pub(crate) fn start_before(&self, ticks: u64) -> u64 {
        self.clock.now().saturating_sub(ticks)
    }
}

impl Found<'_> {
    fn add(&mut self, sample: Sample) {
        if let Some(place) = self.buffer.get_mut(self.kept) {
            *place = sample;
        }
        self.kept += 1;
    }

    fn count(&mut self, reading: &Reading) {
        self.is_busy |= reading.busy;
        let count = if reading.busy { 0 } else { reading.count };
        self.counted = self.counted.saturating_add(count);
    }
}

impl Sample {
    /// The path of its section, for a timer that it was read from.
    pub fn path<S: Shape, C: Clock>(&self, timer: &Timer<S, C>) -> Path {
        Path { owner: timer.serial(), section: self.section & INDEX_MASK }
    }
}

#[cfg(all(test, feature = "std", not(loom)))]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use crate::config::Config;

    /// In the child of a fork a lane may stand as its thread left it in the middle of `fill`.
    #[test]
    fn a_ring_that_was_left_half_way_is_in_line_after_a_fork() {
        let clock = ManualClock::new(64);
        let config = Config { samples_per_lane: 3, ..Config::SMALL };
        let timer = Timer::with_clock(config, &clock).unwrap();
        let take = |duration| {
            let context = timer.context().unwrap();
            let token = context.enter("work", "io").unwrap();
            clock.advance(duration);
            context.exit(token).unwrap();
        };
        take(1);
        let cursor = timer.lane_memory(0).at(timer.layout.ring).word(ring::CURSOR);
        assert_eq!(cursor.load(Relaxed), 16);
        cursor.store(32, Relaxed);
        timer.start_clean(None);
        assert_eq!(cursor.load(Relaxed), 16);
        for duration in 2..=7 {
            take(duration);
        }
        let mut buffer = [Sample::default(); 6];
        let samples = timer.samples(&["work"], &mut buffer).unwrap();
        let durations: Vec<_> = samples.kept.iter().map(|sample| sample.duration).collect();
        assert_eq!((durations, samples.dropped), (vec![5, 6, 7], 3));
    }
}

//! Lanes to rows: everything that was recorded since the last clear, added up while writers go on.

use crate::clock::{Clock, Elapsed, elapsed};
use crate::context::INDEX_MASK;
use crate::error::Error;
use crate::lane::{self, ERA, Reading, birth_of, is_founded, slot_of};
use crate::late;
use crate::layout::{frame, header, lane as at, loss, slot};
use crate::paths;
use crate::region::Memory;
use crate::shape::Shape;
use crate::snapshot::{Losses, Row, mark};
use crate::sync::{Acquire, CATEGORY_BITS, Relaxed, attempts, fence, give_way};
use crate::timer::{EPOCH, Timer};

/// How often a snapshot begins again because the timer was cleared meanwhile.
const CLEAR_ATTEMPTS: u32 = attempts(16);

impl<S: Shape, C: Clock> Timer<S, C> {
    /// Fills the rows with what was recorded in one epoch: the last one, or the one before a clear
    /// that comes meanwhile. Gives that epoch.
    ///
    /// # Errors
    /// [`Error::Busy`] when the timer is being cleared again and again.
    pub(crate) fn gather(&self, region: Memory<'_>, rows: &mut [Row]) -> Result<u64, Error> {
        for _ in 0..CLEAR_ATTEMPTS {
            // Acquire: what follows is read after the epoch.
            let before = region.wide(header::STATE).load_ordered(Acquire) / EPOCH;
            self.gather_epoch(region, rows, before);
            // Acquire fence: the second look at the epoch comes after all slots.
            fence(Acquire);
            if region.wide(header::STATE).load_ordered(Relaxed) / EPOCH == before {
                return Ok(before);
            }
        }
        Err(Error::Busy)
    }

    /// Adds up all lanes that have caught up with the epoch.
    fn gather_epoch(&self, region: Memory<'_>, rows: &mut [Row], epoch: u64) {
        let layout = &self.layout;
        let slots = layout.config.slots() as u32;
        for (row, section) in rows.iter_mut().zip(0..slots) {
            *row = Row { section, min: u64::MAX, ticket: u64::MAX, ..Row::default() };
        }
        let named = paths::used(region, layout);
        let lost = 1 + layout.config.sections..slots;
        let mut patience = Patience::default();
        // Acquire pairs with the Release in `claim`.
        let lanes = region.word(header::LANES_USED).load(Acquire).min(layout.config.lanes);
        for index in 0..lanes {
            let lane = self.lane_memory(index);
            // Acquire: the era that goes with it, see `catch_up`.
            if !is_founded(lane) || lane.wide(at::STATE).load_ordered(Acquire) / EPOCH != epoch {
                continue;
            }
            let era = lane.word(at::ERA).load(Relaxed) / ERA; // Relaxed: as above
            for section in (1..=named).chain(lost.clone()) {
                let slot = slot_of::<S>(lane, section);
                let birth = birth_of(lane, layout, section);
                let stamp = slot.word(slot::STAMP).load(Relaxed); // Relaxed: a look
                if stamp >> CATEGORY_BITS != era {
                    continue;
                }
                let pause = |attempt| patience.pause(attempt);
                let owner = Some((lane, section));
                let reading = lane::read(slot, birth, S::STATISTICS, owner, pause);
                if reading.stamp >> CATEGORY_BITS == era {
                    rows[section as usize].merge(&reading, 0);
                }
            }
            self.gather_open(lane, rows, era);
        }
        // Relaxed: a late context not seen here began after this look.
        if layout.config.late != 0 && region.word(header::LATE_CONTEXTS).load(Relaxed) != 0 {
            for section in (1..=named).chain(lost) {
                let pause = |attempt| patience.pause(attempt);
                if let Some(reading) = late::read(region, layout, epoch, section, pause) {
                    rows[section as usize].merge(&reading, mark::LATE);
                }
            }
        }
        for section in 1..=named {
            let (category, changed) = paths::change(region, layout, section);
            let row = &mut rows[section as usize];
            row.category = category as u16;
            row.changed = changed;
        }
    }

    /// Which sections are open in a lane, and for how long.
    pub(crate) fn gather_open(&self, lane: Memory<'_>, rows: &mut [Row], era: u32) {
        let frames = lane.word(at::FRAMES).load(Relaxed); // Relaxed: written once, before STATE
        let limit = lane.word(at::LIMIT).load(Relaxed); // Relaxed: as above
        let mut position = frames + frame::BYTES as u32;
        while position <= limit {
            let frame = lane.at(position as usize);
            // Acquire: if this is the token of a frame being pushed, the pop before it is seen below.
            let token = frame.wide(frame::TOKEN).load_ordered(Acquire);
            // Acquire pairs with the Release that closed the push.
            if position > lane.word(at::TOP).load(Acquire) {
                break;
            }
            let start = frame.wide(frame::START).load();
            let node = frame.word(frame::NODE).load(Relaxed); // Relaxed: checked by the token
            let category = frame.word(frame::CATEGORY).load(Relaxed); // Relaxed: as above
            // Acquire fence: had we seen any of a later push, we see its token.
            fence(Acquire);
            position += frame::BYTES as u32;
            let section = (node & INDEX_MASK) as usize;
            if frame.wide(frame::TOKEN).load() != token
                || category >> 31 != 0
                || section >= rows.len()
            {
                continue;
            }
            let stamp = slot_of::<S>(lane, section as u32).word(slot::STAMP);
            // Relaxed: a section open at a clear has a slot of an earlier era.
            if stamp.load(Relaxed) >> CATEGORY_BITS != era {
                continue;
            }
            let row = &mut rows[section];
            row.open += 1;
            if let Elapsed::Forward(ticks) = elapsed(start, self.clock.now(), self.clock.width()) {
                row.open_time = row.open_time.max(ticks);
            }
        }
    }

    pub(crate) fn losses(&self, region: Memory<'_>) -> Losses {
        let mut sums = [0_u64; loss::COUNT];
        let epoch = region.wide(header::STATE).load() / EPOCH;
        // Acquire pairs with the Release in `claim`.
        let lanes = region.word(header::LANES_USED).load(Acquire).min(self.layout.config.lanes);
        for (counter, sum) in sums.iter_mut().enumerate() {
            for index in 0..lanes {
                let lane = self.lane_memory(index);
                if lane.wide(at::STATE).load_ordered(Acquire) / EPOCH == epoch {
                    *sum = sum.saturating_add(lane.wide(at::LOSSES + 8 * counter).load());
                }
            }
            *sum = sum.saturating_add(region.wide(header::LATE_LOSSES + 8 * counter).load());
        }
        // Relaxed: counters.
        let word = |offset| u64::from(region.word(offset).load(Relaxed));
        Losses {
            unclosed: sums[loss::UNCLOSED],
            too_deep: sums[loss::TOO_DEEP],
            refused: sums[loss::REFUSED],
            not_open: sums[loss::NOT_OPEN],
            steps_back: sums[loss::STEPS_BACK],
            base_name: sums[loss::BASE_NAME],
            no_slot: sums[loss::NO_SLOT],
            interrupted: sums[loss::INTERRUPTED],
            categories: word(header::LOST_CATEGORIES),
            late_contexts: word(header::LATE_CONTEXTS),
        }
    }
}

impl Row {
    fn merge(&mut self, reading: &Reading, marks: u16) {
        self.marks |= mark::RECORDED | marks;
        if reading.busy {
            self.marks |= mark::BUSY;
        }
        self.count = self.count.saturating_add(reading.count);
        self.ticks = self.ticks.saturating_add(reading.total);
        self.exclusive = self.exclusive.saturating_add(reading.exclusive);
        self.squares = self.squares.saturating_add(reading.squares);
        if reading.count > 0 {
            self.min = self.min.min(reading.min);
            self.max = self.max.max(reading.max);
        }
        self.ticket = self.ticket.min(reading.ticket);
    }
}

/// Waits for a writer that is in the middle: a moment each time, then a few times of the
/// processor's, where the system can give it to the writer.
#[derive(Default)]
struct Patience {
    yields: u32,
}

impl Patience {
    fn pause(&mut self, attempt: u32) {
        core::hint::spin_loop();
        if attempt % 8 == 7 && self.yields < 4 {
            self.yields += 1;
            give_way();
        }
    }
}

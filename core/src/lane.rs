//! The statistics of one writer: a slot for each section, written in place, read by anyone.
//!
//! `count` opens a write and `sequence` closes it with the low half of the same number. The count
//! grows for ever; a *birth* beside the slots notes what it was when the slot last began anew, and
//! the ticket of that first entry.

use crate::context::INDEX_MASK;
use crate::layout::{BIRTH_BYTES, Layout, journal, lane, slot};
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Acquire, CATEGORY_BITS, Relaxed, Release, attempts, compiler_fence, fence};

/// Bits of an era that a stamp holds.
pub(crate) const ERA_BITS: u32 = 32 - CATEGORY_BITS;
/// One era in a stamp.
pub(crate) const ERA: u32 = 1 << CATEGORY_BITS;

/// How often a reader looks again at a slot whose writer is at work.
const READ_ATTEMPTS: u32 = attempts(100);

/// The slot of a section in a lane.
#[inline(always)]
pub(crate) fn slot_of<S: Shape>(lane: Memory<'_>, index: u32) -> Memory<'_> {
    lane.at(lane::SLOTS + index as usize * S::SLOT_BYTES)
}

/// The birth of a section's slot in a lane.
pub(crate) fn birth_of<'m>(lane: Memory<'m>, layout: &Layout, index: u32) -> Memory<'m> {
    lane.at(layout.births + index as usize * BIRTH_BYTES)
}

/// Whether the lane's words are in place: one that was just claimed for the first time looks like one
/// that has caught up with epoch 0, in era 0.
pub(crate) fn is_founded(lane: Memory<'_>) -> bool {
    // Acquire pairs with the Release in `Timer::found`.
    lane.word(lane::TOP).load(Acquire) != 0
}

/// Whether the lane keeps nothing but statistics, and no add of its owner's was interrupted.
#[inline(always)]
pub(crate) fn is_plain(lane: Memory<'_>) -> bool {
    lane.word(lane::JOURNAL + journal::SECTION).load(Relaxed) == 0 // Relaxed: the owner's own
}

/// Whether a handler may change the slot, where the journal of its lane says so much of what it
/// interrupted: not the slot that is being changed there, nor any where it interrupted a handler that
/// had interrupted another change, of which the journal does not tell.
pub(crate) const fn may_change(index: u32, interrupted: u32) -> bool {
    interrupted & !journal::REWRITING != index
        && interrupted & journal::WITHIN == 0
        && interrupted != journal::HELD
}

/// Adds in a handler that interrupted the same lane's owner in the middle of a change of another
/// slot, and leaves the journal as it was.
pub(crate) fn write_within<S: Shape>(
    lane: Memory<'_>,
    index: u32,
    elapsed: u64,
    children: u64,
    interrupted: u32,
    more: impl FnOnce(),
) {
    let note = lane.at(lane::JOURNAL);
    let kept = journal::WORDS.map(|at| note.wide(at).load());
    let count = note.word(journal::INTERRUPTED);
    // Relaxed: own; the fence in `write` shows it to whoever sees the journal change.
    count.store(count.load(Relaxed).wrapping_add(1), Relaxed);
    // A handler that interrupts this one after its add finds that the words are not its own yet.
    write::<S>(lane, index | journal::WITHIN, elapsed, children, journal::HELD, more);
    // Release pairs with the last fence in `finish`: who sees a word put back sees that none is at work.
    fence(Release);
    for (at, word) in journal::WORDS.into_iter().zip(kept) {
        note.wide(at).store(word);
    }
    // Release pairs with the Acquire in `finish`: the words are in place.
    note.word(journal::SECTION).store(interrupted, Release);
}

/// Adds one duration, and does `more`. Only the lane's owner calls this; `section` is the slot's
/// index, `idle` what its journal said.
///
/// What the slot is about to hold goes into the lane's journal first, so that a reader never has to
/// wait for an owner that was stopped in the middle.
#[inline(always)]
pub(crate) fn write<S: Shape>(
    lane: Memory<'_>,
    section: u32,
    elapsed: u64,
    children: u64,
    idle: u32,
    more: impl FnOnce(),
) {
    let slot = slot_of::<S>(lane, section & INDEX_MASK);
    let note = lane.at(lane::JOURNAL);
    // Release pairs with the Acquire in `finish`: who sees the section sees what was written before
    // closed.
    note.word(journal::SECTION).store(section, Release);
    // Release pairs with the last fence in `finish`: who sees any of what follows sees the section.
    fence(Release);
    // From here on a handler leaves the slot alone, so what is read now stays true.
    compiler_fence();
    let before = slot.wide(slot::TOTAL).load();
    // A total stops at the largest number, and takes no more than fits; so the sum of squares, which
    // never exceeds the total's square, fits as well.
    let total = before.saturating_add(elapsed);
    let elapsed = total - before;
    note.wide(journal::TOTAL).store(total);
    let (mut min, mut max) = (0, 0);
    if S::STATISTICS.has_min_max() {
        min = slot.wide(slot::MIN).load().min(elapsed);
        max = slot.wide(slot::MAX).load().max(elapsed);
        note.wide(journal::MIN).store(min);
        note.wide(journal::MAX).store(max);
    }
    let mut exclusive = 0;
    if S::STATISTICS.has_exclusive() {
        let own = elapsed.saturating_sub(children);
        exclusive = slot.wide(slot::EXCLUSIVE).load().wrapping_add(own);
        note.wide(journal::EXCLUSIVE).store(exclusive);
    }
    let mut sum = 0;
    if S::STATISTICS.has_squares() {
        let square = u128::from(elapsed) * u128::from(elapsed);
        sum = squares(slot).wrapping_add(square);
        note.wide(journal::SQUARES_LOW).store(sum as u64);
        note.wide(journal::SQUARES_HIGH).store((sum >> 64) as u64);
    }
    let count = slot.wide(slot::COUNT).load().wrapping_add(1);
    note.wide(journal::COUNT).store(count);
    // Who sees the count move sees the journal, see `finish`; who sees what follows sees the count
    // move, see `read`.
    slot.wide(slot::COUNT).open(count);
    slot.wide(slot::TOTAL).store(total);
    if S::STATISTICS.has_min_max() {
        slot.wide(slot::MIN).store(min);
        slot.wide(slot::MAX).store(max);
    }
    if S::STATISTICS.has_exclusive() {
        slot.wide(slot::EXCLUSIVE).store(exclusive);
    }
    if S::STATISTICS.has_squares() {
        slot.wide(slot::SQUARES_LOW).store(sum as u64);
        slot.wide(slot::SQUARES_HIGH).store((sum >> 64) as u64);
    }
    // Release pairs with the reader's Acquire in `read`: the data is in place.
    slot.word(slot::SEQUENCE).store(count as u32, Release);
    more();
    // Release: who sees the journal empty sees the slot closed.
    note.word(journal::SECTION).store(idle, Release);
}

/// Has `change` rewrite a slot, and keeps handlers away from it meanwhile. False, and nothing
/// changed, in a handler that must keep away itself. Owner only.
pub(crate) fn rewriting(lane: Memory<'_>, index: u32, change: impl FnOnce()) -> bool {
    let section = lane.word(lane::JOURNAL + journal::SECTION);
    let before = section.load(Relaxed); // Relaxed: the owner's own
    let within = match before {
        0 | journal::KEEPING => 0,
        interrupted if may_change(index, interrupted) => journal::WITHIN,
        _ => return false,
    };
    // Release: as in `write`. Who sees the slot open sees this, so nobody finishes it by the words.
    section.store(index | journal::REWRITING | within, Release);
    compiler_fence();
    change();
    section.store(before, Release); // Release: as in `write`
    true
}

/// Puts right what an owner left behind that ended in the middle of a call.
pub(crate) fn mend<S: Shape>(lane: Memory<'_>, layout: &Layout) {
    let note = lane.at(lane::JOURNAL);
    let section = note.word(journal::SECTION);
    let index = section.load(Relaxed); // Relaxed: the new owner's own, as all here
    if index == layout.idle() {
        return;
    }
    let is_open = |slot: Memory<'_>| {
        slot.wide(slot::COUNT).load() as u32 != slot.word(slot::SEQUENCE).load(Relaxed)
    };
    let slots = layout.config.slots() as u32;
    if (1..slots).contains(&index) && is_open(slot_of::<S>(lane, index)) {
        let slot = slot_of::<S>(lane, index);
        for (to, from, has) in [
            (slot::TOTAL, journal::TOTAL, true),
            (slot::MIN, journal::MIN, S::STATISTICS.has_min_max()),
            (slot::MAX, journal::MAX, S::STATISTICS.has_min_max()),
            (slot::EXCLUSIVE, journal::EXCLUSIVE, S::STATISTICS.has_exclusive()),
            (slot::SQUARES_LOW, journal::SQUARES_LOW, S::STATISTICS.has_squares()),
            (slot::SQUARES_HIGH, journal::SQUARES_HIGH, S::STATISTICS.has_squares()),
            (slot::COUNT, journal::COUNT, true),
        ] {
            if has {
                slot.wide(to).store(note.wide(from).load());
            }
        }
    }
    for slot in (1..slots).map(|index| slot_of::<S>(lane, index)).filter(|slot| is_open(*slot)) {
        // Release: as in `write`.
        slot.word(slot::SEQUENCE).store(slot.wide(slot::COUNT).load() as u32, Release);
    }
    section.store(layout.idle(), Release);
}

#[inline(always)]
fn squares(slot: Memory<'_>) -> u128 {
    let low = slot.wide(slot::SQUARES_LOW).load();
    let high = slot.wide(slot::SQUARES_HIGH).load();
    u128::from(low) | u128::from(high) << 64
}

/// Begins a slot anew under a stamp: no entries yet, first entered with `ticket`. Owner only.
pub(crate) fn begin<S: Shape>(slot: Memory<'_>, birth: Memory<'_>, stamp: u32, ticket: u64) {
    rewrite(slot, |count| {
        slot.wide(slot::TOTAL).store(0);
        if S::STATISTICS.has_min_max() {
            slot.wide(slot::MIN).store(u64::MAX);
            slot.wide(slot::MAX).store(0);
        }
        if S::STATISTICS.has_exclusive() {
            slot.wide(slot::EXCLUSIVE).store(0);
        }
        if S::STATISTICS.has_squares() {
            slot.wide(slot::SQUARES_LOW).store(0);
            slot.wide(slot::SQUARES_HIGH).store(0);
        }
        birth.wide(0).store(count);
        birth.wide(8).store(ticket);
        // Last, so that a reader that comes before passes the slot over. Relaxed: see `rewrite`.
        slot.word(slot::STAMP).store(stamp, Relaxed);
    });
}

/// Changes the stamp (another category) and keeps the numbers. Owner only.
pub(crate) fn restamp(slot: Memory<'_>, birth: Memory<'_>, stamp: u32) {
    rewrite(slot, |_| {
        slot.word(slot::STAMP).store(stamp, Relaxed); // Relaxed: see `rewrite`
        birth.wide(0).store(birth.wide(0).load().wrapping_add(1));
    });
}

/// Opens the slot by one more count that is no entry, changes it, closes it. Within [`rewriting`], so
/// that nobody else finishes this.
fn rewrite(slot: Memory<'_>, change: impl FnOnce(u64)) {
    let count = slot.wide(slot::COUNT).load().wrapping_add(1);
    slot.wide(slot::COUNT).open(count); // as in `add`
    change(count);
    // Release: as in `add`.
    slot.word(slot::SEQUENCE).store(count as u32, Release);
}

/// What a slot held at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) stamp: u32,
    pub(crate) count: u64,
    pub(crate) total: u64,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) exclusive: u64,
    pub(crate) squares: u128,
    pub(crate) ticket: u64,
    /// Its writer was stopped in the middle: the numbers may be one entry apart from each other.
    pub(crate) busy: bool,
}

/// Reads a slot as of one moment, or marks what it read as busy. `has` tells which statistics the
/// slot holds, `owner` the lane of its one writer and its index there.
pub(crate) fn read(
    slot: Memory<'_>,
    birth: Memory<'_>,
    has: crate::config::Statistics,
    owner: Option<(Memory<'_>, u32)>,
    mut pause: impl FnMut(u32),
) -> Reading {
    let mut reading = Reading::default();
    for attempt in 0..READ_ATTEMPTS {
        // Acquire pairs with the Release that closed the write.
        let sequence = slot.word(slot::SEQUENCE).load(Acquire);
        // Relaxed: checked by the sequence.
        reading.stamp = slot.word(slot::STAMP).load(Relaxed);
        reading.total = slot.wide(slot::TOTAL).load();
        if has.has_min_max() {
            reading.min = slot.wide(slot::MIN).load();
            reading.max = slot.wide(slot::MAX).load();
        }
        if has.has_exclusive() {
            reading.exclusive = slot.wide(slot::EXCLUSIVE).load();
        }
        if has.has_squares() {
            reading.squares = squares(slot);
        }
        let born = birth.wide(0).load();
        reading.ticket = birth.wide(8).load();
        // Had we seen any of a later write, we see its count.
        let count = slot.wide(slot::COUNT).look_behind();
        reading.count = count.wrapping_sub(born);
        if count as u32 == sequence {
            return reading;
        }
        if let Some((lane, index)) = owner
            && count as u32 == sequence.wrapping_add(1)
            && finish(&mut reading, (count, born), has, lane, index)
            // Relaxed: behind the fence in `finish`; the slot was open all the while.
            && slot.word(slot::SEQUENCE).load(Relaxed) == sequence
            && slot.wide(slot::COUNT).load() as u32 == count as u32
        {
            return reading;
        }
        pause(attempt);
    }
    reading.busy = true;
    reading
}

/// Finishes in the reading what the slot's owner has begun in the slot, by the lane's journal: the
/// slot's `count` was `born` when it began anew. False where the journal tells of another slot.
fn finish(
    reading: &mut Reading,
    (count, born): (u64, u64),
    has: crate::config::Statistics,
    lane: Memory<'_>,
    index: u32,
) -> bool {
    let note = lane.at(lane::JOURNAL);
    // Acquire pairs with the Release of COUNT in `write`: we see its journal, or a later one.
    fence(Acquire);
    let interrupted = note.word(journal::INTERRUPTED).load(Relaxed); // Relaxed: fences order it
    // Acquire pairs with the Release of the section in `write` and in `write_within`.
    if note.word(journal::SECTION).load(Acquire) & !journal::WITHIN != index {
        return false;
    }
    let counted = note.wide(journal::COUNT).load();
    reading.count = counted.wrapping_sub(born);
    reading.total = note.wide(journal::TOTAL).load();
    if has.has_min_max() {
        reading.min = note.wide(journal::MIN).load();
        reading.max = note.wide(journal::MAX).load();
    }
    if has.has_exclusive() {
        reading.exclusive = note.wide(journal::EXCLUSIVE).load();
    }
    if has.has_squares() {
        let low = note.wide(journal::SQUARES_LOW).load();
        let high = note.wide(journal::SQUARES_HIGH).load();
        reading.squares = u128::from(low) | u128::from(high) << 64;
    }
    // Acquire pairs with the first fence in `write`: had we seen any of another journal, we see its
    // section, or that a handler came in between.
    fence(Acquire);
    // Relaxed: behind the fence, as below.
    note.word(journal::SECTION).load(Relaxed) & !journal::WITHIN == index
        && note.word(journal::INTERRUPTED).load(Relaxed) == interrupted
        && counted as u32 == count as u32
}

#[cfg(all(test, not(loom), feature = "std"))]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use crate::config::Config;
    use crate::timer::Timer;

    /// A thread that dies in the middle of an add leaves its slot open: whoever gets the lane closes it, as
    /// the journal says it was to end, and goes on.
    #[test]
    fn a_new_owner_mends_what_a_dead_one_left() {
        let clock = ManualClock::new(64);
        let timer = Timer::with_clock(Config { lanes: 1, ..Config::HOST }, &clock).unwrap();
        let context = timer.context().unwrap();
        context.record("work", "io", 7).unwrap();
        let (lane, index) = (context.lane.lane, 1);
        let (slot, note) = (slot_of::<crate::Line>(lane, index), lane.at(lane::JOURNAL));
        // As `write` does before it is stopped in the middle of its stores.
        let count = slot.wide(slot::COUNT).load() + 1;
        note.word(journal::SECTION).store(index, Relaxed);
        for (at, value) in [
            (journal::TOTAL, 16),
            (journal::MIN, 7),
            (journal::MAX, 9),
            (journal::EXCLUSIVE, 16),
            (journal::SQUARES_LOW, 49 + 81),
            (journal::SQUARES_HIGH, 0),
            (journal::COUNT, count),
        ] {
            note.wide(at).store(value);
        }
        slot.wide(slot::COUNT).open(count);
        slot.wide(slot::TOTAL).store(16);
        drop(context);
        let context = timer.context().unwrap();
        assert!(!context.is_late());
        assert_eq!(slot.word(slot::SEQUENCE).load(Relaxed), count as u32);
        context.record("work", "io", 8).unwrap();
        let snapshot = timer.snapshot().unwrap();
        let work = snapshot.section(&["work"]).unwrap();
        assert_eq!((work.count(), work.total(), work.is_busy()), (3, 24, false));
        assert_eq!((work.min(), work.max(), work.exclusive()), (Some(7), Some(9), Some(24)));
        assert_eq!(snapshot.losses().interrupted, 0);
    }
}

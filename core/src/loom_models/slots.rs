//! Slot read against write: a reading is of one moment, or marked busy; never torn.
//!
//! The slots here have memory of their own and nothing else. Their count is just below 2^32, so that
//! the next write carries into the upper half.
//!
//! Fails when `Wide::open` has no fence, or stores the upper half before it; when `Wide::look_behind`
//! has none, or takes the upper half behind it; when `sequence` is loaded Relaxed, or stored so by
//! `add` or `rewrite`; when either of them counts only after its changes; when `restamp` doesn't count
//! itself in the birth.

use core::marker::PhantomData;
use std::sync::Arc;

use super::{Counts, explore, race};
use crate::host::memory::Allocation;
use crate::lane::{self, Reading};
use crate::layout::{BIRTH_BYTES, journal, lane as at, slot};
use crate::region::Memory;
use crate::shape::{Kept, Shape};
use crate::sync::Relaxed;

/// Count, total and squares.
type Squares = Kept<4>;
const D: u64 = 3;
/// Of the slot in its lane.
const INDEX: u32 = 1;
/// Entries and rewrites before the model begins.
const BEFORE: u64 = (1 << 32) - 1;
const OLD: u32 = 7;
const NEW: u32 = 9;

/// A slot of a shape, and its birth.
struct Slot<S> {
    allocation: Allocation,
    shape: PhantomData<S>,
}

impl<S: Shape> Slot<S> {
    /// One entry of `D`, counted as number `2^32 - 1`.
    fn with_one_entry() -> Arc<Self> {
        let allocation = Allocation::zeroed(at::SLOTS + 2 * S::SLOT_BYTES + BIRTH_BYTES).unwrap();
        let slot = Self { allocation, shape: PhantomData };
        slot.memory().wide(slot::COUNT).store(BEFORE - 2);
        slot.begin(OLD, 1);
        slot.add();
        Arc::new(slot)
    }

    fn lane(&self) -> Memory<'_> {
        self.allocation.memory()
    }
    fn memory(&self) -> Memory<'_> {
        lane::slot_of::<S>(self.lane(), INDEX)
    }
    fn birth(&self) -> Memory<'_> {
        self.memory().at(S::SLOT_BYTES)
    }
    fn begin(&self, stamp: u32, ticket: u64) {
        let begin = || lane::begin::<S>(self.memory(), self.birth(), stamp, ticket);
        assert!(lane::rewriting(self.lane(), INDEX, begin));
    }
    fn restamp(&self, stamp: u32) {
        let restamp = || lane::restamp(self.memory(), self.birth(), stamp);
        assert!(lane::rewriting(self.lane(), INDEX, restamp));
    }
    fn add(&self) {
        self.add_of(D);
    }
    fn add_of(&self, elapsed: u64) {
        lane::write::<S>(self.lane(), INDEX, elapsed, 0, 0, || ());
    }

    /// Reads it and checks what holds of every reading; `None` where it is busy.
    fn read(&self) -> Option<Reading> {
        let reading = lane::read(
            self.memory(),
            self.birth(),
            S::STATISTICS,
            Some((self.lane(), INDEX)),
            |_| (),
        );
        if reading.busy {
            return None;
        }
        assert_eq!(reading.total, D * reading.count, "{reading:?}");
        if S::STATISTICS.has_squares() {
            assert_eq!(reading.squares, u128::from(D * D * reading.count), "{reading:?}");
        }
        Some(reading)
    }
}

/// A reader while a duration is added: in each reading total = 3·count and squares = 9·count. At
/// most 2 preemptions.
#[test]
fn a_reading_is_whole_while_a_duration_is_added() {
    explore(Some(2), || {
        let slot = Slot::<Squares>::with_one_entry();
        let [one, two] = [0; 2].map(|_| Arc::clone(&slot));
        let reader = move || {
            let Some(reading) = two.read() else { return };
            assert!((1..=2).contains(&reading.count) && reading.stamp == OLD, "{reading:?}");
        };
        race(move || one.add(), reader);
        assert_eq!(slot.read().unwrap().count, 2);
        assert_eq!(slot.memory().wide(slot::COUNT).load(), BEFORE + 1);
    });
}

/// A reader that looks twice while two durations are added: as above, without squares, and the count
/// never goes back. At most 1 preemption.
#[test]
fn readings_never_go_back() {
    explore(Some(1), || {
        let slot = Slot::<Counts>::with_one_entry();
        let [one, two] = [0; 2].map(|_| Arc::clone(&slot));
        let writer = move || {
            one.add();
            one.add();
        };
        let reader = move || {
            let readings = [two.read(), two.read()];
            let [Some(first), Some(second)] = readings else { return };
            assert!(1 <= first.count && first.count <= second.count, "{readings:?}");
            assert!(second.count <= 3, "{readings:?}");
        };
        race(writer, reader);
        assert_eq!(slot.read().unwrap().count, 3);
    });
}

/// A reader while the slot is begun anew: all old, or all new. At most 2 preemptions.
#[test]
fn a_reading_is_old_or_new_while_a_slot_begins_anew() {
    explore(Some(2), || {
        let slot = Slot::<Counts>::with_one_entry();
        let [one, two] = [0; 2].map(|_| Arc::clone(&slot));
        let reader = move || {
            let Some(reading) = two.read() else { return };
            let numbers = (reading.stamp, reading.count, reading.ticket);
            assert!([(OLD, 1, 1), (NEW, 0, 2)].contains(&numbers), "{reading:?}");
        };
        race(move || one.begin(NEW, 2), reader);
        let last = slot.read().unwrap();
        assert_eq!((last.stamp, last.count, last.ticket), (NEW, 0, 2));
    });
}

/// A reader while the slot gets another category and a duration: the new stamp with the numbers kept.
/// At most 2 preemptions.
#[test]
fn a_reading_keeps_its_numbers_while_the_category_changes() {
    explore(Some(2), || {
        let slot = Slot::<Counts>::with_one_entry();
        let [one, two] = [0; 2].map(|_| Arc::clone(&slot));
        let writer = move || {
            one.restamp(NEW);
            one.add();
        };
        let reader = move || {
            let Some(reading) = two.read() else { return };
            let numbers = (reading.stamp, reading.count);
            assert!([(OLD, 1), (NEW, 1), (NEW, 2)].contains(&numbers), "{reading:?}");
            assert_eq!(reading.ticket, 1);
        };
        race(writer, reader);
        let last = slot.read().unwrap();
        assert_eq!((last.stamp, last.count), (NEW, 2));
    });
}

/// A reader that finds a slot left open says so. One thread: the writer stands still.
#[test]
fn a_slot_left_open_is_busy() {
    loom::model(|| {
        let slot = Slot::<Counts>::with_one_entry();
        // What `rewrite` does before it is stopped; an `add` tells in the journal how it will end.
        slot.memory().wide(slot::COUNT).open(BEFORE + 1);
        slot.memory().wide(slot::TOTAL).store(D + D);
        assert!(slot.read().is_none());
        slot.memory().word(slot::SEQUENCE).store((BEFORE + 1) as u32, Relaxed);
        assert_eq!(slot.read().unwrap().count, 2);
    });
}

/// A reader while the extremes change in both halves: those before, or those after. At most 2
/// preemptions.
#[test]
fn extremes_are_whole() {
    for (first, second) in [(0x2_0000_0001, 0x1_0000_0005), (0x1_0000_0005, 0x2_0000_0001)] {
        explore(Some(2), move || {
            let slot = Slot::<Kept<1>>::with_one_entry();
            slot.begin(NEW, 2);
            slot.add_of(first);
            let [one, two] = [0; 2].map(|_| Arc::clone(&slot));
            let reader = move || {
                let owner = Some((two.lane(), INDEX));
                let has = Kept::<1>::STATISTICS;
                let reading = lane::read(two.memory(), two.birth(), has, owner, |_| ());
                let extremes = match reading.count {
                    1 => (first, first),
                    _ => (first.min(second), first.max(second)),
                };
                assert!(reading.busy || (reading.min, reading.max) == extremes, "{reading:x?}");
            };
            race(move || one.add_of(second), reader);
        });
    }
}

/// A reader while a handler adds to the slot that interrupted an add to another: the words that the
/// handler puts back are never taken for this slot's. At most 3 preemptions.
#[test]
fn a_handler_puts_the_journal_back_unread() {
    explore(Some(3), || {
        let slot = Slot::<Counts>::with_one_entry();
        let note = slot.lane().at(at::JOURNAL);
        note.word(journal::SECTION).store(INDEX + 1, Relaxed);
        note.wide(journal::TOTAL).store(999);
        note.wide(journal::COUNT).store(77);
        let [one, two] = [0; 2].map(|_| Arc::clone(&slot));
        let handler = move || {
            assert!(lane::may_change(INDEX, INDEX + 1));
            lane::write_within::<Counts>(one.lane(), INDEX, D, 0, INDEX + 1, || ());
        };
        race(handler, move || {
            let _ = two.read();
        });
        assert_eq!(slot.read().unwrap().count, 2);
        assert_eq!(note.wide(journal::TOTAL).load(), 999);
    });
}

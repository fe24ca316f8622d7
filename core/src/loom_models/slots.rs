//! Slot read against write: a reading is of one moment, or marked busy; never torn.
//!
//! The slot here keeps count, total and squares, its own memory and nothing else. Its count begins
//! just below 2^32, so that the carry into the upper half is among the writes.
//!
//! Fails when the Release fence of `Wide::open` is left out, or its upper half stored before it; when
//! `read` looks at `count` before its fence, has no fence, or takes the upper half behind it; when
//! `sequence` is stored or loaded Relaxed; when `add` doesn't open by `count`; when `restamp` or
//! `begin` change the slot without opening it, or don't count that in the birth.

use std::sync::Arc;

use super::{explore, race};
use crate::config::Statistics;
use crate::host::memory::Allocation;
use crate::lane::{self, Reading};
use crate::layout::{BIRTH_BYTES, slot};
use crate::region::Memory;
use crate::shape::{Kept, Shape};
use crate::sync::Relaxed;

type Squares = Kept<4>;
const D: u64 = 3;
/// Entries and rewrites before the model begins.
const BEFORE: u64 = (1 << 32) - 2;
const OLD: u32 = 7;
const NEW: u32 = 9;

/// A slot and its birth.
struct Slot(Allocation);

impl Slot {
    /// One entry of `D`, counted as number `2^32 - 1`.
    fn with_one_entry() -> Arc<Self> {
        let slot = Self(Allocation::zeroed(Squares::SLOT_BYTES + BIRTH_BYTES).unwrap());
        slot.memory().wide(slot::COUNT).store(BEFORE - 1);
        lane::begin::<Squares>(slot.memory(), slot.birth(), OLD, 1);
        lane::add::<Squares>(slot.memory(), D, 0);
        Arc::new(slot)
    }

    fn memory(&self) -> Memory<'_> {
        self.0.memory()
    }
    fn birth(&self) -> Memory<'_> {
        self.memory().at(Squares::SLOT_BYTES)
    }

    /// Reads it and checks what holds of every reading.
    fn read(&self) -> Option<Reading> {
        let reading = lane::read(self.memory(), self.birth(), Statistics::from_bits(4), |_| ());
        if reading.busy {
            return None;
        }
        assert_eq!(reading.total, D * reading.count, "{reading:?}");
        assert_eq!(reading.squares, u128::from(D * D * reading.count), "{reading:?}");
        Some(reading)
    }
}

/// A reader while two durations are added: in each reading total = 3·count and squares = 9·count,
/// and count only grows from one reading to the next. At most 2 preemptions.
#[test]
fn a_reading_is_whole_while_durations_are_added() {
    explore(Some(2), || {
        let slot = Slot::with_one_entry();
        let [one, two] = [0; 2].map(|_| Arc::clone(&slot));
        let writer = move || {
            lane::add::<Squares>(one.memory(), D, 0);
            lane::add::<Squares>(one.memory(), D, 0);
        };
        let reader = move || {
            two.read().map(|reading| {
                assert!((1..=3).contains(&reading.count), "{reading:?}");
                assert_eq!(reading.stamp, OLD);
                reading.count
            })
        };
        let ((), seen) = race(writer, reader);
        let last = slot.read().unwrap();
        assert_eq!(last.count, 3);
        assert!(seen.is_none_or(|seen| seen <= last.count));
        assert_eq!(slot.memory().wide(slot::COUNT).load(), BEFORE + 3);
    });
}

/// A reader while the slot is begun anew and a duration added: all old, or all new. At most 2
/// preemptions.
#[test]
fn a_reading_is_old_or_new_while_a_slot_begins_anew() {
    explore(Some(2), || {
        let slot = Slot::with_one_entry();
        let [one, two] = [0; 2].map(|_| Arc::clone(&slot));
        let writer = move || {
            lane::begin::<Squares>(one.memory(), one.birth(), NEW, 2);
            lane::add::<Squares>(one.memory(), D, 0);
        };
        let reader = move || {
            let Some(reading) = two.read() else { return };
            match reading.stamp {
                OLD => assert_eq!((reading.count, reading.ticket), (1, 1), "{reading:?}"),
                NEW => assert!(reading.count <= 1 && reading.ticket == 2, "{reading:?}"),
                _ => panic!("{reading:?}"),
            }
        };
        race(writer, reader);
        let last = slot.read().unwrap();
        assert_eq!((last.stamp, last.count, last.ticket), (NEW, 1, 2));
    });
}

/// A reader while the slot gets another category and a duration: the new stamp with the numbers kept.
/// At most 2 preemptions.
#[test]
fn a_reading_keeps_its_numbers_while_the_category_changes() {
    explore(Some(2), || {
        let slot = Slot::with_one_entry();
        let [one, two] = [0; 2].map(|_| Arc::clone(&slot));
        let writer = move || {
            lane::restamp(one.memory(), one.birth(), NEW);
            lane::add::<Squares>(one.memory(), D, 0);
        };
        let reader = move || {
            let Some(reading) = two.read() else { return };
            match reading.stamp {
                OLD => assert_eq!(reading.count, 1, "{reading:?}"),
                NEW => assert!((1..=2).contains(&reading.count), "{reading:?}"),
                _ => panic!("{reading:?}"),
            }
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
        let slot = Slot::with_one_entry();
        // What `add` does before it is stopped.
        slot.memory().wide(slot::COUNT).store(BEFORE + 2);
        slot.memory().wide(slot::TOTAL).store(D + D);
        assert!(slot.read().is_none());
        slot.memory().word(slot::SEQUENCE).store((BEFORE + 2) as u32, Relaxed);
        slot.memory().wide(slot::SQUARES_LOW).store(2 * D * D);
        assert_eq!(slot.read().unwrap().count, 2);
    });
}

//! Samples read against written: each that a reader gives is one that was taken, whole.
//!
//! Rings so short that the owner comes round while one is read. Starts and durations differ in both
//! halves of their words, so that halves of two samples make none.
//!
//! Meant to fail when `fill` has no fence, or stores HEAD Relaxed or before the place; when `scan` loads HEAD
//! Relaxed at first, has no fence before it looks again, or lets the place pass that HEAD is at; when
//! `push_long` moves HEAD once for both places.

use std::sync::Arc;

use super::{Counts, TWO, ThreadClock, enter, explore, lane, race, timer, touch};
use crate::config::Config;
use crate::host::memory::Allocation;
use crate::layout::{Layout, ring};
use crate::region::Memory;
use crate::samples::{Sample, push, scan};

/// A ring in memory of its own.
struct Ring {
    allocation: Allocation,
    layout: Layout,
}

/// The sample of a number: both halves of both words tell it.
const fn sample(number: u64) -> (u64, u64) {
    (number << 32 | number, number << 33 | number)
}
const SECTION: u32 = 5;
/// Takes two places.
const LONG: u64 = 3 << 60 | 9;

impl Ring {
    /// For so many samples, `head` places filled before.
    fn new(samples_per_lane: u32, head: u64) -> Arc<Self> {
        let layout = Layout::new(Config { samples_per_lane, ..TWO }, 24).unwrap();
        let places = u64::from(layout.places);
        let bytes = ring::PLACES + ring::BYTES * layout.places as usize;
        let ring = Self { allocation: Allocation::zeroed(bytes).unwrap(), layout };
        ring.memory().wide(ring::HEAD).store(head);
        ring.memory().wide(ring::BEGIN).store(head);
        let cursor = (head % places) as u32 * ring::BYTES as u32;
        ring.memory().word(ring::CURSOR).store(cursor, crate::sync::Relaxed);
        Arc::new(ring)
    }

    fn memory(&self) -> Memory<'_> {
        self.allocation.memory()
    }

    fn push(&self, (start, duration): (u64, u64)) {
        push(self.memory(), &self.layout, SECTION, start, duration);
    }

    fn read(&self) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        scan(self.memory(), &self.layout, |section, start, duration| {
            assert_eq!(section, SECTION);
            found.push((start, duration));
        });
        found
    }
}

/// Whether these are some of the samples `1..=last`, in order.
fn are_samples(found: &[(u64, u64)], last: u64) -> bool {
    found.iter().all(|one| (1..=last).any(|number| *one == sample(number)))
        && found.is_sorted_by(|one, next| one.0 < next.0)
}

/// One place and one that is being written: a reader while the owner writes two more samples gives
/// whole ones, in order. HEAD's lower half carries meanwhile. At most 2 preemptions.
#[test]
fn a_sample_is_whole() {
    explore(Some(2), || {
        let ring = Ring::new(1, (1 << 32) - 2);
        ring.push(sample(1));
        let [one, two] = [0; 2].map(|_| Arc::clone(&ring));
        let writer = move || {
            one.push(sample(2));
            one.push(sample(3));
        };
        race(writer, move || {
            let found = two.read();
            assert!(found.len() <= 1 && are_samples(&found, 3), "{found:x?}");
        });
        assert_eq!(ring.read(), [sample(3)]);
    });
}

/// A duration of two places between short ones: it is given whole or not at all. At most 2
/// preemptions.
#[test]
fn a_long_sample_is_whole() {
    explore(Some(2), || {
        let ring = Ring::new(2, 0);
        ring.push(sample(1));
        let [one, two] = [0; 2].map(|_| Arc::clone(&ring));
        let writer = move || {
            one.push((8, LONG));
            one.push(sample(2));
        };
        race(writer, move || {
            let found = two.read();
            let known = |one: &(u64, u64)| [(8, LONG), sample(1), sample(2)].contains(one);
            assert!(found.len() <= 2 && found.iter().all(known), "{found:x?}");
        });
        assert_eq!(ring.read(), [sample(2)]);
    });
}

/// A section open at a clear leaves no sample, whoever clears; its child does. At most 2 preemptions.
#[test]
fn a_section_open_at_a_clear_leaves_none() {
    explore(Some(2), || {
        let timer = timer::<Counts>(Config { samples_per_lane: 2, ..TWO });
        timer.claim().unwrap();
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let writer = move || {
            let lane = lane(&two, 0);
            let outer = enter(lane, "a", "default");
            ThreadClock::advance(1);
            touch(lane, "b", "default");
            assert_eq!(lane.exit(outer), 0);
        };
        race(move || one.clear().unwrap(), writer);
        let mut buffer = [Sample::default(); 2];
        let samples = timer.all_samples(&mut buffer).unwrap();
        let mut memory = vec![crate::snapshot::Row::default(); timer.snapshot_rows()];
        let snapshot = timer.snapshot_in(&mut memory).unwrap();
        let counts: u64 = snapshot.rows.iter().map(|row| row.count).sum();
        assert_eq!((samples.kept.len() as u64, samples.dropped), (counts, 0));
    });
}

//! Lane claim, release and take-over: one owner at a time, and what one owner wrote the next one
//! goes on from.
//!
//! Fails when `claim` takes a lane by load and store, when its compare-and-swap is not Acquire, when
//! `release` is not Release, when a lane that is claimed again is founded again, or when a snapshot
//! takes a lane that is just being made for one that has caught up with epoch 0.

use loom::cell::UnsafeCell;
use loom::thread;
use std::sync::Arc;

use super::{Counts, TWO, explore, lane, rows, time, timer};
use crate::config::Config;
use crate::layout::lane as at;
use crate::sync::Relaxed;

const ONE: Config = Config { sections: 1, depth: 1, lanes: 1, ..TWO };

/// Three threads want one of two lanes, use it, and give it back: no lane has two owners, nobody who
/// finds a lane free is refused, and all tokens differ. At most 2 preemptions.
#[test]
fn a_lane_has_one_owner() {
    explore(Some(2), || {
        let timer = timer::<Counts>(Config { lanes: 2, ..ONE });
        let owned = Arc::new([UnsafeCell::new(0), UnsafeCell::new(0)]);
        let work = |timer: &super::Modelled, owned: &[UnsafeCell<u32>; 2]| {
            let lane = timer.claim()?;
            let index = (0..2)
                .position(|index| timer.lane_memory(index).pointer() == lane.lane.pointer())
                .unwrap();
            // Loom refuses two threads here at once, or one that is not ordered behind the other.
            // SAFETY: the lane's owner is the only one here.
            owned[index].with_mut(|owned| unsafe { *owned += 1 });
            let token = super::enter(lane, "a", "default");
            lane.release();
            Some(token)
        };
        let threads = [0, 1].map(|_| {
            let (timer, owned) = (Arc::clone(&timer), Arc::clone(&owned));
            thread::spawn(move || work(&timer, &owned))
        });
        let mine = work(&timer, &owned);
        let [first, second] = threads.map(|thread| thread.join().unwrap());
        let mut tokens = [mine, first, second].map(|token| token.map(|token| token.0));
        tokens.sort_unstable();
        // Two lanes: two of three at least are served.
        assert!(tokens[1].is_some(), "{tokens:?}");
        assert!(tokens[0] != tokens[1] && tokens[1] != tokens[2], "{tokens:?}");
    });
}

/// A thread times a section and gives its lane back; another takes it over, where it is free by then,
/// and times the section once more; so does a third party at the end. Every duration is in the sum.
/// Unbounded.
#[test]
fn the_next_owner_goes_on_from_the_numbers() {
    explore(None, || {
        let timer = timer::<Counts>(ONE);
        let work = |timer: &super::Modelled| {
            let Some(lane) = timer.claim() else { return 0 };
            time(lane, "a", "default", 7);
            lane.release();
            1
        };
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || work(&other));
        let mine = work(&timer);
        let exits = mine + thread.join().unwrap();
        assert!(exits >= 1, "both refused");
        assert_eq!(work(&timer), 1);
        let row = rows(&timer, &["a"]).unwrap()[0].unwrap();
        assert_eq!((row.count, row.ticks), (exits + 1, 7 * (exits + 1)));
    });
}

/// A section left open when its lane is given back is counted once as unclosed, not recorded as an
/// exit, and the next owner's stack is empty. Unbounded.
#[test]
fn what_is_open_at_release_is_unclosed() {
    explore(None, || {
        let timer = timer::<Counts>(ONE);
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            let lane = other.claim().unwrap();
            super::enter(lane, "a", "default");
            lane.release();
        });
        if let Some(lane) = timer.claim() {
            assert_eq!(lane.depth(), 0);
            lane.release();
            thread.join().unwrap();
        } else {
            thread.join().unwrap();
        }
        let mut memory = vec![crate::Row::default(); timer.snapshot_rows()];
        let snapshot = timer.snapshot_in(&mut memory).unwrap();
        assert_eq!(snapshot.losses().unclosed, 1);
        assert_eq!((snapshot.rows[1].is_recorded(), snapshot.rows[1].count), (true, 0));
    });
}

/// Two threads claim their first lanes while one of them records: a snapshot meets no section in the
/// lane that is just being made. At most 3 preemptions.
#[test]
fn a_lane_in_the_making_holds_nothing() {
    explore(Some(3), || {
        let timer = timer::<Counts>(Config { lanes: 2, ..ONE });
        // The path is known from before; nothing was recorded yet.
        let memory = timer.lane_memory(1);
        let name =
            crate::names::intern(timer.region, &timer.layout, crate::names::Name::plain("a"));
        crate::paths::intern(timer.region, &timer.layout, memory, 0, name.unwrap()).unwrap();
        let threads = [0, 1].map(|_| {
            let timer = Arc::clone(&timer);
            thread::spawn(move || {
                timer.claim().unwrap();
            })
        });
        let mut memory = vec![crate::Row::default(); timer.snapshot_rows()];
        let snapshot = timer.snapshot_in(&mut memory).unwrap();
        assert!(snapshot.is_empty(), "{snapshot:?}");
        for thread in threads {
            thread.join().unwrap();
        }
        for index in 0..2 {
            let lane = lane(&timer, index);
            assert_eq!(lane.lane.word(at::GENERATION).load(Relaxed), 1);
            assert_eq!(lane.depth(), 0);
        }
    });
}

//! Lane claim, release and take-over: one owner at a time, and what one owner wrote the next one
//! goes on from.
//!
//! Fails when `claim` takes a lane by load and store, when its compare-and-swap is not Acquire, when
//! `release` is not Release or leaves sections open, when a lane that is claimed again is founded
//! again, or when `is_founded` lets a reader take a lane that is just being made for one that has
//! caught up with epoch 0.

use loom::cell::UnsafeCell;
use std::sync::Arc;

use super::{Counts, Modelled, TWO, enter, explore, race, race3, rows, time, timer};
use crate::config::Config;
use crate::names::{self, Name};
use crate::paths;
use crate::snapshot::Row;

const ONE: Config = Config { sections: 1, depth: 1, lanes: 1, ..TWO };

/// Which lane, and the first token entered in it.
type Owned = Option<(usize, u64)>;

/// Claims a lane, enters a section, and gives it back. Loom refuses two threads in one cell at once,
/// and one that is not ordered behind the other.
fn own(timer: &Modelled, cells: &[UnsafeCell<u32>; 2]) -> Owned {
    let lane = timer.claim()?;
    let is_this = |index: &u32| timer.lane_memory(*index).pointer() == lane.lane.pointer();
    let index = (0..2).find(is_this).unwrap() as usize;
    // SAFETY: the lane's owner is the only one here, or loom says so.
    cells[index].with_mut(|cell| unsafe { *cell += 1 });
    let token = enter(lane, "a", "default");
    lane.release();
    Some((index, token.0))
}

/// Three threads want one of two lanes, use it, and give it back: no lane has two owners, two of them
/// at least are served, and all tokens differ. At most 1 preemption.
#[test]
fn a_lane_has_one_owner() {
    explore(Some(1), || {
        let timer = timer::<Counts>(Config { lanes: 2, ..ONE });
        let cells = Arc::new([UnsafeCell::new(0), UnsafeCell::new(0)]);
        let work = || {
            let (timer, cells) = (Arc::clone(&timer), Arc::clone(&cells));
            move || own(&timer, &cells)
        };
        let (first, second, third) = race3(work(), work(), work());
        let mut tokens = [first, second, third].map(|owned| owned.map(|(_, token)| token));
        tokens.sort_unstable();
        assert!(tokens[1].is_some(), "{tokens:?}");
        assert!(tokens[0] != tokens[1] && tokens[1] != tokens[2], "{tokens:?}");
    });
}

/// Two threads want the one lane twice each: as above. At most 3 preemptions.
#[test]
fn the_only_lane_has_one_owner() {
    explore(Some(3), || {
        let timer = timer::<Counts>(ONE);
        let cells = Arc::new([UnsafeCell::new(0), UnsafeCell::new(0)]);
        let work = || {
            let (timer, cells) = (Arc::clone(&timer), Arc::clone(&cells));
            move || [own(&timer, &cells), own(&timer, &cells)]
        };
        let (first, second) = race(work(), work());
        let mut tokens: Vec<_> = first.into_iter().chain(second).flatten().collect();
        let served = tokens.len();
        assert!(served >= 1, "all refused");
        tokens.sort_unstable();
        tokens.dedup();
        assert_eq!(tokens.len(), served, "{tokens:?}");
    });
}

/// A thread times a section and gives its lane back; another takes it over, where it is free by then,
/// and times the section once more; so does a third party at the end. Every duration is in the sum.
/// Unbounded.
#[test]
fn the_next_owner_goes_on_from_the_numbers() {
    explore(None, || {
        let timer = timer::<Counts>(ONE);
        let work = |timer: &Modelled| {
            let Some(lane) = timer.claim() else { return 0 };
            time(lane, "a", "default", 7);
            lane.release();
            1
        };
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let (first, second) = race(move || work(&one), move || work(&two));
        assert!(first + second >= 1, "both refused");
        assert_eq!(work(&timer), 1);
        let row = rows(&timer, &["a"]).unwrap()[0].unwrap();
        let exits = first + second + 1;
        assert_eq!((row.count, row.ticks), (exits, 7 * exits));
    });
}

/// A section left open when its lane is given back is counted once as unclosed, not recorded as an
/// exit, and the next owner's stack is empty. Unbounded.
#[test]
fn what_is_open_at_release_is_unclosed() {
    explore(None, || {
        let timer = timer::<Counts>(ONE);
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let first = move || {
            let lane = one.claim()?;
            enter(lane, "a", "default");
            lane.release();
            Some(())
        };
        let second = move || {
            let lane = two.claim()?;
            assert_eq!(lane.depth(), 0);
            lane.release();
            Some(())
        };
        let (first, _) = race(first, second);
        let opened = u64::from(first.is_some());
        let mut memory = vec![Row::default(); timer.snapshot_rows()];
        let snapshot = timer.snapshot_in(&mut memory).unwrap();
        assert_eq!(snapshot.losses().unclosed, opened);
        assert_eq!((snapshot.rows[1].is_recorded(), snapshot.rows[1].count), (opened == 1, 0));
    });
}

/// Two threads claim their lanes for the first time: a snapshot meets no section in a lane that is
/// just being made. At most 2 preemptions.
#[test]
fn a_lane_in_the_making_holds_nothing() {
    explore(Some(2), || {
        let timer = timer::<Counts>(Config { lanes: 2, ..ONE });
        // The path is known; nothing was recorded yet.
        let name = names::intern(timer.region, &timer.layout, Name::plain("a")).unwrap();
        let memory = timer.lane_memory(1);
        paths::intern(timer.region, &timer.layout, memory, 0, name).unwrap();
        let claim = || {
            let timer = Arc::clone(&timer);
            move || assert!(timer.claim().is_some())
        };
        let reader = Arc::clone(&timer);
        let look = move || {
            let mut rows = vec![Row::default(); reader.snapshot_rows()];
            reader.gather(reader.region, &mut rows).unwrap();
            assert!(!rows.iter().any(Row::is_recorded), "{rows:?}");
        };
        race3(claim(), claim(), look);
    });
}

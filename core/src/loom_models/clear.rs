//! Clear: one step. A section is wholly before it or wholly after it, and so is a snapshot.
//!
//! Fails when `snapshot_with` doesn't look at the epoch again, or looks before its fence; when
//! `gather` takes lanes that have not caught up; when `catch_up` counts the era without its fence, or
//! stores STATE before ERA or Relaxed; when `ready_slot` keeps a slot of another era.

use loom::thread;
use std::sync::Arc;

use super::{Counts, Modelled, TWO, ThreadClock, enter, explore, lane, rows, time, timer};
use crate::config::Config;
use crate::layout::header;

/// Three sections `a`, `b`, `c` in two lanes, both claimed.
fn prepared() -> Arc<Modelled> {
    let timer = timer::<Counts>(Config { sections: 3, name_bytes: 112, ..TWO });
    timer.claim().unwrap();
    timer.claim().unwrap();
    timer
}

/// One thread enters and exits a section twice while another clears: what is left is 0, 1 or 2
/// whole entries, and what comes afterwards adds exactly. Unbounded.
#[test]
fn entries_are_before_or_after() {
    explore(None, || {
        let timer = prepared();
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            time(lane(&other, 0), "a", "default", 7);
            time(lane(&other, 0), "a", "default", 7);
        });
        timer.clear().unwrap();
        thread.join().unwrap();
        let left = rows(&timer, &["a"]).unwrap()[0].map_or(0, |row| {
            assert_eq!(row.ticks, 7 * row.count);
            row.count
        });
        assert!(left <= 2);
        for _ in 0..2 {
            time(lane(&timer, 0), "a", "default", 7);
        }
        let row = rows(&timer, &["a"]).unwrap()[0].unwrap();
        assert_eq!((row.count, row.ticks), (left + 2, 7 * (left + 2)));
    });
}

/// Nested sections against a clear: an outer one that is left was entered after it, so the inner one
/// is left as well; one that was open at the clear is not recorded. Unbounded.
#[test]
fn an_open_section_is_not_recorded() {
    explore(None, || {
        let timer = prepared();
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            let lane = lane(&other, 0);
            let outer = enter(lane, "a", "default");
            ThreadClock::advance(1);
            let inner = enter(lane, "b", "default");
            ThreadClock::advance(7);
            assert_eq!(lane.exit(inner), 0);
            assert_eq!(lane.exit(outer), 0);
        });
        timer.clear().unwrap();
        thread.join().unwrap();
        let mut memory = vec![crate::Row::default(); timer.snapshot_rows()];
        let snapshot = timer.snapshot_in(&mut memory).unwrap();
        let [outer, inner] = [1, 2].map(|index| snapshot.rows[index]);
        let left = |row: &crate::Row| row.is_recorded().then_some((row.count, row.ticks));
        match (left(&outer), left(&inner)) {
            (None, None) => (),
            (None, Some((1, 7))) => assert_eq!(snapshot.total(), 7),
            (Some((1, 8)), Some((1, 7))) => assert_eq!(snapshot.total(), 8),
            other => panic!("{other:?}"),
        }
        assert_eq!(lane(&timer, 0).depth(), 0);
    });
}

/// `a` was recorded in one lane before; another thread clears and then times `b`: no snapshot holds
/// both, and one that holds neither is of the moment between. At most 3 preemptions.
#[test]
fn a_snapshot_is_before_or_after() {
    explore(Some(3), || {
        let timer = prepared();
        time(lane(&timer, 0), "a", "default", 7);
        time(lane(&timer, 1), "b", "default", 7);
        timer.clear().unwrap();
        time(lane(&timer, 0), "a", "default", 7);
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            other.clear().unwrap();
            time(lane(&other, 1), "b", "default", 7);
        });
        if let Some(rows) = rows(&timer, &["a", "b"]) {
            assert!(rows[0].is_none() || rows[1].is_none(), "{rows:?}");
            for row in rows.into_iter().flatten() {
                assert!(row.count <= 1 && row.ticks == 7 * row.count, "{row:?}");
            }
        }
        thread.join().unwrap();
        let rows = rows(&timer, &["a", "b"]).unwrap();
        assert!(rows[0].is_none());
        assert_eq!(rows[1].unwrap().count, 1);
    });
}

/// `a` and `b` were recorded before, in lanes of their own; the owner of `b` clears and enters `c`: a
/// snapshot that holds `a` holds `b` too, and not `c`. At most 3 preemptions.
#[test]
fn a_snapshot_is_not_of_half_a_clear() {
    explore(Some(3), || {
        let timer = prepared();
        time(lane(&timer, 0), "a", "default", 7);
        time(lane(&timer, 1), "b", "default", 7);
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            other.clear().unwrap();
            enter(lane(&other, 1), "c", "default");
        });
        if let Some(rows) = rows(&timer, &["a", "b", "c"]) {
            let seen = rows.iter().map(Option::is_some).collect::<Vec<_>>();
            let whole = [[true, true, false], [false; 3], [false, false, true]];
            assert!(whole.iter().any(|whole| seen == whole), "{seen:?}");
        }
        thread.join().unwrap();
    });
}

/// The epoch's lower half is about to wrap: clear carries into the upper one. A section timed
/// meanwhile is whole or gone, one timed afterwards is there, one from before is not. Unbounded.
#[test]
fn the_epoch_carries() {
    explore(None, || {
        let timer = prepared();
        timer.region.wide(header::STATE).store(0xffff_fff0);
        time(lane(&timer, 0), "a", "default", 7);
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || time(lane(&other, 1), "b", "default", 7));
        timer.clear().unwrap();
        assert_eq!(timer.region.wide(header::STATE).load(), 0x1_0000_0000);
        thread.join().unwrap();
        let left = rows(&timer, &["a", "b"]).unwrap();
        assert!(left[0].is_none());
        assert!(left[1].is_none_or(|row| (row.count, row.ticks) == (1, 7)), "{left:?}");
        time(lane(&timer, 1), "b", "default", 7);
        let before = left[1].map_or(0, |row| row.count);
        assert_eq!(rows(&timer, &["b"]).unwrap()[0].unwrap().count, before + 1);
    });
}

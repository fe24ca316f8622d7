//! Clear: one step. A section is wholly before it or wholly after it, and so is a snapshot.
//!
//! Fails when `clear` loads and stores; when `gather` doesn't look at the epoch again, takes lanes that
//! have not caught up, or loads their STATE Relaxed; when `catch_up` has no fence, doesn't count the
//! era, or stores STATE Relaxed; when `ready_slot` keeps a slot of another era.

use std::sync::Arc;

use super::{
    Counts, Modelled, TWO, ThreadClock, enter, explore, lane, race, rows, time, timer, touch,
};
use crate::config::Config;
use crate::layout::header;
use crate::snapshot::{Row, mark};

/// A timer for three sections, with two lanes claimed.
fn prepared() -> Arc<Modelled> {
    let timer = timer::<Counts>(Config { sections: 3, name_bytes: 112, ..TWO });
    timer.claim().unwrap();
    timer.claim().unwrap();
    timer
}

/// Count and ticks of a row that is not busy.
fn numbers(row: &Row) -> Option<(u64, u64)> {
    (row.marks & mark::BUSY == 0).then_some((row.count, row.ticks))
}

/// One thread clears while another enters and exits a section twice: what is left is 0, 1 or 2 whole
/// entries, and what comes afterwards adds exactly. Unbounded.
#[test]
fn entries_are_before_or_after() {
    explore(None, || {
        let timer = prepared();
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let writer = move || {
            time(lane(&two, 0), "a", "default", 7);
            time(lane(&two, 0), "a", "default", 7);
        };
        race(move || one.clear().unwrap(), writer);
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
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let writer = move || {
            let lane = lane(&two, 0);
            let outer = enter(lane, "a", "default");
            ThreadClock::advance(1);
            let inner = enter(lane, "b", "default");
            ThreadClock::advance(7);
            assert_eq!(lane.exit(inner), 0);
            assert_eq!(lane.exit(outer), 0);
        };
        race(move || one.clear().unwrap(), writer);
        let mut memory = vec![Row::default(); timer.snapshot_rows()];
        let snapshot = timer.snapshot_in(&mut memory).unwrap();
        let left = |index: usize| {
            let row = &snapshot.rows[index];
            row.is_recorded().then_some((row.count, row.ticks))
        };
        match (left(1), left(2)) {
            (None, None) => (),
            (None, Some((1, 7))) => assert_eq!(snapshot.total(), 7),
            (Some((1, 8)), Some((1, 7))) => assert_eq!(snapshot.total(), 8),
            other => panic!("{other:?}"),
        }
        assert_eq!(lane(&timer, 0).depth(), 0);
    });
}

/// `a` was recorded in one lane; the owner of another one clears and then enters `b`, which it knows
/// from before: no snapshot holds both, and `b` counts from the clear. At most 2 preemptions.
#[test]
fn a_snapshot_is_before_or_after() {
    explore(Some(2), || {
        let timer = prepared();
        time(lane(&timer, 1), "b", "default", 7);
        timer.clear().unwrap();
        time(lane(&timer, 0), "a", "default", 7);
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let writer = move || {
            one.clear().unwrap();
            touch(lane(&one, 1), "b", "default");
        };
        let reader = move || {
            let Some(rows) = rows(&two, &["a", "b"]) else { return };
            match [&rows[0], &rows[1]] {
                [Some(row), None] => assert_eq!(numbers(row), Some((1, 7))),
                [None, Some(row)] => {
                    assert!(numbers(row).is_none_or(|row| row == (0, 0)), "{row:?}")
                }
                [None, None] => (),
                [Some(_), Some(_)] => panic!("{rows:?}"),
            }
        };
        race(writer, reader);
        let rows = rows(&timer, &["a", "b"]).unwrap();
        assert!(rows[0].is_none());
        assert_eq!(numbers(&rows[1].unwrap()), Some((0, 0)));
    });
}

/// `a` and `b` were recorded before, in lanes of their own; the owner of `b` clears and enters `c`: a
/// snapshot that holds `a` holds `b` too, and not `c`. At most 2 preemptions.
#[test]
fn a_snapshot_is_not_of_half_a_clear() {
    explore(Some(2), || {
        let timer = prepared();
        time(lane(&timer, 0), "a", "default", 7);
        time(lane(&timer, 1), "b", "default", 7);
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let writer = move || {
            one.clear().unwrap();
            touch(lane(&one, 1), "c", "default");
        };
        let reader = move || {
            let Some(rows) = rows(&two, &["a", "b", "c"]) else { return };
            let seen: Vec<_> = rows.iter().map(Option::is_some).collect();
            let whole = [[true, true, false], [false; 3], [false, false, true]];
            assert!(whole.iter().any(|whole| seen == whole), "{seen:?}");
        };
        race(writer, reader);
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
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        race(move || one.clear().unwrap(), move || time(lane(&two, 1), "b", "default", 7));
        assert_eq!(timer.region.wide(header::STATE).load(), 0x1_0000_0000);
        let left = rows(&timer, &["a", "b"]).unwrap();
        assert!(left[0].is_none());
        assert!(left[1].is_none_or(|row| (row.count, row.ticks) == (1, 7)), "{left:?}");
        time(lane(&timer, 1), "b", "default", 7);
        let before = left[1].map_or(0, |row| row.count);
        assert_eq!(rows(&timer, &["b"]).unwrap()[0].unwrap().count, before + 1);
    });
}

//! Frames: a reader never takes words of two pushes for one open section.
//!
//! Fails when `Lane::push` has no fence behind the token, stores the token or TOP Relaxed; when
//! `gather_open` loads either of them Relaxed, doesn't compare with TOP, doesn't look at the token
//! again, or does so without a fence.

use std::sync::Arc;

use super::{Counts, Modelled, TWO, ThreadClock, explore, lane, race, timer};
use crate::config::Config;
use crate::context::{Site, Token};
use crate::lane::ERA;
use crate::layout::lane as at;
use crate::snapshot::Row;
use crate::sync::Relaxed;

/// When `a` and `b` are entered, and when the reader looks.
const STARTS: [u64; 2] = [100, 200];
const LOOK: u64 = 1000;

/// A timer whose lane 0 has entered and exited `a` and `b` at the top, so that later enters take the
/// hot path.
fn prepared(depth: u32) -> (Arc<Modelled>, Arc<[Site; 2]>) {
    let timer = timer::<Counts>(Config { depth, lanes: 1, ..TWO });
    let sites = Arc::new([Site::new("a", "default"), Site::new("b", "default")]);
    let lane = timer.claim().unwrap();
    for site in &*sites {
        assert_eq!(lane.exit(lane.enter_at(site)), 0);
    }
    (timer, sites)
}

fn enter(timer: &Modelled, sites: &[Site; 2], which: usize) -> Token {
    ThreadClock::set(STARTS[which]);
    let token = lane(timer, 0).enter_at(&sites[which]);
    assert!(!token.is_null());
    token
}

/// For `a` and `b`: since when it is open, if it is.
fn open(timer: &Modelled) -> [Option<u64>; 2] {
    ThreadClock::set(LOOK);
    let mut rows = vec![Row::default(); timer.snapshot_rows()];
    let memory = timer.lane_memory(0);
    timer.gather_open(memory, &mut rows, memory.word(at::ERA).load(Relaxed) / ERA);
    [1, 2].map(|index| {
        let row = &rows[index];
        assert!(row.open <= 1, "{row:?}");
        (row.open > 0).then_some(LOOK - row.open_time)
    })
}

/// `a` is open, exits, and `b` is entered in the same frame, by the hot path: a reader sees `a` since
/// its start, or `b` since its own, or neither. Unbounded.
#[test]
fn a_frame_is_of_one_section() {
    explore(None, || {
        let (timer, sites) = prepared(1);
        let first = enter(&timer, &sites, 0);
        assert_eq!(open(&timer), [Some(STARTS[0]), None]);
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let writer = move || {
            assert_eq!(lane(&one, 0).exit(first), 0);
            enter(&one, &sites, 1);
        };
        let (_, seen) = race(writer, move || open(&two));
        let allowed = [[Some(STARTS[0]), None], [None, Some(STARTS[1])], [None, None]];
        assert!(allowed.contains(&seen), "{seen:?}");
        assert_eq!(open(&timer), [None, Some(STARTS[1])]);
    });
}

/// A frame is pushed and popped twice on an empty stack, one after the other: as above, and in the
/// end nothing is open. At most 3 preemptions.
#[test]
fn a_frame_that_comes_and_goes_is_of_one_section() {
    explore(Some(3), || {
        let (timer, sites) = prepared(1);
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let writer = move || {
            for which in [0, 1] {
                let token = enter(&one, &sites, which);
                assert_eq!(lane(&one, 0).exit(token), 0);
            }
        };
        let (_, seen) = race(writer, move || open(&two));
        let allowed = [[Some(STARTS[0]), None], [None, Some(STARTS[1])], [None, None]];
        assert!(allowed.contains(&seen), "{seen:?}");
        assert_eq!(open(&timer), [None, None]);
    });
}

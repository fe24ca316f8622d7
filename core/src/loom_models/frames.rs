//! Frames: a reader never takes words of two pushes for one open section.
//!
//! Fails when the fence behind the token in `Lane::push` is left out, when `gather_open` doesn't look
//! at the token again behind its fence, when it doesn't compare with TOP, or loads TOP Relaxed; when
//! `push` moves TOP first.

use loom::thread;
use std::sync::Arc;

use super::{Counts, TWO, ThreadClock, explore, lane, timer};
use crate::config::Config;
use crate::context::Site;
use crate::lane::ERA;
use crate::layout::{header, lane as at};
use crate::snapshot::Row;
use crate::sync::Relaxed;
use crate::timer::EPOCH;

/// When `a` and `b` are entered, and when the reader looks.
const STARTS: [u64; 2] = [100, 200];
const LOOK: u64 = 1000;

/// Enters both sites once at depth 1, so that later enters take the hot path.
fn warm(timer: &super::Modelled, sites: &[Site; 2]) {
    let lane = timer.claim().unwrap();
    for site in sites {
        assert_eq!(lane.exit(lane.enter_at(site)), 0);
    }
}

/// Open sections `a` and `b`: how many, and since when.
fn open(timer: &super::Modelled) -> [(u32, u64); 2] {
    let mut rows = vec![Row::default(); timer.snapshot_rows()];
    let memory = timer.lane_memory(0);
    timer.gather_open(memory, &mut rows, memory.word(at::ERA).load(Relaxed) / ERA);
    [1, 2].map(|index| {
        let row = &rows[index];
        (row.open, LOOK - row.open_time)
    })
}

fn check(open: [(u32, u64); 2]) {
    for ((count, since), start) in open.into_iter().zip(STARTS) {
        assert!(count == 0 || (count, since) == (1, start), "{open:?}");
    }
}

/// `a` is open, exits, and `b` is entered in the same frame, by the hot path: a reader sees `a` since
/// its start, or `b` since its own, or neither. At most 3 preemptions.
#[test]
fn a_frame_is_of_one_section() {
    explore(Some(3), || {
        let timer = timer::<Counts>(Config { depth: 1, ..TWO });
        let sites = Arc::new([Site::new("a", "default"), Site::new("b", "default")]);
        warm(&timer, &sites);
        ThreadClock::set(STARTS[0]);
        let first = lane(&timer, 0).enter_at(&sites[0]);
        ThreadClock::set(LOOK);
        assert_eq!(open(&timer), [(1, STARTS[0]), (0, LOOK)]);
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            let lane = lane(&other, 0);
            ThreadClock::set(STARTS[1]);
            assert_eq!(lane.exit(first), 0);
            assert!(!lane.enter_at(&sites[1]).is_null());
        });
        let seen = open(&timer);
        check(seen);
        assert!(seen[0].0 + seen[1].0 <= 1, "{seen:?}");
        thread.join().unwrap();
        assert_eq!(open(&timer), [(0, LOOK), (1, STARTS[1])]);
    });
}

/// A frame is pushed and popped twice on an empty stack, one after the other: as above, and in the
/// end nothing is open. At most 2 preemptions.
#[test]
fn a_frame_that_comes_and_goes_is_of_one_section() {
    explore(Some(2), || {
        let timer = timer::<Counts>(Config { depth: 1, ..TWO });
        let sites = Arc::new([Site::new("a", "default"), Site::new("b", "default")]);
        warm(&timer, &sites);
        ThreadClock::set(LOOK);
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            let lane = lane(&other, 0);
            for (site, start) in sites.iter().zip(STARTS) {
                ThreadClock::set(start);
                let token = lane.enter_at(site);
                assert_eq!(lane.exit(token), 0);
            }
        });
        let seen = open(&timer);
        check(seen);
        assert!(seen[0].0 + seen[1].0 <= 1, "{seen:?}");
        thread.join().unwrap();
        assert_eq!(open(&timer), [(0, LOOK), (0, LOOK)]);
    });
}

/// A section open at a clear is not shown as open when its path is entered anew beneath it: the mark
/// that discards it is set before the slot is current again. At most 2 preemptions.
#[test]
fn a_section_open_at_a_clear_stays_unseen() {
    explore(Some(2), || {
        let timer = timer::<Counts>(Config { sections: 2, depth: 2, ..TWO });
        let mine = timer.claim().unwrap();
        ThreadClock::set(STARTS[0]);
        super::enter(mine, "a", "default");
        timer.clear().unwrap();
        ThreadClock::set(LOOK);
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            let lane = lane(&other, 0);
            ThreadClock::set(STARTS[1]);
            // Beneath the root: the same path as the open one.
            let root = Some(crate::context::Path::ROOT);
            let request = crate::general::Request {
                name: crate::names::Name::plain("a"),
                category: "default",
                words: None,
                under: root,
            };
            assert!(!lane.enter_general(&request).is_null());
        });
        let state = timer.region.wide(header::STATE).load();
        let memory = timer.lane_memory(0);
        let seen =
            if memory.wide(at::STATE).load_ordered(crate::sync::Acquire) / EPOCH == state / EPOCH {
                open(&timer)[0]
            } else {
                (0, LOOK)
            };
        assert!(seen.0 == 0 || seen == (1, STARTS[1]), "{seen:?}");
        thread.join().unwrap();
        assert_eq!(open(&timer)[0], (1, STARTS[1]));
    });
}

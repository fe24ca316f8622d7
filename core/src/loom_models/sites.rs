//! A call site's memory: who takes a section from it hands on the path and category behind it, as if
//! it had looked them up.
//!
//! Fails when `SiteWords::remember` stores, or `lookup` loads, Relaxed: the other thread's section is
//! then in no snapshot, or without its name.

use loom::thread;
use std::sync::Arc;

use super::{Counts, TWO, ThreadClock, explore, lane, rows, timer};
use crate::category;
use crate::config::Config;
use crate::context::Site;
use crate::names::{self, Name};
use crate::paths;
use crate::snapshot::mark;

/// Two threads enter and exit one call site; the second is joined, and what lanes hold is gathered:
/// its entry is there, with path, name and category. At most 1 preemption.
#[test]
fn what_a_site_remembers_is_handed_on() {
    explore(Some(1), || {
        let timer = timer::<Counts>(Config { depth: 1, categories: 3, name_bytes: 128, ..TWO });
        timer.claim().unwrap();
        timer.claim().unwrap();
        let site = Arc::new(Site::new("a", "io"));
        let [first, second] = [0, 1].map(|index| {
            let (timer, site) = (Arc::clone(&timer), Arc::clone(&site));
            thread::spawn(move || {
                let lane = lane(&timer, index);
                let token = lane.enter_at(&site);
                ThreadClock::advance(7);
                assert_eq!(lane.exit(token), 0);
            })
        });
        second.join().unwrap();
        let (region, layout) = (timer.region, &timer.layout);
        let row = rows(&timer, &["a"]).unwrap()[0].unwrap();
        let is_busy = row.marks & mark::BUSY != 0; // by the first thread
        assert!(row.count >= 1 && (is_busy || row.ticks == 7 * row.count), "{row:?}");
        let name = names::find(region, layout, Name::plain("a"));
        assert_eq!(Some(paths::name(region, layout, row.section)), name);
        assert_eq!(Some(u32::from(row.category)), category::find(region, layout, "io"));
        first.join().unwrap();
    });
}

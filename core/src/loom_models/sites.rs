//! A call site's memory: who takes a section from it hands on the path and category behind it, as if
//! it had looked them up.
//!
//! Fails when `SiteWords::remember` stores, or `lookup` loads, Relaxed: the other thread's section is
//! then in no snapshot, or without its name.

use loom::thread;
use std::sync::Arc;

use super::{Counts, TWO, ThreadClock, explore, lane, timer};
use crate::category;
use crate::config::Config;
use crate::context::Site;
use crate::names::{self, Name};
use crate::paths;
use crate::snapshot::Row;

/// Two threads enter and exit one call site; one of them is joined, and a snapshot taken: that one's
/// entry is in it, with path, name and category. At most 2 preemptions.
#[test]
fn what_a_site_remembers_can_be_handed_on() {
    explore(Some(2), || {
        let timer = timer::<Counts>(Config { sections: 1, depth: 1, categories: 3, ..TWO });
        timer.claim().unwrap();
        timer.claim().unwrap();
        let site = Arc::new(Site::new("a", "io"));
        let mut threads = [0, 1].map(|index| {
            let (timer, site) = (Arc::clone(&timer), Arc::clone(&site));
            Some(thread::spawn(move || {
                let lane = lane(&timer, index);
                let token = lane.enter_at(&site);
                ThreadClock::advance(7);
                assert_eq!(lane.exit(token), 0);
            }))
        });
        threads[1].take().unwrap().join().unwrap();

        let mut memory = vec![Row::default(); timer.snapshot_rows()];
        let (region, layout) = (timer.region, &timer.layout);
        if let Ok(snapshot) = timer.snapshot_in(&mut memory) {
            let row = snapshot.rows[1];
            assert!(row.is_recorded() && row.count >= 1, "{row:?}");
            assert_eq!(row.ticks, 7 * row.count);
            assert_eq!(snapshot.recorded, 1);
            let name = names::find(region, layout, Name::plain("a"));
            assert_eq!(Some(paths::name(region, layout, 1)), name);
            assert_eq!(Some(u32::from(row.category)), category::find(region, layout, "io"));
        }
        threads[0].take().unwrap().join().unwrap();
    });
}

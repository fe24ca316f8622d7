//! A call site's memory: who takes a section from it hands on the path and category behind it, as if
//! it had looked them up.
//!
//! Fails when `SiteWords::remember` stores Relaxed, or `lookup` loads Relaxed: another thread's
//! section is then beyond the bound of a snapshot, or without its name.

use loom::thread;
use std::sync::Arc;

use super::{Counts, TWO, explore, lane, timer};
use crate::category;
use crate::config::Config;
use crate::context::Site;
use crate::lane::slot_of;
use crate::layout::slot;
use crate::names::{self, Name};
use crate::paths;
use crate::sync::{CATEGORY_BITS, Relaxed};

/// Two threads enter one call site, and the second is joined: the path that it entered is within the
/// bound that snapshots go to, and has its name; its category has its place. At most 2 preemptions.
#[test]
fn what_a_site_remembers_is_handed_on() {
    explore(Some(2), || {
        let timer = timer::<Counts>(Config { depth: 1, categories: 3, name_bytes: 128, ..TWO });
        timer.claim().unwrap();
        timer.claim().unwrap();
        let (region, layout) = (timer.region, &timer.layout);
        let [name, _] =
            ["a", "io"].map(|name| names::intern(region, layout, Name::plain(name)).unwrap());
        let site = Arc::new(Site::new("a", "io"));
        let [first, second] = [0, 1].map(|index| {
            let (timer, site) = (Arc::clone(&timer), Arc::clone(&site));
            thread::spawn(move || {
                let lane = lane(&timer, index);
                assert!(!lane.enter_at(&site).is_null());
                lane.current_path().section
            })
        });
        let section = second.join().unwrap();
        assert!(section <= paths::used(region, layout), "{section}");
        assert_eq!(paths::name(region, layout, section), name);
        let stamp = slot_of::<Counts>(timer.lane_memory(1), section).word(slot::STAMP);
        let category = stamp.load(Relaxed) & ((1 << CATEGORY_BITS) - 1);
        assert_eq!(category::find(region, layout, "io"), Some(category));
        first.join().unwrap();
    });
}

//! Category change: among threads the last one wins, and a snapshot shows a section with a category
//! that it was entered with.
//!
//! Fails when `ready_slot` makes the slot current before it changes the category; when
//! `paths::set_change` is not Release or `paths::change` not Acquire, or the hint of
//! `names::note_category` and `names::category_hint` (a row then has a category without a name); when
//! `category::intern` takes a place by load and store.

use loom::thread;
use std::sync::Arc;

use super::{Counts, TWO, enter, explore, lane, rows, time, timer};
use crate::category;
use crate::config::Config;
use crate::layout::header;
use crate::paths;

const FOUR: Config = Config { sections: 1, depth: 1, categories: 4, name_bytes: 128, ..TWO };

/// Two threads intern a category each, or the same one: one index a name, and each has its name.
/// Unbounded.
#[test]
fn a_category_gets_one_index() {
    for names in [["x", "y"], ["x", "x"]] {
        explore(None, move || {
            let timer = timer::<Counts>(FOUR);
            let other = Arc::clone(&timer);
            let intern = |timer: &super::Modelled, name| {
                let index = category::intern(timer.region, &timer.layout, name).unwrap();
                assert_eq!(category::find(timer.region, &timer.layout, name), Some(index));
                index
            };
            let thread = thread::spawn(move || intern(&other, names[1]));
            let left = intern(&timer, names[0]);
            let right = thread.join().unwrap();
            assert_eq!(left == right, names[0] == names[1], "{left} {right}");
            assert!(left.max(right) <= 3 && left.min(right) >= 2);
        });
    }
}

/// A thread enters a section for the first time, with a category of its own, while a snapshot is
/// taken: where the section is in it, so is that category and its name. At most 3 preemptions.
#[test]
fn a_section_is_never_shown_with_a_category_it_did_not_have() {
    explore(Some(3), || {
        let timer = timer::<Counts>(FOUR);
        timer.claim().unwrap();
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            enter(lane(&other, 0), "a", "x");
        });
        if let Some(row) = rows(&timer, &["a"]).and_then(|rows| rows[0]) {
            let index = category::find(timer.region, &timer.layout, "x");
            assert_eq!(Some(u32::from(row.category)), index);
        }
        thread.join().unwrap();
    });
}

/// Two threads enter and exit one section, each with a category of its own: in the end one of them
/// stands, with a ticket of its own; a change after that wins over both, and the sums are exact. At
/// most 2 preemptions.
#[test]
fn the_last_change_wins() {
    explore(Some(2), || {
        let timer = timer::<Counts>(FOUR);
        timer.claim().unwrap();
        timer.claim().unwrap();
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || time(lane(&other, 1), "a", "y", 7));
        time(lane(&timer, 0), "a", "x", 7);
        thread.join().unwrap();
        let (region, layout) = (timer.region, &timer.layout);
        let index = |name| category::find(region, layout, name).unwrap();
        let (category, ticket) = paths::change(region, layout, 1);
        assert!(category == index("x") || category == index("y"));
        assert!(ticket < region.wide(header::TICKET).load());

        time(lane(&timer, 1), "a", "default", 7);
        let row = rows(&timer, &["a"]).unwrap()[0].unwrap();
        assert_eq!(u32::from(row.category), category::DEFAULT);
        assert!(row.changed > ticket, "{row:?}");
        assert_eq!((row.count, row.ticks), (3, 21));
    });
}

/// Two threads change a section's category while a snapshot is taken, in which it was recorded
/// before: it shows one of the three. At most 2 preemptions.
#[test]
fn a_snapshot_shows_one_of_the_categories() {
    explore(Some(2), || {
        let timer = timer::<Counts>(FOUR);
        timer.claim().unwrap();
        timer.claim().unwrap();
        time(lane(&timer, 0), "a", "default", 7);
        let threads = [(0, "x"), (1, "y")].map(|(index, name)| {
            let timer = Arc::clone(&timer);
            thread::spawn(move || {
                enter(lane(&timer, index), "a", name);
            })
        });
        if let Some(rows) = rows(&timer, &["a"]) {
            let row = rows[0].unwrap();
            assert_eq!(row.ticks, 7 * row.count);
            let category = u32::from(row.category);
            let known =
                ["default", "x", "y"].map(|name| category::find(timer.region, &timer.layout, name));
            assert!(known.contains(&Some(category)), "{row:?}");
        }
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

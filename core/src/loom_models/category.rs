//! Category change: among threads the last one wins, and a snapshot shows a section with a category
//! that it was entered with.
//!
//! Fails when `ready_slot` makes the slot current before it changes the category; when
//! `paths::set_change` stores Relaxed, or `names::note_category` does, or `names::category_hint` loads
//! so (a row then has a category without a name); when `category::intern` takes a place by load and
//! store; when `change_category` keeps the old one.

use std::sync::Arc;

use super::{Counts, Modelled, TWO, explore, lane, race, rows, time, timer, touch};
use crate::category;
use crate::config::Config;
use crate::layout::header;
use crate::names::{self, Name};
use crate::paths;
use crate::snapshot::mark;

const FOUR: Config = Config { depth: 1, categories: 4, name_bytes: 128, ..TWO };

fn prepared() -> Arc<Modelled> {
    let timer = timer::<Counts>(FOUR);
    timer.claim().unwrap();
    timer.claim().unwrap();
    timer
}

fn find(timer: &Modelled, name: &str) -> Option<u32> {
    category::find(timer.region, &timer.layout, name)
}

/// Two threads intern a category each, or the same one: one index a name, and who has an index finds
/// the name there. Unbounded.
#[test]
fn a_category_gets_one_index() {
    for names in [["x", "y"], ["x", "x"]] {
        explore(None, move || {
            let timer = timer::<Counts>(FOUR);
            let intern = |timer: Arc<Modelled>, name| {
                move || {
                    let index = category::intern(timer.region, &timer.layout, name).unwrap();
                    assert_eq!(find(&timer, name), Some(index));
                    index
                }
            };
            let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
            let (left, right) = race(intern(one, names[0]), intern(two, names[1]));
            assert_eq!(left == right, names[0] == names[1], "{left} {right}");
            assert!(left.max(right) <= 3 && left.min(right) >= 2, "{left} {right}");
        });
    }
}

/// A thread enters a section for the first time, with a category of its own, while a snapshot is
/// taken: where the section is in it, so is that category and its name. At most 2 preemptions.
#[test]
fn a_section_is_never_shown_with_a_category_it_did_not_have() {
    explore(Some(2), || {
        let timer = timer::<Counts>(Config { sections: 1, categories: 3, lanes: 1, ..FOUR });
        let mine = timer.claim().unwrap();
        let name = names::intern(timer.region, &timer.layout, Name::plain("a")).unwrap();
        paths::intern(timer.region, &timer.layout, mine.lane, 0, name).unwrap();
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let reader = move || {
            let Some(row) = rows(&two, &["a"]).and_then(|rows| rows[0]) else { return };
            assert_eq!(Some(u32::from(row.category)), find(&two, "x"));
        };
        race(move || touch(lane(&one, 0), "a", "x"), reader);
    });
}

/// Two threads enter and exit one section anew after a clear, each with a category of its own: in the
/// end one of them stands, with a ticket of its own; a change after that wins over both, and the sums
/// are exact. At most 2 preemptions.
#[test]
fn the_last_change_wins() {
    explore(Some(2), || {
        let timer = prepared();
        for (index, name) in [(0, "x"), (1, "y")] {
            time(lane(&timer, index), "a", name, 7);
        }
        timer.clear().unwrap();
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        race(move || time(lane(&one, 0), "a", "x", 7), move || time(lane(&two, 1), "a", "y", 7));
        let (region, layout) = (timer.region, &timer.layout);
        let section = timer.find_path(&["a"]).unwrap().section;
        let (category, ticket) = paths::change(region, layout, section);
        assert!([find(&timer, "x"), find(&timer, "y")].contains(&Some(category)), "{category}");
        assert!(ticket < region.wide(header::TICKET).load());

        time(lane(&timer, 1), "a", "default", 7);
        let row = rows(&timer, &["a"]).unwrap()[0].unwrap();
        assert_eq!(u32::from(row.category), category::DEFAULT);
        assert!(row.changed > ticket, "{row:?}");
        assert_eq!((row.count, row.ticks), (3, 21));
    });
}

/// A recorded section gets another category, a new one, while a snapshot is taken: it shows one of the
/// two, which has its name, and the numbers of before. At most 2 preemptions.
#[test]
fn a_snapshot_shows_one_of_the_categories() {
    explore(Some(2), || {
        let timer = prepared();
        time(lane(&timer, 0), "a", "default", 7);
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let reader = move || {
            let Some(rows) = rows(&two, &["a"]) else { return };
            let row = rows[0].unwrap();
            assert!(row.marks & mark::BUSY != 0 || (row.count, row.ticks) == (1, 7), "{row:?}");
            let category = u32::from(row.category);
            assert!(category == category::DEFAULT || Some(category) == find(&two, "x"), "{row:?}");
        };
        race(move || touch(lane(&one, 0), "a", "x"), reader);
        let row = rows(&timer, &["a"]).unwrap()[0].unwrap();
        assert_eq!(Some(u32::from(row.category)), find(&timer, "x"));
    });
}

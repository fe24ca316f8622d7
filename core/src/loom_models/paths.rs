//! Path insertion: one path, one index; who loses the race keeps its index for its next new path.
//!
//! A path that finds the table full may be refused although a rival is just publishing the same one;
//! it is then timed as one without a slot.
//!
//! Fails when the compare-and-swap in `paths::intern` that publishes is Relaxed in success or failure,
//! when its load of the bucket is; when `keep_spare` keeps nothing; when `reserve` counts with a load
//! and a store.

use std::sync::Arc;

use super::{Counts, Modelled, TWO, explore, race, timer};
use crate::config::Config;
use crate::layout::{header, lane as at};
use crate::names::{self, Name};
use crate::paths;
use crate::sync::Relaxed;

/// A timer with two lanes claimed and the names `a` and `b` known.
fn prepared(config: Config) -> (Arc<Modelled>, [u32; 2]) {
    let timer = timer::<Counts>(config);
    timer.claim().unwrap();
    timer.claim().unwrap();
    let names = ["a", "b"]
        .map(|name| names::intern(timer.region, &timer.layout, Name::plain(name)).unwrap());
    (timer, names)
}

fn intern(timer: &Modelled, lane: u32, parent: u32, name: u32) -> Option<u32> {
    paths::intern(timer.region, &timer.layout, timer.lane_memory(lane), parent, name)
}

fn find(timer: &Modelled, parent: u32, name: u32) -> Option<u32> {
    paths::find(timer.region, &timer.layout, parent, name)
}

fn spare(timer: &Modelled, lane: u32) -> u32 {
    timer.lane_memory(lane).word(at::SPARE).load(Relaxed)
}

/// Two threads intern the same path in a table of two: one index. The loser's other index is not
/// lost: its next path gets it, and the table then holds two paths. Unbounded.
#[test]
fn the_same_path_gets_one_index_and_no_capacity_is_lost() {
    explore(None, || {
        let (timer, names) = prepared(TWO);
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let (index, same) = race(
            move || intern(&one, 0, 0, names[0]).unwrap(),
            move || intern(&two, 1, 0, names[0]).unwrap(),
        );
        assert_eq!(index, same);
        let used = timer.region.word(header::SECTIONS_USED).load(Relaxed);
        let loser = u32::from(spare(&timer, 1) != 0);
        let kept = spare(&timer, loser);
        assert_eq!(used, if kept == 0 { 1 } else { 2 }, "an index reserved is a path or a spare");
        let next = intern(&timer, loser, 0, names[1]).unwrap();
        assert!(kept == 0 || next == kept);
        assert_ne!(next, index);
        for (name, index) in names.into_iter().zip([index, next]) {
            assert_eq!(find(&timer, 0, name), Some(index));
            assert_eq!(paths::name(timer.region, &timer.layout, index), name);
        }
    });
}

/// Two threads intern different paths where there is room for one: one gets it. Unbounded.
#[test]
fn a_full_table_takes_one_of_two() {
    explore(None, || {
        let (timer, names) = prepared(Config { sections: 1, ..TWO });
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let (left, right) =
            race(move || intern(&one, 0, 0, names[0]), move || intern(&two, 1, 0, names[1]));
        assert!(left.is_some() != right.is_some(), "{left:?} {right:?}");
        assert_eq!((find(&timer, 0, names[0]), find(&timer, 0, names[1])), (left, right));
    });
}

/// One thread interns `a` and `a/b` while another looks for them: what it finds is whole.
/// Unbounded.
#[test]
fn a_path_is_found_whole() {
    explore(None, || {
        let (timer, names) = prepared(TWO);
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let (made, found) = race(
            move || {
                let outer = intern(&one, 0, 0, names[0]).unwrap();
                (outer, intern(&one, 0, outer, names[1]).unwrap())
            },
            move || {
                let outer = find(&two, 0, names[0]);
                (outer, outer.and_then(|outer| find(&two, outer, names[1])))
            },
        );
        assert!(found.0.is_none_or(|outer| outer == made.0));
        assert!(found.1.is_none_or(|inner| inner == made.1));
        assert_eq!(find(&timer, made.0, names[1]), Some(made.1));
    });
}

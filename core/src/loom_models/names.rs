//! Name insertion: one text, one id, whoever comes first; nothing is found half written.
//!
//! Fails when the compare-and-swap in `names::intern` that publishes is Relaxed, when its load of the
//! bucket or its failure ordering is Relaxed, when that of `names::find` is, or when the
//! compare-and-swap's loser doesn't look at what the winner put there.

use loom::thread;
use std::sync::Arc;

use super::{Counts, Modelled, TWO, explore, timer};
use crate::config::Config;
use crate::layout::header;
use crate::names::{self, Name, NameId};
use crate::sync::Relaxed;

fn intern(timer: &Modelled, name: &str) -> Option<NameId> {
    names::intern(timer.region, &timer.layout, Name::plain(name))
}

fn find(timer: &Modelled, name: &str) -> Option<NameId> {
    names::find(timer.region, &timer.layout, Name::plain(name))
}

/// Two threads intern the same name while a third looks for it: one id for all. Unbounded.
#[test]
fn the_same_name_gets_one_id() {
    explore(None, || {
        let timer = timer::<Counts>(TWO);
        let other = Arc::clone(&timer);
        let first = thread::spawn(move || intern(&other, "long name").unwrap());
        let other = Arc::clone(&timer);
        let second = thread::spawn(move || intern(&other, "long name").unwrap());
        let seen = find(&timer, "long name");
        let id = first.join().unwrap();
        assert_eq!(second.join().unwrap(), id);
        assert_eq!(find(&timer, "long name"), Some(id));
        assert!(seen.is_none_or(|seen| seen == id));
    });
}

/// Two threads intern two names that begin at the same bucket, in opposite order: two ids, each
/// found by its text, by either thread at once. Unbounded.
#[test]
fn colliding_names_stay_apart() {
    const NAMES: [&str; 2] = ["b", "e"];
    explore(None, || {
        let timer = timer::<Counts>(Config { name_bytes: 128, ..TWO });
        let buckets = NAMES.map(|name| Name::plain(name).hash() & timer.layout.name_mask);
        assert_eq!(buckets[0], buckets[1], "these names don't collide");
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || {
            let ids = [1, 0].map(|index| intern(&other, NAMES[index]).unwrap());
            assert_eq!([1, 0].map(|index| find(&other, NAMES[index]).unwrap()), ids);
            [ids[1], ids[0]]
        });
        let ids = NAMES.map(|name| intern(&timer, name).unwrap());
        assert_ne!(ids[0], ids[1]);
        assert_eq!(thread.join().unwrap(), ids);
        assert_eq!(NAMES.map(|name| find(&timer, name).unwrap()), ids);
    });
}

/// Two threads intern different names where there is room for one: one of them gets it, the other is
/// told, and the arena's bound holds. Unbounded.
#[test]
fn a_full_arena_takes_one_of_two() {
    explore(None, || {
        // The reserved categories take 40 bytes; a name of one to four bytes takes 16.
        let timer = timer::<Counts>(Config { name_bytes: 64, ..TWO });
        let other = Arc::clone(&timer);
        let thread = thread::spawn(move || intern(&other, "left"));
        let right = intern(&timer, "right");
        let left = thread.join().unwrap();
        assert!(left.is_some() != right.is_some(), "{left:?} {right:?}");
        assert_eq!(find(&timer, "left"), left);
        assert_eq!(find(&timer, "right"), right);
        assert_eq!(intern(&timer, "left"), left);
        assert_eq!(intern(&timer, "right"), right);
        let used = timer.region.word(header::NAME_BYTES_USED).load(Relaxed);
        assert!(used <= 64, "{used}");
    });
}

//! Name insertion: one text, one id, whoever comes first; nothing is found half written.
//!
//! Fails when the compare-and-swap in `names::intern` that publishes is Relaxed in success or failure,
//! when its load of the bucket is, or when who loses the race doesn't look at what the winner put
//! there.

use std::sync::Arc;

use super::{Counts, Modelled, TWO, explore, race, race3, timer};
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
        let [one, two, three] = [0; 3].map(|_| Arc::clone(&timer));
        let (first, second, seen) = race3(
            move || intern(&one, "long name").unwrap(),
            move || intern(&two, "long name").unwrap(),
            move || find(&three, "long name"),
        );
        assert_eq!(first, second);
        assert!(seen.is_none_or(|seen| seen == first));
        assert_eq!(find(&timer, "long name"), Some(first));
    });
}

/// Two threads intern two names that begin at the same bucket, in opposite order: two ids, each
/// found by its text, by either thread at once. Unbounded.
#[test]
fn colliding_names_stay_apart() {
    const NAMES: [&str; 2] = ["b", "g"];
    explore(None, || {
        let timer = timer::<Counts>(Config { name_bytes: 128, ..TWO });
        let buckets = NAMES.map(|name| Name::plain(name).hash() & timer.layout.name_mask);
        assert_eq!(buckets[0], buckets[1], "these names don't collide");
        let work = |timer: Arc<Modelled>, order: [usize; 2]| {
            move || {
                let mut ids = [0; 2];
                for index in order {
                    ids[index] = intern(&timer, NAMES[index]).unwrap();
                }
                assert_eq!(NAMES.map(|name| find(&timer, name).unwrap()), ids);
                ids
            }
        };
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let (first, second) = race(work(one, [0, 1]), work(two, [1, 0]));
        assert_ne!(first[0], first[1]);
        assert_eq!(first, second);
    });
}

/// Two threads intern different names where there is room for one: one of them gets it, the other is
/// told, and the arena's bound holds. Unbounded.
#[test]
fn a_full_arena_takes_one_of_two() {
    explore(None, || {
        // The reserved categories take 40 bytes; a name of five to eight bytes takes 20.
        let timer = timer::<Counts>(Config { name_bytes: 64, ..TWO });
        let [one, two] = [0; 2].map(|_| Arc::clone(&timer));
        let (left, right) =
            race(move || intern(&one, "to port"), move || intern(&two, "starboard"));
        assert!(left.is_some() != right.is_some(), "{left:?} {right:?}");
        assert_eq!((find(&timer, "to port"), find(&timer, "starboard")), (left, right));
        assert_eq!((intern(&timer, "to port"), intern(&timer, "starboard")), (left, right));
        let used = timer.region.word(header::NAME_BYTES_USED).load(Relaxed);
        assert!(used <= 64, "{used}");
    });
}

//! Reducing: any order and grouping gives the same bytes, and they are what a naive reduction gives.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use xtimer_core::profile::{
    Across, DecodeError, Fault, Gathered, Profile, Reduced, ReducedSection, View,
};

use crate::bytes::{block, number, seal_again, sealed, vector};
use crate::naive::{profile, ranks};
use crate::vectors::{expected, integer};

fn across(across: &Across) -> Value {
    let (Some(slowest), Some(fastest)) = (across.slowest(), across.fastest()) else {
        return json!({ "ranks": 0 });
    };
    json!({
        "ranks": across.rank_count(), "sum": integer(across.sum()),
        "most": integer(slowest.1), "slowest": integer(slowest.0),
        "least": integer(fastest.1), "fastest": integer(fastest.0),
    })
}

fn section(path: &[&str], section: &ReducedSection) -> Value {
    let mut entry = Map::new();
    entry.insert("path".into(), json!(path));
    entry.insert("category".into(), json!(section.category()));
    entry.insert("mixed".into(), json!(section.mixes_categories()));
    entry.insert("busy".into(), json!(section.marks().busy));
    entry.insert("late".into(), json!(section.marks().late));
    entry.insert("count".into(), integer(section.count()));
    entry.insert("open".into(), integer(section.open()));
    entry.insert("across".into(), across(section.across()));
    for (key, time) in [("min", section.min()), ("max", section.max())] {
        if let Some(time) = time {
            entry.insert(key.into(), integer(time));
        }
    }
    Value::Object(entry)
}

/// The squares of a vector have no getter: the bytes tell of them.
fn without_squares(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            entries.remove("squares");
            entries.values_mut().for_each(without_squares);
        }
        Value::Array(items) => items.iter_mut().for_each(without_squares),
        _ => {}
    }
}

#[test]
fn the_vector() {
    let bytes = vector("reduced.xtp");
    let reduced = Reduced::from_bytes(&bytes).unwrap();
    assert_eq!(reduced.to_bytes(), bytes);
    let mut added = Reduced::new();
    assert_eq!(added.add_bytes(&vector("ranks.xtp")), Ok(4));
    assert_eq!(added.add_bytes(&vector("full.xtp")), Ok(1));
    assert_eq!(added.to_bytes(), bytes);

    let mut meant = expected("reduced.json")["reduced"].take();
    without_squares(&mut meant);
    let rows = || reduced.sections().collect::<Vec<_>>();
    let (lowest, highest) = reduced.rank_range().unwrap();
    assert_eq!(json!([reduced.rank_count(), lowest, highest]), json!([5, 0, u32::MAX]));
    assert_eq!(across(reduced.across()), meant["total"]);
    let sections: Vec<Value> = rows().iter().map(|row| section(&row.0, row.1)).collect();
    assert_eq!(Value::from(sections), meant["sections"]);
    let categories: Vec<Value> = reduced
        .categories()
        .map(|(name, category)| {
            json!({ "name": name, "across": across(&category.across),
                "lost_count": integer(category.lost_count), "lost_time": integer(category.lost_time) })
        })
        .collect();
    assert_eq!(Value::from(categories), meant["categories"]);
    let histograms: Vec<Value> = (0..)
        .zip(rows())
        .filter(|row: &(u32, _)| row.1.1.histogram().next().is_some())
        .map(|(index, row)| {
            let buckets: Vec<Value> =
                row.1.histogram().map(|(bucket, count)| json!([bucket, count])).collect();
            json!({ "section": index, "buckets": buckets })
        })
        .collect();
    assert_eq!(Value::from(histograms), meant["histograms"]);
    assert_eq!(reduced.losses().refused, 3);
}

fn reduced(profiles: &[Profile]) -> Reduced {
    let mut reduced = Reduced::new();
    profiles.iter().for_each(|profile| reduced.add(profile));
    reduced
}

proptest! {
    #[test]
    fn any_order_and_grouping(
        ranks in ranks(),
        order in prop::collection::vec(any::<u32>(), 8),
        groups in prop::collection::vec(0_usize..3, 8),
    ) {
        let profiles: Vec<Profile> = ranks.iter().map(|(&rank, rows)| profile(rank, rows)).collect();
        let expected = reduced(&profiles).to_bytes();
        // Another order, in three groups, each by another way, united as bytes or not.
        let mut turned: Vec<(u32, usize, &Profile)> = (0..)
            .zip(&profiles)
            .map(|(index, profile): (usize, _)| (order[index], groups[index], profile))
            .collect();
        turned.sort_by_key(|entry| entry.0);
        let mut parts = [Reduced::new(), Reduced::new(), Reduced::new()];
        for (_, group, profile) in turned {
            let bytes = profile.to_bytes();
            match group {
                0 => parts[0].add(profile),
                1 => parts[1].add_view(&View::new(&bytes).unwrap()),
                _ => prop_assert_eq!(parts[2].add_bytes(&bytes), Ok(1)),
            }
        }
        let [first, second, third] = parts;
        let mut all = Reduced::from_bytes(&second.to_bytes()).unwrap();
        all.merge(&third);
        all.add_bytes(&first.to_bytes()).unwrap();
        prop_assert_eq!(all.to_bytes(), expected);
    }

    #[test]
    fn what_gathering_says(ranks in ranks()) {
        let profiles: Vec<Profile> = ranks.iter().map(|(&rank, rows)| profile(rank, rows)).collect();
        let reduced = reduced(&profiles);
        let gathered = Gathered::from_profiles(profiles).unwrap();
        prop_assert_eq!(reduced.rank_count() as usize, gathered.rank_count());
        prop_assert_eq!(reduced.sections().count(), gathered.len());
        prop_assert_eq!(reduced.across(), &gathered.across());
        for (name, across) in gathered.categories() {
            prop_assert_eq!(reduced.category(name).unwrap().across, across);
        }
        for (path, times) in gathered.iter() {
            let section = reduced.get(&path).unwrap();
            prop_assert_eq!(section.count(), times.count());
            prop_assert_eq!(section.sum(), times.sum());
            prop_assert_eq!(section.mean().to_bits(), times.mean().to_bits());
            prop_assert_eq!(section.std().to_bits(), times.std().to_bits());
            prop_assert_eq!((section.min(), section.max()), (times.min(), times.max()));
            prop_assert_eq!(section.across(), &times.across());
            prop_assert_eq!(section.mixes_categories(), times.mixes_categories());
            prop_assert_eq!(Some(section.category()), times.categories().next());
            prop_assert_eq!(Some(section.histogram().collect()), times.histogram());
            prop_assert!(section.has_whole_histogram());
        }
        let mut paths: Vec<Vec<&str>> = reduced.sections().map(|row| row.0).collect();
        prop_assert!(paths.is_sorted());
        paths.dedup();
        prop_assert_eq!(paths.len(), gathered.len());
    }

    #[test]
    fn any_bytes(
        blocks in prop::collection::vec(any::<u8>(), 0..100),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let _ = Reduced::from_bytes(&sealed(2, &blocks));
        let mut changed = vector("reduced.xtp");
        let at = 16 + at.index(changed.len() - 20);
        changed[at] = byte;
        seal_again(&mut changed);
        if let Ok(reduced) = Reduced::from_bytes(&changed) {
            let again = Reduced::from_bytes(&reduced.to_bytes()).unwrap();
            prop_assert_eq!(again.to_bytes(), reduced.to_bytes());
        }
    }
}

#[test]
fn no_ranks_are_nothing() {
    let none = Reduced::new();
    assert!(none.is_empty() && none.rank_range().is_none() && none.across().slowest().is_none());
    let again = Reduced::from_bytes(&none.to_bytes()).unwrap();
    assert_eq!((again.rank_count(), again.to_bytes()), (0, none.to_bytes()));
    let mut some = Reduced::from_bytes(&vector("reduced.xtp")).unwrap();
    some.merge(&again);
    assert_eq!(some.to_bytes(), vector("reduced.xtp"));
}

#[test]
fn damage_is_named() {
    let bytes = vector("reduced.xtp");
    for length in 0..bytes.len() {
        let error = Reduced::from_bytes(&bytes[..length]).unwrap_err();
        assert!(matches!(error.fault, Fault::NoHeader | Fault::Length { .. }), "{length}: {error}");
    }
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(Reduced::from_bytes(&changed).is_err(), "bit {bit}");
        seal_again(&mut changed);
        let _ = Reduced::from_bytes(&changed);
    }
    let error = Reduced::from_bytes(&vector("full.xtp")).unwrap_err();
    assert_eq!(error, DecodeError { fault: Fault::Kind { found: 1, wanted: 2 }, offset: 6 });
    // The second of three is damaged.
    let mut three = bytes.repeat(3);
    three[bytes.len() + 40] ^= 1;
    let mut reduced = Reduced::new();
    let error = reduced.add_bytes(&three).unwrap_err();
    assert_eq!(error.offset as usize, 2 * bytes.len() - 4);
    assert_eq!(reduced.to_bytes(), bytes);
}

#[test]
fn sections_out_of_order_are_refused() {
    let across = [1, 0, 0, 0, 0, 0, 0];
    let row = |kept: u8, names: &[u8]| {
        let names: Vec<u8> = names.iter().flat_map(|&name| [1, name]).collect();
        let path = [vec![kept, (names.len() / 2) as u8], names].concat();
        [path, vec![64, 0, 0], across.to_vec(), vec![0, 0]].concat()
    };
    let of = |rows: &[Vec<u8>]| {
        let totals = [&across[..], &[1, 1, b'c', 0, 0, 0]].concat();
        let blocks = [
            block(1, &[1, 0, 0]),
            block(3, &[0]),
            block(4, &totals),
            block(5, &[number(rows.len() as u128), rows.concat()].concat()),
        ];
        Reduced::from_bytes(&sealed(2, &blocks.concat())).map(|reduced| reduced.sections().count())
    };
    assert_eq!(of(&[row(0, b"a"), row(1, b"b"), row(1, b"cd"), row(0, b"b")]), Ok(4));
    let disorder = Fault::Value { field: "the order of sections" };
    for rows in [
        vec![row(0, b"b"), row(0, b"a")],
        vec![row(0, b"a"), row(0, b"a")],
        vec![row(0, b"a"), row(0, b"ab")],
        vec![row(0, b"ab"), row(0, b"a")],
        vec![row(0, b"ab"), row(1, b"")],
        vec![row(0, b"")],
        vec![row(1, b"a")],
    ] {
        assert_eq!(of(&rows).unwrap_err().fault, disorder, "{rows:?}");
    }
}

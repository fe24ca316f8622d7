//! Gathered ranks against a naive union, and what gathering says of itself.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use xtimer_core::profile::{
    DecodeError, Fault, GatherError, Gathered, GatheredTimes, Profile, Records, SameRank, Source,
};

use crate::bytes::vector;
use crate::naive::{Row, profile, ranks, rows, totals};

/// Samples with their ranks, of the rows that `wanted` names.
fn union(
    ranks: &BTreeMap<u32, Vec<Row>>,
    wanted: impl Fn(&Row) -> bool,
) -> (Vec<u64>, Vec<u32>, BTreeSet<u32>, BTreeSet<String>) {
    let (mut durations, mut of, mut with, mut categories) =
        (vec![], vec![], BTreeSet::new(), BTreeSet::new());
    for (&rank, rows) in ranks {
        for row in rows.iter().filter(|row| wanted(row)) {
            durations.extend(&row.durations);
            of.resize(durations.len(), rank);
            with.insert(rank);
            categories.insert(row.category.clone());
        }
    }
    (durations, of, with, categories)
}

fn check_times(times: &GatheredTimes, durations: &[u64], ranks: &[u32]) {
    assert_eq!(times.count(), durations.len() as u64);
    assert_eq!(times.sum(), durations.iter().map(|&time| u128::from(time)).sum());
    assert_eq!(
        (times.min(), times.max()),
        (durations.iter().min().copied(), durations.iter().max().copied())
    );
    assert_eq!(times.ranks(), ranks);
    assert_eq!(times.is_empty(), durations.is_empty());
    let again = GatheredTimes::from_records(durations, ranks).unwrap();
    assert_eq!(times.mean().to_bits(), again.mean().to_bits());
    assert_eq!(times.std().to_bits(), again.std().to_bits());
}

proptest! {
    #[test]
    fn a_union_by_path(ranks in ranks(), order in any::<prop::sample::Index>()) {
        let mut profiles: Vec<Profile> =
            ranks.iter().map(|(&rank, rows)| profile(rank, rows)).collect();
        let turned = order.index(profiles.len());
        profiles.rotate_left(turned);
        let gathered = Gathered::from_profiles(profiles).unwrap();
        prop_assert_eq!(gathered.rank_count(), ranks.len());
        let paths: BTreeSet<&Vec<String>> = ranks.values().flatten().map(|row| &row.path).collect();
        prop_assert_eq!(gathered.len(), paths.len());
        prop_assert_eq!(gathered.paths().collect::<BTreeSet<_>>().len(), paths.len());
        for path in paths {
            let (durations, of, with, categories) = union(&ranks, |row| &row.path == path);
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            let times = gathered.get(&names).unwrap();
            check_times(&times, &durations, &of);
            prop_assert_eq!(times.durations(), &durations);
            prop_assert_eq!(times.rank_count(), with.len());
            prop_assert_eq!(times.mixes_categories(), categories.len() > 1);
            prop_assert!(times.categories().eq(categories.iter().map(String::as_str)));
            // The slowest: the most time, of those the lowest rank.
            let slowest = with.iter().map(|&rank| {
                let sum: u64 = durations.iter().zip(&of).filter(|pair| *pair.1 == rank).map(|pair| pair.0).sum();
                (sum, std::cmp::Reverse(rank))
            }).max();
            prop_assert_eq!(times.across().slowest(), slowest.map(|(sum, rank)| (rank.0, sum)));
        }
        let names: BTreeSet<&String> = ranks.values().flatten().map(|row| row.path.last().unwrap()).collect();
        prop_assert_eq!(gathered.names().count(), names.len());
        for name in names {
            let (mut durations, of, ..) = union(&ranks, |row| row.path.last() == Some(name));
            let times = gathered.by_name(name).unwrap();
            check_times(&times, &durations, &of);
            let mut found = times.durations().to_vec();
            found.sort_unstable();
            durations.sort_unstable();
            prop_assert_eq!(found, durations);
            prop_assert!(times.iter().is_sorted_by_key(|sample| (sample.rank, sample.start)));
        }
        for (&rank, rows) in &ranks {
            let (total, categories) = totals(rows);
            prop_assert!(gathered.totals().any(|pair| pair == (rank, total)));
            for (category, time) in categories {
                prop_assert!(gathered.category_totals(category).any(|pair| pair == (rank, time)));
            }
        }
        let again = Gathered::from_bytes(&gathered.to_bytes()).unwrap();
        prop_assert_eq!(again.profiles(), gathered.profiles());
    }

    #[test]
    fn a_profile_of_records_round_trips(rows in rows()) {
        let profile = profile(7, &rows);
        prop_assert_eq!(&Profile::from_bytes(&profile.to_bytes()).unwrap(), &profile);
        for row in &rows {
            let names: Vec<&str> = row.path.iter().map(String::as_str).collect();
            let index = profile.find(&names).unwrap();
            prop_assert_eq!(profile.path(index), names);
            let durations: Vec<u64> =
                profile.samples(index).0.iter().map(|sample| sample.duration).collect();
            prop_assert_eq!(&durations, &row.durations);
        }
    }

    #[test]
    fn a_slice_is_pythons(
        length in 0_usize..12,
        from in prop::option::of(-15_isize..15),
        to in prop::option::of(-15_isize..15),
        step in -4_isize..5,
    ) {
        let durations: Vec<u64> = (0..length as u64).collect();
        let times = GatheredTimes::from_records(&durations, &vec![0; length]).unwrap();
        // As Python defines it: indices from + i × step that are between the ends.
        let size = length as isize;
        let at = |place: isize| if place < 0 { place + size } else { place };
        let (low, high) = if step < 0 { (-1, size - 1) } else { (0, size) };
        let first = from.map_or(if step < 0 { high } else { low }, |place| at(place).clamp(low, high));
        let end = to.map_or(if step < 0 { low } else { high }, |place| at(place).clamp(low, high));
        let mut expected: Vec<u64> = (0..20)
            .map(|index| first + index * step)
            .filter(|&place| step != 0 && if step < 0 { place > end } else { place < end })
            .filter(|place| (0..size).contains(place))
            .map(|place| place as u64)
            .collect();
        match times.slice(from, to, step) {
            None => prop_assert_eq!(step, 0),
            Some(slice) => {
                expected.sort_unstable();
                let mut found = slice.durations().to_vec();
                found.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }
}

fn vectors() -> Gathered {
    Gathered::from_bytes(&vector("ranks.xtp")).unwrap()
}

#[test]
fn ranks_that_differ() {
    let gathered = vectors();
    let paths: Vec<Vec<&str>> = gathered.paths().collect();
    assert_eq!(paths, [vec!["step"], vec!["step", "load"], vec!["step", "save"], vec!["load"]]);
    assert_eq!(gathered.names().collect::<Vec<_>>(), ["step", "load", "save"]);
    let load = gathered.get(&["step", "load"]).unwrap();
    assert_eq!((load.durations(), load.ranks()), ([3, 4, 30].as_slice(), [0, 0, 1].as_slice()));
    assert_eq!(load.starts(), [1, 22, 10]);
    assert_eq!((load.category(), load.mixes_categories()), (None, true));
    assert_eq!(load.across().slowest(), Some((1, 30)));
    assert_eq!(load.across().fastest(), Some((0, 7)));
    assert_eq!(load.across().imbalance(), 30.0 / 18.5);
    assert_eq!(load.get_rank(&[0, 9]).durations(), [3, 4]);
    assert_eq!(load.get_rank(&[0]).category(), Some("io"));
    assert!(load.get_rank(&[2]).is_empty());
    assert_eq!(
        load.at(-1).map(|sample| (sample.rank, sample.start, sample.duration)),
        Some((1, 10, 30))
    );
    assert_eq!((load.at(3), load.at(-4)), (None, None));

    let by_name = gathered.by_name("load").unwrap();
    assert_eq!((by_name.count(), by_name.len(), by_name.rank_count()), (7, 3, 3));
    assert_eq!(by_name.sum(), 57);
    assert_eq!(gathered.category_totals("io").collect::<Vec<_>>(), [(0, 7), (7, 20)]);
    assert_eq!(gathered.across_category("io").rank_count(), 2);
    assert_eq!(gathered.across().slowest(), Some((1, 300)));
    assert_eq!(gathered.across().fastest(), Some((2, 0)));
    assert!(gathered.get(&["step", "nowhere"]).is_none() && gathered.by_name("x").is_none());
    let without = gathered.get_rank(&[2, 7]);
    assert_eq!((without.rank_count(), without.len()), (2, 1));
    assert_eq!(gathered.parent_of(&["step", "load"]), Some(["step"].as_slice()));
    assert_eq!(gathered.parent_of(&["load"]), None);
}

/// A transport as a function: the others' bytes are put around ours.
#[test]
fn gathering_over_a_function() {
    let mine = vectors().profiles()[1].clone();
    let others = vectors().get_rank(&[0, 7]);
    let all = |bytes: &[u8]| Ok::<_, String>(Some([&others.to_bytes(), bytes].concat()));
    let gathered = Gathered::gather(&mine, all).unwrap().unwrap();
    assert_eq!(gathered.totals().collect::<Vec<_>>(), [(0, 70), (1, 300), (7, 20)]);

    let elsewhere = Gathered::gather(&mine, |_| Ok::<Option<Vec<u8>>, String>(None));
    assert!(matches!(elsewhere, Ok(None)));

    let broken = Gathered::gather(&mine, |_| Err::<Option<Vec<u8>>, _>("rank 3 is gone"));
    assert_eq!(broken.unwrap_err().to_string(), "gathering failed: rank 3 is gone");

    let twice = Gathered::gather(&mine, |bytes| Ok::<_, String>(Some(bytes.repeat(2))));
    let same = SameRank { rank: 1, labels: ["slow".into(), "slow".into()] };
    assert_eq!(twice.unwrap_err(), GatherError::SameRank(same));

    let length = mine.to_bytes().len();
    let cut = Gathered::gather(&mine, |bytes| {
        Ok::<_, String>(Some([bytes, &bytes[..length - 1]].concat()))
    });
    let fault = Fault::Length { told: length as u64, there: length as u64 - 1 };
    let offset = length as u64 + 8;
    assert_eq!(cut.unwrap_err(), GatherError::Decode(DecodeError { fault, offset }));

    let nothing = Gathered::gather(&mine, |_| Ok::<_, String>(Some(Vec::new())));
    assert!(matches!(nothing, Err(GatherError::Decode(_))));
}

#[test]
fn two_of_one_rank_are_refused() {
    let of = |label| {
        let step = Records { path: &["step"], category: "", durations: &[1], starts: &[] };
        Profile::from_records(Source { rank: 4, label }, &[step])
    };
    let mut both = vec![of("here"), of("there")];
    let error = Gathered::from_profiles(both.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Two profiles are of rank 4 ('here' and 'there'); give each a rank of its own."
    );
    both[1].set_rank(5);
    assert_eq!(Gathered::from_profiles(both).unwrap().rank_count(), 2);
}

#[test]
fn counted_sections_flatten_over_ranks() {
    let rank = |rank, paths: &[&[&str]]| {
        let records: Vec<Records<'_>> = paths
            .iter()
            .map(|path| Records { path, category: "c", durations: &[10, 20], starts: &[] })
            .collect();
        Profile::from_records(Source { rank, label: "" }, &records)
    };
    let gathered = Gathered::from_profiles(vec![
        rank(0, &[&["s[0]"], &["s[0]", "a"], &["s[1]"], &["s[1]", "a"]]),
        rank(1, &[&["s[7]"], &["b"]]),
    ]);
    let flat = gathered.unwrap().flatten();
    let paths: Vec<_> = flat.paths().collect();
    assert_eq!(paths, [vec!["s"], vec!["s", "a"], vec!["b"]]);
    let step = flat.get(&["s"]).unwrap();
    assert_eq!((step.count(), step.sum(), step.rank_count()), (6, 90, 2));
    assert_eq!(step.across().slowest(), Some((0, 60)));
    assert_eq!(flat.profiles().len(), 2);
    let again: Vec<_> = flat.flatten().paths().map(|path| path.join("/")).collect();
    assert_eq!(again, ["s", "s/a", "b"]);
}

//! What gathering comes to, worked out again in the plainest way: lists of samples by path.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use xtimer_core::profile::{Profile, Records, Source};

/// One section of a rank.
#[derive(Clone, Debug)]
pub struct Row {
    pub path: Vec<String>,
    pub category: String,
    pub durations: Vec<u64>,
}

/// The profile of rows, in their order.
pub fn profile(rank: u32, rows: &[Row]) -> Profile {
    let paths: Vec<Vec<&str>> =
        rows.iter().map(|row| row.path.iter().map(String::as_str).collect()).collect();
    let starts: Vec<u64> = (0..100).map(|index| index * 10).collect();
    let records: Vec<Records<'_>> = rows
        .iter()
        .zip(&paths)
        .map(|(row, path)| Records {
            path,
            category: &row.category,
            durations: &row.durations,
            starts: &starts,
        })
        .collect();
    Profile::from_records(Source { rank, label: &format!("rank {rank}") }, &records)
}

/// Distinct paths in any order, so that ranks differ in names, order and subset; some have none.
pub fn rows() -> impl Strategy<Value = Vec<Row>> {
    let name = prop::sample::select(vec!["a", "b", "a/b", "", "ß"]);
    let path = prop::collection::vec(name.prop_map(str::to_owned), 1..4);
    let category = prop::sample::select(vec!["io", "gpu", "default"]).prop_map(str::to_owned);
    let durations = prop::collection::vec(0_u64..1 << 40, 0..5);
    let row = (path, category, durations).prop_map(|(path, category, durations)| Row {
        path,
        category,
        durations,
    });
    prop::collection::vec(row, 0..8).prop_map(|rows| {
        let mut seen = BTreeSet::new();
        rows.into_iter().filter(|row| seen.insert(row.path.clone())).collect()
    })
}

/// Ranks with gaps between their numbers.
pub fn ranks() -> impl Strategy<Value = BTreeMap<u32, Vec<Row>>> {
    prop::collection::btree_map(0_u32..20, rows(), 1..6)
}

/// Total and category totals by the definition: who has no recorded parent, and who has no recorded
/// section of its category around it.
pub fn totals(rows: &[Row]) -> (u64, BTreeMap<&str, u64>) {
    let at = |path: &[String]| rows.iter().find(|row| row.path == path);
    let (mut total, mut categories) = (0, BTreeMap::new());
    for row in rows {
        let time: u64 = row.durations.iter().sum();
        let above = || (1..row.path.len()).rev().map(|length| at(&row.path[..length]));
        if above().next().flatten().is_none() {
            total += time;
        }
        let is_inside = above().flatten().any(|outer| outer.category == row.category);
        *categories.entry(&*row.category).or_insert(0) += if is_inside { 0 } else { time };
    }
    (total, categories)
}

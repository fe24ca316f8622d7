//! JSON: for one rank the keys of `docs/json.md`; for more, the sections over all ranks, and each rank's
//! as for one.
//!
//! Times are seconds with all their digits, means and deviations 64-bit numbers; what is not a number is
//! `null`.

use std::collections::BTreeMap;
use std::io::Write;

use serde::Serialize;
use serde_json::value::RawValue;
use xtimer_core::histogram;
use xtimer_core::profile::{Across, Gathered, Profile};

use crate::failure::Result;
use crate::input::Loaded;
use crate::overview::{Category, Overview, Row, losses_of};
use crate::units;

type Exact = Box<RawValue>;

fn seconds(nanoseconds: u128) -> Option<Exact> {
    RawValue::from_string(units::seconds(nanoseconds)).ok()
}

/// JSON has no number for what is none.
fn number(nanoseconds: f64) -> Option<f64> {
    Some(nanoseconds / 1e9).filter(|seconds| seconds.is_finite())
}

#[derive(Serialize)]
struct Ranks<'j> {
    rank_count: u64,
    total_time: OverRanks,
    total_category_time: BTreeMap<&'j str, OverRanks>,
    sections: Vec<Section<'j>>,
    lost: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    profiles: Vec<One<'j>>,
}

#[derive(Serialize)]
struct OverRanks {
    ranks: u64,
    sum: Option<Exact>,
    min: Option<Exact>,
    mean: Option<f64>,
    max: Option<Exact>,
    std: Option<f64>,
    imbalance: Option<f64>,
    slowest: Option<u32>,
    fastest: Option<u32>,
}

impl OverRanks {
    fn of(across: &Across) -> Self {
        Self {
            ranks: across.rank_count(),
            sum: seconds(across.sum()),
            min: across.min().and_then(|time| seconds(time.into())),
            mean: number(across.mean()),
            max: across.max().and_then(|time| seconds(time.into())),
            std: number(across.std()),
            imbalance: Some(across.imbalance()).filter(|ratio| ratio.is_finite()),
            slowest: across.slowest().map(|slowest| slowest.0),
            fastest: across.fastest().map(|fastest| fastest.0),
        }
    }
}

#[derive(Serialize)]
struct Section<'j> {
    name: &'j str,
    path: &'j [String],
    time: Option<Exact>,
    category: &'j str,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<&'j [String]>,
    count: u64,
    min: Option<Exact>,
    max: Option<Exact>,
    mean: Option<f64>,
    std: Option<f64>,
    percentiles: Option<BTreeMap<&'static str, f64>>,
    open: u64,
    over_ranks: OverRanks,
}

impl<'j> Section<'j> {
    fn of(row: &'j Row) -> Self {
        let exact = |time: Option<u64>| time.and_then(|time| seconds(time.into()));
        let [p50, p90, p99] = row.percentiles.map(number);
        let percentiles = [("50", p50), ("90", p90), ("99", p99)];
        let percentiles: Option<BTreeMap<_, _>> =
            percentiles.into_iter().map(|(key, value)| Some((key, value?))).collect();
        Self {
            name: row.path.last().map_or("", String::as_str),
            path: &row.path,
            time: seconds(row.sum),
            category: row.categories.first().map_or("", String::as_str),
            categories: (row.categories.len() > 1).then_some(&row.categories),
            count: row.count,
            min: exact(row.min),
            max: exact(row.max),
            mean: number(row.mean),
            std: number(row.std),
            percentiles,
            open: row.open,
            over_ranks: OverRanks::of(&row.across),
        }
    }
}

#[derive(Serialize)]
struct One<'j> {
    rank: u32,
    label: &'j str,
    total_time: Option<Exact>,
    total_category_time: BTreeMap<&'j str, Option<Exact>>,
    sections: Vec<OneSection<'j>>,
    clock: Clock<'j>,
    overhead: Overhead,
    lost: Lost<'j>,
}

#[derive(Serialize)]
struct OneSection<'j> {
    name: &'j str,
    path: Vec<&'j str>,
    time: Option<Exact>,
    category: &'j str,
    count: u64,
    self_time: Option<Exact>,
    min: Option<Exact>,
    max: Option<Exact>,
    mean: Option<f64>,
    std: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    percentiles: Option<BTreeMap<&'static str, Option<Exact>>>,
    open: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_time: Option<Exact>,
    #[serde(skip_serializing_if = "is_false")]
    busy: bool,
    #[serde(skip_serializing_if = "is_false")]
    late: bool,
    #[serde(skip_serializing_if = "is_false")]
    exceeded: bool,
    samples: usize,
    dropped: u64,
}

fn is_false(mark: &bool) -> bool {
    !mark
}

#[derive(Serialize)]
struct Lost<'j> {
    #[serde(flatten)]
    counts: BTreeMap<&'static str, u64>,
    without_slot: BTreeMap<&'j str, WithoutSlot>,
}

#[derive(Serialize)]
struct WithoutSlot {
    count: u64,
    time: Option<Exact>,
}

#[derive(Serialize)]
struct Clock<'j> {
    name: &'j str,
    hertz: Option<u64>,
    width: u32,
}

#[derive(Serialize)]
struct Overhead {
    pair: Option<f64>,
    quantum: Option<f64>,
}

/// Writes what was read.
pub fn write(out: &mut dyn Write, loaded: &Loaded) -> Result {
    let profiles = match loaded {
        Loaded::Ranks(gathered) => gathered.profiles(),
        Loaded::Reduced(_) => &[],
    };
    if let [profile] = profiles {
        serde_json::to_writer_pretty(&mut *out, &one(profile))?;
    } else {
        let overview = Overview::of(loaded);
        let of_category = |category: &Category| OverRanks::of(&category.across);
        let all = overview.categories.iter();
        let ranks = Ranks {
            rank_count: overview.total.rank_count(),
            total_time: OverRanks::of(&overview.total),
            total_category_time: all
                .map(|category| (&*category.name, of_category(category)))
                .collect(),
            sections: overview.rows.iter().map(Section::of).collect(),
            lost: overview.losses.iter().copied().collect(),
            profiles: profiles.iter().map(|profile| one(profile)).collect(),
        };
        serde_json::to_writer_pretty(&mut *out, &ranks)?;
    }
    Ok(out.write_all(b"\n")?)
}

fn one(profile: &Profile) -> One<'_> {
    // A rank alone is always told apart.
    let alone = Gathered::from_profiles(vec![profile.clone()]).ok();
    let (clock, scale, width) = profile.clock();
    let price = profile.price();
    let measured = |picoseconds: u32| (picoseconds != 0).then(|| f64::from(picoseconds) / 1e12);
    let categories = profile.categories().iter();
    One {
        rank: profile.rank(),
        label: profile.label(),
        total_time: seconds(profile.total().into()),
        total_category_time: categories
            .map(|category| (&*category.name, seconds(category.total.into())))
            .collect(),
        sections: (0..profile.sections().len())
            .map(|index| section(profile, alone.as_ref(), index))
            .collect(),
        clock: Clock { name: clock, hertz: hertz(scale), width },
        overhead: Overhead { pair: measured(price.pair), quantum: measured(price.quantum) },
        lost: lost(profile),
    }
}

fn lost(profile: &Profile) -> Lost<'_> {
    let without_slot = profile.categories().iter().filter(|category| category.lost_count > 0);
    Lost {
        counts: losses_of(profile.losses()).into_iter().collect(),
        without_slot: without_slot
            .map(|category| {
                let (count, time) = (category.lost_count, seconds(category.lost_time.into()));
                (&*category.name, WithoutSlot { count, time })
            })
            .collect(),
    }
}

/// Ticks a second: 10^9 × 2^shift ÷ multiplier, to nearest.
fn hertz(scale: xtimer_core::Scale) -> Option<u64> {
    let exact = 1e9 * f64::from(scale.shift).exp2() / scale.multiplier as f64;
    exact.is_finite().then_some(exact.round() as u64)
}

fn section<'j>(profile: &'j Profile, alone: Option<&Gathered>, index: usize) -> OneSection<'j> {
    let section = &profile.sections()[index];
    let numbers = &section.numbers;
    let exact = |time: Option<u64>| time.and_then(|time| seconds(time.into()));
    let (samples, dropped) = profile.samples(index);
    let path = profile.path(index);
    let times = alone.and_then(|alone| alone.get(&path));
    OneSection {
        name: &section.name,
        path,
        time: seconds(numbers.total.into()),
        category: profile.category_of(section),
        count: numbers.count,
        self_time: exact(numbers.exclusive),
        min: exact(numbers.min),
        max: exact(numbers.max),
        mean: times.as_ref().and_then(|times| number(times.mean())),
        std: times.as_ref().and_then(|times| number(times.std())),
        percentiles: profile.histogram(index).map(|buckets| {
            let shares = [("50", 500_000), ("90", 900_000), ("99", 990_000), ("99.9", 999_000)];
            let at = |share| {
                let all = buckets.iter().map(|&(bucket, count)| (bucket as usize, count));
                let value = histogram::percentile(all, share)?;
                let value = numbers.min.map_or(value, |min| value.max(min));
                Some(numbers.max.map_or(value, |max| value.min(max)))
            };
            shares.into_iter().map(|(key, share)| (key, exact(at(share)))).collect()
        }),
        open: numbers.open,
        open_time: (numbers.open > 0).then(|| seconds(numbers.open_time.into())).flatten(),
        busy: section.marks.busy,
        late: section.marks.late,
        exceeded: section.marks.exceeded,
        samples: samples.len(),
        dropped,
    }
}

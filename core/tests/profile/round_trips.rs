//! Profiles made by hand, block by block, for what no timer of these tests keeps.

use std::collections::BTreeMap;

use xtimer_core::histogram::index_of;
use xtimer_core::profile::{Gathered, GatheredTimes};

use crate::bytes::{block, number, sealed};

/// The times of a section `s` that kept a histogram, extremes and squares, but no samples.
pub fn with_histogram_only(durations: &[u64]) -> GatheredTimes {
    let sum: u64 = durations.iter().sum();
    let squares: u128 = durations.iter().map(|&time| u128::from(time).pow(2)).sum();
    let mut buckets: BTreeMap<u32, u64> = BTreeMap::new();
    for &duration in durations {
        *buckets.entry(index_of(duration) as u32).or_insert(0) += 1;
    }
    let numbers = [
        durations.len() as u128,
        sum.into(),
        (*durations.iter().min().unwrap()).into(),
        (*durations.iter().max().unwrap()).into(),
        squares,
    ];
    let mut section = vec![1, 0, 32 | 64, 1, b's', 0];
    section.extend(numbers.iter().flat_map(|&value| number(value)));
    section.push(0);
    let mut histogram = [vec![1, 0], number(buckets.len() as u128)].concat();
    let mut next = 0;
    for (bucket, count) in buckets {
        histogram.extend(number((bucket - next).into()));
        histogram.extend(number(count.into()));
        next = bucket + 1;
    }
    let blocks = [
        block(1, &[0, 0]),
        block(2, &[0, 1, 0, 64, 0, 0]),
        block(3, &[0]),
        block(4, &[vec![0, 1, 0], number(sum.into()), vec![0, 0]].concat()),
        block(5, &section),
        block(64, &histogram),
    ];
    let gathered = Gathered::from_bytes(&sealed(1, &blocks.concat())).unwrap();
    gathered.get(&["s"]).unwrap()
}

//! Single pairs, each between two clock reads: what the slowest ones take.

use xtimer_core::{Clock, HostClock, cycle_counter};

use crate::alternate::quantile;

/// Quantiles of single pairs, in nanoseconds, clock reads around them included.
#[derive(Clone, Copy, Debug)]
pub struct Quantiles {
    /// The median.
    pub p50: f64,
    /// 99 of 100 are faster.
    pub p99: f64,
    /// 999 of 1,000 are faster.
    pub p999: f64,
}

/// Measures `count` single pairs of each in turn.
pub fn measure(count: usize, subjects: &[fn(u32)]) -> Vec<Quantiles> {
    let scale = HostClock::best().scale();
    let mut taken = vec![Vec::with_capacity(count); subjects.len()];
    for _ in 0..count {
        for (subject, times) in subjects.iter().zip(&mut taken) {
            let start = cycle_counter();
            subject(1);
            times.push(cycle_counter().wrapping_sub(start));
        }
    }
    let quantiles = |ticks: Vec<u64>| {
        let mut times: Vec<f64> =
            ticks.into_iter().map(|ticks| scale.picoseconds(ticks) as f64 / 1e3).collect();
        let mut at = |share| quantile(&mut times, share);
        Quantiles { p50: at(0.5), p99: at(0.99), p999: at(0.999) }
    };
    taken.into_iter().map(quantiles).collect()
}

//! What the model says of samples and histograms: which durations a ring holds, what the buckets hold.

use std::collections::BTreeMap;

use super::calls::Path;
use super::snapshot::base_path;

/// What is kept besides statistics.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keeping {
    /// Places of each lane's ring.
    pub samples: usize,
    /// The oldest samples stay instead of the newest.
    pub oldest: bool,
    /// Each section has a histogram.
    pub histograms: bool,
}

/// One duration that was added to a section with a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The section.
    pub path: Path,
    /// The lane it was measured in.
    pub lane: usize,
    /// When it began.
    pub start: u64,
    /// How long it took.
    pub duration: u64,
}

impl Taken {
    /// A duration that is too long for one place takes two.
    fn places(&self) -> usize {
        if self.duration >= (1 << 44) - 1 { 2 } else { 1 }
    }
}

/// All durations since the last clear, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct History(pub Vec<Taken>);

impl History {
    /// The samples of a section (of all, without one) that are kept, by start, and how many durations
    /// more there were.
    pub fn samples(&self, keeping: Keeping, path: Option<&Path>) -> (Vec<Taken>, u64) {
        let lanes = self.0.iter().map(|taken| taken.lane + 1).max().unwrap_or(0);
        let mut kept = Vec::new();
        for lane in 0..lanes {
            let of_lane: Vec<_> = self.0.iter().filter(|taken| taken.lane == lane).collect();
            let mut left = keeping.samples;
            let mut keep = |taken: &&&Taken| {
                let fits = left >= taken.places();
                // Whatever comes behind one that does not fit is not kept either.
                left = if fits { left - taken.places() } else { 0 };
                fits
            };
            if keeping.oldest {
                kept.extend(of_lane.iter().take_while(&mut keep).copied().cloned());
            } else {
                kept.extend(of_lane.iter().rev().take_while(&mut keep).copied().cloned());
            }
        }
        let of_path = |taken: &&Taken| path.is_none_or(|path| taken.path == *path);
        kept.retain(|taken| of_path(&taken));
        kept.sort_by_key(|taken| (taken.start, taken.lane, taken.duration));
        let all = self.0.iter().filter(of_path).count() as u64;
        let dropped = all - kept.len() as u64;
        (kept, dropped)
    }

    /// The durations of a section, or of all whose flattened path it is, the shortest first.
    pub fn durations(&self, path: &Path, flattened: bool) -> Vec<u64> {
        let shown =
            |taken: &Taken| if flattened { base_path(&taken.path) } else { taken.path.clone() };
        let of_path = self.0.iter().filter(|taken| shown(taken) == *path);
        let mut durations: Vec<_> = of_path.map(|taken| taken.duration).collect();
        durations.sort_unstable();
        durations
    }
}

/// How many values lie in each bucket that holds one, by halving a value until it has six bits.
pub fn buckets(values: &[u64]) -> BTreeMap<usize, u64> {
    let mut buckets = BTreeMap::new();
    for &value in values {
        let (mut first, mut halvings) = (value, 0);
        while first >= 64 {
            first /= 2;
            halvings += 1;
        }
        *buckets.entry(first as usize + 32 * halvings).or_insert(0) += 1;
    }
    buckets
}

//! The times of one section over many ranks: each sample with its rank, and what they come to.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;

use crate::histogram::{index_of, middle};
use crate::profile::across::Across;
use crate::profile::moments::{self, Moments};
use crate::profile::owned::Buckets;
use crate::profile::records::numbers_of;
use crate::profile::view::{Marks, Numbers, Sample};

/// What a section came to on one rank.
#[derive(Clone, Debug, PartialEq)]
pub struct RankTimes {
    /// The rank.
    pub rank: u32,
    /// Its category there; by name, of the first path.
    pub category: Box<str>,
    /// What is remarkable about it.
    pub marks: Marks,
    /// What it came to, in nanoseconds.
    pub numbers: Numbers,
    /// Samples that were dropped.
    pub dropped: u64,
    /// Its histogram, where one was kept.
    pub histogram: Option<Box<Buckets>>,
}

/// A sample and its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankSample {
    /// The rank.
    pub rank: u32,
    /// When it began, in nanoseconds of the rank's clock; 0 where that is not known.
    pub start: u64,
    /// How long it took, in nanoseconds.
    pub duration: u64,
}

/// Arrays that should be of one length, and are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthMismatch {
    /// How many durations there are.
    pub durations: usize,
    /// How many ranks there are.
    pub ranks: usize,
}

impl fmt::Display for LengthMismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { durations, ranks } = self;
        write!(formatter, "There are {durations} durations, but {ranks} ranks.")
    }
}

impl core::error::Error for LengthMismatch {}

/// The times of one section, gathered from ranks.
///
/// Count, sum, mean, deviation and extremes come from what each rank counted, so they are exact where
/// samples were dropped, or never kept. Times are nanoseconds.
///
/// ```
/// use xtimer_core::profile::GatheredTimes;
///
/// let times = GatheredTimes::from_records(&[10, 30, 20], &[1, 0, 1]).unwrap();
/// assert_eq!((times.durations(), times.ranks()), ([30, 10, 20].as_slice(), [0, 1, 1].as_slice()));
/// assert_eq!((times.count(), times.mean(), times.std()), (3, 20.0, 10.0));
/// assert_eq!(times.at(-1).unwrap().duration, 20);
/// assert_eq!(times.percentile(50.0), 20.0);
/// assert_eq!(times.across().slowest(), Some((0, 30)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GatheredTimes {
    by_rank: Vec<RankTimes>,
    durations: Vec<u64>,
    starts: Vec<u64>,
    ranks: Vec<u32>,
    categories: BTreeSet<Box<str>>,
}

impl GatheredTimes {
    /// The times of `durations`, in nanoseconds, each with the rank it comes from. They are put in
    /// order of rank; of one rank they stay in theirs.
    ///
    /// # Errors
    /// [`LengthMismatch`] when the arrays differ in length.
    pub fn from_records(durations: &[u64], ranks: &[u32]) -> Result<Self, LengthMismatch> {
        if durations.len() != ranks.len() {
            return Err(LengthMismatch { durations: durations.len(), ranks: ranks.len() });
        }
        let samples = durations.iter().zip(ranks);
        let samples =
            samples.map(|(&duration, &rank)| RankSample { rank, start: 0, duration }).collect();
        Ok(Self::of_samples(samples, &BTreeMap::new()))
    }

    /// The times of samples, in the order of ranks, then starts.
    fn of_samples(mut samples: Vec<RankSample>, categories: &BTreeMap<u32, &str>) -> Self {
        samples.sort_by_key(|sample| (sample.rank, sample.start));
        let mut times = Self::default();
        for of_rank in samples.chunk_by(|a, b| a.rank == b.rank) {
            let Some(first) = of_rank.first() else { continue };
            let category = categories.get(&first.rank).copied();
            let samples: Vec<Sample> = of_rank
                .iter()
                .map(|sample| Sample { start: sample.start, duration: sample.duration })
                .collect();
            let rank = RankTimes {
                rank: first.rank,
                category: category.unwrap_or(crate::category::DEFAULT_CATEGORY).into(),
                marks: Marks::default(),
                numbers: numbers_of(&samples),
                dropped: 0,
                histogram: None,
            };
            times.categories.insert(rank.category.clone());
            times.push(rank, &samples);
        }
        times
    }

    /// Adds what a rank has of the section, or more of it: ranks come in ascending order.
    pub(crate) fn push(&mut self, rank: RankTimes, samples: &[Sample]) {
        self.categories.insert(rank.category.clone());
        self.durations.extend(samples.iter().map(|sample| sample.duration));
        self.starts.extend(samples.iter().map(|sample| sample.start));
        self.ranks.resize(self.durations.len(), rank.rank);
        match self.by_rank.last_mut() {
            Some(last) if last.rank == rank.rank => {
                last.unite(&rank);
                self.sort_last_rank();
            }
            _ => self.by_rank.push(rank),
        }
    }

    /// By start, where a rank's samples came from more than one section.
    fn sort_last_rank(&mut self) {
        let Some(&last) = self.ranks.last() else { return };
        let first = self.ranks.partition_point(|&rank| rank < last);
        let pairs = self.starts[first..].iter().zip(&self.durations[first..]);
        let mut samples: Vec<Sample> =
            pairs.map(|(&start, &duration)| Sample { start, duration }).collect();
        samples.sort_by_key(|sample| sample.start);
        for (index, sample) in (first..).zip(samples) {
            (self.starts[index], self.durations[index]) = (sample.start, sample.duration);
        }
    }

    /// The samples' durations in nanoseconds, by rank, then start.
    pub fn durations(&self) -> &[u64] {
        &self.durations
    }
    /// The rank of each sample.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }
    /// When each sample began, in nanoseconds of its rank's clock; 0 where that is not known.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }
    /// What the section came to on each rank that has it, by ascending rank.
    pub fn by_rank(&self) -> &[RankTimes] {
        &self.by_rank
    }
    /// How many ranks have the section.
    pub fn rank_count(&self) -> usize {
        self.by_rank.len()
    }
    /// Whether it was never timed: not one duration.
    pub fn is_empty(&self) -> bool {
        self.count() == 0 && self.durations.is_empty()
    }
    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.durations.len()
    }
    /// How many samples were dropped.
    pub fn dropped(&self) -> u64 {
        self.by_rank.iter().fold(0, |sum, rank| sum.saturating_add(rank.dropped))
    }
    /// Whether each duration that was counted is there as a sample.
    pub fn has_all_samples(&self) -> bool {
        self.len() as u64 == self.count()
    }

    /// How many durations were counted, those without a sample among them.
    pub fn count(&self) -> u64 {
        self.by_rank.iter().fold(0, |sum, rank| sum.saturating_add(rank.numbers.count))
    }
    /// All of them together, in nanoseconds.
    pub fn sum(&self) -> u128 {
        self.by_rank.iter().map(|rank| u128::from(rank.numbers.total)).sum()
    }
    /// sum / count; not a number where it is empty.
    pub fn mean(&self) -> f64 {
        Moments { count: self.count(), sum: self.sum(), squares: 0 }.mean()
    }
    /// The sample standard deviation (n - 1); not a number below two, or where a rank didn't keep it.
    pub fn std(&self) -> f64 {
        let squares = self.by_rank.iter().try_fold(0_u128, |sum, rank| {
            let known = if rank.numbers.count == 0 { Some(0) } else { rank.numbers.squares };
            Some(sum.saturating_add(known?))
        });
        match squares {
            Some(squares) => Moments { count: self.count(), sum: self.sum(), squares }.std(),
            None if self.has_all_samples() => self.of_all().std(),
            None => f64::NAN,
        }
    }
    /// The shortest; `None` where it is empty, or where a rank didn't keep it.
    pub fn min(&self) -> Option<u64> {
        self.extreme(|numbers| numbers.min, Iterator::min)
    }
    /// The longest; `None` where it is empty, or where a rank didn't keep it.
    pub fn max(&self) -> Option<u64> {
        self.extreme(|numbers| numbers.max, Iterator::max)
    }

    fn extreme(
        &self,
        of: impl Fn(&Numbers) -> Option<u64>,
        choose: fn(alloc::vec::IntoIter<u64>) -> Option<u64>,
    ) -> Option<u64> {
        let timed = self.by_rank.iter().filter(|rank| rank.numbers.count > 0);
        let known: Option<Vec<u64>> = timed.map(|rank| of(&rank.numbers)).collect();
        match known {
            Some(known) => choose(known.into_iter()),
            None if self.has_all_samples() => choose(self.durations.clone().into_iter()),
            None => None,
        }
    }

    /// The percentile, 0 to 100, by linear interpolation as numpy's default. From the samples where all
    /// are there; else from the histograms, off by a 64th at most; else from the samples that are left.
    /// Not a number where there is none of these.
    pub fn percentile(&self, percent: f64) -> f64 {
        self.percentiles(&[percent]).first().copied().unwrap_or(f64::NAN)
    }

    /// Several percentiles at once: the samples are sorted once.
    pub fn percentiles(&self, percents: &[f64]) -> Vec<f64> {
        if !self.has_all_samples()
            && let Some(buckets) = self.kept_histogram()
        {
            // The extremes are known exactly, and no duration is beyond them.
            let extremes = self.min().zip(self.max());
            let of = |&at| percentile_of(buckets.iter().copied(), extremes, at);
            return percents.iter().map(of).collect();
        }
        let mut sorted = self.durations.clone();
        sorted.sort_unstable();
        let value = |rank: u64| sorted.get(rank as usize).copied();
        let count = sorted.len() as u64;
        percents.iter().map(|&at| moments::percentile(count, at, value)).collect()
    }

    /// The durations in the buckets of [`histogram`](crate::histogram): from the samples where all are
    /// there, else from what each rank kept; `None` where a rank has neither.
    pub fn histogram(&self) -> Option<Vec<(u32, u64)>> {
        if self.has_all_samples() {
            Some(buckets_of(self.durations.iter().copied()))
        } else {
            self.kept_histogram()
        }
    }

    fn kept_histogram(&self) -> Option<Vec<(u32, u64)>> {
        let mut sum = BTreeMap::new();
        for rank in self.by_rank.iter().filter(|rank| rank.numbers.count > 0) {
            add_buckets(&mut sum, rank.histogram.as_deref()?);
        }
        Some(sum.into_iter().collect())
    }

    /// What the section took on each rank: slowest, fastest, mean, imbalance.
    pub fn across(&self) -> Across {
        Across::of(self.by_rank.iter().map(|rank| (rank.rank, rank.numbers.total)))
    }

    /// The category, where all have the same; `None` where they differ, or where there is none.
    pub fn category(&self) -> Option<&str> {
        let mut categories = self.categories();
        categories.next().filter(|_| categories.next().is_none())
    }
    /// Whether ranks, or paths of the name, have it with different categories.
    pub fn mixes_categories(&self) -> bool {
        self.categories.len() > 1
    }
    /// All its categories, sorted by code point.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.categories.iter().map(|category| &**category)
    }

    /// A sample by its place; a negative one counts from the end.
    pub fn at(&self, index: isize) -> Option<RankSample> {
        let index =
            if index < 0 { self.len().checked_add_signed(index)? } else { index.unsigned_abs() };
        self.sample(index)
    }

    fn sample(&self, index: usize) -> Option<RankSample> {
        Some(RankSample {
            rank: *self.ranks.get(index)?,
            start: *self.starts.get(index)?,
            duration: *self.durations.get(index)?,
        })
    }

    /// The samples, by rank, then start.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = RankSample> + ExactSizeIterator {
        (0..self.len()).map(|index| RankSample {
            rank: self.ranks[index],
            start: self.starts[index],
            duration: self.durations[index],
        })
    }

    /// The times of some samples: from `from` up to before `to`, every `step`-th, as a slice in Python:
    /// negative places count from the end, missing ones are the ends, a negative step goes backwards.
    /// They are in order of rank and start again. `None` where the step is 0.
    ///
    /// Only samples are chosen from, and what is told of the result is what they come to.
    pub fn slice(&self, from: Option<isize>, to: Option<isize>, step: isize) -> Option<Self> {
        let length = isize::try_from(self.len()).ok()?;
        let (least, most) = if step < 0 { (-1, length - 1) } else { (0, length) };
        let place = |place: isize| {
            let place = if place < 0 { place.saturating_add(length) } else { place };
            place.clamp(least, most)
        };
        let (first, last) = if step < 0 { (most, least) } else { (least, most) };
        let (mut at, end) = (from.map_or(first, place), to.map_or(last, place));
        let mut samples = Vec::new();
        while step != 0 && if step < 0 { at > end } else { at < end } {
            samples.extend(self.sample(at.unsigned_abs()));
            at = at.saturating_add(step);
        }
        let categories = self.by_rank.iter().map(|rank| (rank.rank, &*rank.category)).collect();
        (step != 0).then(|| Self::of_samples(samples, &categories))
    }

    /// The times of some ranks; those that don't have the section are left out.
    #[must_use]
    pub fn get_rank(&self, ranks: &[u32]) -> Self {
        let mut chosen = Self::default();
        for rank in self.by_rank.iter().filter(|rank| ranks.contains(&rank.rank)) {
            let first = self.ranks.partition_point(|&other| other < rank.rank);
            let end = self.ranks.partition_point(|&other| other <= rank.rank);
            let pairs = self.starts[first..end].iter().zip(&self.durations[first..end]);
            let samples: Vec<Sample> =
                pairs.map(|(&start, &duration)| Sample { start, duration }).collect();
            chosen.push(rank.clone(), &samples);
        }
        chosen
    }

    /// What the samples alone come to.
    fn of_all(&self) -> Self {
        Self::of_samples(self.iter().collect(), &BTreeMap::new())
    }
}

impl RankTimes {
    /// Adds another section of the rank: the name's at another path.
    fn unite(&mut self, other: &Self) {
        self.marks.busy |= other.marks.busy;
        self.marks.late |= other.marks.late;
        self.marks.exceeded |= other.marks.exceeded;
        self.numbers = unite(&self.numbers, &other.numbers);
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.histogram = match (self.histogram.take(), &other.histogram) {
            (Some(one), Some(two)) => {
                let mut sum = one.iter().copied().collect();
                add_buckets(&mut sum, two);
                Some(sum.into_iter().collect())
            }
            (one, None) if other.numbers.count == 0 => one,
            (None, two) if self.numbers.count == other.numbers.count => two.clone(),
            _ => None,
        };
    }
}

pub(crate) fn unite(one: &Numbers, two: &Numbers) -> Numbers {
    if one.count == 0 || two.count == 0 {
        let timed = if one.count == 0 { two } else { one };
        let open = one.open.saturating_add(two.open);
        return Numbers { open, open_time: one.open_time.max(two.open_time), ..*timed };
    }
    let both =
        |one: Option<u64>, two: Option<u64>, with: fn(u64, u64) -> u64| Some(with(one?, two?));
    Numbers {
        count: one.count.saturating_add(two.count),
        total: one.total.saturating_add(two.total),
        exclusive: both(one.exclusive, two.exclusive, u64::saturating_add),
        min: both(one.min, two.min, u64::min),
        max: both(one.max, two.max, u64::max),
        squares: one.squares.zip(two.squares).map(|(one, two)| one.saturating_add(two)),
        open: one.open.saturating_add(two.open),
        open_time: one.open_time.max(two.open_time),
    }
}

pub(crate) fn add_buckets(sum: &mut BTreeMap<u32, u64>, buckets: &Buckets) {
    for &(bucket, count) in buckets {
        let sum = sum.entry(bucket).or_insert(0);
        *sum = sum.saturating_add(count);
    }
}

/// The buckets of durations.
pub(crate) fn buckets_of(durations: impl IntoIterator<Item = u64>) -> Vec<(u32, u64)> {
    let mut sum = BTreeMap::new();
    for duration in durations {
        *sum.entry(index_of(duration) as u32).or_insert(0) += 1;
    }
    sum.into_iter().collect()
}

/// A percentile of a histogram, between the extremes where they are known.
pub(crate) fn percentile_of(
    buckets: impl Iterator<Item = (u32, u64)> + Clone,
    extremes: Option<(u64, u64)>,
    percent: f64,
) -> f64 {
    let count = buckets.clone().fold(0_u64, |sum, bucket| sum.saturating_add(bucket.1));
    moments::percentile(count, percent, |rank| {
        let middle = value_at(buckets.clone(), rank)?;
        Some(match extremes {
            None => middle,
            Some((min, _)) if rank == 0 => min,
            Some((_, max)) if rank + 1 == count => max,
            Some((min, max)) => middle.max(min).min(max),
        })
    })
}

/// The middle of the bucket that holds the duration of a rank, counted from 0 in ascending order.
fn value_at(buckets: impl IntoIterator<Item = (u32, u64)>, rank: u64) -> Option<u64> {
    let mut below = 0_u64;
    buckets.into_iter().find_map(|(index, count)| {
        below = below.saturating_add(count);
        (rank < below).then(|| middle(index as usize))
    })
}

//! One figure over many ranks: what it came to on the slowest, the fastest, and on average.

use crate::profile::moments::Moments;

/// A figure of many ranks (time in nanoseconds), without remembering each.
///
/// Adding is associative and commutative, bit for bit: all sums are integers. Ranks that tie are told
/// by the lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Across {
    pub(crate) ranks: u64,
    pub(crate) sum: u128,
    pub(crate) squares: u128,
    pub(crate) slowest: Option<(u64, u32)>,
    pub(crate) fastest: Option<(u64, u32)>,
}

impl Across {
    /// The figure of one rank.
    pub(crate) fn one(rank: u32, value: u64) -> Self {
        Self {
            ranks: 1,
            sum: value.into(),
            squares: u128::from(value) * u128::from(value),
            slowest: Some((value, rank)),
            fastest: Some((value, rank)),
        }
    }

    /// The figures of ranks, each with its rank.
    pub fn of(figures: impl IntoIterator<Item = (u32, u64)>) -> Self {
        let mut all = Self::default();
        for (rank, value) in figures {
            all.add(&Self::one(rank, value));
        }
        all
    }

    /// Adds the figures of other ranks.
    pub(crate) fn add(&mut self, other: &Self) {
        self.ranks = self.ranks.saturating_add(other.ranks);
        self.sum = self.sum.saturating_add(other.sum);
        self.squares = self.squares.saturating_add(other.squares);
        let slower = |a: &(u64, u32), b: &(u64, u32)| a.0.cmp(&b.0).then(b.1.cmp(&a.1));
        self.slowest = self.slowest.into_iter().chain(other.slowest).max_by(slower);
        self.fastest = self.fastest.into_iter().chain(other.fastest).min();
    }

    /// How many ranks have it.
    pub const fn rank_count(&self) -> u64 {
        self.ranks
    }
    /// All of them together.
    pub const fn sum(&self) -> u128 {
        self.sum
    }
    /// The rank with the most, and how much; `None` without ranks.
    pub fn slowest(&self) -> Option<(u32, u64)> {
        self.slowest.map(|(value, rank)| (rank, value))
    }
    /// The rank with the least, and how much; `None` without ranks.
    pub fn fastest(&self) -> Option<(u32, u64)> {
        self.fastest.map(|(value, rank)| (rank, value))
    }
    /// The least; `None` without ranks.
    pub fn min(&self) -> Option<u64> {
        self.fastest.map(|(value, _)| value)
    }
    /// The most; `None` without ranks.
    pub fn max(&self) -> Option<u64> {
        self.slowest.map(|(value, _)| value)
    }
    /// sum / ranks; not a number without ranks.
    pub fn mean(&self) -> f64 {
        self.moments().mean()
    }
    /// The standard deviation (n - 1) of the ranks; not a number below two.
    pub fn std(&self) -> f64 {
        self.moments().std()
    }
    /// max / mean: 1 where all ranks have the same. Not a number without ranks, or where all have 0.
    pub fn imbalance(&self) -> f64 {
        match self.max() {
            Some(max) if self.sum > 0 => max as f64 / self.mean(),
            _ => f64::NAN,
        }
    }

    const fn moments(&self) -> Moments {
        Moments { count: self.ranks, sum: self.sum, squares: self.squares }
    }
}

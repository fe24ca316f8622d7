//! Log-linear buckets: which one holds a value, what each spans, and percentiles from their counts.
//!
//! ```text
//! value < 32    a bucket of its own, index = value
//! value >= 32   e = 63 - leading zeros (>= 5)     the octave, 2^e to 2^(e+1) - 1
//!               index = (e - 4) * 32 + ((value >> (e - 5)) & 31)
//! ```
//!
//! So each octave has 32 buckets of one width, 2^(e-5), which is at most 1/32 of any value in it; all
//! 64-bit values have 1,920. It is the layout of HdrHistogram with five bits and no lowest unit.
//! Histograms of one unit merge by adding the counts of each bucket. Integers only.

/// Buckets of each octave, as a power of two.
const OCTAVE_BITS: u32 = 5;
/// Buckets of each octave.
const OCTAVE: u64 = 1 << OCTAVE_BITS;

/// How many buckets there are: indices are below this.
pub const BUCKETS: usize = (64 - OCTAVE_BITS as usize + 1) << OCTAVE_BITS;

/// The whole, where a share of it is asked for: `percentile(.., 990_000)` is the 99th percentile.
pub const MILLION: u32 = 1_000_000;

/// The bucket that holds a value.
#[inline(always)]
pub const fn index_of(value: u64) -> usize {
    if value < OCTAVE {
        return value as usize;
    }
    let octave = 63 - value.leading_zeros();
    let within = (value >> (octave - OCTAVE_BITS)) & (OCTAVE - 1);
    (((octave - OCTAVE_BITS + 1) as u64) << OCTAVE_BITS | within) as usize
}

/// The smallest and the largest value of a bucket. An index out of range acts as the last one.
pub const fn bounds(index: usize) -> (u64, u64) {
    let index = if index < BUCKETS { index as u64 } else { BUCKETS as u64 - 1 };
    if index < OCTAVE {
        return (index, index);
    }
    let shift = (index >> OCTAVE_BITS) - 1;
    let low = (OCTAVE | (index & (OCTAVE - 1))) << shift;
    (low, low + ((1 << shift) - 1))
}

/// The value that stands for a bucket, its middle: at most 1/64 off any value in it.
pub const fn middle(index: usize) -> u64 {
    let (low, high) = bounds(index);
    low + (high - low) / 2
}

/// Which of `count` values, in order from 1 on, is the percentile: the first that at least the asked
/// share of the values does not exceed (nearest rank; numpy's `inverted_cdf`). 0 where there are none;
/// a share above [`MILLION`] acts as the whole.
pub const fn rank(count: u128, millionths: u32) -> u128 {
    let share = if millionths < MILLION { millionths } else { MILLION } as u128;
    let whole = MILLION as u128;
    // As count * share / whole, rounded up, for any count.
    let rank = count / whole * share + (count % whole * share).div_ceil(whole);
    if rank == 0 && count != 0 { 1 } else { rank }
}

/// The value at a share of all, in millionths (500,000: the median), from `(index, count)` of the
/// buckets in order of index. `None` where all counts are 0.
///
/// It is the [`middle`] of the bucket that holds the [`rank`]-th value. Who knows the smallest and the
/// largest value clamps it to those.
pub fn percentile<B>(buckets: B, millionths: u32) -> Option<u64>
where
    B: IntoIterator<Item = (usize, u64)>,
    B::IntoIter: Clone,
{
    let buckets = buckets.into_iter();
    let count = buckets.clone().map(|(_, count)| u128::from(count)).sum();
    let mut left = rank(count, millionths);
    if left == 0 {
        return None;
    }
    for (index, count) in buckets {
        let count = u128::from(count);
        if left <= count {
            return Some(middle(index));
        }
        left -= count;
    }
    None
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Values around each power of two, and some in between.
    fn values() -> impl Iterator<Item = u64> {
        let near = |bit: u32| {
            let power = 1_u64 << bit;
            [
                power - 1,
                power,
                power + 1,
                power | power >> 1,
                power | (power - 1) & 0x5555_5555_5555,
            ]
        };
        (0..64).flat_map(near).chain(0..5000).chain([u64::MAX - 1, u64::MAX])
    }

    #[test]
    fn each_value_lies_within_its_bucket() {
        for value in values() {
            let index = index_of(value);
            let (low, high) = bounds(index);
            assert!(index < BUCKETS);
            assert!(low <= value && value <= high, "{value}: {low} to {high}");
            assert!(high - low <= low / 32, "{value}: {low} to {high}");
            let error = value.abs_diff(middle(index));
            assert!(error <= value / 64 + u64::from(value % 64 != 0 && error == 1));
            assert!(u128::from(error) * 32 <= u128::from(value));
        }
    }

    #[test]
    fn buckets_lie_side_by_side() {
        assert_eq!(BUCKETS, 1920);
        assert_eq!(bounds(0), (0, 0));
        for index in 1..BUCKETS {
            assert_eq!(bounds(index).0, bounds(index - 1).1 + 1);
            assert_eq!(index_of(bounds(index).0), index);
            assert_eq!(index_of(bounds(index).1), index);
        }
        assert_eq!(bounds(BUCKETS - 1).1, u64::MAX);
        assert_eq!(bounds(usize::MAX), bounds(BUCKETS - 1));
        assert_eq!(
            [31, 32, 63, 64, 65, 66, 1000].map(index_of),
            [31, 32, 63, 64, 64, 65, 190] // by hand from the formula
        );
    }

    #[test]
    fn the_rank_is_the_nearest() {
        for (count, share, expected) in [
            (0, 500_000, 0),
            (1, 0, 1),
            (1, MILLION, 1),
            (10, 500_000, 5),
            (10, 500_001, 6),
            (10, 990_000, 10),
            (1000, 990_000, 990),
            (1000, 999_000, 999),
            (10, u32::MAX, 10),
            (u128::from(u64::MAX) * 1920, MILLION, u128::from(u64::MAX) * 1920),
        ] {
            assert_eq!(rank(count, share), expected, "{count} {share}");
        }
    }

    #[test]
    fn percentiles_are_those_of_the_values() {
        let mut counts = [0_u64; BUCKETS];
        let mut sorted: [u64; 2000] = core::array::from_fn(|i| {
            (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (i % 60)
        });
        for value in sorted {
            counts[index_of(value)] += 1;
        }
        sorted.sort_unstable();
        for share in [0, 1, 10_000, 250_000, 500_000, 900_000, 990_000, 999_000, 999_999, MILLION] {
            let exact = sorted[rank(2000, share) as usize - 1];
            let buckets = counts.iter().copied().enumerate();
            let found = percentile(buckets, share).unwrap();
            assert!(u128::from(found.abs_diff(exact)) * 32 <= u128::from(exact), "{share}");
        }
        assert_eq!(percentile([(3, 0)], 500_000), None);
        assert_eq!(percentile([(3, u64::MAX), (40, u64::MAX)], 500_000), Some(3));
        assert_eq!(percentile([(3, u64::MAX), (40, u64::MAX)], 500_001), Some(middle(40)));
    }
}

//! Mean and standard deviation in 64 bits, from whole numbers.

use crate::profile::squares::product;

/// A count, a sum and a sum of squares: all that mean and deviation need, and they add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moments {
    pub(crate) count: u64,
    pub(crate) sum: u128,
    pub(crate) squares: u128,
}

impl Moments {
    /// sum / n; not a number without values.
    pub(crate) fn mean(self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.sum as f64 / self.count as f64 }
    }

    /// The sample standard deviation, sqrt((squares - sum²/n) / (n - 1)), as `numpy.std(ddof=1)` and
    /// `torch.std` have it; not a number below two values. n × squares - sum² is taken in 256 bits, so
    /// nothing is lost where the two are nearly the same.
    pub(crate) fn std(self) -> f64 {
        if self.count < 2 {
            return f64::NAN;
        }
        let (high, low) = product(u128::from(self.count), self.squares);
        let (less_high, less_low) = product(self.sum, self.sum);
        let (low, borrow) = low.overflowing_sub(less_low);
        let high = high.checked_sub(less_high).and_then(|high| high.checked_sub(borrow.into()));
        // Below 0 only where the sums stopped at their largest numbers.
        let spread = high.map_or(0.0, |high| high as f64 * TWO_TO_128 + low as f64);
        let count = self.count as f64;
        libm::sqrt(spread / count / (count - 1.0))
    }
}

const TWO_TO_128: f64 = u128::MAX as f64; // rounds to 2^128

/// The percentile of sorted values, 0 to 100, by linear interpolation between the two next to
/// (n - 1) × percent / 100: numpy's default. Not a number without values, or where it is none itself.
pub(crate) fn percentile(count: u64, percent: f64, value: impl Fn(u64) -> Option<u64>) -> f64 {
    if count == 0 || !(0.0..=100.0).contains(&percent) {
        return f64::NAN;
    }
    let position = percent / 100.0 * (count - 1) as f64;
    let below = libm::floor(position);
    let part = position - below;
    let index = (below as u64).min(count - 1);
    let (Some(from), Some(to)) = (value(index), value((index + 1).min(count - 1))) else {
        return f64::NAN;
    };
    from as f64 + (to as f64 - from as f64) * part
}

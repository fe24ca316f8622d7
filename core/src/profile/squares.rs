//! A sum of squared durations, from ticks to nanoseconds.
//!
//! The squares, and what the durations come to, are rounded to nanoseconds apart; that would spoil the
//! small difference of two large numbers that a variance is. So what is converted is the sum of
//! squared deviations, and the squares in nanoseconds are those that give it back:
//!
//! ```text
//! deviations = squares - total² / count                    (in ticks², then in ns²)
//! squares    = deviations + total² / count                 (in ns²)
//! ```
//!
//! It is off by 1 ns² at most, less than the rounding of a single duration. Where a tick is a
//! nanosecond nothing is rounded.

use crate::clock::Scale;

/// What a section's durations came to, in ticks.
#[derive(Clone, Copy)]
pub(crate) struct Ticks {
    pub(crate) count: u64,
    pub(crate) sum: u64,
    pub(crate) squares: u128,
}

/// The squares that belong to `total` nanoseconds; they stop at the largest number.
pub(crate) fn in_nanoseconds(ticks: Ticks, scale: Scale, total: u64) -> u128 {
    if scale == Scale::NANOSECONDS {
        return ticks.squares;
    }
    let count = u128::from(ticks.count.max(1));
    let (deviations, places) = deviations(ticks);
    let tick = u128::from(scale.multiplier) * u128::from(scale.multiplier);
    let shift = places + 2 * scale.shift.min(127);
    let converted = shift_to_nearest(product(deviations, tick), shift);
    let square = u128::from(total) * u128::from(total);
    let mean = square / count + u128::from(square % count * 2 >= count && square % count != 0);
    converted.saturating_add(mean)
}

/// The sum of squared deviations from the mean, times 2^places, in ticks².
fn deviations(ticks: Ticks) -> (u128, u32) {
    let count = u128::from(ticks.count.max(1));
    let square = u128::from(ticks.sum) * u128::from(ticks.sum);
    let (whole, rest) = (square / count, square % count);
    let above = ticks.squares.saturating_sub(whole);
    // As many binary places as both numbers leave room for.
    let places = above.leading_zeros().min(rest.leading_zeros()).min(64);
    ((above << places).saturating_sub((rest << places) / count), places)
}

/// All 256 bits of a product: the high and the low half.
pub(crate) fn product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64); // at most (2^64-1)² + 2^64-1
    let other = a0 * b1 + (middle & LOW);
    (a1 * b1 + (middle >> 64) + (other >> 64), other << 64 | low & LOW)
}

/// A number of 256 bits ÷ 2^shift, to nearest, half upwards; the largest one where it does not fit.
fn shift_to_nearest((high, low): (u128, u128), shift: u32) -> u128 {
    if shift == 0 {
        return if high == 0 { low } else { u128::MAX };
    }
    let last = shift - 1;
    // The number ÷ 2^(shift - 1), of which the last digit rounds.
    let (high, low) = match last {
        0 => (high, low),
        1..128 => (high >> last, low >> last | high << (128 - last)),
        128..256 => (0, high >> (last - 128)),
        _ => (0, 0),
    };
    if high >> 1 != 0 {
        return u128::MAX;
    }
    (high << 127 | low >> 1).saturating_add(low & 1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(durations: &[u64]) -> Ticks {
        let sum = durations.iter().sum();
        let squares = durations.iter().map(|&ticks| u128::from(ticks).pow(2)).sum();
        Ticks { count: durations.len() as u64, sum, squares }
    }

    /// The sum of squared deviations times count, which is whole.
    fn spread(count: u64, sum: u64, squares: u128) -> u128 {
        (squares * u128::from(count)).saturating_sub(u128::from(sum).pow(2))
    }

    proptest! {
        #[test]
        fn deviations_survive(
            durations in prop::collection::vec(0_u64..1 << 40, 1..50),
            nanoseconds in 1_u64..1000,
            ticks in 1_u64..1000,
        ) {
            let scale = Scale::from_ratio(nanoseconds, ticks);
            let known = of(&durations);
            let total = scale.nanoseconds(known.sum);
            let squares = in_nanoseconds(known, scale, total);
            // Both spreads times count, the one in ticks² converted as a fraction.
            let (n, d) = (u128::from(nanoseconds).pow(2), u128::from(ticks).pow(2));
            let found = spread(known.count, total, squares);
            let exact = spread(known.count, known.sum, known.squares);
            let exact = exact / d * n + exact % d * n / d;
            let most = 2 * u128::from(known.count) + (exact >> 60);
            prop_assert!(found.abs_diff(exact) <= most, "{} {} {}", found, exact, most);
        }

        #[test]
        fn products_are_whole(a: u128, b: u64, shift in 0_u32..64) {
            let (high, low) = product(a, u128::from(b));
            let carried = ((a & u128::from(u64::MAX)) * u128::from(b)) >> 64;
            let digits = (a >> 64) * u128::from(b) + carried;
            prop_assert_eq!(high, digits >> 64);
            prop_assert_eq!(low, a.wrapping_mul(u128::from(b)));
            prop_assert_eq!((high, low), product(u128::from(b), a));
            if a < 1 << 64 && shift > 0 {
                let exact = a * u128::from(b);
                let rounded = (exact >> shift) + (exact >> (shift - 1) & 1);
                prop_assert_eq!(shift_to_nearest((high, low), shift), rounded);
            }
        }
    }

    #[test]
    fn ticks_of_a_nanosecond_stay() {
        let known = of(&[3, 5, 1_000_000_007]);
        assert_eq!(in_nanoseconds(known, Scale::NANOSECONDS, known.sum), known.squares);
    }

    #[test]
    fn large_numbers_stop() {
        let largest = Ticks { count: 2, sum: 0, squares: u128::MAX };
        let slow = Scale { multiplier: u64::MAX, shift: 0 };
        assert_eq!(in_nanoseconds(largest, slow, u64::MAX), u128::MAX);
        let all = (u128::MAX, u128::MAX);
        for shift in 0..128 {
            assert_eq!(shift_to_nearest(all, shift), u128::MAX, "{shift}");
        }
        assert_eq!(shift_to_nearest(all, 255), 2);
        assert_eq!(shift_to_nearest(all, 256), 1);
        assert_eq!(shift_to_nearest(all, 257), 0);
        assert_eq!(product(u128::MAX, u128::MAX), (u128::MAX - 1, 1));
    }
}

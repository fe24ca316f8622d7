//! Decimals written from integers: seconds with all their digits for programs, three decimals and a
//! unit for people.

use core::fmt;

/// Picoseconds in a nanosecond, for both are shown with the same units.
const PICOSECONDS: u128 = 1000;

/// An integer divided by a power of ten, written with all its places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed {
    value: u128,
    places: u32,
}

impl Fixed {
    /// Seconds with nine places.
    pub(crate) fn seconds(nanoseconds: u64) -> Self {
        Self { value: nanoseconds.into(), places: 9 }
    }

    /// Seconds with twelve places.
    pub(crate) const fn seconds_of_picoseconds(picoseconds: u128) -> Self {
        Self { value: picoseconds, places: 12 }
    }

    /// Per cent of `part` in `whole`, to nearest, with one place; `None` of nothing.
    pub(crate) fn percent(part: u64, whole: u64) -> Option<Self> {
        let (part, whole) = (u128::from(part), u128::from(whole));
        let value = (part * 1000 + whole / 2).checked_div(whole)?;
        Some(Self { value, places: 1 })
    }
}

impl fmt::Display for Fixed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = 10_u128.pow(self.places);
        let (whole, part, places) = (self.value / unit, self.value % unit, self.places as usize);
        write!(formatter, "{whole}.{part:0places$}")
    }
}

/// A number with three decimals, to nearest, in the smallest unit that keeps it below 1000 after
/// rounding; what is too much for the largest unit stays in that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled {
    pub(crate) number: Fixed,
    pub(crate) unit: &'static str,
}

impl Scaled {
    /// A duration.
    pub(crate) const fn picoseconds(picoseconds: u128) -> Self {
        Self::of(picoseconds, ["ns", "µs", "ms", "s"])
    }

    /// A duration.
    pub(crate) fn nanoseconds(nanoseconds: u64) -> Self {
        Self::picoseconds(u128::from(nanoseconds) * PICOSECONDS)
    }

    /// A frequency.
    pub(crate) fn hertz(hertz: u64) -> Self {
        Self::of(u128::from(hertz) * 1000, ["Hz", "kHz", "MHz", "GHz"])
    }

    /// From thousandths of the first unit; each unit is a thousand times the one before.
    const fn of(thousandths: u128, units: [&'static str; 4]) -> Self {
        let mut divisor = 1;
        let mut index = 0;
        loop {
            // Always from the exact value: rounding twice could go up twice.
            let rest = thousandths % divisor;
            let value = thousandths / divisor + (2 * rest >= divisor && divisor > 1) as u128;
            if value < 1_000_000 || index + 1 == units.len() {
                return Self { number: Fixed { value, places: 3 }, unit: units[index] };
            }
            divisor *= 1000;
            index += 1;
        }
    }
}

impl fmt::Display for Scaled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.number, self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    /// `value` / 10^`places` by moving the point in its digits.
    fn by_digits(value: u128, places: usize) -> String {
        let digits = format!("{value:0>width$}", width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        format!("{whole}.{part}")
    }

    /// Values of every length in bits.
    fn any_length() -> impl Strategy<Value = u128> {
        (any::<u128>(), 0_u32..128).prop_map(|(value, shift)| value >> shift)
    }

    #[test]
    fn a_duration_keeps_below_1000_after_rounding() {
        for (nanoseconds, shown) in [
            (0, "0.000 ns"),
            (1, "1.000 ns"),
            (999, "999.000 ns"),
            (1_000, "1.000 µs"),
            (1_001, "1.001 µs"),
            (999_999, "999.999 µs"),
            (1_000_000, "1.000 ms"),
            (1_000_499, "1.000 ms"),
            (1_000_500, "1.001 ms"),
            (999_999_499, "999.999 ms"),
            (999_999_500, "1.000 s"),
            (999_999_999, "1.000 s"),
            (1_000_000_000, "1.000 s"),
            (59_999_499_999, "59.999 s"),
            (59_999_500_000, "60.000 s"),
            (999_999_499_999, "999.999 s"),
            (999_999_500_000, "1000.000 s"),
            (86_400_000_000_000, "86400.000 s"),
            (u64::MAX, "18446744073.710 s"),
        ] {
            assert_eq!(Scaled::nanoseconds(nanoseconds).to_string(), shown, "{nanoseconds}");
        }
        for (picoseconds, shown) in [
            (1, "0.001 ns"),
            (999_999, "999.999 ns"),
            (1_000_000, "1.000 µs"),
            (999_999_499, "999.999 µs"),
            (999_999_500, "1.000 ms"),
            (999_999_600, "1.000 ms"),
            // Rounded to whole nanoseconds first, this would come to 1.001 µs.
            (1_000_499, "1.000 µs"),
            (999_999_499_999, "999.999 ms"),
            (999_999_500_000, "1.000 s"),
        ] {
            assert_eq!(Scaled::picoseconds(picoseconds).to_string(), shown, "{picoseconds}");
        }
    }

    #[test]
    fn frequencies_have_units() {
        for (hertz, shown) in [
            (0, "0.000 Hz"),
            (50, "50.000 Hz"),
            (32_768, "32.768 kHz"),
            (16_000_000, "16.000 MHz"),
            (999_999_999, "1.000 GHz"),
            (2_596_120_499, "2.596 GHz"),
        ] {
            assert_eq!(Scaled::hertz(hertz).to_string(), shown);
        }
    }

    #[test]
    fn shares_are_per_cent() {
        let shown = |part, whole| Fixed::percent(part, whole).map(|share| share.to_string());
        assert_eq!(shown(0, 0), None);
        assert_eq!(shown(5, 0), None);
        assert_eq!(shown(0, 7).as_deref(), Some("0.0"));
        assert_eq!(shown(1, 3).as_deref(), Some("33.3"));
        assert_eq!(shown(2, 3).as_deref(), Some("66.7"));
        assert_eq!(shown(9_995, 10_000).as_deref(), Some("100.0"));
        assert_eq!(shown(u64::MAX, u64::MAX).as_deref(), Some("100.0"));
        assert_eq!(shown(8, 1).as_deref(), Some("800.0"));
    }

    proptest! {
        #[test]
        fn seconds_have_all_their_digits(nanoseconds: u64, picoseconds in any_length()) {
            let seconds = Fixed::seconds(nanoseconds).to_string();
            prop_assert_eq!(seconds, by_digits(nanoseconds.into(), 9));
            let seconds = Fixed::seconds_of_picoseconds(picoseconds).to_string();
            prop_assert_eq!(seconds, by_digits(picoseconds, 12));
        }

        #[test]
        fn scaled_is_nearest_in_the_smallest_unit_that_does(picoseconds in any_length()) {
            let scaled = Scaled::picoseconds(picoseconds);
            let shown = scaled.to_string();
            let units = ["ns", "µs", "ms", "s"];
            let index = units.iter().position(|unit| *unit == scaled.unit).unwrap();
            let (number, _) = shown.split_once(' ').unwrap();
            let (whole, part) = number.split_once('.').unwrap();
            prop_assert_eq!(part.len(), 3);
            let thousandths: u128 = format!("{whole}{part}").parse().unwrap();
            let step = 1000_u128.pow(index as u32);
            // Within half a step, upwards where it is just half: no overflow, as it was divided.
            let (below, rest) = (picoseconds / step, picoseconds % step);
            prop_assert_eq!(thousandths, if rest * 2 < step { below } else { below + u128::from(step > 1) });
            prop_assert!(thousandths < 1_000_000 || index == 3);
            if index > 0 {
                let finer = step / 1000;
                let nearest = picoseconds / finer + u128::from(picoseconds % finer * 2 >= finer && finer > 1);
                prop_assert!(nearest >= 1_000_000, "{} would do", units[index - 1]);
            }
        }

        #[test]
        fn a_share_is_nearest(part: u64, whole in 1_u64..) {
            let share = Fixed::percent(part, whole).unwrap().value;
            let (share, part, whole) = (share, u128::from(part) * 1000, u128::from(whole));
            prop_assert!((share * whole).abs_diff(part) * 2 <= whole);
        }
    }
}

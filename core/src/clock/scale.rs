//! What a tick is worth: the integer arithmetic from ticks to nanoseconds.
//!
//! A multiplier and a number of binary places, as operating systems keep theirs: one multiplication
//! of 128 bits and one shift convert, without floating point and rounding once. Making a scale, and
//! the way back to ticks, take a long division bit by bit: slow, bounded, and rarely wanted.

/// The longest shift that a 128-bit product allows.
const LONGEST_SHIFT: u32 = 127;

/// What a tick is worth: nanoseconds = ticks × multiplier ÷ 2^shift, to nearest, half upwards.
///
/// The product has 128 bits, so no tick is lost before the division. Any two values are safe: a
/// shift above 127 acts as 127, and with a multiplier of zero (a region that nobody has written
/// yet) every number of ticks is worth nothing.
///
/// ```
/// use xtimer_core::Scale;
///
/// let scale = Scale::from_hertz(48_000_000);
/// assert_eq!(scale.nanoseconds(48), 1_000);
/// assert_eq!(scale.ticks(1_000), 48);
/// assert_eq!(scale.picoseconds(1), 20_833);
/// assert_eq!(Scale::from_ratio(1_000, 48), scale);
/// assert_eq!(scale.hertz(), 48_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Nanoseconds of one tick, times 2^shift.
    pub multiplier: u64,
    /// Binary places of the multiplier, 0 to 127.
    pub shift: u32,
}

impl Scale {
    /// A tick is a nanosecond.
    pub const NANOSECONDS: Scale = Scale { multiplier: 1, shift: 0 };

    /// The scale of a clock that ticks `hertz` times a second. A frequency of 0 says nothing and is
    /// taken as one tick a nanosecond.
    pub const fn from_hertz(hertz: u64) -> Scale {
        Scale::from_ratio(1_000_000_000, hertz)
    }

    /// The scale of a clock that ticks `ticks` times in `nanoseconds`, right to 64 significant
    /// bits. A zero on either side says nothing and is taken as one tick a nanosecond.
    pub const fn from_ratio(nanoseconds: u64, ticks: u64) -> Scale {
        if nanoseconds == 0 || ticks == 0 {
            return Scale::NANOSECONDS;
        }
        // Long division, one binary place a round, until the quotient fills its 64 bits. It does
        // so within 127 places, since the quotient is above 2^-64.
        let divisor = ticks as u128;
        let mut quotient = nanoseconds / ticks;
        let mut rest = (nanoseconds % ticks) as u128;
        let mut shift = 0;
        while quotient >> 63 == 0 && rest != 0 && shift < LONGEST_SHIFT {
            rest <<= 1;
            quotient <<= 1;
            if rest >= divisor {
                rest -= divisor;
                quotient |= 1;
            }
            shift += 1;
        }
        if rest << 1 >= divisor && quotient < u64::MAX {
            quotient += 1;
        }
        Scale { multiplier: quotient, shift }
    }

    /// Nanoseconds of `ticks`, to nearest; `u64::MAX` where they don't fit.
    pub const fn nanoseconds(self, ticks: u64) -> u64 {
        let exact = ticks as u128 * self.multiplier as u128;
        let nearest = shift_to_nearest(exact, self.places());
        if nearest > u64::MAX as u128 { u64::MAX } else { nearest as u64 }
    }

    /// Picoseconds of `ticks`, to nearest; `u128::MAX` where they don't fit. For means below a
    /// nanosecond's grain, such as the price of an enter and exit.
    pub const fn picoseconds(self, ticks: u64) -> u128 {
        let exact = ticks as u128 * self.multiplier as u128;
        let places = self.places();
        let whole = exact >> places;
        let part = exact - (whole << places);
        // A thousand times the part may have ten bits more than fit: it is taken in two words.
        let low = (part & u64::MAX as u128) * 1000;
        let high = (part >> 64) * 1000 + (low >> 64);
        let picoseconds = if places > 64 {
            shift_to_nearest(high, places - 64)
        } else if places == 64 {
            high + ((low >> 63) & 1)
        } else {
            // Below 64 places the part is below 2^64.
            shift_to_nearest(low, places)
        };
        whole.saturating_mul(1000).saturating_add(picoseconds)
    }

    /// Ticks in `nanoseconds`, to nearest; `u64::MAX` where they don't fit, as where a tick is
    /// worth nothing.
    pub const fn ticks(self, nanoseconds: u64) -> u64 {
        divide_to_nearest(nanoseconds, self.places(), self.multiplier)
    }

    /// Ticks a second, to nearest; `u64::MAX` where they don't fit.
    pub const fn hertz(self) -> u64 {
        divide_to_nearest(1_000_000_000, self.places(), self.multiplier)
    }

    const fn places(self) -> u32 {
        if self.shift > LONGEST_SHIFT { LONGEST_SHIFT } else { self.shift }
    }
}

/// `value` ÷ 2^`places` to nearest, half upwards, for `places` up to 127.
const fn shift_to_nearest(value: u128, places: u32) -> u128 {
    if places == 0 {
        return value;
    }
    let doubled = value >> (places - 1);
    (doubled >> 1) + (doubled & 1)
}

/// `numerator` × 2^`places` ÷ `divisor` to nearest, half upwards; `u64::MAX` where it doesn't fit.
/// Nothing divided by nothing is nothing.
pub(crate) const fn divide_to_nearest(numerator: u64, places: u32, divisor: u64) -> u64 {
    if numerator == 0 {
        return 0;
    }
    if divisor == 0 {
        return u64::MAX;
    }
    let divisor = divisor as u128;
    let mut quotient = numerator as u128 / divisor;
    let mut rest = numerator as u128 % divisor;
    let mut place = 0;
    while place < places {
        rest <<= 1;
        quotient <<= 1;
        if rest >= divisor {
            rest -= divisor;
            quotient |= 1;
        }
        if quotient > u64::MAX as u128 {
            return u64::MAX;
        }
        place += 1;
    }
    if rest << 1 >= divisor {
        quotient += 1;
    }
    if quotient > u64::MAX as u128 { u64::MAX } else { quotient as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same in every run, of every length in bits.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        }
        fn up_to(&mut self, bits: u32) -> u64 {
            let length = 1 + self.next() % u64::from(bits);
            self.next() >> (64 - length)
        }
    }

    /// a × b in 256 bits: high and low half.
    fn wide_product(a: u128, b: u64) -> (u128, u128) {
        let low = (a & u128::from(u64::MAX)) * u128::from(b);
        let middle = (a >> 64) * u128::from(b) + (low >> 64);
        (middle >> 64, middle << 64 | low & u128::from(u64::MAX))
    }

    #[test]
    fn nanoseconds_are_the_exact_product_to_nearest() {
        let mut numbers = Numbers(1);
        for _ in 0..100_000 {
            let scale =
                Scale { multiplier: numbers.up_to(64), shift: (numbers.next() % 128) as u32 };
            let ticks = numbers.up_to(64);
            let product = u128::from(ticks) * u128::from(scale.multiplier);
            let unit = 1_u128 << scale.shift;
            let exact = product / unit + u128::from(product % unit >= unit.div_ceil(2) && unit > 1);
            let expected = u64::try_from(exact).unwrap_or(u64::MAX);
            assert_eq!(scale.nanoseconds(ticks), expected, "{scale:?} {ticks}");
        }
    }

    #[test]
    fn picoseconds_are_the_exact_product_to_nearest() {
        let mut numbers = Numbers(2);
        for _ in 0..100_000 {
            let scale =
                Scale { multiplier: numbers.up_to(64), shift: (numbers.next() % 128) as u32 };
            let ticks = numbers.up_to(64);
            let product = u128::from(ticks) * u128::from(scale.multiplier);
            let (high, low) = wide_product(product, 1000);
            // (high, low) ÷ 2^shift, half upwards, in 256 bits.
            let expected = match scale.shift {
                0 if high > 0 => u128::MAX,
                0 => low,
                shift if high >> shift > 0 => u128::MAX,
                shift => {
                    (high << (128 - shift) | low >> shift).saturating_add(low >> (shift - 1) & 1)
                }
            };
            assert_eq!(scale.picoseconds(ticks), expected, "{scale:?} {ticks}");
        }
    }

    #[test]
    fn a_ratio_converts_within_its_64_bits() {
        let mut numbers = Numbers(3);
        for _ in 0..100_000 {
            let (nanoseconds, ticks) = (numbers.up_to(64).max(1), numbers.up_to(64).max(1));
            let scale = Scale::from_ratio(nanoseconds, ticks);
            let some = numbers.up_to(64);
            let exact = u128::from(some) * u128::from(nanoseconds) / u128::from(ticks);
            if exact < 1 << 63 {
                let got = u128::from(scale.nanoseconds(some));
                assert!(got.abs_diff(exact) <= 1, "{scale:?} {some}: {got}, not {exact}");
            }
            if exact < 1 << 40 {
                // Small results are the nearest integer: off by half, and a millionth for the scale.
                let off = (u128::from(scale.nanoseconds(some)) * u128::from(ticks))
                    .abs_diff(u128::from(some) * u128::from(nanoseconds));
                assert!(off * 2 <= u128::from(ticks) + (u128::from(ticks) >> 20) + 1, "{scale:?}");
            }
            if nanoseconds.max(ticks) < 1 << 62 {
                assert_eq!(scale.nanoseconds(ticks), nanoseconds, "{scale:?} {ticks}");
                assert_eq!(scale.ticks(nanoseconds), ticks, "{scale:?} {nanoseconds}");
            }
        }
    }

    #[test]
    fn conversion_grows_with_the_ticks() {
        let mut numbers = Numbers(4);
        for _ in 0..100_000 {
            let scale = Scale::from_hertz(numbers.up_to(64).max(1));
            let (a, b) = (numbers.up_to(64), numbers.up_to(64));
            let (less, more) = (a.min(b), a.max(b));
            assert!(scale.nanoseconds(less) <= scale.nanoseconds(more), "{scale:?} {less} {more}");
            assert!(scale.picoseconds(less) <= scale.picoseconds(more), "{scale:?} {less} {more}");
            assert!(scale.ticks(less) <= scale.ticks(more), "{scale:?} {less} {more}");
        }
    }

    #[test]
    fn round_trips_lose_nothing_towards_the_finer_side() {
        let mut numbers = Numbers(5);
        for _ in 0..100_000 {
            let value = numbers.up_to(48);
            let slow = Scale::from_hertz(1 + numbers.next() % 1_000_000_000);
            let nanoseconds = slow.nanoseconds(value);
            if nanoseconds < 1 << 62 {
                assert_eq!(slow.ticks(nanoseconds), value, "{slow:?}");
            }
            let fast = Scale::from_hertz(1_000_000_000 + numbers.up_to(40));
            let ticks = fast.ticks(value);
            if ticks < 1 << 62 {
                assert_eq!(fast.nanoseconds(ticks), value, "{fast:?}");
            }
        }
    }

    #[test]
    fn frequencies() {
        assert_eq!(Scale::from_hertz(1_000_000_000), Scale::NANOSECONDS);
        assert_eq!(Scale::from_hertz(0), Scale::NANOSECONDS);
        assert_eq!(Scale::from_ratio(0, 5), Scale::NANOSECONDS);
        assert_eq!(Scale::from_ratio(5, 0), Scale::NANOSECONDS);
        assert_eq!(Scale::from_ratio(7, 7), Scale::NANOSECONDS);
        for hertz in [1, 3, 32_768, 16_000_000, 24_000_000, 2_596_120_000, u64::MAX - 1, u64::MAX] {
            let scale = Scale::from_hertz(hertz);
            assert_eq!(scale.hertz(), hertz, "{scale:?}");
            assert_eq!(scale.nanoseconds(hertz), 1_000_000_000, "{scale:?}");
        }
        let crystal = Scale::from_hertz(24_000_000);
        assert_eq!(crystal.nanoseconds(1), 42); // 41.67
        assert_eq!(crystal.nanoseconds(3), 125);
        assert_eq!(crystal.picoseconds(1), 41_667);
        assert_eq!(crystal.ticks(1_000_000), 24_000);
        // A century, to the nanosecond.
        assert_eq!(crystal.nanoseconds(24_000_000 * 3_155_760_000), 3_155_760_000_000_000_000);

        let second = Scale::from_hertz(1);
        assert_eq!(second.nanoseconds(2), 2_000_000_000);
        assert_eq!(second.nanoseconds(u64::MAX), u64::MAX);
        assert_eq!(second.picoseconds(u64::MAX), u128::from(u64::MAX) * 1_000_000_000_000);
        assert_eq!(second.ticks(499_999_999), 0);
        assert_eq!(second.ticks(500_000_000), 1);

        let fastest = Scale::from_hertz(u64::MAX);
        assert_eq!(fastest.nanoseconds(u64::MAX), 1_000_000_000);
        assert_eq!(fastest.nanoseconds(1), 0);
        assert_eq!(fastest.ticks(u64::MAX), u64::MAX);
    }

    #[test]
    fn any_scale_is_safe() {
        let empty = Scale { multiplier: 0, shift: 0 };
        assert_eq!(empty.nanoseconds(u64::MAX), 0);
        assert_eq!(empty.picoseconds(u64::MAX), 0);
        assert_eq!((empty.ticks(0), empty.ticks(1), empty.hertz()), (0, u64::MAX, u64::MAX));
        let steep = Scale { multiplier: u64::MAX, shift: u32::MAX };
        assert_eq!(steep.nanoseconds(u64::MAX), 2); // as a shift of 127
        let coarse = Scale { multiplier: u64::MAX, shift: 0 };
        assert_eq!(coarse.nanoseconds(2), u64::MAX);
        assert_eq!(coarse.picoseconds(u64::MAX), u128::MAX);
        assert_eq!(coarse.hertz(), 0);
    }
}

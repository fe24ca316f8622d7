//! Durations to text and back, for people.

/// Each unit in nanoseconds, the smallest first.
const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

/// A duration in nanoseconds with three decimals, in the smallest unit that keeps it below 1000; `-`
/// where it is not a number.
pub fn shown(nanoseconds: f64) -> String {
    if !nanoseconds.is_finite() {
        return "-".into();
    }
    let fits = |unit: &&(&str, f64)| (nanoseconds / unit.1).abs() < 999.9995;
    let (unit, size) = UNITS.iter().find(fits).unwrap_or(&("s", 1e9));
    format!("{:.3} {unit}", nanoseconds / size)
}

/// As [`shown`], with a sign.
pub fn change(nanoseconds: f64) -> String {
    let text = shown(nanoseconds);
    if nanoseconds > 0.0 { format!("+{text}") } else { text }
}

/// A duration such as `200us`, `1.5 ms` or `2s`, in nanoseconds; a sentence where it is none.
pub fn parse(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let size = match unit.trim() {
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "min" => 60e9,
        _ => return Err(format!("'{text}' is no duration: write it as 200us, 1.5ms or 2s")),
    };
    let number: f64 =
        number.parse().map_err(|_| format!("'{text}' is no duration: '{number}' is no number"))?;
    Ok(number * size)
}

/// Whole nanoseconds as seconds, with all their digits.
pub fn seconds(nanoseconds: u128) -> String {
    format!("{}.{:09}", nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_shown_in_the_unit_that_suits() {
        for (nanoseconds, text) in [
            (0.0, "0.000 ns"),
            (999.0, "999.000 ns"),
            (999.9999, "1.000 µs"),
            (1_500_000.0, "1.500 ms"),
            (-2e9, "-2.000 s"),
            (5e12, "5000.000 s"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(shown(nanoseconds), text);
        }
        assert_eq!(change(1e3), "+1.000 µs");
    }

    #[test]
    fn durations_are_read() {
        assert_eq!(parse("200us"), Ok(200e3));
        assert_eq!(parse(" 1.5 ms "), Ok(1.5e6));
        for bad in ["", "5", "us", "1.2.3s", "-1s", "5 parsecs"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn seconds_keep_their_digits() {
        assert_eq!(seconds(1), "0.000000001");
        assert_eq!(seconds(u128::from(u64::MAX)), "18446744073.709551615");
    }
}

//! How many bars a histogram has, and where they begin.

use std::fmt;
use std::str::FromStr;

use crate::series::Series;

/// How bins are chosen.
///
/// The rules are those of `numpy.histogram_bin_edges`: Freedman-Diaconis is 2 × IQR ÷ n^(1/3) wide, Scott
/// (24 √π ÷ n)^(1/3) × std; Sturges makes log2(n) + 1 of them, the square root √n. Where the first two
/// come to nothing, as the quartiles are equal, it is Sturges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bins {
    /// Freedman-Diaconis.
    #[default]
    FreedmanDiaconis,
    /// Scott.
    Scott,
    /// Sturges.
    Sturges,
    /// The square root of the count.
    Sqrt,
    /// So many.
    Count(usize),
}

/// More bins than this can't be told apart.
const MOST: usize = 10_000;
/// And a rule never makes more than these.
const MOST_BY_RULE: f64 = 200.0;

/// What is neither a number of bins nor a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoBins(String);

impl fmt::Display for NoBins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is neither 1 to {MOST} nor one of fd, scott, sturges, sqrt", self.0)
    }
}

impl std::error::Error for NoBins {}

impl FromStr for Bins {
    type Err = NoBins;

    fn from_str(text: &str) -> Result<Self, NoBins> {
        match text {
            "fd" => Ok(Self::FreedmanDiaconis),
            "scott" => Ok(Self::Scott),
            "sturges" => Ok(Self::Sturges),
            "sqrt" => Ok(Self::Sqrt),
            _ => match text.parse() {
                Ok(count @ 1..=MOST) => Ok(Self::Count(count)),
                _ => Err(NoBins(text.into())),
            },
        }
    }
}

impl fmt::Display for Bins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FreedmanDiaconis => f.write_str("fd"),
            Self::Scott => f.write_str("scott"),
            Self::Sturges => f.write_str("sturges"),
            Self::Sqrt => f.write_str("sqrt"),
            Self::Count(count) => count.fmt(f),
        }
    }
}

/// Bins of one width on an axis, linear or logarithmic.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edges {
    /// Where the first begins and the last ends: nanoseconds, or their decimal logarithm.
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) count: usize,
    pub(crate) is_log: bool,
}

/// A duration's place on the axis. A logarithm is of 1 ns at least.
pub(crate) fn place(nanoseconds: f64, is_log: bool) -> f64 {
    if is_log { nanoseconds.max(1.0).log10() } else { nanoseconds }
}

impl Edges {
    /// The bins for all series together; `None` without durations. A rule makes `most` at most.
    pub(crate) fn of(series: &[Series], bins: Bins, is_log: bool, most: usize) -> Option<Self> {
        let all = Series::together("", series);
        let values: Vec<(f64, f64)> = all
            .values()
            .iter()
            .map(|&(value, weight)| (place(value as f64, is_log), weight as f64))
            .collect();
        let (&(from, _), &(to, _)) = (values.first()?, values.last()?);
        if from == to {
            // One bar in the middle, a tenth of its place wide at least.
            let half = (from.abs() / 20.0).max(if is_log { 0.05 } else { 0.5 });
            return Some(Self { from: from - half, to: to + half, count: 1, is_log });
        }
        let n: f64 = values.iter().map(|value| value.1).sum();
        let sturges = n.log2() + 1.0;
        let wanted = match bins {
            Bins::Count(count) => {
                let count = count.clamp(1, MOST);
                return Some(Self { from, to, count, is_log });
            }
            Bins::FreedmanDiaconis => {
                let spread = quantile(&values, n, 0.75) - quantile(&values, n, 0.25);
                (to - from) / (2.0 * spread / n.cbrt())
            }
            Bins::Scott => {
                let mean = values.iter().map(|value| value.0 * value.1).sum::<f64>() / n;
                let squares = values.iter().map(|value| (value.0 - mean).powi(2) * value.1);
                let std = (squares.sum::<f64>() / n).sqrt();
                (to - from) / ((24.0 * std::f64::consts::PI.sqrt() / n).cbrt() * std)
            }
            Bins::Sturges => sturges,
            Bins::Sqrt => n.sqrt(),
        };
        let wanted = if wanted.is_finite() { wanted } else { sturges };
        let count = wanted.ceil().clamp(1.0, MOST_BY_RULE.min(most as f64)) as usize;
        Some(Self { from, to, count, is_log })
    }

    /// Where a bin begins; that of the last but one is where the last ends.
    pub(crate) fn edge(&self, bin: usize) -> f64 {
        self.from + (self.to - self.from) * (bin as f64 / self.count as f64)
    }

    /// As a duration in nanoseconds.
    pub(crate) fn nanoseconds(&self, bin: usize) -> f64 {
        if self.is_log { 10_f64.powf(self.edge(bin)) } else { self.edge(bin) }
    }

    /// How many durations of a series are in each bin.
    pub(crate) fn counts(&self, series: &Series) -> Vec<u64> {
        let mut counts = vec![0_u64; self.count];
        let width = (self.to - self.from) / self.count as f64;
        for &(value, weight) in series.values() {
            let bin = (place(value as f64, self.is_log) - self.from) / width;
            // The last bin has its end as well.
            let bin = (bin.max(0.0) as usize).min(self.count - 1);
            counts[bin] = counts[bin].saturating_add(weight);
        }
        counts
    }
}

/// The value that a share of all is not above.
fn quantile(values: &[(f64, f64)], count: f64, share: f64) -> f64 {
    let mut below = 0.0;
    let found = values.iter().find(|value| {
        below += value.1;
        below >= share * count
    });
    found.or(values.last()).map_or(0.0, |value| value.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(durations: &[u64], bins: Bins) -> Option<Edges> {
        Edges::of(&[Series::from_durations("", durations)], bins, false, 1000)
    }

    #[test]
    fn rules_make_as_many_as_numpy() {
        // numpy.histogram_bin_edges(numpy.arange(1000), rule): 10, 10, 11, 32 bins.
        let all: Vec<u64> = (0..1000).collect();
        for (bins, count) in
            [(Bins::FreedmanDiaconis, 10), (Bins::Scott, 10), (Bins::Sturges, 11), (Bins::Sqrt, 32)]
        {
            assert_eq!(edges(&all, bins).unwrap().count, count, "{bins}");
        }
    }

    #[test]
    fn each_duration_is_in_one_bin() {
        let durations = [1, 1, 2, 50, 100];
        let series = Series::from_durations("", &durations);
        for is_log in [false, true] {
            let edges =
                Edges::of(std::slice::from_ref(&series), Bins::Count(7), is_log, 1000).unwrap();
            let counts = edges.counts(&series);
            assert_eq!((counts.len(), counts.iter().sum::<u64>()), (7, 5));
            assert_eq!((counts[0], counts[6]), (3 - u64::from(is_log), 1));
            assert_eq!(counts[if is_log { 5 } else { 3 }], 1);
        }
    }

    #[test]
    fn none_one_and_equal() {
        assert_eq!(edges(&[], Bins::default()), None);
        for durations in [&[7_u64][..], &[7, 7, 7], &[0]] {
            let edges = edges(durations, Bins::default()).unwrap();
            assert_eq!(edges.count, 1);
            assert!(edges.from < edges.to);
        }
        // Quartiles that are equal.
        assert_eq!(edges(&[5, 5, 5, 5, 9], Bins::default()).unwrap().count, 4);
    }

    #[test]
    fn bins_are_read_and_written() {
        for text in ["fd", "scott", "sturges", "sqrt", "12"] {
            assert_eq!(text.parse::<Bins>().unwrap().to_string(), text);
        }
        assert!("0".parse::<Bins>().is_err() && "many".parse::<Bins>().is_err());
    }
}

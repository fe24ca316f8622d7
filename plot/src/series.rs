//! Durations that belong together, and what they come to.

/// Durations that are drawn in one colour, with their count, mean and standard deviation.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What the legend calls it: a rank.
    pub name: String,
    /// How many durations there were, those that are not drawn among them.
    pub count: u64,
    /// Their mean in nanoseconds; not a number without any.
    pub mean: f64,
    /// Their standard deviation (n - 1) in nanoseconds; not a number below two.
    pub std: f64,
    /// Each duration in nanoseconds, ascending, and how often it was.
    values: Vec<(u64, u64)>,
}

impl Series {
    /// Of durations in nanoseconds.
    pub fn from_durations(name: impl Into<String>, durations: &[u64]) -> Self {
        Self::from_weighted(name, durations.iter().map(|&duration| (duration, 1)))
    }

    /// Of durations in nanoseconds, each with how often it was, such as the middles of buckets.
    pub fn from_weighted(
        name: impl Into<String>,
        weighted: impl IntoIterator<Item = (u64, u64)>,
    ) -> Self {
        let mut values: Vec<_> = weighted.into_iter().filter(|value| value.1 > 0).collect();
        values.sort_unstable();
        let count: u64 = values.iter().fold(0, |sum, value| sum.saturating_add(value.1));
        let all = || values.iter().map(|&(value, weight)| (value as f64, weight as f64));
        let mean = all().map(|(value, weight)| value * weight).sum::<f64>() / count as f64;
        let squares: f64 = all().map(|(value, weight)| (value - mean).powi(2) * weight).sum();
        let std = if count < 2 { f64::NAN } else { (squares / (count - 1) as f64).sqrt() };
        Self { name: name.into(), count, mean, std, values }
    }

    /// With a count, a mean and a deviation that are known better than by what is drawn.
    #[must_use]
    pub fn with_summary(self, count: u64, mean: f64, std: f64) -> Self {
        Self { count, mean, std, ..self }
    }

    /// All series as one of that name.
    pub fn together(name: impl Into<String>, series: &[Self]) -> Self {
        let all = series.iter().flat_map(|series| series.values.iter().copied());
        Self::from_weighted(name, all)
    }

    /// Count, mean and deviation over series, from those of each; nothing to draw.
    #[must_use]
    pub fn united(series: &[Self]) -> Self {
        let timed = || series.iter().filter(|series| series.count > 0);
        let count: u64 = timed().fold(0, |sum, one| sum.saturating_add(one.count));
        let n = count as f64;
        let mean = timed().map(|one| one.mean * one.count as f64).sum::<f64>() / n;
        let spread: f64 = timed()
            .map(|one| {
                let own =
                    if one.count > 1 { one.std.powi(2) * (one.count - 1) as f64 } else { 0.0 };
                own + (one.mean - mean).powi(2) * one.count as f64
            })
            .sum();
        let std = if count > 1 { (spread / (n - 1.0)).sqrt() } else { f64::NAN };
        Self { name: String::new(), count, mean, std, values: Vec::new() }
    }

    /// Each duration, ascending, and how often it was.
    pub fn values(&self) -> &[(u64, u64)] {
        &self.values
    }

    /// How many durations are drawn.
    pub fn drawn(&self) -> u64 {
        self.values.iter().fold(0, |sum, value| sum.saturating_add(value.1))
    }
}

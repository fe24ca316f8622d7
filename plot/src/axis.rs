//! An axis with the ticks that suit it, and times in the unit that suits.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Each unit in nanoseconds, the smallest first.
const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

/// The unit in which a duration is below 1000, as far as there is one.
pub(crate) fn unit(nanoseconds: f64) -> (&'static str, f64) {
    *UNITS.iter().find(|unit| nanoseconds / unit.1 < 999.9995).unwrap_or(&UNITS[UNITS.len() - 1])
}

/// A duration for people; `-` where it is not a number.
pub(crate) fn time(nanoseconds: f64) -> String {
    if !nanoseconds.is_finite() {
        return "-".into();
    }
    let (name, size) = unit(nanoseconds);
    format!("{:.3} {name}", nanoseconds / size)
}

/// A range with its ticks, each with its label.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) range: Range<f64>,
    pub(crate) ticks: Vec<(f64, String)>,
}

/// A step of 1, 2 or 5 times a power of ten that makes `most` intervals at most.
fn step(range: &Range<f64>, most: usize) -> f64 {
    let least = (range.end - range.start) / most.max(1) as f64;
    let power = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= least);
    factor.unwrap_or(10.0) * power
}

/// The multiples of a step within a range, with as many decimals as it needs.
fn multiples(range: &Range<f64>, step: f64) -> Vec<(f64, String)> {
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    let first = (range.start / step - 1e-9).ceil() as i64;
    let last = (range.end / step + 1e-9).floor() as i64;
    (first..=last)
        .map(|number| number as f64 * step)
        .map(|value| (value, format!("{value:.decimals$}")))
        .collect()
}

impl Axis {
    /// Of counts from 0 on: whole numbers only.
    pub(crate) fn counts(most: u64) -> Self {
        let range = 0.0..(most.max(1) as f64 * 1.05);
        let ticks = multiples(&range, step(&range, 8).max(1.0));
        Self { range, ticks }
    }

    /// Of durations, in nanoseconds or their decimal logarithm, and its unit. `fits` tells whether
    /// labels have room beside each other.
    pub(crate) fn times(
        range: Range<f64>,
        is_log: bool,
        fits: impl Fn(&[(f64, String)]) -> bool,
    ) -> (Self, &'static str) {
        if is_log {
            return Self::logarithmic(range, fits);
        }
        let (name, size) = unit(range.end);
        let scaled = range.start / size..range.end / size;
        let ticks_of = |most| {
            let mut ticks = multiples(&scaled, step(&scaled, most));
            ticks.iter_mut().for_each(|tick| tick.0 *= size);
            ticks
        };
        let ticks = (1..=10).rev().map(ticks_of).find(|ticks| fits(ticks));
        (Self { range, ticks: ticks.unwrap_or_default() }, name)
    }

    /// Multiples of a step, in one unit, on a logarithmic axis of less than half a power of ten.
    fn nearly_linear(
        range: Range<f64>,
        fits: impl Fn(&[(f64, String)]) -> bool,
    ) -> (Self, &'static str) {
        let (from, to) = (10_f64.powf(range.start), 10_f64.powf(range.end));
        let (name, size) = unit(to);
        let scaled = from / size..to / size;
        let ticks_of = |most| {
            let mut ticks = multiples(&scaled, step(&scaled, most));
            ticks.iter_mut().for_each(|tick| tick.0 = (tick.0 * size).log10());
            ticks
        };
        let ticks = (1..=10).rev().map(ticks_of).find(|ticks| fits(ticks));
        (Self { range, ticks: ticks.unwrap_or_default() }, name)
    }

    /// Powers of ten, with 2 and 5 between them where they have room; each has its own unit.
    fn logarithmic(
        range: Range<f64>,
        fits: impl Fn(&[(f64, String)]) -> bool,
    ) -> (Self, &'static str) {
        if range.end - range.start < 0.5 {
            return Self::nearly_linear(range, fits);
        }
        let (first, last) = (range.start.floor() as i32, range.end.ceil() as i32);
        let ticks_of = |factors: &[f64], every: i32| -> Vec<(f64, String)> {
            let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
            let values =
                powers.flat_map(|power| factors.iter().map(move |f| f * 10_f64.powi(power)));
            let inside = values.filter(|value| range.contains(&value.log10()));
            inside
                .map(|value| {
                    let (name, size) = unit(value);
                    let number = value / size;
                    let decimals =
                        usize::from(number < 1.0 || number.fract() > 0.01 && number < 10.0);
                    (value.log10(), format!("{number:.decimals$} {name}"))
                })
                .collect()
        };
        let nine = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let candidates = [
            ticks_of(&nine, 1),
            ticks_of(&[1.0, 2.0, 3.0, 5.0], 1),
            ticks_of(&[1.0, 2.0, 5.0], 1),
            ticks_of(&[1.0, 3.0], 1),
            ticks_of(&[1.0], 1),
            ticks_of(&[1.0], 3),
        ];
        let ticks = candidates.into_iter().find(|ticks| fits(ticks));
        (Self { range, ticks: ticks.unwrap_or_default() }, "")
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (f64::from(limit.1 - limit.0) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        self.ticks.iter().map(|tick| tick.0).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|tick| tick.0 == *value);
        tick.map_or_else(String::new, |tick| tick.1.clone())
    }
}

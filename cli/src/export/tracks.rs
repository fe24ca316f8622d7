//! Samples as nested intervals on tracks: what both traces are made of.
//!
//! A lane had one writer, so its sections nest, and they become one track. What ran beside the stack
//! (tasks, recorded durations) may overlap; it is put on further tracks of the lane, so that on each
//! track intervals nest, and only in those that they were nested in.

use xtimer_core::profile::{Profile, Sample};

/// One sample on its track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Its section's place in the profile.
    pub section: usize,
    /// As sampled.
    pub sample: Sample,
    /// Where it ends on the track: start and duration are rounded apart, so it may be a nanosecond or
    /// two before their sum, never behind the end of the interval that it is nested in.
    pub end: u64,
    /// In how many intervals of the track it is nested.
    pub depth: usize,
}

/// Intervals that nest, by start; those nested in one follow it.
#[derive(Clone, Debug)]
pub struct Track {
    /// The lane.
    pub lane: u32,
    /// Which of the lane's tracks it is.
    pub number: usize,
    /// The intervals.
    pub intervals: Vec<Interval>,
    open: Vec<Interval>,
}

/// How far two roundings can put an end behind that of the interval around it.
const ROUNDING: u64 = 2;

/// The tracks of a profile, by lane.
pub fn tracks(profile: &Profile) -> Vec<Track> {
    let depths = depths(profile);
    let mut all: Vec<(u32, usize, Sample)> = Vec::new();
    for section in 0..profile.sections().len() {
        for (lane, samples, _) in
            profile.lanes(section).filter(|(_, samples, _)| has_starts(samples))
        {
            all.extend(samples.iter().map(|&sample| (lane, section, sample)));
        }
    }
    // What begins at one moment: outer sections first, and the shorter first of one depth.
    all.sort_by_key(|&(lane, section, sample)| {
        (lane, sample.start, depths[section], sample.duration)
    });
    let mut tracks: Vec<Track> = Vec::new();
    let mut of_lane = 0; // where the lane's tracks begin
    for (lane, section, sample) in all {
        if tracks.last().is_none_or(|track| track.lane != lane) {
            of_lane = tracks.len();
        }
        let end = sample.start.saturating_add(sample.duration);
        let interval = Interval { section, sample, end, depth: 0 };
        let is_placed = tracks[of_lane..].iter_mut().any(|track| track.place(profile, interval));
        if !is_placed {
            let number = tracks.len() - of_lane;
            tracks.push(Track { lane, number, intervals: vec![interval], open: vec![interval] });
        }
    }
    tracks
}

impl Track {
    /// Puts an interval on the track, where it nests there; its start is at least that of all before.
    fn place(&mut self, profile: &Profile, interval: Interval) -> bool {
        let is_over = |top: &Interval| {
            top.end < interval.sample.start
                || (top.end == interval.sample.start
                    && !(interval.sample.duration == 0
                        && is_above(profile, top.section, interval.section)))
        };
        let over = self.open.iter().rev().take_while(|top| is_over(top)).count();
        let still_open = self.open.len() - over;
        let mut interval = Interval { depth: still_open, ..interval };
        if let Some(top) = self.open[..still_open].last() {
            let is_inside = interval.end <= top.end.saturating_add(ROUNDING);
            if !is_inside || !is_above(profile, top.section, interval.section) {
                return false;
            }
            interval.end = interval.end.min(top.end);
        }
        self.open.truncate(still_open);
        self.open.push(interval);
        self.intervals.push(interval);
        true
    }
}

/// Whether a section is somewhere above another.
fn is_above(profile: &Profile, above: usize, section: usize) -> bool {
    let parent = |section: usize| profile.sections()[section].parent.map(|parent| parent as usize);
    // A parent stands before what is nested in it.
    let mut next = parent(section);
    while let Some(section) = next.filter(|&section| section > above) {
        next = parent(section);
    }
    next == Some(above)
}

fn depths(profile: &Profile) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(profile.sections().len());
    for section in profile.sections() {
        depths.push(section.parent.map_or(0, |parent| depths[parent as usize] + 1));
    }
    depths
}

/// Whether samples tell when they began: an unknown start is 0, which a real one is once at most.
fn has_starts(samples: &[Sample]) -> bool {
    samples.iter().filter(|sample| sample.start == 0 && sample.duration > 0).nth(1).is_none()
}

/// How many of a section's durations are on no track.
pub fn missing_of(profile: &Profile, section: usize) -> u64 {
    let lanes = profile.lanes(section).filter(|(_, samples, _)| has_starts(samples));
    let shown: u64 = lanes.map(|(_, samples, _)| samples.len() as u64).sum();
    profile.sections()[section].numbers.count.saturating_sub(shown)
}

/// How many durations are on no track.
pub fn missing(profile: &Profile) -> u64 {
    (0..profile.sections().len()).map(|section| missing_of(profile, section)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtimer_core::profile::{Records, Source};

    /// A path, and the start and duration of each sample.
    type Row<'r> = (&'r [&'r str], &'r [(u64, u64)]);

    fn profile(rows: &[Row<'_>]) -> Profile {
        let columns: Vec<(Vec<u64>, Vec<u64>)> =
            rows.iter().map(|row| row.1.iter().copied().unzip()).collect();
        let records: Vec<Records<'_>> = rows
            .iter()
            .zip(&columns)
            .map(|(row, (starts, durations))| Records {
                path: row.0,
                category: "c",
                durations,
                starts,
            })
            .collect();
        Profile::from_records(Source::default(), &records)
    }

    fn shown(profile: &Profile) -> Vec<(usize, usize, u64, u64, usize)> {
        let tracks = tracks(profile);
        let all = tracks.iter().flat_map(|track| {
            let number = track.number;
            track
                .intervals
                .iter()
                .map(move |at| (number, at.section, at.sample.start, at.end, at.depth))
        });
        all.collect()
    }

    #[test]
    fn sections_nest_and_ends_are_rounded_inside() {
        let profile =
            profile(&[(&["a"], &[(10, 20), (40, 5)]), (&["a", "b"], &[(10, 5), (20, 11)])]);
        assert_eq!(
            shown(&profile),
            [(0, 0, 10, 30, 0), (0, 1, 10, 15, 1), (0, 1, 20, 30, 1), (0, 0, 40, 45, 0)]
        );
    }

    #[test]
    fn what_overlaps_or_is_no_relative_goes_beside() {
        let profile = profile(&[(&["a"], &[(10, 20), (20, 20)]), (&["c"], &[(12, 3)])]);
        assert_eq!(shown(&profile), [(0, 0, 10, 30, 0), (1, 1, 12, 15, 0), (1, 0, 20, 40, 0)]);
    }

    #[test]
    fn an_empty_interval_at_the_very_end_is_still_inside() {
        let profile = profile(&[(&["a"], &[(10, 20)]), (&["a", "b"], &[(30, 0)])]);
        assert_eq!(shown(&profile), [(0, 0, 10, 30, 0), (0, 1, 30, 30, 1)]);
    }

    #[test]
    fn samples_without_starts_are_missing() {
        let profile = profile(&[(&["a"], &[(0, 20), (0, 30)])]);
        assert_eq!((shown(&profile).len(), missing(&profile)), (0, 2));
    }
}

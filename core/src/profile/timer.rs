//! The profile of a timer with the samples and histograms that its lanes keep.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use crate::clock::Clock;
use crate::error::Error;
use crate::histogram::{index_of, middle};
use crate::profile::owned::{OwnedHistogram, OwnedSamples, Profile};
use crate::profile::snapshot::each_lane;
use crate::profile::times::add_buckets;
use crate::profile::view::{Sample, Source};
use crate::samples;
use crate::shape::Shape;
use crate::snapshot::{Section, Snapshot};
use crate::timer::Timer;

/// How often samples are read again because lanes came meanwhile.
const ATTEMPTS: usize = 16;

impl Profile {
    /// The profile of a timer as of now, with its samples and histograms where it keeps them.
    ///
    /// Writers go on meanwhile. Samples are read before the snapshot is taken: what was measured in
    /// between counts as dropped. Histograms are read after it, and may know of more.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use xtimer_core::profile::{Profile, Source};
    /// use xtimer_core::{Config, ManualClock, Timer};
    ///
    /// let config = Config { samples_per_lane: 100, ..Config::HOST };
    /// let timer = Timer::with_clock(config, ManualClock::new(64)).unwrap();
    /// let context = timer.context().unwrap();
    /// context.record("load", "io", 5).unwrap();
    /// context.record("load", "io", 3).unwrap();
    /// let profile = Profile::from_timer(&timer, Source::default()).unwrap();
    /// let (samples, dropped) = profile.samples(profile.find(&["load"]).unwrap());
    /// assert_eq!((samples.len(), dropped), (2, 0));
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Busy`] when all scratch areas are taken, or when the timer is being cleared again and
    /// again.
    pub fn from_timer<S: Shape, C: Clock>(
        timer: &Timer<S, C>,
        source: Source<'_>,
    ) -> Result<Self, Error> {
        let samples = read_samples(timer)?;
        let snapshot = timer.snapshot()?;
        // A snapshot stands still, so its bytes are right.
        let mut profile = Self::from_snapshot(&snapshot, source).map_err(|_| Error::Busy)?;
        if timer.config().samples_per_lane != 0 {
            profile.samples = by_section(&snapshot, samples);
        }
        let histograms = (0..).zip(snapshot.sections()).filter_map(|(index, section)| {
            let buckets = nanosecond_buckets(&section)?;
            Some(OwnedHistogram { section: index, buckets: buckets.into_iter().collect() })
        });
        profile.histograms = histograms.collect();
        Ok(profile)
    }
}

/// All samples of all lanes.
fn read_samples<S: Shape, C: Clock>(timer: &Timer<S, C>) -> Result<Vec<samples::Sample>, Error> {
    for _ in 0..ATTEMPTS {
        let mut memory = vec![samples::Sample::default(); timer.samples_bound()];
        match timer.all_samples(&mut memory) {
            Ok(samples) => {
                let kept = samples.kept.len();
                memory.truncate(kept);
                return Ok(memory);
            }
            Err(Error::TooSmall) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Busy)
}

/// Samples by section and lane, with as many dropped as the section has durations more.
fn by_section(snapshot: &Snapshot<'_>, mut samples: Vec<samples::Sample>) -> Vec<OwnedSamples> {
    samples.sort_by_key(|sample| (sample.section, sample.lane)); // stable: by start within a lane
    let mut all = Vec::new();
    each_lane(snapshot, &samples, |section, lane, dropped, samples| {
        all.push(lane_of(section, lane, dropped, samples));
    });
    all
}

fn lane_of(section: u32, lane: u32, dropped: u64, samples: &[samples::Sample]) -> OwnedSamples {
    let samples = samples
        .iter()
        .map(|sample| Sample { start: sample.start, duration: sample.duration })
        .collect();
    OwnedSamples { section, lane, dropped, samples }
}

/// A section's histogram, from buckets of ticks to buckets of nanoseconds, by their middles; `None`
/// where it has none, or nothing in it.
fn nanosecond_buckets(section: &Section<'_>) -> Option<BTreeMap<u32, u64>> {
    let histogram = section.histogram()?;
    let scale = section.snapshot.scale;
    let mut sum = BTreeMap::new();
    histogram.for_each(|bucket, count| {
        let time = scale.nanoseconds(middle(bucket));
        let time = section.min().map_or(time, |min| time.max(min));
        let time = section.max().map_or(time, |max| time.min(max));
        add_buckets(&mut sum, &[(index_of(time) as u32, count)]);
    })?;
    (!sum.is_empty()).then_some(sum)
}

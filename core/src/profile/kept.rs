//! Histograms and samples to bytes, a section or a lane at a time: the same for what a timer's lanes
//! keep and for what is owned. Iterators are gone through twice, to be counted and to be written.

use crate::profile::view::Sample;
use crate::profile::wire::Out;

/// Writes histograms, by ascending section.
pub(crate) struct Histograms<'a, 'o> {
    out: &'a mut Out<'o>,
    next: u32,
}

impl<'a, 'o> Histograms<'a, 'o> {
    /// Begins the block: so many follow.
    pub(crate) fn begin(out: &'a mut Out<'o>, count: usize) -> Self {
        out.count(count);
        Self { out, next: 0 }
    }

    /// A section's buckets that hold anything, ascending, and how many durations each does.
    pub(crate) fn add(&mut self, section: u32, buckets: impl Iterator<Item = (u32, u64)> + Clone) {
        self.out.number(section - self.next);
        self.next = section + 1;
        self.out.count(buckets.clone().count());
        let mut next = 0;
        for (bucket, count) in buckets {
            self.out.number(bucket - next);
            self.out.number(count);
            next = bucket + 1;
        }
    }
}

/// Writes samples, by ascending section and lane.
pub(crate) struct Samples<'a, 'o> {
    out: &'a mut Out<'o>,
    section: u32,
}

impl<'a, 'o> Samples<'a, 'o> {
    /// Begins the block: lanes of sections, so many follow.
    pub(crate) fn begin(out: &'a mut Out<'o>, count: usize) -> Self {
        out.count(count);
        Self { out, section: 0 }
    }

    /// What a lane kept of a section, and how many samples it dropped.
    pub(crate) fn add(
        &mut self,
        section: u32,
        lane: u32,
        dropped: u64,
        samples: impl Iterator<Item = Sample> + Clone,
    ) {
        self.out.number(section - self.section);
        self.section = section;
        self.out.number(lane);
        self.out.number(dropped);
        self.out.count(samples.clone().count());
        let mut start = 0;
        for sample in samples {
            self.out.difference(start, sample.start);
            self.out.number(sample.duration);
            start = sample.start;
        }
    }
}

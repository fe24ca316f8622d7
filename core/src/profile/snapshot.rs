//! A snapshot's numbers as the blocks of a profile.

use crate::category;
use crate::late;
use crate::profile::encode::{self, Content, Sink, TooSmall};
use crate::profile::format::{KIND_PROFILE, block, mark};
use crate::profile::kept::Samples;
use crate::profile::squares::{self, Ticks};
use crate::profile::view::{Sample, Source};
use crate::profile::wire::Out;
use crate::samples;
use crate::snapshot::{Losses, Section, Snapshot};

impl Snapshot<'_> {
    /// Encodes the snapshot as a profile into the caller's buffer, without allocation, and tells how
    /// many bytes it takes.
    ///
    /// # Errors
    /// [`TooSmall`] tells how many bytes it needs; the buffer is as it was.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use xtimer_core::profile::{Source, View};
    /// use xtimer_core::{Config, ManualClock, Timer};
    ///
    /// let timer = Timer::with_clock(Config::HOST, ManualClock::new(64)).unwrap();
    /// timer.context().unwrap().record("load", "io", 1_500_000).unwrap();
    /// let mut buffer = [0; 512];
    /// let source = Source { rank: 3, label: "worker 3" };
    /// let length = timer.snapshot().unwrap().encode(source, &mut buffer).unwrap();
    ///
    /// let profile = View::new(&buffer[..length]).unwrap();
    /// assert_eq!((profile.source().rank, profile.category_total("io")), (3, 1_500_000));
    /// # }
    /// ```
    pub fn encode(&self, source: Source<'_>, buffer: &mut [u8]) -> Result<usize, TooSmall> {
        encode::to_slice(&Encoded { snapshot: self, source }, buffer)
    }

    /// Encodes the snapshot as a profile into a sink, a few bytes at a time, and tells how many.
    ///
    /// # Errors
    /// The sink's first.
    pub fn encode_to<S: Sink>(&self, source: Source<'_>, sink: &mut S) -> Result<u64, S::Error> {
        encode::to_sink(&Encoded { snapshot: self, source }, sink)
    }

    /// As [`encode_to`](Self::encode_to), with samples that the timer gave before the snapshot was
    /// taken ([`Timer::all_samples`](crate::Timer::all_samples)), sorted by section, then lane, then
    /// start. What a section has more durations than samples counts as dropped.
    ///
    /// # Errors
    /// The sink's first.
    pub fn encode_with_samples_to<S: Sink>(
        &self,
        source: Source<'_>,
        samples: &[samples::Sample],
        sink: &mut S,
    ) -> Result<u64, S::Error> {
        encode::to_sink(&Sampled { encoded: Encoded { snapshot: self, source }, samples }, sink)
    }

    /// How many bytes the snapshot takes as a profile.
    pub fn encoded_length(&self, source: Source<'_>) -> u64 {
        encode::length(&Encoded { snapshot: self, source })
    }
}

/// A snapshot, and where it was taken.
struct Encoded<'s> {
    snapshot: &'s Snapshot<'s>,
    source: Source<'s>,
}

impl Content for Encoded<'_> {
    const KIND: u16 = KIND_PROFILE;
    const BLOCKS: &'static [u32] =
        &[block::SOURCE, block::CLOCK, block::LOSSES, block::TOTALS, block::SECTIONS];

    fn write(&self, tag: u32, out: &mut Out<'_>) {
        match tag {
            block::SOURCE => {
                out.number(self.source.rank);
                out.text(self.source.label);
            }
            block::CLOCK => {
                let (name, scale) = self.snapshot.clock();
                let price = self.snapshot.price();
                out.text(name);
                out.number(scale.multiplier);
                out.number(scale.shift.min(127));
                out.number(self.snapshot.width.min(64));
                out.number(price.pair);
                out.number(price.quantum);
            }
            block::LOSSES => write_losses(self.snapshot.losses(), out),
            block::TOTALS => self.write_totals(out),
            block::SECTIONS => self.write_sections(out),
            _ => {}
        }
    }
}

/// The counts of losses, in the order of `docs/format.md`: new ones come last.
pub(crate) fn write_losses(losses: &Losses, out: &mut Out<'_>) {
    let counts = [
        losses.unclosed,
        losses.too_deep,
        losses.refused,
        losses.not_open,
        losses.steps_back,
        losses.base_name,
        losses.no_slot,
        losses.categories,
        losses.late_contexts,
        losses.interrupted,
    ];
    out.count(counts.len());
    for count in counts {
        out.number(count);
    }
}

/// Hands over the samples of each section and lane, and how many durations more the section has: its
/// place, the lane, those dropped, and the samples, which are sorted by section, lane and start.
pub(crate) fn each_lane(
    snapshot: &Snapshot<'_>,
    samples: &[samples::Sample],
    mut each: impl FnMut(u32, u32, u64, &[samples::Sample]),
) {
    for (place, section) in (0..).zip(snapshot.sections()) {
        let number = section.number();
        let first = samples.partition_point(|sample| sample.section < number);
        let end = samples.partition_point(|sample| sample.section <= number);
        let mut here = samples.get(first..end).unwrap_or_default();
        let Some(mut dropped) = section.count().checked_sub(here.len() as u64) else {
            // They are of before a clear that came in between.
            each(place, 0, section.count(), &[]);
            continue;
        };
        if here.is_empty() && dropped > 0 {
            each(place, 0, dropped, &[]);
        }
        while let Some(sample) = here.first() {
            let of_lane = here.partition_point(|other| other.lane <= sample.lane);
            let (lane, others) = here.split_at(of_lane);
            each(place, sample.lane, core::mem::take(&mut dropped), lane);
            here = others;
        }
    }
}

/// A snapshot, and samples that go with it, by section, lane and start.
struct Sampled<'s> {
    encoded: Encoded<'s>,
    samples: &'s [samples::Sample],
}

impl Content for Sampled<'_> {
    const KIND: u16 = KIND_PROFILE;
    const BLOCKS: &'static [u32] = &[
        block::SOURCE,
        block::CLOCK,
        block::LOSSES,
        block::TOTALS,
        block::SECTIONS,
        block::SAMPLES,
    ];

    fn write(&self, tag: u32, out: &mut Out<'_>) {
        match tag {
            block::SAMPLES if self.samples.is_empty() => {}
            block::SAMPLES => {
                let mut count = 0;
                each_lane(self.encoded.snapshot, self.samples, |_, _, _, _| count += 1);
                let mut lanes = Samples::begin(out, count);
                let add = |section, lane, dropped, samples: &[samples::Sample]| {
                    let samples = samples.iter();
                    let samples =
                        samples.map(|it| Sample { start: it.start, duration: it.duration });
                    lanes.add(section, lane, dropped, samples);
                };
                each_lane(self.encoded.snapshot, self.samples, add);
            }
            _ => self.encoded.write(tag, out),
        }
    }
}

impl Encoded<'_> {
    fn write_totals(&self, out: &mut Out<'_>) {
        let snapshot = self.snapshot;
        out.number(snapshot.total());
        out.count(snapshot.categories().count());
        for (name, total) in snapshot.categories() {
            out.text(name);
            out.number(total);
            let index = category::find(snapshot.region, snapshot.layout, name);
            let variants = [late::LOST_INNER, late::LOST_OUTER, late::LOST_TOP];
            let (count, time) = variants.iter().fold((0_u64, 0_u64), |(count, time), &variant| {
                let row = index.map(|index| snapshot.lost_row(index, variant));
                row.map_or((count, time), |row| {
                    (count.saturating_add(row.count), time.saturating_add(row.total))
                })
            });
            out.number(count);
            out.number(time);
        }
    }

    fn write_sections(&self, out: &mut Out<'_>) {
        out.count(self.snapshot.sections().count());
        for section in self.snapshot.sections() {
            self.write_section(&section, out);
        }
    }

    fn write_section(&self, section: &Section<'_>, out: &mut Out<'_>) {
        // Only a section at the top can have names above it that are no sections: after a clear.
        let above = if section.depth() == 0 { section.path().count().saturating_sub(1) } else { 0 };
        let squares = self.squares(section);
        let marks = [
            (mark::BUSY, section.is_busy()),
            (mark::LATE, section.is_late()),
            (mark::EXCEEDED, section.is_exceeded()),
            (mark::ABOVE, above > 0),
            (mark::EXCLUSIVE, section.exclusive().is_some()),
            (mark::EXTREMES, section.min().is_some()),
            (mark::SQUARES, squares.is_some()),
        ];
        out.count(section.depth());
        out.number(
            marks.iter().fold(0_u32, |all, &(mark, holds)| if holds { all | mark } else { all }),
        );
        if above > 0 {
            out.count(above);
            section.path().take(above).for_each(|name| out.text(name));
        }
        out.text(section.name());
        out.number(self.category_index(section.category()));
        out.number(section.count());
        out.number(section.total());
        if let Some(exclusive) = section.exclusive() {
            out.number(exclusive);
        }
        if let (Some(min), Some(max)) = (section.min(), section.max()) {
            out.number(min);
            out.number(max);
        }
        if let Some(squares) = squares {
            out.wide(squares);
        }
        out.number(section.open());
        if section.open() > 0 {
            out.number(section.open_time());
        }
    }

    /// The place of a category among the recorded ones, by code point.
    fn category_index(&self, category: &str) -> u32 {
        let snapshot = self.snapshot;
        let text = |index| category::text(snapshot.region, snapshot.layout, index);
        let before = |&index: &u32| snapshot.has_category(index) && text(index) < category;
        (0..snapshot.layout.config.categories).filter(before).count() as u32
    }

    fn squares(&self, section: &Section<'_>) -> Option<u128> {
        if !self.snapshot.statistics().has_squares() || section.is_late() {
            return None;
        }
        let row = section.row;
        let ticks = Ticks { count: row.count, sum: row.ticks, squares: row.squares };
        Some(squares::in_nanoseconds(ticks, self.snapshot.scale, row.total))
    }
}

//! A profile that owns what it holds: to be kept, united, changed in rank, and encoded again.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::clock::Scale;
use crate::price::Price;
use crate::profile::encode::{self, Content};
use crate::profile::error::DecodeError;
use crate::profile::format::{KIND_PROFILE, block, mark};
use crate::profile::kept::{Histograms, Samples};
use crate::profile::snapshot::write_losses;
use crate::profile::view::{Marks, Numbers, Sample, Source, View};
use crate::profile::wire::Out;
use crate::snapshot::{Losses, Snapshot};

/// A category of a [`Profile`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileCategory {
    /// The category.
    pub name: Box<str>,
    /// Time of its top-most sections, in nanoseconds.
    pub total: u64,
    /// Exits of its sections that found the table full.
    pub lost_count: u64,
    /// And their time, in nanoseconds.
    pub lost_time: u64,
}

/// A section of a [`Profile`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileSection {
    /// The section it is nested in: its place among the sections, before this one.
    pub parent: Option<u32>,
    /// Its name.
    pub name: Box<str>,
    /// The names between its own and its parent's that have no section of their own.
    pub names_above: Box<[Box<str>]>,
    /// Its category: its place among the profile's.
    pub category: u32,
    /// What is remarkable about it.
    pub marks: Marks,
    /// What it came to.
    pub numbers: Numbers,
    pub(crate) depth: u32,
}

/// The buckets of a histogram that hold anything, ascending, with how many durations each does.
pub type Buckets = [(u32, u64)];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnedHistogram {
    pub(crate) section: u32,
    pub(crate) buckets: Box<Buckets>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnedSamples {
    pub(crate) section: u32,
    pub(crate) lane: u32,
    pub(crate) dropped: u64,
    pub(crate) samples: Box<[Sample]>,
}

/// A profile of one rank. It takes at most 32 bytes for each byte it was decoded from.
///
/// ```
/// use xtimer_core::profile::{Profile, Records, Source};
///
/// let load = Records { path: &["step", "load"], category: "io", durations: &[3, 5], starts: &[] };
/// let profile = Profile::from_records(Source { rank: 2, label: "" }, &[load]);
/// let again = Profile::from_bytes(&profile.to_bytes()).unwrap();
/// assert_eq!((again.rank(), again.category_total("io")), (2, 8));
/// assert_eq!(again, profile);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub(crate) rank: u32,
    pub(crate) label: String,
    pub(crate) clock: String,
    pub(crate) scale: Scale,
    pub(crate) width: u32,
    pub(crate) price: Price,
    pub(crate) losses: Losses,
    pub(crate) total: u64,
    pub(crate) categories: Vec<ProfileCategory>,
    pub(crate) sections: Vec<ProfileSection>,
    pub(crate) histograms: Vec<OwnedHistogram>,
    pub(crate) samples: Vec<OwnedSamples>,
}

impl Profile {
    /// The profile that `bytes` are.
    ///
    /// # Errors
    /// What is wrong with them, at which byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        Ok(Self::from_view(&View::new(bytes)?))
    }

    /// The profile of a snapshot.
    pub fn from_snapshot(snapshot: &Snapshot<'_>, source: Source<'_>) -> Result<Self, DecodeError> {
        let mut bytes = Vec::new();
        let Ok(_) = snapshot.encode_to(source, &mut |piece: &[u8]| {
            bytes.extend_from_slice(piece);
            Ok::<(), core::convert::Infallible>(())
        });
        Self::from_bytes(&bytes)
    }

    /// What a view shows, owned.
    pub fn from_view(view: &View<'_>) -> Self {
        let clock = view.clock();
        Self {
            rank: view.source().rank,
            label: view.source().label.to_owned(),
            clock: clock.name.to_owned(),
            scale: clock.scale,
            width: clock.width,
            price: view.price(),
            losses: *view.losses(),
            total: view.total(),
            categories: exactly(view.category_count(), categories_of(view)),
            sections: sections_of(view),
            histograms: exactly(view.histograms().count(), histograms_of(view)),
            samples: exactly(view.samples().count(), samples_of(view)),
        }
    }

    /// The profile as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode::to_vec(self)
    }

    /// The rank it came from.
    pub const fn rank(&self) -> u32 {
        self.rank
    }
    /// Gives it another rank: for profiles that were taken without one.
    pub fn set_rank(&mut self, rank: u32) {
        self.rank = rank;
    }
    /// The text that says where it came from.
    pub fn label(&self) -> &str {
        &self.label
    }
    /// The name of the clock that measured, what its tick was worth, and its significant bits.
    pub fn clock(&self) -> (&str, Scale, u32) {
        (&self.clock, self.scale, self.width)
    }
    /// What the timer itself cost.
    pub const fn price(&self) -> Price {
        self.price
    }
    /// What was lost.
    pub const fn losses(&self) -> &Losses {
        &self.losses
    }
    /// Time of the sections that have no section above, in nanoseconds.
    pub const fn total(&self) -> u64 {
        self.total
    }
    /// The categories, sorted by code point.
    pub fn categories(&self) -> &[ProfileCategory] {
        &self.categories
    }
    /// The time of a category's top-most sections, in nanoseconds; 0 where it has none.
    pub fn category_total(&self, category: &str) -> u64 {
        let place = self.categories.binary_search_by(|entry| (*entry.name).cmp(category));
        place.map_or(0, |index| self.categories[index].total)
    }
    /// The sections, depth first in order of first entry.
    pub fn sections(&self) -> &[ProfileSection] {
        &self.sections
    }
    /// The name of a section's category.
    pub fn category_of(&self, section: &ProfileSection) -> &str {
        self.categories.get(section.category as usize).map_or("", |category| &category.name)
    }

    /// The names of a section's path, outermost first. Empty where there is no such section.
    pub fn path(&self, section: usize) -> Vec<&str> {
        let mut names = Vec::new();
        let mut next = self.sections.get(section);
        while let Some(section) = next {
            names.push(&*section.name);
            names.extend(section.names_above.iter().rev().map(|name| &**name));
            next = section.parent.and_then(|parent| self.sections.get(parent as usize));
        }
        names.reverse();
        names
    }

    /// The place of the section at a path of names, outermost first.
    pub fn find(&self, path: &[&str]) -> Option<usize> {
        let last = path.last()?;
        (0..self.sections.len())
            .find(|&index| *self.sections[index].name == **last && self.path(index) == path)
    }

    /// The histogram of a section, where one was kept.
    pub fn histogram(&self, section: usize) -> Option<&Buckets> {
        let place =
            self.histograms.binary_search_by(|entry| (entry.section as usize).cmp(&section));
        place.ok().map(|index| &*self.histograms[index].buckets)
    }

    /// What each lane kept of a section, by ascending lane: the lane, its samples as they were kept,
    /// and how many it dropped.
    pub fn lanes(&self, section: usize) -> impl Iterator<Item = (u32, &[Sample], u64)> {
        let first = self.samples.partition_point(|entry| (entry.section as usize) < section);
        let end = self.samples.partition_point(|entry| (entry.section as usize) <= section);
        let lanes = self.samples[first..end].iter();
        lanes.map(|entry| (entry.lane, &*entry.samples, entry.dropped))
    }

    /// The samples of a section by start, across lanes, and how many were dropped. A section that kept
    /// none gives none.
    pub fn samples(&self, section: usize) -> (Vec<Sample>, u64) {
        let mut samples = Vec::new();
        let mut dropped = 0_u64;
        for (_, kept, lost) in self.lanes(section) {
            samples.extend_from_slice(kept);
            dropped = dropped.saturating_add(lost);
        }
        samples.sort_by_key(|sample| sample.start); // stable: of one start, as they were kept
        (samples, dropped)
    }
}

/// Collects what is known to be so many, without room for more.
fn exactly<T>(count: usize, items: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::with_capacity(count);
    all.extend(items);
    all
}

fn categories_of(view: &View<'_>) -> impl Iterator<Item = ProfileCategory> {
    view.categories().map(|category| ProfileCategory {
        name: category.name.into(),
        total: category.total,
        lost_count: category.lost_count,
        lost_time: category.lost_time,
    })
}

fn sections_of(view: &View<'_>) -> Vec<ProfileSection> {
    let mut open: Vec<u32> = Vec::new();
    let mut sections = Vec::with_capacity(view.section_count());
    for (index, section) in (0..).zip(view.sections()) {
        open.truncate(section.depth as usize);
        sections.push(ProfileSection {
            parent: open.last().copied(),
            name: section.name.into(),
            names_above: section.names_above().map(Box::from).collect(),
            category: section.category_index,
            marks: section.marks,
            numbers: section.numbers,
            depth: section.depth,
        });
        open.push(index);
    }
    sections
}

fn histograms_of(view: &View<'_>) -> impl Iterator<Item = OwnedHistogram> {
    view.histograms().map(|histogram| OwnedHistogram {
        section: histogram.section,
        buckets: exactly(histogram.buckets as usize, histogram.counts()).into(),
    })
}

fn samples_of(view: &View<'_>) -> impl Iterator<Item = OwnedSamples> {
    view.samples().map(|samples| OwnedSamples {
        section: samples.section,
        lane: samples.lane,
        dropped: samples.dropped,
        samples: exactly(samples.count as usize, samples.samples()).into(),
    })
}

impl Content for Profile {
    const KIND: u16 = KIND_PROFILE;
    const BLOCKS: &'static [u32] = &[
        block::SOURCE,
        block::CLOCK,
        block::LOSSES,
        block::TOTALS,
        block::SECTIONS,
        block::HISTOGRAMS,
        block::SAMPLES,
    ];

    fn write(&self, tag: u32, out: &mut Out<'_>) {
        match tag {
            block::SOURCE => {
                out.number(self.rank);
                out.text(&self.label);
            }
            block::CLOCK => {
                out.text(&self.clock);
                out.number(self.scale.multiplier);
                out.number(self.scale.shift);
                out.number(self.width);
                out.number(self.price.pair);
                out.number(self.price.quantum);
            }
            block::LOSSES => write_losses(&self.losses, out),
            block::TOTALS => {
                out.number(self.total);
                out.count(self.categories.len());
                for category in &self.categories {
                    out.text(&category.name);
                    out.number(category.total);
                    out.number(category.lost_count);
                    out.number(category.lost_time);
                }
            }
            block::SECTIONS => {
                out.count(self.sections.len());
                self.sections.iter().for_each(|section| write_section(section, out));
            }
            block::HISTOGRAMS => write_histograms(&self.histograms, out),
            block::SAMPLES => write_samples(&self.samples, out),
            _ => {}
        }
    }
}

fn write_section(section: &ProfileSection, out: &mut Out<'_>) {
    let numbers = &section.numbers;
    let marks = [
        (mark::BUSY, section.marks.busy),
        (mark::LATE, section.marks.late),
        (mark::EXCEEDED, section.marks.exceeded),
        (mark::ABOVE, !section.names_above.is_empty()),
        (mark::EXCLUSIVE, numbers.exclusive.is_some()),
        (mark::EXTREMES, numbers.min.is_some()),
        (mark::SQUARES, numbers.squares.is_some()),
    ];
    out.number(section.depth);
    out.number(marks.iter().filter(|mark| mark.1).fold(0_u32, |all, mark| all | mark.0));
    if !section.names_above.is_empty() {
        out.count(section.names_above.len());
        section.names_above.iter().for_each(|name| out.text(name));
    }
    out.text(&section.name);
    out.number(section.category);
    out.number(numbers.count);
    out.number(numbers.total);
    let optional = [numbers.exclusive, numbers.min, numbers.max];
    optional.into_iter().flatten().for_each(|time| out.number(time));
    if let Some(squares) = numbers.squares {
        out.wide(squares);
    }
    out.number(numbers.open);
    if numbers.open > 0 {
        out.number(numbers.open_time);
    }
}

fn write_histograms(histograms: &[OwnedHistogram], out: &mut Out<'_>) {
    if !histograms.is_empty() {
        let mut all = Histograms::begin(out, histograms.len());
        for histogram in histograms {
            all.add(histogram.section, histogram.buckets.iter().copied());
        }
    }
}

fn write_samples(lanes: &[OwnedSamples], out: &mut Out<'_>) {
    if !lanes.is_empty() {
        let mut all = Samples::begin(out, lanes.len());
        for lane in lanes {
            all.add(lane.section, lane.lane, lane.dropped, lane.samples.iter().copied());
        }
    }
}

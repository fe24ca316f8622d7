//! A profile read in place: what it holds, without memory of its own.

use crate::clock::Scale;
use crate::price::Price;
use crate::profile::decode;
use crate::profile::wire::Input;
use crate::snapshot::Losses;

/// Where a profile came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Source<'b> {
    /// MPI rank, number of the worker or board; 0 where there is one.
    pub rank: u32,
    /// A text for people: a host, a program. May be empty.
    pub label: &'b str,
}

/// The clock that measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockInfo<'b> {
    /// Its name.
    pub name: &'b str,
    /// What a tick was worth. The times of a profile are nanoseconds already.
    pub scale: Scale,
    /// Its significant bits.
    pub width: u32,
}

/// What a category came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CategoryTotal<'b> {
    /// The category.
    pub name: &'b str,
    /// Time of its top-most sections, in nanoseconds.
    pub total: u64,
    /// Exits of its sections that found the table full.
    pub lost_count: u64,
    /// And their time, in nanoseconds.
    pub lost_time: u64,
}

/// What is remarkable about a section's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Count and times may be one entry apart.
    pub busy: bool,
    /// Contexts that found no lane added to it.
    pub late: bool,
    /// The sections directly beneath it add up to more than it took.
    pub exceeded: bool,
}

/// What a section came to. Times are nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// How often it was exited.
    pub count: u64,
    /// Its time.
    pub total: u64,
    /// Its time not spent in sections nested in it on the same stack, where that was kept.
    pub exclusive: Option<u64>,
    /// The shortest duration, where it was kept.
    pub min: Option<u64>,
    /// The longest duration, where it was kept.
    pub max: Option<u64>,
    /// The sum of squared durations in ns², where it was kept.
    pub squares: Option<u128>,
    /// Entries that were open.
    pub open: u32,
    /// How long the first of them had been open.
    pub open_time: u64,
}

/// One section of a profile.
#[derive(Clone, Copy, Debug)]
pub struct Section<'b> {
    /// How many sections it is nested in.
    pub depth: u32,
    /// What is remarkable about it.
    pub marks: Marks,
    /// Its name: the last of its path.
    pub name: &'b str,
    /// The index of its category among [`View::categories`].
    pub category_index: u32,
    /// What it came to.
    pub numbers: Numbers,
    pub(crate) above: Input<'b>,
    pub(crate) categories: Input<'b>,
}

impl<'b> Section<'b> {
    /// The names between its own and the section it is nested in, outermost first. There are none
    /// unless a clear dropped the sections around it: those names have no section of their own.
    pub fn names_above(&self) -> impl Iterator<Item = &'b str> + use<'b> {
        let mut names = self.above;
        core::iter::from_fn(move || names.text("").ok())
    }

    /// Its category.
    pub fn category(&self) -> &'b str {
        let mut categories = decode::categories(self.categories);
        categories.nth(self.category_index as usize).map_or("", |category| category.name)
    }
}

/// The histogram of one section: buckets of [`histogram`](crate::histogram), in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Histogram<'b> {
    /// The section's place among [`View::sections`].
    pub section: u32,
    /// How many buckets hold anything.
    pub buckets: u32,
    pub(crate) input: Input<'b>,
}

impl<'b> Histogram<'b> {
    /// The buckets that hold anything, ascending, and how many durations each does.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64)> + Clone + use<'b> {
        decode::Counts::new(self.input)
    }
}

/// One measured duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sample {
    /// When it began, in nanoseconds of the rank's clock; 0 where that is not known.
    pub start: u64,
    /// How long it took, in nanoseconds.
    pub duration: u64,
}

/// The samples that one lane kept of one section.
#[derive(Clone, Copy, Debug)]
pub struct LaneSamples<'b> {
    /// The section's place among [`View::sections`].
    pub section: u32,
    /// The lane.
    pub lane: u32,
    /// How many samples were dropped.
    pub dropped: u64,
    /// How many were kept.
    pub count: u32,
    pub(crate) input: Input<'b>,
}

impl<'b> LaneSamples<'b> {
    /// The samples as they were kept.
    pub fn samples(&self) -> impl Iterator<Item = Sample> + use<'b> {
        let (mut input, mut start) = (self.input, 0);
        core::iter::from_fn(move || {
            let sample = decode::sample(&mut input, start).ok()?;
            start = sample.start;
            Some(sample)
        })
    }
}

/// A profile read in place. All of it was checked when the view was made.
#[derive(Clone, Copy, Debug)]
pub struct View<'b> {
    pub(crate) version: u16,
    pub(crate) source: Source<'b>,
    pub(crate) clock: ClockInfo<'b>,
    pub(crate) price: Price,
    pub(crate) losses: Losses,
    pub(crate) total: u64,
    pub(crate) category_count: u32,
    pub(crate) categories: Input<'b>,
    pub(crate) section_count: u32,
    pub(crate) sections: Input<'b>,
    pub(crate) histograms: Input<'b>,
    pub(crate) samples: Input<'b>,
}

impl<'b> View<'b> {
    /// The version of the format it was written in.
    pub const fn version(&self) -> u16 {
        self.version
    }
    /// Where it came from.
    pub const fn source(&self) -> Source<'b> {
        self.source
    }
    /// The clock that measured.
    pub const fn clock(&self) -> ClockInfo<'b> {
        self.clock
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

    /// How many categories there are.
    pub const fn category_count(&self) -> usize {
        self.category_count as usize
    }
    /// The categories, sorted by code point.
    pub fn categories(&self) -> impl Iterator<Item = CategoryTotal<'b>> + use<'b> {
        decode::categories(self.categories)
    }
    /// The time of a category's top-most sections, in nanoseconds; 0 where it has none.
    pub fn category_total(&self, category: &str) -> u64 {
        self.categories().find(|entry| entry.name == category).map_or(0, |entry| entry.total)
    }

    /// How many sections there are.
    pub const fn section_count(&self) -> usize {
        self.section_count as usize
    }
    /// The sections, depth first in order of first entry: what is nested in a section follows it.
    pub fn sections(&self) -> impl Iterator<Item = Section<'b>> + use<'b> {
        let (mut input, mut deepest) = (self.sections, 0);
        let (categories, count) = (self.categories, self.category_count);
        core::iter::from_fn(move || {
            let section = decode::section(&mut input, deepest, categories, count).ok()?;
            deepest = section.depth + 1;
            Some(section)
        })
    }

    /// The sections' histograms, by ascending section; none where none were kept.
    pub fn histograms(&self) -> impl Iterator<Item = Histogram<'b>> + use<'b> {
        let (mut input, mut next, count) = (self.histograms, 0, self.section_count);
        core::iter::from_fn(move || {
            let histogram = decode::histogram(&mut input, next, count).ok()?;
            next = histogram.section + 1;
            Some(histogram)
        })
    }

    /// The sections' samples by ascending section and lane; none where none were kept.
    pub fn samples(&self) -> impl Iterator<Item = LaneSamples<'b>> + use<'b> {
        let (mut input, mut last, count) = (self.samples, (0, None), self.section_count);
        core::iter::from_fn(move || {
            let samples = decode::lane_samples(&mut input, last, count).ok()?;
            last = (samples.section, Some(samples.lane));
            Some(samples)
        })
    }
}

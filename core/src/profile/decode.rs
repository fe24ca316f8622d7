//! From bytes: any bytes are a profile, or an error that says what is wrong at which byte.
//!
//! Everything is checked once, when a view is made; what iterates later reads the same bytes by the
//! same functions. No count is believed before the bytes that are left could hold so many items.

use crate::clock::Scale;
use crate::histogram::BUCKETS;
use crate::price::Price;
use crate::profile::error::{DecodeError, Fault};
use crate::profile::format::{
    AT_KIND, AT_LENGTH, AT_VERSION, CHECKSUM, HEADER, KIND_PROFILE, KIND_REDUCED, MAGIC,
    SECTION_LEAST, TRAILER, VERSION, block, mark,
};
use crate::profile::view::{
    CategoryTotal, ClockInfo, Histogram, LaneSamples, Marks, Numbers, Sample, Section, Source, View,
};
use crate::profile::wire::Input;
use crate::snapshot::Losses;

/// What a header tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) version: u16,
    pub(crate) kind: u16,
    pub(crate) length: u64,
}

/// Reads the header at the beginning of `bytes`.
pub(crate) fn header(bytes: &[u8]) -> Result<Header, DecodeError> {
    let Some(start) = bytes.first_chunk::<HEADER>() else {
        let begun = bytes.len().min(MAGIC.len());
        let fault =
            if bytes[..begun] == MAGIC[..begun] { Fault::NoHeader } else { Fault::NotAProfile };
        let offset = if fault == Fault::NoHeader { bytes.len() } else { 0 };
        return Err(DecodeError::new(fault, offset));
    };
    let [m0, m1, m2, m3, v0, v1, k0, k1, length @ ..] = *start;
    let (version, kind) = (u16::from_le_bytes([v0, v1]), u16::from_le_bytes([k0, k1]));
    if [m3, m2, m1, m0] == MAGIC {
        return Err(DecodeError::new(Fault::ForeignByteOrder, 0));
    }
    if [m0, m1, m2, m3] != MAGIC {
        return Err(DecodeError::new(Fault::NotAProfile, 0));
    }
    if version == 0 || version > VERSION {
        let swapped = (version.swap_bytes(), kind.swap_bytes());
        let foreign = (1..=VERSION).contains(&swapped.0)
            && (KIND_PROFILE..=KIND_REDUCED).contains(&swapped.1);
        let fault = if foreign { Fault::ForeignByteOrder } else { Fault::Version(version) };
        return Err(DecodeError::new(fault, AT_VERSION));
    }
    Ok(Header { version, kind, length: u64::from_le_bytes(length) })
}

/// The first profile of `bytes`, checked as a whole: its header and its blocks.
pub(crate) fn envelope(bytes: &[u8], wanted: u16) -> Result<(Header, usize), DecodeError> {
    let header = header(bytes)?;
    if header.kind != wanted {
        return Err(DecodeError::new(Fault::Kind { found: header.kind, wanted }, AT_KIND));
    }
    let there = bytes.len();
    let length = usize::try_from(header.length).ok();
    let Some(length) = length.filter(|&length| length >= HEADER + TRAILER && length <= there)
    else {
        let fault = Fault::Length { told: header.length, there: there as u64 };
        return Err(DecodeError::new(fault, AT_LENGTH));
    };
    let (summed, rest) = bytes.split_at(length - TRAILER);
    let told = rest.first_chunk().map_or(0, |sum| u32::from_le_bytes(*sum));
    let computed = CHECKSUM.checksum(summed);
    if told != computed {
        return Err(DecodeError::new(Fault::Checksum { told, computed }, length - TRAILER));
    }
    Ok((header, length))
}

/// The blocks of a profile, taken in order.
pub(crate) struct Blocks<'b> {
    input: Input<'b>,
    /// The block at hand.
    next: Option<(u32, usize, Input<'b>)>,
}

impl<'b> Blocks<'b> {
    pub(crate) fn new(bytes: &'b [u8], length: usize) -> Result<Self, DecodeError> {
        let mut blocks = Self { input: Input::new(bytes, HEADER, length - TRAILER), next: None };
        blocks.advance()?;
        Ok(blocks)
    }

    fn advance(&mut self) -> Result<(), DecodeError> {
        self.next = None;
        if self.input.remaining() > 0 {
            let offset = self.input.offset();
            let tag = self.input.narrow("a block's tag")?;
            let start = self.input;
            let length = self.input.number("a block's length")?;
            let Some(length) =
                usize::try_from(length).ok().filter(|&length| length <= self.input.remaining())
            else {
                return Err(start.fault(Fault::Count { field: "a block's length" }));
            };
            self.next = Some((tag, offset, self.input.part(length)));
        }
        Ok(())
    }

    /// The content of a block that must come now.
    pub(crate) fn required(
        &mut self,
        wanted: u32,
        name: &'static str,
    ) -> Result<Input<'b>, DecodeError> {
        match self.next {
            Some((tag, _, content)) if tag == wanted => {
                self.advance()?;
                Ok(content)
            }
            Some((tag, offset, _)) if tag < block::OPTIONAL => {
                Err(DecodeError::new(Fault::Block { tag }, offset))
            }
            Some((_, offset, _)) => Err(DecodeError::new(Fault::Missing { block: name }, offset)),
            None => Err(self.input.fault(Fault::Missing { block: name })),
        }
    }

    /// The contents of the optional blocks `wanted`, each empty where it is not there. Others are
    /// passed over, unless they must be understood.
    pub(crate) fn optional<const N: usize>(
        &mut self,
        wanted: [u32; N],
    ) -> Result<[Input<'b>; N], DecodeError> {
        let mut found = [Input::new(&[], 0, 0); N];
        let mut least = block::OPTIONAL;
        while let Some((tag, offset, content)) = self.next {
            if tag < least {
                return Err(DecodeError::new(Fault::Block { tag }, offset));
            }
            least = tag.saturating_add(1);
            if let Some(index) = wanted.iter().position(|&wanted| wanted == tag) {
                found[index] = content;
            }
            self.advance()?;
        }
        Ok(found)
    }
}

impl<'b> View<'b> {
    /// The profile that `bytes` are.
    ///
    /// # Errors
    /// What is wrong with them, at which byte.
    pub fn new(bytes: &'b [u8]) -> Result<Self, DecodeError> {
        let (view, rest) = Self::first(bytes)?;
        if rest.is_empty() {
            return Ok(view);
        }
        let (told, there) = (bytes.len() - rest.len(), bytes.len());
        let fault = Fault::Length { told: told as u64, there: there as u64 };
        Err(DecodeError::new(fault, AT_LENGTH))
    }

    /// The profile that `bytes` begin with, and the bytes behind it: profiles may stand one behind
    /// another.
    ///
    /// # Errors
    /// What is wrong with the first, at which byte.
    pub fn first(bytes: &'b [u8]) -> Result<(Self, &'b [u8]), DecodeError> {
        let (header, length) = envelope(bytes, KIND_PROFILE)?;
        let mut blocks = Blocks::new(bytes, length)?;
        let source = source(blocks.required(block::SOURCE, "source")?)?;
        let (clock, price) = clock(blocks.required(block::CLOCK, "clock")?)?;
        let losses = losses(blocks.required(block::LOSSES, "losses")?)?;
        let mut totals = blocks.required(block::TOTALS, "totals")?;
        let total = totals.number("the total")?;
        let (category_count, categories) = check_categories(totals)?;
        let sections = blocks.required(block::SECTIONS, "sections")?;
        let (section_count, sections) = check_sections(sections, categories, category_count)?;
        let [histograms, samples] = blocks.optional([block::HISTOGRAMS, block::SAMPLES])?;
        let view = Self {
            version: header.version,
            source,
            clock,
            price,
            losses,
            total,
            category_count,
            categories,
            section_count,
            sections,
            histograms: check_histograms(histograms, section_count)?,
            samples: check_samples(samples, section_count)?,
        };
        Ok((view, bytes.get(length..).unwrap_or_default()))
    }
}

fn source(mut input: Input<'_>) -> Result<Source<'_>, DecodeError> {
    let source =
        Source { rank: input.narrow("the rank")?, label: input.text("the source's label")? };
    input.done("source")?;
    Ok(source)
}

fn clock(mut input: Input<'_>) -> Result<(ClockInfo<'_>, Price), DecodeError> {
    let name = input.text("the clock's name")?;
    let multiplier = input.number("the clock's multiplier")?;
    let shift = input.index(128, "the clock's shift")?;
    let width = input.index(65, "the clock's width")?;
    let pair = input.narrow("the price of a pair")?;
    let quantum = input.narrow("the clock's quantum")?;
    input.done("clock")?;
    Ok((ClockInfo { name, scale: Scale { multiplier, shift }, width }, Price { pair, quantum }))
}

/// A later writer may count more kinds of losses; an earlier one, fewer.
pub(crate) fn losses(mut input: Input<'_>) -> Result<Losses, DecodeError> {
    let mut counts = [0; 10];
    let count = input.count(1, "the number of losses")?;
    for index in 0..count {
        let value = input.number("a count of losses")?;
        if let Some(place) = counts.get_mut(index) {
            *place = value;
        }
    }
    input.done("losses")?;
    let [
        unclosed,
        too_deep,
        refused,
        not_open,
        steps_back,
        base_name,
        no_slot,
        categories,
        late_contexts,
        interrupted,
    ] = counts;
    Ok(Losses {
        unclosed,
        too_deep,
        refused,
        not_open,
        steps_back,
        base_name,
        no_slot,
        interrupted,
        categories,
        late_contexts,
    })
}

fn category<'b>(input: &mut Input<'b>) -> Result<CategoryTotal<'b>, DecodeError> {
    Ok(CategoryTotal {
        name: input.text("a category's name")?,
        total: input.number("a category's total")?,
        lost_count: input.number("a category's lost exits")?,
        lost_time: input.number("a category's lost time")?,
    })
}

/// The categories of an input that was checked.
pub(crate) fn categories<'b>(
    mut input: Input<'b>,
) -> impl Iterator<Item = CategoryTotal<'b>> + use<'b> {
    core::iter::from_fn(move || category(&mut input).ok())
}

fn check_categories(mut input: Input<'_>) -> Result<(u32, Input<'_>), DecodeError> {
    let count = input.count(4, "the number of categories")?;
    let content = input;
    let mut last = None;
    for _ in 0..count {
        let start = input;
        let category = category(&mut input)?;
        if last.is_some_and(|last| last >= category.name) {
            return Err(start.fault(Fault::Value { field: "the order of categories" }));
        }
        last = Some(category.name);
    }
    input.done("totals")?;
    Ok((count as u32, content))
}

/// A section that is nested in at most `deepest` others.
pub(crate) fn section<'b>(
    input: &mut Input<'b>,
    deepest: u32,
    categories: Input<'b>,
    category_count: u32,
) -> Result<Section<'b>, DecodeError> {
    let depth = input.index(deepest.saturating_add(1), "a section's depth")?;
    let at_marks = *input;
    let marks = input.index(mark::ALL + 1, "a section's marks")?;
    let has = |mark| marks & mark != 0;
    let mut above = Input::new(&[], 0, 0);
    if has(mark::ABOVE) {
        if depth != 0 {
            return Err(at_marks.fault(Fault::Value { field: "a section's marks" }));
        }
        let count = input.count(1, "the number of names above a section")?;
        let mut names = *input;
        for _ in 0..count {
            input.text("a name above a section")?;
        }
        above = names.part(input.offset() - names.offset());
    }
    let name = input.text("a section's name")?;
    let category_index = input.index(category_count, "a section's category")?;
    let count = input.number("a section's count")?;
    let total = input.number("a section's total")?;
    let exclusive =
        if has(mark::EXCLUSIVE) { Some(input.number("a section's exclusive time")?) } else { None };
    let (mut min, mut max) = (None, None);
    if has(mark::EXTREMES) {
        let start = *input;
        let shortest = input.number("a section's shortest duration")?;
        let longest = input.number("a section's longest duration")?;
        if shortest > longest || count == 0 {
            return Err(start.fault(Fault::Value { field: "a section's shortest duration" }));
        }
        (min, max) = (Some(shortest), Some(longest));
    }
    let squares = if has(mark::SQUARES) { Some(input.wide("a section's squares")?) } else { None };
    let open = input.narrow("a section's open entries")?;
    let open_time = if open > 0 { input.number("a section's open time")? } else { 0 };
    let marks =
        Marks { busy: has(mark::BUSY), late: has(mark::LATE), exceeded: has(mark::EXCEEDED) };
    Ok(Section {
        depth,
        marks,
        name,
        category_index,
        numbers: Numbers { count, total, exclusive, min, max, squares, open, open_time },
        above,
        categories,
    })
}

fn check_sections<'b>(
    mut input: Input<'b>,
    categories: Input<'b>,
    category_count: u32,
) -> Result<(u32, Input<'b>), DecodeError> {
    let count = input.count(SECTION_LEAST, "the number of sections")?;
    let content = input;
    let mut deepest = 0;
    for _ in 0..count {
        deepest = section(&mut input, deepest, categories, category_count)?.depth + 1;
    }
    input.done("sections")?;
    Ok((count as u32, content))
}

/// A place among `count` sections, told as the distance from `next`.
fn place(
    input: &mut Input<'_>,
    next: u32,
    count: u32,
    field: &'static str,
) -> Result<u32, DecodeError> {
    Ok(next + input.index(count.saturating_sub(next), field)?)
}

/// The buckets of a histogram that hold anything, ascending, and how many durations each does.
#[derive(Clone, Debug)]
pub(crate) struct Counts<'b> {
    input: Input<'b>,
    next: u32,
}

impl<'b> Counts<'b> {
    pub(crate) const fn new(input: Input<'b>) -> Self {
        Self { input, next: 0 }
    }

    fn read(&mut self) -> Result<(u32, u64), DecodeError> {
        let bucket = place(&mut self.input, self.next, BUCKETS as u32, "a histogram's bucket")?;
        let start = self.input;
        let count = self.input.number("a bucket's count")?;
        if count == 0 {
            return Err(start.fault(Fault::Value { field: "a bucket's count" }));
        }
        self.next = bucket + 1;
        Ok((bucket, count))
    }
}

impl Iterator for Counts<'_> {
    type Item = (u32, u64);

    fn next(&mut self) -> Option<(u32, u64)> {
        self.read().ok()
    }
}

pub(crate) fn histogram<'b>(
    input: &mut Input<'b>,
    next: u32,
    sections: u32,
) -> Result<Histogram<'b>, DecodeError> {
    let section = place(input, next, sections, "a histogram's section")?;
    let buckets = input.count(2, "the number of buckets")?;
    let mut counts = Counts::new(*input);
    for _ in 0..buckets {
        counts.read()?;
    }
    let content = input.part(counts.input.offset() - input.offset());
    Ok(Histogram { section, buckets: buckets as u32, input: content })
}

pub(crate) fn check_histograms(
    mut input: Input<'_>,
    sections: u32,
) -> Result<Input<'_>, DecodeError> {
    if input.remaining() == 0 {
        return Ok(input);
    }
    let count = input.count(2, "the number of histograms")?;
    let content = input;
    let mut next = 0;
    for _ in 0..count {
        next = histogram(&mut input, next, sections)?.section + 1;
    }
    input.done("histograms")?;
    Ok(content)
}

pub(crate) fn sample(input: &mut Input<'_>, last: u64) -> Result<Sample, DecodeError> {
    Ok(Sample {
        start: input.difference(last, "a sample's start")?,
        duration: input.number("a sample's duration")?,
    })
}

/// Samples behind those of `last`: a section, and a lane of it unless none came yet.
pub(crate) fn lane_samples<'b>(
    input: &mut Input<'b>,
    last: (u32, Option<u32>),
    sections: u32,
) -> Result<LaneSamples<'b>, DecodeError> {
    let section = place(input, last.0, sections, "the section of samples")?;
    let start = *input;
    let lane = input.narrow("the lane of samples")?;
    if section == last.0 && last.1.is_some_and(|last| lane <= last) {
        return Err(start.fault(Fault::Value { field: "the lane of samples" }));
    }
    let dropped = input.number("the number of dropped samples")?;
    let count = input.count(2, "the number of samples")?;
    let mut content = *input;
    let mut start = 0;
    for _ in 0..count {
        start = sample(input, start)?.start;
    }
    let content = content.part(input.offset() - content.offset());
    Ok(LaneSamples { section, lane, dropped, count: count as u32, input: content })
}

fn check_samples(mut input: Input<'_>, sections: u32) -> Result<Input<'_>, DecodeError> {
    if input.remaining() == 0 {
        return Ok(input);
    }
    let count = input.count(4, "the number of lanes with samples")?;
    let content = input;
    let mut last = (0, None);
    for _ in 0..count {
        let samples = lane_samples(&mut input, last, sections)?;
        last = (samples.section, Some(samples.lane));
    }
    input.done("samples")?;
    Ok(content)
}

//! A reduced profile as bytes, kind 2, and back: so that it can be reduced again.

use alloc::vec::Vec;

use crate::profile::across::Across;
use crate::profile::decode::{self, Blocks, envelope};
use crate::profile::encode::{self, Content};
use crate::profile::error::{DecodeError, Fault};
use crate::profile::format::{AT_LENGTH, KIND_REDUCED, block, mark};
use crate::profile::kept::Histograms;
use crate::profile::reduce::{NO_EXTREMES, Reduced, ReducedCategory, ReducedSection};
use crate::profile::snapshot::write_losses;
use crate::profile::tree::ROOT;
use crate::profile::view::View;
use crate::profile::wire::{Input, Out};

/// Ranks have the section with different categories.
const MIXED: u32 = 8;
const MARKS: u32 = mark::BUSY | mark::LATE | MIXED | mark::EXTREMES | mark::SQUARES;
/// The fewest bytes of *across*, where there are ranks and where there may be none.
const ACROSS_LEAST: usize = 7;
/// And of a category and a section.
const CATEGORY_LEAST: usize = 4;
const SECTION_LEAST: usize = 2 + 1 + 3 + ACROSS_LEAST + 1;

impl Reduced {
    /// The reduced profile as bytes. The same profiles give the same bytes, in whatever order and
    /// grouping they were added.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode::to_vec(self)
    }

    /// The reduced profile that `bytes` are.
    ///
    /// # Errors
    /// What is wrong with them, at which byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (reduced, length) = read(bytes)?;
        if length == bytes.len() {
            return Ok(reduced);
        }
        let fault = Fault::Length { told: length as u64, there: bytes.len() as u64 };
        Err(DecodeError::new(fault, AT_LENGTH))
    }

    /// Adds profiles that stand one behind another, of one rank or reduced before, and tells how many
    /// there were.
    ///
    /// # Errors
    /// What is wrong with them, at which byte; those before it are added.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Result<usize, DecodeError> {
        let (mut rest, mut count) = (bytes, 0);
        loop {
            let at = (bytes.len() - rest.len()) as u64;
            let length = self.add_first(rest).map_err(|error| error.behind(at))?;
            rest = rest.get(length..).unwrap_or_default();
            count += 1;
            if rest.is_empty() {
                return Ok(count);
            }
        }
    }

    fn add_first(&mut self, bytes: &[u8]) -> Result<usize, DecodeError> {
        if decode::header(bytes)?.kind == KIND_REDUCED {
            let (reduced, length) = read(bytes)?;
            self.merge(&reduced);
            return Ok(length);
        }
        let (view, rest) = View::first(bytes)?;
        self.add_view(&view);
        Ok(bytes.len() - rest.len())
    }
}

impl Content for Reduced {
    const KIND: u16 = KIND_REDUCED;
    const BLOCKS: &'static [u32] =
        &[block::SOURCE, block::LOSSES, block::TOTALS, block::SECTIONS, block::HISTOGRAMS];

    fn write(&self, tag: u32, out: &mut Out<'_>) {
        match tag {
            block::SOURCE => {
                out.number(self.ranks);
                if let Some((lowest, highest)) = self.range {
                    out.number(lowest);
                    out.number(highest);
                }
            }
            block::LOSSES => write_losses(&self.losses, out),
            block::TOTALS => {
                write_across(&self.total, out);
                out.count(self.categories.len());
                for (name, category) in &self.categories {
                    out.text(name);
                    write_across(&category.across, out);
                    out.number(category.lost_count);
                    out.number(category.lost_time);
                }
            }
            block::SECTIONS => self.write_sections(out),
            block::HISTOGRAMS => self.write_histograms(out),
            _ => {}
        }
    }
}

impl Reduced {
    fn write_sections(&self, out: &mut Out<'_>) {
        let names: Vec<&str> = self.categories.keys().map(|name| &**name).collect();
        out.count(self.rows().count());
        let mut before: Vec<&str> = Vec::new();
        for (path, section) in self.sections() {
            let kept = before.iter().zip(&path).take_while(|(old, new)| old == new).count();
            out.count(kept);
            out.count(path.len() - kept);
            path.iter().skip(kept).for_each(|name| out.text(name));
            let category = names.binary_search(&section.category()).unwrap_or_default();
            write_section(section, category, out);
            before = path;
        }
    }

    fn write_histograms(&self, out: &mut Out<'_>) {
        let count = self.rows().filter(|row| !row.1.histogram.is_empty()).count();
        if count == 0 {
            return;
        }
        let mut all = Histograms::begin(out, count);
        for (index, (_, section)) in (0..).zip(self.rows()) {
            if !section.histogram.is_empty() {
                all.add(index, section.histogram());
            }
        }
    }
}

fn write_across(across: &Across, out: &mut Out<'_>) {
    out.number(across.ranks);
    if let (Some(slowest), Some(fastest)) = (across.slowest, across.fastest) {
        out.wide(across.sum);
        out.wide(across.squares);
        out.number(slowest.0);
        out.number(slowest.1);
        out.number(fastest.0);
        out.number(fastest.1);
    }
}

fn write_section(section: &ReducedSection, category: usize, out: &mut Out<'_>) {
    let extremes = section.min().zip(section.max());
    let marks = [
        (mark::BUSY, section.busy),
        (mark::LATE, section.late),
        (MIXED, section.is_mixed),
        (mark::EXTREMES, extremes.is_some()),
        (mark::SQUARES, section.squares.is_some()),
    ];
    out.number(marks.iter().filter(|mark| mark.1).fold(0_u32, |all, mark| all | mark.0));
    out.count(category);
    out.number(section.count);
    write_across(&section.across, out);
    if let Some((min, max)) = extremes {
        out.number(min);
        out.number(max);
    }
    if let Some(squares) = section.squares {
        out.wide(squares);
    }
    out.number(section.open);
}

/// The first reduced profile of `bytes`, and its length.
fn read(bytes: &[u8]) -> Result<(Reduced, usize), DecodeError> {
    let (_, length) = envelope(bytes, KIND_REDUCED)?;
    let mut blocks = Blocks::new(bytes, length)?;
    let mut reduced = Reduced::new();
    let mut ranks = blocks.required(block::SOURCE, "ranks")?;
    reduced.ranks = ranks.number("the number of ranks")?;
    if reduced.ranks > 0 {
        let start = ranks;
        let lowest = ranks.narrow("the lowest rank")?;
        let highest = ranks.narrow("the highest rank")?;
        if lowest > highest {
            return Err(start.fault(Fault::Value { field: "the lowest rank" }));
        }
        reduced.range = Some((lowest, highest));
    }
    ranks.done("ranks")?;
    reduced.losses = decode::losses(blocks.required(block::LOSSES, "losses")?)?;
    let names = read_totals(&mut reduced, blocks.required(block::TOTALS, "totals")?)?;
    let sections = blocks.required(block::SECTIONS, "sections")?;
    let nodes = read_sections(&mut reduced, sections, &names)?;
    let [histograms] = blocks.optional([block::HISTOGRAMS])?;
    let mut histograms = decode::check_histograms(histograms, nodes.len() as u32)?;
    let mut next = 0;
    while let Ok(histogram) = decode::histogram(&mut histograms, next, nodes.len() as u32) {
        next = histogram.section + 1;
        let node = nodes[histogram.section as usize];
        if let Some(section) = reduced.sections.get_mut(node as usize).and_then(Option::as_mut) {
            section.histogram = histogram.counts().collect();
        }
    }
    Ok((reduced, length))
}

/// The totals; gives the names of the categories in their order.
fn read_totals<'b>(
    reduced: &mut Reduced,
    mut input: Input<'b>,
) -> Result<Vec<&'b str>, DecodeError> {
    reduced.total = read_across(&mut input)?;
    let count = input.count(CATEGORY_LEAST, "the number of categories")?;
    let mut names: Vec<&str> = Vec::with_capacity(count);
    for _ in 0..count {
        let start = input;
        let name = input.text("a category's name")?;
        if names.last().is_some_and(|last| *last >= name) {
            return Err(start.fault(Fault::Value { field: "the order of categories" }));
        }
        let across = read_across(&mut input)?;
        let lost_count = input.number("a category's lost exits")?;
        let lost_time = input.number("a category's lost time")?;
        reduced.add_category(name, &ReducedCategory { across, lost_count, lost_time });
        names.push(name);
    }
    input.done("totals")?;
    Ok(names)
}

fn read_across(input: &mut Input<'_>) -> Result<Across, DecodeError> {
    let ranks = input.number("how many ranks have a time")?;
    if ranks == 0 {
        return Ok(Across::default());
    }
    let sum = input.wide("the sum over ranks")?;
    let squares = input.wide("the sum of squares over ranks")?;
    let start = *input;
    let most = input.number("the most of a rank")?;
    let slowest = input.narrow("the slowest rank")?;
    let least = input.number("the least of a rank")?;
    let fastest = input.narrow("the fastest rank")?;
    if least > most {
        return Err(start.fault(Fault::Value { field: "the most of a rank" }));
    }
    let (slowest, fastest) = (Some((most, slowest)), Some((least, fastest)));
    Ok(Across { ranks, sum, squares, slowest, fastest })
}

/// The sections; gives the node of each.
fn read_sections(
    reduced: &mut Reduced,
    mut input: Input<'_>,
    categories: &[&str],
) -> Result<Vec<u32>, DecodeError> {
    let count = input.count(SECTION_LEAST, "the number of sections")?;
    let mut nodes = Vec::with_capacity(count);
    let mut path: Vec<(&str, u32)> = Vec::new();
    for _ in 0..count {
        let start = input;
        let disorder = start.fault(Fault::Value { field: "the order of sections" });
        let kept = input.number("how many names a path keeps")?;
        let kept = usize::try_from(kept).ok().filter(|&kept| kept <= path.len()).ok_or(disorder)?;
        let further = input.count(1, "how many names a path adds")?;
        let next = path.get(kept).map(|name| name.0);
        path.truncate(kept);
        for index in 0..further {
            let name = input.text("a section's name")?;
            // Behind the path before: by the first name that differs.
            if index == 0 && next.is_some_and(|next| name <= next) {
                return Err(disorder);
            }
            let above = path.last().map_or(ROOT, |above| above.1);
            path.push((name, reduced.tree.child(above, name)));
        }
        let Some(&(_, node)) = path.last().filter(|_| further > 0) else {
            return Err(disorder);
        };
        let section = read_section(&mut input, categories)?;
        reduced.add_section(node, section);
        nodes.push(node);
    }
    input.done("sections")?;
    Ok(nodes)
}

fn read_section(input: &mut Input<'_>, categories: &[&str]) -> Result<ReducedSection, DecodeError> {
    let start = *input;
    let marks = input.narrow("a section's marks")?;
    if marks & !MARKS != 0 {
        return Err(start.fault(Fault::Value { field: "a section's marks" }));
    }
    let has = |mark| marks & mark != 0;
    let category = input.index(categories.len() as u32, "a section's category")?;
    let count = input.number("a section's count")?;
    let start = *input;
    let across = read_across(input)?;
    if across.ranks == 0 {
        return Err(start.fault(Fault::Value { field: "how many ranks have a time" }));
    }
    let start = *input;
    let mut extremes = (count == 0).then_some(NO_EXTREMES);
    if has(mark::EXTREMES) {
        let min = input.number("a section's shortest duration")?;
        let max = input.number("a section's longest duration")?;
        if min > max || count == 0 {
            return Err(start.fault(Fault::Value { field: "a section's shortest duration" }));
        }
        extremes = Some((min, max));
    }
    let squares = if has(mark::SQUARES) { Some(input.wide("a section's squares")?) } else { None };
    let open = input.number("a section's open entries")?;
    Ok(ReducedSection {
        category: categories.get(category as usize).copied().unwrap_or_default().into(),
        is_mixed: has(MIXED),
        busy: has(mark::BUSY),
        late: has(mark::LATE),
        count,
        open,
        across,
        extremes,
        squares,
        histogram: alloc::collections::BTreeMap::new(),
    })
}

//! What many ranks came to, without remembering each: memory grows with sections, not with ranks.
//!
//! All sums are integers, ties go to the lowest rank, and what depends on an order (a category that
//! differs) is chosen by its bytes. So reducing is associative and commutative, bit for bit: any order
//! and grouping gives the same bytes.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::profile::across::Across;
use crate::profile::moments::Moments;
use crate::profile::owned::{Buckets, Profile};
use crate::profile::times::{self, add_buckets, buckets_of};
use crate::profile::tree::{PathTree, ROOT};
use crate::profile::view::{Marks, Numbers, View};
use crate::snapshot::Losses;

/// A section of a [`Reduced`]: what it came to on all ranks. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducedSection {
    pub(crate) category: Box<str>,
    pub(crate) is_mixed: bool,
    pub(crate) busy: bool,
    pub(crate) late: bool,
    pub(crate) count: u64,
    pub(crate) open: u64,
    pub(crate) across: Across,
    /// Shortest and longest, as long as all ranks know them; the empty range without exits.
    pub(crate) extremes: Option<(u64, u64)>,
    pub(crate) squares: Option<u128>,
    pub(crate) histogram: BTreeMap<u32, u64>,
}

/// Shortest and longest of no durations.
pub(crate) const NO_EXTREMES: (u64, u64) = (u64::MAX, 0);

impl ReducedSection {
    fn of(rank: u32, row: &Row<'_>) -> Self {
        let numbers = &row.numbers;
        let is_timed = numbers.count > 0;
        Self {
            category: row.category.into(),
            is_mixed: row.is_mixed,
            busy: row.marks.busy,
            late: row.marks.late,
            count: numbers.count,
            open: numbers.open.into(),
            across: Across::one(rank, numbers.total),
            extremes: if is_timed { numbers.min.zip(numbers.max) } else { Some(NO_EXTREMES) },
            squares: if is_timed { numbers.squares } else { Some(0) },
            histogram: row.histogram.iter().copied().collect(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.is_mixed |= other.is_mixed || self.category != other.category;
        if other.category < self.category {
            self.category = other.category.clone();
        }
        self.busy |= other.busy;
        self.late |= other.late;
        self.count = self.count.saturating_add(other.count);
        self.open = self.open.saturating_add(other.open);
        self.across.add(&other.across);
        let extremes = self.extremes.zip(other.extremes);
        self.extremes = extremes.map(|(one, two)| (one.0.min(two.0), one.1.max(two.1)));
        let squares = self.squares.zip(other.squares);
        self.squares = squares.map(|(one, two)| one.saturating_add(two));
        for (&bucket, &count) in &other.histogram {
            add_buckets(&mut self.histogram, &[(bucket, count)]);
        }
    }

    /// The category: where ranks differ, the first of theirs by code point.
    pub fn category(&self) -> &str {
        &self.category
    }
    /// Whether ranks have it with different categories.
    pub const fn mixes_categories(&self) -> bool {
        self.is_mixed
    }
    /// What is remarkable about it, on any rank; whether it is exceeded is not told.
    pub const fn marks(&self) -> Marks {
        Marks { busy: self.busy, late: self.late, exceeded: false }
    }
    /// How many durations there were.
    pub const fn count(&self) -> u64 {
        self.count
    }
    /// How many entries were open.
    pub const fn open(&self) -> u64 {
        self.open
    }
    /// All durations together.
    pub const fn sum(&self) -> u128 {
        self.across.sum
    }
    /// sum / count; not a number without durations.
    pub fn mean(&self) -> f64 {
        Moments { count: self.count, sum: self.sum(), squares: 0 }.mean()
    }
    /// The sample standard deviation (n - 1) of all durations; not a number below two, or where a rank
    /// didn't keep it.
    pub fn std(&self) -> f64 {
        let squares = self.squares;
        squares.map_or(f64::NAN, |squares| {
            Moments { count: self.count, sum: self.sum(), squares }.std()
        })
    }
    /// The shortest; `None` without durations, or where a rank didn't keep it.
    pub fn min(&self) -> Option<u64> {
        self.extremes.filter(|_| self.count > 0).map(|extremes| extremes.0)
    }
    /// The longest; `None` without durations, or where a rank didn't keep it.
    pub fn max(&self) -> Option<u64> {
        self.extremes.filter(|_| self.count > 0).map(|extremes| extremes.1)
    }
    /// What it took on each rank: slowest, fastest, mean, imbalance.
    pub const fn across(&self) -> &Across {
        &self.across
    }
    /// The durations of the ranks that kept a histogram or all samples, in the buckets of
    /// [`histogram`](crate::histogram).
    pub fn histogram(&self) -> impl Iterator<Item = (u32, u64)> + Clone {
        self.histogram.iter().map(|(&bucket, &count)| (bucket, count))
    }
    /// Whether the histogram holds each duration.
    pub fn has_whole_histogram(&self) -> bool {
        self.histogram_count() == self.count
    }

    fn histogram_count(&self) -> u64 {
        self.histogram.values().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// The percentile, 0 to 100, from the histogram, off by a 64th at most; not a number without one.
    pub fn percentile(&self, percent: f64) -> f64 {
        let extremes = if self.has_whole_histogram() { self.extremes } else { None };
        times::percentile_of(self.histogram(), extremes, percent)
    }
}

/// A category of a [`Reduced`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReducedCategory {
    /// Its total on each rank that has it.
    pub across: Across,
    /// Exits of its sections that found the table full.
    pub lost_count: u64,
    /// And their time, in nanoseconds.
    pub lost_time: u64,
}

impl ReducedCategory {
    pub(crate) fn add(&mut self, other: &Self) {
        self.across.add(&other.across);
        self.lost_count = self.lost_count.saturating_add(other.lost_count);
        self.lost_time = self.lost_time.saturating_add(other.lost_time);
    }
}

/// What the profiles of many ranks came to.
///
/// ```
/// use xtimer_core::profile::{Profile, Records, Reduced, Source};
///
/// let rank = |rank, time| {
///     let step = Records { path: &["step"], category: "gpu", durations: &[time], starts: &[] };
///     Profile::from_records(Source { rank, label: "" }, &[step])
/// };
/// let mut reduced = Reduced::new();
/// for (number, time) in [(0, 10), (1, 30), (2, 20)] {
///     reduced.add(&rank(number, time));
/// }
/// let step = reduced.get(&["step"]).unwrap();
/// assert_eq!((step.count(), step.mean(), step.std()), (3, 20.0, 10.0));
/// assert_eq!((step.across().slowest(), step.across().imbalance()), (Some((1, 30)), 1.5));
/// assert_eq!(Reduced::from_bytes(&reduced.to_bytes()).unwrap().rank_count(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Reduced {
    pub(crate) ranks: u64,
    /// The lowest and the highest rank.
    pub(crate) range: Option<(u32, u32)>,
    pub(crate) losses: Losses,
    pub(crate) total: Across,
    pub(crate) categories: BTreeMap<Box<str>, ReducedCategory>,
    pub(crate) tree: PathTree,
    /// For each node of the tree; none where no rank has a section there.
    pub(crate) sections: Vec<Option<ReducedSection>>,
}

impl Default for Reduced {
    fn default() -> Self {
        Self::new()
    }
}

/// What one rank has at a path.
struct Row<'r> {
    numbers: Numbers,
    category: &'r str,
    is_mixed: bool,
    marks: Marks,
    histogram: Vec<(u32, u64)>,
}

impl Row<'_> {
    /// Adds another section of the same path, as none but a damaged profile has.
    fn unite(&mut self, other: Self) {
        self.numbers = times::unite(&self.numbers, &other.numbers);
        self.is_mixed |= self.category != other.category;
        self.marks.busy |= other.marks.busy;
        self.marks.late |= other.marks.late;
        let mut sum = core::mem::take(&mut self.histogram).into_iter().collect();
        add_buckets(&mut sum, &other.histogram);
        self.histogram = sum.into_iter().collect();
    }
}

impl Reduced {
    /// Of no ranks.
    pub fn new() -> Self {
        Self {
            ranks: 0,
            range: None,
            losses: Losses::default(),
            total: Across::default(),
            categories: BTreeMap::new(),
            tree: PathTree::new(),
            sections: Vec::new(),
        }
    }

    /// Adds a rank's profile.
    pub fn add(&mut self, profile: &Profile) {
        let rank = profile.rank;
        self.add_whole(rank, &profile.losses, profile.total);
        for category in &profile.categories {
            let one = ReducedCategory {
                across: Across::one(rank, category.total),
                lost_count: category.lost_count,
                lost_time: category.lost_time,
            };
            self.add_category(&category.name, &one);
        }
        let nodes = self.tree.place_all(profile);
        let mut rows = BTreeMap::new();
        for (index, (section, node)) in profile.sections.iter().zip(nodes).enumerate() {
            let histogram = profile.histogram(index).map_or_else(
                || {
                    let (samples, _) = profile.samples(index);
                    let durations = samples.iter().map(|sample| sample.duration);
                    buckets_of_all(durations, samples.len() as u64, section.numbers.count)
                },
                Buckets::to_vec,
            );
            let row = Row {
                numbers: section.numbers,
                category: profile.category_of(section),
                is_mixed: false,
                marks: section.marks,
                histogram,
            };
            add_row(&mut rows, node, row);
        }
        self.add_rows(rank, rows);
    }

    /// Adds a rank's profile as it is read in place.
    pub fn add_view(&mut self, view: &View<'_>) {
        let rank = view.source().rank;
        self.add_whole(rank, view.losses(), view.total());
        let categories: Vec<_> = view.categories().collect();
        for category in &categories {
            let one = ReducedCategory {
                across: Across::one(rank, category.total),
                lost_count: category.lost_count,
                lost_time: category.lost_time,
            };
            self.add_category(category.name, &one);
        }
        let mut histograms = view.histograms().peekable();
        let mut lanes = view.samples().peekable();
        let mut rows = BTreeMap::new();
        let mut open: Vec<u32> = Vec::new();
        for (index, section) in (0..).zip(view.sections()) {
            open.truncate(section.depth as usize);
            let mut node = open.last().copied().unwrap_or(ROOT);
            for name in section.names_above() {
                node = self.tree.child(node, name);
            }
            node = self.tree.child(node, section.name);
            open.push(node);
            let mut durations = Vec::new();
            while let Some(lane) = lanes.next_if(|lane| lane.section == index) {
                durations.extend(lane.samples().map(|sample| sample.duration));
            }
            let kept = histograms.next_if(|histogram| histogram.section == index);
            let samples = durations.len() as u64;
            let row = Row {
                numbers: section.numbers,
                category: categories
                    .get(section.category_index as usize)
                    .map_or("", |category| category.name),
                is_mixed: false,
                marks: section.marks,
                histogram: kept.map_or_else(
                    || buckets_of_all(durations.iter().copied(), samples, section.numbers.count),
                    |histogram| histogram.counts().collect(),
                ),
            };
            add_row(&mut rows, node, row);
        }
        self.add_rows(rank, rows);
    }

    fn add_whole(&mut self, rank: u32, losses: &Losses, total: u64) {
        self.ranks = self.ranks.saturating_add(1);
        self.add_range(Some((rank, rank)));
        add_losses(&mut self.losses, losses);
        self.total.add(&Across::one(rank, total));
    }

    fn add_range(&mut self, range: Option<(u32, u32)>) {
        self.range = match (self.range, range) {
            (Some(one), Some(two)) => Some((one.0.min(two.0), one.1.max(two.1))),
            (one, two) => one.or(two),
        };
    }

    pub(crate) fn add_category(&mut self, name: &str, category: &ReducedCategory) {
        match self.categories.get_mut(name) {
            Some(sum) => sum.add(category),
            None => {
                self.categories.insert(name.into(), *category);
            }
        }
    }

    fn add_rows(&mut self, rank: u32, rows: BTreeMap<u32, Row<'_>>) {
        for (node, row) in rows {
            self.add_section(node, ReducedSection::of(rank, &row));
        }
    }

    pub(crate) fn add_section(&mut self, node: u32, section: ReducedSection) {
        self.sections.resize(self.tree.len(), None);
        match &mut self.sections[node as usize] {
            Some(sum) => sum.add(&section),
            none => *none = Some(section),
        }
    }

    /// Adds what other ranks came to.
    pub fn merge(&mut self, other: &Self) {
        self.ranks = self.ranks.saturating_add(other.ranks);
        self.add_range(other.range);
        add_losses(&mut self.losses, &other.losses);
        self.total.add(&other.total);
        for (name, category) in &other.categories {
            self.add_category(name, category);
        }
        for (node, section) in other.rows() {
            let place = self.tree.place(other.tree.path(node));
            self.add_section(place, section.clone());
        }
    }

    /// The nodes with a section, sorted by path.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, &ReducedSection)> {
        let order = self.tree.walk(true).into_iter();
        order.filter_map(|node| Some((node, self.sections.get(node as usize)?.as_ref()?)))
    }

    /// How many ranks there were, those without sections among them.
    pub const fn rank_count(&self) -> u64 {
        self.ranks
    }
    /// The lowest and the highest rank; `None` without any.
    pub const fn rank_range(&self) -> Option<(u32, u32)> {
        self.range
    }
    /// What was lost, added up.
    pub const fn losses(&self) -> &Losses {
        &self.losses
    }
    /// The whole on each rank.
    pub const fn across(&self) -> &Across {
        &self.total
    }
    /// The categories, sorted by code point.
    pub fn categories(&self) -> impl Iterator<Item = (&str, &ReducedCategory)> {
        self.categories.iter().map(|(name, category)| (&**name, category))
    }
    /// A category by name.
    pub fn category(&self, name: &str) -> Option<&ReducedCategory> {
        self.categories.get(name)
    }
    /// The sections, sorted by path, each behind what it is nested in.
    pub fn sections(&self) -> impl Iterator<Item = (Vec<&str>, &ReducedSection)> {
        self.rows().map(|(node, section)| (self.tree.path(node), section))
    }
    /// The section at a path of names, outermost first; `None` where no rank has it.
    pub fn get(&self, path: &[&str]) -> Option<&ReducedSection> {
        self.sections.get(self.tree.find(path)? as usize)?.as_ref()
    }
    /// Whether no rank has a section.
    pub fn is_empty(&self) -> bool {
        self.sections.iter().all(Option::is_none)
    }
}

fn add_row<'r>(rows: &mut BTreeMap<u32, Row<'r>>, node: u32, row: Row<'r>) {
    match rows.get_mut(&node) {
        Some(first) => first.unite(row),
        None => {
            rows.insert(node, row);
        }
    }
}

/// The buckets of samples where all are there.
fn buckets_of_all(
    durations: impl Iterator<Item = u64>,
    samples: u64,
    count: u64,
) -> Vec<(u32, u64)> {
    if samples == count { buckets_of(durations) } else { Vec::new() }
}

fn add_losses(sum: &mut Losses, more: &Losses) {
    for (sum, more) in [
        (&mut sum.unclosed, more.unclosed),
        (&mut sum.too_deep, more.too_deep),
        (&mut sum.refused, more.refused),
        (&mut sum.not_open, more.not_open),
        (&mut sum.steps_back, more.steps_back),
        (&mut sum.base_name, more.base_name),
        (&mut sum.no_slot, more.no_slot),
        (&mut sum.categories, more.categories),
        (&mut sum.late_contexts, more.late_contexts),
        (&mut sum.interrupted, more.interrupted),
    ] {
        *sum = sum.saturating_add(more);
    }
}

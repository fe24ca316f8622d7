//! Profiles made from arrays of durations: what a timer would have told of them.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::clock::Scale;
use crate::price::Price;
use crate::profile::owned::{OwnedSamples, Profile, ProfileCategory, ProfileSection};
use crate::profile::tree::{PathTree, ROOT};
use crate::profile::view::{Marks, Numbers, Sample, Source};
use crate::snapshot::Losses;

/// Durations of one section, to make a [`Profile`] from.
#[derive(Clone, Copy, Debug)]
pub struct Records<'r> {
    /// The names of its path, outermost first; without names the records are left out.
    pub path: &'r [&'r str],
    /// Its category.
    pub category: &'r str,
    /// Its durations, in nanoseconds.
    pub durations: &'r [u64],
    /// When each began, in nanoseconds; those that are missing count as 0, not known.
    pub starts: &'r [u64],
}

/// What is gathered of a path.
#[derive(Default)]
struct Gathered<'r> {
    category: Option<&'r str>,
    samples: Vec<Sample>,
}

impl Profile {
    /// A profile of durations measured elsewhere, all of them kept as samples.
    ///
    /// Records of one path are put together; the last category stands. Sections stand in the order in
    /// which they come, each behind what it is nested in. Sums that don't fit stop at their largest
    /// number. Exclusive times are not known.
    pub fn from_records(source: Source<'_>, records: &[Records<'_>]) -> Self {
        let mut tree = PathTree::new();
        let mut rows: Vec<Gathered<'_>> = Vec::new();
        for record in records.iter().filter(|record| !record.path.is_empty()) {
            let node = tree.place(record.path.iter().copied()) as usize;
            rows.resize_with(tree.len(), Gathered::default);
            rows[node].category = Some(record.category);
            let starts = record.starts.iter().copied().chain(core::iter::repeat(0));
            let samples = record.durations.iter().zip(starts);
            rows[node].samples.extend(samples.map(|(&duration, start)| Sample { start, duration }));
        }
        rows.resize_with(tree.len(), Gathered::default);
        Building::new(&tree, &rows).profile(source)
    }
}

/// Rows of a tree on their way to a profile.
struct Building<'t, 'r> {
    tree: &'t PathTree,
    rows: &'t [Gathered<'r>],
    numbers: Vec<Numbers>,
    categories: BTreeMap<&'r str, u64>,
    total: u64,
}

impl<'t, 'r> Building<'t, 'r> {
    fn new(tree: &'t PathTree, rows: &'t [Gathered<'r>]) -> Self {
        let numbers: Vec<Numbers> = rows.iter().map(|row| numbers_of(&row.samples)).collect();
        let mut building = Self { tree, rows, numbers, categories: BTreeMap::new(), total: 0 };
        building.add_up();
        building
    }

    /// A category's top-most sections, and those without a recorded parent. What is open around a
    /// section while the tree is walked says whether its category is among it.
    fn add_up(&mut self) {
        let mut around: Vec<(u32, Option<&str>)> = Vec::new();
        let mut inside: BTreeSet<(&str, usize)> = BTreeSet::new();
        for node in self.tree.walk(false) {
            let parent = self.tree.parent(node);
            while around.last().is_some_and(|&(last, _)| last != parent) {
                let depth = around.len();
                if let Some((_, Some(category))) = around.pop() {
                    inside.remove(&(category, depth));
                }
            }
            let category = self.rows[node as usize].category;
            if let Some(category) = category {
                let time = self.numbers[node as usize].total;
                let sum = self.categories.entry(category).or_insert(0);
                if inside.range((category, 0)..=(category, usize::MAX)).next().is_none() {
                    *sum = sum.saturating_add(time);
                }
                if parent == ROOT || self.rows[parent as usize].category.is_none() {
                    self.total = self.total.saturating_add(time);
                }
            }
            around.push((node, category));
            if let Some(category) = category {
                inside.insert((category, around.len()));
            }
        }
    }

    /// The sections, each behind what it is nested in. One that stands at the top though names are
    /// above it is no part of what is around it.
    fn order(&self) -> Vec<u32> {
        let is_section = |node: u32| self.rows[node as usize].category.is_some();
        let mut order = Vec::new();
        let mut waiting = Vec::new();
        for top in self.tree.walk(false) {
            if is_section(top) && !is_section(self.tree.parent(top)) {
                waiting.push(top);
            }
            while let Some(node) = waiting.pop() {
                order.push(node);
                let children = self.tree.children(node).iter().rev().copied();
                waiting.extend(children.filter(|&child| is_section(child)));
            }
        }
        order
    }

    fn profile(self, source: Source<'_>) -> Profile {
        let mut places: Vec<Option<u32>> = alloc::vec![None; self.tree.len()];
        let mut beneath = alloc::vec![0_u64; self.tree.len()];
        let (mut sections, mut samples) = (Vec::new(), Vec::new());
        for node in self.order() {
            let row = &self.rows[node as usize];
            let Some(category) = row.category else { continue };
            let direct = self.tree.parent(node);
            let parent = places[direct as usize];
            beneath[direct as usize] =
                beneath[direct as usize].saturating_add(self.numbers[node as usize].total);
            let above = if parent.is_none() { self.tree.path(direct) } else { Vec::new() };
            let place = sections.len() as u32;
            places[node as usize] = Some(place);
            let index = self.categories.range(..category).count() as u32;
            sections.push(ProfileSection {
                parent,
                name: self.tree.name(node).into(),
                names_above: above.into_iter().map(Box::from).collect(),
                category: index,
                marks: Marks::default(),
                numbers: self.numbers[node as usize],
                depth: 0,
            });
            if !row.samples.is_empty() {
                let samples_here = row.samples.clone().into();
                let lane =
                    OwnedSamples { section: place, lane: 0, dropped: 0, samples: samples_here };
                samples.push(lane);
            }
        }
        for (node, place) in places.iter().enumerate() {
            if let Some(place) = place {
                let section = &mut sections[*place as usize];
                section.marks.exceeded = beneath[node] > section.numbers.total;
            }
        }
        let categories = self.categories.iter().map(|(&name, &total)| ProfileCategory {
            name: name.into(),
            total,
            lost_count: 0,
            lost_time: 0,
        });
        let mut profile = Profile {
            rank: source.rank,
            label: source.label.to_owned(),
            clock: "records".to_owned(),
            scale: Scale::NANOSECONDS,
            width: 64,
            price: Price::default(),
            losses: Losses::default(),
            total: self.total,
            categories: categories.collect(),
            sections,
            histograms: Vec::new(),
            samples,
        };
        profile.measure_depth();
        profile
    }
}

impl Profile {
    fn measure_depth(&mut self) {
        for index in 0..self.sections.len() {
            let parent = self.sections[index].parent;
            self.sections[index].depth =
                parent.map_or(0, |parent| self.sections[parent as usize].depth + 1);
        }
    }
}

/// What durations come to.
pub(crate) fn numbers_of(samples: &[Sample]) -> Numbers {
    let durations = || samples.iter().map(|sample| sample.duration);
    Numbers {
        count: samples.len() as u64,
        total: durations().fold(0, u64::saturating_add),
        exclusive: None,
        min: durations().min(),
        max: durations().max(),
        squares: Some(durations().fold(0_u128, |sum, duration| {
            sum.saturating_add(u128::from(duration) * u128::from(duration))
        })),
        open: 0,
        open_time: 0,
    }
}

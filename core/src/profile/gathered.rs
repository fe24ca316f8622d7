//! Profiles of many ranks, united by path: a mapping from section to gathered times.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;

use crate::names::base_of_text;
use crate::profile::across::Across;
use crate::profile::error::DecodeError;
use crate::profile::owned::Profile;
use crate::profile::times::{GatheredTimes, RankTimes};
use crate::profile::tree::{PathTree, ROOT};
use crate::profile::view::View;

/// Two profiles of one rank, which can't be told apart once they are gathered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameRank {
    /// The rank that both have.
    pub rank: u32,
    /// The labels of the two.
    pub labels: [alloc::string::String; 2],
}

impl fmt::Display for SameRank {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.labels;
        write!(
            formatter,
            "Two profiles are of rank {} ('{first}' and '{second}'); give each a rank of its own.",
            self.rank
        )
    }
}

impl core::error::Error for SameRank {}

/// Why bytes or profiles could not be gathered; `E` is what the transport can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GatherError<E = core::convert::Infallible> {
    /// The transport failed.
    Transport(E),
    /// What came is not profiles one behind another: what is wrong, and at which byte.
    Decode(DecodeError),
    /// Two came from one rank.
    SameRank(SameRank),
}

impl<E: fmt::Display> fmt::Display for GatherError<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => write!(formatter, "gathering failed: {error}"),
            Self::Decode(error) => write!(formatter, "what was gathered is damaged: {error}"),
            Self::SameRank(error) => error.fmt(formatter),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for GatherError<E> {}

/// Where a path's numbers lie: the place of a profile, and of a section in it.
type Row = (u32, u32);

/// Profiles of many ranks, united by path.
///
/// A section that a rank never entered is missing there, not zero. Sections stand in the order of
/// first entry on the lowest rank that has them.
///
/// ```
/// use xtimer_core::profile::{Gathered, Profile, Records, Source};
///
/// let rank = |rank, time| {
///     let step = Records { path: &["step"], category: "gpu", durations: &[time], starts: &[] };
///     Profile::from_records(Source { rank, label: "" }, &[step])
/// };
/// let gathered = Gathered::from_profiles(vec![rank(1, 30), rank(0, 10)]).unwrap();
/// let step = gathered.get(&["step"]).unwrap();
/// assert_eq!((step.durations(), step.ranks()), ([10, 30].as_slice(), [0, 1].as_slice()));
/// assert_eq!(gathered.across_category("gpu").imbalance(), 1.5);
/// ```
#[derive(Clone, Debug)]
pub struct Gathered {
    profiles: Vec<Profile>,
    tree: PathTree,
    /// For each node, by ascending rank.
    rows: Vec<Vec<Row>>,
    /// The nodes that are sections of a rank, depth first.
    order: Vec<u32>,
}

impl Gathered {
    /// Unites profiles, in any order.
    ///
    /// # Errors
    /// [`SameRank`] when two have the same rank.
    pub fn from_profiles(mut profiles: Vec<Profile>) -> Result<Self, SameRank> {
        profiles.sort_by_key(Profile::rank);
        for pair in profiles.windows(2) {
            if let [first, second] = pair
                && first.rank == second.rank
            {
                let labels = [first.label.clone(), second.label.clone()];
                return Err(SameRank { rank: first.rank, labels });
            }
        }
        let mut tree = PathTree::new();
        let mut rows: Vec<Vec<Row>> = Vec::new();
        for (place, profile) in (0..).zip(&profiles) {
            let nodes = tree.place_all(profile);
            rows.resize_with(tree.len(), Vec::new);
            for (section, node) in (0..).zip(nodes) {
                rows[node as usize].push((place, section));
            }
        }
        rows.resize_with(tree.len(), Vec::new);
        let order = tree.walk(false);
        let order = order.into_iter().filter(|&node| !rows[node as usize].is_empty()).collect();
        Ok(Self { profiles, tree, rows, order })
    }

    /// Unites profiles that stand one behind another, as files of them put together do.
    ///
    /// # Errors
    /// What is wrong with the bytes and where, counted from the first; two profiles of one rank.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, GatherError> {
        Self::from_profiles(profiles_of(bytes).map_err(GatherError::Decode)?)
            .map_err(GatherError::SameRank)
    }

    /// The profiles as bytes, one behind another.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.profiles.iter().flat_map(Profile::to_bytes).collect()
    }

    /// Gathers the profiles of all ranks over any transport: a function that takes this rank's bytes,
    /// and gives those of all ranks one behind another, or none where another rank gets them.
    ///
    /// # Errors
    /// The transport's; and what came is not profiles, each of a rank of its own.
    pub fn gather<B: AsRef<[u8]>, E>(
        profile: &Profile,
        transport: impl FnOnce(&[u8]) -> Result<Option<B>, E>,
    ) -> Result<Option<Self>, GatherError<E>> {
        let all = transport(&profile.to_bytes()).map_err(GatherError::Transport)?;
        let Some(all) = all else { return Ok(None) };
        let profiles = profiles_of(all.as_ref()).map_err(GatherError::Decode)?;
        Self::from_profiles(profiles).map(Some).map_err(GatherError::SameRank)
    }

    /// The profiles by ascending rank.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }
    /// How many ranks there are, those without sections among them.
    pub fn rank_count(&self) -> usize {
        self.profiles.len()
    }
    /// How many sections there are: distinct paths.
    pub fn len(&self) -> usize {
        self.order.len()
    }
    /// Whether no rank has a section.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// What some ranks came to; those that are not there are left out.
    #[must_use]
    pub fn get_rank(&self, ranks: &[u32]) -> Self {
        let mut profiles = self.profiles.clone();
        profiles.retain(|profile| ranks.contains(&profile.rank));
        // Ranks of their own they had before.
        Self::from_profiles(profiles).unwrap_or_else(|_| self.clone())
    }

    /// The same with counted sections united: every name of a path loses a trailing integer in brackets,
    /// so `step[3]` and `step[4]` are gathered as `step`. The profiles, and with them the totals of
    /// ranks and categories, stay as they are.
    #[must_use]
    pub fn flatten(&self) -> Self {
        let mut tree = PathTree::new();
        let mut rows: Vec<Vec<Row>> = Vec::new();
        for &node in &self.order {
            let path = self.tree.path(node);
            let flat = tree.place(path.into_iter().map(base_of_text));
            rows.resize_with(tree.len(), Vec::new);
            rows[flat as usize].extend(&self.rows[node as usize]);
        }
        rows.resize_with(tree.len(), Vec::new);
        for of_node in &mut rows {
            of_node.sort_by_key(|row| row.0); // by rank; of one rank, by path
        }
        let order = tree.walk(false);
        let order = order.into_iter().filter(|&node| !rows[node as usize].is_empty()).collect();
        Self { profiles: self.profiles.clone(), tree, rows, order }
    }

    /// The paths, outermost name first: depth first, in order of first entry.
    pub fn paths(&self) -> impl Iterator<Item = Vec<&str>> {
        self.order.iter().map(|&node| self.tree.path(node))
    }

    /// Each path and its times.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<&str>, GatheredTimes)> {
        self.order.iter().map(|&node| (self.tree.path(node), self.times(&self.rows[node as usize])))
    }

    /// The times at a path, outermost name first; `None` where no rank has it.
    pub fn get(&self, path: &[&str]) -> Option<GatheredTimes> {
        let rows = &self.rows[self.tree.find(path)? as usize];
        (!rows.is_empty()).then(|| self.times(rows))
    }

    /// The names of sections, each once, in order of first entry.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut seen = BTreeSet::new();
        self.order.iter().map(|&node| self.tree.name(node)).filter(move |name| seen.insert(*name))
    }

    /// The times of a name across all paths that end in it; `None` where no rank has it. A section
    /// nested in one of the same name counts as well.
    pub fn by_name(&self, name: &str) -> Option<GatheredTimes> {
        let nodes = self.order.iter().filter(|&&node| self.tree.name(node) == name);
        let mut rows: Vec<Row> =
            nodes.flat_map(|&node| self.rows[node as usize].iter().copied()).collect();
        rows.sort_by_key(|row| row.0); // by rank; of one rank, by path
        (!rows.is_empty()).then(|| self.times(&rows))
    }

    fn times(&self, rows: &[Row]) -> GatheredTimes {
        let mut times = GatheredTimes::default();
        for &(place, index) in rows {
            let profile = &self.profiles[place as usize];
            let section = &profile.sections[index as usize];
            let (samples, dropped) = profile.samples(index as usize);
            let rank = RankTimes {
                rank: profile.rank,
                category: profile.category_of(section).into(),
                marks: section.marks,
                numbers: section.numbers,
                dropped,
                histogram: profile.histogram(index as usize).map(Into::into),
            };
            times.push(rank, &samples);
        }
        times
    }

    /// The whole of each rank, in nanoseconds, by ascending rank.
    pub fn totals(&self) -> impl Iterator<Item = (u32, u64)> {
        self.profiles.iter().map(|profile| (profile.rank, profile.total))
    }
    /// The total of a category on each rank that has it, in nanoseconds, by ascending rank.
    pub fn category_totals(&self, category: &str) -> impl Iterator<Item = (u32, u64)> {
        self.profiles.iter().filter_map(move |profile| {
            let place = profile.categories.binary_search_by(|entry| (*entry.name).cmp(category));
            place.ok().map(|index| (profile.rank, profile.categories[index].total))
        })
    }
    /// The whole over the ranks: slowest, fastest, mean, imbalance.
    pub fn across(&self) -> Across {
        Across::of(self.totals())
    }
    /// A category's total over the ranks that have it: slowest, fastest, mean, imbalance.
    pub fn across_category(&self, category: &str) -> Across {
        Across::of(self.category_totals(category))
    }
    /// The categories of all ranks, sorted by code point, each over the ranks that have it.
    pub fn categories(&self) -> Vec<(&str, Across)> {
        let mut all: BTreeMap<&str, Across> = BTreeMap::new();
        for profile in &self.profiles {
            for category in &profile.categories {
                let one = Across::one(profile.rank, category.total);
                all.entry(&category.name).or_default().add(&one);
            }
        }
        all.into_iter().collect()
    }

    /// The path of the section that a section is nested in, where a rank has it.
    pub fn parent_of<'p>(&self, path: &'p [&'p str]) -> Option<&'p [&'p str]> {
        let node = self.tree.parent(self.tree.find(path)?);
        let is_section = node != ROOT && !self.rows[node as usize].is_empty();
        is_section.then(|| path.get(..path.len() - 1)).flatten()
    }
}

/// The profiles that stand one behind another, one at least.
fn profiles_of(bytes: &[u8]) -> Result<Vec<Profile>, DecodeError> {
    let mut profiles = Vec::new();
    let mut rest = bytes;
    loop {
        let (view, behind) =
            View::first(rest).map_err(|error| error.behind((bytes.len() - rest.len()) as u64))?;
        profiles.push(Profile::from_view(&view));
        rest = behind;
        if rest.is_empty() {
            return Ok(profiles);
        }
    }
}

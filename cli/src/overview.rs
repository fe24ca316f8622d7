//! Ranks or a reduced profile as rows: what all tables are made of.

use xtimer_core::profile::{Across, GatheredTimes, Marks, ReducedSection};

use crate::input::Loaded;

/// The percentiles that tables and budgets know.
pub const PERCENTS: [f64; 3] = [50.0, 90.0, 99.0];

/// A section over all ranks. Times are nanoseconds; what is not known is not a number, or none.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its names, outermost first.
    pub path: Vec<String>,
    /// Its categories: more than one where ranks differ and are known apart.
    pub categories: Vec<String>,
    /// Whether ranks have it with different categories.
    pub is_mixed: bool,
    /// How many durations there were.
    pub count: u64,
    /// All of them together.
    pub sum: u128,
    /// sum / count.
    pub mean: f64,
    /// Of the durations (n - 1).
    pub std: f64,
    /// The shortest.
    pub min: Option<u64>,
    /// The longest.
    pub max: Option<u64>,
    /// Time not spent in sections nested in it, on all ranks.
    pub exclusive: Option<u128>,
    /// As [`PERCENTS`].
    pub percentiles: [f64; 3],
    /// Its time on each rank.
    pub across: Across,
    /// Entries that were open.
    pub open: u64,
    /// What is remarkable about it, on any rank.
    pub marks: Marks,
}

/// A category over all ranks.
#[derive(Clone, Debug)]
pub struct Category {
    pub name: String,
    pub across: Across,
    /// Exits of its sections that found the table full.
    pub lost_count: u64,
}

/// All that tables show.
#[derive(Clone, Debug)]
pub struct Overview {
    pub rows: Vec<Row>,
    pub categories: Vec<Category>,
    pub total: Across,
    /// What was lost: what it is, and how often.
    pub losses: Vec<(&'static str, u64)>,
}

impl Overview {
    /// Of what was read.
    pub fn of(loaded: &Loaded) -> Self {
        match loaded {
            Loaded::Ranks(gathered) => {
                let categories = gathered.categories().into_iter().map(|(name, across)| {
                    let of_name =
                        gathered.profiles().iter().flat_map(|profile| profile.categories());
                    let lost = of_name.filter(|category| *category.name == *name);
                    let lost_count =
                        lost.fold(0_u64, |sum, category| sum.saturating_add(category.lost_count));
                    Category { name: name.into(), across, lost_count }
                });
                let mut losses = Vec::new();
                for profile in gathered.profiles() {
                    add(&mut losses, &losses_of(profile.losses()));
                }
                Self {
                    rows: gathered
                        .iter()
                        .map(|(path, times)| row_of_times(&path, &times))
                        .collect(),
                    categories: categories.collect(),
                    total: gathered.across(),
                    losses,
                }
            }
            Loaded::Reduced(reduced) => {
                let categories = reduced.categories().map(|(name, category)| Category {
                    name: name.into(),
                    across: category.across,
                    lost_count: category.lost_count,
                });
                let sections = reduced.sections();
                Self {
                    rows: sections.map(|(path, section)| row_of_reduced(&path, section)).collect(),
                    categories: categories.collect(),
                    total: *reduced.across(),
                    losses: losses_of(reduced.losses()),
                }
            }
        }
    }
}

impl Row {
    /// The path as it is shown.
    pub fn shown_path(&self) -> String {
        self.path.join("/")
    }

    /// The path as borrowed names.
    pub fn names(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// How far the mean may be off by chance: std / sqrt(count). Not a number below two durations.
    pub fn noise(&self) -> f64 {
        self.std / (self.count as f64).sqrt()
    }
}

fn owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|name| (*name).to_owned()).collect()
}

fn row_of_times(path: &[&str], times: &GatheredTimes) -> Row {
    let exclusive = times.by_rank().iter().map(|rank| rank.numbers.exclusive.map(u128::from)).sum();
    let percentiles = times.percentiles(&PERCENTS);
    Row {
        path: owned(path),
        categories: times.categories().map(str::to_owned).collect(),
        is_mixed: times.mixes_categories(),
        count: times.count(),
        sum: times.sum(),
        mean: times.mean(),
        std: times.std(),
        min: times.min(),
        max: times.max(),
        exclusive,
        percentiles: std::array::from_fn(|index| {
            percentiles.get(index).copied().unwrap_or(f64::NAN)
        }),
        across: times.across(),
        open: times.by_rank().iter().map(|rank| u64::from(rank.numbers.open)).sum(),
        marks: times.by_rank().iter().fold(Marks::default(), |all, rank| Marks {
            busy: all.busy | rank.marks.busy,
            late: all.late | rank.marks.late,
            exceeded: all.exceeded | rank.marks.exceeded,
        }),
    }
}

fn row_of_reduced(path: &[&str], section: &ReducedSection) -> Row {
    Row {
        path: owned(path),
        categories: vec![section.category().to_owned()],
        is_mixed: section.mixes_categories(),
        count: section.count(),
        sum: section.sum(),
        mean: section.mean(),
        std: section.std(),
        min: section.min(),
        max: section.max(),
        exclusive: None,
        percentiles: PERCENTS.map(|percent| section.percentile(percent)),
        across: *section.across(),
        open: section.open(),
        marks: section.marks(),
    }
}

/// Each count of losses by its key in the JSON.
pub fn losses_of(losses: &xtimer_core::Losses) -> Vec<(&'static str, u64)> {
    vec![
        ("unclosed", losses.unclosed),
        ("too_deep", losses.too_deep),
        ("refused", losses.refused),
        ("not_open", losses.not_open),
        ("steps_back", losses.steps_back),
        ("base_name", losses.base_name),
        ("no_slot", losses.no_slot),
        ("categories", losses.categories),
        ("late_contexts", losses.late_contexts),
        ("interrupted", losses.interrupted),
    ]
}

fn add(sum: &mut Vec<(&'static str, u64)>, more: &[(&'static str, u64)]) {
    if sum.is_empty() {
        sum.extend_from_slice(more);
        return;
    }
    for (sum, more) in sum.iter_mut().zip(more) {
        sum.1 = sum.1.saturating_add(more.1);
    }
}

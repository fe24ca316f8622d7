//! The numbers that the model says must come out: rows, totals, losses, and all of it flattened.

use std::collections::BTreeMap;

use super::calls::Path;
use super::state::Place;

/// The statistics of one section, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Orders first entries since the last clear.
    pub first: u64,
    /// Times that were added.
    pub count: u64,
    /// Their sum.
    pub total: u64,
    /// Their sum, less what was nested on the same stack.
    pub exclusive: u64,
    /// The least; 0 while count is 0.
    pub min: u64,
    /// The greatest; 0 while count is 0.
    pub max: u64,
    /// The sum of their squares.
    pub squares: u128,
}

impl Section {
    /// Adds one time.
    pub fn add(&mut self, elapsed: u64, exclusive: u64) {
        self.min = if self.count == 0 { elapsed } else { self.min.min(elapsed) };
        self.max = self.max.max(elapsed);
        self.count += 1;
        self.total += elapsed;
        self.exclusive += exclusive;
        self.squares += u128::from(elapsed) * u128::from(elapsed);
    }

    /// "Times and counts add up, the first variant's place stands."
    fn merge(&mut self, other: &Section) {
        self.min = match (self.count, other.count) {
            (0, _) => other.min,
            (_, 0) => self.min,
            _ => self.min.min(other.min),
        };
        self.max = self.max.max(other.max);
        self.first = self.first.min(other.first);
        self.count += other.count;
        self.total += other.total;
        self.exclusive += other.exclusive;
        self.squares += other.squares;
    }
}

/// One recorded section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Names from the outermost section inwards.
    pub path: Path,
    /// The category it was last entered with.
    pub category: String,
    /// Orders changes of category.
    pub changed: u64,
    /// How often it is open on a stack, entered since the clear.
    pub open: u64,
    /// Its statistics.
    pub section: Section,
}

/// Entries and time of sections without a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Sections closed.
    pub entries: u64,
    /// Their time.
    pub time: u64,
}

/// What was lost since the last clear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Sections discarded, by the exit of an outer one or with their context.
    pub unclosed: u64,
    /// Enters refused because the stack was full.
    pub too_deep: u64,
    /// Exits of what was not open in this context, refused.
    pub not_open: u64,
    /// Enters and records refused by a rule.
    pub forbidden: u64,
    /// Entries (enters, records, begins of detached sections) that found no slot.
    pub no_slot: u64,
    /// Entries of counted sections that went to the base name.
    pub base_name: u64,
    /// Entries whose category did not fit. A core whose call sites remember the answer counts fewer.
    pub other_category: u64,
    /// Sections without a slot, by category: top, outer, inner.
    pub sections: BTreeMap<String, [Tally; 3]>,
}

impl Losses {
    /// Adds the time of a section without a slot.
    pub fn add(&mut self, category: &str, place: Place, elapsed: u64) {
        let tallies = self.sections.entry(category.to_string()).or_default();
        let tally = match place {
            Place::Top => &mut tallies[0],
            Place::Outer => &mut tallies[1],
            Place::Inner => &mut tallies[2],
            Place::Own => unreachable!("it has a slot"),
        };
        tally.entries += 1;
        tally.time += elapsed;
    }

    /// Entries and time of all sections of a category that have no slot.
    pub fn of(&self, category: &str) -> Tally {
        let tallies = self.sections.get(category).copied().unwrap_or_default();
        tallies.iter().fold(Tally::default(), |sum, tally| Tally {
            entries: sum.entries + tally.entries,
            time: sum.time + tally.time,
        })
    }
}

/// A consistent copy of everything since the last clear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Depth-first, in order of first entry.
    pub rows: Vec<Row>,
    /// Of the recorded sections' categories, and of those of lost sections.
    pub categories: BTreeMap<String, u64>,
    /// "`total` adds the sections that have no recorded parent", and lost ones likewise.
    pub total: u64,
    /// What was lost.
    pub losses: Losses,
}

impl Snapshot {
    /// Orders the rows and adds up the totals.
    pub fn new(rows: Vec<Row>, losses: Losses) -> Snapshot {
        let has = |path: &[String]| rows.iter().any(|row| row.path == path);

        let tops = rows.iter().filter(|row| !has(parent(&row.path)));
        let mut total: u64 = tops.map(|row| row.section.total).sum();
        total += losses.sections.values().map(|[top, _, _]| top.time).sum::<u64>();

        let mut categories = BTreeMap::new();
        for row in &rows {
            // "A section nested, at any depth, inside a recorded section of the same category is
            // already inside that one's time."
            let inside = rows.iter().any(|other| {
                other.category == row.category
                    && other.path.len() < row.path.len()
                    && row.path.starts_with(&other.path)
            });
            let sum = categories.entry(row.category.clone()).or_insert(0);
            *sum += if inside { 0 } else { row.section.total };
        }
        for (category, [top, outer, _]) in &losses.sections {
            *categories.entry(category.clone()).or_insert(0) += top.time + outer.time;
        }

        Snapshot { rows: depth_first(rows), categories, total, losses }
    }

    /// "A category with no sections totals 0."
    pub fn category_total(&self, category: &str) -> u64 {
        self.categories.get(category).copied().unwrap_or(0)
    }

    /// The row of a path.
    pub fn row(&self, path: &[&str]) -> Option<&Row> {
        self.rows.iter().find(|row| row.path == path)
    }

    /// "Every name along the path loses a trailing integer in brackets, times and counts add up,
    /// the first variant's place and the latest category stand, totals and category totals are
    /// taken before merging."
    pub fn flatten(&self) -> Snapshot {
        let mut merged: Vec<Row> = Vec::new();
        for row in &self.rows {
            let path = base_path(&row.path);
            match merged.iter_mut().find(|other| other.path == path) {
                Some(other) => {
                    other.section.merge(&row.section);
                    other.open += row.open;
                    if other.changed < row.changed {
                        other.changed = row.changed;
                        other.category = row.category.clone();
                    }
                }
                None => merged.push(Row { path, ..row.clone() }),
            }
        }
        Snapshot { rows: depth_first(merged), ..self.clone() }
    }
}

/// A name without a trailing integer in brackets: ASCII digits, `-` allowed, `+` not.
pub fn base_name(name: &str) -> &str {
    let Some((base, integer)) = name.strip_suffix(']').and_then(|name| name.rsplit_once('['))
    else {
        return name;
    };
    let digits = integer.strip_prefix('-').unwrap_or(integer);
    let counted = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if counted { base } else { name }
}

/// A path as flattened rows show it.
pub fn base_path(path: &Path) -> Path {
    path.iter().map(|name| base_name(name).to_string()).collect()
}

/// The direct parent's path.
fn parent(path: &[String]) -> &[String] {
    path.split_last().map_or(&[], |(_, parent)| parent)
}

/// Rows whose parent has no row are top-level; siblings come in order of first entry.
fn depth_first(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(|row| row.section.first);
    let has = |path: &[String]| rows.iter().any(|row| row.path == path);
    let mut ordered = Vec::new();
    for row in rows.iter().filter(|row| !has(parent(&row.path))) {
        append(&rows, row, &mut ordered);
    }
    ordered
}

fn append(rows: &[Row], row: &Row, ordered: &mut Vec<Row>) {
    ordered.push(row.clone());
    for child in
        rows.iter().filter(|child| !child.path.is_empty() && parent(&child.path) == row.path)
    {
        append(rows, child, ordered);
    }
}

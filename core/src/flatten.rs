//! Flattening: counted sections (`step[3]`) united under their base name.

use crate::names::base_of;
use crate::paths;
use crate::snapshot::{NO_ROW, Row, Snapshot, mark, name_of};

/// The name as a row shows it: once flattened, without its counter.
pub(crate) fn shown<'s>(row: &Row, name: &'s str) -> &'s str {
    if row.marks & FLATTENED == 0 {
        return name;
    }
    match base_of(name.as_bytes()) {
        // The base ends before an ASCII bracket, so it is whole text.
        Some(base) => name.get(..base.len()).unwrap_or(name),
        None => name,
    }
}

/// The row's names are shown without counters.
const FLATTENED: u16 = 1 << 8;

/// The sections that the row of `first` stands for in a flattened snapshot, itself among them.
pub(crate) fn united<'s>(snapshot: &'s Snapshot<'_>, first: u32) -> impl Iterator<Item = u32> + 's {
    let rows = snapshot.rows.iter().take(1 + snapshot.layout.config.sections as usize);
    rows.filter(move |row| row.marks & FLATTENED != 0 && row.stands_for == first)
        .map(|row| row.section)
}

impl Snapshot<'_> {
    /// Unites sections whose paths differ only in counters: times and counts add up, the first
    /// variant's place and the latest category stand. Totals stay what they were.
    pub fn flatten(&mut self) {
        if core::mem::replace(&mut self.flattened, true) {
            return;
        }
        // The category totals live in the rows behind the sections'; those stay.
        let sections = self.layout.config.sections as usize;
        for row in &mut self.rows[..=sections] {
            row.bucket = NO_ROW;
            row.first_child = NO_ROW;
            row.last_child = NO_ROW;
        }
        (self.first, self.last) = (NO_ROW, NO_ROW);
        // `link` left the sections in `sorted`, by first entry.
        let count = self.recorded as usize;
        for position in 0..count {
            let section = self.rows[position].sorted;
            self.rows[section as usize].marks |= FLATTENED;
            self.rows[section as usize].hash = self.path_hash(section);
            match self.find(section) {
                Ok(first) => {
                    self.unite(first, section);
                    self.rows[section as usize].stands_for = first;
                    self.recorded -= 1;
                }
                Err(bucket) => {
                    self.rows[bucket].bucket = section;
                    self.rows[section as usize].stands_for = section;
                }
            }
        }
        for position in 0..count {
            let section = self.rows[position].sorted;
            if self.rows[section as usize].stands_for != section {
                continue;
            }
            let parent = paths::parent(self.region, self.layout, section);
            let above = if parent == 0 { None } else { self.find(parent).ok() };
            self.append(section, above.unwrap_or(NO_ROW));
        }
        self.measure_depth();
    }

    fn shown_base(&self, section: u32) -> &[u8] {
        let name = name_of(self, section).as_bytes();
        base_of(name).unwrap_or(name)
    }

    /// A hash of the flattened path.
    fn path_hash(&self, mut section: u32) -> u64 {
        let mut hash = 0_u64;
        while section != 0 {
            for &byte in self.shown_base(section) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3); // FNV-1a's prime
            }
            hash = (hash ^ 0xff).wrapping_mul(0x0100_0000_01b3);
            section = paths::parent(self.region, self.layout, section);
        }
        hash
    }

    /// The row that stands for this section's flattened path, or the bucket where it would go.
    fn find(&self, section: u32) -> Result<u32, usize> {
        let buckets = self.layout.config.sections as usize + 1;
        let hash = self.path_hash(section);
        let mut bucket = (hash % buckets as u64) as usize;
        loop {
            let stands = self.rows[bucket].bucket;
            if stands == NO_ROW {
                return Err(bucket);
            }
            if self.rows[stands as usize].hash == hash && self.same_path(stands, section) {
                return Ok(stands);
            }
            bucket = (bucket + 1) % buckets;
        }
    }

    fn same_path(&self, mut left: u32, mut right: u32) -> bool {
        while left != right {
            if left == 0 || right == 0 || self.shown_base(left) != self.shown_base(right) {
                return false;
            }
            left = paths::parent(self.region, self.layout, left);
            right = paths::parent(self.region, self.layout, right);
        }
        true
    }

    fn unite(&mut self, first: u32, other: u32) {
        let other = self.rows[other as usize];
        let row = &mut self.rows[first as usize];
        row.total = row.total.saturating_add(other.total);
        row.exclusive = row.exclusive.saturating_add(other.exclusive);
        row.ticks = row.ticks.saturating_add(other.ticks);
        row.squares = row.squares.saturating_add(other.squares);
        if other.count > 0 {
            row.min = if row.count > 0 { row.min.min(other.min) } else { other.min };
            row.max = row.max.max(other.max);
        }
        row.count = row.count.saturating_add(other.count);
        row.open += other.open;
        row.open_time = row.open_time.max(other.open_time);
        row.marks |= other.marks & (mark::BUSY | mark::LATE);
        if other.changed > row.changed {
            row.changed = other.changed;
            row.category = other.category;
        }
    }
}

//! Rows to totals: the whole, and each category without what is already inside its own time.
//!
//! A category's total is kept in the `hash` of the row of its first lost slot, and in that row's
//! `bucket` whether any recorded section has the category.

use crate::category;
use crate::late;
use crate::paths;
use crate::snapshot::{NO_ROW, Row, Snapshot};

impl Snapshot<'_> {
    /// The whole and each category's total. A category's is kept in the `hash` of its first lost slot.
    pub(crate) fn add_up(&mut self) {
        for category in 0..self.layout.config.categories {
            let outer = self.lost_row(category, late::LOST_OUTER).total;
            let top = self.lost_row(category, late::LOST_TOP).total;
            let at = self.category_row(category);
            self.rows[at].hash = outer.saturating_add(top);
            self.total = self.total.saturating_add(top);
        }
        for section in 1..=self.used {
            let row = self.rows[section as usize];
            if !row.is_recorded() {
                continue;
            }
            if row.parent == NO_ROW {
                self.total = self.total.saturating_add(row.total);
            }
            let mut above = paths::parent(self.region, self.layout, section);
            while above != 0 {
                let outer = &self.rows[above as usize];
                if outer.is_recorded() && outer.category == row.category {
                    break;
                }
                above = paths::parent(self.region, self.layout, above);
            }
            let at = self.category_row(u32::from(row.category));
            // Marks the category as used.
            self.rows[at].bucket = 1;
            if above == 0 {
                self.rows[at].hash = self.rows[at].hash.saturating_add(row.total);
            }
        }
    }

    fn category_row(&self, category: u32) -> usize {
        let category = category.min(self.layout.config.categories - 1);
        (1 + self.layout.config.sections + 3 * category) as usize
    }

    /// What sections without a slot of their own came to: of a category and a variant (`late.rs`).
    pub(crate) fn lost_row(&self, category: u32, variant: u32) -> &Row {
        &self.rows[self.category_row(category) + variant as usize]
    }
    /// Whether a category has recorded sections, or ones that found the table full.
    pub(crate) fn has_category(&self, category: u32) -> bool {
        self.rows[self.category_row(category)].bucket != 0 || self.has_lost(category)
    }

    /// A category's total by index, in nanoseconds.
    pub(crate) fn category_total_at(&self, category: u32) -> u64 {
        self.rows[self.category_row(category)].hash
    }

    /// The time of a category's top-most sections, in nanoseconds; 0 where it has none.
    pub fn category_total(&self, category: &str) -> u64 {
        category::find(self.region, self.layout, category)
            .map_or(0, |index| self.category_total_at(index))
    }

    /// The categories with recorded sections and their totals in nanoseconds, sorted by code point.
    pub fn categories(&self) -> impl Iterator<Item = (&str, u64)> {
        let used = move || (0..self.layout.config.categories).filter(|&at| self.has_category(at));
        let text = |at| category::text(self.region, self.layout, at);
        let mut last: Option<&str> = None;
        core::iter::from_fn(move || {
            let next = used()
                .filter(|&at| last.is_none_or(|last| text(at) > last))
                .min_by_key(|&at| text(at))?;
            last = Some(text(next));
            Some((text(next), self.category_total_at(next)))
        })
    }
}

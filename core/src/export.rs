//! Views of a snapshot, streamed to any `fmt::Write`: text for people, JSON for programs.
//!
//! Both show the snapshot as it is; who wants counted sections united calls
//! [`Snapshot::flatten`] first. Neither allocates, uses floating point, or ends with a newline: who
//! writes a file adds one.

mod decimal;
mod json;
mod text;

pub use json::Json;
pub use text::Report;

use core::fmt;

use crate::category;
use crate::late;
use crate::snapshot::Snapshot;

impl Snapshot<'_> {
    /// A report for people: the sections as a tree in order of first entry, what each category took,
    /// what the timer itself costs, and what was lost. Empty when nothing was recorded.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// # use xtimer_core::{Config, ManualClock, Timer};
    /// let timer = Timer::with_clock(Config::HOST, ManualClock::new(64)).unwrap();
    /// let context = timer.context().unwrap();
    /// context.record("load", "io", 1_500_000).unwrap();
    /// let report = timer.snapshot().unwrap().report().to_string();
    /// assert!(report.contains("load      1.500 ms  100.0%      1  1.500 ms  io\n"), "{report}");
    /// # }
    /// ```
    pub const fn report(&self) -> Report<'_> {
        Report::new(self)
    }

    /// The snapshot as JSON, compact unless [`Json::indent`] says otherwise.
    pub const fn json(&self) -> Json<'_> {
        Json::new(self)
    }

    /// The sections that found the table full, by the category they were entered with, sorted by
    /// code point: category, number of exits, time in nanoseconds.
    pub fn without_slot(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.categories().filter_map(|(name, _)| {
            let category = category::find(self.region, self.layout, name)?;
            if !self.has_lost(category) {
                return None;
            }
            let variants = [late::LOST_INNER, late::LOST_OUTER, late::LOST_TOP];
            let rows = variants.map(|variant| self.lost_row(category, variant));
            let count = rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.count));
            let time = rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.total));
            Some((name, count, time))
        })
    }
}

/// Writes `count` spaces: a formatter's own padding ends at 65,535.
fn spaces(out: &mut impl fmt::Write, mut count: usize) -> fmt::Result {
    const SPACES: &str = "                                                                ";
    while count > SPACES.len() {
        out.write_str(SPACES)?;
        count -= SPACES.len();
    }
    out.write_str(SPACES.get(..count).unwrap_or_default())
}

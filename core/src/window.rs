//! Windows: the numbers of the time between two snapshots.
//!
//! A snapshot's rows lie by section, so the earlier ones are taken off in place, and whatever can be
//! done with a snapshot can be done with a window. Nanoseconds are taken off nanoseconds, so that the windows
//! of a run add up to the whole run exactly.

use crate::config::Statistics;
use crate::error::Error;
use crate::layout::header;
use crate::snapshot::{Losses, NO_ROW, Row, Snapshot, mark};
use crate::sync::Relaxed;

impl Snapshot<'_> {
    /// Makes this snapshot the *window* since an `earlier` one of the same timer: what was recorded
    /// between them. It can be reported, flattened and exported as any other.
    ///
    /// A section counts in the window in which it was exited, with all its time. One that was not exited in
    /// it is left out, unless it is open now or others beneath it are there. No number is negative. Where
    /// the timer was cleared meanwhile the window begins at the clear. The shortest and longest durations
    /// and percentiles of a window are not known.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use xtimer_core::{Config, ManualClock, Timer};
    ///
    /// let clock = ManualClock::new(64);
    /// let timer = Timer::with_clock(Config { scratch: 2, ..Config::HOST }, &clock).unwrap();
    /// let context = timer.context().unwrap();
    /// let work = |ticks| {
    ///     let step = context.enter("step", "compute").unwrap();
    ///     clock.advance(ticks);
    ///     context.exit(step).unwrap();
    /// };
    /// work(100);
    /// let earlier = timer.snapshot().unwrap();
    /// work(3);
    /// let mut window = timer.snapshot().unwrap();
    /// window.delta(&earlier).unwrap();
    /// let step = window.section(&["step"]).unwrap();
    /// assert_eq!((step.count(), step.total(), window.total()), (1, 3, 3));
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OtherTimer`]: the earlier one is of another timer. [`Error::Flattened`]: one of them was
    /// flattened, or is a window; a window can be flattened afterwards. Nothing changed.
    pub fn delta(&mut self, earlier: &Snapshot<'_>) -> Result<(), Error> {
        let serial = |snapshot: &Snapshot<'_>| {
            snapshot.region.word(header::OWNER).load(Relaxed) // Relaxed: written once
        };
        if serial(self) != serial(earlier) || self.rows.len() != earlier.rows.len() {
            return Err(Error::OtherTimer);
        }
        if [&*self, earlier].iter().any(|snapshot| snapshot.flattened || snapshot.is_window) {
            return Err(Error::Flattened);
        }
        let same_epoch = self.epoch == earlier.epoch;
        self.take_off(|at| earlier.rows.get(at), &earlier.losses, same_epoch);
        Ok(())
    }

    /// Takes off the rows and losses of an earlier moment, and adds the rest up anew.
    pub(crate) fn take_off<'r>(
        &mut self,
        earlier: impl Fn(usize) -> Option<&'r Row>,
        losses: &Losses,
        same_epoch: bool,
    ) {
        let none = Row::default();
        for (at, row) in self.rows.iter_mut().enumerate() {
            // A clear in between: all of it is new.
            let before = if same_epoch { earlier(at) } else { None };
            row.take_off(before.unwrap_or(&none));
        }
        self.losses = self.losses.since(losses, same_epoch);
        self.keep_ancestors();
        self.is_window = true;
        (self.first, self.last, self.total) = (NO_ROW, NO_ROW, 0);
        for row in self.rows.iter_mut() {
            (row.hash, row.bucket, row.sorted) = (0, 0, 0);
        }
        self.link();
        self.add_up();
    }

    /// Drops what was neither exited in the window nor is open, nor has others beneath it.
    fn keep_ancestors(&mut self) {
        // Parents come before their children in no order, so each section marks its own way up. The
        // way ends where it was marked before.
        for section in 1..=self.used as usize {
            let row = &self.rows[section];
            if !row.is_recorded() || (row.count == 0 && row.open == 0) {
                continue;
            }
            let mut above = section;
            while above != 0 && self.rows[above].bucket != KEPT {
                self.rows[above].bucket = KEPT;
                above = crate::paths::parent(self.region, self.layout, above as u32) as usize;
            }
        }
        for (at, row) in self.rows.iter_mut().enumerate() {
            let is_named = (1..=self.used as usize).contains(&at);
            let is_kept = if is_named { row.bucket == KEPT } else { row.count > 0 };
            if !is_kept {
                row.marks &= !mark::RECORDED;
            }
        }
    }

    /// The statistics that its rows have.
    pub(crate) const fn statistics(&self) -> Statistics {
        let kept = self.layout.config.statistics;
        if self.is_window { kept.without_min_max() } else { kept }
    }
}

/// In a row's `bucket`: it stays in the window.
const KEPT: u32 = 1;

impl Row {
    fn take_off(&mut self, before: &Self) {
        self.bucket = 0;
        self.count = self.count.saturating_sub(before.count);
        self.ticks = self.ticks.saturating_sub(before.ticks);
        self.total = self.total.saturating_sub(before.total);
        self.exclusive = self.exclusive.saturating_sub(before.exclusive);
        self.squares = self.squares.saturating_sub(before.squares);
        (self.min, self.max) = (0, 0);
    }
}

impl Losses {
    /// What was lost since an earlier moment; all but the last two begin again at a clear.
    fn since(&self, earlier: &Self, same_epoch: bool) -> Self {
        let since = |now: u64, before: u64| now.saturating_sub(if same_epoch { before } else { 0 });
        Self {
            unclosed: since(self.unclosed, earlier.unclosed),
            too_deep: since(self.too_deep, earlier.too_deep),
            refused: since(self.refused, earlier.refused),
            not_open: since(self.not_open, earlier.not_open),
            steps_back: since(self.steps_back, earlier.steps_back),
            base_name: since(self.base_name, earlier.base_name),
            no_slot: since(self.no_slot, earlier.no_slot),
            interrupted: since(self.interrupted, earlier.interrupted),
            categories: self.categories.saturating_sub(earlier.categories),
            late_contexts: self.late_contexts.saturating_sub(earlier.late_contexts),
        }
    }
}

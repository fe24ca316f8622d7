//! Lanes to consistent numbers: what a timer knows at one moment, without allocation or lock.
//!
//! The rows live in memory that the snapshot owns while it lasts: a scratch area of the region, or
//! the caller's. Row `i` is section `i`; links make the recorded ones a tree in order of first entry.

use crate::category;
use crate::clock::{Clock, Scale};
use crate::error::Error;
use crate::layout::{Layout, ROW_BYTES, header};
use crate::names;
use crate::paths;
use crate::price::Price;
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Acquire, CATEGORY_BITS, Relaxed, Release};
use crate::timer::Timer;

/// No row.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// What is remarkable about a row.
pub(crate) mod mark {
    pub(crate) const RECORDED: u16 = 1;
    /// A writer was stopped in the middle; the numbers may be one entry apart.
    pub(crate) const BUSY: u16 = 2;
    /// Late contexts added to it: no squares of theirs.
    pub(crate) const LATE: u16 = 4;
}

/// One section's numbers.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Row {
    pub(crate) squares: u128,
    pub(crate) count: u64,
    pub(crate) ticks: u64,
    pub(crate) total: u64,
    pub(crate) exclusive: u64,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) ticket: u64,
    pub(crate) changed: u64,
    pub(crate) open_time: u64,
    pub(crate) hash: u64,
    pub(crate) section: u32,
    pub(crate) parent: u32,
    pub(crate) first_child: u32,
    pub(crate) last_child: u32,
    pub(crate) next_sibling: u32,
    pub(crate) depth: u32,
    pub(crate) open: u32,
    pub(crate) sorted: u32,
    pub(crate) stands_for: u32,
    pub(crate) bucket: u32,
    pub(crate) category: u16,
    pub(crate) marks: u16,
}

const _: () = assert!(size_of::<Row>() <= ROW_BYTES && align_of::<Row>() <= 16);

/// What was not recorded, or not as asked, since the last clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Sections discarded because an outer one was exited, or their context ended.
    pub unclosed: u64,
    /// Enters refused because the stack was full; their time stays in the deepest section.
    pub too_deep: u64,
    /// Enters refused by a rule.
    pub refused: u64,
    /// Exits with a token whose section was not open.
    pub not_open: u64,
    /// Sections that took no time because the clock stepped back.
    pub steps_back: u64,
    /// Counted sections recorded under their base name, because theirs did not fit.
    pub base_name: u64,
    /// Enters of new paths that found the table full.
    pub no_slot: u64,
    /// Entries of signal handlers, not recorded: they met the section in the middle of a change.
    pub interrupted: u64,
    /// Enters with a category that did not fit (since the timer was made).
    pub categories: u64,
    /// Contexts that found no lane (since the timer was made).
    pub late_contexts: u64,
}

/// What a timer knows at one moment.
#[derive(Debug)]
pub struct Snapshot<'t> {
    pub(crate) region: Memory<'t>,
    pub(crate) layout: &'t Layout,
    pub(crate) rows: &'t mut [Row],
    /// The epoch that was gathered.
    pub(crate) epoch: u64,
    /// The scratch area that the rows lie in, given back at the end.
    _claim: Option<Claim<'t>>,
    pub(crate) used: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) recorded: u32,
    pub(crate) total: u64,
    pub(crate) scale: Scale,
    pub(crate) clock: &'static str,
    pub(crate) width: u32,
    pub(crate) price: Price,
    pub(crate) losses: Losses,
    last_refused: u32,
    pub(crate) flattened: bool,
    /// It holds the numbers of a window: see `delta`.
    pub(crate) is_window: bool,
}

/// Memory for a snapshot of the caller's: as many rows as [`Timer::snapshot_rows`] says.
pub type SnapshotMemory = [Row];

impl<S: Shape, C: Clock> Timer<S, C> {
    /// Takes a snapshot while writers go on, in a scratch area of the region.
    ///
    /// Needs no allocation and no lock, so it may be called from a signal handler or an interrupt.
    ///
    /// # Errors
    /// [`Error::Busy`] when all scratch areas are taken, or when the timer is being cleared again and
    /// again.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, Error> {
        let region = self.ready();
        let claim = self.claim_scratch(region)?;
        let rows = self.scratch_rows(region, claim.index);
        self.snapshot_with(region, rows, Some(claim))
    }

    /// Takes a snapshot in the caller's memory.
    ///
    /// # Errors
    /// [`Error::TooSmall`] when there are fewer rows than [`Timer::snapshot_rows`]; [`Error::Busy`]
    /// when the timer is being cleared again and again.
    pub fn snapshot_in<'t>(&'t self, rows: &'t mut SnapshotMemory) -> Result<Snapshot<'t>, Error> {
        let region = self.ready();
        if rows.len() < self.snapshot_rows() {
            return Err(Error::TooSmall);
        }
        self.snapshot_with(region, rows, None)
    }

    /// How many rows a snapshot needs (144 bytes each).
    pub const fn snapshot_rows(&self) -> usize {
        self.layout.config.slots() as usize
    }

    fn claim_scratch<'t>(&self, region: Memory<'t>) -> Result<Claim<'t>, Error> {
        for index in 0..self.layout.config.scratch {
            let word = region.word(header::SCRATCH_CLAIMS + 4 * (index / 32) as usize);
            let bit = 1 << (index % 32);
            // Acquire pairs with the Release in `Claim::drop`.
            if word.fetch_or(bit, Acquire) & bit == 0 {
                return Ok(Claim { region, index });
            }
        }
        Err(Error::Busy)
    }

    #[cfg(not(loom))]
    fn scratch_rows<'t>(&'t self, region: Memory<'t>, index: u32) -> &'t mut [Row] {
        let area = region.at(self.layout.scratch + index as usize * self.layout.scratch_bytes);
        let rows = area.pointer().cast::<Row>();
        // SAFETY: the area lies in the region, has ROW_BYTES for each slot, is aligned to 16, was
        // zeroed or written as rows before (any bytes are rows), and is ours alone by the claim.
        unsafe { core::slice::from_raw_parts_mut(rows.as_ptr(), self.snapshot_rows()) }
    }
    #[cfg(loom)]
    fn scratch_rows<'t>(&'t self, _region: Memory<'t>, _index: u32) -> &'t mut [Row] {
        &mut []
    }

    fn snapshot_with<'t>(
        &'t self,
        region: Memory<'t>,
        rows: &'t mut [Row],
        claim: Option<Claim<'t>>,
    ) -> Result<Snapshot<'t>, Error> {
        let epoch = self.gather(region, rows)?;
        let mut snapshot = self.unlinked(region, rows, epoch, claim);
        snapshot.convert();
        snapshot.link();
        snapshot.add_up();
        Ok(snapshot)
    }

    /// A snapshot of rows that are not converted, linked and added up yet.
    pub(crate) fn unlinked<'t>(
        &'t self,
        region: Memory<'t>,
        rows: &'t mut [Row],
        epoch: u64,
        claim: Option<Claim<'t>>,
    ) -> Snapshot<'t> {
        Snapshot {
            region,
            layout: &self.layout,
            rows,
            epoch,
            _claim: claim,
            used: paths::used(region, &self.layout),
            first: NO_ROW,
            last: NO_ROW,
            recorded: 0,
            total: 0,
            scale: self.freeze_scale(region),
            clock: self.clock.name(),
            width: self.clock.width(),
            price: self.price(),
            losses: self.losses(region),
            last_refused: region.word(header::LAST_REFUSED).load(Relaxed), // Relaxed: one word
            flattened: false,
            is_window: false,
        }
    }

    /// The scale, written into the region for readers of its bytes.
    fn freeze_scale(&self, region: Memory<'_>) -> Scale {
        let scale = self.clock.scale();
        region.wide(header::SCALE_MULTIPLIER).store(scale.multiplier);
        region.word(header::SCALE_SHIFT).store(scale.shift, Relaxed); // Relaxed: always the same
        scale
    }
}

/// A scratch area in use; given back also where the user's clock panics meanwhile.
#[derive(Debug)]
pub(crate) struct Claim<'t> {
    region: Memory<'t>,
    index: u32,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let word = self.region.word(header::SCRATCH_CLAIMS + 4 * (self.index / 32) as usize);
        // Release pairs with the Acquire in `claim_scratch`.
        word.fetch_and(!(1 << (self.index % 32)), Release);
    }
}

impl Row {
    pub(crate) const fn is_recorded(&self) -> bool {
        self.marks & mark::RECORDED != 0
    }
}

impl Snapshot<'_> {
    /// Ticks to nanoseconds: each section rounds once.
    fn convert(&mut self) {
        for row in self.rows.iter_mut().filter(|row| row.is_recorded()) {
            row.total = self.scale.nanoseconds(row.ticks);
            row.exclusive = self.scale.nanoseconds(row.exclusive);
            row.min = if row.count == 0 { 0 } else { self.scale.nanoseconds(row.min) };
            row.max = self.scale.nanoseconds(row.max);
            row.open_time = self.scale.nanoseconds(row.open_time);
        }
    }
    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.recorded == 0 && (0..self.layout.config.categories).all(|at| !self.has_lost(at))
    }

    /// Whether sections of this category found the table full.
    pub(crate) fn has_lost(&self, category: u32) -> bool {
        (0..3).any(|variant| self.lost_row(category, variant).is_recorded())
    }

    /// Time of all sections that have no recorded parent, in nanoseconds.
    pub const fn total(&self) -> u64 {
        self.total
    }
    /// What was lost since the last clear.
    pub const fn losses(&self) -> &Losses {
        &self.losses
    }

    /// The categories (outer, inner) of the last enter that a rule refused since the last clear.
    pub fn last_refused(&self) -> Option<(&str, &str)> {
        let text = |at| category::text(self.region, self.layout, at);
        let (outer, inner) =
            (self.last_refused >> CATEGORY_BITS, self.last_refused & ((1 << CATEGORY_BITS) - 1));
        (self.losses.refused > 0).then(|| (text(outer), text(inner)))
    }

    /// What the timer itself costs.
    pub const fn price(&self) -> Price {
        self.price
    }

    /// The clock's name and its scale.
    pub const fn clock(&self) -> (&'static str, Scale) {
        (self.clock, self.scale)
    }

    /// The recorded sections, depth first in order of first entry.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_>> {
        let mut row = self.first;
        core::iter::from_fn(move || {
            if row == NO_ROW {
                return None;
            }
            let section = Section { snapshot: self, row: &self.rows[row as usize] };
            row = self.next(row);
            Some(section)
        })
    }

    /// The section at a path of names, outermost first.
    pub fn section(&self, path: &[&str]) -> Option<Section<'_>> {
        self.sections().find(|section| section.path().eq(path.iter().copied()))
    }
}

/// One recorded section of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Section<'s> {
    pub(crate) snapshot: &'s Snapshot<'s>,
    pub(crate) row: &'s Row,
}

pub(crate) fn name_of<'s>(snapshot: &Snapshot<'s>, section: u32) -> &'s str {
    let (region, layout) = (snapshot.region, snapshot.layout);
    names::text(region, layout, paths::name(region, layout, section))
}

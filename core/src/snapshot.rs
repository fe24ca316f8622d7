//! Lanes to consistent numbers: what a timer knows at one moment, without allocation or lock.
//!
//! The rows live in memory that the snapshot owns while it lasts: a scratch area of the region, or
//! the caller's. Row `i` is section `i`; links make the recorded ones a tree in order of first entry.

use crate::category;
use crate::clock::{Clock, Elapsed, Scale, elapsed};
use crate::config::Statistics;
use crate::context::INDEX_MASK;
use crate::error::Error;
use crate::lane::{self, ERA, Reading, birth_of, slot_of};
use crate::late;
use crate::layout::{Layout, ROW_BYTES, frame, header, lane as at, loss};
use crate::names;
use crate::paths;
use crate::price::Price;
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Acquire, CATEGORY_BITS, Relaxed, Release, attempts, fence, give_way};
use crate::timer::{EPOCH, Timer};

/// No row.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// How often a snapshot begins again because the timer was cleared meanwhile.
const CLEAR_ATTEMPTS: u32 = attempts(16);

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
    /// The scratch area to give back, and its bit.
    claim: Option<u32>,
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
    pub(crate) flattened: bool,
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
        let (index, rows) = self.claim_scratch(region)?;
        let snapshot = self.snapshot_with(region, rows, Some(index));
        if snapshot.is_err() {
            release_scratch(region, index);
        }
        snapshot
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

    fn claim_scratch<'t>(&'t self, region: Memory<'t>) -> Result<(u32, &'t mut [Row]), Error> {
        for index in 0..self.layout.config.scratch {
            let word = region.word(header::SCRATCH_CLAIMS + 4 * (index / 32) as usize);
            let bit = 1 << (index % 32);
            // Acquire pairs with the Release in `release_scratch`.
            if word.fetch_or(bit, Acquire) & bit == 0 {
                return Ok((index, self.scratch_rows(region, index)));
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
        claim: Option<u32>,
    ) -> Result<Snapshot<'t>, Error> {
        let mut gathered = false;
        for _ in 0..CLEAR_ATTEMPTS {
            // Acquire: what follows is read after the epoch.
            let before = region.wide(header::STATE).load_ordered(Acquire) / EPOCH;
            self.gather(region, rows, before);
            // Acquire fence: the second look at the epoch comes after all slots.
            fence(Acquire);
            if region.wide(header::STATE).load_ordered(Relaxed) / EPOCH == before {
                gathered = true;
                break;
            }
        }
        if !gathered {
            return Err(Error::Busy);
        }
        let scale = self.freeze_scale(region);
        let mut snapshot = Snapshot {
            region,
            layout: &self.layout,
            rows,
            claim: None,
            used: paths::used(region, &self.layout),
            first: NO_ROW,
            last: NO_ROW,
            recorded: 0,
            total: 0,
            scale,
            clock: self.clock.name(),
            width: self.clock.width(),
            price: self.price(),
            losses: self.losses(region),
            flattened: false,
        };
        snapshot.convert();
        snapshot.link();
        snapshot.add_up();
        snapshot.claim = claim;
        Ok(snapshot)
    }

    /// The scale, written into the region for readers of its bytes.
    fn freeze_scale(&self, region: Memory<'_>) -> Scale {
        let scale = self.clock.scale();
        region.wide(header::SCALE_MULTIPLIER).store(scale.multiplier);
        region.word(header::SCALE_SHIFT).store(scale.shift, Relaxed); // Relaxed: always the same
        scale
    }

    /// Adds up all lanes that have caught up with the epoch.
    fn gather(&self, region: Memory<'_>, rows: &mut [Row], epoch: u64) {
        let layout = &self.layout;
        let slots = layout.config.slots() as u32;
        for (row, section) in rows.iter_mut().zip(0..slots) {
            *row = Row { section, min: u64::MAX, ticket: u64::MAX, ..Row::default() };
        }
        let named = paths::used(region, layout);
        let lost = 1 + layout.config.sections..slots;
        let mut patience = Patience::default();
        // Acquire pairs with the Release in `claim`.
        let lanes = region.word(header::LANES_USED).load(Acquire).min(layout.config.lanes);
        for index in 0..lanes {
            let lane = self.lane_memory(index);
            // Acquire: the era that goes with it, see `catch_up`.
            if lane.wide(at::STATE).load_ordered(Acquire) / EPOCH != epoch {
                continue;
            }
            let era = lane.word(at::ERA).load(Relaxed) / ERA; // Relaxed: as above
            for section in (1..=named).chain(lost.clone()) {
                let slot = slot_of::<S>(lane, section);
                let birth = birth_of(lane, layout, section);
                let stamp = slot.word(crate::layout::slot::STAMP).load(Relaxed); // Relaxed: a look
                if stamp >> CATEGORY_BITS != era {
                    continue;
                }
                let reading =
                    lane::read(slot, birth, S::STATISTICS, |attempt| patience.pause(attempt));
                if reading.stamp >> CATEGORY_BITS == era {
                    rows[section as usize].merge(&reading, 0);
                }
            }
            self.gather_open(lane, rows, era);
        }
        // Relaxed: a late context not seen here began after this look.
        if layout.config.late != 0 && region.word(header::LATE_CONTEXTS).load(Relaxed) != 0 {
            for section in (1..=named).chain(lost) {
                let pause = |attempt| patience.pause(attempt);
                if let Some(reading) = late::read(region, layout, epoch, section, pause) {
                    rows[section as usize].merge(&reading, mark::LATE);
                }
            }
        }
        for section in 1..=named {
            let (category, changed) = paths::change(region, layout, section);
            let row = &mut rows[section as usize];
            row.category = category as u16;
            row.changed = changed;
        }
    }

    /// Which sections are open in a lane, and for how long.
    pub(crate) fn gather_open(&self, lane: Memory<'_>, rows: &mut [Row], era: u32) {
        let frames = lane.word(at::FRAMES).load(Relaxed); // Relaxed: written once, before STATE
        let limit = lane.word(at::LIMIT).load(Relaxed); // Relaxed: as above
        let mut position = frames + frame::BYTES as u32;
        while position <= limit {
            let frame = lane.at(position as usize);
            // Acquire: if this is the token of a frame being pushed, the pop before it is seen below.
            let token = frame.wide(frame::TOKEN).load_ordered(Acquire);
            // Acquire pairs with the Release that closed the push.
            if position > lane.word(at::TOP).load(Acquire) {
                break;
            }
            let start = frame.wide(frame::START).load();
            let node = frame.word(frame::NODE).load(Relaxed); // Relaxed: checked by the token
            let category = frame.word(frame::CATEGORY).load(Relaxed); // Relaxed: as above
            // Acquire fence: had we seen any of a later push, we see its token.
            fence(Acquire);
            position += frame::BYTES as u32;
            let section = (node & INDEX_MASK) as usize;
            if frame.wide(frame::TOKEN).load() != token
                || category >> 31 != 0
                || section >= rows.len()
            {
                continue;
            }
            let stamp = slot_of::<S>(lane, section as u32).word(crate::layout::slot::STAMP);
            // Relaxed: a section open at a clear has a slot of an earlier era.
            if stamp.load(Relaxed) >> CATEGORY_BITS != era {
                continue;
            }
            let row = &mut rows[section];
            row.open += 1;
            if let Elapsed::Forward(ticks) = elapsed(start, self.clock.now(), self.clock.width()) {
                row.open_time = row.open_time.max(ticks);
            }
        }
    }

    fn losses(&self, region: Memory<'_>) -> Losses {
        let mut sums = [0_u64; loss::COUNT];
        let epoch = region.wide(header::STATE).load() / EPOCH;
        // Acquire pairs with the Release in `claim`.
        let lanes = region.word(header::LANES_USED).load(Acquire).min(self.layout.config.lanes);
        for (counter, sum) in sums.iter_mut().enumerate() {
            for index in 0..lanes {
                let lane = self.lane_memory(index);
                if lane.wide(at::STATE).load_ordered(Acquire) / EPOCH == epoch {
                    *sum = sum.saturating_add(lane.wide(at::LOSSES + 8 * counter).load());
                }
            }
            *sum = sum.saturating_add(region.wide(header::LATE_LOSSES + 8 * counter).load());
        }
        // Relaxed: counters.
        let word = |offset| u64::from(region.word(offset).load(Relaxed));
        Losses {
            unclosed: sums[loss::UNCLOSED],
            too_deep: sums[loss::TOO_DEEP],
            refused: sums[loss::REFUSED],
            not_open: sums[loss::NOT_OPEN],
            steps_back: sums[loss::STEPS_BACK],
            base_name: sums[loss::BASE_NAME],
            no_slot: sums[loss::NO_SLOT],
            categories: word(header::LOST_CATEGORIES),
            late_contexts: word(header::LATE_CONTEXTS),
        }
    }
}

fn release_scratch(region: Memory<'_>, index: u32) {
    let word = region.word(header::SCRATCH_CLAIMS + 4 * (index / 32) as usize);
    // Release pairs with the Acquire in `claim_scratch`.
    word.fetch_and(!(1 << (index % 32)), Release);
}

/// Waits for a writer that is in the middle: a moment each time, then a few times of the
/// processor's, where the system can give it to the writer.
#[derive(Default)]
struct Patience {
    yields: u32,
}

impl Patience {
    fn pause(&mut self, attempt: u32) {
        core::hint::spin_loop();
        if attempt % 8 == 7 && self.yields < 64 {
            self.yields += 1;
            give_way();
        }
    }
}

impl Row {
    fn merge(&mut self, reading: &Reading, marks: u16) {
        self.marks |= mark::RECORDED | marks;
        if reading.busy {
            self.marks |= mark::BUSY;
        }
        self.count = self.count.saturating_add(reading.count);
        self.ticks = self.ticks.saturating_add(reading.total);
        self.exclusive = self.exclusive.saturating_add(reading.exclusive);
        self.squares = self.squares.saturating_add(reading.squares);
        if reading.count > 0 {
            self.min = self.min.min(reading.min);
            self.max = self.max.max(reading.max);
        }
        self.ticket = self.ticket.min(reading.ticket);
    }

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

    /// The recorded sections as a tree in order of first entry.
    fn link(&mut self) {
        let mut found = 0;
        for section in 1..=self.used {
            if self.rows[section as usize].is_recorded() {
                self.rows[found].sorted = section;
                found += 1;
            }
        }
        self.recorded = found as u32;
        self.sort_by_ticket(found);
        for row in self.rows.iter_mut() {
            row.parent = NO_ROW;
            row.first_child = NO_ROW;
            row.last_child = NO_ROW;
            row.next_sibling = NO_ROW;
        }
        for position in 0..found {
            let section = self.rows[position].sorted;
            let parent = paths::parent(self.region, self.layout, section);
            let is_child = parent != 0 && self.rows[parent as usize].is_recorded();
            self.append(section, if is_child { parent } else { NO_ROW });
        }
        self.measure_depth();
    }

    /// Writes how deep each row is.
    pub(crate) fn measure_depth(&mut self) {
        let mut row = self.first;
        while row != NO_ROW {
            let parent = self.rows[row as usize].parent;
            self.rows[row as usize].depth =
                if parent == NO_ROW { 0 } else { self.rows[parent as usize].depth + 1 };
            row = self.next(row);
        }
    }

    /// Heap sort of the `sorted` fields: in place, no recursion, whatever the order.
    fn sort_by_ticket(&mut self, found: usize) {
        for root in (0..found / 2).rev() {
            self.sift_down(root, found);
        }
        for end in (1..found).rev() {
            self.swap_sorted(0, end);
            self.sift_down(0, end);
        }
    }

    fn sift_down(&mut self, mut root: usize, end: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.ticket_at(child) < self.ticket_at(child + 1) {
                child += 1;
            }
            if self.ticket_at(root) >= self.ticket_at(child) {
                return;
            }
            self.swap_sorted(root, child);
            root = child;
        }
    }

    fn ticket_at(&self, position: usize) -> (u64, u32) {
        let section = self.rows[position].sorted;
        (self.rows[section as usize].ticket, section)
    }

    fn swap_sorted(&mut self, left: usize, right: usize) {
        let kept = self.rows[left].sorted;
        self.rows[left].sorted = self.rows[right].sorted;
        self.rows[right].sorted = kept;
    }

    /// Puts a row at the end of its parent's children.
    pub(crate) fn append(&mut self, row: u32, parent: u32) {
        let last = if parent == NO_ROW { self.last } else { self.rows[parent as usize].last_child };
        self.rows[row as usize].parent = parent;
        self.rows[row as usize].next_sibling = NO_ROW;
        match (last, parent) {
            (NO_ROW, NO_ROW) => self.first = row,
            (NO_ROW, parent) => self.rows[parent as usize].first_child = row,
            (last, _) => self.rows[last as usize].next_sibling = row,
        }
        if parent == NO_ROW {
            self.last = row;
        } else {
            self.rows[parent as usize].last_child = row;
        }
    }

    /// The row after this one, depth first.
    pub(crate) fn next(&self, row: u32) -> u32 {
        let mut row = &self.rows[row as usize];
        if row.first_child != NO_ROW {
            return row.first_child;
        }
        while row.next_sibling == NO_ROW {
            if row.parent == NO_ROW {
                return NO_ROW;
            }
            row = &self.rows[row.parent as usize];
        }
        row.next_sibling
    }

    /// The whole and each category's total. A category's is kept in the `hash` of its first lost slot.
    fn add_up(&mut self) {
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

    /// What was lost since the last clear.
    pub const fn losses(&self) -> &Losses {
        &self.losses
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

    pub(crate) const fn statistics(&self) -> Statistics {
        self.layout.config.statistics
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        if let Some(index) = self.claim {
            release_scratch(self.region, index);
        }
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

//! Sections whose path does not fit: which of their category's three slots takes their time.

use crate::clock::Clock;
use crate::context::INDEX_MASK;
use crate::general::DISCARDED;
use crate::lane::{is_founded, slot_of};
use crate::late;
use crate::layout::{frame, header, lane as at, slot};
use crate::paths;
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Acquire, CATEGORY_BITS, Relaxed};
use crate::timer::{EPOCH, Lane};

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// The slot for a section whose path does not fit: of its category's three, the one that says
    /// what its time still belongs to.
    pub(crate) fn lost_slot(self, parent: u32, under: bool, category: u32) -> u32 {
        let layout = &self.timer.layout;
        let variant = if !self.has_recorded(parent, under) {
            late::LOST_TOP
        } else if self.is_inside(parent, under, category) {
            late::LOST_INNER
        } else {
            late::LOST_OUTER
        };
        1 + layout.config.sections + 3 * category + variant
    }

    /// Whether the parent is recorded since the last clear.
    fn has_recorded(self, parent: u32, under: bool) -> bool {
        if parent == 0 {
            return false;
        }
        if parent <= self.timer.layout.config.sections {
            return self.is_seen(parent);
        }
        if under {
            return self.is_lost_seen(parent);
        }
        let top = self.lane.word(at::TOP).load(Relaxed); // Relaxed: own, as below
        let entered = self.lane.at(top as usize).word(frame::CATEGORY).load(Relaxed);
        entered & DISCARDED == 0 && self.is_current(parent)
    }

    /// Whether anyone recorded sections without a slot here in this epoch.
    fn is_lost_seen(self, index: u32) -> bool {
        let epoch = self.lane.wide(at::STATE).load() / EPOCH;
        // Acquire pairs with the Release in `claim`.
        let lanes = self.region.word(header::LANES_USED).load(Acquire);
        let seen = |lane: Memory<'_>| {
            is_founded(lane)
                // Acquire: the era that goes with it, see `catch_up`.
                && lane.wide(at::STATE).load_ordered(Acquire) / EPOCH == epoch
                // Relaxed: words that stand still while the epoch does.
                && slot_of::<S>(lane, index).word(slot::STAMP).load(Relaxed) >> CATEGORY_BITS
                    == lane.word(at::ERA).load(Relaxed) >> CATEGORY_BITS
        };
        (0..lanes.min(self.timer.layout.config.lanes)).any(|at| seen(self.timer.lane_memory(at)))
            || (self.timer.layout.config.late != 0 && late::is_current(self, index, epoch))
    }

    /// Whether a section of this category is recorded around a new one.
    fn is_inside(self, parent: u32, under: bool, category: u32) -> bool {
        let layout = &self.timer.layout;
        let mut section = parent;
        if under && section > layout.config.sections {
            // What lies around that one is not known any more.
            return self.category_of(section) == category;
        }
        if !under {
            // The open sections tell of those without a path of their own.
            let frames = self.lane.word(at::FRAMES).load(Relaxed); // Relaxed: own, as below
            let mut top = self.lane.word(at::TOP).load(Relaxed);
            while top > frames && section > layout.config.sections {
                let frame = self.lane.at(top as usize);
                let entered = frame.word(frame::CATEGORY).load(Relaxed);
                if entered == category && self.is_current(section) {
                    return true;
                }
                top -= frame::BYTES as u32;
                section = self.lane.at(top as usize).word(frame::NODE).load(Relaxed) & INDEX_MASK;
            }
        }
        while section != 0 && section <= layout.config.sections {
            if self.is_seen(section) && self.category_of(section) == category {
                return true;
            }
            section = paths::parent(self.region, layout, section);
        }
        false
    }

    /// Whether this lane's slot is of the current era.
    fn is_current(self, index: u32) -> bool {
        if self.is_late() {
            return late::is_current(self, index, self.lane.wide(at::STATE).load() / EPOCH);
        }
        // Relaxed: own.
        let stamp = slot_of::<S>(self.lane, index).word(slot::STAMP).load(Relaxed);
        stamp >> CATEGORY_BITS == self.lane.word(at::ERA).load(Relaxed) >> CATEGORY_BITS
    }

    /// Whether anyone recorded the section in the epoch this lane has caught up with.
    fn is_seen(self, section: u32) -> bool {
        let epoch = self.lane.wide(at::STATE).load() / EPOCH;
        paths::seen(self.region, &self.timer.layout, section) == epoch + 1
    }
}

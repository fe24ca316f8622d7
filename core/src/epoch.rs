//! Catching up with a clear: a lane counts its own eras, and what was open is discarded where its path
//! begins anew.

use crate::clock::Clock;
use crate::context::{INDEX_MASK, Token};
use crate::general::DISCARDED;
use crate::lane::{ERA, ERA_BITS, rewriting, slot_of};
use crate::layout::{frame, lane as at, loss, slot};
use crate::samples;
use crate::shape::Shape;
use crate::sync::{CATEGORY_BITS, Relaxed, Release, fence};
use crate::timer::{EPOCH, Lane, flag};

/// For `rewriting`: the lane's era, not a slot.
const NO_SLOT: u32 = 0;

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// Frames (of this section, or all) that were open at a clear will not be recorded.
    pub(crate) fn discard_open(self, section: Option<u32>) {
        let frames = self.lane.word(at::FRAMES).load(Relaxed); // Relaxed: own, as below
        let mut top = self.lane.word(at::TOP).load(Relaxed);
        while top > frames {
            let frame = self.lane.at(top as usize);
            let index = frame.word(frame::NODE).load(Relaxed) & INDEX_MASK;
            if section.is_none_or(|section| section == index) {
                let category = frame.word(frame::CATEGORY).load(Relaxed);
                frame.word(frame::CATEGORY).store(category | DISCARDED, Relaxed);
                let token = frame.wide(frame::TOKEN).load();
                frame.wide(frame::TOKEN).store(token | Token::MARK);
            }
            top -= frame::BYTES as u32;
        }
    }

    /// Brings the lane up to the region's epoch and flags. False in a handler that interrupted just
    /// that.
    pub(crate) fn catch_up(self, state: u64) -> bool {
        if self.lane.wide(at::STATE).load() == self.wanted(state) {
            return true;
        }
        // What a handler counts from here on stays.
        let is_behind = || self.lane.wide(at::STATE).load() / EPOCH != state / EPOCH;
        if is_behind() {
            self.lane.wide(at::LOSSES + 8 * loss::INTERRUPTED).store(0);
        }
        rewriting(self.lane, NO_SLOT, || {
            // Again: a handler may have caught up just now, with a later clear even. An epoch far ahead
            // was read in halves, while one carried into the other.
            let ahead = (self.lane.wide(at::STATE).load() / EPOCH).wrapping_sub(state / EPOCH);
            if !(1..1 << 16).contains(&ahead) {
                if is_behind() {
                    self.begin_era();
                }
                // Release: a reader that sees this epoch sees the era that goes with it.
                self.lane.wide(at::STATE).store_ordered(self.wanted(state), Release);
            }
        })
    }

    /// The lane's own copy of STATE.
    fn wanted(self, state: u64) -> u64 {
        let general = self.is_general() || state & flag::MASK != 0;
        if general { state | u64::from(flag::GENERAL) } else { state }
    }

    fn begin_era(self) {
        // Release pairs with the fence in `gather`: who sees the era move, or a stamp go, sees the
        // epoch move.
        fence(Release);
        let era = self.lane.word(at::ERA).load(Relaxed); // Relaxed: own, as below
        if era >> CATEGORY_BITS == (1 << ERA_BITS) - 1 {
            self.forget_stamps();
        } else {
            self.lane.word(at::ERA).store(era + ERA, Relaxed);
        }
        if self.is_late() {
            self.discard_open(None);
        } else if self.timer.layout.places != 0 {
            samples::begin(self.lane.at(self.timer.layout.ring));
        }
        for counter in (0..loss::COUNT).filter(|counter| *counter != loss::INTERRUPTED) {
            self.lane.wide(at::LOSSES + 8 * counter).store(0);
        }
    }

    /// Begins the eras again, once in 2^20 clears: no stamp of an earlier round is left.
    pub(crate) fn forget_stamps(self) {
        if !self.is_late() {
            for index in 0..self.timer.layout.config.slots() as u32 {
                slot_of::<S>(self.lane, index).word(slot::STAMP).store(0, Relaxed); // Relaxed: own
            }
        }
        self.lane.word(at::ERA).store(ERA, Relaxed); // Relaxed: own
    }
}

//! The general path: whole enters and exits for every case that the hot path leaves out.

use crate::clock::{Clock, Elapsed, elapsed};
use crate::context::{Detached, INDEX_MASK, Token, site_owner};
use crate::error::Error;
use crate::keeping;
use crate::lane::slot_of;
use crate::late;
use crate::layout::{frame, header, lane as at, loss, slot};
use crate::opening::Request;
use crate::shape::Shape;
use crate::sync::{INDEX_BITS, Relaxed};
use crate::timer::{EPOCH, Lane, Opening, flag};

/// Set in a frame's category: its section is not recorded (it was open at a clear, and its path was
/// entered anew since).
pub(crate) const DISCARDED: u32 = 1 << 31;

/// A lane's kind, a bit each.
pub(crate) mod kind {
    /// Slots are shared and added to with read-modify-write.
    pub(crate) const LATE: u32 = 1;
}

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// Enters; the null token when refused, with the error kept in the lane.
    pub(crate) fn enter_general(self, request: &Request<'_>) -> Token {
        self.enter_at_reading(request, None)
    }

    /// As [`enter_general`](Self::enter_general), at a reading of the clock where there is one already.
    #[inline(never)]
    pub(crate) fn enter_at_reading(self, request: &Request<'_>, reading: Option<u64>) -> Token {
        let state = self.region.wide(header::STATE).load();
        if state as u32 & flag::OFF != 0 {
            return Token::NULL;
        }
        let top = self.lane.word(at::TOP).load(Relaxed); // Relaxed: the owner's own write
        if top == self.lane.word(at::LIMIT).load(Relaxed) {
            self.catch_up(state);
            let node = self.lane.at(top as usize).word(frame::NODE).load(Relaxed); // Relaxed: own
            self.count_loss(loss::TOO_DEEP, 1);
            self.fail(Error::TooDeep { top: node & INDEX_MASK });
            return Token::NULL;
        }
        let Some(target) = self.open(request, state) else { return Token::NULL };
        let node = self.node(target.index);
        let mark = if self.is_general() { Token::MARK } else { 0 };
        let opening = Opening { node, category: target.category, mark };
        self.push(top, opening, |clock| reading.unwrap_or_else(|| clock.now()))
    }

    /// Adds a duration of `nanoseconds` measured elsewhere. 0 or an error's code.
    pub(crate) fn record(self, request: &Request<'_>, nanoseconds: u64) -> u32 {
        let state = self.region.wide(header::STATE).load();
        if state as u32 & flag::OFF != 0 {
            return 0;
        }
        let ticks = self.timer.clock.scale().ticks(nanoseconds);
        if ticks > i64::MAX as u64 {
            return self.fail(Error::BadDuration);
        }
        let Some(target) = self.open(request, state) else { return self.last_code() };
        if self.total_of(target.index, state / EPOCH).checked_add(ticks).is_none() {
            return self.fail(Error::BadDuration);
        }
        self.add(target.index, (ticks, 0), self.timer.start_before(ticks), state / EPOCH)
    }

    /// Enters a section that is on no stack; the null one when refused.
    pub(crate) fn detach(self, request: &Request<'_>) -> Detached {
        let state = self.region.wide(header::STATE).load();
        if state as u32 & flag::OFF != 0 {
            return Detached::NULL;
        }
        let Some(target) = self.open(request, state) else { return Detached::NULL };
        Detached {
            start: self.timer.clock.now(),
            epoch: state / EPOCH,
            owner: self.timer.serial(),
            section: target.index,
        }
    }

    /// Records a detached section of which `nested` ticks belong to what ran inside it. 0 or an
    /// error's code.
    pub(crate) fn finish(self, detached: &Detached, nested: u64) -> u32 {
        if detached.owner == 0 {
            return 0;
        }
        let now = self.timer.clock.now();
        let state = self.region.wide(header::STATE).load();
        if !self.catch_up(state) {
            return self.refuse_interrupting();
        }
        if !self.knows(detached.path()) {
            return self.fail(Error::OtherTimer);
        }
        if detached.epoch != state / EPOCH {
            return 0;
        }
        let elapsed = match elapsed(detached.start, now, self.timer.clock.width()) {
            Elapsed::Forward(elapsed) => elapsed,
            Elapsed::Back => self.stepped_back(),
        };
        // Its category took effect when it was entered, and stays what it is now.
        let category = self.category_of(detached.section);
        if !self.ready_slot(detached.section, category, state / EPOCH, false) {
            return self.refuse_interrupting();
        }
        self.add(detached.section, (elapsed, nested), detached.start, state / EPOCH)
    }

    /// Exits in every case that the hot path leaves out. 0 or an error's code.
    #[inline(never)]
    pub(crate) fn exit_general(self, token: Token) -> u32 {
        if token.is_null() {
            return 0;
        }
        #[cfg(all(feature = "std", not(loom)))]
        if token.is_of_set() {
            return crate::host::fan::exit(token).unwrap_or_else(|error| self.refuse_exit(error));
        }
        self.exit_open(token).unwrap_or_else(|| self.refuse(token))
    }

    /// The offset of the frame of a token; `None` where it is not open here.
    #[inline(always)]
    pub(crate) fn frame_of_token(self, token: Token) -> Option<u32> {
        let frames = self.lane.word(at::FRAMES).load(Relaxed); // Relaxed: own, as below
        let mut found = self.lane.word(at::TOP).load(Relaxed);
        while found > frames {
            if self.lane.at(found as usize).wide(frame::TOKEN).load() & !Token::MARK == token.0 {
                return Some(found);
            }
            found -= frame::BYTES as u32;
        }
        None
    }

    /// Exits the section of a token. 0 or an error's code; `None` where it is not open here.
    pub(crate) fn exit_open(self, token: Token) -> Option<u32> {
        let now = self.timer.clock.now();
        self.frame_of_token(token).map(|found| self.close_to(found, now).0)
    }

    /// Records and pops the frame at `found`, and takes off what is still open inside it. 0 or an
    /// error's code, and the ticks that the section took.
    #[inline(always)]
    pub(crate) fn close_to(self, found: u32, now: u64) -> (u32, u64) {
        let top = self.lane.word(at::TOP).load(Relaxed); // Relaxed: own, as below
        let section =
            |at: u32| self.lane.at(at as usize).word(frame::NODE).load(Relaxed) & INDEX_MASK;
        let unclosed =
            (found < top).then(|| Error::Unclosed { outer: section(found), inner: section(top) });
        if unclosed.is_some() {
            self.catch_up(self.region.wide(header::STATE).load());
            self.discard_to(found);
        }
        let (code, elapsed) = self.close(found, now);
        if unclosed.is_some() {
            #[cfg(all(feature = "std", not(loom)))]
            crate::host::set::settle_thread();
        }
        (unclosed.map_or(code, |error| self.fail(error)), elapsed)
    }

    /// Takes off what is still open above the frame at `found`, and counts it as unclosed.
    pub(crate) fn discard_to(self, found: u32) {
        let mut top = self.lane.word(at::TOP).load(Relaxed); // Relaxed: own
        while top > found {
            // Sections that were closed inside it were nested in what is around it.
            let inner = self.lane.at(top as usize).wide(frame::CHILDREN).load();
            self.count_loss(loss::UNCLOSED, 1);
            self.pop(top, inner);
            top -= frame::BYTES as u32;
        }
    }

    /// Records and pops the top frame. 0 or an error's code, and the ticks that the section took.
    fn close(self, top: u32, now: u64) -> (u32, u64) {
        let frame = self.lane.at(top as usize);
        let elapsed = match elapsed(frame.wide(frame::START).load(), now, self.timer.clock.width())
        {
            Elapsed::Forward(elapsed) => elapsed,
            Elapsed::Back => self.stepped_back(),
        };
        let mut code = 0;
        if frame.word(frame::CATEGORY).load(Relaxed) & DISCARDED == 0 {
            let index = frame.word(frame::NODE).load(Relaxed) & INDEX_MASK; // Relaxed: own
            let epoch = self.lane.wide(at::STATE).load() / EPOCH;
            let (children, start) =
                (frame.wide(frame::CHILDREN).load(), frame.wide(frame::START).load());
            code = self.add(index, (elapsed, children), start, epoch);
        }
        self.pop(top, elapsed);
        (code, elapsed)
    }

    /// What the slot of a section that was just made current holds.
    fn total_of(self, index: u32, epoch: u64) -> u64 {
        if self.is_late() {
            return late::total(self, index, epoch);
        }
        slot_of::<S>(self.lane, index).wide(slot::TOTAL).load()
    }

    /// Adds a duration, of which nested sections took `children`, that began at `start`. 0, or an
    /// error's code.
    pub(crate) fn add(
        self,
        index: u32,
        (elapsed, children): (u64, u64),
        start: u64,
        epoch: u64,
    ) -> u32 {
        if self.is_late() {
            late::add(self, index, elapsed, children, epoch);
        } else if !keeping::add::<S>(
            self.lane,
            &self.timer.layout,
            index,
            (elapsed, children),
            start,
        ) {
            return self.refuse_interrupting();
        }
        0
    }

    pub(crate) fn stepped_back(self) -> u64 {
        self.count_loss(loss::STEPS_BACK, 1);
        0
    }

    pub(crate) fn refuse(self, token: Token) -> u32 {
        let mine = self.lane.wide(at::NEXT).load();
        let foreign = (mine ^ token.0) & Token::PLACE != 0;
        self.refuse_exit(if foreign { Error::OtherContext } else { Error::NotOpen })
    }

    /// Counts and keeps that a token is not open here.
    pub(crate) fn refuse_exit(self, error: Error) -> u32 {
        self.catch_up(self.region.wide(header::STATE).load());
        self.count_loss(loss::NOT_OPEN, 1);
        self.fail(error)
    }

    /// Keeps an error in the lane, for whoever asks why; gives its code.
    pub(crate) fn fail(self, error: Error) -> u32 {
        let (first, second) = error.details();
        // Relaxed: own.
        self.lane.word(at::ERROR_CODE).store(error.code(), Relaxed);
        self.lane.word(at::ERROR_FIRST).store(first, Relaxed);
        self.lane.word(at::ERROR_SECOND).store(second, Relaxed);
        error.code()
    }

    /// The last error of this lane.
    pub(crate) fn last_error(self) -> Option<Error> {
        let word = |offset| self.lane.word(offset).load(Relaxed); // Relaxed: own
        Error::from_words(word(at::ERROR_CODE), word(at::ERROR_FIRST), word(at::ERROR_SECOND))
    }

    /// Forgets it.
    #[cfg_attr(not(feature = "std"), allow(dead_code))]
    pub(crate) fn forget_error(self) {
        self.lane.word(at::ERROR_CODE).store(0, Relaxed); // Relaxed: own
    }

    pub(crate) fn last_code(self) -> u32 {
        self.lane.word(at::ERROR_CODE).load(Relaxed) // Relaxed: own
    }

    pub(crate) fn count_loss(self, counter: usize, by: u64) {
        if self.is_late() {
            // Relaxed: a counter.
            self.region.wide(header::LATE_LOSSES + 8 * counter).add(by, Relaxed);
        } else {
            let word = self.lane.wide(at::LOSSES + 8 * counter);
            word.store(word.load() + by);
        }
    }

    pub(crate) fn is_late(self) -> bool {
        self.lane.word(at::KIND).load(Relaxed) & kind::LATE != 0 // Relaxed: own
    }

    /// Whether enter and exit of this lane always take the general path.
    pub(crate) fn is_general(self) -> bool {
        self.is_late() || !self.timer.clock.is_fast() || site_owner(self.timer.serial()) == 0
    }

    /// The node of a section: what frames and sites hold.
    pub(crate) fn node(self, index: u32) -> u32 {
        (site_owner(self.timer.serial()) << INDEX_BITS) | index
    }
}

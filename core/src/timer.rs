//! Enter and exit: the hot path on one page, and the timer it belongs to.
//!
//! Enter reads the timer's STATE, the top frame and the call site's word; when all say "as before"
//! it pushes a frame and is done. Exit compares the token with the top frame's, adds the duration to
//! the section's slot, and pops. Everything else (a new path, another parent, a clear, rules, an
//! unclosed section, a clock that must be asked for its width) is the *general* path, one
//! out-of-line call that does the whole operation (`general.rs`).

use core::marker::PhantomData;

use crate::clock::{Clock, Elapsed, elapsed};
use crate::context::{INDEX_MASK, PARENT_SHIFT, Site, SiteWords, Token};
use crate::keeping::exit_keeping;
use crate::lane::{self, slot_of};
use crate::layout::{Layout, frame, header, lane as at, slot};
use crate::names::Name;
use crate::opening::Request;
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Relaxed, Release, SiteBits, compiler_fence, fence};

/// Flags in the low bits of STATE.
pub(crate) mod flag {
    /// Enter does nothing.
    pub(crate) const OFF: u32 = 1;
    /// There are rules to check.
    pub(crate) const RULES: u32 = 2;
    /// Only in a lane's own copy: its enters always take the general path.
    pub(crate) const GENERAL: u32 = 8;
    pub(crate) const MASK: u64 = 15;
}
/// One epoch in STATE.
pub(crate) const EPOCH: u64 = 16;

/// A timer: a region, how it is laid out, and the clock it reads.
///
/// `S` is the form of its slots ([`Line`](crate::Line) on hosts), `C` its clock.
#[derive(Debug)]
pub struct Timer<S: Shape, C: Clock> {
    pub(crate) region: Memory<'static>,
    pub(crate) layout: Layout,
    pub(crate) clock: C,
    /// Goes first: the process's rules are not written into memory that was given back.
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) membership: Option<crate::host::rules::Membership>,
    #[cfg(feature = "std")]
    pub(crate) allocation: Option<crate::host::memory::Allocation>,
    pub(crate) shape: PhantomData<S>,
}

/// One writer at work: a timer, its region, and the memory of a stack with the slots behind it.
///
/// A copyable view; that one thread or handler at a time uses it is its holder's promise.
#[derive(Debug)]
pub(crate) struct Lane<'t, S: Shape, C: Clock> {
    pub(crate) timer: &'t Timer<S, C>,
    pub(crate) region: Memory<'t>,
    pub(crate) lane: Memory<'t>,
}

impl<S: Shape, C: Clock> Clone for Lane<'_, S, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Shape, C: Clock> Copy for Lane<'_, S, C> {}

/// What a frame is pushed with.
pub(crate) struct Opening {
    pub(crate) node: u32,
    pub(crate) category: u32,
    /// [`Token::MARK`] where exit must take the general path, else 0.
    pub(crate) mark: u64,
}

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// Enters the section of a call site; the null token when it was not entered.
    #[inline(always)]
    pub(crate) fn enter_at(self, site: &Site) -> Token {
        // `move` hands on one pointer, and what it points to is read only where it is needed.
        self.enter_words(&site.words, move || Some((Name::plain(site.name), site.category)))
    }

    /// Enters what `words` remember; `names` spells it where they don't, or refuses.
    #[inline(always)]
    pub(crate) fn enter_words<'n>(
        self,
        words: &SiteWords,
        names: impl FnOnce() -> Option<(Name<'n>, &'n str)>,
    ) -> Token {
        let lane = self.lane;
        // Relaxed: a clear or switch takes effect when it is seen; nothing is read through it.
        let state = self.region.wide(header::STATE).load();
        if state as u32 & flag::OFF != 0 {
            return Token::NULL;
        }
        let top = lane.word(at::TOP).load(Relaxed); // Relaxed: the owner's own write
        let parent = lane.at(top as usize).word(frame::NODE).load(Relaxed); // Relaxed: as above
        let bits = words.first();
        let (section, category) = SiteWords::split(bits);
        if state != lane.wide(at::STATE).load()
            || bits >> PARENT_SHIFT != SiteBits::from(parent)
            // Relaxed: the owner's own writes; only now is the section known to be of this timer.
            || slot_of::<S>(lane, section).word(slot::STAMP).load(Relaxed)
                != lane.word(at::ERA).load(Relaxed) | category
            || top == lane.word(at::LIMIT).load(Relaxed)
        {
            return enter_elsewhere(self.timer, lane, words, names);
        }
        let node = parent & !INDEX_MASK | section;
        self.push(top, Opening { node, category, mark: 0 }, C::fast_now)
    }

    /// Pushes a frame above `top` and starts its time.
    #[inline(always)]
    pub(crate) fn push(self, top: u32, opening: Opening, now: impl Fn(&C) -> u64) -> Token {
        let token = self.lane.wide(at::NEXT).load();
        self.lane.wide(at::NEXT).store(token.wrapping_add(Token::STEP));
        self.push_as(Token(token), top, opening, now)
    }

    /// As [`push`](Self::push), with a token that was never used before.
    #[inline(always)]
    pub(crate) fn push_as(
        self,
        token: Token,
        top: u32,
        opening: Opening,
        now: impl Fn(&C) -> u64,
    ) -> Token {
        let (lane, token) = (self.lane, token.0);
        let frame = lane.at(top as usize + frame::BYTES);
        // A handler from here on takes other tokens, so the check below notices if it used the frame.
        compiler_fence();
        let write = |start| {
            // Release opens the frame: a reader that sees this token sees the pop before it.
            frame.wide(frame::TOKEN).store_ordered(token | opening.mark, Release);
            // Release pairs with the fence in `gather_open`: who sees what follows sees the token.
            fence(Release);
            if S::STATISTICS.has_exclusive() {
                frame.wide(frame::CHILDREN).store(0);
            }
            frame.word(frame::NODE).store(opening.node, Relaxed); // Relaxed: TOP publishes
            frame.word(frame::CATEGORY).store(opening.category, Relaxed); // Relaxed: as above
            frame.wide(frame::START).store(start);
        };
        let start = now(&self.timer.clock);
        write(start);
        // Release closes the frame: a reader that sees this top sees the frame's words.
        lane.word(at::TOP).store(top + frame::BYTES as u32, Release);
        compiler_fence();
        if frame.wide(frame::TOKEN).load() != token | opening.mark {
            // A signal handler nested its own sections between the first write and TOP.
            write(start);
        }
        Token(token)
    }

    /// Exits the section of a token. 0, or the code of an error whose details the lane keeps.
    #[inline(always)]
    pub(crate) fn exit(self, token: Token) -> u32 {
        let lane = self.lane;
        let top = lane.word(at::TOP).load(Relaxed); // Relaxed: the owner's own write
        let frame = lane.at(top as usize);
        if frame.wide(frame::TOKEN).load() != token.0 {
            return exit_elsewhere(self.timer, lane, token);
        }
        let now = self.timer.clock.fast_now();
        let start = frame.wide(frame::START).load();
        let Elapsed::Forward(elapsed) = elapsed(start, now, self.timer.clock.fast_width()) else {
            return exit_elsewhere(self.timer, lane, token);
        };
        let node = frame.word(frame::NODE).load(Relaxed); // Relaxed: the owner's own write
        let exclusive = S::STATISTICS.has_exclusive();
        let children = if exclusive { frame.wide(frame::CHILDREN).load() } else { 0 };
        if !lane::is_plain(lane) {
            return exit_keeping(self.timer, lane, top, elapsed, children);
        }
        lane::write::<S>(lane, node & INDEX_MASK, elapsed, children, 0, || ());
        self.pop(top, elapsed);
        0
    }

    /// Gives the parent its child's time and takes the top frame off.
    #[inline(always)]
    pub(crate) fn pop(self, top: u32, elapsed: u64) {
        let below = top - frame::BYTES as u32;
        if S::STATISTICS.has_exclusive() {
            let children = self.lane.at(below as usize).wide(frame::CHILDREN);
            children.store(children.load().wrapping_add(elapsed));
        }
        // Release: a reader that sees the frame gone sees its time in the slot.
        self.lane.word(at::TOP).store(below, Release);
    }
}

/// The way from the hot path to the general one. It takes what registers hold, so that the hot path
/// need not have a `Lane` in memory.
#[cold]
#[inline(never)]
fn enter_elsewhere<'n, S: Shape, C: Clock>(
    timer: &Timer<S, C>,
    lane: Memory<'_>,
    words: &SiteWords,
    names: impl FnOnce() -> Option<(Name<'n>, &'n str)>,
) -> Token {
    let Some((name, category)) = names() else { return Token::NULL };
    let request = Request { name, category, words: Some(words), under: None, is_checked: false };
    Lane { timer, region: timer.region, lane }.enter_general(&request)
}

/// As [`enter_elsewhere`], for exit.
#[cold]
#[inline(never)]
fn exit_elsewhere<S: Shape, C: Clock>(timer: &Timer<S, C>, lane: Memory<'_>, token: Token) -> u32 {
    if token.is_null() {
        return 0; // nothing was entered: the timer is switched off, or it was refused
    }
    Lane { timer, region: timer.region, lane }.exit_general(token)
}

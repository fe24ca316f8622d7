//! Switch: the section of a token ends and its sibling begins, at one reading of the clock.
//!
//! Phases that follow each other need a reading each instead of two, and leave no gap: the tick that ends
//! one starts the next. The *sibling* is beneath the path that the ended section is beneath, which
//! for one entered beneath a path is not the section around it on the stack.

use crate::clock::{Clock, Elapsed, elapsed};
use crate::context::{INDEX_MASK, PARENT_SHIFT, Path, Site, SiteWords, Token};
use crate::counter::Counter;
use crate::error::Error;
use crate::handle::{Context, request};
use crate::lane::{self, slot_of};
use crate::layout::{frame, header, lane as at, slot};
use crate::names::Name;
use crate::opening::Request;
use crate::paths;
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Relaxed, SiteBits};
use crate::timer::{Lane, Opening, Timer, flag};

/// What a switch came to: the next section's token, and 0 or an error's code.
pub(crate) type Switched = (Token, u32);

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// Ends the section of a token and enters the one that `words` remember; `names` spells it where
    /// they don't, or refuses.
    ///
    /// The hot path: the innermost section ends, and the site was entered beneath its parent before.
    #[inline(always)]
    pub(crate) fn switch_words<'n>(
        self,
        token: Token,
        words: &SiteWords,
        names: impl FnOnce() -> Option<(Name<'n>, &'n str)>,
    ) -> Switched {
        let lane = self.lane;
        // Relaxed, here and below: as in `enter_words` and `exit`.
        let state = self.region.wide(header::STATE).load();
        let top = lane.word(at::TOP).load(Relaxed);
        let frame = lane.at(top as usize);
        let node = frame.word(frame::NODE).load(Relaxed);
        let index = node & INDEX_MASK;
        if frame.wide(frame::TOKEN).load() != token.0
            || state != lane.wide(at::STATE).load()
            || index > self.timer.layout.config.sections
            || !lane::is_plain(lane)
        {
            return switch_elsewhere(self.timer, lane, token, words, names);
        }
        let owner = node & !INDEX_MASK;
        let parent = owner | paths::parent(self.region, &self.timer.layout, index);
        let bits = words.first();
        let (section, category) = SiteWords::split(bits);
        if bits >> PARENT_SHIFT != SiteBits::from(parent)
            || slot_of::<S>(lane, section).word(slot::STAMP).load(Relaxed)
                != lane.word(at::ERA).load(Relaxed) | category
        {
            return switch_elsewhere(self.timer, lane, token, words, names);
        }
        let now = self.timer.clock.fast_now();
        let start = frame.wide(frame::START).load();
        let Elapsed::Forward(elapsed) = elapsed(start, now, self.timer.clock.fast_width()) else {
            return switch_elsewhere(self.timer, lane, token, words, names);
        };
        let exclusive = S::STATISTICS.has_exclusive();
        let children = if exclusive { frame.wide(frame::CHILDREN).load() } else { 0 };
        lane::write::<S>(lane, index, elapsed, children, 0, || ());
        let nested = self.nested_below(top).wrapping_add(elapsed);
        self.pop(top, elapsed);
        let below = top - frame::BYTES as u32;
        let next = self.push(below, Opening { node: owner | section, category, mark: 0 }, |_| now);
        self.take_in(top, nested);
        (next, 0)
    }

    /// The nested time that the frame below the one at `top` holds.
    #[inline(always)]
    fn nested_below(self, top: u32) -> u64 {
        if !S::STATISTICS.has_exclusive() {
            return 0;
        }
        self.lane.at(top as usize - frame::BYTES).wide(frame::CHILDREN).load()
    }

    /// What a signal handler nested in the frame below while neither section was on the stack happened in
    /// the new one's time, and reduces that one's exclusive time instead.
    #[inline(always)]
    fn take_in(self, top: u32, nested: u64) {
        if !S::STATISTICS.has_exclusive() {
            return;
        }
        // The new frame stands, so a handler from here on nests in it and leaves the one below alone.
        let below = self.lane.at(top as usize - frame::BYTES).wide(frame::CHILDREN);
        let between = below.load().wrapping_sub(nested);
        if between != 0 {
            below.store(nested);
            let mine = self.lane.at(top as usize).wide(frame::CHILDREN);
            mine.store(mine.load().wrapping_add(between));
        }
    }

    /// Switches in every case that the hot path leaves out.
    #[inline(never)]
    pub(crate) fn switch_general(self, token: Token, request: &Request<'_>) -> Switched {
        let state = self.region.wide(header::STATE).load();
        let is_off = state as u32 & flag::OFF != 0;
        if token.is_null() {
            let next = self.enter_general(request);
            let is_refused = next.is_null() && self.timer.is_enabled() && !is_off;
            return (next, if is_refused { self.last_code() } else { 0 });
        }
        let now = self.timer.clock.now();
        // What went to several timers is not one context's to switch.
        let found = if token.is_of_set() { None } else { self.frame_of_token(token) };
        let Some(found) = found else {
            let code = self.refuse(token);
            // It is still the other context's to exit.
            let is_foreign = code == Error::OtherContext.code();
            return (if is_foreign { token } else { Token::NULL }, code);
        };
        let frame = |position: u32| self.lane.at(position as usize);
        let section = |position: u32| frame(position).word(frame::NODE).load(Relaxed) & INDEX_MASK;
        let below = section(found - frame::BYTES as u32);
        let parent = match section(found) {
            named if named <= self.timer.layout.config.sections => {
                paths::parent(self.region, &self.timer.layout, named)
            }
            // One without a path does not know its parent: the section around it.
            _ => below,
        };
        let under = (parent != below).then(|| Path { owner: self.timer.serial(), section: parent });
        let before = self.nested_below(found);
        let (code, elapsed) = self.close_to(found, now);
        if is_off {
            return (Token::NULL, code);
        }
        let next = self.enter_at_reading(&Request { under, ..*request }, Some(now));
        if next.is_null() {
            // Refused, unless it was switched off just now.
            let is_off = !self.timer.is_enabled();
            return (next, if is_off { code } else { self.last_code() });
        }
        self.take_in(found, before.wrapping_add(elapsed));
        (next, code)
    }
}

/// The way from the hot path to the general one, as in `timer.rs`.
#[cold]
#[inline(never)]
fn switch_elsewhere<'n, S: Shape, C: Clock>(
    timer: &Timer<S, C>,
    lane: Memory<'_>,
    token: Token,
    words: &SiteWords,
    names: impl FnOnce() -> Option<(Name<'n>, &'n str)>,
) -> Switched {
    let lane = Lane { timer, region: timer.region, lane };
    match names() {
        Some((name, category)) => {
            let request =
                Request { name, category, words: Some(words), under: None, is_checked: false };
            lane.switch_general(token, &request)
        }
        // The front end has said why; the section ends all the same.
        None => (Token::NULL, lane.exit_general(token)),
    }
}

impl<S: Shape, C: Clock> Context<'_, S, C> {
    /// Exits the section of `token` and enters its sibling `name`, at one reading of the clock: no time
    /// passes between them. `token` becomes the next section's, or the null one where it was not
    /// entered; only another context's stays.
    ///
    /// The sibling is beneath the path that the exited section was beneath. The null token has nothing to
    /// exit: the section is entered beneath the innermost open one, as the first phase, or the one behind a
    /// phase that was refused. While the timer is switched off the section is exited and none entered.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use xtimer_core::{Config, ManualClock, Timer};
    ///
    /// let clock = ManualClock::new(64);
    /// let timer = Timer::with_clock(Config::HOST, &clock).unwrap();
    /// let context = timer.context().unwrap();
    /// let mut phase = context.enter("load", "io").unwrap();
    /// clock.advance(3);
    /// context.switch(&mut phase, "compute", "cpu").unwrap();
    /// clock.advance(4);
    /// context.exit(phase).unwrap();
    /// let snapshot = timer.snapshot().unwrap();
    /// assert_eq!(snapshot.section(&["load"]).unwrap().total(), 3);
    /// assert_eq!(snapshot.section(&["compute"]).unwrap().total(), 4);
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotOpen`], [`Error::OtherContext`]: no such section is open; nothing was exited or
    /// entered. [`Error::Forbidden`], [`Error::TooDeep`]: it was exited and recorded, and the next one not
    /// entered. [`Error::Unclosed`]: the next one was entered, and sections still open inside the exited
    /// one were discarded.
    pub fn switch(&self, token: &mut Token, name: &str, category: &str) -> Result<(), Error> {
        let request = request(name, category, None);
        self.switched(token, self.lane.switch_general(*token, &request))
    }

    /// As [`switch`](Self::switch), by a call site: about one clock reading, where the site was entered
    /// before beneath the same parent.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use xtimer_core::{Config, HostTimer, Site, Token};
    ///
    /// static LOAD: Site = Site::new("load", "io");
    /// static COMPUTE: Site = Site::new("compute", "cpu");
    /// let timer = HostTimer::new(Config::HOST).unwrap();
    /// let context = timer.context().unwrap();
    /// let mut phase = Token::NULL;
    /// for _ in 0..3 {
    ///     context.switch_at(&mut phase, &LOAD).unwrap();
    ///     context.switch_at(&mut phase, &COMPUTE).unwrap();
    /// }
    /// context.exit(phase).unwrap();
    /// assert_eq!(timer.snapshot().unwrap().section(&["compute"]).unwrap().count(), 3);
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`switch`](Self::switch).
    #[inline]
    pub fn switch_at(&self, token: &mut Token, site: &Site) -> Result<(), Error> {
        let names = move || Some((Name::plain(site.name), site.category));
        self.switched(token, self.lane.switch_words(*token, &site.words, names))
    }

    /// As [`switch`](Self::switch), to the counted section `name[index]`.
    ///
    /// # Errors
    /// As [`switch`](Self::switch).
    pub fn switch_counted(
        &self,
        token: &mut Token,
        name: &str,
        index: i64,
        category: &str,
    ) -> Result<(), Error> {
        let counter = Counter::new(index);
        let name = Name { base: name.as_bytes(), suffix: counter.as_bytes() };
        let request = Request { name, ..request("", category, None) };
        self.switched(token, self.lane.switch_general(*token, &request))
    }

    #[inline(always)]
    fn switched(&self, token: &mut Token, (next, code): Switched) -> Result<(), Error> {
        *token = next;
        if code == 0 { Ok(()) } else { self.done(code) }
    }

    /// As [`enter_words`](Self::enter_words): the next section's token, and 0 or an error's code.
    #[doc(hidden)]
    pub fn switch_words<'n>(
        &self,
        token: Token,
        words: &SiteWords,
        names: impl FnOnce() -> Option<(&'n str, &'n str)>,
    ) -> (Token, u32) {
        let names = move || names().map(|(name, category)| (Name::plain(name), category));
        self.lane.switch_words(token, words, names)
    }
}

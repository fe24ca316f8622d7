//! The general path: whole enters and exits for every case that the hot path leaves out.

use crate::category;
use crate::clock::{Clock, Elapsed, elapsed};
use crate::context::{Detached, INDEX_MASK, Path, SiteWords, Token, site_owner};
use crate::error::Error;
use crate::lane::{self, ERA, ERA_BITS, birth_of, is_founded, slot_of};
use crate::late;
use crate::layout::{frame, header, lane as at, loss, slot};
use crate::names::{self, Name};
use crate::paths;
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Acquire, CATEGORY_BITS, INDEX_BITS, Relaxed, Release, SiteBits, fence};
use crate::timer::{EPOCH, Lane, Opening, flag};

/// Set in a frame's category: its section is not recorded (it was open at a clear, and its path was
/// entered anew since).
const DISCARDED: u32 = 1 << 31;

/// A lane's kind, a bit each.
pub(crate) mod kind {
    /// Slots are shared and added to with read-modify-write.
    pub(crate) const LATE: u32 = 1;
}

/// What is to be entered.
pub(crate) struct Request<'n> {
    pub(crate) name: Name<'n>,
    pub(crate) category: &'n str,
    pub(crate) words: Option<&'n SiteWords>,
    /// Beneath this path instead of the innermost open section.
    pub(crate) under: Option<Path>,
}

/// A section found for a request, ready to be entered.
struct Target {
    index: u32,
    category: u32,
}

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// Enters; the null token when refused, with the error kept in the lane.
    #[inline(never)]
    pub(crate) fn enter_general(self, request: &Request<'_>) -> Token {
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
        self.push(top, Opening { node, category: target.category, mark }, C::now)
    }

    /// Adds a duration of `nanoseconds` measured elsewhere. 0 or an error's code.
    pub(crate) fn record(self, request: &Request<'_>, nanoseconds: u64) -> u32 {
        let state = self.region.wide(header::STATE).load();
        if state as u32 & flag::OFF != 0 {
            return 0;
        }
        let Some(target) = self.open(request, state) else { return self.last_code() };
        let ticks = self.timer.clock.scale().ticks(nanoseconds);
        self.add(target.index, ticks, 0, state / EPOCH);
        0
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

    /// Records a detached section. 0 or an error's code.
    pub(crate) fn finish(self, detached: &Detached) -> u32 {
        if detached.owner == 0 {
            return 0;
        }
        let now = self.timer.clock.now();
        let state = self.region.wide(header::STATE).load();
        self.catch_up(state);
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
        self.ready_slot(detached.section, category, state / EPOCH, false);
        self.add(detached.section, elapsed, 0, state / EPOCH);
        0
    }

    /// Whether a path that a caller holds names a section of this timer, or a slot of lost ones.
    fn knows(self, path: Path) -> bool {
        let (layout, section) = (&self.timer.layout, path.section);
        let named = (1..=paths::used(self.region, layout)).contains(&section);
        let lost = 1 + layout.config.sections..layout.config.slots() as u32;
        path.owner == self.timer.serial() && (named || lost.contains(&section))
    }

    /// Catches up with a clear, finds the section, checks the rules, and makes its slot current:
    /// the part that every way of entering shares.
    fn open(self, request: &Request<'_>, state: u64) -> Option<Target> {
        self.catch_up(state);
        let top = self.lane.at(self.lane.word(at::TOP).load(Relaxed) as usize); // Relaxed: own
        let (parent, outer) = match request.under {
            None => {
                let node = top.word(frame::NODE).load(Relaxed); // Relaxed: own
                (node & INDEX_MASK, top.word(frame::CATEGORY).load(Relaxed) & !DISCARDED)
            }
            Some(Path { section: 0, .. }) => (0, category::NONE),
            Some(path) => {
                if !self.knows(path) {
                    self.fail(Error::OtherTimer);
                    return None;
                }
                (path.section, self.category_of(path.section))
            }
        };
        let parent_node = self.node(parent);
        let owned = site_owner(self.timer.serial()) != 0;
        let remembered =
            request.words.filter(|_| owned).and_then(|words| words.lookup(parent_node));
        let (layout, region) = (&self.timer.layout, self.region);
        let inner = match remembered {
            Some((_, category)) => category,
            None => self.intern_category(request.category),
        };
        if state as u32 & flag::RULES != 0
            && outer != category::NONE
            && category::forbids(region, layout, outer, inner)
        {
            self.count_loss(loss::REFUSED, 1);
            self.fail(Error::Forbidden { outer, inner });
            return None;
        }
        let index = match remembered {
            Some((section, _)) => section,
            None => match self.intern_path(parent, request.name) {
                Some(section) => {
                    if let Some(words) = request.words.filter(|_| owned) {
                        words.remember(parent_node, section, inner);
                    }
                    section
                }
                None => {
                    self.count_loss(loss::NO_SLOT, 1);
                    self.lost_slot(parent, request.under.is_some(), inner)
                }
            },
        };
        self.ready_slot(index, inner, state / EPOCH, true);
        Some(Target { index, category: inner })
    }

    fn intern_category(self, category: &str) -> u32 {
        let (layout, region) = (&self.timer.layout, self.region);
        if category == category::DEFAULT_CATEGORY {
            return category::DEFAULT;
        }
        category::intern(region, layout, category).unwrap_or_else(|| {
            // Relaxed: a counter.
            region.word(header::LOST_CATEGORIES).fetch_add(1, Relaxed);
            category::OTHER
        })
    }

    /// The section `name` beneath `parent`, or its base where the counted one does not fit.
    fn intern_path(self, parent: u32, name: Name<'_>) -> Option<u32> {
        let layout = &self.timer.layout;
        if parent > layout.config.sections {
            return None; // beneath a section without a path of its own
        }
        let whole = |name| {
            // A name for which there is no section left would only take others' room.
            let id = if paths::is_full(self.region, layout, self.lane) {
                names::find(self.region, layout, name)?
            } else {
                names::intern(self.region, layout, name)?
            };
            paths::intern(self.region, layout, self.lane, parent, id)
        };
        whole(name).or_else(|| {
            let base = if name.suffix.is_empty() { names::base_of(name.base)? } else { name.base };
            let section = whole(Name { base, suffix: &[] })?;
            self.count_loss(loss::BASE_NAME, 1);
            Some(section)
        })
    }

    /// The slot for a section whose path does not fit: of its category's three, the one that says
    /// what its time still belongs to.
    fn lost_slot(self, parent: u32, under: bool, category: u32) -> u32 {
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

    /// The latest category of a section, or the one that a slot without a path stands for.
    fn category_of(self, index: u32) -> u32 {
        let layout = &self.timer.layout;
        match index.checked_sub(1 + layout.config.sections) {
            Some(lost) => lost / 3,
            None => paths::change(self.region, layout, index).0,
        }
    }

    /// Makes this lane's slot current for the era, with the category last entered with.
    fn ready_slot(self, index: u32, category: u32, epoch: u64, entering: bool) {
        let layout = &self.timer.layout;
        let named = index <= layout.config.sections;
        // The category goes first: who sees the section recorded sees the category it was entered with.
        if self.is_late() {
            if named && entering {
                self.change_category(index, category, epoch);
            }
            late::ready(self, index, epoch);
            return;
        }
        let slot = slot_of::<S>(self.lane, index);
        let birth = birth_of(self.lane, layout, index);
        let era = self.lane.word(at::ERA).load(Relaxed); // Relaxed: own, as below
        let stamp = slot.word(slot::STAMP).load(Relaxed);
        if stamp == era | category {
            return;
        }
        let is_current = stamp >> CATEGORY_BITS == era >> CATEGORY_BITS;
        if is_current && !entering {
            return;
        }
        if named && entering {
            self.change_category(index, category, epoch);
        }
        if is_current {
            lane::restamp(slot, birth, era | category);
        } else {
            self.discard_open(Some(index));
            lane::begin::<S>(slot, birth, era | category, self.timer.ticket());
        }
    }

    fn change_category(self, section: u32, category: u32, epoch: u64) {
        let layout = &self.timer.layout;
        let seen = paths::seen(self.region, layout, section) == epoch + 1;
        if !seen || paths::change(self.region, layout, section).0 != category {
            paths::set_change(self.region, layout, section, category, self.timer.ticket());
        }
        if !seen {
            paths::set_seen(self.region, layout, section, epoch + 1);
        }
    }

    /// Frames (of this section, or all) that were open at a clear will not be recorded.
    fn discard_open(self, section: Option<u32>) {
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

    /// Brings the lane up to the region's epoch and flags.
    pub(crate) fn catch_up(self, state: u64) {
        let mine = self.lane.wide(at::STATE).load();
        let general = self.is_general() || state & flag::MASK != 0;
        let wanted = if general { state | u64::from(flag::GENERAL) } else { state };
        if mine == wanted {
            return;
        }
        if mine / EPOCH != state / EPOCH {
            // Release pairs with the fence in `gather`: who sees the era move, or a stamp go,
            // sees the epoch move.
            fence(Release);
            let era = self.lane.word(at::ERA).load(Relaxed); // Relaxed: own, as below
            if era >> CATEGORY_BITS == (1 << ERA_BITS) - 1 {
                self.forget_stamps();
            } else {
                self.lane.word(at::ERA).store(era + ERA, Relaxed);
            }
            if self.is_late() {
                self.discard_open(None);
            }
            for counter in 0..loss::COUNT {
                self.lane.wide(at::LOSSES + 8 * counter).store(0);
            }
        }
        // Release: a reader that sees this epoch sees the era that goes with it.
        self.lane.wide(at::STATE).store_ordered(wanted, Release);
    }

    /// Begins the eras again, once in 2^20 clears: no stamp of an earlier round is left.
    fn forget_stamps(self) {
        if !self.is_late() {
            for index in 0..self.timer.layout.config.slots() as u32 {
                slot_of::<S>(self.lane, index).word(slot::STAMP).store(0, Relaxed); // Relaxed: own
            }
        }
        self.lane.word(at::ERA).store(ERA, Relaxed); // Relaxed: own
    }

    /// Exits in every case that the hot path leaves out. 0 or an error's code.
    #[inline(never)]
    pub(crate) fn exit_general(self, token: Token) -> u32 {
        if token.is_null() {
            return 0;
        }
        let now = self.timer.clock.now();
        let frames = self.lane.word(at::FRAMES).load(Relaxed); // Relaxed: own, as below
        let top = self.lane.word(at::TOP).load(Relaxed);
        let mut found = top;
        loop {
            if found <= frames {
                return self.refuse(token);
            }
            if self.lane.at(found as usize).wide(frame::TOKEN).load() & !Token::MARK == token.0 {
                break;
            }
            found -= frame::BYTES as u32;
        }
        let section =
            |at: u32| self.lane.at(at as usize).word(frame::NODE).load(Relaxed) & INDEX_MASK;
        let unclosed =
            (found < top).then(|| Error::Unclosed { outer: section(found), inner: section(top) });
        if unclosed.is_some() {
            self.catch_up(self.region.wide(header::STATE).load());
            self.discard_to(found);
        }
        self.close(found, now);
        unclosed.map_or(0, |error| self.fail(error))
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

    /// Records and pops the top frame.
    fn close(self, top: u32, now: u64) {
        let frame = self.lane.at(top as usize);
        let elapsed = match elapsed(frame.wide(frame::START).load(), now, self.timer.clock.width())
        {
            Elapsed::Forward(elapsed) => elapsed,
            Elapsed::Back => self.stepped_back(),
        };
        if frame.word(frame::CATEGORY).load(Relaxed) & DISCARDED == 0 {
            let index = frame.word(frame::NODE).load(Relaxed) & INDEX_MASK; // Relaxed: own
            let epoch = self.lane.wide(at::STATE).load() / EPOCH;
            self.add(index, elapsed, frame.wide(frame::CHILDREN).load(), epoch);
        }
        self.pop(top, elapsed);
    }

    fn add(self, index: u32, elapsed: u64, children: u64, epoch: u64) {
        if self.is_late() {
            late::add(self, index, elapsed, children, epoch);
        } else {
            lane::add::<S>(slot_of::<S>(self.lane, index), elapsed, children);
        }
    }

    fn stepped_back(self) -> u64 {
        self.count_loss(loss::STEPS_BACK, 1);
        0
    }

    fn refuse(self, token: Token) -> u32 {
        self.catch_up(self.region.wide(header::STATE).load());
        self.count_loss(loss::NOT_OPEN, 1);
        let mine = self.lane.wide(at::NEXT).load();
        let foreign = (mine ^ token.0) & Token::PLACE != 0;
        self.fail(if foreign { Error::OtherContext } else { Error::NotOpen })
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

    fn last_code(self) -> u32 {
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
    fn is_general(self) -> bool {
        self.is_late() || !self.timer.clock.is_fast() || site_owner(self.timer.serial()) == 0
    }

    /// The node of a section: what frames and sites hold.
    pub(crate) fn node(self, index: u32) -> u32 {
        (site_owner(self.timer.serial()) << INDEX_BITS) | index
    }
}

const _: () = assert!(SiteBits::BITS >= 32);

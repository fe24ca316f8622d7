//! The part that every way of entering shares: find the section, check the rules, make its slot
//! current.

use crate::category;
use crate::clock::Clock;
use crate::context::{INDEX_MASK, Path, SiteWords, site_owner};
use crate::error::Error;
use crate::general::DISCARDED;
use crate::keeping;
use crate::lane::{self, birth_of, slot_of};
use crate::late;
use crate::layout::{frame, header, lane as at, loss, slot};
use crate::names::{self, Name};
use crate::paths;
use crate::shape::Shape;
use crate::sync::{CATEGORY_BITS, Relaxed};
use crate::timer::{EPOCH, Lane, flag};

/// What is to be entered.
#[derive(Clone, Copy)]
pub(crate) struct Request<'n> {
    pub(crate) name: Name<'n>,
    pub(crate) category: &'n str,
    pub(crate) words: Option<&'n SiteWords>,
    /// Beneath this path instead of the innermost open section.
    pub(crate) under: Option<Path>,
    /// The rules were checked before, in every timer that it goes to.
    pub(crate) is_checked: bool,
}

/// A section found for a request, ready to be entered.
pub(crate) struct Target {
    pub(crate) index: u32,
    pub(crate) category: u32,
}

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// Whether a path that a caller holds names a section of this timer, or a slot of lost ones.
    pub(crate) fn knows(self, path: Path) -> bool {
        let (layout, section) = (&self.timer.layout, path.section);
        // A reserved index is no section before a bucket publishes it.
        let named = (1..=paths::used(self.region, layout)).contains(&section)
            && paths::is_published(self.region, layout, section);
        let lost = 1 + layout.config.sections..layout.config.slots() as u32;
        path.owner == self.timer.serial() && (named || lost.contains(&section))
    }

    /// Catches up with a clear, finds the section, checks the rules, and makes its slot current:
    /// the part that every way of entering shares.
    pub(crate) fn open(self, request: &Request<'_>, state: u64) -> Option<Target> {
        if !self.catch_up(state) {
            self.refuse_interrupting();
            return None;
        }
        let Some((parent, outer)) = self.surroundings(request.under) else {
            self.fail(Error::OtherTimer);
            return None;
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
            && !request.is_checked
            && category::forbids(region, layout, outer, inner)
        {
            self.refuse_nesting(outer, inner);
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
        if !self.ready_slot(index, inner, state / EPOCH, true) {
            self.refuse_interrupting();
            return None;
        }
        Some(Target { index, category: inner })
    }

    /// The parent of what is entered, and the category that rules see around it; `None` where the path
    /// is another timer's.
    #[inline(always)]
    pub(crate) fn surroundings(self, under: Option<Path>) -> Option<(u32, u32)> {
        match under {
            None => {
                // Relaxed: own, as below.
                let top = self.lane.at(self.lane.word(at::TOP).load(Relaxed) as usize);
                let node = top.word(frame::NODE).load(Relaxed);
                Some((node & INDEX_MASK, top.word(frame::CATEGORY).load(Relaxed) & !DISCARDED))
            }
            Some(Path { section: 0, owner }) if owner == 0 || owner == self.timer.serial() => {
                Some((0, category::NONE))
            }
            Some(path) => self.knows(path).then(|| (path.section, self.category_of(path.section))),
        }
    }

    /// Counts and keeps that a rule refused this nesting.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse_nesting(self, outer: u32, inner: u32) {
        self.count_loss(loss::REFUSED, 1);
        // Relaxed: one word that says all.
        self.region.word(header::LAST_REFUSED).store(outer << CATEGORY_BITS | inner, Relaxed);
        self.fail(Error::Forbidden { outer, inner });
    }

    pub(crate) fn intern_category(self, category: &str) -> u32 {
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
    pub(crate) fn intern_path(self, parent: u32, name: Name<'_>) -> Option<u32> {
        if parent > self.timer.layout.config.sections {
            return None; // beneath a section without a path of its own
        }
        self.intern_whole(parent, name).or_else(|| self.intern_base(parent, name))
    }

    #[inline(always)]
    fn intern_whole(self, parent: u32, name: Name<'_>) -> Option<u32> {
        let layout = &self.timer.layout;
        // A name for which there is no section left would only take others' room.
        let id = if paths::is_full(self.region, layout, self.lane) {
            names::find(self.region, layout, name)?
        } else {
            names::intern(self.region, layout, name)?
        };
        paths::intern(self.region, layout, self.lane, parent, id)
    }

    #[cold]
    #[inline(never)]
    fn intern_base(self, parent: u32, name: Name<'_>) -> Option<u32> {
        let base = if name.suffix.is_empty() { names::base_of(name.base)? } else { name.base };
        let section = self.intern_whole(parent, Name { base, suffix: &[] })?;
        self.count_loss(loss::BASE_NAME, 1);
        Some(section)
    }

    /// The latest category of a section, or the one that a slot without a path stands for.
    pub(crate) fn category_of(self, index: u32) -> u32 {
        let layout = &self.timer.layout;
        match index.checked_sub(1 + layout.config.sections) {
            Some(lost) => lost / 3,
            None => paths::change(self.region, layout, index).0,
        }
    }

    /// Makes this lane's slot current for the era, with the category last entered with. False where a
    /// handler interrupted a change of that very slot.
    pub(crate) fn ready_slot(self, index: u32, category: u32, epoch: u64, entering: bool) -> bool {
        let layout = &self.timer.layout;
        let named = index <= layout.config.sections;
        // The category goes first: who sees the section recorded sees the category it was entered with.
        if self.is_late() {
            if named && entering {
                self.change_category(index, category, epoch);
            }
            late::ready(self, index, epoch);
            return true;
        }
        let slot = slot_of::<S>(self.lane, index);
        let birth = birth_of(self.lane, layout, index);
        // The stamp to be, and whether the slot is current already. Relaxed: own, both.
        let look = || {
            let stamp = slot.word(slot::STAMP).load(Relaxed);
            let wanted = self.lane.word(at::ERA).load(Relaxed) | category;
            let is_current = stamp >> CATEGORY_BITS == wanted >> CATEGORY_BITS;
            (wanted, is_current && (stamp == wanted || !entering), is_current)
        };
        if look().1 {
            return true;
        }
        lane::rewriting(self.lane, index, || {
            // Again: a handler may have entered it just now.
            let (stamp, is_done, is_current) = look();
            if is_done {
                return;
            }
            if named && entering {
                self.change_category(index, category, epoch);
            }
            if is_current {
                lane::restamp(slot, birth, stamp);
                return;
            }
            self.discard_open(Some(index));
            // One that was never entered has counted nothing.
            if layout.config.histograms && named && slot.wide(slot::COUNT).load() != 0 {
                keeping::forget(keeping::histogram_of(self.lane, layout, index));
            }
            lane::begin::<S>(slot, birth, stamp, self.timer.ticket());
        })
    }

    /// Refuses what a handler asks of the slot, or the era, that it interrupted a change of.
    pub(crate) fn refuse_interrupting(self) -> u32 {
        self.count_loss(loss::INTERRUPTED, 1);
        self.fail(Error::Busy)
    }

    pub(crate) fn change_category(self, section: u32, category: u32, epoch: u64) {
        let layout = &self.timer.layout;
        let seen = paths::seen(self.region, layout, section) == epoch + 1;
        if !seen || paths::change(self.region, layout, section).0 != category {
            paths::set_change(self.region, layout, section, category, self.timer.ticket());
        }
        if !seen {
            paths::set_seen(self.region, layout, section, epoch + 1);
        }
    }
}

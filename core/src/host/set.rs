//! A thread's timers: its context in each, which of them are enabled now, and since when.
//!
//! ```text
//! slots    a context in each timer that this thread uses; slot 0 is the default timer's
//! scopes   what `enable` began and nobody ended yet: a timer each, at the level where it began
//! levels   level 0 is the thread's own; each open section that was entered beneath a place of other
//!          timers begins a level, whose base is those timers
//! active   the innermost level's base and the timers of the scopes at this level
//! ```
//!
//! Changing slots and scopes may allocate, and holds signals back; levels and `active` change by plain
//! stores that a handler may interrupt. Nothing here knows of sections but by their tokens. `slots.rs`
//! fills and empties the slots.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::context::Token;
use crate::error::Error;
use crate::host::default::{self, ThreadLane};
use crate::host::place::MOST_ENABLED;
use crate::host::shared::SharedContext;
use crate::host::undisturbed::undisturbed;
use crate::sync::{AtomicU32, Relaxed, compiler_fence};

/// Timers that one thread can have a context in at the same time.
pub(crate) const SLOTS: usize = 128;
/// A set of slots, a bit each.
pub(crate) type Slots = u128;
/// The default timer's slot.
pub(crate) const DEFAULT: usize = 0;
/// Open sections that began a level, and the thread's own level.
const LEVELS: usize = 256;

/// A set of one slot.
pub(crate) const fn bit(slot: usize) -> Slots {
    1 << slot
}

/// The slots of a set, in order.
pub(crate) fn slots_of(mut set: Slots) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let slot = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (slot < SLOTS).then_some(slot)
    })
}

#[derive(Clone, Copy)]
pub(super) struct Level {
    /// The section's token; 0 for the thread's own level.
    token: u64,
    pub(super) base: Slots,
}

/// One timer enabled for a scope.
pub(super) struct Scope {
    id: u64,
    /// Token of the level where it began.
    level: u64,
    pub(super) slot: usize,
}

/// A thread's timers.
pub(crate) struct Set {
    /// Tells this thread's tokens from others'.
    number: u32,
    generation: Cell<u32>,
    pub(super) lanes: [Cell<Option<ThreadLane>>; SLOTS],
    /// What keeps the lanes. Slot 0 has none: the default timer's context is kept elsewhere.
    pub(super) contexts: RefCell<[Option<Rc<SharedContext>>; SLOTS]>,
    pub(super) scopes: RefCell<Vec<Scope>>,
    next_scope: Cell<u64>,
    pub(super) levels: [Cell<Level>; LEVELS],
    pub(super) top: Cell<usize>,
    active: Cell<Slots>,
    /// Calls at work with lanes: contexts stay meanwhile.
    pub(super) at_work: Cell<u32>,
    /// The last error, where the default timer's lane does not keep it, and the slot it is about.
    error: Cell<Option<(Option<usize>, Error)>>,
}

thread_local! {
    /// Without a destructor; `default.rs` keeps what it points to, and empties it.
    static SET: Cell<*const Set> = const { Cell::new(std::ptr::null()) };
}

/// This thread's timers, where it has ever had several.
pub(crate) fn current<'s>() -> Option<&'s Set> {
    let set = SET.try_with(Cell::get).ok()?;
    // SAFETY: set by `publish` and emptied by `withdraw` before the value goes, at the thread's end;
    // callers keep the reference for the time of a call on this thread.
    unsafe { set.as_ref() }
}

/// As [`current`], where sections go elsewhere than to the default timer alone.
pub(crate) fn fanning<'s>() -> Option<&'s Set> {
    current().filter(|set| set.is_fanning())
}

/// This thread's timers, made at their first use; `None` where the thread is ending.
pub(crate) fn made<'s>() -> Option<&'s Set> {
    current().or_else(|| {
        undisturbed(default::make_set);
        current()
    })
}

/// Lets this thread find its timers, which stay where they are until [`withdraw`].
pub(crate) fn publish(set: &Set) {
    let _ = SET.try_with(|cell| cell.set(std::ptr::from_ref(set)));
}

/// The thread is ending.
pub(crate) fn withdraw() {
    let _ = SET.try_with(|cell| cell.set(std::ptr::null()));
}

/// This thread's lane in the shared timer of a number.
pub(crate) fn lane_in(serial: u32) -> Option<ThreadLane> {
    let set = current()?;
    set.lanes[set.slot_of(serial)?].get()
}

/// A section was discarded: those that began a level may be among them.
pub(crate) fn settle_thread() {
    if let Some(set) = current() {
        set.settle();
    }
}

/// Counts a call at work.
pub(crate) struct AtWork<'s>(&'s Cell<u32>);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Set {
    pub(crate) fn new() -> Box<Self> {
        static THREADS: AtomicU32 = AtomicU32::new(1);
        // Relaxed: only the value matters.
        let number = THREADS.fetch_add(1, Relaxed) & Token::MOST_THREADS;
        Box::new(Self {
            number: number.max(1),
            generation: Cell::new(0),
            lanes: [const { Cell::new(None) }; SLOTS],
            contexts: RefCell::new([const { None }; SLOTS]),
            scopes: RefCell::new(Vec::new()),
            next_scope: Cell::new(1),
            levels: [const { Cell::new(Level { token: 0, base: 0 }) }; LEVELS],
            top: Cell::new(0),
            active: Cell::new(0),
            at_work: Cell::new(0),
            error: Cell::new(None),
        })
    }

    pub(crate) fn work(&self) -> AtWork<'_> {
        self.at_work.set(self.at_work.get() + 1);
        AtWork(&self.at_work)
    }

    /// The timers enabled now; empty: none.
    pub(crate) fn active(&self) -> Slots {
        self.active.get()
    }

    /// Whether sections go elsewhere than to the default timer alone.
    pub(crate) fn is_fanning(&self) -> bool {
        self.active.get() & !(bit(DEFAULT)) != 0
    }

    /// A token that was never given before.
    pub(crate) fn token(&self, timers: usize) -> Token {
        let generation = self.generation.get().wrapping_add(1);
        self.generation.set(generation);
        Token::of_set(generation, self.number, timers as u32)
    }

    /// Whether a token is one of this thread's.
    pub(crate) fn gave(&self, token: Token) -> bool {
        (token.0 as u32) >> 6 == self.number
    }

    /// The lanes of a set of slots.
    pub(crate) fn lanes(&self, slots: Slots) -> impl Iterator<Item = (usize, ThreadLane)> {
        slots_of(slots).filter_map(|slot| Some((slot, self.lanes[slot].get()?)))
    }

    /// The lanes of all slots.
    pub(crate) fn all_lanes(&self) -> impl Iterator<Item = (usize, ThreadLane)> {
        self.lanes(Slots::MAX)
    }

    /// Works out what is active, and whether the hot path may go straight to the default timer.
    fn sync(&self) {
        let level = self.levels[self.top.get()].get();
        let mut active = level.base;
        // Whoever changes the scopes holds signals back, so this does not fail.
        if let Ok(scopes) = self.scopes.try_borrow() {
            let here = scopes.iter().filter(|scope| scope.level == level.token);
            active = here.fold(active, |active, scope| active | bit(scope.slot));
        }
        self.active.set(active);
        compiler_fence();
        default::set_hot(!self.is_fanning());
    }

    /// Begins a level whose section has this token; false where there are too many.
    pub(crate) fn begin_level(&self, token: Token, base: Slots) -> bool {
        let next = self.top.get() + 1;
        let Some(cell) = self.levels.get(next) else { return false };
        let level = Level { token: token.0, base };
        cell.set(level);
        compiler_fence();
        self.top.set(next);
        compiler_fence();
        if cell.get().token != token.0 {
            cell.set(level); // a handler began and ended levels of its own in between
        }
        self.sync();
        true
    }

    /// Whether a level can begin.
    pub(crate) fn has_level(&self) -> bool {
        self.top.get() + 1 < LEVELS
    }

    /// Ends the innermost levels whose sections are not open any more.
    pub(crate) fn settle(&self) {
        let _work = self.work();
        let mut ended = false;
        while self.top.get() > 0 {
            let level = self.levels[self.top.get()].get();
            let token = Token(level.token);
            if self.lanes(level.base).any(|(_, lane)| lane.frame_of_token(token).is_some()) {
                break;
            }
            self.top.set(self.top.get() - 1);
            ended = true;
        }
        if ended {
            self.sync();
        }
    }

    /// Whether a token is that of the innermost level's section.
    pub(crate) fn is_level(&self, token: Token) -> bool {
        self.top.get() > 0 && self.levels[self.top.get()].get().token == token.0
    }

    /// Enables the timer of a slot until `end_scope`; the scope's number.
    pub(crate) fn begin_scope(&self, slot: usize) -> Result<u64, Error> {
        if (self.active.get() | bit(slot)).count_ones() as usize > MOST_ENABLED {
            return Err(Error::TooManyEnabled);
        }
        let level = self.levels[self.top.get()].get().token;
        let id = self.next_scope.get();
        undisturbed(|| {
            let mut scopes = self.scopes.try_borrow_mut().map_err(|_| Error::Busy)?;
            scopes.try_reserve(1).map_err(|_| Error::NoMemory)?;
            scopes.push(Scope { id, level, slot });
            self.next_scope.set(id + 1);
            drop(scopes);
            self.sync();
            Ok(id)
        })
    }

    /// Ends a scope; false where it ended before, or is another thread's.
    pub(crate) fn end_scope(&self, id: u64) -> bool {
        undisturbed(|| {
            let Ok(mut scopes) = self.scopes.try_borrow_mut() else { return false };
            let Some(index) = scopes.iter().rposition(|scope| scope.id == id) else {
                return false;
            };
            scopes.remove(index);
            drop(scopes);
            self.sync();
            self.sweep(0);
            true
        })
    }

    /// This thread's number, which scopes carry as well.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Keeps an error for whoever asks why.
    pub(crate) fn note(&self, slot: Option<usize>, error: Error) -> Error {
        default::forget_lane_error();
        self.error.set(Some((slot, error)));
        error
    }

    /// The last error, and the lane it is about.
    pub(crate) fn last_error(&self) -> Option<(Error, Option<ThreadLane>)> {
        let (slot, error) = self.error.get()?;
        Some((error, slot.and_then(|slot| self.lanes[slot].get())))
    }

    pub(crate) fn forget_error(&self) {
        self.error.set(None);
    }
}

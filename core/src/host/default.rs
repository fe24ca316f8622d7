//! The default timer, made at its first use, and a context in it for each thread.
//!
//! A thread's lane is found through one thread-local word triple without a destructor; a second
//! thread-local with one gives the lane back when the thread ends.

use std::cell::{Cell, OnceCell};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;

use crate::config::Config;
use crate::context::{Site, SiteWords, Token};
use crate::error::Error;
use crate::handle::Context;
use crate::host::clock::HostClock;
use crate::host::fan::{self, Targets};
use crate::host::set::{self, Set};
use crate::host::timer::HostTimer;
use crate::host::undisturbed::undisturbed;
use crate::names::Name;
use crate::opening::Request;
use crate::shape::Line;
use crate::sync::{AcqRel, Acquire, AtomicPtr};
use crate::timer::Lane;

pub(crate) type ThreadLane = Lane<'static, Line, HostClock>;
/// A thread's context in the default timer.
pub type ThreadContext = Context<'static, Line, HostClock>;

/// What an exit gives on a thread without a context: no [`Error::code`] is this.
pub(crate) const NO_CONTEXT: u32 = 36;

static DEFAULT: AtomicPtr<HostTimer> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// The lane that enter and exit go to at once; none on a thread's first use, and while other timers
    /// are enabled (`set.rs`). Without a destructor, so that reading it is one load.
    static LANE: Cell<Option<ThreadLane>> = const { Cell::new(None) };
    /// This thread's lane in the default timer, whatever is enabled.
    static KEPT: Cell<Option<ThreadLane>> = const { Cell::new(None) };
    /// With a destructor.
    static OWNER: Owner = const { Owner { context: OnceCell::new(), set: OnceCell::new() } };
}

/// Keeps a thread's contexts until the thread ends.
struct Owner {
    context: OnceCell<ThreadContext>,
    set: OnceCell<Box<Set>>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Sections timed by later destructors of this thread find no context, and are not recorded.
        undisturbed(|| {
            set::withdraw();
            let _ = LANE.try_with(|lane| lane.set(None));
            let _ = KEPT.try_with(|lane| lane.set(None));
        });
    }
}

/// The default timer; made with [`Config::HOST`] when it is first asked for. `None` where its memory
/// can't be had, or the rules of the process don't fit into it.
///
/// It does what the environment asks for: `XTIMER_DISABLE=1` switches it off, `XTIMER_REPORT=path` writes
/// its report when the process ends, `XTIMER_REPORT_EVERY=10` every ten seconds as well.
///
/// ```
/// let timer = xtimer_core::default_timer().unwrap();
/// timer.set_enabled(false);
/// let guard = xtimer_core::section!("unseen");
/// assert!(!guard.is_entered());
/// timer.set_enabled(true);
/// assert!(timer.snapshot().unwrap().is_empty());
/// ```
pub fn default_timer() -> Option<&'static HostTimer> {
    // Acquire pairs with the Release below.
    let timer = DEFAULT.load(Acquire);
    // SAFETY: what is stored below is never freed.
    if let Some(timer) = unsafe { timer.as_ref() } {
        return Some(timer);
    }
    match set_default_timer(HostTimer::new(Config::HOST).ok()?) {
        Ok(timer) => Some(timer),
        // A rival's.
        Err(_) => existing(),
    }
}

/// Makes `timer` the default one, where there is none yet; else gives it back.
///
/// ```
/// use xtimer_core::{Config, HostTimer, default_timer, section, set_default_timer};
///
/// // Before anything is timed: it has the capacities, and the clock, that the program wants.
/// let small = Config { sections: 100, ..Config::HOST };
/// set_default_timer(HostTimer::new(small).unwrap()).unwrap();
/// drop(section!("work"));
/// assert_eq!(default_timer().unwrap().config().sections, 100);
/// assert!(set_default_timer(HostTimer::new(small).unwrap()).is_err());
/// ```
///
/// # Errors
/// The timer: there is a default one already.
pub fn set_default_timer(timer: HostTimer) -> Result<&'static HostTimer, Box<HostTimer>> {
    let fresh = Box::into_raw(Box::new(timer));
    // Release publishes the timer.
    match DEFAULT.compare_exchange(ptr::null_mut(), fresh, AcqRel, Acquire) {
        Ok(_) => {
            // SAFETY: just made, never freed.
            let timer = unsafe { &*fresh };
            obey_environment(timer);
            Ok(timer)
        }
        // SAFETY: `fresh` is a Box of ours that nobody else has seen.
        Err(_) => Err(unsafe { Box::from_raw(fresh) }),
    }
}

/// Does what `XTIMER_REPORT` and its like ask for.
#[cfg(unix)]
fn obey_environment(timer: &'static HostTimer) {
    use super::{ending, environment};
    let wishes = environment::Wishes::read();
    if wishes.disabled {
        timer.set_enabled(false);
    }
    if let Some(target) = wishes.report {
        ending::set_up(timer, target, wishes.every);
    }
}
/// Nothing is asked for.
#[cfg(not(unix))]
fn obey_environment(_timer: &'static HostTimer) {}

/// The default timer, if it was ever used.
pub(crate) fn existing() -> Option<&'static HostTimer> {
    // SAFETY: as in `default_timer`; Acquire pairs with its Release.
    unsafe { DEFAULT.load(Acquire).as_ref() }
}

/// This thread's lane in the default timer, if it has one.
pub(crate) fn lane_of_thread() -> Option<ThreadLane> {
    KEPT.try_with(Cell::get).ok().flatten()
}

/// Gives this thread a context, if it can have one.
#[cold]
#[inline(never)]
fn attach() {
    // A handler in between would find the destructor registered twice, or half a lane.
    undisturbed(|| {
        let _ = OWNER.try_with(|owner| {
            if owner.context.get().is_none() {
                let _ = owner.context.set(default_timer()?.context().ok()?);
            }
            KEPT.set(Some(owner.context.get()?.lane));
            set_hot(set::fanning().is_none());
            Some(())
        });
    });
}

/// Says whether enter and exit go to the default timer's lane at once.
pub(crate) fn set_hot(is_hot: bool) {
    let _ = LANE.try_with(|lane| lane.set(lane_of_thread().filter(|_| is_hot)));
}

/// Makes this thread's `Set`, where the thread is not ending. Signals are held back.
pub(crate) fn make_set() {
    let _ = OWNER.try_with(|owner| set::publish(owner.set.get_or_init(Set::new)));
}

/// This thread's lane in the default timer, claimed where it has none yet.
#[inline(always)]
pub(crate) fn lane() -> Option<ThreadLane> {
    let lane = KEPT.get();
    if lane.is_some() {
        return lane;
    }
    attach();
    KEPT.get()
}

/// Enters a section of the default timer by its call site; the null token where it was not entered.
///
/// ```
/// use xtimer_core::{Site, enter_at, exit};
///
/// static LOAD: Site = Site::new("load", "io");
/// let token = enter_at(&LOAD);
/// assert_eq!(exit(token), 0);
/// assert_eq!(exit(token), xtimer_core::Error::NotOpen.code());
/// ```
#[inline(always)]
pub fn enter_at(site: &Site) -> Token {
    match LANE.get() {
        Some(lane) => lane.enter_at(site),
        None => {
            let names = move || Some((Name::plain(site.name), site.category));
            enter_first(&site.words, names, || {})
        }
    }
}

/// A thread's first enter, and any where other timers are enabled. As with the hot path's other
/// exceptions it does the whole operation, so that the hot path has nothing to keep across a call.
#[cold]
#[inline(never)]
fn enter_first<'n>(
    words: &SiteWords,
    names: impl FnOnce() -> Option<(Name<'n>, &'n str)>,
    no_context: impl FnOnce(),
) -> Token {
    if let Some(set) = set::fanning() {
        let Some((name, category)) = names() else { return Token::NULL };
        let (words, under) = (Some(words), None);
        let request = Request { name, category, words, under, is_checked: false };
        return Targets::active(set, None).enter(&request).unwrap_or(Token::NULL);
    }
    let Some(lane) = lane() else {
        no_context();
        return Token::NULL;
    };
    lane.enter_words(words, names)
}

/// Exits a section of this thread in the default timer. 0, or an error's code (see
/// [`Error::code`](crate::Error::code)); [`with_thread`] tells its details. 36 where the thread can't
/// have a context (it is ending, or there is no memory) and the token is not null.
///
/// ```
/// let token = xtimer_core::with_thread(|context| context.enter("load", "io")).unwrap().unwrap();
/// assert_eq!(xtimer_core::exit(token), 0);
/// assert_eq!(xtimer_core::exit(xtimer_core::Token::NULL), 0);
/// ```
#[inline(always)]
pub fn exit(token: Token) -> u32 {
    match LANE.get() {
        Some(lane) => lane.exit(token),
        None => exit_first(token),
    }
}

/// An exit on a thread that entered nothing yet, or has other timers enabled.
#[cold]
#[inline(never)]
fn exit_first(token: Token) -> u32 {
    if token.is_of_set() {
        return fan::exit_here(token);
    }
    match lane() {
        Some(lane) => lane.exit(token),
        None if token.is_null() => 0,
        None => NO_CONTEXT,
    }
}

/// Enters what a front end's call site remembers; `names` spells it out only where that fails, or
/// refuses; `no_context` hears of a thread that can't have a context.
#[doc(hidden)]
#[inline(always)]
pub fn enter_words<'n>(
    words: &SiteWords,
    names: impl FnOnce() -> Option<(&'n str, &'n str)>,
    no_context: impl FnOnce(),
) -> Token {
    let names = move || names().map(|(name, category)| (Name::plain(name), category));
    match LANE.get() {
        Some(lane) => lane.enter_words(words, names),
        None => enter_first(words, names, no_context),
    }
}

/// Calls `work` with this thread's context in the default timer, whatever is enabled. `None` where it
/// has none: its memory can't be had, or the thread is ending.
///
/// ```
/// use xtimer_core::with_thread;
///
/// let depth = with_thread(|context| {
///     let load = context.enter("load", "io").unwrap();
///     context.record("packet", "network", 800).unwrap();
///     let depth = context.depth();
///     context.exit(load).unwrap();
///     depth
/// });
/// assert_eq!(depth, Some(1));
/// ```
pub fn with_thread<R>(work: impl FnOnce(&ThreadContext) -> R) -> Option<R> {
    let lane = lane()?;
    // The thread's owner drops the context, not this borrowed form of it.
    let context = ManuallyDrop::new(Context { lane, stack: None, not_sync: PhantomData });
    Some(work(&context))
}

/// The last error of this thread in the default timer; claims no lane.
#[doc(hidden)]
pub fn thread_error() -> Option<Error> {
    lane_of_thread()?.last_error()
}

/// Forgets this thread's last error: a front end has a newer one to tell of.
#[doc(hidden)]
pub fn forget_thread_error() {
    forget_lane_error();
    if let Some(set) = set::current() {
        set.forget_error();
    }
}

/// Forgets the last error of this thread in the default timer.
pub(crate) fn forget_lane_error() {
    if let Some(lane) = lane_of_thread() {
        lane.forget_error();
    }
}

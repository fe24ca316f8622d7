//! Timers enabled for a scope: sections timed in it go to each of them, instead of the default one.

use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use crate::config::Config;
use crate::error::Error;
use crate::host::set::{self, Set};
use crate::host::shared::{self, SharedContext};
use crate::host::timer::HostTimer;

/// A timer is enabled on this thread for as long as this lives. Made by [`HostTimer::enable`].
///
/// Its end restores what was enabled before, also where scopes end out of order: what the others enabled
/// stays. Sections that are open by then stay open, in the timers that they went to. Forgotten
/// (`mem::forget`), it leaves the timer enabled until the thread ends.
#[derive(Debug)]
#[must_use = "bind it: let _enabled = timer.enable()?; the scope ends where it is dropped"]
pub struct Enabled {
    scope: u64,
    /// It ends on the thread where it began.
    not_send: PhantomData<*const ()>,
}

impl Drop for Enabled {
    fn drop(&mut self) {
        if let Some(set) = set::current() {
            set.end_scope(self.scope);
        }
    }
}

/// A scope begun on this thread with the slot that `slot` gives.
fn begin(slot: impl FnOnce(&Set) -> Result<usize, Error>) -> Result<u64, Error> {
    let set = set::made().ok_or(Error::NoContext)?;
    slot(set).and_then(|slot| set.begin_scope(slot)).map_err(|error| set.note(None, error))
}

fn guard(scope: u64) -> Enabled {
    Enabled { scope, not_send: PhantomData }
}

impl HostTimer {
    /// A timer that can be enabled, and held by several threads.
    ///
    /// # Errors
    /// As [`HostTimer::new`].
    pub fn shared(config: Config) -> Result<Arc<Self>, Error> {
        share(Self::new(config)?)
    }

    /// Enables this timer on the calling thread until the guard is dropped: sections timed there go to
    /// each timer that is enabled (up to eight, once each), and not to the default one.
    ///
    /// Nested, it adds to what is enabled. It is inherited by sections entered beneath a
    /// [`Place`](crate::Place) on other threads. A section exits the timers that it entered, whatever
    /// is enabled by then; one that a timer refuses is recorded by none. Enter and exit take the
    /// general path meanwhile, once for each timer. A thread's first use of a timer allocates.
    ///
    /// ```
    /// use xtimer_core::{Config, HostTimer, section};
    ///
    /// let (run, step) = (HostTimer::shared(Config::HOST)?, HostTimer::shared(Config::HOST)?);
    /// let _run = run.enable()?;
    /// {
    ///     let _step = step.enable()?;
    ///     drop(section!("forward")); // in both
    /// }
    /// drop(section!("save")); // in `run` alone
    /// assert_eq!(run.snapshot()?.sections().count(), 2);
    /// assert_eq!(step.snapshot()?.sections().count(), 1);
    /// # Ok::<(), xtimer_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooManyEnabled`]: eight others are; [`Error::NoLane`], [`Error::NoMemory`]: there is no
    /// context to be had in it; [`Error::NoContext`]: the thread is ending; [`Error::Busy`]: a signal
    /// handler interrupts a call. Nothing changed.
    pub fn enable(self: &Arc<Self>) -> Result<Enabled, Error> {
        begin(|set| set.slot(self)).map(guard)
    }

    /// Does `work` with this timer enabled.
    ///
    /// # Errors
    /// As [`enable`](Self::enable); then `work` was not done.
    pub fn enabled<R>(self: &Arc<Self>, work: impl FnOnce() -> R) -> Result<R, Error> {
        let _enabled = self.enable()?;
        Ok(work())
    }
}

/// Enables the default timer as [`HostTimer::enable`] does others: beside them, it gets what they get.
///
/// # Errors
/// As [`HostTimer::enable`].
pub fn enable_default() -> Result<Enabled, Error> {
    begin(Set::default_slot).map(guard)
}

/// Makes a timer one that can be enabled and found by its number.
///
/// # Errors
/// [`Error::NoMemory`]; [`Error::Busy`] in a signal handler that interrupts such a call.
#[doc(hidden)]
pub fn share(timer: HostTimer) -> Result<Arc<HostTimer>, Error> {
    let timer = Arc::new(timer);
    shared::register(&timer)?;
    Ok(timer)
}

/// This thread's context in a shared timer, the same that enabling uses; for front ends.
///
/// # Errors
/// As [`HostTimer::enable`].
#[doc(hidden)]
pub fn shared_context(timer: &Arc<HostTimer>) -> Result<Rc<SharedContext>, Error> {
    set::made().ok_or(Error::NoContext)?.context(timer)
}

/// Gives back this thread's contexts that nothing needs any more; for front ends.
#[doc(hidden)]
pub fn sweep_contexts() {
    if let Some(set) = set::current() {
        super::undisturbed::undisturbed(|| set.sweep(0));
    }
}

/// Begins a scope for a front end without guards: its thread's number and its own. The default timer
/// where none is given.
///
/// # Errors
/// As [`HostTimer::enable`].
#[doc(hidden)]
pub fn begin_scope(timer: Option<&Arc<HostTimer>>) -> Result<(u32, u64), Error> {
    let scope = begin(|set| match timer {
        Some(timer) => set.slot(timer),
        None => set.default_slot(),
    })?;
    Ok((set::current().map_or(0, Set::number), scope))
}

/// Ends such a scope.
///
/// # Errors
/// [`Error::OtherContext`]: it is another thread's; [`Error::NotOpen`]: it ended before. Nothing
/// changed.
#[doc(hidden)]
pub fn end_scope(thread: u32, scope: u64) -> Result<(), Error> {
    match set::current() {
        Some(set) if set.number() == thread => {
            if set.end_scope(scope) {
                Ok(())
            } else {
                Err(Error::NotOpen)
            }
        }
        _ => Err(Error::OtherContext),
    }
}

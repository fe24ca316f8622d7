//! A thread's contexts in the timers that C made, kept until the thread ends or the timer goes.

use std::cell::{Cell, OnceCell, UnsafeCell};
use std::rc::Rc;
use std::sync::atomic::{Ordering::SeqCst, compiler_fence};

use xtimer_core::{Error, SharedContext, ThreadContext, Token, thread};

use crate::error::{Code, Failure, refuse, refuse_core};
use crate::table::{self, ENTRIES, Reference};
use crate::timer::TimerHandle;

/// A thread's context in any timer of this process.
pub(crate) type HostContext = ThreadContext;

/// A context and the timer it belongs to; the context goes first.
struct Held {
    timer: TimerHandle,
    context: Rc<SharedContext>,
    _reference: Reference,
}

/// A thread's contexts, by entry of the table.
struct Contexts {
    entries: OnceCell<Box<[UnsafeCell<Option<Held>>; ENTRIES]>>,
    /// Calls at work with a context, or changing the entries: contexts stay meanwhile, also when a
    /// signal handler destroys their timer.
    at_work: Cell<u32>,
}

thread_local! {
    static CONTEXTS: Contexts =
        const { Contexts { entries: OnceCell::new(), at_work: Cell::new(0) } };
}

/// How far a thread's `CONTEXTS` are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Making {
    Not,
    /// A call is making them: a signal handler that interrupts it must not allocate.
    Now,
    Done,
}

thread_local! {
    /// Without a destructor, so that its first use allocates nothing.
    static MAKING: Cell<Making> = const { Cell::new(Making::Not) };
}

/// Makes this thread's contexts at its first use; false while that is under way.
#[inline]
fn is_made() -> bool {
    match MAKING.get() {
        Making::Done => true,
        Making::Now => false,
        Making::Not => {
            MAKING.set(Making::Now);
            compiler_fence(SeqCst);
            // Registers the destructor and gets the entries. A thread that is ending has neither.
            let _ = CONTEXTS.try_with(|contexts| {
                contexts.entries();
            });
            compiler_fence(SeqCst);
            MAKING.set(Making::Done);
            true
        }
    }
}

/// Counts a call at work.
struct AtWork<'c>(&'c Cell<u32>);

impl<'c> AtWork<'c> {
    fn begin(cell: &'c Cell<u32>) -> Self {
        cell.set(cell.get() + 1);
        Self(cell)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// Works with this thread's context of a timer, which it gets at its first use.
pub(crate) fn with<R>(
    timer: TimerHandle,
    work: impl FnOnce(&HostContext) -> Result<Result<R, Error>, Failure>,
) -> Result<R, Failure> {
    let told = |outcome: Result<Result<R, Error>, Failure>| {
        outcome?.map_err(|error| refuse_core(timer, error))
    };
    if timer == TimerHandle::DEFAULT {
        return match xtimer_core::with_thread(|context| work(context)) {
            Some(outcome) => told(outcome),
            None => Err(no_context()),
        };
    }
    if !table::is_good(timer) {
        sweep();
        return Err(match table::get(timer) {
            Ok(_) => no_context(),
            Err(failure) => failure,
        });
    }
    if !is_made() {
        return Err(no_context());
    }
    match CONTEXTS.try_with(|contexts| contexts.with(timer, work)) {
        Ok(outcome) => told(outcome?),
        Err(_) => Err(no_context()),
    }
}

/// Does what functions without a timer do: in the timers that are enabled on this thread, or in the
/// default one.
pub(crate) fn here<R>(call: impl FnOnce() -> Option<Result<R, Error>>) -> Result<R, Failure> {
    match call() {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => {
            Err(thread::sentence(error, |sentence| refuse(Code::of(error), sentence)))
        }
        None => Err(no_context()),
    }
}

/// Enters with a context; the null token where the timer is switched off.
pub(crate) fn enter(
    timer: TimerHandle,
    work: impl FnOnce(&HostContext) -> Token,
) -> Result<Token, Failure> {
    with(timer, |context| {
        // What is found afterwards is this call's.
        context.forget_error();
        let token = work(context);
        Ok(match context.last_error() {
            Some(error) if token.is_null() => Err(error),
            _ => Ok(token),
        })
    })
}

/// Refuses what a thread without a context asks for.
#[cold]
#[inline(never)]
pub(crate) fn no_context() -> Failure {
    refuse(
        Code::NoContext,
        format_args!(
            "This thread has no context: it is ending, or all lanes are taken and the timer has no late \
             contexts, or memory could not be had."
        ),
    )
}

/// Notes the same as the thread's last error, for calls without a status.
#[cold]
#[inline(never)]
pub(crate) fn note_no_context() {
    no_context();
}

impl Contexts {
    fn with<R>(
        &self,
        timer: TimerHandle,
        work: impl FnOnce(&HostContext) -> R,
    ) -> Result<R, Failure> {
        let Some(index) = table::index_of(timer) else { return Err(no_context()) };
        let entry = &self.entries()[index];
        // SAFETY: the thread's own; entries are written only while nothing is at work.
        let stands = unsafe { &*entry.get() }.as_ref().is_some_and(|held| held.timer == timer);
        if !stands {
            self.attach(entry, timer)?;
        }
        let _work = AtWork::begin(&self.at_work);
        // SAFETY: as above; it stays while this call is at work.
        match unsafe { &*entry.get() } {
            Some(held) => Ok(work(&held.context)),
            None => Err(no_context()),
        }
    }

    fn entries(&self) -> &[UnsafeCell<Option<Held>>; ENTRIES] {
        self.entries.get_or_init(|| Box::new([const { UnsafeCell::new(None) }; ENTRIES]))
    }

    #[cold]
    fn attach(&self, entry: &UnsafeCell<Option<Held>>, timer: TimerHandle) -> Result<(), Failure> {
        if self.at_work.get() != 0 {
            return Err(refuse(
                Code::Busy,
                format_args!(
                    "A signal handler cannot be the first to use a timer on a thread that \
                              is in the middle of a call."
                ),
            ));
        }
        let _work = AtWork::begin(&self.at_work);
        self.drop_destroyed();
        let reference = table::get(timer)?;
        let shared = reference.shared().ok_or_else(no_context)?;
        let context =
            xtimer_core::shared_context(&shared).map_err(|error| refuse_core(timer, error))?;
        // SAFETY: nothing else was at work, and handlers keep away now; no reference is out.
        unsafe { *entry.get() = Some(Held { timer, context, _reference: reference }) };
        Ok(())
    }

    /// Gives back the contexts of destroyed timers. Only while nothing uses one.
    fn drop_destroyed(&self) {
        for entry in self.entries.get().into_iter().flat_map(|entries| entries.iter()) {
            // SAFETY: the thread's own, and no reference is out.
            let held = unsafe { &mut *entry.get() };
            if held.as_ref().is_some_and(|held| !table::is_good(held.timer)) {
                *held = None;
            }
        }
    }
}

/// Gives back this thread's contexts in timers that were destroyed, unless a call is at work.
pub(crate) fn sweep() {
    if MAKING.get() != Making::Done {
        return;
    }
    let _ = CONTEXTS.try_with(|contexts| {
        if contexts.at_work.get() == 0 {
            let _work = AtWork::begin(&contexts.at_work);
            contexts.drop_destroyed();
        }
    });
    xtimer_core::sweep_contexts();
}

/// In the child of a fork: brings the table and its timers up to the one thread that is left.
pub(crate) fn start_clean() {
    if MAKING.get() != Making::Done {
        table::start_clean(|_| false);
        return;
    }
    let cleaned = CONTEXTS.try_with(|contexts| {
        table::start_clean(|index| {
            let Some(entries) = contexts.entries.get() else { return false };
            // SAFETY: the thread's own; fork was called by this thread, outside of attach.
            unsafe { &*entries[index].get() }.is_some()
        });
    });
    if cleaned.is_err() {
        table::start_clean(|_| false);
    }
}

//! Timers enabled for a scope: what functions without a timer go to instead of the default one.

use xtimer_core::{begin_scope, end_scope};

use crate::error::{Code, Failure, Status, refuse};
use crate::timer::TimerHandle;
use crate::{guard, held, table};

/// That a timer is enabled on a thread, from xtimer_enable_begin to xtimer_enable_end. A value; all
/// zero: nothing is enabled.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnabledHandle {
    /// The library's own, as both fields.
    pub thread: u64,
    /// Which.
    pub scope: u64,
}

/// Enables a timer on this thread until xtimer_enable_end: what functions without a timer begin, record
/// or detach there goes to each timer that is enabled, and not to the default one. (Whether a timer
/// records at all is xtimer_timer_set_enabled's.)
///
/// Up to eight may be enabled, once each, xtimer_default() among them; nested, one adds to the others.
/// It is inherited by sections begun beneath a path of xtimer_current_path on other threads. A section
/// ends in the timers that it was begun in, whatever is enabled by then; one that a timer refuses is
/// recorded by none, and xtimer_last_error names the culprit. Functions with a timer are not concerned.
///
/// On success what xtimer_enable_end takes back is written to `enabled`. XTIMER_STATUS_TOO_MANY_ENABLED:
/// eight others are enabled; XTIMER_STATUS_NO_LANE, XTIMER_STATUS_NO_MEMORY: this thread can't have a
/// context in it. A thread's first use of a timer allocates. Any thread; not from a signal handler,
/// where it is refused (XTIMER_STATUS_BUSY) if it interrupts a call. A begin and end take some 100 ns for
/// each timer meanwhile; signal handlers may call them, and nest in each timer where they interrupt it.
///
/// # Safety
/// `enabled` is NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_enable_begin(
    timer: TimerHandle,
    enabled: *mut EnabledHandle,
) -> Status {
    guard::status(|| {
        if enabled.is_null() {
            let sentence = format_args!("The place for the result is NULL.");
            return Err(refuse(Code::InvalidArgument, sentence));
        }
        let reference = table::get(timer)?;
        if timer != TimerHandle::DEFAULT {
            // The thread's context there is the one that functions with a timer use.
            held::with(timer, |_| Ok(Ok(())))?;
        }
        let (thread, scope) = begin_scope(reference.shared().as_ref()).map_err(of_thread)?;
        // SAFETY: not NULL, may be written.
        unsafe { enabled.write(EnabledHandle { thread: thread.into(), scope }) };
        Ok(())
    })
}

/// Ends what xtimer_enable_begin began; what is then enabled is what it was without it, also where
/// scopes end out of order. Sections that are open stay open. All zero is ignored.
///
/// XTIMER_STATUS_NOT_OPEN: it ended before; XTIMER_STATUS_OTHER_CONTEXT: it is another thread's. Nothing
/// changed. A thread that ends ends its own. On the thread that began it; not from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_enable_end(enabled: EnabledHandle) -> Status {
    guard::status(|| {
        if enabled == (EnabledHandle { thread: 0, scope: 0 }) {
            return Ok(());
        }
        let thread = u32::try_from(enabled.thread).unwrap_or(0);
        end_scope(thread, enabled.scope).map_err(|error| {
            refuse(
                Code::of(error),
                match error {
                    xtimer_core::Error::NotOpen => {
                        format_args!("The timer is not enabled any more: its scope ended before.")
                    }
                    _ => format_args!("The timer was enabled on another thread; end it there."),
                },
            )
        })?;
        held::sweep();
        Ok(())
    })
}

fn of_thread(error: xtimer_core::Error) -> Failure {
    match error {
        xtimer_core::Error::Busy => refuse(
            Code::Busy,
            format_args!("A signal handler cannot enable a timer in the middle of a call."),
        ),
        error => refuse(Code::of(error), format_args!("{error}")),
    }
}

//! Durations measured elsewhere: a GPU event, a device's counter, a line of a log.

use std::ffi::c_char;
use std::fmt::Display;

use xtimer_core::{Error, Token as CoreToken, thread};

use crate::error::{Code, Failure, Status, refuse};
use crate::section::{PathHandle, Token};
use crate::timer::TimerHandle;
use crate::{guard, held, text};

/// Records where functions without a timer do.
///
/// # Safety
/// Each string is NULL or ends with a zero.
unsafe fn here(
    name: *const c_char,
    category: *const c_char,
    duration: impl Display,
    record: impl FnOnce(&str, &str) -> Option<Result<(), Error>>,
) -> Status {
    guard::status(|| {
        // SAFETY: as the caller promises.
        let (name, category) = unsafe { text::section(name, category) }?;
        let outcome = match record(name, category) {
            Some(outcome) => Some(named(name, duration, outcome)?),
            None => None,
        };
        held::here(|| outcome)
    })
}

/// Adds a duration of `nanoseconds` to the section `name` inside this thread's innermost open
/// section of the default timer, as if it had been timed once.
///
/// It does not reduce the exclusive time of the section it is in. Rules are checked:
/// XTIMER_STATUS_FORBIDDEN. NULL for `category` means "default". Any thread, signal handlers
/// included.
///
/// # Safety
/// Each string is NULL or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_record_ns(
    name: *const c_char,
    category: *const c_char,
    nanoseconds: u64,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        here(name, category, nanoseconds, |name, category| {
            thread::record(name, category, nanoseconds)
        })
    }
}

/// As xtimer_record_ns, in a timer of your own.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_record_ns(
    timer: TimerHandle,
    name: *const c_char,
    category: *const c_char,
    nanoseconds: u64,
) -> Status {
    guard::status(|| {
        held::with(timer, |context| {
            // SAFETY: as the caller promises.
            let (name, category) = unsafe { text::section(name, category) }?;
            named(name, nanoseconds, context.record(name, category, nanoseconds))
        })
    })
}

/// As xtimer_record_ns, with a duration in seconds. XTIMER_STATUS_BAD_DURATION: it is negative, not
/// a number, or longer than 2^64 ns; nothing was recorded.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_record_seconds(
    name: *const c_char,
    category: *const c_char,
    seconds: f64,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        here(name, category, seconds, |name, category| {
            thread::record_seconds(name, category, seconds)
        })
    }
}

/// As xtimer_record_seconds, in a timer of your own.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_record_seconds(
    timer: TimerHandle,
    name: *const c_char,
    category: *const c_char,
    seconds: f64,
) -> Status {
    guard::status(|| {
        held::with(timer, |context| {
            // SAFETY: as the caller promises.
            let (name, category) = unsafe { text::section(name, category) }?;
            named(name, seconds, context.record_seconds(name, category, seconds))
        })
    })
}

/// As xtimer_record_ns, into the section `name` beneath a path instead of the innermost open section.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_record_beneath_ns(
    parent: PathHandle,
    name: *const c_char,
    category: *const c_char,
    nanoseconds: u64,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        here(name, category, nanoseconds, |name, category| {
            thread::record_beneath(&parent.place(), name, category, nanoseconds)
        })
    }
}

/// As xtimer_record_beneath_ns, in a timer of your own, whose path it is.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_record_beneath_ns(
    timer: TimerHandle,
    parent: PathHandle,
    name: *const c_char,
    category: *const c_char,
    nanoseconds: u64,
) -> Status {
    guard::status(|| {
        held::with(timer, |context| {
            // SAFETY: as the caller promises.
            let (name, category) = unsafe { text::section(name, category) }?;
            let parent = parent.place().path_in(context);
            named(name, nanoseconds, context.record_beneath(parent, name, category, nanoseconds))
        })
    })
}

/// As xtimer_record_beneath_ns, with a duration in seconds, as xtimer_record_seconds takes it.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_record_beneath_seconds(
    parent: PathHandle,
    name: *const c_char,
    category: *const c_char,
    seconds: f64,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        here(name, category, seconds, |name, category| {
            thread::record_beneath_seconds(&parent.place(), name, category, seconds)
        })
    }
}

/// As xtimer_record_beneath_seconds, in a timer of your own, whose path it is.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_record_beneath_seconds(
    timer: TimerHandle,
    parent: PathHandle,
    name: *const c_char,
    category: *const c_char,
    seconds: f64,
) -> Status {
    guard::status(|| {
        held::with(timer, |context| {
            // SAFETY: as the caller promises.
            let (name, category) = unsafe { text::section(name, category) }?;
            let parent = parent.place().path_in(context);
            named(name, seconds, context.record_beneath_seconds(parent, name, category, seconds))
        })
    })
}

/// As xtimer_record_ns, into the section `name` inside an open section of this thread by its token,
/// the innermost or not. The token 0 is ignored, as in xtimer_end: what was not begun has no
/// sections in it.
///
/// XTIMER_STATUS_NOT_OPEN: it has ended; XTIMER_STATUS_OTHER_CONTEXT: it is another thread's. Nothing
/// was recorded.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_record_in_ns(
    parent: Token,
    name: *const c_char,
    category: *const c_char,
    nanoseconds: u64,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        here(name, category, nanoseconds, |name, category| {
            thread::record_in(CoreToken::from_bits(parent), name, category, nanoseconds)
        })
    }
}

/// As xtimer_record_in_ns, in a timer of your own.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_record_in_ns(
    timer: TimerHandle,
    parent: Token,
    name: *const c_char,
    category: *const c_char,
    nanoseconds: u64,
) -> Status {
    guard::status(|| {
        held::with(timer, |context| {
            // SAFETY: as the caller promises.
            let (name, category) = unsafe { text::section(name, category) }?;
            named(
                name,
                nanoseconds,
                context.record_in(CoreToken::from_bits(parent), name, category, nanoseconds),
            )
        })
    })
}

/// As xtimer_record_in_ns, with a duration in seconds, as xtimer_record_seconds takes it.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_record_in_seconds(
    parent: Token,
    name: *const c_char,
    category: *const c_char,
    seconds: f64,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        here(name, category, seconds, |name, category| {
            thread::record_in_seconds(CoreToken::from_bits(parent), name, category, seconds)
        })
    }
}

/// As xtimer_record_in_seconds, in a timer of your own.
///
/// # Safety
/// As for xtimer_record_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_record_in_seconds(
    timer: TimerHandle,
    parent: Token,
    name: *const c_char,
    category: *const c_char,
    seconds: f64,
) -> Status {
    guard::status(|| {
        held::with(timer, |context| {
            // SAFETY: as the caller promises.
            let (name, category) = unsafe { text::section(name, category) }?;
            let parent = CoreToken::from_bits(parent);
            named(name, seconds, context.record_in_seconds(parent, name, category, seconds))
        })
    })
}

/// Names the section of a duration that is none.
fn named(
    name: &str,
    duration: impl Display,
    outcome: Result<(), Error>,
) -> Result<Result<(), Error>, Failure> {
    match outcome {
        Err(Error::BadDuration) => Err(refuse(
            Code::BadDuration,
            format_args!(
                "The duration of '{name}', {duration}, is negative, not a number, or too long."
            ),
        )),
        outcome => Ok(outcome),
    }
}

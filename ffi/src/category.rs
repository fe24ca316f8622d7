//! Categories: forbidden nestings and totals.

use std::ffi::c_char;

use crate::error::{Code, Failure, Status, refuse, refuse_core};
use crate::timer::TimerHandle;
use crate::{guard, table, text};

/// Forbids sections of category `inner` directly inside sections that were begun with category
/// `outer`, in every timer of the process, those made later included.
///
/// Such a begin returns 0, and xtimer_last_error names both categories. NULL means "default". A rule
/// that stands already is no error. Rules survive xtimer_clear, and a fork in its child.
/// XTIMER_STATUS_RULES_FULL: it did not fit into some timer, or could not into the default one, which
/// is not made for it; the other timers keep it. Any thread; not from a signal handler.
///
/// # Safety
/// Each string is NULL or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_forbid(outer: *const c_char, inner: *const c_char) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_forbid(TimerHandle::DEFAULT, outer, inner) }
}

/// As xtimer_forbid, in this timer alone (with xtimer_default: in all).
///
/// # Safety
/// As for xtimer_forbid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_forbid(
    timer: TimerHandle,
    outer: *const c_char,
    inner: *const c_char,
) -> Status {
    guard::status(|| {
        // SAFETY: as the caller promises.
        let (outer, inner) = unsafe { (text::category(outer)?, text::category(inner)?) };
        match timer {
            TimerHandle::DEFAULT => xtimer_core::forbid(outer, inner).map_err(of_process),
            timer => {
                let reference = table::get(timer)?;
                reference.forbid(outer, inner).map_err(|error| refuse_core(timer, error))
            }
        }
    })
}

/// An error that is no timer's: its sentence needs no names, and makes no default timer.
fn of_process(error: xtimer_core::Error) -> Failure {
    refuse(Code::of(error), format_args!("{error}"))
}

/// Drops the rules of the process; those that a timer of your own added for itself stay. Any thread;
/// not from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_clear_rules() -> Status {
    xtimer_timer_clear_rules(TimerHandle::DEFAULT)
}

/// Drops the rules that this timer added for itself; those of the process stay (with xtimer_default:
/// as xtimer_clear_rules).
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_clear_rules(timer: TimerHandle) -> Status {
    guard::status(|| match timer {
        TimerHandle::DEFAULT => xtimer_core::clear_rules().map_err(of_process),
        timer => {
            table::get(timer)?.clear_rules();
            Ok(())
        }
    })
}

/// A category's total in the default timer, in nanoseconds: the time of its sections, none counted
/// that is nested, at any depth, in a recorded one of the same category.
///
/// 0 where it has no sections; also on an error, which xtimer_last_error tells. NULL means
/// "default". Any thread, signal handlers included.
///
/// # Safety
/// `category` is NULL or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_category_total_ns(category: *const c_char) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_category_total_ns(TimerHandle::DEFAULT, category) }
}

/// As xtimer_category_total_ns, in a timer of your own.
///
/// # Safety
/// As for xtimer_category_total_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_category_total_ns(
    timer: TimerHandle,
    category: *const c_char,
) -> u64 {
    // SAFETY: as the caller promises.
    guard::value(0, || unsafe { category_total(timer, category) })
}

/// As xtimer_category_total_ns, in seconds; not a number on an error.
///
/// # Safety
/// As for xtimer_category_total_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_category_total(category: *const c_char) -> f64 {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_category_total(TimerHandle::DEFAULT, category) }
}

/// As xtimer_category_total, in a timer of your own.
///
/// # Safety
/// As for xtimer_category_total_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_category_total(
    timer: TimerHandle,
    category: *const c_char,
) -> f64 {
    // SAFETY: as the caller promises.
    guard::value(f64::NAN, || Ok(seconds(unsafe { category_total(timer, category) }?)))
}

/// # Safety
/// As for xtimer_category_total_ns.
unsafe fn category_total(timer: TimerHandle, category: *const c_char) -> Result<u64, Failure> {
    // SAFETY: as the caller promises.
    let category = unsafe { text::category(category) }?;
    let reference = table::get(timer)?;
    let snapshot = reference.snapshot().map_err(|error| refuse_core(timer, error))?;
    Ok(snapshot.category_total(category))
}

/// Time of all sections of the default timer that have no recorded parent, in nanoseconds.
///
/// 0 also on an error, which xtimer_last_error tells. Any thread, signal handlers included.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_total_ns() -> u64 {
    xtimer_timer_total_ns(TimerHandle::DEFAULT)
}

/// As xtimer_total_ns, in a timer of your own.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_total_ns(timer: TimerHandle) -> u64 {
    guard::value(0, || total(timer))
}

/// As xtimer_total_ns, in seconds; not a number on an error.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_total() -> f64 {
    xtimer_timer_total(TimerHandle::DEFAULT)
}

/// As xtimer_total, in a timer of your own.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_total(timer: TimerHandle) -> f64 {
    guard::value(f64::NAN, || Ok(seconds(total(timer)?)))
}

fn total(timer: TimerHandle) -> Result<u64, Failure> {
    let reference = table::get(timer)?;
    let snapshot = reference.snapshot().map_err(|error| refuse_core(timer, error))?;
    Ok(snapshot.total())
}

/// Exact up to 2^53 ns (104 days), to nearest beyond.
fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

//! Handles of timers: the default one, those that a program makes, and their end.

use crate::config::{Config, HostConfig};
use crate::error::{Code, Failure, Status, refuse, refuse_core};
use crate::{fork, guard, held, step, table};

/// A timer, as a checked handle: once destroyed, each use is refused with XTIMER_STATUS_NO_TIMER and
/// does no harm. A value: copy it. All zero is no timer. Any thread may use any handle.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerHandle {
    /// The library's own.
    pub handle: u64,
}

impl TimerHandle {
    /// The default timer: a generation that the table never gives, and no entry.
    pub(crate) const DEFAULT: Self = Self { handle: 1 << 32 };
}

/// The default timer's handle, for the functions that take one. It needs no making and cannot be
/// destroyed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_default() -> TimerHandle {
    TimerHandle::DEFAULT
}

fn null_output() -> Failure {
    refuse(Code::InvalidArgument, format_args!("The place for the result is NULL."))
}

/// Makes a timer with the capacities and clock of `config`, or with the defaults where that is NULL.
///
/// On success its handle is written to `timer`. It allocates its memory once, and whatever is not
/// touched costs no physical memory. 64 timers can exist at once. The rules of the process hold in
/// it; XTIMER_STATUS_RULES_FULL: they do not fit. Any thread; not from a signal handler.
///
/// # Safety
/// `config` is NULL or points to a config made by xtimer_config_default; `timer` is NULL (an error)
/// or may be written. A clock function of the config is safe to call as the config says, for as long
/// as the timer exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_create(config: *const Config, timer: *mut TimerHandle) -> Status {
    guard::status(|| {
        if timer.is_null() {
            return Err(null_output());
        }
        // SAFETY: as the caller promises.
        let config = unsafe { HostConfig::read(config) }?;
        fork::watch();
        held::sweep();
        let shared = xtimer_core::share(config.timer()?);
        let handle =
            table::insert(shared.map_err(|error| refuse_core(TimerHandle::DEFAULT, error))?)?;
        // SAFETY: not NULL, may be written.
        unsafe { timer.write(handle) };
        Ok(())
    })
}

/// Destroys a timer: its handle is refused from here on, everywhere.
///
/// Where it is enabled it records nothing more. Its memory is given back when the last thread that timed
/// sections in it has ended, or uses or makes another timer, and the scopes it is enabled for have ended.
/// A second time is an error and no more; so is the default timer, which lives as long as the process.
/// Any thread; not from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_destroy(timer: TimerHandle) -> Status {
    guard::status(|| {
        if timer == TimerHandle::DEFAULT {
            return Err(refuse(
                Code::InvalidArgument,
                format_args!("The default timer lives as long as the process."),
            ));
        }
        table::destroy(timer)?;
        step::forget(timer);
        held::sweep();
        Ok(())
    })
}

/// Gives the default timer other capacities or another clock, before it is first used.
///
/// Not needed: without it, it has those of xtimer_config_default. Where the default timer was used or
/// configured before, it stays as it is, and the status is XTIMER_STATUS_ALREADY_MADE. Any thread;
/// not from a signal handler.
///
/// # Safety
/// As for xtimer_create; the clock function is called until the process ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_configure(config: *const Config) -> Status {
    guard::status(|| {
        // SAFETY: as the caller promises.
        let config = unsafe { HostConfig::read(config) }?;
        match xtimer_core::set_default_timer(config.timer()?) {
            Ok(_) => Ok(()),
            Err(_) => Err(refuse(
                Code::AlreadyMade,
                format_args!("The default timer was in use already and stays as it is."),
            )),
        }
    })
}

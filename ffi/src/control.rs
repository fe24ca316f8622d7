//! Clear, and the switch.

use crate::error::{Status, refuse_core};
use crate::timer::TimerHandle;
use crate::{guard, table};

/// Drops all timings of the default timer, and keeps names, rules and open sections. A section open
/// now is not recorded when it ends; those begun in it afterwards are, and count as top-level.
///
/// XTIMER_STATUS_BUSY: another clear is at work; nothing was cleared. Any thread, signal handlers
/// included.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_clear() -> Status {
    xtimer_timer_clear(TimerHandle::DEFAULT)
}

/// As xtimer_clear, in a timer of your own.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_clear(timer: TimerHandle) -> Status {
    guard::status(|| table::get(timer)?.clear().map_err(|error| refuse_core(timer, error)))
}

/// Switches the default timer off (false) or on (true, as it is at first).
///
/// While it is off, a begin costs a load and a branch, returns 0 and is no error. Sections open by
/// then are recorded when they end. Any thread, signal handlers included.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_set_enabled(enabled: bool) -> Status {
    xtimer_timer_set_enabled(TimerHandle::DEFAULT, enabled)
}

/// As xtimer_set_enabled, for a timer of your own.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_set_enabled(timer: TimerHandle, enabled: bool) -> Status {
    guard::status(|| {
        table::get(timer)?.set_enabled(enabled);
        Ok(())
    })
}

/// Whether the default timer is switched on. Any thread, signal handlers included.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_is_enabled() -> bool {
    xtimer_timer_is_enabled(TimerHandle::DEFAULT)
}

/// As xtimer_is_enabled, of a timer of your own; false where the handle is none.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_is_enabled(timer: TimerHandle) -> bool {
    guard::value(false, || Ok(table::get(timer)?.is_enabled()))
}

//! Steps: windows of a timer's numbers, closed one after the other, the last few kept.

use std::ffi::c_char;

use xtimer_core::{Lock, Snapshot, Steps};

use crate::error::{Code, Failure, Status, refuse, refuse_core};
use crate::export::{self, ExportOptions, Exported, Form};
use crate::guard;
use crate::snapshot::{self, SnapshotHandle};
use crate::table::{self, Reference};
use crate::timer::TimerHandle;

/// The windows that are kept unless xtimer_steps_begin says otherwise.
const WINDOWS: usize = 16;

/// Those of each timer that has steps.
pub(crate) static STEPS: Lock<Vec<(TimerHandle, Steps)>> = Lock::new(Vec::new());

fn busy() -> Failure {
    refuse(Code::Busy, format_args!("A signal handler interrupted another step; try again."))
}

/// A timer's steps are gone with it.
pub(crate) fn forget(timer: TimerHandle) {
    STEPS.with(|all| all.retain(|(of, _)| *of != timer));
}

/// Works with a timer's steps; where they were not begun they begin with its timings.
fn with<R>(
    handle: TimerHandle,
    work: impl FnOnce(&Reference, &mut Steps) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let timer = table::get(handle)?;
    crate::fork::watch();
    let found = STEPS.with(|all| {
        let at = match all.iter().position(|(of, _)| *of == handle) {
            Some(at) => at,
            None => {
                all.push((handle, begun(handle, &timer, WINDOWS)?.from_beginning()));
                all.len() - 1
            }
        };
        work(&timer, &mut all[at].1)
    });
    found.unwrap_or_else(|| Err(busy()))
}

fn begun(handle: TimerHandle, timer: &Reference, windows: usize) -> Result<Steps, Failure> {
    timer.steps(windows).map_err(|error| refuse_core(handle, error))
}

/// A window of closed steps: the last ones, or with 0 those since warm-up.
fn window<'s>(
    handle: TimerHandle,
    timer: &'s Reference,
    steps: &'s mut Steps,
    windows: usize,
) -> Result<Snapshot<'s>, Failure> {
    let found = match windows {
        0 => steps.since_warm_up(timer),
        windows => steps.last(timer, windows),
    };
    found.map_err(|error| refuse_core(handle, error))
}

/// Begins the steps of the default timer, anew where they had begun: the first window begins here, and
/// the last `windows` ones that xtimer_step closes are kept (0 counts as 1).
///
/// Memory: 144 bytes a recorded section and window, and as much for each section the timer can hold.
/// Without it the steps begin with the timings, and 16 windows are kept. Any thread; it allocates: not
/// from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_steps_begin(windows: usize) -> Status {
    xtimer_timer_steps_begin(TimerHandle::DEFAULT, windows)
}

/// As xtimer_steps_begin, of a timer of your own.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_steps_begin(timer: TimerHandle, windows: usize) -> Status {
    guard::status(|| {
        with(timer, |reference, steps| {
            *steps = begun(timer, reference, windows)?;
            Ok(())
        })
    })
}

/// Closes a window of the default timer and begins the next. Timing goes on meanwhile, and waits for
/// nothing. Without xtimer_steps_begin the first window is all that was recorded so far.
///
/// XTIMER_STATUS_BUSY: the timer is being cleared again and again; the window goes on. Any thread; it
/// allocates: not from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_step() -> Status {
    xtimer_timer_step(TimerHandle::DEFAULT)
}

/// As xtimer_step, of a timer of your own.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_step(timer: TimerHandle) -> Status {
    guard::status(|| {
        with(timer, |reference, steps| {
            steps.step(reference).map_err(|error| refuse_core(timer, error))
        })
    })
}

/// The warm-up of the default timer's steps is over: what xtimer_window_take and xtimer_window_report
/// give for 0 windows begins at the last xtimer_step. Any thread; not from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_steps_warm_up() -> Status {
    xtimer_timer_steps_warm_up(TimerHandle::DEFAULT)
}

/// As xtimer_steps_warm_up, of a timer of your own.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_steps_warm_up(timer: TimerHandle) -> Status {
    guard::status(|| {
        with(timer, |_, steps| {
            steps.warm_up();
            Ok(())
        })
    })
}

/// Copies the numbers of the last `windows` closed windows of the default timer, as one: what was recorded
/// between two steps. 0: all since xtimer_steps_warm_up, or since the beginning.
///
/// As many windows as are kept; empty before the first step. A section counts in the window in which it
/// ended, with all its time; what neither ended there nor was open at its end, nor has others inside, is
/// left out. Where the timer was cleared in between the window begins at the clear. min_ns and max_ns are
/// XTIMER_NONE. As xtimer_snapshot_take in all else.
///
/// # Safety
/// `snapshot` is NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_window_take(
    windows: usize,
    flatten: bool,
    snapshot: *mut SnapshotHandle,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_window_take(TimerHandle::DEFAULT, windows, flatten, snapshot) }
}

/// As xtimer_window_take, of a timer of your own.
///
/// # Safety
/// As for xtimer_window_take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_window_take(
    timer: TimerHandle,
    windows: usize,
    flatten: bool,
    snapshot: *mut SnapshotHandle,
) -> Status {
    guard::status(|| {
        let copy = || {
            with(timer, |reference, steps| {
                Ok(snapshot::copied(window(timer, reference, steps, windows)?, flatten))
            })
        };
        // SAFETY: as the caller promises.
        unsafe { snapshot::hand_out(copy, snapshot) }
    })
}

/// Writes the report of the last `windows` closed windows of the default timer (0: those since warm-up)
/// for people into `buffer`, ended by a zero. `options` NULL: those of xtimer_report. The buffer as for
/// xtimer_report, the window as for xtimer_window_take. Any thread; not from a signal handler.
///
/// # Safety
/// As for xtimer_report_with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_window_report(
    windows: usize,
    options: *const ExportOptions,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    let timer = TimerHandle::DEFAULT;
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_window_report(timer, windows, options, buffer, capacity, needed) }
}

/// As xtimer_window_report, of a timer of your own.
///
/// # Safety
/// As for xtimer_window_report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_window_report(
    timer: TimerHandle,
    windows: usize,
    options: *const ExportOptions,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { written(timer, windows, Form::Report, options, (buffer, capacity, needed)) }
}

/// As xtimer_window_report, as JSON.
///
/// # Safety
/// As for xtimer_window_report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_window_export_json(
    windows: usize,
    options: *const ExportOptions,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    let timer = TimerHandle::DEFAULT;
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_window_export_json(timer, windows, options, buffer, capacity, needed) }
}

/// As xtimer_window_export_json, of a timer of your own.
///
/// # Safety
/// As for xtimer_window_report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_window_export_json(
    timer: TimerHandle,
    windows: usize,
    options: *const ExportOptions,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { written(timer, windows, Form::Json, options, (buffer, capacity, needed)) }
}

/// # Safety
/// As for xtimer_window_report.
unsafe fn written(
    timer: TimerHandle,
    windows: usize,
    form: Form,
    options: *const ExportOptions,
    place: (*mut c_char, usize, *mut usize),
) -> Status {
    guard::status(|| {
        // SAFETY: as the caller promises.
        let options = unsafe { ExportOptions::read(options) };
        with(timer, |reference, steps| {
            let window = window(timer, reference, steps, windows)?;
            let exported = Exported::of_snapshot(window, form, options);
            // SAFETY: as the caller promises.
            unsafe { export::put(&exported, place) }
        })
    })
}

//! Writes the report when the process ends: by `exit` or the end of `main`, by a signal that ends it,
//! by an uncaught exception (which aborts); and, where that is wished for, every few seconds.
//!
//! A signal that the program handles itself, or ignores, is left alone. After the report it does what it
//! would have done: the exit status is the same.

use core::ffi::c_int;
use std::ptr;
use std::time::Duration;

use crate::host::save::Target;
use crate::host::timer::HostTimer;
use crate::host::undisturbed::undisturbed;
use crate::sync::{AcqRel, Acquire, AtomicPtr, AtomicU32, Relaxed, Release};

/// Signals that end a process in order, and the one of an uncaught exception.
const SIGNALS: [c_int; 4] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGABRT];

/// What is written at the end.
struct Ending {
    timer: &'static HostTimer,
    target: Target,
    /// The process that set it up.
    process: u32,
}

static ENDING: AtomicPtr<Ending> = AtomicPtr::new(ptr::null_mut());

/// Who writes just now.
static STATE: AtomicU32 = AtomicU32::new(FREE);
const FREE: u32 = 0;
/// The thread that writes every few seconds.
const BETWEEN: u32 = 1;
/// The last report is being written.
const LAST: u32 = 2;
const DONE: u32 = 3;

/// Has the report written from here on.
pub(crate) fn set_up(timer: &'static HostTimer, target: Target, every: Option<Duration>) {
    let ending = Box::new(Ending { timer, target, process: std::process::id() });
    let ending: &'static Ending = Box::leak(ending);
    // Release publishes what it points to.
    ENDING.store(ptr::from_ref(ending).cast_mut(), Release);
    extern "C" fn at_exit() {
        // A signal from here on waits for the report.
        undisturbed(write_last);
        leave_signals();
    }
    // SAFETY: the function lives as long as this code does: a plugin's are called when it is unloaded.
    if unsafe { libc::atexit(at_exit) } != 0 {
        eprintln!(
            "xtimer: the end of the process can't be watched; the report may not be written."
        );
    }
    SIGNALS.iter().for_each(|signal| watch(*signal));
    if let Some(every) = every {
        // The thread has all signals held back: the program's own are for the program's threads.
        undisturbed(|| {
            let between = move || {
                loop {
                    std::thread::sleep(every);
                    if !write_between(ending) {
                        break;
                    }
                }
            };
            let spawned = std::thread::Builder::new().name("xtimer report".into()).spawn(between);
            if let Err(error) = spawned {
                eprintln!("xtimer: no thread for XTIMER_REPORT_EVERY ({error}).");
            }
        });
    }
}

/// Handles a signal that would end the process.
fn watch(signal: c_int) {
    // SAFETY: all-zero bytes are a valid `sigaction`; both are read and written here alone.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        let known = libc::sigaction(signal, ptr::null(), &raw mut action) == 0;
        if !known || action.sa_sigaction != libc::SIG_DFL {
            return;
        }
        let handler: extern "C" fn(c_int) = on_signal;
        action.sa_sigaction = handler as libc::sighandler_t;
        // Once. On the thread's stack: those for signals are often too small for two paths.
        action.sa_flags = libc::SA_RESETHAND;
        libc::sigfillset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, ptr::null_mut());
    }
}

/// Gives the signals back that are still handled here.
fn leave_signals() {
    for signal in SIGNALS {
        // SAFETY: as in `watch`.
        unsafe {
            let mut action: libc::sigaction = core::mem::zeroed();
            let handler: extern "C" fn(c_int) = on_signal;
            if libc::sigaction(signal, ptr::null(), &raw mut action) == 0
                && action.sa_sigaction == handler as libc::sighandler_t
            {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
    }
}

/// Writes the report, then lets the signal do what it does.
extern "C" fn on_signal(signal: c_int) {
    write_last();
    // SAFETY: no preconditions. It is the default one by now and held back until this returns; it then
    // ends the process.
    unsafe { libc::raise(signal) };
}

fn ending() -> Option<&'static Ending> {
    // SAFETY: what is stored is never freed; Acquire pairs with the Release in `set_up`.
    unsafe { ENDING.load(Acquire).as_ref() }
}

/// The child of a fork would write over its parent's report, unless each has a path of its own.
fn is_ours(ending: &Ending) -> bool {
    ending.process == std::process::id() || ending.target.is_of_one_process()
}

/// Writes the last report, once, or waits until another thread has: at most for a second or so.
/// Async-signal-safe.
fn write_last() {
    let Some(ending) = ending().filter(|ending| is_ours(ending)) else { return };
    for _ in 0..10_000 {
        // Acquire: what the thread between wrote comes first. AcqRel: as there.
        match STATE.compare_exchange(FREE, LAST, AcqRel, Acquire) {
            Ok(_) => {
                ending.target.write(ending.timer);
                STATE.store(DONE, Release);
                return;
            }
            Err(DONE) => return,
            // A fork left the thread behind, in the middle.
            Err(_) if ending.process != std::process::id() => STATE.store(FREE, Relaxed),
            Err(_) => wait(),
        }
    }
}

/// A tenth of a millisecond.
fn wait() {
    let time = libc::timespec { tv_sec: 0, tv_nsec: 100_000 };
    // SAFETY: the time may be read.
    unsafe { libc::nanosleep(&raw const time, ptr::null_mut()) };
}

/// Writes one report on the way; false once the last was written.
fn write_between(ending: &Ending) -> bool {
    // Acquire and Release: reports are written one after the other.
    match STATE.compare_exchange(FREE, BETWEEN, Acquire, Relaxed) {
        Ok(_) => {
            ending.target.write(ending.timer);
            STATE.store(FREE, Release);
            true
        }
        Err(state) => state < LAST,
    }
}

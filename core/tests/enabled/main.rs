//! Timers enabled for a scope: where sections go, what a refusal leaves, how it is inherited, and what
//! becomes of tokens, scopes and timers that are gone.
#![cfg(all(feature = "std", not(loom)))]

mod ends;
mod places;
mod scopes;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xtimer_core::{
    Config, Custom, Error, HostClock, HostTimer, Scale, Token, default_timer, thread,
};

/// What each test's thread reads as the time.
static NOW: AtomicU64 = AtomicU64::new(0);

extern "C" fn now(_: *mut std::ffi::c_void) -> u64 {
    NOW.load(Relaxed)
}

/// A timer whose clock stands at `NOW`, in nanoseconds.
fn timer_with(config: Config) -> Arc<HostTimer> {
    let scale = Scale::from_hertz(1_000_000_000);
    // SAFETY: the function reads an atomic and returns.
    let clock = unsafe { Custom::new(now, std::ptr::null_mut(), 64, scale) };
    Arc::new(HostTimer::with_clock(config, HostClock::custom(clock)).unwrap())
}

fn timer() -> Arc<HostTimer> {
    timer_with(Config { sections: 64, lanes: 8, depth: 8, ..Config::HOST })
}

/// One test at a time has the clock and the default timer, which it finds cleared.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    default_timer().unwrap().clear().unwrap();
    one
}

fn enter(name: &str) -> Token {
    thread::enter(name, "default").unwrap().unwrap()
}

fn exit(token: Token) -> Result<(), Error> {
    thread::exit(token).unwrap()
}

/// Each section as `path count`, in order of first entry.
fn shown(timer: &HostTimer) -> Vec<String> {
    let snapshot = timer.snapshot().unwrap();
    let sections = snapshot.sections();
    sections
        .map(|section| {
            format!("{} {}", section.path().collect::<Vec<_>>().join(">"), section.count())
        })
        .collect()
}

fn shown_default() -> Vec<String> {
    shown(default_timer().unwrap())
}

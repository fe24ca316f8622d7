//! The machine's clock: the CPU's counter where it can be trusted, else the system's monotonic one.
//!
//! A reading is one instruction and one branch that always goes the same way. The counter's rate is
//! measured against the system's monotonic clock between the first use of the clock and the first
//! call for its scale (`calibration.rs`), and is then frozen for the life of the process, so that
//! one number of ticks always shows as one number of nanoseconds.
//!
//! Nothing here allocates or locks; everything may be called from a signal handler, also from one
//! that interrupts the same function. Two threads that measure at once both finish, and the first
//! to publish decides for both.

use core::ffi::c_void;

use self::calibration::{Calibration, Readings};
use crate::clock::{Clock, Scale};
use crate::sync::{HostAtomicU64, Relaxed};

mod calibration;
mod machine;

/// What a [`HostClock`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The CPU's own counter: on x86_64 the time stamp counter, on aarch64 the virtual counter.
    CycleCounter,
    /// The system's monotonic clock, in nanoseconds.
    Monotonic,
    /// A function of the user.
    Custom,
}

/// A clock that is a C function.
///
/// ```
/// use std::ffi::c_void;
/// use xtimer_core::{Config, Custom, HostClock, HostTimer, Scale};
///
/// extern "C" fn frozen(_: *mut c_void) -> u64 {
///     42
/// }
/// // SAFETY: the function reads nothing.
/// let clock = unsafe { Custom::new(frozen, std::ptr::null_mut(), 64, Scale::NANOSECONDS) };
/// let timer = HostTimer::with_clock(Config::HOST, HostClock::custom(clock)).unwrap();
/// assert_eq!(timer.snapshot().unwrap().clock().0, "custom");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Custom {
    function: extern "C" fn(*mut c_void) -> u64,
    data: *mut c_void,
    width: u32,
    scale: Scale,
}

// SAFETY: `Custom::new` has its caller promise that the function may be called on any thread with
// this pointer, and nothing else is done with the pointer.
unsafe impl Send for Custom {}
// SAFETY: as above, at the same time from several.
unsafe impl Sync for Custom {}

impl Custom {
    /// A clock that calls `function(data)` for a reading of `width` significant bits (1 to 64)
    /// whose ticks are worth `scale`.
    ///
    /// # Safety
    ///
    /// For as long as the clock or a copy of it is read,
    /// - `function` may be called with `data` by any thread, by several at once, and by a signal
    ///   handler of the process if it times sections or takes snapshots;
    /// - `function` returns: it doesn't unwind, throw, or jump out.
    pub const unsafe fn new(
        function: extern "C" fn(*mut c_void) -> u64,
        data: *mut c_void,
        width: u32,
        scale: Scale,
    ) -> Self {
        Self { function, data, width, scale }
    }
}

/// The clock of a timer on a host.
///
/// ```
/// use xtimer_core::{Clock, HostClock, Kind};
///
/// let clock = HostClock::best();
/// println!("{}: {} ticks a second", clock.name(), clock.scale().hertz());
/// let (before, after) = (clock.now(), clock.now());
/// assert!(before <= after);
/// assert_eq!(HostClock::monotonic().kind(), Kind::Monotonic);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HostClock {
    kind: Kind,
    custom: Option<Custom>,
}

impl HostClock {
    /// The best clock of this machine: the CPU's counter where the CPU says that it runs at one
    /// rate, always, and the system itself keeps time by it; else the monotonic clock.
    ///
    /// The first call of the process finds out, in some ten microseconds; later ones remember.
    pub fn best() -> Self {
        // Relaxed: the word is all there is, and whoever finds out finds the same.
        let kind = match BEST.load(Relaxed) {
            COUNTER => Kind::CycleCounter,
            MONOTONIC => Kind::Monotonic,
            _ => {
                let trusted = machine::counter_is_trusted();
                BEST.store(if trusted { COUNTER } else { MONOTONIC }, Relaxed); // as above
                if trusted { Kind::CycleCounter } else { Kind::Monotonic }
            }
        };
        if kind == Kind::CycleCounter {
            CALIBRATION.anchor(&Machine);
        }
        Self { kind, custom: None }
    }

    /// The system's monotonic clock, in nanoseconds.
    pub const fn monotonic() -> Self {
        Self { kind: Kind::Monotonic, custom: None }
    }

    /// The clock of a user.
    pub const fn custom(custom: Custom) -> Self {
        Self { kind: Kind::Custom, custom: Some(custom) }
    }

    /// What it reads.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    #[inline(never)]
    fn now_elsewhere(&self) -> u64 {
        match self.custom {
            Some(custom) => (custom.function)(custom.data),
            None => machine::monotonic_nanoseconds(),
        }
    }
}

impl Clock for HostClock {
    #[inline(always)]
    fn now(&self) -> u64 {
        if matches!(self.kind, Kind::CycleCounter) { cycle_counter() } else { self.now_elsewhere() }
    }

    #[inline(always)]
    fn width(&self) -> u32 {
        match self.custom {
            Some(custom) => custom.width,
            None => 64,
        }
    }

    /// What a tick is worth. For the CPU's counter the first call of the process spins: for 1 ms
    /// where the clock was first used long before, else until 21 ms after it, and longer, bounded by
    /// half a second, where readings are uncertain or the system slept in between.
    fn scale(&self) -> Scale {
        match (self.kind, self.custom) {
            (Kind::CycleCounter, _) => CALIBRATION.scale(&Machine),
            (_, Some(custom)) => custom.scale,
            (_, None) => Scale::NANOSECONDS,
        }
    }

    /// `tsc`, `cntvct`, `monotonic` or `custom`.
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::CycleCounter => machine::COUNTER_NAME,
            Kind::Monotonic => "monotonic",
            Kind::Custom => "custom",
        }
    }

    /// The CPU's counter is; others are asked through `now`.
    #[inline(always)]
    fn is_fast(&self) -> bool {
        matches!(self.kind, Kind::CycleCounter)
    }

    #[inline(always)]
    fn fast_now(&self) -> u64 {
        cycle_counter()
    }

    #[inline(always)]
    fn fast_width(&self) -> u32 {
        64
    }
}

/// The CPU's counter as it stands: one instruction, not ordered against those around it. Where
/// there is none, the monotonic clock in nanoseconds. Whether it runs at one rate is for
/// [`HostClock::best`] to say.
///
/// ```
/// let before = xtimer_core::cycle_counter();
/// let after = xtimer_core::cycle_counter();
/// assert!(after.wrapping_sub(before) < 1 << 40);
/// ```
#[inline(always)]
pub fn cycle_counter() -> u64 {
    machine::counter()
}

/// What `HostClock::best` found out, 0 before it did.
static BEST: HostAtomicU64 = HostAtomicU64::new(0);
const COUNTER: u64 = 1;
const MONOTONIC: u64 = 2;

/// The rate of the CPU's counter, one for the process.
static CALIBRATION: Calibration = Calibration::new();

/// This machine's counter and monotonic clock.
struct Machine;

impl Readings for Machine {
    #[inline(always)]
    fn ticks(&self) -> u64 {
        machine::counter()
    }
    #[inline(always)]
    fn nanoseconds(&self) -> u64 {
        machine::monotonic_nanoseconds()
    }
    fn stated_hertz(&self) -> u64 {
        machine::stated_hertz()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_measure_at_once_agree() {
        let calibration = Calibration::new();
        let scales: Vec<Scale> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        calibration.anchor(&Machine);
                        calibration.scale(&Machine)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(scales[0].multiplier > 0);
        assert!(scales.iter().all(|scale| *scale == scales[0]), "{scales:?}");
    }

    #[test]
    fn the_host_clock_goes_forward() {
        for clock in [HostClock::best(), HostClock::monotonic()] {
            let mut before = clock.now();
            let start = before;
            for _ in 0..1000 {
                let now = clock.now();
                assert!(now >= before, "{clock:?}");
                before = now;
            }
            assert!(before > start, "{clock:?}");
            assert_eq!(clock.width(), 64);
            assert_eq!(clock.scale(), clock.scale());
            assert!(clock.scale().hertz() >= 1_000_000, "{clock:?}");
        }
        let best = HostClock::best();
        if best.is_fast() {
            let (before, between, after) = (best.now(), best.fast_now(), best.now());
            assert!((before..=after).contains(&between));
            assert_eq!(best.fast_width(), best.width());
        }
        assert!(!HostClock::monotonic().is_fast());
        assert_eq!(HostClock::monotonic().scale(), Scale::NANOSECONDS);
        assert_eq!(HostClock::monotonic().name(), "monotonic");
    }

    #[test]
    fn the_best_clock_is_the_same_at_every_call() {
        let first = HostClock::best();
        assert_eq!(first.kind(), HostClock::best().kind());
        assert_eq!(first.scale(), HostClock::best().scale());
        assert!(matches!(first.name(), "tsc" | "cntvct" | "monotonic"));
    }

    #[cfg(unix)]
    #[test]
    fn a_signal_handler_may_ask_for_the_scale() {
        static SEEN: Calibration = Calibration::new();
        static SCALE: HostAtomicU64 = HostAtomicU64::new(0);
        extern "C" fn handler(_: core::ffi::c_int) {
            HostClock::best();
            SEEN.anchor(&Machine);
            SCALE.store(SEEN.scale(&Machine).multiplier, Relaxed);
        }
        let handler: extern "C" fn(core::ffi::c_int) = handler;
        // SAFETY: the handler is async-signal-safe, which is what this test is about; nothing else
        // in this process uses the signal.
        unsafe { libc::signal(libc::SIGURG, handler as libc::sighandler_t) };
        // SAFETY: delivered to this thread before it returns.
        assert_eq!(unsafe { libc::raise(libc::SIGURG) }, 0);
        assert_eq!(SCALE.load(Relaxed), SEEN.scale(&Machine).multiplier);
        assert_ne!(SCALE.load(Relaxed), 0);
    }

    #[test]
    fn a_users_function_is_a_clock() {
        extern "C" fn twice(data: *mut c_void) -> u64 {
            // SAFETY: the test hands in a pointer to a number that outlives the clock.
            unsafe { *data.cast::<u64>() * 2 }
        }
        let mut number = 21_u64;
        let scale = Scale::from_hertz(32_768);
        // SAFETY: `twice` only reads the number, which lives to the end of the test.
        let custom = unsafe { Custom::new(twice, (&raw mut number).cast(), 24, scale) };
        let clock = HostClock::custom(custom);
        assert_eq!(clock.now(), 42);
        assert_eq!((clock.width(), clock.scale(), clock.name()), (24, scale, "custom"));
        assert_eq!(clock.kind(), Kind::Custom);
    }
}

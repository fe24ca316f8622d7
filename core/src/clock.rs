//! Clocks: what the core asks of one, and how far apart two readings are.
//!
//! The hot path adds raw ticks and takes differences modulo the clock's width ([`elapsed`]). A
//! [`Scale`] turns sums of ticks into nanoseconds when a snapshot is taken. The clock of the machine
//! lives in `host/clock.rs`; firmware brings its own; tests own the time of a [`ManualClock`].

pub(crate) mod scale;

pub use scale::Scale;

#[cfg(feature = "std")]
use crate::sync::{HostAtomicU64, Relaxed};

#[cfg(not(feature = "std"))]
use crate::sync::Wide;

/// A source of ticks. Its reading counts upwards and wraps at 2^width.
///
/// The core reads it twice a section, so `now` should be a few instructions. It may be called by
/// any thread that shares the clock, and by interrupt and signal handlers; it must not call back
/// into the timer.
///
/// ```
/// use xtimer_core::{Clock, Scale};
///
/// /// A 24-bit counter that a crystal of 32,768 Hz drives.
/// struct Crystal;
/// impl Clock for Crystal {
///     fn now(&self) -> u64 {
///         0x00ab_cdef // its register
///     }
///     fn width(&self) -> u32 {
///         24
///     }
///     fn scale(&self) -> Scale {
///         Scale::from_hertz(32_768)
///     }
///     fn name(&self) -> &'static str {
///         "crystal"
///     }
/// }
/// assert_eq!(Crystal.scale().nanoseconds(32_768), 1_000_000_000);
/// ```
pub trait Clock {
    /// The reading in ticks. Bits from [`width`](Clock::width) on are ignored.
    fn now(&self) -> u64;

    /// Significant bits of [`now`](Clock::now), 1 to 64. Sections must be shorter than
    /// 1023/1024 of 2^width ticks.
    fn width(&self) -> u32 {
        64
    }

    /// What a tick is worth. The same at every call: sums of ticks are converted more than once.
    fn scale(&self) -> Scale;

    /// A short word for reports, such as `tsc`.
    fn name(&self) -> &'static str;

    /// Whether [`fast_now`](Clock::fast_now) and [`fast_width`](Clock::fast_width) stand for `now`
    /// and `width`. The same at every call. Where it is false, enter and exit take the general path
    /// and ask the others. Only clocks that choose their source at run time need to say.
    fn is_fast(&self) -> bool {
        true
    }

    /// Whether it moves only between calls of the timer, so that the timer can't measure its own price:
    /// who sets such a clock says the price ([`Timer::set_price`](crate::Timer::set_price)). Best a
    /// constant.
    #[inline(always)]
    fn stands_still(&self) -> bool {
        false
    }

    /// [`now`](Clock::now) without a choice of source. It may be called, and its answer ignored,
    /// where [`is_fast`](Clock::is_fast) is false.
    #[inline(always)]
    fn fast_now(&self) -> u64 {
        self.now()
    }

    /// [`width`](Clock::width) without a choice of source, best a constant.
    #[inline(always)]
    fn fast_width(&self) -> u32 {
        self.width()
    }
}

impl<C: Clock> Clock for &C {
    #[inline(always)]
    fn now(&self) -> u64 {
        (**self).now()
    }
    #[inline(always)]
    fn width(&self) -> u32 {
        (**self).width()
    }
    fn scale(&self) -> Scale {
        (**self).scale()
    }
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn is_fast(&self) -> bool {
        (**self).is_fast()
    }
    #[inline(always)]
    fn stands_still(&self) -> bool {
        (**self).stands_still()
    }
    #[inline(always)]
    fn fast_now(&self) -> u64 {
        (**self).fast_now()
    }
    #[inline(always)]
    fn fast_width(&self) -> u32 {
        (**self).fast_width()
    }
}

/// The way from one reading to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elapsed {
    /// Ticks that went by.
    Forward(u64),
    /// The clock stepped back a little: counts as zero, and is to be counted.
    Back,
}

impl Elapsed {
    /// The ticks to account: zero for a step back.
    #[inline(always)]
    pub const fn ticks(self) -> u64 {
        match self {
            Elapsed::Forward(ticks) => ticks,
            Elapsed::Back => 0,
        }
    }
}

/// Ticks from `start` to `now`, modulo 2^`width`; a width outside 1 to 64 acts as the nearer end.
///
/// A small step back can't be told from a long way forward, so a part of the range is set aside
/// for it. With 64 bits that is the upper half: no section lasts 2^63 ticks. Narrower clocks can
/// spare only the last 1/1024 of their range, so their sections are right up to 1023/1024 of one
/// wrap, and steps back are seen up to 1/1024 of one. Below 10 bits nothing is set aside.
///
/// ```
/// use xtimer_core::{Elapsed, elapsed};
///
/// assert_eq!(elapsed(250, 5, 8), Elapsed::Forward(11)); // a clock of 8 bits came round
/// assert_eq!(elapsed(1000, 999, 64), Elapsed::Back); // a small step back
/// assert_eq!(elapsed(1000, 999, 64).ticks(), 0);
/// ```
#[inline(always)]
pub const fn elapsed(start: u64, now: u64, width: u32) -> Elapsed {
    // Aligned to the top of the word, so that the subtraction wraps where the clock does.
    let unused = if width >= 64 {
        0
    } else if width == 0 {
        63
    } else {
        64 - width
    };
    let way = now.wrapping_sub(start) << unused;
    let back = if unused == 0 { 1 << 63 } else { 1023 << 54 };
    if way >= back { Elapsed::Back } else { Elapsed::Forward(way >> unused) }
}

/// Readings of one [`quantum`] measurement at most.
const QUANTUM_READINGS: u32 = 65_536;
/// Steps that a [`quantum`] measurement collects.
const QUANTUM_STEPS: usize = 63;

/// The usual step from one reading to the next that differs, in ticks: what the clock can't tell
/// apart, or what a reading costs, whichever is more. 0 where the clock stands still, or moves less
/// than once in 65,536 readings.
///
/// It is the median of 63 steps, not the least of them: some CPUs count in steps of 26 ticks, say,
/// and answer one more than before when they are asked twice within a step.
///
/// ```
/// use xtimer_core::{ManualClock, quantum};
///
/// assert_eq!(quantum(&ManualClock::new(64)), 0); // it stands still
/// ```
pub fn quantum<C: Clock>(clock: &C) -> u64 {
    let width = clock.width();
    let mut steps = [0; QUANTUM_STEPS];
    let mut free = steps.iter_mut();
    let mut before = clock.now();
    for _ in 0..QUANTUM_READINGS {
        let now = clock.now();
        if let Elapsed::Forward(step @ 1..) = elapsed(before, now, width) {
            let Some(place) = free.next() else { break };
            *place = step;
        }
        before = now;
    }
    let unfilled = free.len();
    steps.sort_unstable();
    // The zeros of what was not filled come first.
    let taken = steps.get(unfilled..).unwrap_or_default();
    taken.get(taken.len() / 2).copied().unwrap_or(0)
}

/// A clock that moves when it is told to: tests own the time.
///
/// Shared by reference. With `std` any thread may set and advance it; without, one owner does.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, ManualClock, Timer};
///
/// let clock = ManualClock::new(64);
/// let timer = Timer::with_clock(Config::HOST, &clock).unwrap();
/// let context = timer.context().unwrap();
/// let token = context.enter("wait", "default").unwrap();
/// clock.advance(1_500);
/// context.exit(token).unwrap();
/// assert_eq!(timer.snapshot().unwrap().total(), 1_500);
/// # }
/// ```
pub struct ManualClock {
    #[cfg(feature = "std")]
    ticks: HostAtomicU64,
    #[cfg(not(feature = "std"))]
    ticks: Wide,
    width: u32,
    scale: Scale,
}

impl ManualClock {
    /// A clock of `width` bits at 0 that ticks in nanoseconds. A width outside 1 to 64 acts as the
    /// nearer end.
    pub const fn new(width: u32) -> Self {
        Self::with_scale(width, Scale::NANOSECONDS)
    }

    /// A clock of `width` bits at 0 whose ticks are worth `scale`.
    pub const fn with_scale(width: u32, scale: Scale) -> Self {
        let width = if width == 0 {
            1
        } else if width > 64 {
            64
        } else {
            width
        };
        #[cfg(feature = "std")]
        let ticks = HostAtomicU64::new(0);
        #[cfg(not(feature = "std"))]
        let ticks = Wide::new(0);
        Self { ticks, width, scale }
    }

    /// Moves the clock to `ticks`, forward or back. It reads `ticks` modulo 2^width from here on.
    pub fn set(&self, ticks: u64) {
        // Relaxed: the reading is all there is, nothing is published by it.
        #[cfg(feature = "std")]
        self.ticks.store(ticks, Relaxed);
        #[cfg(not(feature = "std"))]
        self.ticks.store(ticks);
    }

    /// Moves the clock forward by `ticks`.
    pub fn advance(&self, ticks: u64) {
        // Relaxed: as in `set`; each thread's step is added whole.
        #[cfg(feature = "std")]
        self.ticks.fetch_add(ticks, Relaxed);
        #[cfg(not(feature = "std"))]
        self.ticks.store(self.ticks.load().wrapping_add(ticks));
    }
}

impl Clock for ManualClock {
    #[inline(always)]
    fn now(&self) -> u64 {
        // Relaxed: as in `set`.
        #[cfg(feature = "std")]
        let ticks = self.ticks.load(Relaxed);
        #[cfg(not(feature = "std"))]
        let ticks = self.ticks.load();
        ticks & (u64::MAX >> (64 - self.width))
    }
    #[inline(always)]
    fn width(&self) -> u32 {
        self.width
    }
    fn scale(&self) -> Scale {
        self.scale
    }
    fn name(&self) -> &'static str {
        "manual"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;

    #[test]
    fn elapsed_wraps_at_the_width() {
        for width in [8, 24, 32, 63, 64] {
            let mask = u64::MAX >> (64 - width);
            assert_eq!(elapsed(0, 0, width), Elapsed::Forward(0));
            assert_eq!(elapsed(5, 12, width), Elapsed::Forward(7));
            assert_eq!(elapsed(mask, 0, width), Elapsed::Forward(1));
            assert_eq!(elapsed(mask - 2, 4, width), Elapsed::Forward(7));
            // Bits above the width are of no interest.
            assert_eq!(elapsed(!mask | 3, 10, width), Elapsed::Forward(7));
        }
    }

    #[test]
    fn the_end_of_the_range_is_a_step_back() {
        for width in [10, 24, 32, 63] {
            let range = 1_u64 << width;
            let longest = range / 1024 * 1023 - 1;
            for start in [0, 9, range / 2, range - 1] {
                let at = |way: u64| elapsed(start, start.wrapping_add(way) & (range - 1), width);
                assert_eq!(at(longest), Elapsed::Forward(longest), "{width}");
                assert_eq!(at(longest + 1), Elapsed::Back, "{width}");
                assert_eq!(at(range - 1), Elapsed::Back, "{width}");
            }
        }
        for start in [0, 9, u64::MAX] {
            let longest = i64::MAX as u64;
            assert_eq!(elapsed(start, start.wrapping_add(longest), 64), Elapsed::Forward(longest));
            assert_eq!(elapsed(start, start.wrapping_add(longest + 1), 64), Elapsed::Back);
            assert_eq!(elapsed(start, start.wrapping_sub(1), 64), Elapsed::Back);
        }
        // Too few bits to set some aside.
        assert_eq!(elapsed(1, 0, 8), Elapsed::Forward(255));
        // Widths that don't exist.
        assert_eq!(elapsed(1, 0, 0), Elapsed::Forward(1));
        assert_eq!(elapsed(1, 0, 65), Elapsed::Back);
        assert_eq!((Elapsed::Back.ticks(), Elapsed::Forward(3).ticks()), (0, 3));
    }

    #[test]
    fn a_manual_clock_moves_when_told() {
        static CLOCK: ManualClock = ManualClock::new(64);
        let clock = &CLOCK;
        assert_eq!(clock.now(), 0);
        clock.advance(7);
        clock.advance(5);
        assert_eq!(clock.now(), 12);
        clock.set(3);
        assert_eq!((&clock).now(), 3);
        assert_eq!(
            (clock.width(), clock.scale(), clock.name()),
            (64, Scale::NANOSECONDS, "manual")
        );
    }

    #[test]
    fn a_narrow_manual_clock_wraps() {
        let clock = ManualClock::with_scale(8, Scale::from_hertz(1000));
        clock.set(250);
        let start = clock.now();
        clock.advance(10);
        assert_eq!(clock.now(), 4);
        assert_eq!(elapsed(start, clock.now(), clock.width()), Elapsed::Forward(10));
        assert_eq!(clock.scale().nanoseconds(10), 10_000_000);
        assert_eq!((ManualClock::new(0).width(), ManualClock::new(99).width()), (1, 64));
    }

    #[cfg(feature = "std")]
    #[test]
    fn threads_advance_a_manual_clock_together() {
        let clock = ManualClock::new(64);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| clock.advance(3)));
            }
        });
        assert_eq!(clock.now(), 120_000);
    }

    /// Moves by itself: by `steps[i]` at the i-th reading, over and over.
    struct Stepping<'a> {
        steps: &'a [u64],
        reads: Cell<usize>,
        ticks: Cell<u64>,
    }

    impl<'a> Stepping<'a> {
        fn new(steps: &'a [u64]) -> Self {
            Self { steps, reads: Cell::new(0), ticks: Cell::new(0) }
        }
    }

    impl Clock for Stepping<'_> {
        fn now(&self) -> u64 {
            let read = self.reads.replace(self.reads.get() + 1);
            self.ticks.set(self.ticks.get().wrapping_add(self.steps[read % self.steps.len()]));
            self.ticks.get() & 0xFFFF
        }
        fn width(&self) -> u32 {
            16
        }
        fn scale(&self) -> Scale {
            Scale::NANOSECONDS
        }
        fn name(&self) -> &'static str {
            "stepping"
        }
    }

    #[test]
    fn the_quantum_is_the_usual_step() {
        assert_eq!(quantum(&Stepping::new(&[41, 0, 0, 0])), 41);
        assert_eq!(quantum(&Stepping::new(&[50, 40, 0, 900, 41, 42])), 42);
        // Asked twice within a step of 26.
        assert_eq!(quantum(&Stepping::new(&[26, 26, 1, 25, 26, 26, 26, 468])), 26);
        // A step back is none.
        assert_eq!(quantum(&Stepping::new(&[30, 30, 5_u64.wrapping_neg()])), 30);
        // So slow that only a few steps are seen.
        let mut slow = [0; 30_000];
        slow[7] = 500;
        assert_eq!(quantum(&Stepping::new(&slow)), 500);
        let still = Stepping::new(&[0]);
        assert_eq!(quantum(&still), 0);
        assert_eq!(still.reads.get(), 65_537);
    }
}

//! What the timer itself costs: an enter and exit, and the clock's quantum, measured on the machine.

use crate::clock::{Clock, Elapsed, elapsed, quantum};
use crate::config::{Config, Keep};
use crate::context::Site;
use crate::layout::{Layout, header};
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{Relaxed, Words};
use crate::timer::Timer;

/// Pairs in a batch, and batches; the cheapest batch counts, since interruptions only add.
const PAIRS: u32 = 128;
const BATCHES: u32 = 8;

/// Set in the quantum's word once both were measured: a clock that stands still has neither.
const MEASURED: u32 = 1 << 31;

/// A mean below this many times the price says as much of the timer as of the section.
const NEAR: u128 = 4;

/// What an enter and exit cost, and the smallest time the clock can tell, in picoseconds. 0 where it
/// could not be measured (a clock that stands still).
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, HostTimer, Price};
///
/// let price = HostTimer::new(Config::HOST).unwrap().price();
/// println!("{} ps for an enter and exit", price.pair);
/// let slow = Price { pair: 20_000, quantum: 10_000 };
/// assert!(slow.is_near(79_999) && !slow.is_near(80_000));
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// An enter and its exit, the time that nesting one more section adds to its parent. With its
    /// sample, where these are kept; without what a histogram adds (a few nanoseconds).
    pub pair: u32,
    /// The usual step of the clock.
    pub quantum: u32,
}

impl Price {
    /// Whether a mean duration is less than four times the pair, or than four times the quantum.
    pub const fn is_near(self, mean_picoseconds: u128) -> bool {
        mean_picoseconds < NEAR * self.pair as u128
            || mean_picoseconds < NEAR * self.quantum as u128
    }
}

/// A timer that holds one section.
const TINY: Config = Config {
    sections: 1,
    depth: 1,
    lanes: 1,
    categories: 2,
    rules: 0,
    name_bytes: 64,
    scratch: 0,
    late: 0,
    statistics: crate::config::Statistics::FULL,
    samples_per_lane: 0,
    keep: Keep::Newest,
    histograms: false,
};

impl<S: Shape, C: Clock> Timer<S, C> {
    /// The price, measured at the first call (some microseconds) and kept in the region; nothing where
    /// the clock stands still and nobody has said it.
    pub fn price(&self) -> Price {
        let region = self.ready();
        let (pair, kept) = (region.word(header::PRICE_PAIR), region.word(header::PRICE_QUANTUM));
        // Relaxed: each word stands alone; measured twice, either will do.
        let known = kept.load(Relaxed);
        if known & MEASURED != 0 || self.clock.stands_still() || cfg!(loom) {
            return Price { pair: pair.load(Relaxed), quantum: known & !MEASURED };
        }
        let mut price = self.measure();
        price.quantum = price.quantum.min(!MEASURED);
        pair.store(price.pair, Relaxed);
        kept.store(price.quantum | MEASURED, Relaxed);
        price
    }

    /// Says the price, where this timer can't measure it: its clock stands still while a call lasts.
    pub fn set_price(&self, price: Price) {
        let region = self.ready();
        // Relaxed: as in `price`.
        region.word(header::PRICE_PAIR).store(price.pair, Relaxed);
        region.word(header::PRICE_QUANTUM).store(price.quantum.min(!MEASURED) | MEASURED, Relaxed);
    }

    #[inline(never)]
    fn measure(&self) -> Price {
        // What samples cost belongs to the price; a histogram would take too much of the stack.
        let samples_per_lane = self.layout.config.samples_per_lane.min(1);
        let config = Config { statistics: S::STATISTICS, samples_per_lane, ..TINY };
        let (Ok(layout), words) =
            (Layout::new(config, S::SLOT_BYTES as u32), Words::<512>::zeroed())
        else {
            return Price::default();
        };
        if layout.bytes > size_of_val(&words) {
            return Price::default();
        }
        // SAFETY: `words` is zeroed, large enough, aligned to 8, and outlives the timer below.
        let timer: Timer<S, &C> =
            unsafe { Timer::from_region(Memory::new(words.pointer()), layout, &self.clock) };
        // A number of its own would be wasted: its sites are not seen by other timers.
        timer.region.word(header::OWNER).store(1, Relaxed); // Relaxed: this thread's alone
        let site = Site::new("", crate::category::DEFAULT_CATEGORY);
        let (Some(lane), width) = (timer.claim(), self.clock.width()) else {
            return Price::default();
        };
        let mut cheapest = u64::MAX;
        for _ in 0..BATCHES {
            let start = self.clock.now();
            for _ in 0..PAIRS {
                lane.exit(lane.enter_at(&site));
            }
            if let Elapsed::Forward(ticks) = elapsed(start, self.clock.now(), width) {
                cheapest = cheapest.min(ticks);
            }
        }
        if cheapest == u64::MAX {
            return Price::default(); // the clock went back each time
        }
        let picoseconds = |ticks| self.clock.scale().picoseconds(ticks);
        let narrow = |value: u128| u32::try_from(value).unwrap_or(u32::MAX);
        Price {
            pair: narrow(picoseconds(cheapest) / u128::from(PAIRS)),
            quantum: narrow(picoseconds(quantum(&self.clock))),
        }
    }
}

#[cfg(all(test, not(loom), feature = "std"))]
mod tests {
    use super::*;
    use crate::clock::Scale;

    struct Still;

    impl Clock for Still {
        fn now(&self) -> u64 {
            7
        }
        fn scale(&self) -> Scale {
            Scale::NANOSECONDS
        }
        fn name(&self) -> &'static str {
            "still"
        }
        fn stands_still(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_price_that_was_said_marks_the_rows_near_it() {
        let timer = Timer::with_clock(Config::SMALL, Still).unwrap();
        assert_eq!(timer.price(), Price::default());
        let context = timer.context().unwrap();
        context.record("near", "io", 300).unwrap();
        context.record("far", "io", 500).unwrap();
        timer.set_price(Price { pair: 20_000, quantum: 100_000 });
        let snapshot = timer.snapshot().unwrap();
        let near = |name| snapshot.section(&[name]).unwrap().is_near_price();
        assert_eq!((near("near"), near("far"), snapshot.price().quantum), (true, false, 100_000));
    }
}

//! The rate of a counter, measured once against the system's monotonic clock, then frozen.
//!
//! Two pairs of readings make a rate. A pair is taken many times over and the one that was disturbed
//! least is kept, so an interruption in between costs nothing. The first pair, the *anchor*, is taken
//! when the clock is first used, the second when the scale is first asked for: at least 20 ms later,
//! more where the readings of the machine are so uncertain that it takes longer to be right to
//! 10 parts per million. Whoever asks too early spins for what is missing; nothing sleeps, allocates
//! or locks, every wait is bounded.

use crate::clock::scale::{Scale, divide_to_nearest};
use crate::sync::{Acquire, HostAtomicU64, Relaxed, Release};

/// Two clocks to be compared. A trait, so that tests own both.
pub(super) trait Readings {
    fn ticks(&self) -> u64;
    fn nanoseconds(&self) -> u64;
    /// Ticks a second as the machine states them, for when nothing can be measured.
    fn stated_hertz(&self) -> u64;
}

/// A reading of both clocks at one instant, give or take the bracket.
#[derive(Clone, Copy)]
struct Pair {
    ticks: u64,
    nanoseconds: u64,
    /// Ticks between the readings of the counter on either side, and one for its own grain.
    bracket: u64,
}

/// Readings from which a pair takes the one that was disturbed least.
const PAIR_READINGS: u32 = 64;
/// The shortest time between the two ends of a measurement, in ns.
const BASELINE: u64 = 20_000_000;
/// How often it may be lengthened while its ends are too uncertain.
const BASELINES: u64 = 10;
/// One part in so many is certain enough: half of the 20 parts per million that are promised.
const CERTAIN: u64 = 100_000;
/// A second look at the rate, in ns, to find out whether the counter ran on while the system slept.
const SECOND_LOOK: u64 = 1_000_000;
/// Where the two looks differ by more than one part in so many, it did.
const AGREEMENT: u64 = 256;
/// Readings after which a monotonic clock that hasn't come to its goal is given up.
const PATIENCE: u32 = 1 << 24;
/// Binary places of the frozen multiplier: from 65,536 ns a tick down to 10^-11 parts of a
/// tick of 0.1 ns.
const PLACES: u32 = 48;

impl Pair {
    fn take(clocks: &impl Readings) -> Pair {
        let mut best = Pair { ticks: 0, nanoseconds: 0, bracket: u64::MAX };
        for _ in 0..PAIR_READINGS {
            let before = clocks.ticks();
            let nanoseconds = clocks.nanoseconds();
            // A counter that steps back makes a wide bracket, which loses.
            let bracket = clocks.ticks().wrapping_sub(before).saturating_add(1);
            if bracket < best.bracket {
                best = Pair { ticks: before.wrapping_add(bracket / 2), nanoseconds, bracket };
            }
        }
        best
    }

    /// A pair taken `wait` ns after this one or later. None where the monotonic clock stands still.
    fn after(self, wait: u64, clocks: &impl Readings) -> Option<Pair> {
        for _ in 0..PATIENCE {
            if clocks.nanoseconds().wrapping_sub(self.nanoseconds) >= wait {
                return Some(Pair::take(clocks));
            }
            core::hint::spin_loop();
        }
        None
    }

    /// A pair so long after this one that the rate between them is certain, or the last one tried.
    fn far_after(self, clocks: &impl Readings) -> Option<Pair> {
        let mut end = None;
        for baselines in 1..=BASELINES {
            let pair = self.after(baselines * BASELINE, clocks)?;
            let doubt = self.bracket.saturating_add(pair.bracket);
            end = Some(pair);
            if doubt.saturating_mul(CERTAIN) <= pair.ticks.wrapping_sub(self.ticks) {
                break;
            }
        }
        end
    }

    /// Nanoseconds a tick from this pair to a later one, times 2^PLACES. None where either clock
    /// didn't move forward.
    fn rate_until(self, end: Pair) -> Option<u64> {
        let ticks = end.ticks.wrapping_sub(self.ticks);
        let nanoseconds = end.nanoseconds.wrapping_sub(self.nanoseconds);
        if ticks.min(nanoseconds) == 0 || ticks.max(nanoseconds) > i64::MAX as u64 {
            return None;
        }
        Some(divide_to_nearest(nanoseconds, PLACES, ticks)).filter(|&rate| rate > 0)
    }
}

/// Nanoseconds a tick, times 2^PLACES, measured from `start` on. None where the clocks can't be
/// compared.
fn measure(start: Pair, clocks: &impl Readings) -> Option<u64> {
    let end = start.far_after(clocks)?;
    // Since an old anchor the system may have slept: the monotonic clock stopped then, while the
    // counter ran on, or began anew.
    let rate_now = end.rate_until(end.after(SECOND_LOOK, clocks)?);
    match (start.rate_until(end), rate_now) {
        (Some(rate), Some(now)) if rate.abs_diff(now) <= rate / AGREEMENT => Some(rate),
        _ => end.rate_until(end.far_after(clocks)?),
    }
}

/// The measurement of one counter's rate: an anchor, then a multiplier that never changes.
pub(super) struct Calibration {
    /// EMPTY, then WRITING, then READY.
    state: HostAtomicU64,
    ticks: HostAtomicU64,
    nanoseconds: HostAtomicU64,
    bracket: HostAtomicU64,
    /// Nanoseconds a tick, times 2^PLACES; 0 before it is known.
    multiplier: HostAtomicU64,
}

const EMPTY: u64 = 0;
const WRITING: u64 = 1;
const READY: u64 = 2;

impl Calibration {
    pub(super) const fn new() -> Self {
        Self {
            state: HostAtomicU64::new(EMPTY),
            ticks: HostAtomicU64::new(0),
            nanoseconds: HostAtomicU64::new(0),
            bracket: HostAtomicU64::new(0),
            multiplier: HostAtomicU64::new(0),
        }
    }

    /// Takes the anchor, unless someone has or is about to. Wait-free.
    pub(super) fn anchor(&self, clocks: &impl Readings) {
        // Relaxed: whoever wins writes the anchor and reads nothing.
        if self.state.load(Relaxed) != EMPTY
            || self.state.compare_exchange(EMPTY, WRITING, Relaxed, Relaxed).is_err()
        {
            return;
        }
        let pair = Pair::take(clocks);
        // Relaxed: published by the store of READY.
        self.ticks.store(pair.ticks, Relaxed);
        self.nanoseconds.store(pair.nanoseconds, Relaxed);
        self.bracket.store(pair.bracket, Relaxed);
        // Release: pairs with the Acquire in `anchored`.
        self.state.store(READY, Release);
    }

    fn anchored(&self) -> Option<Pair> {
        // Acquire: pairs with the Release in `anchor`, so that the three words are whole.
        (self.state.load(Acquire) == READY).then(|| Pair {
            // Relaxed: ordered by the load of the state.
            ticks: self.ticks.load(Relaxed),
            nanoseconds: self.nanoseconds.load(Relaxed),
            bracket: self.bracket.load(Relaxed),
        })
    }

    /// The frozen scale, measured if need be. Bounded, lock-free: where the anchor's writer was
    /// stopped in the middle (this may be a signal handler above it), an anchor of our own does.
    #[cold]
    pub(super) fn scale(&self, clocks: &impl Readings) -> Scale {
        // Relaxed, here and below: the word is all there is, and it changes once.
        let mut multiplier = self.multiplier.load(Relaxed);
        if multiplier == 0 {
            let start = self.anchored().unwrap_or_else(|| Pair::take(clocks));
            let measured = measure(start, clocks)
                .unwrap_or_else(|| divide_to_nearest(1_000_000_000, PLACES, clocks.stated_hertz()));
            multiplier = match self.multiplier.compare_exchange(0, measured, Relaxed, Relaxed) {
                Ok(_) => measured,
                Err(earlier) => earlier,
            };
        }
        Scale { multiplier, shift: PLACES }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;

    /// A machine in which time is a number: readings cost time, some are interrupted.
    struct Simulated {
        /// True time in picoseconds.
        time: Cell<u128>,
        reads: Cell<u64>,
        hertz: u64,
        /// Ticks that were added or taken while the system slept.
        slept: Cell<u64>,
        /// Every so many readings the machine does something else for 30 µs.
        interrupted: u64,
        still: bool,
    }

    impl Simulated {
        fn new(hertz: u64) -> Self {
            Self {
                time: Cell::new(987_654_321_000),
                reads: Cell::new(0),
                hertz,
                slept: Cell::new(0),
                interrupted: u64::MAX,
                still: false,
            }
        }
        fn pass(&self) {
            let reads = self.reads.get() + 1;
            self.reads.set(reads);
            let pause = if reads.is_multiple_of(self.interrupted) { 30_000_000 } else { 0 };
            self.time.set(self.time.get() + 13_300 + reads as u128 * 7919 % 5000 + pause);
        }
        fn sleep(&self, nanoseconds: u128) {
            self.time.set(self.time.get() + nanoseconds * 1000);
        }
        /// How far a scale is off, in parts per million.
        fn off(&self, scale: Scale) -> u64 {
            scale.nanoseconds(self.hertz * 1000).abs_diff(1_000_000_000_000) / 1_000_000
        }
    }

    impl Readings for Simulated {
        fn ticks(&self) -> u64 {
            self.pass();
            let ticks = self.time.get() * u128::from(self.hertz) / 1_000_000_000_000;
            (ticks as u64).wrapping_add(self.slept.get())
        }
        fn nanoseconds(&self) -> u64 {
            self.pass();
            if self.still { 0 } else { (self.time.get() / 1000) as u64 }
        }
        fn stated_hertz(&self) -> u64 {
            24_000_000
        }
    }

    #[test]
    fn the_scale_is_certain_to_20_parts_per_million() {
        for hertz in [1_000_000, 24_000_000, 1_000_000_000, 2_596_123_457, 5_700_000_001] {
            for interrupted in [u64::MAX, 1000, 17, 4] {
                let machine = Simulated { interrupted, ..Simulated::new(hertz) };
                let calibration = Calibration::new();
                calibration.anchor(&machine);
                let scale = calibration.scale(&machine);
                let off = machine.off(scale);
                assert!(off < 20, "{hertz} Hz, interrupted {interrupted}: {off} ppm");
                // Frozen: another look changes nothing.
                machine.sleep(123_456_789);
                machine.slept.set(12_345_678);
                assert_eq!(calibration.scale(&machine), scale);
            }
        }
    }

    #[test]
    fn an_old_anchor_costs_no_wait() {
        let machine = Simulated::new(3_000_000_000);
        let calibration = Calibration::new();
        calibration.anchor(&machine);
        machine.sleep(3_600_000_000_000);
        let before = machine.time.get();
        assert_eq!(machine.off(calibration.scale(&machine)), 0);
        assert!(machine.time.get() - before < 2 * u128::from(SECOND_LOOK) * 1000);
    }

    #[test]
    fn a_system_that_slept_since_the_anchor_is_measured_anew() {
        // The counter ran on for a minute, ran on for a second, began anew.
        let minute = 60 * 3_000_000_000_u64;
        for ticks in [minute, minute / 60, (minute / 5).wrapping_neg()] {
            let machine = Simulated::new(3_000_000_000);
            let calibration = Calibration::new();
            calibration.anchor(&machine);
            machine.sleep(5_000_000_000);
            machine.slept.set(ticks);
            let off = machine.off(calibration.scale(&machine));
            assert!(off < 20, "{ticks} ticks: {off} ppm");
        }
    }

    #[test]
    fn a_clock_that_stands_still_leaves_what_the_machine_states() {
        let machine = Simulated { still: true, ..Simulated::new(3_000_000_000) };
        let scale = Calibration::new().scale(&machine);
        assert_eq!(scale.hertz(), 24_000_000);
        assert!(machine.reads.get() < 2 * u64::from(PATIENCE));
    }

    #[test]
    fn a_writer_stopped_in_the_middle_of_the_anchor_holds_up_nobody() {
        let machine = Simulated::new(2_000_000_000);
        let calibration = Calibration::new();
        calibration.state.store(WRITING, Relaxed);
        calibration.anchor(&machine);
        assert_eq!(machine.reads.get(), 0);
        assert!(machine.off(calibration.scale(&machine)) < 20);
    }
}

//! The user's clock: SysTick counts down, and its interrupt counts how often it came round.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{SCB, SYST};
use xtimer_core::{Clock, Scale};

/// The processor's clock after reset (in QEMU; a board of its own asks the data sheet).
pub const HERTZ: u64 = 12_500_000;

/// Ticks from one interrupt to the next: 200 microseconds.
const PERIOD: u32 = 2_500;

/// How often SysTick came round, as far as its interrupt has run.
static ROUNDS: AtomicU32 = AtomicU32::new(0);

/// Reads SysTick, extended to 32 bits by the rounds. It comes round itself every 343 seconds, and a
/// section across that is timed right.
pub struct Ticks;

impl Clock for Ticks {
    #[inline]
    fn now(&self) -> u64 {
        loop {
            // Relaxed: one core; a handler's store is seen by what it interrupted.
            let rounds = ROUNDS.load(Relaxed);
            let pending = SCB::is_pendst_pending();
            // It counts PERIOD - 1, ..., 1, 0; the round ends when it reaches 0.
            let left = SYST::get_current();
            // Has a round ended, or its interrupt run, between those readings?
            if ROUNDS.load(Relaxed) == rounds && SCB::is_pendst_pending() == pending {
                let whole = rounds.wrapping_add(u32::from(pending)).wrapping_mul(PERIOD);
                let since = if left == 0 { 0 } else { PERIOD - left };
                return u64::from(whole.wrapping_add(since));
            }
        }
    }

    fn width(&self) -> u32 {
        32
    }

    fn scale(&self) -> Scale {
        Scale::from_hertz(HERTZ)
    }

    fn name(&self) -> &'static str {
        "systick"
    }
}

/// Starts SysTick and its interrupt.
pub fn start(systick: &mut SYST) {
    systick.set_clock_source(SystClkSource::Core);
    systick.set_reload(PERIOD - 1);
    systick.clear_current();
    systick.enable_interrupt();
    systick.enable_counter();
}

/// A round has ended: the interrupt handler's first act. Gives how many that makes.
pub fn count_round() -> u32 {
    // Relaxed: the handler alone writes.
    let rounds = ROUNDS.load(Relaxed).wrapping_add(1);
    ROUNDS.store(rounds, Relaxed);
    rounds
}

/// Rounds whose interrupt has run.
pub fn rounds() -> u32 {
    ROUNDS.load(Relaxed) // Relaxed: as in `now`
}

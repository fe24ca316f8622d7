//! A Cortex-M3 that times its boot, its control loop and an interrupt, and checks what comes out.
//!
//! `tasks.rs` is the firmware, as one would instrument it; `expect.rs` knows what it must have
//! recorded. The exit status is 0 only when every number is as expected.

#![no_std]
#![no_main]

mod check;
mod clock;
mod expect;
mod tasks;

use cortex_m::Peripherals;
use cortex_m_rt::{ExceptionFrame, entry, exception};
use xtimer_core::{Config, Context, Kept, Statistics, fixed, static_bytes, static_timer};

use crate::check::Checks;
use crate::clock::Ticks;

/// What the timer has room for.
const CONFIG: Config = Config {
    sections: 26,
    depth: 8,
    lanes: 2,
    categories: 8,
    rules: 2,
    name_bytes: 640,
    statistics: Statistics::EXCLUSIVE,
    ..Config::SMALL
};

/// What that costs, known to the compiler: `TIMER`'s memory is a symbol of this size in `.bss`.
const RAM: usize = static_bytes(CONFIG);

static_timer! {
    /// Times everything: `main` in one lane, the interrupt in another.
    static TIMER: Ticks = Ticks, CONFIG;
}

/// The stack of open sections of `main`, or of one interrupt.
type Sections = Context<'static, Kept<{ fixed::bits(CONFIG) }>, Ticks>;

#[entry]
fn main() -> ! {
    let mut checks = Checks::new();
    let Some(mut peripherals) = Peripherals::take() else { checks.end() };
    clock::start(&mut peripherals.SYST);
    // Measured once, here: it takes a while.
    let price = TIMER.price();
    checks.print(format_args!("static_bytes(CONFIG) = {RAM}"));
    checks.print(format_args!("an enter and exit: {} instructions", price.pair / 1000));
    match TIMER.context() {
        Ok(sections) => expect::whole_run(&mut checks, &sections),
        Err(error) => checks.print(format_args!("FAILED: {error}")),
    }
    checks.end()
}

/// Each interrupt level has a context, and so a lane, of its own: it neither disturbs nor waits for
/// what it interrupts.
#[exception]
fn SysTick() {
    static mut SECTIONS: Option<Sections> = None;
    clock::count_round();
    if SECTIONS.is_none() {
        *SECTIONS = TIMER.context().ok();
    }
    if let Some(sections) = SECTIONS {
        tasks::interrupt(sections);
    }
}

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    let mut checks = Checks::new();
    checks.holds("no hard fault", false);
    checks.print(format_args!("  {frame:?}"));
    checks.end()
}

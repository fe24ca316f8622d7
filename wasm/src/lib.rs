//! The core in a page: thin bindings that the TypeScript layer calls.
//!
//! ```text
//! clock      the time of the call, which JavaScript reads and hands in
//! state      the timers of this module by number, the text that crosses
//! timer      make, free, clear, switch, rules, price
//! stack      enter and exit on the timer's own stack
//! task       sections that a task holds by value; recorded durations
//! view       totals, JSON, report
//! profile    profiles as bytes, samples
//! ```
//!
//! Everything is named by number: timers, call sites, sections, tokens. Any number is safe. Times are
//! milliseconds, as `performance.now()` gives them; text is said before a call ([`state::say`]) and handed
//! over behind it ([`state::answer`]): when a site is made, a view is read, or a call is refused, which
//! gives a code below 0. No export calls JavaScript, so none is entered twice.

#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

mod clock;
mod profile;
mod stack;
mod state;
mod task;
mod timer;
mod view;

#[cfg(target_feature = "atomics")]
compile_error!("the state of these bindings is for modules of one thread");

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

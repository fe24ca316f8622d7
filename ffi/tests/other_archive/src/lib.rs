//! Someone else's Rust library: threads, thread-locals and unwinding of its own.

use std::cell::Cell;
use std::panic::catch_unwind;
use std::thread;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// The sum of 1 to `n`, computed by two threads.
#[unsafe(no_mangle)]
pub extern "C" fn other_sum(n: u64) -> u64 {
    let half = n / 2;
    thread::scope(|scope| {
        let low = scope.spawn(move || (1..=half).sum::<u64>());
        let high = scope.spawn(move || (half + 1..=n).sum::<u64>());
        low.join().unwrap_or(0) + high.join().unwrap_or(0)
    })
}

/// How often this thread called; panics and catches the panic each time.
#[unsafe(no_mangle)]
pub extern "C" fn other_unwinds() -> u64 {
    let caught = catch_unwind(|| std::panic::resume_unwind(Box::new(1_u64)));
    let step = caught.err().and_then(|payload| payload.downcast::<u64>().ok());
    CALLS.with(|calls| {
        calls.set(calls.get() + step.map_or(0, |step| *step));
        calls.get()
    })
}

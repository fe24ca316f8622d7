//! The ways of entering and exiting a section, each as a loop of empty pairs over the default timer.

use std::hint::black_box;

use xtimer_core::{Site, ThreadContext, cycle_counter, default_timer, section, with_thread};

/// A way of entering and exiting.
#[derive(Clone, Copy)]
pub struct Path {
    /// What it is called in tables and on the command line.
    pub name: &'static str,
    /// Runs so many pairs. Its sections nest in whatever is open.
    pub run: fn(u32),
    /// The ratio to two bare clock reads that is aimed for.
    pub aim: Option<f64>,
}

/// Two bare clock reads a pair: what no timer can do without.
#[inline(never)]
pub fn bare(pairs: u32) {
    for _ in 0..pairs {
        black_box(cycle_counter());
        black_box(cycle_counter());
    }
}

/// All paths.
pub fn all() -> [Path; 6] {
    let path = |name, run, aim| Path { name, run, aim };
    [
        path("Rust handle", rust_handle as fn(u32), Some(1.25)),
        path("Rust context", rust_context, None),
        path("Rust name", rust_name, None),
        path("C handle", native::c_handle, Some(1.35)),
        path("C string", native::c_string, Some(1.65)),
        path("C++ scope", native::cpp_scope, Some(1.30)),
    ]
}

/// `section!`: a guard over the default timer.
#[inline(never)]
pub fn rust_handle(pairs: u32) {
    for _ in 0..pairs {
        let _pair = section!("pair by handle");
    }
}

/// An explicit `Context`, by call site.
#[inline(never)]
pub fn rust_context(pairs: u32) {
    static SITE: Site = Site::uncategorised("pair in a context");
    in_thread(|context| {
        for _ in 0..pairs {
            if let Ok(token) = context.enter_at(&SITE) {
                let _ = context.exit(token);
            }
        }
    });
}

/// An explicit `Context`, by name: hashed and looked up each time.
#[inline(never)]
pub fn rust_name(pairs: u32) {
    in_thread(|context| {
        for _ in 0..pairs {
            if let Ok(token) = context.enter(black_box("pair by name"), "default") {
                let _ = context.exit(token);
            }
        }
    });
}

fn in_thread(work: impl FnOnce(&ThreadContext)) {
    assert!(with_thread(work).is_some(), "this thread has no context");
}

/// `section!` while the timer is switched off.
pub fn switched_off(pairs: u32) {
    let timer = default_timer().expect("the default timer");
    timer.set_enabled(false);
    rust_handle(pairs);
    timer.set_enabled(true);
}

/// `section!` while a rule is registered that forbids nothing here.
pub fn with_rules(pairs: u32) {
    let timer = default_timer().expect("the default timer");
    timer.forbid("one", "another").expect("room for a rule");
    rust_handle(pairs);
    timer.clear_rules();
}

/// The paths through the C and C++ front ends.
pub mod native {
    use xtimer as _; // the exported functions that the C and C++ sides call

    mod raw {
        unsafe extern "C" {
            pub safe fn xtimer_bench_c_handle(pairs: u32);
            pub safe fn xtimer_bench_c_string(pairs: u32);
            pub safe fn xtimer_bench_cpp_scope(pairs: u32);
            pub safe fn xtimer_bench_cpp_disabled(pairs: u32) -> u32;
            pub safe fn xtimer_bench_cpp_bare(pairs: u32) -> u32;
        }
    }

    /// `xtimer_begin_at` and `xtimer_end`.
    pub fn c_handle(pairs: u32) {
        raw::xtimer_bench_c_handle(pairs);
    }

    /// `xtimer_begin` with its two strings, and `xtimer_end`.
    pub fn c_string(pairs: u32) {
        raw::xtimer_bench_c_string(pairs);
    }

    /// `XTIMER_SCOPE`.
    pub fn cpp_scope(pairs: u32) {
        raw::xtimer_bench_cpp_scope(pairs);
    }

    /// A loop with an `XTIMER_SCOPE` that `XTIMER_DISABLE` compiles out.
    pub fn cpp_disabled(pairs: u32) {
        raw::xtimer_bench_cpp_disabled(pairs);
    }

    /// The same loop without it.
    pub fn cpp_bare(pairs: u32) {
        raw::xtimer_bench_cpp_bare(pairs);
    }
}

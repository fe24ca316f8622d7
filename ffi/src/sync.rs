//! Atomics: the only file here that names them.

pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use std::sync::atomic::{Ordering, compiler_fence};

/// Keeps the compiler from moving memory accesses across this point, for the sake of a signal
/// handler on the same thread.
#[inline(always)]
pub(crate) fn handler_fence() {
    compiler_fence(Ordering::SeqCst);
}

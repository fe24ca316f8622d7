//! Atomics, and a lock for what is rarely changed: the only file here that names them.

pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use std::cell::UnsafeCell;
use std::sync::atomic::{Ordering, compiler_fence};

/// Keeps the compiler from moving memory accesses across this point, for the sake of a signal
/// handler on the same thread.
#[inline(always)]
pub(crate) fn handler_fence() {
    compiler_fence(Ordering::SeqCst);
}

/// How often a lock is asked for before the answer is `Busy`.
const ATTEMPTS: u32 = 10_000;

/// A lock that gives up: a signal handler that interrupts its holder gets an error, not a deadlock.
pub(crate) struct Lock<T> {
    taken: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: `with` gives the value to one thread at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

/// Gives the lock back, also when the work panics.
struct Taken<'l>(&'l AtomicU32);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        // Release pairs with the Acquire in `take`.
        self.0.store(0, Release);
    }
}

impl<T> Lock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { taken: AtomicU32::new(0), value: UnsafeCell::new(value) }
    }

    /// Takes the lock; `false` when it stayed taken.
    pub(crate) fn take(&self) -> bool {
        for _ in 0..ATTEMPTS {
            // Acquire pairs with the Release of the former holder.
            if self.taken.compare_exchange(0, 1, Acquire, Relaxed).is_ok() {
                return true;
            }
            std::thread::yield_now();
        }
        false
    }

    /// Gives back what `take` took.
    pub(crate) fn give_back(&self) {
        drop(Taken(&self.taken));
    }

    /// Works on the value; `None` when the lock stayed taken.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        if !self.take() {
            return None;
        }
        let _taken = Taken(&self.taken);
        // SAFETY: the lock is ours until `_taken` goes.
        Some(work(unsafe { &mut *self.value.get() }))
    }

    /// In the child of a fork whose parent's other thread holds the lock for ever: puts `value` in
    /// place of what that thread was changing, which is leaked, and frees the lock.
    ///
    /// # Safety
    /// - No other thread exists.
    /// - This thread is not inside `with`.
    pub(crate) unsafe fn begin_anew(&self, value: T) {
        // SAFETY: nobody else can reach it, as the caller says.
        unsafe { self.value.get().write(value) };
        self.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn a_lock_taken_by_the_same_thread_gives_up() {
        let lock = Lock::new(1);
        assert_eq!(lock.with(|_| lock.with(|value| *value)), Some(None));
        assert_eq!(lock.with(|value| *value), Some(1));
    }

    #[test]
    fn a_panic_gives_the_lock_back() {
        let lock = Lock::new(1);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            lock.with(|_| std::panic::resume_unwind(Box::new("on purpose")))
        }));
        assert!(outcome.is_err());
        assert_eq!(lock.with(|value| *value), Some(1));
    }
}

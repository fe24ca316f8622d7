//! A lock for what is rarely changed, in which no thread waits for itself.
//!
//! It knows who holds it. So a signal handler that interrupts its holder is turned away at once, and
//! everybody else waits until the holder is done. Around a fork the forking thread holds it
//! (`fork.rs`): the child begins with its value whole and its holder alive.

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::time::Duration;

use crate::sync::{Acquire, AtomicPtr, Relaxed, Release};

/// How often a waiter yields before it sleeps between its attempts: a holder of a lower priority may
/// need its processor.
const YIELDS: u32 = 1000;
const NAP: Duration = Duration::from_micros(100);

thread_local! {
    /// Its address tells this thread from others, also in the child of a fork.
    static HERE: Cell<u8> = const { Cell::new(0) };
}

/// The address that stands for this thread.
fn me() -> *mut u8 {
    // Where thread-locals are gone (they have no destructor, so on few systems), any but null.
    HERE.try_with(Cell::as_ptr).unwrap_or(ptr::dangling_mut())
}

/// A value that one thread at a time works on.
#[derive(Debug)]
pub struct Lock<T> {
    /// Null while it is free.
    holder: AtomicPtr<u8>,
    value: UnsafeCell<T>,
}

// SAFETY: `with` gives the value to one thread at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

/// Gives the lock back, also when the work panics.
struct Held<'l, T>(&'l Lock<T>);

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

impl<T> Lock<T> {
    /// A free lock.
    pub const fn new(value: T) -> Self {
        Self { holder: AtomicPtr::new(ptr::null_mut()), value: UnsafeCell::new(value) }
    }

    /// Takes the lock, waiting for others; `false` where this thread holds it already.
    pub fn take(&self) -> bool {
        let me = me();
        let mut attempts = 0_u32;
        // Acquire pairs with the Release in `give_back`. Relaxed: the address is not followed.
        while let Err(holder) = self.holder.compare_exchange(ptr::null_mut(), me, Acquire, Relaxed)
        {
            if holder == me {
                return false;
            }
            if attempts < YIELDS {
                attempts += 1;
                std::thread::yield_now();
            } else {
                std::thread::sleep(NAP);
            }
        }
        true
    }

    /// Gives back what this thread took.
    pub fn give_back(&self) {
        // Release pairs with the Acquire in `take`.
        self.holder.store(ptr::null_mut(), Release);
    }

    /// Works on the value; `None` where this thread is doing so already.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        if !self.take() {
            return None;
        }
        let _held = Held(self);
        // SAFETY: the lock is this call's until `_held` goes.
        Some(work(unsafe { &mut *self.value.get() }))
    }
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn a_thread_does_not_wait_for_itself() {
        let lock = Lock::new(1);
        assert_eq!(lock.with(|_| lock.with(|value| *value)), Some(None));
        assert_eq!(lock.with(|value| *value), Some(1));
    }

    #[test]
    fn threads_wait_for_each_other() {
        let lock = Lock::new(0_u64);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        // Read and written apart: without the lock, additions would be lost.
                        lock.with(|value| {
                            let read = std::hint::black_box(*value);
                            *value = read + 1;
                        })
                        .unwrap();
                    }
                });
            }
        });
        assert_eq!(lock.with(|value| *value), Some(4000));
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

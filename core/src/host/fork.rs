//! After a fork the child starts clean: only the thread that forked lives on in it.

use crate::clock::Clock;
use crate::lane::is_founded;
use crate::late;
use crate::layout::{header, journal, lane as at, loss};
use crate::region::Memory;
use crate::samples;
use crate::shape::Shape;
use crate::sync::{Relaxed, Release, SeqCst};
use crate::timer::{EPOCH, Timer};

impl<S: Shape, C: Clock> Timer<S, C> {
    /// In the child of a fork: drops all timings, gives back the lanes of threads that are no more,
    /// and what those held. Sections that the forking thread (its lane given) had open stay open and,
    /// as after a clear, are not recorded. Async-signal-safe.
    pub(crate) fn start_clean(&self, mine: Option<Memory<'_>>) {
        let region = self.ready();
        // Relaxed throughout: no other thread exists.
        for area in 0..2 {
            region.word(header::SCRATCH_CLAIMS + 4 * area).store(0, Relaxed);
        }
        region.word(header::CLEARING).store(0, Relaxed);
        if region.word(header::LATE_CONTEXTS).load(Relaxed) != 0 {
            late::zero_all(region, &self.layout);
        }
        for counter in 0..loss::COUNT {
            region.wide(header::LATE_LOSSES + 8 * counter).store(0);
        }
        let used = region.word(header::LANES_USED).load(Relaxed);
        for index in 0..self.layout.config.lanes {
            let lane = self.lane_memory(index);
            // Behind those that were claimed once come those that were just being claimed, in a row.
            if index >= used && lane.word(at::OWNER).load(Relaxed) == 0 {
                break;
            }
            if mine.is_some_and(|mine| mine.pointer() == lane.pointer()) {
                continue;
            }
            // A lane that was being made has no TOP yet, and `claim` makes it again.
            if is_founded(lane) {
                lane.word(at::TOP).store(lane.word(at::FRAMES).load(Relaxed), Relaxed);
            }
            if self.layout.places != 0 {
                samples::align(lane.at(self.layout.ring), &self.layout);
            }
            lane.word(at::JOURNAL + journal::SECTION).store(self.layout.idle(), Relaxed);
            lane.word(at::OWNER).store(0, Release);
        }
        region.wide(header::STATE).add(EPOCH, SeqCst);
    }
}

/// Registers the handlers around a fork, once.
#[cfg(unix)]
pub(crate) fn watch() {
    use super::{rules, shared};
    use crate::sync::AtomicU32;

    static WATCHED: AtomicU32 = AtomicU32::new(0);
    extern "C" fn before() {
        rules::before_fork();
        shared::before_fork();
    }
    extern "C" fn in_parent() {
        shared::after_fork();
        rules::after_fork();
    }
    extern "C" fn in_child() {
        shared::after_fork();
        rules::after_fork();
        shared::start_clean_in_child();
        if let Some(timer) = super::default::existing() {
            timer.start_clean(super::default::lane_of_thread().map(|lane| lane.lane));
        }
    }
    // Relaxed: one thread registers, and nothing is read through it.
    if WATCHED.swap(1, Relaxed) != 0 {
        return;
    }
    // SAFETY: the handlers are async-signal-safe and live as long as the program. A failure (no
    // memory) only means that a child would inherit the parent's numbers.
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}
/// There is no fork.
#[cfg(not(unix))]
pub(crate) fn watch() {}

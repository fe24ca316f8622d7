//! After a fork: the child's timers start clean, and no lock stays with a thread that is no more.

use crate::sync::{AcqRel, AtomicBool, Relaxed};
use crate::{gathered, held, snapshot, step};

static WATCHED: AtomicBool = AtomicBool::new(false);
/// What the handler before the fork got hold of.
static HAS_SNAPSHOTS: AtomicBool = AtomicBool::new(false);
/// And of gathered profiles.
static HAS_GATHERED: AtomicBool = AtomicBool::new(false);
static HAS_STEPS: AtomicBool = AtomicBool::new(false);

/// Registers the handlers, once.
pub(crate) fn watch() {
    // AcqRel: one thread registers.
    if WATCHED.swap(true, AcqRel) {
        return;
    }
    #[cfg(unix)]
    // SAFETY: the handlers live as long as the library, which removes them when it is unloaded. A
    // failure (no memory) only means that a child would inherit the parent's numbers.
    unsafe {
        libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child))
    };
}

/// Takes the locks of what C holds, so that the child finds it whole: its one thread has them. Where
/// that thread has one already (the fork is a signal handler's), the interrupted call goes on in
/// parent and child alike.
#[cfg_attr(not(unix), allow(dead_code))]
extern "C" fn before() {
    // Relaxed: the forking thread's own, before and after.
    HAS_SNAPSHOTS.store(snapshot::TAKEN.take(), Relaxed);
    HAS_GATHERED.store(gathered::HELD.take(), Relaxed);
    HAS_STEPS.store(step::STEPS.take(), Relaxed);
}

#[cfg_attr(not(unix), allow(dead_code))]
extern "C" fn in_parent() {
    // Relaxed: as above.
    if HAS_SNAPSHOTS.swap(false, Relaxed) {
        snapshot::TAKEN.give_back();
    }
    if HAS_GATHERED.swap(false, Relaxed) {
        gathered::HELD.give_back();
    }
    if HAS_STEPS.swap(false, Relaxed) {
        step::STEPS.give_back();
    }
}

#[cfg_attr(not(unix), allow(dead_code))]
extern "C" fn in_child() {
    in_parent();
    held::start_clean();
}

//! Timers that several threads share by reference: a book that finds them by their number, and a
//! thread's context in one, which keeps it alive.

use std::ops::Deref;
use std::sync::{Arc, Weak};

use crate::error::Error;
use crate::host::default::ThreadContext;
use crate::host::lock::Lock;
use crate::host::set;
use crate::host::timer::HostTimer;
use crate::sync::{AtomicU32, Relaxed};

/// The timers that were ever enabled, or shared by a front end. Numbers are never used twice.
static BOOK: Lock<Vec<(u32, Weak<HostTimer>)>> = Lock::new(Vec::new());

/// Writes a timer into the book, where it is not in it yet. Those that are gone are taken out.
pub(crate) fn register(timer: &Arc<HostTimer>) -> Result<(), Error> {
    timer.ready();
    let serial = timer.serial();
    let register = |book: &mut Vec<(u32, Weak<HostTimer>)>| {
        book.retain(|(_, timer)| timer.strong_count() > 0);
        if !book.iter().any(|&(number, _)| number == serial) {
            book.try_reserve(1).map_err(|_| Error::NoMemory)?;
            book.push((serial, Arc::downgrade(timer)));
        }
        Ok(())
    };
    BOOK.with(register).unwrap_or(Err(Error::Busy))
}

/// The timer of a number, if it is in the book and still there.
pub(crate) fn find(serial: u32) -> Option<Arc<HostTimer>> {
    BOOK.with(|book| book.iter().find(|(number, _)| *number == serial)?.1.upgrade())?
}

/// Whether the fork in progress took the book.
static HAS_BOOK: AtomicU32 = AtomicU32::new(0);

/// Takes the book for the time of a fork, as the book of rules.
pub(crate) fn before_fork() {
    HAS_BOOK.store(u32::from(BOOK.take()), Relaxed); // Relaxed: the lock orders it, as below
}

/// Gives it back, in parent and child.
pub(crate) fn after_fork() {
    if HAS_BOOK.swap(0, Relaxed) != 0 {
        BOOK.give_back();
    }
}

/// In the child of a fork: the timers of the book start clean. This thread's sections stay open.
pub(crate) fn start_clean_in_child() {
    let _ = BOOK.with(|book| {
        // The others' references to a timer went with them, so none of these is the last.
        for timer in book.iter().filter_map(|(_, timer)| timer.upgrade()) {
            let mine = set::lane_in(timer.serial()).map(|lane| lane.lane);
            // Destroyed, and held by threads that are no more: its pages stay the parent's.
            if mine.is_some() || !timer.is_retired() {
                timer.start_clean(mine);
            }
        }
    });
}

/// A thread's context in a shared timer.
#[doc(hidden)]
#[derive(Debug)]
pub struct SharedContext {
    /// Goes first: it borrows the timer.
    context: ThreadContext,
    timer: Arc<HostTimer>,
}

impl SharedContext {
    pub(crate) fn new(timer: Arc<HostTimer>) -> Result<Self, Error> {
        // SAFETY: the reference below keeps the timer where it is for as long as the context lives.
        let borrowed: &'static HostTimer = unsafe { &*Arc::as_ptr(&timer) };
        Ok(Self { context: borrowed.context()?, timer })
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.timer.is_retired()
    }
}

impl Deref for SharedContext {
    type Target = ThreadContext;
    fn deref(&self) -> &ThreadContext {
        &self.context
    }
}

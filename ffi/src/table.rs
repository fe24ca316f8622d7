//! The timers that C made, in a fixed table: handles with generations, counted references.
//!
//! An entry's word holds generation (32 bits), whether the handle is good (1), and references (31).
//! The creator holds one reference until it destroys the timer, each thread with a context one until
//! it ends or notices, each call that only reads one for as long as it takes. Who gives back the
//! last reference of a destroyed timer lets go of it; only then can the entry hold another. The memory
//! goes with the last context.

use std::ops::Deref;
use std::ptr;
use std::sync::Arc;

use xtimer_core::HostTimer;

use crate::error::{Code, Failure, refuse};
use crate::sync::{AcqRel, Acquire, AtomicPtr, AtomicU64, Relaxed, Release};
use crate::timer::TimerHandle;

/// How many timers may exist at once beside the default one.
pub(crate) const ENTRIES: usize = 64;

struct Entry {
    word: AtomicU64,
    timer: AtomicPtr<HostTimer>,
}

static TABLE: [Entry; ENTRIES] =
    [const { Entry { word: AtomicU64::new(0), timer: AtomicPtr::new(ptr::null_mut()) } }; ENTRIES];

const GOOD: u64 = 1 << 31;
const REFERENCES: u64 = GOOD - 1;
const GENERATION_SHIFT: u32 = 32;

/// The entry of a handle, if it could be one.
pub(crate) const fn index_of(timer: TimerHandle) -> Option<usize> {
    // The index counts from 1; 0 is the default timer's and the null handle's.
    let index = (timer.handle & 0xffff_ffff) as usize;
    if index == 0 || index > ENTRIES { None } else { Some(index - 1) }
}

const fn handle(generation: u64, index: usize) -> TimerHandle {
    TimerHandle { handle: generation << GENERATION_SHIFT | (index as u64 + 1) }
}

const fn generation(timer: TimerHandle) -> u64 {
    timer.handle >> GENERATION_SHIFT
}

fn no_timer(timer: TimerHandle) -> Failure {
    let sentence = if timer.handle == 0 {
        format_args!("The handle is zero: it was never given a timer.")
    } else {
        format_args!("The handle's timer was destroyed, or never was one.")
    };
    refuse(Code::NoTimer, sentence)
}

/// Puts a timer into the table.
pub(crate) fn insert(timer: Arc<HostTimer>) -> Result<TimerHandle, Failure> {
    let fresh = Arc::into_raw(timer).cast_mut();
    for (index, entry) in TABLE.iter().enumerate() {
        let word = entry.word.load(Relaxed); // Relaxed: a look
        if word & (GOOD | REFERENCES) != 0 {
            continue;
        }
        let next = match (word >> GENERATION_SHIFT).wrapping_add(1) & 0xffff_ffff {
            0 => 1,
            next => next,
        };
        let taken = next << GENERATION_SHIFT | 1;
        // Acquire pairs with the Release in `release`: the former timer is gone.
        if entry.word.compare_exchange(word, taken, Acquire, Relaxed).is_ok() {
            entry.timer.store(fresh, Relaxed); // Relaxed: published by the word
            // Release publishes the timer.
            entry.word.store(taken | GOOD, Release);
            return Ok(handle(next, index));
        }
    }
    // SAFETY: what `into_raw` gave above, and no entry has.
    drop(unsafe { Arc::from_raw(fresh) });
    Err(refuse(
        Code::TooManyTimers,
        format_args!("{ENTRIES} timers exist already; destroy one that is not needed."),
    ))
}

/// A timer that stays for as long as this does.
pub(crate) struct Reference {
    timer: &'static HostTimer,
    /// The entry to give back to; the default timer has none.
    index: Option<usize>,
}

impl Deref for Reference {
    type Target = HostTimer;
    fn deref(&self) -> &HostTimer {
        self.timer
    }
}

impl Reference {
    /// The timer as what its contexts hold; `None` for the default one, which needs no holding.
    pub(crate) fn shared(&self) -> Option<Arc<HostTimer>> {
        let timer = TABLE[self.index?].timer.load(Relaxed); // Relaxed: as in `counted`
        // SAFETY: what `into_raw` gave, and the entry's count stays for as long as this reference.
        unsafe {
            Arc::increment_strong_count(timer);
            Some(Arc::from_raw(timer))
        }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        if let Some(index) = self.index {
            release(index);
        }
    }
}

/// The timer of a handle.
pub(crate) fn get(timer: TimerHandle) -> Result<Reference, Failure> {
    if timer == TimerHandle::DEFAULT {
        return match xtimer_core::default_timer() {
            Some(timer) => Ok(Reference { timer, index: None }),
            None => Err(refuse(
                Code::NoContext,
                format_args!("The memory for the default timer could not be had."),
            )),
        };
    }
    counted(timer).ok_or_else(|| no_timer(timer))
}

/// The timer of a handle, where it is good; notes no error.
pub(crate) fn find(timer: TimerHandle) -> Option<Reference> {
    if timer == TimerHandle::DEFAULT {
        return xtimer_core::default_timer().map(|timer| Reference { timer, index: None });
    }
    counted(timer)
}

fn counted(timer: TimerHandle) -> Option<Reference> {
    let index = index_of(timer)?;
    let entry = &TABLE[index];
    let mut word = entry.word.load(Relaxed); // Relaxed: checked by the exchange
    loop {
        if word & GOOD == 0 || word >> GENERATION_SHIFT != generation(timer) {
            return None;
        }
        // Acquire pairs with the Release in `insert`: the pointer and the timer are in place.
        match entry.word.compare_exchange_weak(word, word + 1, Acquire, Relaxed) {
            Ok(_) => break,
            Err(now) => word = now,
        }
    }
    // SAFETY: stored before the word said good; not freed while there are references.
    let timer = unsafe { &*entry.timer.load(Relaxed) }; // Relaxed: as above
    Some(Reference { timer, index: Some(index) })
}

/// Whether the handle is good now.
pub(crate) fn is_good(timer: TimerHandle) -> bool {
    let Some(index) = index_of(timer) else { return timer == TimerHandle::DEFAULT };
    let word = TABLE[index].word.load(Relaxed); // Relaxed: what follows holds a reference
    word & GOOD != 0 && word >> GENERATION_SHIFT == generation(timer)
}

/// Ends a handle. The timer goes with its last reference.
pub(crate) fn destroy(timer: TimerHandle) -> Result<(), Failure> {
    let Some(index) = index_of(timer) else { return Err(no_timer(timer)) };
    let entry = &TABLE[index];
    let mut word = entry.word.load(Relaxed); // Relaxed: checked by the exchange
    loop {
        if word & GOOD == 0 || word >> GENERATION_SHIFT != generation(timer) {
            return Err(no_timer(timer));
        }
        // Acquire pairs with the Release in `insert`: the timer is in place. `release` below orders
        // what was done with it.
        match entry.word.compare_exchange_weak(word, word & !GOOD, Acquire, Relaxed) {
            Ok(_) => break,
            Err(now) => word = now,
        }
    }
    // SAFETY: stored before the word said good; the reference that this call gives back keeps it.
    unsafe { &*entry.timer.load(Relaxed) }.leave_process(); // Relaxed: as above
    release(index);
    Ok(())
}

/// Gives back a reference; frees the timer with the last one.
fn release(index: usize) {
    let entry = &TABLE[index];
    let mut word = entry.word.load(Relaxed); // Relaxed: checked by the exchange
    loop {
        if word & (GOOD | REFERENCES) == 1 {
            // The last of a destroyed timer: nobody can take another reference.
            // Acquire pairs with the Release of the references given back before.
            entry.word.load(Acquire);
            let timer = entry.timer.swap(ptr::null_mut(), Relaxed);
            if !timer.is_null() {
                // SAFETY: what `into_raw` gave in `insert`; this entry gives its count back once.
                drop(unsafe { Arc::from_raw(timer) });
            }
            entry.word.store(word & !REFERENCES, Release);
            return;
        }
        // Release: who frees the timer does it after all that was done with it.
        match entry.word.compare_exchange_weak(word, word - 1, AcqRel, Relaxed) {
            Ok(_) => return,
            Err(now) => word = now,
        }
    }
}

/// In the child of a fork: references of threads that are no more are dropped. `is_mine` says whether
/// the forking thread has a context of an entry. The core makes the timers start clean.
/// Async-signal-safe.
pub(crate) fn start_clean(is_mine: impl Fn(usize) -> bool) {
    for (index, entry) in TABLE.iter().enumerate() {
        // Relaxed throughout: no other thread exists.
        let word = entry.word.load(Relaxed);
        let good = word & GOOD != 0;
        let references = u64::from(good) + u64::from(is_mine(index));
        if references == 0 {
            // Destroyed, and held by threads that are no more: its pages stay the parent's.
            entry.timer.store(ptr::null_mut(), Relaxed);
        }
        entry.word.store(word & !REFERENCES | references, Relaxed);
    }
}

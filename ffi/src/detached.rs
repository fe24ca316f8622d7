//! Detached sections: held by value, for work that is on no thread's stack.

use std::ffi::c_char;

use xtimer_core::thread::{self, DetachedSet};
use xtimer_core::{Detached, Error, Path, Place};

use crate::error::{Code, Failure, Status, refuse};
use crate::section::PathHandle;
use crate::timer::TimerHandle;
use crate::{guard, held, text};

/// A section held by value, for work that is on no thread's stack: an awaiting task, a pair of GPU
/// events, a callback. Finish it once, on any thread; all zero is a section that was not begun.
#[repr(C)]
#[derive(Debug)]
pub struct DetachedSection {
    /// The library's own, as all fields; here and below an entry for each timer it went to.
    pub start: [u64; 8],
    /// When, in clears.
    pub epoch: [u64; 8],
    /// Where.
    pub path: [u64; 8],
    /// 1: begun; 2: finished.
    pub state: u64,
}

impl DetachedSection {
    const NULL: Self = Self { start: [0; 8], epoch: [0; 8], path: [0; 8], state: 0 };
    const BEGUN: u64 = 1;
    const FINISHED: u64 = 2;

    #[expect(clippy::needless_pass_by_value, reason = "this is the section from here on")]
    fn of(detached: DetachedSet) -> Self {
        let parts = detached.to_parts();
        Self {
            start: parts.map(|(start, ..)| start),
            epoch: parts.map(|(_, epoch, _)| epoch),
            path: parts.map(|(.., path)| path.to_bits()),
            state: if detached.is_null() { 0 } else { Self::BEGUN },
        }
    }

    fn detached(&self) -> DetachedSet {
        let part = |index: usize| {
            (self.start[index], self.epoch[index], Path::from_bits(self.path[index]))
        };
        DetachedSet::from_parts(std::array::from_fn(part))
    }
}

/// Begins a section of the default timer that is on no stack, inside this thread's innermost open
/// section. It reduces no exclusive time, and nothing nests in it but by its path.
///
/// All zero where it was not begun (the timer is switched off, or xtimer_last_error says why);
/// finishing that does nothing. Never finished, it counts as begun and took no time. Any thread.
/// Signal handlers may call it, and xtimer_finish, on a thread that began a section before.
///
/// # Safety
/// Each string is NULL or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_detach(
    name: *const c_char,
    category: *const c_char,
) -> DetachedSection {
    // SAFETY: as the caller promises.
    unsafe { detach_here(None, name, category) }
}

/// As xtimer_detach, in a timer of your own.
///
/// # Safety
/// As for xtimer_detach.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_detach(
    timer: TimerHandle,
    name: *const c_char,
    category: *const c_char,
) -> DetachedSection {
    // SAFETY: as the caller promises.
    unsafe { detach(timer, None, name, category) }
}

/// As xtimer_detach, beneath a path instead of the innermost open section.
///
/// # Safety
/// As for xtimer_detach.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_detach_beneath(
    parent: PathHandle,
    name: *const c_char,
    category: *const c_char,
) -> DetachedSection {
    // SAFETY: as the caller promises.
    unsafe { detach_here(Some(parent.place()), name, category) }
}

/// As xtimer_detach_beneath, in a timer of your own, whose path it is.
///
/// # Safety
/// As for xtimer_detach.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_detach_beneath(
    timer: TimerHandle,
    parent: PathHandle,
    name: *const c_char,
    category: *const c_char,
) -> DetachedSection {
    // SAFETY: as the caller promises.
    unsafe { detach(timer, Some(parent), name, category) }
}

/// # Safety
/// As for xtimer_detach.
unsafe fn detach(
    timer: TimerHandle,
    parent: Option<PathHandle>,
    name: *const c_char,
    category: *const c_char,
) -> DetachedSection {
    guard::value(DetachedSection::NULL, || {
        held::with(timer, |context| {
            // SAFETY: as the caller promises.
            let (name, category) = unsafe { text::section(name, category) }?;
            let parent = parent.map(|parent| parent.place().path_in(context));
            let detached = context.detach(parent, name, category);
            Ok(detached.map(|detached| DetachedSection::of(DetachedSet::of(detached))))
        })
    })
}

/// Detaches where functions without a timer do.
///
/// # Safety
/// As for xtimer_detach.
unsafe fn detach_here(
    parent: Option<Place>,
    name: *const c_char,
    category: *const c_char,
) -> DetachedSection {
    guard::value(DetachedSection::NULL, || {
        // SAFETY: as the caller promises.
        let (name, category) = unsafe { text::section(name, category) }?;
        held::here(|| thread::detach(parent.as_ref(), name, category)).map(DetachedSection::of)
    })
}

/// Finishes a detached section: records it, in each timer that it went to and that still exists. On any
/// thread, once: a second time is XTIMER_STATUS_NOT_OPEN. One that was not begun is ignored.
///
/// # Safety
/// `detached` is NULL (an error) or points to a section that no other thread uses now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_finish(detached: *mut DetachedSection) -> Status {
    // SAFETY: as the caller promises.
    unsafe { finish(detached, |detached| held::here(|| thread::finish(detached))) }
}

/// As xtimer_finish, in the timer that it was begun in.
///
/// # Safety
/// As for xtimer_finish.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_finish(
    timer: TimerHandle,
    detached: *mut DetachedSection,
) -> Status {
    let one = |detached: DetachedSet| {
        held::with(timer, |context| {
            let mine = detached.place().path_in(context);
            let parts = detached.to_parts();
            let part = parts.into_iter().find(|(.., path)| *path == mine);
            Ok(part.map_or(Err(Error::OtherTimer), |(start, epoch, path)| {
                context.finish(Detached::from_parts(start, epoch, path))
            }))
        })
    };
    // SAFETY: as the caller promises.
    unsafe { finish(detached, one) }
}

/// Finishes what is to be finished.
///
/// # Safety
/// As for xtimer_finish.
unsafe fn finish(
    detached: *mut DetachedSection,
    finish: impl FnOnce(DetachedSet) -> Result<(), Failure>,
) -> Status {
    guard::status(|| {
        // SAFETY: NULL, or this thread's alone.
        let Some(detached) = (unsafe { detached.as_mut() }) else {
            return Err(refuse(
                Code::InvalidArgument,
                format_args!("The detached section is NULL."),
            ));
        };
        match detached.state {
            0 => return Ok(()),
            DetachedSection::BEGUN => {}
            _ => {
                return Err(refuse(
                    Code::NotOpen,
                    format_args!("The detached section was finished before."),
                ));
            }
        }
        finish(detached.detached())?;
        detached.state = DetachedSection::FINISHED;
        Ok(())
    })
}

/// The path of a detached section, to begin sections beneath it; all zero for NULL and for one that
/// was not begun. Any thread.
///
/// # Safety
/// `detached` is NULL or points to a section that no other thread changes now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_detached_path(detached: *const DetachedSection) -> PathHandle {
    // SAFETY: NULL, or may be read.
    let value = unsafe { detached.as_ref() }.map_or([0; 8], |detached| detached.path);
    PathHandle { value }
}

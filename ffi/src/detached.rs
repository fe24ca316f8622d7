//! Detached sections: held by value, for work that is on no thread's stack.

use std::ffi::c_char;

use xtimer_core::{Detached, Path};

use crate::error::{Code, Status, refuse};
use crate::section::PathHandle;
use crate::timer::TimerHandle;
use crate::{guard, held, text};

/// A section held by value, for work that is on no thread's stack: an awaiting task, a pair of GPU
/// events, a callback. Finish it once, on any thread; all zero is a section that was not begun.
#[repr(C)]
#[derive(Debug)]
pub struct DetachedSection {
    /// The library's own, as all fields.
    pub start: u64,
    /// When, in clears.
    pub epoch: u64,
    /// Where.
    pub path: u64,
    /// 1: begun; 2: finished.
    pub state: u64,
}

impl DetachedSection {
    const NULL: Self = Self { start: 0, epoch: 0, path: 0, state: 0 };
    const BEGUN: u64 = 1;
    const FINISHED: u64 = 2;
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
    unsafe { detach(TimerHandle::DEFAULT, None, name, category) }
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
    unsafe { detach(TimerHandle::DEFAULT, Some(parent), name, category) }
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
            let parent = parent.map(|parent| Path::from_bits(parent.value));
            Ok(context.detach(parent, name, category).map(|detached| {
                let (start, epoch) = detached.parts();
                let path = detached.path().to_bits();
                let state = if path == 0 { 0 } else { DetachedSection::BEGUN };
                DetachedSection { start, epoch, path, state }
            }))
        })
    })
}

/// Finishes a detached section of the default timer: records it. On any thread, once: a second time
/// is XTIMER_STATUS_NOT_OPEN. One that was not begun is ignored.
///
/// # Safety
/// `detached` is NULL (an error) or points to a section that no other thread uses now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_finish(detached: *mut DetachedSection) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_finish(TimerHandle::DEFAULT, detached) }
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
        let path = Path::from_bits(detached.path);
        let core = Detached::from_parts(detached.start, detached.epoch, path);
        held::with(timer, |context| Ok(context.finish(core)))?;
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
    let value = unsafe { detached.as_ref() }.map_or(0, |detached| detached.path);
    PathHandle { value }
}

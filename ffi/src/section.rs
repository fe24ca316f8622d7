//! Sections by name: begin, end, the current path, begin beneath a path.

use std::ffi::c_char;

use xtimer_core::{MOST_ENABLED, Place, Token as CoreToken, thread};

use crate::cache;
use crate::error::{Code, Failure, Status, refuse};
use crate::guard;
use crate::timer::TimerHandle;
use crate::{held, text};

/// What a begin returns and xtimer_end takes back; 0: not recorded. Any number is safe to give to
/// xtimer_end: one that is no open section's is refused.
pub type Token = u64;

/// The path of a section, to begin sections beneath it from another thread or later. A value: copy
/// it, keep it; it stays good after its section ended. All zero is the top.
///
/// It has a place for each timer that the section went to (xtimer_enable_begin), so that what is enabled
/// is inherited with it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathHandle {
    /// The library's own.
    pub value: [u64; 8],
}

impl PathHandle {
    pub(crate) fn of(place: &Place) -> Self {
        Self { value: place.to_bits() }
    }

    pub(crate) fn place(&self) -> Place {
        Place::from_bits(self.value)
    }
}

const _: () = assert!(MOST_ENABLED == 8, "the length of a path's value");

/// Begins a section of the default timer inside the thread's innermost open section.
///
/// As all functions without a timer: where timers are enabled on this thread (xtimer_enable_begin), it
/// begins in each of those instead.
///
/// `name` is UTF-8; `category` is UTF-8, NULL means "default". Neither needs to live on. Returns the
/// token that xtimer_end takes back; 0 where it was not begun (the timer is switched off, or
/// xtimer_last_error says why), which xtimer_end accepts and ignores. Any thread; end it on the same
/// thread. Literals are recognised by address and content; a call site (xtimer_begin_at) is faster.
/// A thread's context ends with its thread-local objects: in later destructors of them, and in
/// handlers of atexit, it is 0. Signal handlers may call it on a thread that has used this timer
/// before: a thread's first use allocates.
///
/// # Safety
/// Each string is NULL or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_begin(name: *const c_char, category: *const c_char) -> Token {
    // SAFETY: as the caller promises.
    unsafe { cache::begin(name, category) }.to_bits()
}

/// As xtimer_begin, in a timer of your own.
///
/// # Safety
/// As for xtimer_begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_begin(
    timer: TimerHandle,
    name: *const c_char,
    category: *const c_char,
) -> Token {
    begin(timer, |context| {
        // SAFETY: as the caller promises.
        let (name, category) = unsafe { text::section(name, category) }?;
        Ok(context.enter(name, category))
    })
}

/// Begins the counted section `name[index]` of the default timer: kept apart from other indices, and
/// united with them where a report flattens. As xtimer_begin in all else.
///
/// # Safety
/// As for xtimer_begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_begin_counted(
    name: *const c_char,
    index: i64,
    category: *const c_char,
) -> Token {
    begin_here(|| {
        // SAFETY: as the caller promises.
        let (name, category) = unsafe { text::section(name, category) }?;
        held::here(|| thread::enter_counted(name, index, category))
    })
}

/// As xtimer_begin_counted, in a timer of your own.
///
/// # Safety
/// As for xtimer_begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_begin_counted(
    timer: TimerHandle,
    name: *const c_char,
    index: i64,
    category: *const c_char,
) -> Token {
    begin(timer, |context| {
        // SAFETY: as the caller promises.
        let (name, category) = unsafe { text::section(name, category) }?;
        Ok(context.enter_counted(name, index, category))
    })
}

/// Begins a section beneath a path, often of another thread, whose section may have ended by now, in each
/// timer of that path. What is begun next on this thread nests inside it, in those timers.
///
/// All zero: at the top of the timers that are enabled on this thread, or of the default one. Timers
/// that were destroyed meanwhile are passed over; XTIMER_STATUS_OTHER_TIMER: none is left, or the path
/// is not good. A thread's first use of a timer allocates. As xtimer_begin in all else. Its time does
/// not reduce the exclusive time of the section it is beneath, since it runs beside it.
///
/// # Safety
/// As for xtimer_begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_begin_beneath(
    parent: PathHandle,
    name: *const c_char,
    category: *const c_char,
) -> Token {
    begin_here(|| {
        // SAFETY: as the caller promises.
        let (name, category) = unsafe { text::section(name, category) }?;
        held::here(|| thread::enter_beneath(&parent.place(), name, category))
    })
}

/// As xtimer_begin_beneath, in this timer alone, whose path it is.
///
/// # Safety
/// As for xtimer_begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_begin_beneath(
    timer: TimerHandle,
    parent: PathHandle,
    name: *const c_char,
    category: *const c_char,
) -> Token {
    begin(timer, |context| {
        // SAFETY: as the caller promises.
        let (name, category) = unsafe { text::section(name, category) }?;
        Ok(context.enter_beneath(parent.place().path_in(context), name, category))
    })
}

/// Begins the counted section `name[index]` beneath a path. As xtimer_begin_beneath and
/// xtimer_begin_counted.
///
/// # Safety
/// As for xtimer_begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_begin_counted_beneath(
    parent: PathHandle,
    name: *const c_char,
    index: i64,
    category: *const c_char,
) -> Token {
    begin_here(|| {
        // SAFETY: as the caller promises.
        let (name, category) = unsafe { text::section(name, category) }?;
        held::here(|| thread::enter_counted_beneath(&parent.place(), name, index, category))
    })
}

/// As xtimer_begin_counted_beneath, in this timer alone, whose path it is.
///
/// # Safety
/// As for xtimer_begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_begin_counted_beneath(
    timer: TimerHandle,
    parent: PathHandle,
    name: *const c_char,
    index: i64,
    category: *const c_char,
) -> Token {
    begin(timer, |context| {
        // SAFETY: as the caller promises.
        let (name, category) = unsafe { text::section(name, category) }?;
        let parent = parent.place().path_in(context);
        Ok(context.enter_counted_beneath(parent, name, index, category))
    })
}

/// Enters where functions without a timer do.
fn begin_here(enter: impl FnOnce() -> Result<CoreToken, Failure>) -> Token {
    guard::value(CoreToken::NULL, enter).to_bits()
}

/// Enters in this thread's context of a timer.
fn begin(
    timer: TimerHandle,
    enter: impl FnOnce(&held::HostContext) -> Result<Result<CoreToken, xtimer_core::Error>, Failure>,
) -> Token {
    guard::value(0, || held::with(timer, enter).map(CoreToken::to_bits))
}

/// Ends a section and records it, in each timer that it went to, whatever is enabled by now. On the
/// thread that began it.
///
/// The token 0 is ignored. XTIMER_STATUS_UNCLOSED: it was recorded, and sections inside it that were
/// still open were discarded and counted. XTIMER_STATUS_NOT_OPEN, XTIMER_STATUS_OTHER_CONTEXT:
/// nothing changed. XTIMER_STATUS_NO_CONTEXT: the thread's context has ended, as in handlers of
/// atexit, and its open sections with it. Wait-free; never allocates, locks, or waits. Signal
/// handlers may call it.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_end(token: Token) -> Status {
    let code = Code::of_exit(xtimer_core::exit(CoreToken::from_bits(token)));
    if code == Code::NoContext {
        held::note_no_context();
    }
    code
}

/// As xtimer_end, in a timer of your own.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_end(timer: TimerHandle, token: Token) -> Status {
    guard::status(|| held::with(timer, |context| Ok(context.exit(CoreToken::from_bits(token)))))
}

/// The path of this thread's innermost open section of the default timer, or of each timer that is
/// enabled here; all zero where none is open and none enabled. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_current_path() -> PathHandle {
    PathHandle::of(&guard::value(Place::ROOT, || held::here(|| thread::here().map(Ok))))
}

/// As xtimer_current_path, in a timer of your own; all zero where the handle is none.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_current_path(timer: TimerHandle) -> PathHandle {
    let place = guard::value(Place::ROOT, || {
        held::with(timer, |context| {
            // The top is the top of any timer.
            let is_top = context.depth() == 0;
            Ok(Ok(if is_top { Place::ROOT } else { Place::of(context.current_path()) }))
        })
    });
    PathHandle::of(&place)
}

/// The path of an open section of the default timer by its token, the thread's innermost section or
/// not: to begin sections beneath it, or record into it, from here or another thread.
///
/// Written to `path` on success. XTIMER_STATUS_NOT_OPEN: the section has ended, or the token is 0;
/// XTIMER_STATUS_OTHER_CONTEXT: it is another thread's. On the thread that began it.
///
/// # Safety
/// `path` is NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_path_of(token: Token, path: *mut PathHandle) -> Status {
    guard::status(|| {
        // SAFETY: as the caller promises.
        unsafe { write_path(path, || held::here(|| thread::place_of(CoreToken::from_bits(token)))) }
    })
}

/// As xtimer_path_of, in a timer of your own.
///
/// # Safety
/// As for xtimer_path_of.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_path_of(
    timer: TimerHandle,
    token: Token,
    path: *mut PathHandle,
) -> Status {
    guard::status(|| {
        let find = || {
            held::with(timer, |context| {
                Ok(context.path_of(CoreToken::from_bits(token)).map(Place::of))
            })
        };
        // SAFETY: as the caller promises.
        unsafe { write_path(path, find) }
    })
}

/// # Safety
/// `path` is NULL (an error) or may be written.
unsafe fn write_path(
    path: *mut PathHandle,
    find: impl FnOnce() -> Result<Place, Failure>,
) -> Result<(), Failure> {
    if path.is_null() {
        let sentence = format_args!("The place for the result is NULL.");
        return Err(refuse(Code::InvalidArgument, sentence));
    }
    let found = find()?;
    // SAFETY: not NULL, may be written.
    unsafe { path.write(PathHandle::of(&found)) };
    Ok(())
}

//! Sections by name: begin, end, the current path, begin beneath a path.

use std::ffi::c_char;

use xtimer_core::{Path, Token as CoreToken};

use crate::cache;
use crate::error::{Code, Status, refuse};
use crate::guard;
use crate::timer::TimerHandle;
use crate::{held, text};

/// What a begin returns and xtimer_end takes back; 0: not recorded. Any number is safe to give to
/// xtimer_end: one that is no open section's is refused.
pub type Token = u64;

/// The path of a section, to begin sections beneath it from another thread or later. A value: copy
/// it, keep it; it stays good after its section ended. All zero is the top.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathHandle {
    /// The library's own.
    pub value: u64,
}

/// Begins a section of the default timer inside the thread's innermost open section.
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
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_begin_counted(TimerHandle::DEFAULT, name, index, category) }
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

/// Begins a section of the default timer beneath a path, often of another thread, whose section may
/// have ended by now. What is begun next on this thread nests inside it.
///
/// As xtimer_begin in all else. Its time does not reduce the exclusive time of the section it is
/// beneath, since it runs beside it.
///
/// # Safety
/// As for xtimer_begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_begin_beneath(
    parent: PathHandle,
    name: *const c_char,
    category: *const c_char,
) -> Token {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_begin_beneath(TimerHandle::DEFAULT, parent, name, category) }
}

/// As xtimer_begin_beneath, in a timer of your own, whose path it is.
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
        Ok(context.enter_beneath(Path::from_bits(parent.value), name, category))
    })
}

/// Enters in this thread's context of a timer.
fn begin(
    timer: TimerHandle,
    enter: impl FnOnce(
        &held::HostContext,
    ) -> Result<Result<CoreToken, xtimer_core::Error>, crate::error::Failure>,
) -> Token {
    guard::value(0, || held::with(timer, enter).map(CoreToken::to_bits))
}

/// Ends a section of the default timer and records it. On the thread that began it.
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

/// The path of this thread's innermost open section of the default timer; all zero where none is
/// open. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_current_path() -> PathHandle {
    xtimer_timer_current_path(TimerHandle::DEFAULT)
}

/// As xtimer_current_path, in a timer of your own; all zero where the handle is none.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_timer_current_path(timer: TimerHandle) -> PathHandle {
    let value = guard::value(0, || {
        held::with(timer, |context| {
            // The top is the top of any timer.
            let path = if context.depth() == 0 { Path::ROOT } else { context.current_path() };
            Ok(Ok(path.to_bits()))
        })
    });
    PathHandle { value }
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
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_path_of(TimerHandle::DEFAULT, token, path) }
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
        if path.is_null() {
            let sentence = format_args!("The place for the result is NULL.");
            return Err(refuse(Code::InvalidArgument, sentence));
        }
        let found = held::with(timer, |context| Ok(context.path_of(CoreToken::from_bits(token))))?;
        // SAFETY: not NULL, may be written.
        unsafe { path.write(PathHandle { value: found.to_bits() }) };
        Ok(())
    })
}

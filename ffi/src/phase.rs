//! Phases that follow each other: one ends and the next begins at one reading of the clock.

use std::ffi::c_char;

use xtimer_core::{Error, Token as CoreToken};

use crate::error::{Code, Failure, Status, refuse, refuse_core};
use crate::guard;
use crate::section::Token;
use crate::site::{self, Site};
use crate::timer::TimerHandle;
use crate::{held, text};

#[cold]
#[inline(never)]
fn null_argument() -> Failure {
    refuse(
        Code::InvalidArgument,
        format_args!("The place of the token, or the call site, is NULL."),
    )
}

/// Ends the section of the default timer whose token is at `token` and begins its sibling, at one reading
/// of the clock: no time passes between them. Writes the next one's token there, or 0 where it was not
/// begun.
///
/// The sibling is begun beneath what the ended section was beneath. The token 0 has nothing to end: the
/// section begins inside the thread's innermost open one, as the first phase, or the one behind a phase
/// that was refused. While the timer is switched off the section ends and none begins.
/// XTIMER_STATUS_UNCLOSED: the next one was begun, and sections still open inside the ended one were
/// discarded and counted. XTIMER_STATUS_NOT_OPEN, XTIMER_STATUS_OTHER_CONTEXT: nothing was ended or begun;
/// another thread's token stays. Any other failure: the section ended, the next one was not begun.
/// On the thread that began it. A call site (xtimer_switch_at) is faster.
///
/// # Safety
/// `token` is NULL (an error) or may be read and written. Each string is NULL or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_switch(
    token: *mut Token,
    name: *const c_char,
    category: *const c_char,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_switch(TimerHandle::DEFAULT, token, name, category) }
}

/// As xtimer_switch, in a timer of your own.
///
/// # Safety
/// As for xtimer_switch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_switch(
    timer: TimerHandle,
    token: *mut Token,
    name: *const c_char,
    category: *const c_char,
) -> Status {
    guard::status(|| {
        if token.is_null() {
            return Err(null_argument());
        }
        // SAFETY: as the caller promises, here and below.
        let named = || unsafe { text::section(name, category) };
        // SAFETY: not NULL, may be read.
        let mut phase = CoreToken::from_bits(unsafe { token.read() });
        let outcome = held::with(timer, |context| {
            Ok(Ok(match named() {
                Ok((name, category)) => context.switch(&mut phase, name, category),
                Err(_) => context.exit(std::mem::replace(&mut phase, CoreToken::NULL)),
            }))
        })?;
        // SAFETY: not NULL, may be written.
        unsafe { token.write(phase.to_bits()) };
        // What is wrong with a string is said last, so that it is the one that stands.
        let told = outcome.map_err(|error| refuse_core(timer, error));
        named()?;
        told
    })
}

/// As xtimer_switch, by a call site: about one clock reading where the site was begun before inside the
/// same section. Never allocates, locks, or waits, but for a thread's first use, which allocates. Signal
/// handlers may call it on a thread that has used this timer before.
///
/// # Safety
/// `token` is NULL (an error) or may be read and written. `site` is NULL (an error) or points to a call
/// site that lives and that only this library changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_switch_at(token: *mut Token, site: *mut Site) -> Status {
    if token.is_null() || site.is_null() {
        return null_argument().0;
    }
    // SAFETY: not NULL, and as the caller promises.
    let (words, phase) = unsafe { (site::words(site), CoreToken::from_bits(token.read())) };
    // SAFETY: as above.
    let names = move || unsafe { site::names(site) };
    let Some((next, code)) = xtimer_core::switch_words(phase, words, names) else {
        held::note_no_context();
        return Code::NoContext;
    };
    // SAFETY: not NULL, may be written.
    unsafe { token.write(next.to_bits()) };
    let code = Code::of_exit(code);
    // SAFETY: as above.
    if next.is_null() { unsafe { not_begun(site, code) } } else { code }
}

/// Why a call site's section was not begun: its strings, or what the core says.
///
/// # Safety
/// As for `site::names`.
#[cold]
#[inline(never)]
unsafe fn not_begun(site: *mut Site, code: Code) -> Code {
    // SAFETY: as the caller promises.
    let wrong =
        guard::status(|| unsafe { text::section((*site).name, (*site).category) }.map(drop));
    if wrong == Code::Ok { code } else { wrong }
}

/// As xtimer_switch_at, in a timer of your own.
///
/// # Safety
/// As for xtimer_switch_at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_switch_at(
    timer: TimerHandle,
    token: *mut Token,
    site: *mut Site,
) -> Status {
    guard::status(|| {
        if token.is_null() || site.is_null() {
            return Err(null_argument());
        }
        // SAFETY: not NULL, and as the caller promises.
        let (words, phase) = unsafe { (site::words(site), CoreToken::from_bits(token.read())) };
        let (next, error) = held::with(timer, |context| {
            // SAFETY: as above.
            let names = move || unsafe { site::names(site) };
            let (next, code) = context.switch_words(phase, words, names);
            let error: Option<Error> = context.last_error().filter(|_| code != 0);
            Ok(Ok((next, error)))
        })?;
        // SAFETY: not NULL, may be written.
        unsafe { token.write(next.to_bits()) };
        let told = error.map_or(Ok(()), |error| Err(refuse_core(timer, error)));
        if next.is_null() {
            // SAFETY: as above.
            unsafe { text::section((*site).name, (*site).category) }?;
        }
        told
    })
}

//! Call sites: a name and category with a memory of their own, the fastest way to begin a section.

use std::ffi::c_char;

use xtimer_core::{SiteWords, Token as CoreToken};

use crate::error::{Code, Failure, refuse};
use crate::guard;
use crate::section::Token;
use crate::timer::TimerHandle;
use crate::{held, text};

/// A call site. Make it `static` with XTIMER_SITE(name, category) and give its address to
/// xtimer_begin_at; name and category live as long as it does. Any number of threads may share one.
#[repr(C)]
#[derive(Debug)]
pub struct Site {
    /// What earlier calls came to. All zero at first; the library's own from then on.
    pub word: [u64; 2],
    /// The section's name: UTF-8, not NULL.
    pub name: *const c_char,
    /// The section's category: UTF-8; NULL means "default".
    pub category: *const c_char,
}

const _: () = assert!(size_of::<SiteWords>() <= 16 && align_of::<SiteWords>() <= 8);

/// # Safety
/// `site` points to a Site whose words are reached by this library alone.
#[inline(always)]
pub(crate) unsafe fn words<'s>(site: *mut Site) -> &'s SiteWords {
    // SAFETY: the words are 16 bytes at a multiple of 8, which hold SiteWords; they are atomics, and
    // zero or written as such.
    unsafe { &*(&raw const (*site).word).cast() }
}

/// # Safety
/// `site` points to a Site whose strings are as `text::required` asks for.
#[cold]
#[inline(never)]
pub(crate) unsafe fn names<'s>(site: *mut Site) -> Option<(&'s str, &'s str)> {
    guard::value(None, || {
        // SAFETY: as the caller promises.
        unsafe { text::section((*site).name, (*site).category) }.map(Some)
    })
}

#[cold]
#[inline(never)]
fn null_site() -> Failure {
    refuse(Code::InvalidArgument, format_args!("The call site is NULL."))
}

/// Begins a section of the default timer at a call site, inside the thread's innermost open section.
///
/// Returns the token that xtimer_end takes back; 0 where it was not begun (the timer is switched off,
/// or xtimer_last_error says why), which xtimer_end accepts and ignores. Any thread; end it on the
/// same thread. A few nanoseconds where the site was last begun inside the same section. Never
/// allocates, locks, or waits, but for a thread's first use, which allocates. Signal handlers may call
/// it on a thread that has used this timer before.
///
/// # Safety
/// `site` is NULL (an error) or points to a call site that lives and that only this library changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_begin_at(site: *mut Site) -> Token {
    if site.is_null() {
        null_site();
        return 0;
    }
    // SAFETY: not NULL, and as the caller promises.
    let words = unsafe { words(site) };
    // SAFETY: as above.
    xtimer_core::enter_words(words, move || unsafe { names(site) }, held::note_no_context).to_bits()
}

/// As xtimer_begin_at, in a timer of your own.
///
/// # Safety
/// As for xtimer_begin_at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_begin_at(timer: TimerHandle, site: *mut Site) -> Token {
    guard::value(0, || {
        if site.is_null() {
            return Err(null_site());
        }
        held::enter(timer, |context| {
            // SAFETY: not NULL, and as the caller promises.
            context.enter_words(unsafe { words(site) }, move || unsafe { names(site) })
        })
        .map(CoreToken::to_bits)
    })
}

//! Sections by string: each thread remembers the calls it made, as call sites would.
//!
//! A direct-mapped table, found by the addresses of name and category and confirmed by their bytes,
//! so that a string built anew at an old address is seen to differ. Strings too long to keep, and
//! calls from a signal handler that interrupts a call here, take the general path.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_char;

use xtimer_core::{SiteWords, Token, thread};

use crate::sync::handler_fence;
use crate::{guard, held, text};

const ENTRIES: usize = 64;
/// The longest strings kept, with their zeros.
const NAME: usize = 40;
const CATEGORY: usize = 24;

/// One call remembered. All zero: none.
///
/// The name comes first, on a multiple of 128: nearer to a page's end, the system's strcmp takes a longer
/// way.
#[repr(C, align(128))]
struct Entry {
    name_text: [Cell<u8>; NAME],
    category_text: [Cell<u8>; CATEGORY],
    words: UnsafeCell<SiteWords>,
    name: Cell<*const c_char>,
    category: Cell<*const c_char>,
}

/// A thread's table.
struct Cache {
    /// A call is at work here; a handler that interrupts it keeps away.
    busy: Cell<bool>,
    entries: [Entry; ENTRIES],
}

thread_local! {
    static CACHE: Cache = const {
        Cache {
            busy: Cell::new(false),
            entries: [const {
                Entry {
                    name: Cell::new(std::ptr::null()),
                    category: Cell::new(std::ptr::null()),
                    words: UnsafeCell::new(SiteWords::new()),
                    name_text: [const { Cell::new(0) }; NAME],
                    category_text: [const { Cell::new(0) }; CATEGORY],
                }
            }; ENTRIES],
        }
    };
}

/// The entry of a pair of addresses: the top six bits of a multiplicative hash (by the golden
/// ratio's fraction).
#[inline(always)]
fn index(name: *const c_char, category: *const c_char) -> usize {
    let mixed = (name as u64) ^ (category as u64).rotate_left(32);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
}

/// Whether the string at `pointer` is the one kept.
///
/// # Safety
/// `pointer` points to bytes that end with a zero; so does `kept`.
#[inline(always)]
unsafe fn is(kept: &[Cell<u8>], pointer: *const c_char) -> bool {
    // SAFETY: both end with a zero, and strcmp reads neither beyond its own.
    unsafe { libc::strcmp(kept.as_ptr().cast(), pointer) == 0 }
}

/// Begins a section of the default timer by name and category.
///
/// # Safety
/// Each string is NULL or ends with a zero.
#[inline(always)]
pub(crate) unsafe fn begin(name: *const c_char, category: *const c_char) -> Token {
    CACHE.with(|cache| {
        let entry = &cache.entries[index(name, category)];
        if !cache.busy.get()
            && entry.name.get() == name
            && !name.is_null()
            && entry.category.get() == category
        {
            cache.busy.set(true);
            handler_fence();
            // SAFETY: not NULL, so they end with a zero; what is kept does as well.
            let same = unsafe {
                is(&entry.name_text, name)
                    && (category.is_null() || is(&entry.category_text, category))
            };
            if same {
                // SAFETY: `fill` alone writes the words, and keeps away while the cache is busy.
                let words = unsafe { &*entry.words.get() };
                // SAFETY: as the caller promises.
                let names = move || unsafe { names(name, category) };
                let token = xtimer_core::enter_words(words, names, held::note_no_context);
                handler_fence();
                cache.busy.set(false);
                return token;
            }
            cache.busy.set(false);
        }
        // SAFETY: as the caller promises.
        unsafe { begin_unknown(cache, name, category) }
    })
}

/// # Safety
/// As for [`begin`].
#[cold]
#[inline(never)]
unsafe fn names<'s>(name: *const c_char, category: *const c_char) -> Option<(&'s str, &'s str)> {
    // SAFETY: as the caller promises.
    guard::value(None, || unsafe { text::section(name, category) }.map(Some))
}

/// Begins a section that is not remembered, and remembers it where it fits.
///
/// # Safety
/// As for [`begin`].
#[cold]
#[inline(never)]
unsafe fn begin_unknown(cache: &Cache, name: *const c_char, category: *const c_char) -> Token {
    guard::value(Token::NULL, || {
        // SAFETY: as the caller promises.
        let (name_text, category_text) = unsafe { text::section(name, category) }?;
        let entry = &cache.entries[index(name, category)];
        let fits = name_text.len() < NAME && category_text.len() < CATEGORY;
        if !fits || cache.busy.get() {
            return held::here(|| thread::enter(name_text, category_text));
        }
        cache.busy.set(true);
        handler_fence();
        entry.fill(name, category, name_text, category_text);
        handler_fence();
        cache.busy.set(false);
        held::here(|| thread::enter(name_text, category_text))
    })
}

impl Entry {
    /// Remembers a call; the words begin empty.
    fn fill(
        &self,
        name: *const c_char,
        category: *const c_char,
        name_text: &str,
        category_text: &str,
    ) {
        let keep = |cells: &[Cell<u8>], text: &str| {
            for (cell, byte) in cells.iter().zip(text.bytes().chain([0])) {
                cell.set(byte);
            }
        };
        keep(&self.name_text, name_text);
        keep(&self.category_text, category_text);
        // SAFETY: the cache is busy, so no reference to the words exists.
        unsafe { self.words.get().write(SiteWords::new()) };
        self.category.set(category);
        self.name.set(name);
    }
}

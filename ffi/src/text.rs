//! C strings to text, and what is wrong with them.

use std::ffi::{CStr, c_char};

use xtimer_core::DEFAULT_CATEGORY;

use crate::error::{Code, Failure, refuse};

/// How much of a string that is no UTF-8 its sentence shows.
const SHOWN: usize = 60;

/// The text at `pointer`; `what` names it in the sentence when it is none.
///
/// # Safety
/// `pointer` is NULL or points to bytes that end with a zero and stay as they are for `'t`.
pub(crate) unsafe fn required<'t>(pointer: *const c_char, what: &str) -> Result<&'t str, Failure> {
    if pointer.is_null() {
        return Err(refuse(Code::InvalidArgument, format_args!("The {what} is NULL.")));
    }
    // SAFETY: not NULL, so it points to bytes that end with a zero.
    let bytes = unsafe { CStr::from_ptr(pointer) }.to_bytes();
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = error.valid_up_to();
        let start = valid.saturating_sub(SHOWN / 2);
        let shown = bytes.get(start..bytes.len().min(start + SHOWN)).unwrap_or_default();
        refuse(
            Code::InvalidText,
            format_args!(
                "The {what} is not UTF-8 at byte {valid}: \"{}{}\".",
                if start > 0 { "..." } else { "" },
                shown.escape_ascii()
            ),
        )
    })
}

/// The category at `pointer`; NULL is `default`.
///
/// # Safety
/// As for [`required`].
pub(crate) unsafe fn category<'t>(pointer: *const c_char) -> Result<&'t str, Failure> {
    if pointer.is_null() {
        return Ok(DEFAULT_CATEGORY);
    }
    // SAFETY: as the caller promises.
    unsafe { required(pointer, "category") }
}

/// The name and category of a section.
///
/// # Safety
/// As for [`required`], for both.
pub(crate) unsafe fn section<'t>(
    name: *const c_char,
    category: *const c_char,
) -> Result<(&'t str, &'t str), Failure> {
    // SAFETY: as the caller promises.
    unsafe { Ok((required(name, "section's name")?, self::category(category)?)) }
}

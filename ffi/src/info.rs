//! One section's numbers.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::ptr;

use xtimer_core::Section;

use crate::error::{Code, Failure, Status, refuse, refuse_core};
use crate::guard;
use crate::table;
use crate::text;
use crate::timer::TimerHandle;

/// One section's numbers. Times are nanoseconds; where a time is not kept or there is none yet it is
/// XTIMER_NONE, and a mean or deviation is not a number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SectionInfo {
    /// Its name: the last of its path.
    pub name: *const c_char,
    /// The names of its path, outermost first; its own is the last.
    pub path: *const *const c_char,
    /// How many names the path has.
    pub path_length: usize,
    /// The category it was last begun with.
    pub category: *const c_char,
    /// How often it was ended or recorded.
    pub count: u64,
    /// Its time.
    pub total_ns: u64,
    /// Its time not spent in sections nested in it on the same stack.
    pub exclusive_ns: u64,
    /// Its shortest duration.
    pub min_ns: u64,
    /// Its longest duration.
    pub max_ns: u64,
    /// Its mean duration.
    pub mean_ns: f64,
    /// The sample standard deviation of its durations (divisor n-1).
    pub std_ns: f64,
    /// For how long the first of its open entries has been open.
    pub open_ns: u64,
    /// How many of its entries are open.
    pub open: u32,
    /// How many recorded sections it is nested in.
    pub depth: u32,
    /// A writer was stopped in the middle: count and times may be one entry apart.
    pub busy: bool,
    /// Threads that found no lane added to it: no deviation.
    pub late: bool,
    /// Its mean is so near to the timer's own cost that the numbers say as much of that.
    pub near_price: bool,
    /// The sections beneath it took longer: they ran beside it.
    pub exceeded: bool,
}

/// What a time is where there is none.
pub const XTIMER_NONE: u64 = u64::MAX;

impl SectionInfo {
    /// The numbers of a section; its strings are for the caller to fill in.
    pub(crate) fn of(section: &Section<'_>) -> Self {
        let nanoseconds =
            |picoseconds: Option<u128>| picoseconds.map_or(f64::NAN, |value| value as f64 / 1e3);
        Self {
            name: ptr::null(),
            path: ptr::null(),
            path_length: 0,
            category: ptr::null(),
            count: section.count(),
            total_ns: section.total(),
            exclusive_ns: section.exclusive().unwrap_or(XTIMER_NONE),
            min_ns: section.min().unwrap_or(XTIMER_NONE),
            max_ns: section.max().unwrap_or(XTIMER_NONE),
            mean_ns: nanoseconds(section.mean_picoseconds()),
            std_ns: nanoseconds(section.std_picoseconds()),
            open_ns: section.open_time(),
            open: section.open(),
            depth: u32::try_from(section.depth()).unwrap_or(u32::MAX),
            busy: section.is_busy(),
            late: section.is_late(),
            near_price: section.is_near_price(),
            exceeded: section.is_exceeded(),
        }
    }
}

thread_local! {
    /// The category that the thread's last info points to.
    static CATEGORY: RefCell<CString> = RefCell::default();
}

/// Up to its first zero byte, which C cannot show, the text as a C string.
pub(crate) fn c_string(text: &str) -> CString {
    let end = text.bytes().position(|byte| byte == 0).unwrap_or(text.len());
    CString::new(text.get(..end).unwrap_or_default()).unwrap_or_default()
}

/// Writes to `info` the numbers of the section of the default timer whose path is `names`, outermost
/// first, `count` of them.
///
/// With `flatten`, counted sections are united first, and the names are those without counters.
/// `info->path` and `info->name` are the caller's own `names`; `info->category` is the thread's and
/// stands until its next call of this function. XTIMER_STATUS_NOT_FOUND: no such section is recorded;
/// nothing was written. Any thread; not from a signal handler.
///
/// # Safety
/// `names` is NULL (an error) or `count` strings that each are NULL or end with a zero; `info` is NULL
/// (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_section_info(
    names: *const *const c_char,
    count: usize,
    flatten: bool,
    info: *mut SectionInfo,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_section_info(TimerHandle::DEFAULT, names, count, flatten, info) }
}

/// As xtimer_section_info, of a timer of your own.
///
/// # Safety
/// As for xtimer_section_info.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_section_info(
    timer: TimerHandle,
    names: *const *const c_char,
    count: usize,
    flatten: bool,
    info: *mut SectionInfo,
) -> Status {
    guard::status(|| {
        if names.is_null() || count == 0 || info.is_null() {
            return Err(refuse(
                Code::InvalidArgument,
                format_args!("The names or the place for the result are NULL or none."),
            ));
        }
        // SAFETY: not NULL, so `count` pointers.
        let pointers = unsafe { std::slice::from_raw_parts(names, count) };
        let path = pointers
            .iter()
            // SAFETY: as the caller promises.
            .map(|&name| unsafe { text::required(name, "section's name") })
            .collect::<Result<Vec<_>, _>>()?;
        let reference = table::get(timer)?;
        let mut snapshot = reference.snapshot().map_err(|error| refuse_core(timer, error))?;
        if flatten {
            snapshot.flatten();
        }
        let Some(section) = snapshot.section(&path) else { return Err(not_found(&path)) };
        let category = CATEGORY.try_with(|kept| {
            let mut kept = kept.try_borrow_mut().ok()?;
            *kept = c_string(section.category());
            Some(kept.as_ptr())
        });
        let found = SectionInfo {
            name: pointers.last().copied().unwrap_or(ptr::null()),
            path: names,
            path_length: count,
            // The thread is ending: there is no place for it.
            category: category.ok().flatten().unwrap_or(ptr::null()),
            ..SectionInfo::of(&section)
        };
        // SAFETY: not NULL, may be written.
        unsafe { info.write(found) };
        Ok(())
    })
}

fn not_found(path: &[&str]) -> Failure {
    refuse(Code::NotFound, format_args!("No section '{}' is recorded.", path.join("/")))
}

//! Samples and percentiles of a section, where the timer keeps them.

use std::ffi::c_char;

use xtimer_core::Sample as CoreSample;

use crate::error::{Code, Failure, Status, refuse, refuse_core};
use crate::guard;
use crate::table;
use crate::text;
use crate::timer::TimerHandle;

/// One measured duration. Times are nanoseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it began, by the timer's clock, which may begin anywhere.
    pub start_ns: u64,
    /// How long it took.
    pub duration_ns: u64,
    /// The lane that it was measured in: a thread's, at one time.
    pub lane: u32,
}

/// # Safety
/// `names` is NULL or `count` strings that each are NULL or end with a zero, for as long as the result
/// is used.
unsafe fn path<'n>(names: *const *const c_char, count: usize) -> Result<Vec<&'n str>, Failure> {
    if names.is_null() || count == 0 {
        return Err(refuse(Code::InvalidArgument, format_args!("The names are NULL or none.")));
    }
    // SAFETY: not NULL, so `count` pointers.
    let pointers = unsafe { std::slice::from_raw_parts(names, count) };
    // SAFETY: as the caller promises.
    pointers.iter().map(|&name| unsafe { text::required(name, "section's name") }).collect()
}

/// Writes to `samples` the samples of the section of the default timer whose path is `names`,
/// outermost first, `count` of them: by start, across all threads. The default timer keeps none unless
/// it was made with a config that says so.
///
/// `needed`, where not NULL, gets how many there are, and `dropped`, where not NULL, how many durations
/// more were measured since the last clear whose samples are not kept: because the ring was full, by a
/// thread without a lane, by a signal handler in the middle of an end, or while they were read. A path
/// that was never timed has none. XTIMER_STATUS_TOO_SMALL: `capacity` is less, or `samples` NULL, and
/// nothing was written to it; there may be more before the next call. It allocates: any thread, not
/// from a signal handler.
///
/// # Safety
/// `names` is NULL (an error) or `count` strings that each are NULL or end with a zero; `samples` is
/// NULL or `capacity` of them there may be written; `needed` and `dropped` are NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_samples(
    names: *const *const c_char,
    count: usize,
    samples: *mut Sample,
    capacity: usize,
    needed: *mut usize,
    dropped: *mut u64,
) -> Status {
    let timer = TimerHandle::DEFAULT;
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_samples(timer, names, count, samples, capacity, needed, dropped) }
}

/// As xtimer_samples, of a timer of your own.
///
/// # Safety
/// As for xtimer_samples.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_samples(
    timer: TimerHandle,
    names: *const *const c_char,
    count: usize,
    samples: *mut Sample,
    capacity: usize,
    needed: *mut usize,
    dropped: *mut u64,
) -> Status {
    guard::status(|| {
        // SAFETY: as the caller promises.
        let path = unsafe { path(names, count)? };
        let reference = table::get(timer)?;
        let mut memory = Vec::new();
        let bound = reference.samples_bound();
        memory.try_reserve_exact(bound).map_err(|_| {
            refuse(Code::NoMemory, format_args!("There is no memory to copy {bound} samples."))
        })?;
        memory.resize(bound, CoreSample::default());
        let found =
            reference.samples(&path, &mut memory).map_err(|error| refuse_core(timer, error))?;
        if !needed.is_null() {
            // SAFETY: not NULL, may be written.
            unsafe { needed.write(found.kept.len()) };
        }
        if !dropped.is_null() {
            // SAFETY: not NULL, may be written.
            unsafe { dropped.write(found.dropped) };
        }
        if found.kept.is_empty() {
            return Ok(());
        }
        if samples.is_null() || found.kept.len() > capacity {
            return Err(refuse(
                Code::TooSmall,
                format_args!("There are {} samples, and room for {capacity}.", found.kept.len()),
            ));
        }
        for (index, one) in found.kept.iter().enumerate() {
            let CoreSample { start, duration, lane, .. } = *one;
            // SAFETY: not NULL, and there is room for that many.
            unsafe {
                samples.add(index).write(Sample { start_ns: start, duration_ns: duration, lane });
            }
        }
        Ok(())
    })
}

/// Writes to `duration_ns` the duration that a share of the section's durations don't exceed, the share
/// in millionths: 500000 is the median, 990000 the 99th percentile. At most 1/32 off.
///
/// With `flatten`, counted sections are united first, and the names are those without counters.
/// XTIMER_STATUS_NOT_FOUND: no such section is recorded, it has no duration yet, or the timer keeps no
/// histograms; nothing was written. Any thread; not from a signal handler.
///
/// # Safety
/// `names` is NULL (an error) or `count` strings that each are NULL or end with a zero; `duration_ns`
/// is NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_percentile_ns(
    names: *const *const c_char,
    count: usize,
    flatten: bool,
    millionths: u32,
    duration_ns: *mut u64,
) -> Status {
    let timer = TimerHandle::DEFAULT;
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_percentile_ns(timer, names, count, flatten, millionths, duration_ns) }
}

/// As xtimer_percentile_ns, of a timer of your own.
///
/// # Safety
/// As for xtimer_percentile_ns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_percentile_ns(
    timer: TimerHandle,
    names: *const *const c_char,
    count: usize,
    flatten: bool,
    millionths: u32,
    duration_ns: *mut u64,
) -> Status {
    guard::status(|| {
        // SAFETY: as the caller promises.
        let path = unsafe { path(names, count)? };
        if duration_ns.is_null() || millionths > xtimer_core::histogram::MILLION {
            return Err(refuse(
                Code::InvalidArgument,
                format_args!(
                    "The place for the result is NULL, or the share {millionths} is more than \
                     1000000 millionths."
                ),
            ));
        }
        let reference = table::get(timer)?;
        let mut snapshot = reference.snapshot().map_err(|error| refuse_core(timer, error))?;
        if flatten {
            snapshot.flatten();
        }
        let section = snapshot.section(&path);
        let Some(time) = section.and_then(|section| section.percentile(millionths)) else {
            return Err(refuse(
                Code::NotFound,
                format_args!("Of '{}' there is no percentile.", path.join("/")),
            ));
        };
        // SAFETY: not NULL, may be written.
        unsafe { duration_ns.write(time) };
        Ok(())
    })
}

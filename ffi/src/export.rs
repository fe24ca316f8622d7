//! Report and JSON into a buffer of the caller's.

use std::ffi::c_char;
use std::fmt::{self, Write};

use xtimer_core::Snapshot;

use crate::error::{Code, Failure, Status, refuse, refuse_core};
use crate::guard;
use crate::table;
use crate::timer::TimerHandle;

/// How a report or JSON is to look. All zero is compact and keeps counted sections apart.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportOptions {
    /// Unites counted sections, such as `step[3]`, under their base name.
    pub flatten: bool,
    /// Spaces by which JSON indents a level (more than 16 count as 16); 0: compact, in one line.
    pub indent: u32,
}

impl ExportOptions {
    /// What the forms without options take.
    pub(crate) const DEFAULT: Self = Self { flatten: true, indent: 0 };

    /// # Safety
    /// `options` is NULL or may be read.
    pub(crate) unsafe fn read(options: *const Self) -> Self {
        // SAFETY: as the caller promises.
        unsafe { options.as_ref() }.copied().unwrap_or(Self::DEFAULT)
    }
}

/// What is exported.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Report,
    Json,
}

/// A snapshot, ready to be written in a form.
pub(crate) struct Exported<'s> {
    snapshot: Snapshot<'s>,
    form: Form,
    indent: u32,
}

impl<'s> Exported<'s> {
    pub(crate) fn of(
        handle: TimerHandle,
        timer: &'s table::Reference,
        form: Form,
        options: ExportOptions,
    ) -> Result<Self, Failure> {
        let snapshot = timer.snapshot().map_err(|error| refuse_core(handle, error))?;
        Ok(Self::of_snapshot(snapshot, form, options))
    }

    pub(crate) fn of_snapshot(
        mut snapshot: Snapshot<'s>,
        form: Form,
        options: ExportOptions,
    ) -> Self {
        if options.flatten {
            snapshot.flatten();
        }
        Self { snapshot, form, indent: options.indent }
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> fmt::Result {
        match self.form {
            Form::Report => write!(out, "{}", self.snapshot.report()),
            Form::Json => write!(out, "{}", self.snapshot.json().indent(self.indent as usize)),
        }
    }
}

/// Counts bytes.
struct Count(usize);

impl Write for Count {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(text.len());
        Ok(())
    }
}

/// Writes bytes to a place that was found large enough.
struct Place {
    next: *mut u8,
    left: usize,
}

impl Write for Place {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() > self.left {
            return Err(fmt::Error);
        }
        // SAFETY: `left` bytes from `next` on may be written, and the text fits.
        unsafe {
            self.next.copy_from_nonoverlapping(text.as_ptr(), text.len());
            self.next = self.next.add(text.len());
        }
        self.left -= text.len();
        Ok(())
    }
}

/// # Safety
/// - `buffer` is NULL, or `capacity` bytes there may be written.
/// - `needed` is NULL or may be written.
unsafe fn export(
    handle: TimerHandle,
    form: Form,
    options: ExportOptions,
    place: (*mut c_char, usize, *mut usize),
) -> Status {
    guard::status(|| {
        let timer = table::get(handle)?;
        let exported = Exported::of(handle, &timer, form, options)?;
        // SAFETY: as the caller promises.
        unsafe { put(&exported, place) }
    })
}

/// Writes an export into a buffer of a capacity, and to `needed` what it takes.
///
/// # Safety
/// As for [`export`].
pub(crate) unsafe fn put(
    exported: &Exported<'_>,
    (buffer, capacity, needed): (*mut c_char, usize, *mut usize),
) -> Result<(), Failure> {
    let mut count = Count(1); // the zero at the end
    // A count never refuses.
    let _ = exported.write(&mut count);
    if !needed.is_null() {
        // SAFETY: not NULL, may be written.
        unsafe { needed.write(count.0) };
    }
    if buffer.is_null() || count.0 > capacity {
        return Err(refuse(
            Code::TooSmall,
            format_args!("{} bytes are needed, the buffer has {capacity}.", count.0),
        ));
    }
    // A snapshot reads the same, but for percentiles, which may have come to be longer since.
    let mut place = Place { next: buffer.cast(), left: capacity - 1 };
    let written = exported.write(&mut place);
    if written.is_err() {
        place.next = buffer.cast();
    }
    // SAFETY: within what was found to fit.
    unsafe { place.next.write(0) };
    written.map_err(|_| {
        let sentence = "The export came out longer than the buffer; try again with more.";
        refuse(Code::TooSmall, format_args!("{sentence}"))
    })
}

/// Writes the default timer's profile as JSON into `buffer`, ended by a zero.
///
/// Compact, counted sections united; the keys are in the project's guide. `needed`, where not NULL,
/// gets the bytes it takes with the zero. XTIMER_STATUS_TOO_SMALL: `capacity` is less, or `buffer`
/// NULL, and nothing was written to it; the profile may grow before the next call.
/// XTIMER_STATUS_BUSY: other snapshots are being taken. No allocation, no lock: any thread, signal
/// handlers included. Times are in seconds.
///
/// # Safety
/// `buffer` is NULL or `capacity` bytes there may be written; `needed` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_export_json(
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    let (timer, options) = (TimerHandle::DEFAULT, ExportOptions::DEFAULT);
    // SAFETY: as the caller promises.
    unsafe { export(timer, Form::Json, options, (buffer, capacity, needed)) }
}

/// As xtimer_export_json, with options; NULL for those of xtimer_export_json.
///
/// # Safety
/// As for xtimer_export_json; `options` is NULL or may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_export_json_with(
    options: *const ExportOptions,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    let timer = TimerHandle::DEFAULT;
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_export_json(timer, options, buffer, capacity, needed) }
}

/// As xtimer_export_json_with, of a timer of your own.
///
/// # Safety
/// As for xtimer_export_json_with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_export_json(
    timer: TimerHandle,
    options: *const ExportOptions,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { export(timer, Form::Json, ExportOptions::read(options), (buffer, capacity, needed)) }
}

/// Writes the default timer's report for people into `buffer`, ended by a zero; "" when nothing was
/// recorded. As xtimer_export_json in all else.
///
/// # Safety
/// As for xtimer_export_json.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_report(
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    let (timer, options) = (TimerHandle::DEFAULT, ExportOptions::DEFAULT);
    // SAFETY: as the caller promises.
    unsafe { export(timer, Form::Report, options, (buffer, capacity, needed)) }
}

/// As xtimer_report, with options; NULL for those of xtimer_report.
///
/// # Safety
/// As for xtimer_export_json_with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_report_with(
    options: *const ExportOptions,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_report(TimerHandle::DEFAULT, options, buffer, capacity, needed) }
}

/// As xtimer_report_with, of a timer of your own.
///
/// # Safety
/// As for xtimer_export_json_with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_report(
    timer: TimerHandle,
    options: *const ExportOptions,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { export(timer, Form::Report, ExportOptions::read(options), (buffer, capacity, needed)) }
}

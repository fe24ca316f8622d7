//! Report and JSON to a file descriptor, as from a signal handler, and JSON to a path.

use std::ffi::{CStr, OsString, c_char, c_int};
use std::fmt::{self, Write};
use std::fs::File;
use std::io;
use std::path::PathBuf;

use xtimer_core::save_beside;

use crate::error::{Code, Failure, Status, refuse};
use crate::export::{ExportOptions, Exported, Form};
use crate::guard;
use crate::table;
use crate::timer::TimerHandle;

/// Bytes gathered before they are written.
const PIECE: usize = 512;

/// Writes to a file descriptor through a small buffer, and to nothing else.
struct Descriptor {
    fd: c_int,
    piece: [u8; PIECE],
    used: usize,
    empty: bool,
}

impl Descriptor {
    const fn new(fd: c_int) -> Self {
        Self { fd, piece: [0; PIECE], used: 0, empty: true }
    }

    fn flush(&mut self) -> fmt::Result {
        let mut rest = self.piece.get(..self.used).unwrap_or_default();
        self.used = 0;
        while !rest.is_empty() {
            // SAFETY: the rest is readable; a descriptor that is none is an error of write's.
            let written = unsafe { libc::write(self.fd, rest.as_ptr().cast(), rest.len() as _) };
            match usize::try_from(written) {
                Ok(0) => return Err(fmt::Error),
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(fmt::Error),
            }
        }
        Ok(())
    }
}

impl Write for Descriptor {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.used == PIECE {
                self.flush()?;
            }
            self.piece[self.used] = byte;
            self.used += 1;
        }
        self.empty &= text.is_empty();
        Ok(())
    }
}

/// Puts errno back as it was: a signal handler must not change it.
struct Errno(c_int);

impl Errno {
    fn keep() -> Self {
        Self(io::Error::last_os_error().raw_os_error().unwrap_or(0))
    }
}

impl Drop for Errno {
    fn drop(&mut self) {
        #[cfg(any(target_os = "linux", target_os = "emscripten"))]
        // SAFETY: the thread's own errno.
        unsafe {
            *libc::__errno_location() = self.0;
        }
        #[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
        // SAFETY: the thread's own errno.
        unsafe {
            *libc::__error() = self.0;
        }
    }
}

/// Keeps pthread_cancel from unwinding out of a write; the thread is cancelled afterwards.
pub(crate) struct Uncancelled {
    #[cfg(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd"))]
    before: c_int,
}

#[cfg(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd"))]
unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
}

impl Uncancelled {
    #[cfg(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd"))]
    pub(crate) fn begin() -> Self {
        /// PTHREAD_CANCEL_DISABLE.
        const DISABLE: c_int = if cfg!(target_vendor = "apple") { 0 } else { 1 };
        let mut before = 0;
        // SAFETY: the state before may be written.
        unsafe { pthread_setcancelstate(DISABLE, &raw mut before) };
        Self { before }
    }
    #[cfg(not(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd")))]
    pub(crate) const fn begin() -> Self {
        Self {}
    }
}

impl Drop for Uncancelled {
    fn drop(&mut self) {
        #[cfg(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd"))]
        // SAFETY: a state that was this thread's; where the one before goes may be written.
        unsafe {
            pthread_setcancelstate(self.before, &raw mut self.before);
        }
    }
}

fn to_descriptor(
    handle: TimerHandle,
    form: Form,
    options: ExportOptions,
    fd: c_int,
) -> Result<(), Failure> {
    let _uncancelled = Uncancelled::begin();
    let _errno = Errno::keep();
    let timer = table::get(handle)?;
    let exported = Exported::of(handle, &timer, form, options)?;
    let mut out = Descriptor::new(fd);
    let ended = |out: &mut Descriptor| if out.empty { Ok(()) } else { out.write_str("\n") };
    exported.write(&mut out).and_then(|()| ended(&mut out)).and_then(|()| out.flush()).map_err(
        |_| {
            let cause = io::Error::last_os_error().raw_os_error().unwrap_or(0);
            refuse(
                Code::Io,
                format_args!("The descriptor {fd} could not be written (error {cause})."),
            )
        },
    )
}

/// Writes the default timer's report to a file descriptor, with a newline at the end; nothing when
/// nothing was recorded.
///
/// Made for signal handlers: no allocation, no lock, write(2) alone, errno is kept. Counted sections
/// are united. XTIMER_STATUS_IO: the descriptor took a part of it or nothing. XTIMER_STATUS_BUSY:
/// other snapshots are being taken; nothing was written. It goes around stdio: fflush a stream of
/// the same descriptor first, where the order matters. It wants 12 KiB of stack: an alternate one of
/// a handler is larger than MINSIGSTKSZ. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_report_fd(fd: c_int) -> Status {
    let (timer, options) = (TimerHandle::DEFAULT, ExportOptions::DEFAULT);
    guard::status(|| to_descriptor(timer, Form::Report, options, fd))
}

/// As xtimer_report_fd, with options; NULL for those of xtimer_report_fd.
///
/// # Safety
/// `options` is NULL or may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_report_fd_with(options: *const ExportOptions, fd: c_int) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_report_fd(TimerHandle::DEFAULT, options, fd) }
}

/// As xtimer_report_fd_with, of a timer of your own.
///
/// # Safety
/// As for xtimer_report_fd_with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_report_fd(
    timer: TimerHandle,
    options: *const ExportOptions,
    fd: c_int,
) -> Status {
    // SAFETY: as the caller promises.
    let options = unsafe { ExportOptions::read(options) };
    guard::status(|| to_descriptor(timer, Form::Report, options, fd))
}

/// Writes the default timer's profile as compact JSON to a file descriptor, with a newline at the
/// end. As xtimer_report_fd in all else.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_json_fd(fd: c_int) -> Status {
    let (timer, options) = (TimerHandle::DEFAULT, ExportOptions::DEFAULT);
    guard::status(|| to_descriptor(timer, Form::Json, options, fd))
}

/// As xtimer_json_fd, with options; NULL for those of xtimer_json_fd.
///
/// # Safety
/// As for xtimer_report_fd_with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_json_fd_with(options: *const ExportOptions, fd: c_int) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_json_fd(TimerHandle::DEFAULT, options, fd) }
}

/// As xtimer_json_fd_with, of a timer of your own.
///
/// # Safety
/// As for xtimer_report_fd_with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_json_fd(
    timer: TimerHandle,
    options: *const ExportOptions,
    fd: c_int,
) -> Status {
    // SAFETY: as the caller promises.
    let options = unsafe { ExportOptions::read(options) };
    guard::status(|| to_descriptor(timer, Form::Json, options, fd))
}

/// Saves the default timer's profile as JSON, ended by a newline, at `path`.
///
/// It is written beside the path and then renamed, so that a reader finds the old file or the new one
/// whole; the file keeps its permissions, and a symbolic link its place. What is no file, such as a
/// device or a FIFO that is read from, is written in place. `options` as for
/// xtimer_export_json_with. XTIMER_STATUS_IO: nothing is changed at `path`, and xtimer_last_error
/// says why. It allocates: any thread, not from a signal handler.
///
/// # Safety
/// `path` is NULL (an error) or ends with a zero; `options` is NULL or may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_save_json(
    path: *const c_char,
    options: *const ExportOptions,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_save_json(TimerHandle::DEFAULT, path, options) }
}

/// As xtimer_save_json, of a timer of your own.
///
/// # Safety
/// As for xtimer_save_json.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_save_json(
    timer: TimerHandle,
    path: *const c_char,
    options: *const ExportOptions,
) -> Status {
    guard::status(|| {
        if path.is_null() {
            return Err(refuse(Code::InvalidArgument, format_args!("The path is NULL.")));
        }
        // SAFETY: not NULL, so it ends with a zero.
        let path = path_of(unsafe { CStr::from_ptr(path) })?;
        // SAFETY: as the caller promises.
        let options = unsafe { ExportOptions::read(options) };
        let reference = table::get(timer)?;
        let exported = Exported::of(timer, &reference, Form::Json, options)?;
        let _uncancelled = Uncancelled::begin();
        let write = |out: &mut io::BufWriter<&File>| {
            let mut stream = Stream { out, error: None };
            match exported.write(&mut stream).and_then(|()| stream.write_str("\n")) {
                Ok(()) => Ok(()),
                Err(_) => {
                    Err(stream.error.unwrap_or_else(|| io::Error::other("it cannot be formatted")))
                }
            }
        };
        save_beside(&path, write).map_err(|(_, error)| {
            refuse(
                Code::Io,
                format_args!("The file '{}' could not be written: {error}.", path.display()),
            )
        })
    })
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "paths elsewhere are text")]
pub(crate) fn path_of(path: &CStr) -> Result<PathBuf, Failure> {
    use std::os::unix::ffi::OsStringExt;
    Ok(OsString::from_vec(path.to_bytes().to_vec()).into())
}
#[cfg(not(unix))]
pub(crate) fn path_of(path: &CStr) -> Result<PathBuf, Failure> {
    // SAFETY: a CStr ends with a zero.
    unsafe { crate::text::required(path.as_ptr(), "path") }.map(PathBuf::from)
}

/// Gathers what is written, and keeps the error that `fmt` cannot carry.
struct Stream<'o, 'f> {
    out: &'o mut io::BufWriter<&'f File>,
    error: Option<io::Error>,
}

impl Write for Stream<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        io::Write::write_all(self.out, text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

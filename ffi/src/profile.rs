//! A timer's profile as bytes: into a buffer of the caller's, and to a file.

use std::ffi::{CStr, c_char};
use std::path::Path;

use xtimer_core::profile::{Profile, Source};

use crate::error::{Code, Failure, Status, refuse, refuse_core};
use crate::file::{Uncancelled, path_of};
use crate::guard;
use crate::table;
use crate::text;
use crate::timer::TimerHandle;

/// The label at `pointer`; NULL is the empty one.
///
/// # Safety
/// As for `text::required`, where it is not NULL.
unsafe fn label_at<'t>(pointer: *const c_char) -> Result<&'t str, Failure> {
    if pointer.is_null() {
        return Ok("");
    }
    // SAFETY: as the caller promises.
    unsafe { text::required(pointer, "label") }
}

/// Encodes the default timer's profile into `buffer`, as the bytes of docs/format.md.
///
/// `rank` says where it comes from: an MPI rank, a worker, 0 where there is one; `label` is a text for
/// people, or NULL. `needed`, where not NULL, gets the number of bytes. XTIMER_STATUS_TOO_SMALL:
/// `capacity` is less, or `buffer` NULL, and nothing was written to it; the profile may grow before
/// the next call. XTIMER_STATUS_BUSY: other snapshots are being taken. No allocation, no lock: any
/// thread, signal handlers included. Samples and histograms are left out, which xtimer_save_profile and
/// xtimer_gather take along.
///
/// # Safety
/// `label` is NULL or ends with a zero; `buffer` is NULL or `capacity` bytes there may be written;
/// `needed` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_export_profile(
    rank: u32,
    label: *const c_char,
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe {
        xtimer_timer_export_profile(TimerHandle::DEFAULT, rank, label, buffer, capacity, needed)
    }
}

/// As xtimer_export_profile, of a timer of your own.
///
/// # Safety
/// As for xtimer_export_profile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_export_profile(
    timer: TimerHandle,
    rank: u32,
    label: *const c_char,
    buffer: *mut u8,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    guard::status(|| {
        // SAFETY: as the caller promises.
        let source = Source { rank, label: unsafe { label_at(label)? } };
        let reference = table::get(timer)?;
        let snapshot = reference.snapshot().map_err(|error| refuse_core(timer, error))?;
        let length = usize::try_from(snapshot.encoded_length(source)).unwrap_or(usize::MAX);
        if !needed.is_null() {
            // SAFETY: not NULL, may be written.
            unsafe { needed.write(length) };
        }
        if buffer.is_null() || length > capacity {
            return Err(refuse(
                Code::TooSmall,
                format_args!("{length} bytes are needed, the buffer has {capacity}."),
            ));
        }
        let mut written = 0;
        let mut put = |piece: &[u8]| {
            if piece.len() > length - written {
                return Err(());
            }
            // SAFETY: `length` bytes may be written, and the piece fits behind those before it.
            unsafe { buffer.add(written).copy_from_nonoverlapping(piece.as_ptr(), piece.len()) };
            written += piece.len();
            Ok(())
        };
        snapshot
            .encode_to(source, &mut put)
            .map(drop)
            .map_err(|()| refuse(Code::Internal, format_args!("The profile came out longer.")))
    })
}

/// Saves the default timer's profile at `path`, as the bytes of docs/format.md, with its samples and
/// histograms.
///
/// It is written beside the path, synced and renamed, so that after a crash or on a full disk the old
/// file or the new one is there, whole; the file keeps its permissions, and a symbolic link its place.
/// `rank` and `label` as for xtimer_export_profile. XTIMER_STATUS_IO: nothing is changed at `path`, and
/// xtimer_last_error says why. It allocates: any thread, not from a signal handler.
///
/// # Safety
/// `path` is NULL (an error) or ends with a zero; `label` is NULL or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_save_profile(
    path: *const c_char,
    rank: u32,
    label: *const c_char,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_save_profile(TimerHandle::DEFAULT, path, rank, label) }
}

/// As xtimer_save_profile, of a timer of your own.
///
/// # Safety
/// As for xtimer_save_profile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_save_profile(
    timer: TimerHandle,
    path: *const c_char,
    rank: u32,
    label: *const c_char,
) -> Status {
    guard::status(|| {
        if path.is_null() {
            return Err(refuse(Code::InvalidArgument, format_args!("The path is NULL.")));
        }
        // SAFETY: not NULL, so it ends with a zero.
        let path = path_of(unsafe { CStr::from_ptr(path) })?;
        // SAFETY: as the caller promises.
        let profile = profile_of(timer, rank, unsafe { label_at(label)? })?;
        let _uncancelled = Uncancelled::begin();
        save(&profile, &path)
    })
}

/// The profile of a timer as of now.
pub(crate) fn profile_of(timer: TimerHandle, rank: u32, label: &str) -> Result<Profile, Failure> {
    let reference = table::get(timer)?;
    Profile::from_timer(&reference, Source { rank, label })
        .map_err(|error| refuse_core(timer, error))
}

fn save(profile: &Profile, path: &Path) -> Result<(), Failure> {
    profile.save(path).map_err(|error| refuse(Code::Io, format_args!("{error}.")))
}

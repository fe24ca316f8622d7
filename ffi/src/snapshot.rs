//! Snapshots: a copy of all numbers of one moment, to go through entry by entry.
//!
//! The copy is the caller's until it frees it; the timer may go on, be cleared, be destroyed. Handles
//! are checked, as timers' are.

use std::collections::HashMap;
use std::ffi::{CString, c_char};

use xtimer_core::{Lock, Snapshot};

use crate::error::{Code, Failure, Status, refuse, refuse_core};
use crate::guard;
use crate::info::{SectionInfo, c_string};
use crate::table;
use crate::timer::TimerHandle;

/// A snapshot, as a checked handle: once freed, each use is refused. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotHandle {
    /// The library's own.
    pub handle: u64,
}

/// What was not recorded, or not as asked, since the last clear.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Losses {
    /// Sections discarded because an outer one was ended, or their thread.
    pub unclosed: u64,
    /// Begins refused because the stack was full.
    pub too_deep: u64,
    /// Begins refused by a rule.
    pub refused: u64,
    /// Ends with a token whose section was not open.
    pub not_open: u64,
    /// Sections that took no time because the clock stepped back.
    pub steps_back: u64,
    /// Counted sections recorded under their base name, because theirs did not fit.
    pub base_name: u64,
    /// Begins of new paths that found the table full.
    pub no_slot: u64,
    /// Entries of signal handlers, not recorded: they met the section in the middle of a change.
    pub interrupted: u64,
    /// Begins with a category that did not fit (since the timer was made).
    pub categories: u64,
    /// Threads that found no lane (since the timer was made).
    pub late_contexts: u64,
}

/// The copy.
pub(crate) struct Numbers {
    sections: Vec<SectionInfo>,
    categories: Vec<(CString, u64)>,
    total: u64,
    losses: Losses,
    /// What the infos point to; never touched after it was made.
    _names: HashMap<String, CString>,
    _paths: Vec<Box<[*const c_char]>>,
}

// SAFETY: its pointers lead to memory that it owns and that is never changed.
unsafe impl Send for Numbers {}

/// A place for a copy, and how often it was given anew.
pub(crate) struct Place {
    generation: u32,
    copy: Option<Box<Numbers>>,
}

pub(crate) static TAKEN: Lock<Vec<Place>> = Lock::new(Vec::new());

impl Numbers {
    fn of(handle: TimerHandle, flatten: bool) -> Result<Self, Failure> {
        let timer = table::get(handle)?;
        let snapshot = timer.snapshot().map_err(|error| refuse_core(handle, error))?;
        Ok(Self::copy(snapshot, flatten))
    }

    fn copy(mut snapshot: Snapshot<'_>, flatten: bool) -> Self {
        if flatten {
            snapshot.flatten();
        }
        let mut names: HashMap<String, CString> = HashMap::new();
        let mut pointer = |text: &str| -> *const c_char {
            if let Some(kept) = names.get(text) {
                return kept.as_ptr();
            }
            names.entry(text.to_owned()).or_insert_with(|| c_string(text)).as_ptr()
        };
        let (mut sections, mut paths) = (Vec::new(), Vec::new());
        for section in snapshot.sections() {
            let path: Box<[_]> = section.path().map(&mut pointer).collect();
            sections.push(SectionInfo {
                name: pointer(section.name()),
                path: path.as_ptr(),
                path_length: path.len(),
                category: pointer(section.category()),
                ..SectionInfo::of(&section)
            });
            paths.push(path);
        }
        let categories =
            snapshot.categories().map(|(name, total)| (c_string(name), total)).collect();
        let losses = snapshot.losses();
        let losses = Losses {
            unclosed: losses.unclosed,
            too_deep: losses.too_deep,
            refused: losses.refused,
            not_open: losses.not_open,
            steps_back: losses.steps_back,
            base_name: losses.base_name,
            no_slot: losses.no_slot,
            interrupted: losses.interrupted,
            categories: losses.categories,
            late_contexts: losses.late_contexts,
        };
        let total = snapshot.total();
        Self { sections, categories, total, losses, _names: names, _paths: paths }
    }
}

fn busy() -> Failure {
    refuse(Code::Busy, format_args!("Another thread is at work with a snapshot; try again."))
}

fn no_snapshot() -> Failure {
    refuse(Code::InvalidArgument, format_args!("The snapshot was freed, or never was one."))
}

fn null_output() -> Failure {
    refuse(Code::InvalidArgument, format_args!("The place for the result is NULL."))
}

/// Works with the copy of a handle.
fn with<R>(
    snapshot: SnapshotHandle,
    work: impl FnOnce(&Numbers) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let find = |places: &mut Vec<Place>| {
        let place = place_of(places, snapshot).ok_or_else(no_snapshot)?;
        place.copy.as_deref().map_or_else(|| Err(no_snapshot()), work)
    };
    TAKEN.with(find).unwrap_or_else(|| Err(busy()))
}

fn place_of(places: &mut [Place], snapshot: SnapshotHandle) -> Option<&mut Place> {
    let index = usize::try_from((snapshot.handle & 0xffff_ffff).checked_sub(1)?).ok()?;
    let generation = (snapshot.handle >> 32) as u32;
    places.get_mut(index).filter(|place| place.generation == generation)
}

/// Copies all numbers of the default timer as of now. With `flatten`, counted sections such as
/// `step[3]` are united under their base name.
///
/// On success the handle is written to `snapshot`; free it with xtimer_snapshot_free. The copy stays
/// as it is whatever the timer does. XTIMER_STATUS_BUSY: other snapshots are being taken. It
/// allocates: any thread, not from a signal handler.
///
/// # Safety
/// `snapshot` is NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_snapshot_take(
    flatten: bool,
    snapshot: *mut SnapshotHandle,
) -> Status {
    // SAFETY: as the caller promises.
    unsafe { xtimer_timer_snapshot_take(TimerHandle::DEFAULT, flatten, snapshot) }
}

/// As xtimer_snapshot_take, of a timer of your own.
///
/// # Safety
/// As for xtimer_snapshot_take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_timer_snapshot_take(
    timer: TimerHandle,
    flatten: bool,
    snapshot: *mut SnapshotHandle,
) -> Status {
    // SAFETY: as the caller promises.
    guard::status(|| unsafe { hand_out(|| Numbers::of(timer, flatten), snapshot) })
}

/// A copy of a snapshot, to be handed out.
pub(crate) fn copied(snapshot: Snapshot<'_>, flatten: bool) -> Numbers {
    Numbers::copy(snapshot, flatten)
}

/// Writes the handle of a copy to `snapshot`.
///
/// # Safety
/// As for xtimer_snapshot_take.
pub(crate) unsafe fn hand_out(
    copy: impl FnOnce() -> Result<Numbers, Failure>,
    snapshot: *mut SnapshotHandle,
) -> Result<(), Failure> {
    if snapshot.is_null() {
        return Err(null_output());
    }
    let copy = Box::new(copy()?);
    crate::fork::watch();
    let handle = TAKEN.with(|places| {
        let index = places.iter().position(|place| place.copy.is_none()).unwrap_or_else(|| {
            places.push(Place { generation: 0, copy: None });
            places.len() - 1
        });
        let place = &mut places[index];
        place.generation = place.generation.wrapping_add(1);
        place.copy = Some(copy);
        u64::from(place.generation) << 32 | (index as u64 + 1)
    });
    let handle = handle.ok_or_else(busy)?;
    // SAFETY: not NULL, may be written.
    unsafe { snapshot.write(SnapshotHandle { handle }) };
    Ok(())
}

/// Frees a snapshot: what its infos point to goes with it. A second time is an error and no more.
/// Any thread; not from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_snapshot_free(snapshot: SnapshotHandle) -> Status {
    guard::status(|| {
        let free = |places: &mut Vec<Place>| {
            place_of(places, snapshot).and_then(|place| place.copy.take())
        };
        // Dropped outside the lock.
        match TAKEN.with(free) {
            Some(Some(_)) => Ok(()),
            Some(None) => Err(no_snapshot()),
            None => Err(busy()),
        }
    })
}

/// How many sections a snapshot has; 0 where the handle is none. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_snapshot_count(snapshot: SnapshotHandle) -> usize {
    guard::value(0, || with(snapshot, |copy| Ok(copy.sections.len())))
}

/// Writes to `info` a section of a snapshot: depth first, in order of first entry, from 0 on.
///
/// What its pointers lead to stands until the snapshot is freed. XTIMER_STATUS_NOT_FOUND: there are
/// not so many; nothing was written. Any thread.
///
/// # Safety
/// `info` is NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_snapshot_at(
    snapshot: SnapshotHandle,
    index: usize,
    info: *mut SectionInfo,
) -> Status {
    guard::status(|| {
        if info.is_null() {
            return Err(null_output());
        }
        let found = with(snapshot, |copy| {
            copy.sections.get(index).copied().ok_or_else(|| {
                let count = copy.sections.len();
                refuse(Code::NotFound, format_args!("There are {count} sections, none {index}."))
            })
        })?;
        // SAFETY: not NULL, may be written.
        unsafe { info.write(found) };
        Ok(())
    })
}

/// Time of a snapshot's sections without a recorded parent, in nanoseconds; 0 where the handle is
/// none. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_snapshot_total_ns(snapshot: SnapshotHandle) -> u64 {
    guard::value(0, || with(snapshot, |copy| Ok(copy.total)))
}

/// How many categories a snapshot's sections have; 0 where the handle is none. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_snapshot_category_count(snapshot: SnapshotHandle) -> usize {
    guard::value(0, || with(snapshot, |copy| Ok(copy.categories.len())))
}

/// Writes to `category` and `total_ns` a category of a snapshot, sorted by code point, from 0 on, and
/// its total in nanoseconds.
///
/// The string stands until the snapshot is freed. XTIMER_STATUS_NOT_FOUND: there are not so many;
/// nothing was written. Any thread.
///
/// # Safety
/// `category` and `total_ns` are NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_snapshot_category_at(
    snapshot: SnapshotHandle,
    index: usize,
    category: *mut *const c_char,
    total_ns: *mut u64,
) -> Status {
    guard::status(|| {
        if category.is_null() || total_ns.is_null() {
            return Err(null_output());
        }
        let found = with(snapshot, |copy| {
            copy.categories.get(index).map(|(name, total)| (name.as_ptr(), *total)).ok_or_else(
                || {
                    let count = copy.categories.len();
                    refuse(
                        Code::NotFound,
                        format_args!("There are {count} categories, none {index}."),
                    )
                },
            )
        })?;
        // SAFETY: not NULL, may be written.
        unsafe {
            category.write(found.0);
            total_ns.write(found.1);
        }
        Ok(())
    })
}

/// Writes to `losses` what had not been recorded, or not as asked, when a snapshot was taken. Any
/// thread.
///
/// # Safety
/// `losses` is NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_snapshot_losses(
    snapshot: SnapshotHandle,
    losses: *mut Losses,
) -> Status {
    guard::status(|| {
        if losses.is_null() {
            return Err(null_output());
        }
        let found = with(snapshot, |copy| Ok(copy.losses))?;
        // SAFETY: not NULL, may be written.
        unsafe { losses.write(found) };
        Ok(())
    })
}

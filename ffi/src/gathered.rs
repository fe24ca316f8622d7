//! Profiles of many ranks, united by path: decoded, loaded, or gathered over a transport of the
//! caller's, and gone through section by section. Handles are checked, as snapshots' are.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use xtimer_core::Lock;
use xtimer_core::profile::{FileError, GatherError, Gathered, GatheredTimes};

use crate::error::{Code, Failure, Status, refuse};
use crate::file::path_of;
use crate::guard;
use crate::info::{XTIMER_NONE, c_string};
use crate::profile::profile_of;
use crate::text;
use crate::timer::TimerHandle;

/// Profiles of ranks, as a checked handle: once freed, each use is refused. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatheredHandle {
    /// The library's own.
    pub handle: u64,
}

/// The times of one section, gathered from ranks. Times are nanoseconds; where there is none it is
/// XTIMER_NONE, and a mean or deviation is not a number. Count, sum, mean, deviation and extremes are of
/// all durations, also where samples were dropped or never kept.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GatheredInfo {
    /// Its name: the last of its path.
    pub name: *const c_char,
    /// The names of its path, outermost first; its own is the last.
    pub path: *const *const c_char,
    /// How many names the path has.
    pub path_length: usize,
    /// Its category; NULL where ranks have it with different ones.
    pub category: *const c_char,
    /// How many ranks have it.
    pub rank_count: usize,
    /// How often it was ended or recorded, on all ranks.
    pub count: u64,
    /// All durations together; it stops at the largest number.
    pub sum_ns: u64,
    /// The shortest duration.
    pub min_ns: u64,
    /// The longest duration.
    pub max_ns: u64,
    /// The mean duration.
    pub mean_ns: f64,
    /// The sample standard deviation of the durations (divisor n-1).
    pub std_ns: f64,
    /// What it took on the slowest rank.
    pub slowest_ns: u64,
    /// What it took on the fastest rank that has it.
    pub fastest_ns: u64,
    /// What it took on a rank, on average over those that have it.
    pub rank_mean_ns: f64,
    /// The slowest rank over the mean of ranks: 1 where all took the same.
    pub imbalance: f64,
    /// The rank where it took longest; of several the lowest.
    pub slowest_rank: u32,
    /// The rank where it took least.
    pub fastest_rank: u32,
    /// How many samples there are, and in each of the three arrays: by rank, then start.
    pub sample_count: usize,
    /// The samples' durations.
    pub durations_ns: *const u64,
    /// When each began, by its rank's clock; 0 where that is not known.
    pub starts_ns: *const u64,
    /// The rank of each.
    pub ranks: *const u32,
    /// How many samples were dropped.
    pub dropped: u64,
}

/// Carries this rank's bytes to the others.
///
/// It is given `length` bytes at `bytes`. On success it returns 0 and sets `all` and `all_length` to the
/// bytes of all ranks, one rank's behind the other's, which must stand until xtimer_gather returns; where
/// another rank gets them, it leaves `all` as it is, NULL. Any other number is a failure, told in the
/// sentence. It returns: no exception, no longjmp.
pub type Transport = Option<
    unsafe extern "C" fn(
        data: *mut c_void,
        bytes: *const u8,
        length: usize,
        all: *mut *const u8,
        all_length: *mut usize,
    ) -> i32,
>;

/// The profiles, and what the infos point to; never changed after it was made.
struct United {
    gathered: Gathered,
    times: Vec<GatheredTimes>,
    names: Vec<Vec<CString>>,
    paths: Vec<Box<[*const c_char]>>,
    categories: Vec<Option<CString>>,
}

// SAFETY: its pointers lead to memory that it owns and that is never changed.
unsafe impl Send for United {}

/// A place for one, and how often it was given anew.
pub(crate) struct Place {
    generation: u32,
    united: Option<Box<United>>,
}

pub(crate) static HELD: Lock<Vec<Place>> = Lock::new(Vec::new());

impl United {
    fn new(gathered: Gathered) -> Self {
        let names: Vec<Vec<CString>> =
            gathered.paths().map(|path| path.into_iter().map(c_string).collect()).collect();
        let paths =
            names.iter().map(|path| path.iter().map(|name| name.as_ptr()).collect()).collect();
        let times: Vec<GatheredTimes> = gathered.iter().map(|entry| entry.1).collect();
        let categories = times.iter().map(|times| times.category().map(c_string)).collect();
        Self { gathered, times, names, paths, categories }
    }

    fn info(&self, index: usize) -> Option<GatheredInfo> {
        let (times, path) = (self.times.get(index)?, self.paths.get(index)?);
        let across = times.across();
        let (slowest, fastest) = (across.slowest(), across.fastest());
        Some(GatheredInfo {
            name: path.last().copied()?,
            path: path.as_ptr(),
            path_length: path.len(),
            category: self
                .categories
                .get(index)?
                .as_ref()
                .map_or(ptr::null(), |name| name.as_ptr()),
            rank_count: times.rank_count(),
            count: times.count(),
            sum_ns: u64::try_from(times.sum()).unwrap_or(u64::MAX),
            min_ns: times.min().unwrap_or(XTIMER_NONE),
            max_ns: times.max().unwrap_or(XTIMER_NONE),
            mean_ns: times.mean(),
            std_ns: times.std(),
            slowest_ns: slowest.map_or(XTIMER_NONE, |slowest| slowest.1),
            fastest_ns: fastest.map_or(XTIMER_NONE, |fastest| fastest.1),
            rank_mean_ns: across.mean(),
            imbalance: across.imbalance(),
            slowest_rank: slowest.map_or(0, |slowest| slowest.0),
            fastest_rank: fastest.map_or(0, |fastest| fastest.0),
            sample_count: times.len(),
            durations_ns: times.durations().as_ptr(),
            starts_ns: times.starts().as_ptr(),
            ranks: times.ranks().as_ptr(),
            dropped: times.dropped(),
        })
    }
}

fn busy() -> Failure {
    refuse(Code::Busy, format_args!("Another thread is at work with gathered profiles; try again."))
}

fn no_gathered() -> Failure {
    refuse(
        Code::InvalidArgument,
        format_args!("The gathered profiles were freed, or never were any."),
    )
}

fn null_output() -> Failure {
    refuse(Code::InvalidArgument, format_args!("The place for the result is NULL."))
}

fn damaged(error: impl std::fmt::Display) -> Failure {
    refuse(Code::BadProfile, format_args!("The bytes are no profile: {error}."))
}

fn place_of(places: &mut [Place], gathered: GatheredHandle) -> Option<&mut Place> {
    let index = usize::try_from((gathered.handle & 0xffff_ffff).checked_sub(1)?).ok()?;
    let generation = (gathered.handle >> 32) as u32;
    places.get_mut(index).filter(|place| place.generation == generation)
}

/// Works with the profiles of a handle.
fn with<R>(
    gathered: GatheredHandle,
    work: impl FnOnce(&United) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let find = |places: &mut Vec<Place>| {
        let place = place_of(places, gathered).ok_or_else(no_gathered)?;
        place.united.as_deref().map_or_else(|| Err(no_gathered()), work)
    };
    HELD.with(find).unwrap_or_else(|| Err(busy()))
}

/// Keeps profiles and gives their handle.
fn keep(gathered: Gathered) -> Result<GatheredHandle, Failure> {
    let united = Box::new(United::new(gathered));
    crate::fork::watch();
    let handle = HELD.with(|places| {
        let index = places.iter().position(|place| place.united.is_none()).unwrap_or_else(|| {
            places.push(Place { generation: 0, united: None });
            places.len() - 1
        });
        let place = &mut places[index];
        place.generation = place.generation.wrapping_add(1);
        place.united = Some(united);
        u64::from(place.generation) << 32 | (index as u64 + 1)
    });
    Ok(GatheredHandle { handle: handle.ok_or_else(busy)? })
}

fn told<E: std::fmt::Display>(error: GatherError<E>) -> Failure {
    match error {
        GatherError::SameRank(error) => refuse(Code::InvalidArgument, format_args!("{error}")),
        GatherError::Decode(error) => damaged(error),
        error => refuse(Code::Io, format_args!("{error}.")),
    }
}

/// Decodes `length` bytes at `bytes`: profiles of ranks one behind another, one at least.
///
/// On success the handle is written to `gathered`; free it with xtimer_gathered_free. The bytes are not
/// needed any more. XTIMER_STATUS_BAD_PROFILE: they are none, and xtimer_last_error says what is wrong
/// at which byte. XTIMER_STATUS_INVALID_ARGUMENT: two are of one rank. It allocates: any thread, not from
/// a signal handler.
///
/// # Safety
/// `length` bytes at `bytes` may be read, or it is NULL (an error); `gathered` is NULL (an error) or may
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_gathered_decode(
    bytes: *const u8,
    length: usize,
    gathered: *mut GatheredHandle,
) -> Status {
    guard::status(|| {
        if gathered.is_null() {
            return Err(null_output());
        }
        if bytes.is_null() {
            return Err(refuse(Code::InvalidArgument, format_args!("The bytes are NULL.")));
        }
        // SAFETY: not NULL, so `length` bytes may be read.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
        let handle = keep(Gathered::from_bytes(bytes).map_err(told)?)?;
        // SAFETY: not NULL, may be written.
        unsafe { gathered.write(handle) };
        Ok(())
    })
}

/// Loads profiles of ranks, one behind another, from a file. As xtimer_gathered_decode in all else;
/// XTIMER_STATUS_IO: the file cannot be read.
///
/// # Safety
/// `path` is NULL (an error) or ends with a zero; `gathered` is NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_gathered_load(
    path: *const c_char,
    gathered: *mut GatheredHandle,
) -> Status {
    guard::status(|| {
        if gathered.is_null() {
            return Err(null_output());
        }
        if path.is_null() {
            return Err(refuse(Code::InvalidArgument, format_args!("The path is NULL.")));
        }
        // SAFETY: not NULL, so it ends with a zero.
        let path = path_of(unsafe { CStr::from_ptr(path) })?;
        let loaded = Gathered::load(&path).map_err(|error| {
            let code = match error {
                FileError::Decode { .. } => Code::BadProfile,
                FileError::SameRank { .. } => Code::InvalidArgument,
                _ => Code::Io,
            };
            refuse(code, format_args!("{error}."))
        })?;
        let handle = keep(loaded)?;
        // SAFETY: not NULL, may be written.
        unsafe { gathered.write(handle) };
        Ok(())
    })
}

/// Saves gathered profiles as a file, as xtimer_save_profile does.
///
/// # Safety
/// `path` is NULL (an error) or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_gathered_save(
    gathered: GatheredHandle,
    path: *const c_char,
) -> Status {
    guard::status(|| {
        if path.is_null() {
            return Err(refuse(Code::InvalidArgument, format_args!("The path is NULL.")));
        }
        // SAFETY: not NULL, so it ends with a zero.
        let path = path_of(unsafe { CStr::from_ptr(path) })?;
        let copy = with(gathered, |united| Ok(united.gathered.clone()))?;
        copy.save(&path).map_err(|error| refuse(Code::Io, format_args!("{error}.")))
    })
}

/// Gathers a timer's profile from all ranks over a transport of yours: MPI, sockets, a queue.
///
/// Each rank calls it with its own `rank`; `label` is a text for people, or NULL. `transport` is called
/// once, with `data`, outside of any lock. Where it gives the bytes of all ranks, the handle is written
/// to `gathered`, to be freed by xtimer_gathered_free; where another rank gets them, a handle of 0 is.
/// XTIMER_STATUS_IO: the transport failed; else as xtimer_gathered_decode.
///
/// # Safety
/// `label` is NULL or ends with a zero; `transport` does what its type says; `gathered` is NULL (an
/// error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_gather(
    timer: TimerHandle,
    rank: u32,
    label: *const c_char,
    transport: Transport,
    data: *mut c_void,
    gathered: *mut GatheredHandle,
) -> Status {
    guard::status(|| {
        if gathered.is_null() {
            return Err(null_output());
        }
        let Some(transport) = transport else {
            return Err(refuse(Code::InvalidArgument, format_args!("The transport is NULL.")));
        };
        // SAFETY: as the caller promises.
        let label = if label.is_null() { "" } else { unsafe { text::required(label, "label")? } };
        let profile = profile_of(timer, rank, label)?;
        let carry = |bytes: &[u8]| {
            let (mut all, mut all_length) = (ptr::null(), 0);
            // SAFETY: the bytes may be read, the places written; the rest is the caller's promise.
            let code = unsafe {
                transport(data, bytes.as_ptr(), bytes.len(), &raw mut all, &raw mut all_length)
            };
            if code != 0 {
                return Err(format!("the transport returned {code}"));
            }
            // SAFETY: so many bytes may be read until this call returns, as the transport promises.
            Ok((!all.is_null()).then(|| unsafe { std::slice::from_raw_parts(all, all_length) }))
        };
        let handle = match Gathered::gather(&profile, carry).map_err(told)? {
            Some(all) => keep(all)?,
            None => GatheredHandle { handle: 0 },
        };
        // SAFETY: not NULL, may be written.
        unsafe { gathered.write(handle) };
        Ok(())
    })
}

/// Frees gathered profiles: what their infos point to goes with them. A second time is an error and no
/// more. Any thread; not from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_gathered_free(gathered: GatheredHandle) -> Status {
    guard::status(|| {
        let free = |places: &mut Vec<Place>| {
            place_of(places, gathered).and_then(|place| place.united.take())
        };
        // Dropped outside the lock.
        match HELD.with(free) {
            Some(Some(_)) => Ok(()),
            Some(None) => Err(no_gathered()),
            None => Err(busy()),
        }
    })
}

/// How many ranks gathered profiles have; 0 where the handle is none. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_gathered_rank_count(gathered: GatheredHandle) -> usize {
    guard::value(0, || with(gathered, |united| Ok(united.gathered.rank_count())))
}

/// How many sections gathered profiles have: distinct paths; 0 where the handle is none. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_gathered_count(gathered: GatheredHandle) -> usize {
    guard::value(0, || with(gathered, |united| Ok(united.times.len())))
}

/// Writes to `info` the times of a section: depth first, in order of first entry, from 0 on.
///
/// What its pointers lead to stands until the profiles are freed. XTIMER_STATUS_NOT_FOUND: there are not
/// so many; nothing was written. Any thread.
///
/// # Safety
/// `info` is NULL (an error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_gathered_at(
    gathered: GatheredHandle,
    index: usize,
    info: *mut GatheredInfo,
) -> Status {
    guard::status(|| {
        if info.is_null() {
            return Err(null_output());
        }
        let found = with(gathered, |united| {
            united.info(index).ok_or_else(|| {
                let count = united.times.len();
                refuse(Code::NotFound, format_args!("There are {count} sections, none {index}."))
            })
        })?;
        // SAFETY: not NULL, may be written.
        unsafe { info.write(found) };
        Ok(())
    })
}

/// Writes to `index` the place of the section whose path is `names`, outermost first, `count` of them.
/// XTIMER_STATUS_NOT_FOUND: no rank has it; nothing was written. Any thread.
///
/// # Safety
/// `names` leads to `count` strings that end with a zero, or is NULL (an error); `index` is NULL (an
/// error) or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_gathered_find(
    gathered: GatheredHandle,
    names: *const *const c_char,
    count: usize,
    index: *mut usize,
) -> Status {
    guard::status(|| {
        if index.is_null() {
            return Err(null_output());
        }
        if names.is_null() {
            return Err(refuse(Code::InvalidArgument, format_args!("The names are NULL.")));
        }
        // SAFETY: not NULL, so it leads to `count` pointers to strings that end with a zero.
        let path = (0..count).map(|at| unsafe { text::required(*names.add(at), "name") });
        let path: Vec<&str> = path.collect::<Result<_, _>>()?;
        let found = with(gathered, |united| {
            let same = |names: &&Vec<CString>| {
                names.iter().map(|name| name.to_bytes()).eq(path.iter().map(|name| name.as_bytes()))
            };
            united.names.iter().position(|names| same(&names)).ok_or_else(|| {
                let path = path.join("/");
                refuse(Code::NotFound, format_args!("No rank has the section '{path}'."))
            })
        })?;
        // SAFETY: not NULL, may be written.
        unsafe { index.write(found) };
        Ok(())
    })
}

/// A percentile, 0 to 100, of the durations of the section at `index`, in nanoseconds: from the samples
/// by linear interpolation, or from histograms, off by a 64th at most. Not a number where there is none.
/// Any thread; not from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn xtimer_gathered_percentile_ns(
    gathered: GatheredHandle,
    index: usize,
    percent: f64,
) -> f64 {
    guard::value(f64::NAN, || {
        with(gathered, |united| {
            Ok(united.times.get(index).map_or(f64::NAN, |times| times.percentile(percent)))
        })
    })
}

/// The total of a category on a rank, in nanoseconds; 0 where the rank has none. NULL is `default`. Any
/// thread.
///
/// # Safety
/// `category` is NULL or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xtimer_gathered_category_ns(
    gathered: GatheredHandle,
    rank: u32,
    category: *const c_char,
) -> u64 {
    guard::value(0, || {
        // SAFETY: as the caller promises.
        let category = unsafe { text::category(category)? };
        with(gathered, |united| {
            let mut totals = united.gathered.category_totals(category);
            Ok(totals.find(|total| total.0 == rank).map_or(0, |total| total.1))
        })
    })
}

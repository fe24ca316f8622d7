//! This thread's sections, wherever they go: to the timers enabled here, or to the default one.
//!
//! The functions of this module are what [`section!`](crate::section) stands on, for sections whose
//! names are made at run time, for hand-over to other threads, and for sections that are on no stack.
//! Each gives `None` on a thread that can't have a context: it is ending, or there is no memory.
//!
//! ```
//! use xtimer_core::{Config, HostTimer, section, thread};
//!
//! let request = HostTimer::shared(Config::HOST).unwrap();
//! {
//!     let _enabled = request.enable().unwrap();
//!     let _handle = section!("handle");
//!     let place = thread::here().unwrap();
//!     std::thread::scope(|scope| {
//!         scope.spawn(move || {
//!             let parse = thread::enter_beneath(&place, "parse", "io").unwrap().unwrap();
//!             drop(section!("inside")); // in the request's timer as well
//!             thread::exit(parse).unwrap().unwrap();
//!         });
//!     });
//! }
//! let snapshot = request.snapshot().unwrap();
//! assert_eq!(snapshot.section(&["handle", "parse", "inside"]).unwrap().count(), 1);
//! ```

use core::fmt;

use crate::context::{Site, Token};
use crate::counter::Counter;
use crate::error::Error;
use crate::handle::{nanoseconds_of, request};
use crate::host::default::{self, ThreadContext, with_thread};
pub use crate::host::fan::DetachedSet;
use crate::host::fan::{self, Targets};
use crate::host::place::Place;
use crate::host::set::{self, Set};
use crate::names::Name;
use crate::opening::Request;

/// Does a call in several timers, or in the default one.
fn either<R>(
    several: impl FnOnce(&Set) -> Result<R, Error>,
    one: impl FnOnce(&ThreadContext) -> Result<R, Error>,
) -> Option<Result<R, Error>> {
    match set::fanning() {
        Some(set) => Some(several(set)),
        None => with_thread(one),
    }
}

/// Whether a place asks for more than the default timer's context; this thread's timers, if so.
fn beyond_default<'s>(place: &Place) -> Result<Option<&'s Set>, Error> {
    let serial = default::existing().map(|timer| timer.serial());
    let is_default = place.paths().all(|path| Some(path.owner) == serial);
    if place.is_root() || (is_default && set::fanning().is_none()) {
        return Ok(set::fanning());
    }
    set::made().map(Some).ok_or(Error::NoContext)
}

/// As [`either`], beneath a place.
fn either_beneath<R>(
    place: &Place,
    several: impl FnOnce(&Set) -> Result<R, Error>,
    one: impl FnOnce(&ThreadContext) -> Result<R, Error>,
) -> Option<Result<R, Error>> {
    match beyond_default(place) {
        Ok(Some(set)) => Some(several(set)),
        Ok(None) => with_thread(one),
        Err(_) => None,
    }
}

/// Enters a section by name beneath the innermost open one, in each timer that is enabled here.
///
/// # Errors
/// As [`Context::enter`](crate::Context::enter), by the first timer that refuses; then none of them
/// has entered it.
pub fn enter(name: &str, category: &str) -> Option<Result<Token, Error>> {
    either(
        |set| Targets::active(set, None).enter(&request(name, category, None)),
        |context| context.enter(name, category),
    )
}

/// Enters the counted section `name[index]`.
///
/// # Errors
/// As [`enter`].
pub fn enter_counted(name: &str, index: i64, category: &str) -> Option<Result<Token, Error>> {
    either(
        |set| {
            let counter = Counter::new(index);
            let name = Name { base: name.as_bytes(), suffix: counter.as_bytes() };
            let request = Request { name, ..request("", category, None) };
            Targets::active(set, None).enter(&request)
        },
        |context| context.enter_counted(name, index, category),
    )
}

/// Enters a section beneath a place, in each of its timers. Until it is exited, these are the timers
/// enabled on this thread, whatever was before.
///
/// Beneath [`Place::ROOT`]: at the top of the timers that are enabled here. Timers that were dropped or
/// destroyed meanwhile are passed over. A thread that is new to one of them gets its context there, for
/// which memory is allocated.
///
/// # Errors
/// As [`enter`]; [`Error::OtherTimer`] when the place is not good, or none of its timers is left;
/// [`Error::NoLane`], [`Error::NoMemory`] when this thread can't have a context in one of them;
/// [`Error::TooDeep`] also when 255 such sections are open; [`Error::Busy`] in a signal handler that
/// interrupts another call, where this thread is new to one of them.
pub fn enter_beneath(place: &Place, name: &str, category: &str) -> Option<Result<Token, Error>> {
    enter_request_beneath(place, &request(name, category, None))
}

/// As [`enter_beneath`], by a call site.
///
/// # Errors
/// As [`enter_beneath`].
pub fn enter_beneath_at(place: &Place, site: &Site) -> Option<Result<Token, Error>> {
    let words = Some(&site.words);
    enter_request_beneath(place, &Request { words, ..request(site.name, site.category, None) })
}

/// As [`enter_beneath`], the counted section `name[index]`.
///
/// # Errors
/// As [`enter_beneath`].
pub fn enter_counted_beneath(
    place: &Place,
    name: &str,
    index: i64,
    category: &str,
) -> Option<Result<Token, Error>> {
    let counter = Counter::new(index);
    let name = Name { base: name.as_bytes(), suffix: counter.as_bytes() };
    enter_request_beneath(place, &Request { name, ..request("", category, None) })
}

fn enter_request_beneath(place: &Place, request: &Request<'_>) -> Option<Result<Token, Error>> {
    let first = place.paths().next().unwrap_or(crate::Path::ROOT);
    either_beneath(
        place,
        |set| {
            if place.is_root() {
                return Targets::active(set, Some(first)).enter(request);
            }
            fan::enter_beneath(set, place, request)
        },
        |context| {
            let token = context.lane.enter_general(&Request { under: Some(first), ..*request });
            context.entered(token)
        },
    )
}

/// Exits the section of a token in each timer that it went to, whatever is enabled now. The null token
/// is ignored. [`exit`](crate::exit) is the faster form, without the details of an error.
///
/// # Errors
/// As [`Context::exit`](crate::Context::exit). [`Error::Unclosed`] is the first timer's to which it
/// happened.
pub fn exit(token: Token) -> Option<Result<(), Error>> {
    match default::exit(token) {
        0 => Some(Ok(())),
        36 => None,
        code => {
            let newest = last_error().filter(|error| error.code() == code);
            Some(Err(newest.or(Error::from_words(code, 0, 0)).unwrap_or(Error::NotOpen)))
        }
    }
}

/// Adds a duration measured elsewhere, in nanoseconds, to the section `name` beneath the innermost open
/// one of each timer that is enabled here.
///
/// # Errors
/// As [`Context::record`](crate::Context::record); what one timer refuses is recorded by none.
pub fn record(name: &str, category: &str, nanoseconds: u64) -> Option<Result<(), Error>> {
    either(
        |set| fan::record(set, None, &request(name, category, None), nanoseconds),
        |context| context.record(name, category, nanoseconds),
    )
}

/// As [`record`], with a duration in seconds.
///
/// # Errors
/// As [`record`], and [`Error::BadDuration`] when it is negative, not a number, or more than 2^64
/// nanoseconds.
pub fn record_seconds(name: &str, category: &str, seconds: f64) -> Option<Result<(), Error>> {
    either(
        |set| {
            let nanoseconds = nanoseconds(set, seconds)?;
            fan::record(set, None, &request(name, category, None), nanoseconds)
        },
        |context| context.record_seconds(name, category, seconds),
    )
}

/// As [`record`], beneath a place, in each of its timers.
///
/// # Errors
/// As [`record`] and, for the place, as [`enter_beneath`].
pub fn record_beneath(
    place: &Place,
    name: &str,
    category: &str,
    nanoseconds: u64,
) -> Option<Result<(), Error>> {
    let first = place.paths().next().unwrap_or(crate::Path::ROOT);
    either_beneath(
        place,
        |set| fan::record(set, Some(place), &request(name, category, None), nanoseconds),
        |context| context.record_beneath(first, name, category, nanoseconds),
    )
}

/// As [`record_beneath`], with a duration in seconds.
///
/// # Errors
/// As [`record_seconds`] and [`record_beneath`].
pub fn record_beneath_seconds(
    place: &Place,
    name: &str,
    category: &str,
    seconds: f64,
) -> Option<Result<(), Error>> {
    let first = place.paths().next().unwrap_or(crate::Path::ROOT);
    either_beneath(
        place,
        |set| {
            let nanoseconds = nanoseconds(set, seconds)?;
            fan::record(set, Some(place), &request(name, category, None), nanoseconds)
        },
        |context| context.record_beneath_seconds(first, name, category, seconds),
    )
}

/// As [`record`], into the child of an open section of this thread, in each timer that it went to. The
/// null token is ignored.
///
/// # Errors
/// As [`Context::record_in`](crate::Context::record_in).
pub fn record_in(
    token: Token,
    name: &str,
    category: &str,
    nanoseconds: u64,
) -> Option<Result<(), Error>> {
    match set::current().filter(|_| token.is_of_set()) {
        Some(set) => Some(fan::record_in(set, token, &request(name, category, None), nanoseconds)),
        None => with_thread(|context| context.record_in(token, name, category, nanoseconds)),
    }
}

/// As [`record_in`], with a duration in seconds.
///
/// # Errors
/// As [`record_in`] and [`record_seconds`].
pub fn record_in_seconds(
    token: Token,
    name: &str,
    category: &str,
    seconds: f64,
) -> Option<Result<(), Error>> {
    match set::current().filter(|_| token.is_of_set()) {
        Some(set) => Some(nanoseconds(set, seconds).and_then(|nanoseconds| {
            fan::record_in(set, token, &request(name, category, None), nanoseconds)
        })),
        None => with_thread(|context| context.record_in_seconds(token, name, category, seconds)),
    }
}

/// Seconds as nanoseconds.
fn nanoseconds(set: &Set, seconds: f64) -> Result<u64, Error> {
    nanoseconds_of(seconds).ok_or_else(|| set.note(None, Error::BadDuration))
}

/// Enters a section that is held by value, in each timer that is enabled here: beneath the innermost
/// open one, or beneath a place and in its timers.
///
/// # Errors
/// As [`enter`], and for a place as [`enter_beneath`].
pub fn detach(
    place: Option<&Place>,
    name: &str,
    category: &str,
) -> Option<Result<DetachedSet, Error>> {
    let asked = request(name, category, None);
    let first = place.map(|place| place.paths().next().unwrap_or(crate::Path::ROOT));
    let one = |context: &ThreadContext| context.detach(first, name, category).map(DetachedSet::of);
    match place {
        Some(place) => either_beneath(place, |set| fan::detach(set, Some(place), &asked), one),
        None => either(|set| fan::detach(set, None, &asked), one),
    }
}

/// Records a detached section, on whichever thread, in each of its timers that is still there.
///
/// # Errors
/// [`Error::OtherTimer`] where none is; for this thread's contexts as [`enter_beneath`].
#[expect(clippy::needless_pass_by_value, reason = "a section is finished once")]
pub fn finish(detached: DetachedSet) -> Option<Result<(), Error>> {
    let place = detached.place();
    if place.is_root() {
        return Some(Ok(()));
    }
    let one = |context: &ThreadContext| {
        context.done(detached.parts().map(|part| context.lane.finish(part, 0)).max().unwrap_or(0))
    };
    either_beneath(&place, |set| fan::finish(set, &detached), one)
}

/// The place of this thread's innermost open section, for other threads to enter beneath, with the
/// timers that are enabled here. [`Place::ROOT`] where none is enabled and no section is open.
pub fn here() -> Option<Place> {
    match set::fanning() {
        Some(set) => Some(fan::here(set)),
        None => with_thread(|context| match context.depth() {
            0 => Place::ROOT,
            _ => Place::of(context.current_path()),
        }),
    }
}

/// The place of an open section of this thread, the innermost or not.
///
/// # Errors
/// As [`Context::path_of`](crate::Context::path_of).
pub fn place_of(token: Token) -> Option<Result<Place, Error>> {
    match set::current().filter(|_| token.is_of_set()) {
        Some(set) => Some(fan::place_of(set, token)),
        None => with_thread(|context| context.path_of(token).map(Place::of)),
    }
}

/// This thread's last error, of whichever timer.
pub fn last_error() -> Option<Error> {
    default::thread_error().or_else(|| Some(set::current()?.last_error()?.0))
}

/// The words of an error that a function of this module gave, with the names of the sections or
/// categories it tells of, as long as it is the thread's last.
pub fn sentence<R>(error: Error, work: impl FnOnce(fmt::Arguments<'_>) -> R) -> R {
    let of_default = default::thread_error() == Some(error);
    let _work = set::current().map(Set::work);
    let noted = set::current().filter(|_| !of_default).and_then(Set::last_error);
    let lane = match noted {
        Some((last, lane)) if last == error => lane,
        _ => default::lane_of_thread(),
    };
    match lane {
        Some(lane) => work(format_args!("{}", lane.timer.sentence(error))),
        None => work(format_args!("{error}")),
    }
}

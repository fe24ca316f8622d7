//! One call, several timers: what is entered, exited or recorded while several timers are enabled.
//!
//! Everything is checked in each timer before anything is written in the first, so that what one of
//! them refuses is recorded by none. A section has the same token in the lane of each, so exit finds
//! it there whatever is enabled by then, and each timer closes what was open inside it, as it would
//! alone.

use crate::clock::Clock;
use crate::context::{Detached, Path, Token};
use crate::error::Error;
use crate::host::default::{self, ThreadLane};
use crate::host::place::{MOST_ENABLED, Place};
use crate::host::set::{self, AtWork, Set, Slots, bit};
use crate::opening::Request;

/// A timer that a call goes to.
#[derive(Clone, Copy)]
struct Target {
    slot: usize,
    lane: ThreadLane,
    /// Beneath this path instead of the innermost open section.
    under: Option<Path>,
}

/// The timers that a call goes to. Those that are switched off are left out.
pub(crate) struct Targets<'s> {
    set: &'s Set,
    kept: [Option<Target>; MOST_ENABLED],
    /// Their contexts stay meanwhile, whatever a signal handler does.
    _work: AtWork<'s>,
}

impl<'s> Targets<'s> {
    fn new(set: &'s Set, targets: impl Iterator<Item = Target>) -> Self {
        let _work = set.work();
        let mut kept = [None; MOST_ENABLED];
        for (kept, target) in kept.iter_mut().zip(targets.filter(|target| !target.lane.is_off())) {
            *kept = Some(target);
        }
        Self { set, kept, _work }
    }

    /// The timers enabled now.
    pub(crate) fn active(set: &'s Set, under: Option<Path>) -> Self {
        Self::new(set, set.lanes(set.active()).map(|(slot, lane)| Target { slot, lane, under }))
    }

    /// Those of a place, with their slots. None is left of it: [`Error::OtherTimer`].
    fn of(set: &'s Set, place: &Place) -> Result<(Self, Slots), Error> {
        let found = set.resolve(place).map_err(|error| set.note(None, error))?;
        let slots = found.iter().flatten().fold(0, |slots, (slot, _)| slots | bit(*slot));
        if slots == 0 {
            return Err(set.note(None, Error::OtherTimer));
        }
        let target = |(slot, path)| {
            let (slot, lane) = set.lanes(bit(slot)).next()?;
            Some(Target { slot, lane, under: Some(path) })
        };
        Ok((Self::new(set, found.into_iter().flatten().filter_map(target)), slots))
    }

    /// Those in which the section of a token is open, which becomes the parent.
    fn inside(set: &'s Set, token: Token) -> Result<Self, Error> {
        let place = place_of(set, token)?;
        Self::of(set, &place).map(|(targets, _)| targets)
    }

    fn iter(&self) -> impl Iterator<Item = &Target> {
        self.kept.iter().flatten()
    }

    /// Says whether all of them admit a request; the first that does not counts it and is named.
    fn admit(&self, request: &Request<'_>, pushes: bool) -> Result<(), Error> {
        for target in self.iter() {
            let request = Request { under: target.under, ..*request };
            if let Some(error) = target.lane.refusal(&request, pushes) {
                target.lane.note_refusal(error);
                return Err(self.set.note(Some(target.slot), error));
            }
        }
        Ok(())
    }

    /// What was admitted was refused all the same: a handler interrupts a change of that very slot.
    #[cold]
    fn interrupting(&self) -> Error {
        self.set.note(None, Error::Busy)
    }

    /// Enters in all of them, or in none. A lane whose slot a handler interrupts a change of is left out,
    /// and counts that.
    pub(crate) fn enter(&self, request: &Request<'_>) -> Result<Token, Error> {
        self.admit(request, true)?;
        let timers = self.iter().count();
        if timers == 0 {
            return Ok(Token::NULL);
        }
        let token = self.set.token(timers);
        // A call site remembers two parents; more timers would only push each other out.
        let words = request.words.filter(|_| timers <= 2);
        let mut entered = false;
        for target in self.iter() {
            let request = Request { words, under: target.under, is_checked: true, ..*request };
            entered |= target.lane.enter_as(token, &request);
        }
        if entered { Ok(token) } else { Err(self.interrupting()) }
    }

    /// Adds a duration in all of them, or in none.
    fn record(&self, request: &Request<'_>, nanoseconds: u64) -> Result<(), Error> {
        for target in self.iter() {
            if target.lane.timer.clock.scale().ticks(nanoseconds) > i64::MAX as u64 {
                return Err(self.set.note(Some(target.slot), Error::BadDuration));
            }
        }
        self.admit(request, false)?;
        for target in self.iter() {
            let request = Request { under: target.under, is_checked: true, ..*request };
            if target.lane.record(&request, nanoseconds) != 0 {
                return Err(self.interrupting());
            }
        }
        Ok(())
    }

    /// Enters a section held by value in all of them, or in none.
    fn detach(&self, request: &Request<'_>) -> Result<DetachedSet, Error> {
        self.admit(request, false)?;
        let mut detached = DetachedSet::NULL;
        for (part, target) in detached.parts.iter_mut().zip(self.iter()) {
            let request = Request { under: target.under, is_checked: true, ..*request };
            *part = target.lane.detach(&request);
        }
        Ok(detached)
    }
}

/// A section held by value, in each of the timers that it went to.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a detached section is recorded only when it is finished"]
pub struct DetachedSet {
    parts: [Detached; MOST_ENABLED],
}

impl DetachedSet {
    /// One that was not entered; finishing it does nothing.
    pub const NULL: Self = Self { parts: [const { Detached::NULL }; MOST_ENABLED] };

    /// Its place, to enter sections beneath it.
    pub fn place(&self) -> Place {
        let paths = self.parts.iter().map(Detached::path);
        Place::of_all(paths.filter(|path| *path != Path::ROOT))
    }

    /// Whether it was not entered in any timer.
    pub fn is_null(&self) -> bool {
        *self == Self::NULL
    }

    /// One in a single timer.
    pub fn of(detached: Detached) -> Self {
        let mut set = Self::NULL;
        set.parts[0] = detached;
        set
    }

    /// The sections, each of another timer.
    pub fn parts(&self) -> impl Iterator<Item = &Detached> {
        self.parts.iter().filter(|part| **part != Detached::NULL)
    }

    /// What a front end keeps of it: for each timer start, epoch and path.
    #[doc(hidden)]
    pub fn to_parts(&self) -> [(u64, u64, Path); MOST_ENABLED] {
        self.parts.each_ref().map(|part| {
            let (start, epoch) = part.parts();
            (start, epoch, part.path())
        })
    }

    /// The section of such parts. Any are safe: what is no section of a timer is refused.
    #[doc(hidden)]
    pub fn from_parts(parts: [(u64, u64, Path); MOST_ENABLED]) -> Self {
        let part = |(start, epoch, path)| Detached::from_parts(start, epoch, path);
        Self { parts: parts.map(part) }
    }
}

/// Enters beneath a place, and makes its timers the ones that are enabled until that section ends.
pub(crate) fn enter_beneath(
    set: &Set,
    place: &Place,
    request: &Request<'_>,
) -> Result<Token, Error> {
    let (targets, slots) = Targets::of(set, place)?;
    if !set.has_level() {
        let first = targets.iter().next().map(|target| target.slot);
        return Err(set.note(first, Error::TooDeep { top: 0 }));
    }
    let token = targets.enter(request)?;
    if !token.is_null() {
        set.begin_level(token, slots);
    }
    Ok(token)
}

/// Records beneath a place, or in the timers enabled now.
pub(crate) fn record(
    set: &Set,
    place: Option<&Place>,
    request: &Request<'_>,
    nanoseconds: u64,
) -> Result<(), Error> {
    targets(set, place)?.record(request, nanoseconds)
}

/// Records inside the section of a token of this thread.
pub(crate) fn record_in(
    set: &Set,
    token: Token,
    request: &Request<'_>,
    nanoseconds: u64,
) -> Result<(), Error> {
    Targets::inside(set, token)?.record(request, nanoseconds)
}

/// Detaches beneath a place, or in the timers enabled now.
pub(crate) fn detach(
    set: &Set,
    place: Option<&Place>,
    request: &Request<'_>,
) -> Result<DetachedSet, Error> {
    targets(set, place)?.detach(request)
}

fn targets<'s>(set: &'s Set, place: Option<&Place>) -> Result<Targets<'s>, Error> {
    Ok(match place {
        None => Targets::active(set, None),
        Some(place) if place.is_root() => Targets::active(set, Some(Path::ROOT)),
        Some(place) => Targets::of(set, place)?.0,
    })
}

/// Records a detached section in those of its timers that are still there.
pub(crate) fn finish(set: &Set, detached: &DetachedSet) -> Result<(), Error> {
    let found = set.resolve(&detached.place()).map_err(|error| set.note(None, error))?;
    let _work = set.work();
    let mut outcome = Err(Error::OtherTimer);
    for (slot, path) in found.into_iter().flatten() {
        let (Some((_, lane)), Some(part)) =
            (set.lanes(bit(slot)).next(), detached.parts().find(|part| part.path() == path))
        else {
            continue;
        };
        if lane.finish(part, 0) == 0 {
            outcome = Ok(());
        }
    }
    outcome.map_err(|error| set.note(None, error))
}

/// The place of the innermost open section in each timer that is enabled now.
pub(crate) fn here(set: &Set) -> Place {
    let _work = set.work();
    Place::of_all(set.lanes(set.active()).map(|(_, lane)| lane.current_path()))
}

/// The place of an open section of this thread.
pub(crate) fn place_of(set: &Set, token: Token) -> Result<Place, Error> {
    let _work = set.work();
    let place = Place::of_all(set.all_lanes().filter_map(|(_, lane)| lane.path_of(token).ok()));
    if place.is_root() { Err(set.note(None, not_open(set, token))) } else { Ok(place) }
}

/// Why a token is not open on this thread.
fn not_open(set: &Set, token: Token) -> Error {
    if set.gave(token) || token.is_null() { Error::NotOpen } else { Error::OtherContext }
}

/// Exits a section that went to several timers, in each of them. 0 or an error's code.
///
/// # Errors
/// Why it is not open on this thread: the caller counts it.
#[cold]
#[inline(never)]
pub(crate) fn exit(token: Token) -> Result<u32, Error> {
    // A thread that never had several timers has given no such token.
    let set = set::current().ok_or(Error::OtherContext)?;
    let _work = set.work();
    let is_level = set.is_level(token);
    let timers = (token.0 as u32 >> 2 & 0xf) as usize;
    let (mut ended, mut failed) = (0, None);
    // Most likely in those that are enabled now: no stack is searched when all are found.
    for slots in [set.active(), !set.active()] {
        for (slot, lane) in set.lanes(slots) {
            if ended == timers {
                break;
            }
            if let Some(code) = lane.exit_open(token) {
                ended += 1;
                if code != 0 {
                    failed = failed.or(lane.last_error().map(|error| (slot, error)));
                }
            }
        }
    }
    if is_level {
        set.settle();
    }
    if ended == 0 {
        return Err(not_open(set, token));
    }
    Ok(failed.map_or(0, |(slot, error)| set.note(Some(slot), error).code()))
}

/// Exits while several timers are enabled, or on a thread that entered nothing yet. What is refused
/// counts in each timer that is enabled, or in the default one.
pub(crate) fn exit_here(token: Token) -> u32 {
    exit(token).unwrap_or_else(|error| match set::fanning() {
        Some(set) => {
            let _work = set.work();
            for (_, lane) in set.lanes(set.active()) {
                lane.refuse_exit(error);
            }
            set.note(None, error).code()
        }
        None => match default::lane() {
            Some(lane) => lane.refuse_exit(error),
            None => Error::NoContext.code(),
        },
    })
}

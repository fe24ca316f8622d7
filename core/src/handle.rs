//! A context as its user holds it: enter, exit, record, by name or by call site.

use core::cell::Cell;
use core::marker::PhantomData;

use crate::clock::Clock;
use crate::context::{Detached, Path, Site, SiteWords, Token};
use crate::counter::Counter;
use crate::error::Error;
use crate::names::Name;
use crate::opening::Request;
use crate::shape::Shape;
use crate::timer::{Lane, Timer};

/// The stack of open sections of one thread, interrupt level or task, and its lane.
///
/// Dropped, it gives its lane back: sections still open are counted as unclosed, the numbers stay.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, Error, ManualClock, Timer};
///
/// let clock = ManualClock::new(64);
/// let timer = Timer::with_clock(Config::HOST, &clock).unwrap();
/// let context = timer.context().unwrap();
/// let step = context.enter("step", "compute").unwrap();
/// let fold = context.enter_counted("fold", 3, "compute").unwrap();
/// clock.advance(10);
/// context.record("kernel", "gpu", 7).unwrap(); // measured elsewhere, beneath fold[3]
/// context.record_in(step, "copy", "gpu", 5).unwrap(); // beneath step
/// assert_eq!(context.depth(), 2);
///
/// // Exited while another is open inside: that one is discarded, and counted.
/// let error = context.exit(step).unwrap_err();
/// assert!(matches!(error, Error::Unclosed { .. }));
/// let sentence = timer.sentence(error).to_string();
/// assert_eq!(sentence, "'step' exited while 'fold[3]' was still active.");
///
/// let path = timer.find_path(&["step", "fold[3]"]).unwrap();
/// let late = context.enter_beneath(path, "late", "io").unwrap();
/// context.exit(late).unwrap();
/// let snapshot = timer.snapshot().unwrap();
/// assert_eq!(snapshot.section(&["step"]).unwrap().total(), 10);
/// assert_eq!(snapshot.section(&["step", "fold[3]"]).unwrap().count(), 0);
/// assert_eq!(snapshot.section(&["step", "fold[3]", "kernel"]).unwrap().total(), 7);
/// # }
/// ```
#[derive(Debug)]
pub struct Context<'t, S: Shape, C: Clock> {
    pub(crate) lane: Lane<'t, S, C>,
    #[cfg(feature = "std")]
    #[expect(dead_code, reason = "a late context's memory, kept for as long as its lane is used")]
    pub(crate) stack: Option<crate::host::memory::Allocation>,
    /// One thread at a time: enter and exit are the lane's single writer.
    pub(crate) not_sync: PhantomData<Cell<()>>,
}

impl<S: Shape, C: Clock> Timer<S, C> {
    /// A context with a lane of its own. With `std`, when all lanes are taken, a late one: its stack
    /// is allocated here, and it adds to shared slots (slower, no standard deviation).
    ///
    /// # Errors
    /// [`Error::NoLane`] when all lanes are taken and the timer has no late contexts;
    /// [`Error::NoMemory`] when a late context's stack could not be allocated.
    pub fn context(&self) -> Result<Context<'_, S, C>, Error> {
        if let Some(lane) = self.claim() {
            return Ok(Context {
                lane,
                #[cfg(feature = "std")]
                stack: None,
                not_sync: PhantomData,
            });
        }
        #[cfg(feature = "std")]
        if self.layout.config.late != 0 {
            let stack = self.late_stack()?;
            let lane = self.claim_late(stack.memory());
            return Ok(Context { lane, stack: Some(stack), not_sync: PhantomData });
        }
        Err(Error::NoLane)
    }

    /// The words of an error, with the names of the sections or categories it tells of.
    pub fn sentence(&self, error: Error) -> crate::sentence::Sentence<'_> {
        crate::sentence::Sentence { error, region: self.ready(), layout: &self.layout }
    }

    /// Opens a path again that was read from a snapshot or kept as names: the section `names`,
    /// outermost first, where it exists.
    pub fn find_path(&self, names: &[&str]) -> Option<Path> {
        let region = self.ready();
        let mut section = 0;
        for name in names {
            let name = crate::names::find(region, &self.layout, Name::plain(name))?;
            section = crate::paths::find(region, &self.layout, section, name)?;
        }
        Some(Path { owner: self.serial(), section })
    }
}

pub(crate) const fn request<'n>(
    name: &'n str,
    category: &'n str,
    under: Option<Path>,
) -> Request<'n> {
    Request { name: Name::plain(name), category, words: None, under, is_checked: false }
}

/// Seconds as nanoseconds; `None` where they are negative, not a number, or too many.
#[cfg(feature = "std")]
pub(crate) fn nanoseconds_of(seconds: f64) -> Option<u64> {
    let duration = core::time::Duration::try_from_secs_f64(seconds).ok()?;
    u64::try_from(duration.as_nanos()).ok()
}

impl<S: Shape, C: Clock> Context<'_, S, C> {
    pub(crate) fn entered(&self, token: Token) -> Result<Token, Error> {
        match (token.is_null() && self.lane.timer.is_enabled(), self.lane.last_error()) {
            (true, Some(error)) => Err(error),
            _ => Ok(token),
        }
    }

    pub(crate) fn done(&self, code: u32) -> Result<(), Error> {
        match (code, self.lane.last_error()) {
            (0, _) => Ok(()),
            (_, Some(error)) if error.code() == code => Err(error),
            // The token's section went to several timers, and another's lane keeps the details.
            _ => Err(Error::from_words(code, 0, 0).unwrap_or(Error::NotOpen)),
        }
    }

    /// Enters a section by its call site: a few nanoseconds where the site was entered before under
    /// the same parent. Gives the null token while the timer is switched off.
    ///
    /// Wait-free for a path seen before, lock-free for a new one.
    ///
    /// # Errors
    /// [`Error::Forbidden`] by a rule, [`Error::TooDeep`] when the stack is full.
    #[inline]
    pub fn enter_at(&self, site: &Site) -> Result<Token, Error> {
        let token = self.lane.enter_at(site);
        if token.is_null() { self.entered(token) } else { Ok(token) }
    }

    /// Enters a section by name beneath the innermost open one.
    ///
    /// # Errors
    /// As [`enter_at`](Self::enter_at).
    pub fn enter(&self, name: &str, category: &str) -> Result<Token, Error> {
        self.entered(self.lane.enter_general(&request(name, category, None)))
    }

    /// Enters the counted section `name[index]`.
    ///
    /// # Errors
    /// As [`enter_at`](Self::enter_at).
    pub fn enter_counted(&self, name: &str, index: i64, category: &str) -> Result<Token, Error> {
        let counter = Counter::new(index);
        let name = Name { base: name.as_bytes(), suffix: counter.as_bytes() };
        let (words, under) = (None, None);
        let request = Request { name, category, words, under, is_checked: false };
        self.entered(self.lane.enter_general(&request))
    }

    /// Enters a section beneath a path, often of another context, whose section may be closed by now.
    ///
    /// # Errors
    /// As [`enter_at`](Self::enter_at), and [`Error::OtherTimer`].
    pub fn enter_beneath(&self, parent: Path, name: &str, category: &str) -> Result<Token, Error> {
        self.entered(self.lane.enter_general(&request(name, category, Some(parent))))
    }

    /// As [`enter_beneath`](Self::enter_beneath), by a call site, which remembers what it came to.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// # use xtimer_core::{Config, HostTimer, Path, Site};
    /// # let timer = HostTimer::new(Config::HOST).unwrap();
    /// # let context = timer.context().unwrap();
    /// static PART: Site = Site::new("part", "compute");
    /// let part = context.enter_beneath_at(Path::ROOT, &PART).unwrap();
    /// context.exit(part).unwrap();
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`enter_beneath`](Self::enter_beneath).
    pub fn enter_beneath_at(&self, parent: Path, site: &Site) -> Result<Token, Error> {
        let words = Some(&site.words);
        let request = request(site.name, site.category, Some(parent));
        self.entered(self.lane.enter_general(&Request { words, ..request }))
    }

    /// Enters the counted section `name[index]` beneath a path.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// # use xtimer_core::{Config, HostTimer, Path};
    /// # let timer = HostTimer::new(Config::HOST).unwrap();
    /// # let context = timer.context().unwrap();
    /// let worker = context.enter_counted_beneath(Path::ROOT, "worker", 3, "compute").unwrap();
    /// context.exit(worker).unwrap();
    /// assert!(timer.snapshot().unwrap().section(&["worker[3]"]).is_some());
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`enter_beneath`](Self::enter_beneath).
    pub fn enter_counted_beneath(
        &self,
        parent: Path,
        name: &str,
        index: i64,
        category: &str,
    ) -> Result<Token, Error> {
        let counter = Counter::new(index);
        let name = Name { base: name.as_bytes(), suffix: counter.as_bytes() };
        let under = Some(parent);
        self.entered(self.lane.enter_general(&Request { name, ..request("", category, under) }))
    }

    /// Exits the section of a token and records it. The null token is ignored. Wait-free.
    ///
    /// # Errors
    /// [`Error::Unclosed`]: it was closed and recorded, with sections inside it still open, which were
    /// discarded. [`Error::NotOpen`], [`Error::OtherContext`]: nothing changed.
    #[inline]
    pub fn exit(&self, token: Token) -> Result<(), Error> {
        let code = self.lane.exit(token);
        if code == 0 { Ok(()) } else { self.done(code) }
    }

    /// Adds a duration measured elsewhere, in nanoseconds, to the section `name` beneath the
    /// innermost open one. Kept in the clock's ticks, to the nearest.
    ///
    /// # Errors
    /// [`Error::Forbidden`] by a rule.
    pub fn record(&self, name: &str, category: &str, nanoseconds: u64) -> Result<(), Error> {
        self.done(self.lane.record(&request(name, category, None), nanoseconds))
    }

    /// As [`record`](Self::record), beneath a path.
    ///
    /// # Errors
    /// [`Error::Forbidden`] by a rule; [`Error::OtherTimer`].
    pub fn record_beneath(
        &self,
        parent: Path,
        name: &str,
        category: &str,
        nanoseconds: u64,
    ) -> Result<(), Error> {
        self.done(self.lane.record(&request(name, category, Some(parent)), nanoseconds))
    }

    /// As [`record`](Self::record), into the child of an open section of this context, the innermost
    /// or not. The null token is ignored, as in [`exit`](Self::exit): what was not entered has no
    /// children.
    ///
    /// # Errors
    /// [`Error::Forbidden`] by a rule; [`Error::NotOpen`], [`Error::OtherContext`] as
    /// [`path_of`](Self::path_of).
    pub fn record_in(
        &self,
        token: Token,
        name: &str,
        category: &str,
        nanoseconds: u64,
    ) -> Result<(), Error> {
        if token.is_null() {
            return Ok(());
        }
        match self.lane.path_of(token) {
            Ok(path) => self.record_beneath(path, name, category, nanoseconds),
            Err(error) => self.done(self.lane.fail(error)),
        }
    }

    /// As [`record_in`](Self::record_in), with a duration in seconds.
    ///
    /// # Errors
    /// As [`record_in`](Self::record_in) and [`record_seconds`](Self::record_seconds).
    #[cfg(feature = "std")]
    pub fn record_in_seconds(
        &self,
        token: Token,
        name: &str,
        category: &str,
        seconds: f64,
    ) -> Result<(), Error> {
        if token.is_null() {
            return Ok(());
        }
        match self.lane.path_of(token) {
            Ok(path) => self.record_beneath_seconds(path, name, category, seconds),
            Err(error) => self.done(self.lane.fail(error)),
        }
    }

    /// As [`record`](Self::record), with a duration in seconds.
    ///
    /// # Errors
    /// [`Error::BadDuration`] when it is negative, not a number, or more than 2^64 nanoseconds.
    #[cfg(feature = "std")]
    pub fn record_seconds(&self, name: &str, category: &str, seconds: f64) -> Result<(), Error> {
        self.seconds(&request(name, category, None), seconds)
    }

    /// As [`record_seconds`](Self::record_seconds), beneath a path.
    ///
    /// # Errors
    /// As [`record_seconds`](Self::record_seconds), and [`Error::OtherTimer`].
    #[cfg(feature = "std")]
    pub fn record_beneath_seconds(
        &self,
        parent: Path,
        name: &str,
        category: &str,
        seconds: f64,
    ) -> Result<(), Error> {
        self.seconds(&request(name, category, Some(parent)), seconds)
    }

    #[cfg(feature = "std")]
    fn seconds(&self, request: &Request<'_>, seconds: f64) -> Result<(), Error> {
        self.done(match nanoseconds_of(seconds) {
            Some(nanoseconds) => self.lane.record(request, nanoseconds),
            None => self.lane.fail(Error::BadDuration),
        })
    }

    /// Enters a section that is held by value, beneath the innermost open one or beneath `parent`.
    /// It is on no stack: it reduces no exclusive time, and is recorded by
    /// [`finish`](Self::finish).
    ///
    /// # Errors
    /// As [`enter_beneath`](Self::enter_beneath).
    pub fn detach(
        &self,
        parent: Option<Path>,
        name: &str,
        category: &str,
    ) -> Result<Detached, Error> {
        let detached = self.lane.detach(&request(name, category, parent));
        match (detached.owner == 0 && self.lane.timer.is_enabled(), self.lane.last_error()) {
            (true, Some(error)) => Err(error),
            _ => Ok(detached),
        }
    }

    /// Records a detached section, whichever context began it.
    ///
    /// # Errors
    /// [`Error::OtherTimer`].
    #[expect(clippy::needless_pass_by_value, reason = "a section is finished once")]
    pub fn finish(&self, detached: Detached) -> Result<(), Error> {
        self.done(self.lane.finish(&detached, 0))
    }

    /// The path of the innermost open section, for other contexts to enter beneath.
    pub fn current_path(&self) -> Path {
        self.lane.current_path()
    }

    /// The path of an open section of this context, the innermost or not: to enter or record beneath
    /// it, here or elsewhere. Searches the stack from the innermost section outwards.
    ///
    /// # Errors
    /// [`Error::NotOpen`]: the section was exited, or the token is null; [`Error::OtherContext`]: it
    /// is another's token. Unlike those of [`exit`](Self::exit) they are not counted as losses:
    /// nothing was to be recorded.
    pub fn path_of(&self, token: Token) -> Result<Path, Error> {
        self.lane.path_of(token)
    }

    /// How many sections are open.
    pub fn depth(&self) -> usize {
        self.lane.depth()
    }

    /// Whether it found no lane, and so adds to shared slots.
    pub fn is_late(&self) -> bool {
        self.lane.is_late()
    }

    /// Enters by what `words` remember of a name, for front ends whose call sites are not `Site`s.
    /// `names` spells name and category where the words don't do, or refuses.
    #[doc(hidden)]
    #[inline]
    pub fn enter_words<'n>(
        &self,
        words: &SiteWords,
        names: impl FnOnce() -> Option<(&'n str, &'n str)>,
    ) -> Token {
        self.lane
            .enter_words(words, || names().map(|(name, category)| (Name::plain(name), category)))
    }

    /// The last error of this context.
    #[doc(hidden)]
    pub fn last_error(&self) -> Option<Error> {
        self.lane.last_error()
    }

    /// Forgets it.
    #[doc(hidden)]
    pub fn forget_error(&self) {
        self.lane.forget_error();
    }
}

impl<S: Shape, C: Clock> Drop for Context<'_, S, C> {
    fn drop(&mut self) {
        self.lane.release();
    }
}

//! Sections of tasks that are polled: on no stack while they wait, on a thread's while they run.
//!
//! A task's section is a detached one, so its time is the *elapsed* one, waiting included. Whenever
//! the task runs, a frame of the section is pushed on the stack of the thread that runs it: what is
//! entered then nests in the section, whichever thread that is. The frame adds nothing to the section
//! itself; its time goes to a child named [`ACTIVE`](Task::ACTIVE), once each time the task ran.

use crate::clock::{Clock, Elapsed, elapsed};
use crate::context::{Detached, INDEX_MASK, Path, SiteWords, Token};
use crate::error::Error;
use crate::general::DISCARDED;
use crate::handle::{Context, request};
use crate::layout::{frame, header, lane as at, loss};
use crate::names::Name;
use crate::opening::Request;
use crate::shape::Shape;
use crate::sync::Relaxed;
use crate::timer::{EPOCH, Lane, Opening};

/// A section of a task that is polled, or that runs in turns: a future, a coroutine, a fibre.
///
/// Made by [`begin_task`](Context::begin_task), it may be resumed, paused and finished on any context
/// of its timer, one at a time. Its section has the *elapsed* time, from begin to finish; its child
/// [`ACTIVE`](Self::ACTIVE) has what the task ran, an entry for each time between resume and pause.
/// Never finished, it counts as entered and took no time.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use xtimer_core::{Config, HostTimer, Task};
///
/// let timer = HostTimer::new(Config::HOST).unwrap();
/// let context = timer.context().unwrap();
/// let mut task = context.begin_task(None, "request", "io").unwrap();
/// for _ in 0..3 {
///     let turn = context.resume(&mut task).unwrap();
///     let parse = context.enter("parse", "compute").unwrap();
///     context.exit(parse).unwrap();
///     context.pause(&mut task, turn).unwrap();
/// }
/// context.finish_task(task).unwrap();
///
/// let snapshot = timer.snapshot().unwrap();
/// assert_eq!(snapshot.section(&["request"]).unwrap().count(), 1);
/// assert_eq!(snapshot.section(&["request", Task::ACTIVE]).unwrap().count(), 3);
/// assert_eq!(snapshot.section(&["request", "parse"]).unwrap().count(), 3);
/// # }
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a task is recorded only when it is finished"]
pub struct Task {
    detached: Detached,
    /// The section that its turns are recorded in; 0 before the first, [`NO_ACTIVE`] where they are not.
    active: u32,
    /// Ticks of the sections nested in it, on the stacks where it ran.
    children: u64,
}

/// No section for the turns.
const NO_ACTIVE: u32 = u32::MAX;

impl Task {
    /// The name of the child that has the time a task ran. It has the task's category, so that it
    /// counts in no total twice.
    pub const ACTIVE: &'static str = "(active)";

    /// A task that was not entered: resuming, pausing and finishing it does nothing.
    pub const NULL: Self = Self { detached: Detached::NULL, active: 0, children: 0 };

    /// The section's path, to enter sections beneath it.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// # use xtimer_core::{Config, HostTimer};
    /// # let timer = HostTimer::new(Config::HOST).unwrap();
    /// let (context, other) = (timer.context().unwrap(), timer.context().unwrap());
    /// let task = context.begin_task(None, "request", "io").unwrap();
    /// let part = other.enter_beneath(task.path(), "part", "compute").unwrap();
    /// other.exit(part).unwrap();
    /// context.finish_task(task).unwrap();
    /// assert!(timer.snapshot().unwrap().section(&["request", "part"]).is_some());
    /// # }
    /// ```
    pub const fn path(&self) -> Path {
        self.detached.path()
    }

    /// The same task, with its elapsed time alone: no child [`ACTIVE`](Self::ACTIVE).
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use xtimer_core::{Config, HostTimer, Task};
    ///
    /// let timer = HostTimer::new(Config::HOST).unwrap();
    /// let context = timer.context().unwrap();
    /// let mut task = context.begin_task(None, "request", "io").unwrap().elapsed_only();
    /// let turn = context.resume(&mut task).unwrap();
    /// context.pause(&mut task, turn).unwrap();
    /// context.finish_task(task).unwrap();
    /// assert_eq!(timer.snapshot().unwrap().sections().count(), 1);
    /// # }
    /// ```
    pub const fn elapsed_only(self) -> Self {
        Self { active: NO_ACTIVE, ..self }
    }

    /// Whether it was not entered.
    pub const fn is_null(&self) -> bool {
        self.detached.owner == 0
    }
}

impl<S: Shape, C: Clock> Lane<'_, S, C> {
    /// Enters the section of a task; the null one when refused.
    pub(crate) fn begin_task(self, request: &Request<'_>) -> Task {
        let detached = self.detach(request);
        if detached.owner == 0 {
            return Task::NULL;
        }
        Task { detached, active: 0, children: 0 }
    }

    /// Pushes a frame of the task's section; the null token when it can't.
    pub(crate) fn resume(self, task: &mut Task) -> Token {
        let Detached { epoch, section, .. } = task.detached;
        if task.is_null() {
            return Token::NULL;
        }
        let state = self.region.wide(header::STATE).load();
        if !self.catch_up(state) {
            self.refuse_interrupting();
            return Token::NULL;
        }
        if !self.knows(task.path()) {
            self.fail(Error::OtherTimer);
            return Token::NULL;
        }
        let top = self.lane.word(at::TOP).load(Relaxed); // Relaxed: own, as below
        if top == self.lane.word(at::LIMIT).load(Relaxed) {
            let node = self.lane.at(top as usize).word(frame::NODE).load(Relaxed);
            self.count_loss(loss::TOO_DEEP, 1);
            self.fail(Error::TooDeep { top: node & INDEX_MASK });
            return Token::NULL;
        }
        let category = self.category_of(section);
        let mut frame_category = category;
        if epoch == state / EPOCH {
            // What does not fit beneath it asks this lane whether it is recorded.
            self.ready_slot(section, category, epoch, false);
            if task.active == 0 {
                task.active = self.active_of(section, category);
            }
            if task.active != NO_ACTIVE {
                self.ready_slot(task.active, category, epoch, true);
            }
        } else {
            frame_category |= DISCARDED;
        }
        let node = self.node(section);
        self.push(top, Opening { node, category: frame_category, mark: Token::MARK }, C::now)
    }

    /// Takes the task's frame off and records the turn. 0 or an error's code.
    pub(crate) fn pause(self, task: &mut Task, token: Token) -> u32 {
        if token.is_null() {
            return 0;
        }
        let now = self.timer.clock.now();
        let state = self.region.wide(header::STATE).load();
        self.catch_up(state);
        let Detached { epoch, section: own, .. } = task.detached;
        let Some(found) = self.frame_of(token, own) else { return self.refuse(token) };
        let top = self.lane.word(at::TOP).load(Relaxed); // Relaxed: own
        let section =
            |at: u32| self.lane.at(at as usize).word(frame::NODE).load(Relaxed) & INDEX_MASK;
        let unclosed =
            (found < top).then(|| Error::Unclosed { outer: section(found), inner: section(top) });
        self.discard_to(found);
        let frame = self.lane.at(found as usize);
        let start = frame.wide(frame::START).load();
        let elapsed = self.elapsed_since(start, now);
        let children = frame.wide(frame::CHILDREN).load();
        self.pop(found, elapsed);
        task.children = task.children.wrapping_add(children);
        let mut code = 0;
        if epoch == state / EPOCH && !matches!(task.active, 0 | NO_ACTIVE) {
            code = if self.ready_slot(task.active, self.category_of(own), epoch, true) {
                self.add(task.active, (elapsed, children), start, epoch)
            } else {
                self.refuse_interrupting()
            };
        }
        unclosed.map_or(code, |error| self.fail(error))
    }

    /// Records the task's section. 0 or an error's code.
    pub(crate) fn finish_task(self, task: &Task) -> u32 {
        self.finish(&task.detached, task.children)
    }

    /// The section of a task's turns.
    fn active_of(self, section: u32, category: u32) -> u32 {
        self.intern_path(section, Name::plain(Task::ACTIVE)).unwrap_or_else(|| {
            self.count_loss(loss::NO_SLOT, 1);
            self.lost_slot(section, true, category)
        })
    }

    fn elapsed_since(self, start: u64, now: u64) -> u64 {
        match elapsed(start, now, self.timer.clock.width()) {
            Elapsed::Forward(elapsed) => elapsed,
            Elapsed::Back => self.stepped_back(),
        }
    }

    /// The offset of a token's frame in this lane, where it is one of `section`.
    fn frame_of(self, token: Token, section: u32) -> Option<u32> {
        let word = |offset| self.lane.word(offset).load(Relaxed); // Relaxed: own
        let (frames, mut found) = (word(at::FRAMES), word(at::TOP));
        while found > frames {
            let frame = self.lane.at(found as usize);
            if frame.wide(frame::TOKEN).load() & !Token::MARK == token.0 {
                // Relaxed: own.
                let node = frame.word(frame::NODE).load(Relaxed);
                return (node & INDEX_MASK == section).then_some(found);
            }
            found -= frame::BYTES as u32;
        }
        None
    }
}

impl<S: Shape, C: Clock> Context<'_, S, C> {
    /// Enters the section of a task, beneath the innermost open section or beneath `parent`. Its time
    /// begins here.
    ///
    /// # Errors
    /// As [`enter_beneath`](Self::enter_beneath).
    pub fn begin_task(
        &self,
        parent: Option<Path>,
        name: &str,
        category: &str,
    ) -> Result<Task, Error> {
        let task = self.lane.begin_task(&request(name, category, parent));
        match (task.is_null() && self.lane.timer.is_enabled(), self.lane.last_error()) {
            (true, Some(error)) => Err(error),
            _ => Ok(task),
        }
    }

    /// The task runs on this context from here on: sections entered until [`pause`](Self::pause) nest
    /// in its section, and the section open around it, if any, counts its time as spent in a nested one.
    ///
    /// # Errors
    /// [`Error::TooDeep`] when the stack is full, [`Error::OtherTimer`]. The task may go on all the same:
    /// pausing with the null token does nothing.
    pub fn resume(&self, task: &mut Task) -> Result<Token, Error> {
        let token = self.lane.resume(task);
        match (token.is_null() && !task.is_null(), self.lane.last_error()) {
            (true, Some(error)) => Err(error),
            _ => Ok(token),
        }
    }

    /// The task stops running on this context: one more entry of its child [`Task::ACTIVE`].
    ///
    /// # Errors
    /// [`Error::Unclosed`]: sections that the task entered and did not exit were discarded.
    /// [`Error::NotOpen`], [`Error::OtherContext`]: it was not resumed here; nothing changed.
    pub fn pause(&self, task: &mut Task, token: Token) -> Result<(), Error> {
        self.outcome(self.lane.pause(task, token))
    }

    /// Records the task's section. Exclusive time is the elapsed one less that of the sections nested in
    /// it where it ran: its own work, and its waiting.
    ///
    /// # Errors
    /// [`Error::OtherTimer`].
    #[expect(clippy::needless_pass_by_value, reason = "a task is finished once")]
    pub fn finish_task(&self, task: Task) -> Result<(), Error> {
        self.outcome(self.lane.finish_task(&task))
    }

    fn outcome(&self, code: u32) -> Result<(), Error> {
        match (code, self.lane.last_error()) {
            (1.., Some(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// As [`begin_task`](Self::begin_task), with what a call site remembers; the null task where it is
    /// refused.
    #[doc(hidden)]
    pub fn begin_task_words(
        &self,
        parent: Option<Path>,
        words: &SiteWords,
        name: &str,
        category: &str,
    ) -> Task {
        let words = Some(words);
        self.lane.begin_task(&Request { words, ..request(name, category, parent) })
    }
}

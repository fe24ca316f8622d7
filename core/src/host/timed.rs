//! Futures as sections of the default timer: elapsed time across the awaits, active time while polled.

use std::borrow::Cow;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context as Waker, Poll};

use pin_project_lite::pin_project;

use crate::context::{Site, SiteWords, Token};
use crate::host::default::with_thread;
use crate::host::place::Place;
use crate::task::Task;

/// What the section of a future is called.
#[derive(Debug)]
enum Label {
    Site(&'static Site),
    Names { words: SiteWords, name: Cow<'static, str>, category: Cow<'static, str> },
}

/// How far the future has come.
#[derive(Debug)]
enum Stage {
    /// Not polled yet; the section goes beneath this place, or where the first poll finds itself.
    New(Option<Place>),
    /// Polled, and neither ready nor dropped.
    Begun(Task),
    /// Ready, or not to be timed.
    Done,
}

#[derive(Debug)]
struct Timing {
    label: Label,
    stage: Stage,
}

/// The task's frame on the thread that polls it, until the poll returns or unwinds.
struct Turn<'t> {
    timing: &'t mut Timing,
    token: Token,
    /// It ends on the thread where it began.
    not_send: PhantomData<*const ()>,
}

impl Timing {
    /// Begins the section at the first poll, and pushes its frame on this thread's stack.
    fn run(&mut self) -> Turn<'_> {
        let token = with_thread(|context| {
            if let Stage::New(place) = self.stage {
                let parent = place.map(|place| place.path_in(context));
                let task = match &self.label {
                    Label::Site(site) => {
                        context.begin_task_words(parent, &site.words, site.name, site.category)
                    }
                    Label::Names { words, name, category } => {
                        context.begin_task_words(parent, words, name, category)
                    }
                };
                self.stage = if task.is_null() { Stage::Done } else { Stage::Begun(task) };
            }
            match &mut self.stage {
                Stage::Begun(task) => context.resume(task).unwrap_or(Token::NULL),
                _ => Token::NULL,
            }
        });
        Turn { timing: self, token: token.unwrap_or(Token::NULL), not_send: PhantomData }
    }

    /// Records the section, where it was begun.
    fn finish(&mut self) {
        if let Stage::Begun(task) = std::mem::replace(&mut self.stage, Stage::Done) {
            // A clear or a full table is the only reason why it is not recorded, and neither is an error.
            let _ = with_thread(|context| context.finish_task(task));
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Stage::Begun(task) = &mut self.timing.stage {
            // What the future left open on this thread was discarded, and is counted.
            let _ = with_thread(|context| context.pause(task, self.token));
        }
    }
}

pin_project! {
    /// A future whose time is a section of the default timer.
    ///
    /// The section begins at the first poll and is recorded when the future is ready, or when it is
    /// dropped before (cancelled): its time is the *elapsed* one, waiting included. Its child
    /// [`(active)`](Task::ACTIVE) has an entry for each poll: how long the future kept a thread.
    /// Sections entered inside a poll nest in it, whichever thread polls; so do those of futures that
    /// it awaits. A future that was never polled leaves no trace.
    ///
    /// Made by [`timed`](TimedExt::timed), or by `#[timed]` on an `async fn`.
    #[derive(Debug)]
    #[must_use = "a future does nothing unless it is polled"]
    pub struct Timed<F> {
        timing: Timing,
        // Gone once it was ready.
        #[pin]
        future: Option<F>,
    }

    impl<F> PinnedDrop for Timed<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            // Cancelled: what its destructors time still nests in it.
            if matches!(this.timing.stage, Stage::Begun(_)) && !cfg!(feature = "disable") {
                let turn = this.timing.run();
                this.future.set(None);
                drop(turn);
                this.timing.finish();
            }
        }
    }
}

impl<F> Timed<F> {
    /// Times `future` as a section of a call site. What `#[timed]` makes of an `async fn`.
    ///
    /// ```
    /// use xtimer_core::{Site, Timed};
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    ///
    /// static LOAD: Site = Site::new("load", "io");
    /// assert_eq!(runtime.block_on(Timed::at(&LOAD, async { 7 })), 7);
    /// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
    /// assert_eq!(snapshot.section(&["load"]).unwrap().count(), 1);
    /// ```
    pub const fn at(site: &'static Site, future: F) -> Self {
        let timing = Timing { label: Label::Site(site), stage: Stage::New(None) };
        Self { timing, future: Some(future) }
    }

    /// The section goes beneath `parent`, for tasks that are handed to an executor:
    ///
    /// ```
    /// use xtimer_core::{TimedExt, here, section};
    /// # let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    /// # runtime.block_on(async {
    /// let task = {
    ///     let _step = section!("step");
    ///     tokio::spawn(async { /* … */ }.timed("load", "io").beneath(here()))
    /// };
    /// task.await.unwrap();
    /// # });
    /// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
    /// assert_eq!(snapshot.section(&["step", "load"]).unwrap().count(), 1);
    /// ```
    ///
    /// Without it the section nests where the first poll finds itself. It has no effect once the future
    /// was polled.
    pub fn beneath(mut self, parent: impl Into<Place>) -> Self {
        if let Stage::New(place) = &mut self.timing.stage {
            *place = Some(parent.into());
        }
        self
    }
}

impl<F: Future> Future for Timed<F> {
    type Output = F::Output;

    /// Polls the future inside its section. Polled again after it was ready, it stays pending.
    fn poll(self: Pin<&mut Self>, waker: &mut Waker<'_>) -> Poll<F::Output> {
        let mut this = self.project();
        let Some(future) = this.future.as_mut().as_pin_mut() else { return Poll::Pending };
        if cfg!(feature = "disable") {
            return future.poll(waker);
        }
        let turn = this.timing.run();
        let polled = future.poll(waker);
        if polled.is_ready() {
            // Its destructors belong to its last turn.
            this.future.set(None);
        }
        drop(turn);
        if polled.is_ready() {
            this.timing.finish();
        }
        polled
    }
}

/// Gives futures a section: `load().timed("load", "io").await`.
///
/// ```
/// use xtimer_core::{Task, TimedExt};
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// async { tokio::task::yield_now().await }.timed("request", "io").await;
/// # });
/// let snapshot = xtimer_core::default_timer().unwrap().snapshot().unwrap();
/// assert_eq!(snapshot.section(&["request"]).unwrap().count(), 1);
/// assert_eq!(snapshot.section(&["request", Task::ACTIVE]).unwrap().count(), 2); // polls
/// ```
pub trait TimedExt: Future + Sized {
    /// Times this future as the section `name` of the default timer.
    fn timed(
        self,
        name: impl Into<Cow<'static, str>>,
        category: impl Into<Cow<'static, str>>,
    ) -> Timed<Self> {
        let (name, category) = (name.into(), category.into());
        let label = Label::Names { words: SiteWords::new(), name, category };
        Timed { timing: Timing { label, stage: Stage::New(None) }, future: Some(self) }
    }
}

impl<F: Future> TimedExt for F {}

//! Detached sections as a front end's tasks use them: by call site, and with the time in which
//! something nested in them ran, since such tasks keep their own stacks.

use crate::clock::Clock;
use crate::context::{Detached, INDEX_MASK, Path, SiteWords};
use crate::error::Error;
use crate::handle::{Context, request};
use crate::layout::{frame, header, lane as at, loss};
use crate::opening::Request;
use crate::shape::Shape;
use crate::sync::Relaxed;

impl<S: Shape, C: Clock> Context<'_, S, C> {
    /// As [`detach`](Self::detach), by what `words` remember of `name` and `category`. The null
    /// section while the timer is switched off.
    ///
    /// # Errors
    /// As [`enter_beneath`](Self::enter_beneath).
    pub fn detach_words(
        &self,
        words: &SiteWords,
        parent: Option<Path>,
        name: &str,
        category: &str,
    ) -> Result<Detached, Error> {
        let words = Some(words);
        let request = Request { words, ..request(name, category, parent) };
        let detached = self.lane.detach(&request);
        match (detached.owner == 0 && self.lane.timer.is_enabled(), self.lane.last_error()) {
            (true, Some(error)) => Err(error),
            _ => Ok(detached),
        }
    }

    /// As [`finish`](Self::finish), for a section in which others ran for `nested` ticks: they reduce
    /// its exclusive time.
    ///
    /// # Errors
    /// [`Error::OtherTimer`].
    #[expect(clippy::needless_pass_by_value, reason = "a section is finished once")]
    pub fn finish_nested(&self, detached: Detached, nested: u64) -> Result<(), Error> {
        self.done(self.lane.finish(&detached, nested))
    }

    /// Says that `ticks` of the innermost open section went to a section held elsewhere that ran
    /// while nothing else of this context did: they reduce its exclusive time.
    pub fn nest(&self, ticks: u64) {
        let lane = self.lane.lane;
        let top = lane.word(at::TOP).load(Relaxed); // Relaxed: own
        let children = lane.at(top as usize).wide(frame::CHILDREN);
        children.store(children.load().wrapping_add(ticks));
    }

    /// Counts `count` sections of a task's own stack as unclosed, the innermost of which was `inner`,
    /// as `outer` was finished around them; gives the error that says so.
    pub fn unclosed(&self, outer: Path, inner: Path, count: u64) -> Error {
        self.lane.catch_up(self.lane.region.wide(header::STATE).load());
        self.lane.count_loss(loss::UNCLOSED, count);
        let section = |path: Path| path.section & INDEX_MASK;
        let error = Error::Unclosed { outer: section(outer), inner: section(inner) };
        self.lane.fail(error);
        error
    }
}

#[cfg(all(test, not(loom), feature = "std"))]
mod tests {
    use crate::clock::ManualClock;
    use crate::config::Config;
    use crate::context::{Path, SiteWords};
    use crate::timer::Timer;
    use std::string::ToString;

    #[test]
    fn nested_time_reduces_the_exclusive_one() {
        let timer = Timer::with_clock(Config::SMALL, ManualClock::new(64)).unwrap();
        let (context, words) = (timer.context().unwrap(), SiteWords::new());
        for _ in 0..2 {
            let task = context.detach_words(&words, Some(Path::ROOT), "task", "io").unwrap();
            timer.clock().advance(10);
            context.finish_nested(task, 4).unwrap();
        }
        let snapshot = timer.snapshot().unwrap();
        let section = snapshot.section(&["task"]).unwrap();
        assert_eq!((section.count(), section.total(), section.exclusive()), (2, 20, Some(12)));
        assert_eq!(section.category(), "io");
    }

    #[test]
    fn a_section_open_at_a_clear_is_not_recorded() {
        let timer = Timer::with_clock(Config::SMALL, ManualClock::new(64)).unwrap();
        let context = timer.context().unwrap();
        let task = context.detach_words(&SiteWords::new(), None, "task", "io").unwrap();
        timer.clear().unwrap();
        context.finish_nested(task, 0).unwrap();
        assert!(timer.snapshot().unwrap().is_empty());
    }

    #[test]
    fn a_task_that_ran_at_once_reduces_the_section_around_it() {
        let timer = Timer::with_clock(Config::SMALL, ManualClock::new(64)).unwrap();
        let context = timer.context().unwrap();
        let outer = context.enter("outer", "default").unwrap();
        let task = context.detach_words(&SiteWords::new(), None, "task", "io").unwrap();
        timer.clock().advance(7);
        context.finish_nested(task, 0).unwrap();
        context.nest(7);
        timer.clock().advance(1);
        context.exit(outer).unwrap();
        let snapshot = timer.snapshot().unwrap();
        assert_eq!(snapshot.section(&["outer"]).unwrap().exclusive(), Some(1));
        assert_eq!(snapshot.section(&["outer", "task"]).unwrap().total(), 7);
    }

    #[test]
    fn unclosed_sections_of_a_task_are_counted_and_named() {
        let timer = Timer::with_clock(Config::SMALL, ManualClock::new(64)).unwrap();
        let context = timer.context().unwrap();
        let (words, inner_words) = (SiteWords::new(), SiteWords::new());
        let outer = context.detach_words(&words, None, "outer", "io").unwrap();
        let inner = context.detach_words(&inner_words, Some(outer.path()), "inner", "io").unwrap();
        let error = context.unclosed(outer.path(), inner.path(), 1);
        let sentence = timer.sentence(error).to_string();
        assert_eq!(sentence, "'outer' exited while 'inner' was still active.");
        context.finish_nested(outer, 0).unwrap();
        assert_eq!(timer.snapshot().unwrap().losses().unclosed, 1);
    }
}

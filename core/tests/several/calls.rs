//! What each call of a program comes to, in the real timers and in the models.

use xtimer_core::thread;
use xtimer_core::{Error, Place, Site, enable_default, enter_at};

use super::expected::{Parts, TimerId, Token, part};
use super::program::Program;
use crate::model::both::refused;
use crate::model::calls::{Call, Outcome, Refusal};

impl Program {
    pub(super) fn enable(&mut self, thread: usize, timer: usize) {
        let timer = self.pick(timer);
        let shared = self.timers.get(&timer).map(|made| made.timer.clone().expect("picked"));
        let got = self.workers[thread].run(move |local| {
            let enabled = shared.map_or_else(enable_default, |timer| timer.enable())?;
            local.scopes.push(enabled);
            Ok::<(), Error>(())
        });
        self.threads[thread].attach(&mut self.models, timer, &[]);
        let is_enabled = self.threads[thread].enable(timer);
        assert_eq!(got, if is_enabled { Ok(()) } else { Err(Error::TooManyEnabled) });
    }

    /// Compares a token, and notes it.
    fn entered(
        &mut self,
        thread: usize,
        is_of_set: bool,
        got: Result<xtimer_core::Token, Error>,
        expected: Result<Vec<(TimerId, Outcome)>, Refusal>,
    ) -> Option<usize> {
        match (got, expected) {
            (Ok(token), Ok(parts)) => {
                assert_eq!(token.is_null(), parts.is_empty());
                let part = |(timer, outcome)| match outcome {
                    Outcome::Token(number) => (timer, number),
                    outcome => panic!("{outcome:?}"),
                };
                let parts: Parts = parts.into_iter().map(part).collect();
                if token.is_null() {
                    return None;
                }
                self.tokens.push(Token { thread, is_of_set, parts });
                self.given.push(token);
                Some(self.tokens.len() - 1)
            }
            (Err(error), Err(refusal)) => {
                assert_eq!(refused(error), Outcome::Refused(refusal));
                None
            }
            (got, expected) => panic!("{got:?} instead of {expected:?}"),
        }
    }

    pub(super) fn enter(
        &mut self,
        thread: usize,
        name: &'static str,
        category: &'static str,
        way: usize,
    ) {
        let is_of_set = self.threads[thread].is_fanning();
        let targets = self.threads[thread].targets();
        let index = way as i64;
        let call = |context| {
            let category = Some(category);
            match way {
                0 | 1 => Call::EnterCounted { context, name, index, category },
                _ => Call::Enter { context, name, category },
            }
        };
        let expected = self.expect(thread, &targets, call);
        let got = self.workers[thread].run(move |_| match way {
            0 | 1 => thread::enter_counted(name, index, category).expect("the thread lives"),
            2 | 3 => {
                let token = enter_at(Box::leak(Box::new(Site::new(name, category))));
                match thread::last_error() {
                    Some(error) if token.is_null() => Err(error),
                    _ => Ok(token),
                }
            }
            _ => thread::enter(name, category).expect("the thread lives"),
        });
        // By call site, "switched off" looks like the error before it.
        if let (2 | 3, Ok([])) = (way, expected.as_deref()) {
            return;
        }
        self.entered(thread, is_of_set, got, expected);
    }

    /// A place that was taken, none of whose sections found its table full: what is entered there
    /// depends on more than a path.
    fn place(&self, number: usize) -> Option<(Place, Parts)> {
        let last = self.places.len().checked_sub(1)?;
        let (place, parts) = &self.places[last - number.min(last)];
        let is_lost = |&(timer, path): &(TimerId, usize)| {
            self.models.get(&timer).is_some_and(|model| model.path_is_lost(path))
        };
        (!parts.iter().any(is_lost)).then(|| (*place, parts.clone()))
    }

    /// The path in each timer that a call beneath a place goes to, and whether those become the ones
    /// that are enabled.
    fn beneath(&mut self, thread: usize, place: &Place, parts: &Parts) -> (Parts, bool) {
        let it = &mut self.threads[thread];
        if place.is_root() {
            // The top of what is enabled here.
            let targets = it.targets();
            let root = |timer| (timer, self.models.get_mut(&timer).expect("it lives").take_root());
            return (targets.into_iter().map(root).collect(), false);
        }
        let is_level = it.is_fanning() || parts.iter().any(|&(timer, _)| timer != 0);
        let timers = parts.iter().map(|&(timer, _)| timer);
        let found = it.resolve(&mut self.models, timers);
        let left = parts.iter().copied().filter(|(timer, _)| found.contains(timer));
        (left.collect(), is_level)
    }

    pub(super) fn enter_beneath(
        &mut self,
        thread: usize,
        place: usize,
        name: &'static str,
        category: &'static str,
    ) {
        let Some((place, parts)) = self.place(place) else { return };
        let got = self.workers[thread]
            .run(move |_| thread::enter_beneath(&place, name, category).expect("the thread lives"));
        let (paths, is_level) = self.beneath(thread, &place, &parts);
        if paths.is_empty() {
            assert_eq!(got, Err(Error::OtherTimer));
            return;
        }
        let timers: Vec<_> = paths.iter().map(|&(timer, _)| timer).collect();
        let is_of_set = is_level || self.threads[thread].is_fanning();
        let expected = self.expect_each(thread, &timers, |timer, context| Call::EnterBeneath {
            context,
            path: part(&paths, timer).expect("a target"),
            name,
            category: Some(category),
        });
        if let Some(token) = self.entered(thread, is_of_set, got, expected)
            && is_level
        {
            self.threads[thread].begin_level(token, timers);
        }
    }

    pub(super) fn is_open(&self, token: usize, thread: usize) -> bool {
        let Token { thread: own, parts, .. } = &self.tokens[token];
        *own == thread && !self.open_in(thread, parts).is_empty()
    }

    /// The timers in which a token of this thread is open, and the contexts.
    fn open_in(&self, thread: usize, parts: &Parts) -> Vec<(TimerId, usize, usize)> {
        let open = |&(timer, token): &(TimerId, usize)| {
            let context = self.threads[thread].context(timer)?;
            let is_open = self.models.get(&timer)?.open_tokens(context).contains(&token);
            is_open.then_some((timer, context, token))
        };
        parts.iter().filter_map(open).collect()
    }

    pub(super) fn exit(&mut self, thread: usize, token: usize) {
        let given = self.given[token];
        let got = self.workers[thread].run(move |_| thread::exit(given).expect("the thread lives"));
        let Token { thread: own, is_of_set, parts } = self.tokens[token].clone();
        let mut is_unclosed = false;
        let expected = if is_of_set {
            let open = if own == thread { self.open_in(thread, &parts) } else { Vec::new() };
            let is_level = self.threads[thread].is_level(token);
            for &(timer, context, token) in &open {
                let call = Call::Exit { context, token: Some(token) };
                is_unclosed |= matches!(self.model(timer).apply(&call), Outcome::Unclosed { .. });
            }
            if is_level || is_unclosed {
                self.threads[thread].settle(&self.models, &self.tokens);
            }
            if open.is_empty() {
                // It counts where a section would go.
                for timer in self.threads[thread].targets() {
                    self.model(timer).refuse_exit();
                }
            }
            match (open.is_empty(), own == thread) {
                (true, true) => Outcome::Refused(Refusal::NotOpen),
                (true, false) => Outcome::Refused(Refusal::OtherContext),
                _ => Outcome::Done,
            }
        } else {
            // The default timer's own token, which its lane judges.
            let context = self.threads[thread].context(0).expect("it has one");
            let (_, token) = parts[0];
            let outcome = self.model(0).apply(&Call::Exit { context, token: Some(token) });
            is_unclosed = matches!(outcome, Outcome::Unclosed { .. });
            if is_unclosed {
                self.threads[thread].settle(&self.models, &self.tokens);
            }
            outcome
        };
        match got {
            Err(Error::Unclosed { .. }) => assert!(is_unclosed, "{expected:?}"),
            got => {
                assert!(!is_unclosed, "{got:?}");
                assert_eq!(got.map_or_else(refused, |()| Outcome::Done), expected);
            }
        }
    }

    pub(super) fn take_place(&mut self, thread: usize) {
        let place = self.workers[thread].run(|_| thread::here().expect("the thread lives"));
        let it = &self.threads[thread];
        let mut targets = it.targets();
        let default = it.context(0).expect("it has one");
        if !it.is_fanning() && self.models[&0].open_tokens(default).is_empty() {
            targets.clear();
        }
        let mut parts = Parts::new();
        for timer in targets {
            let context = self.threads[thread].context(timer).expect("attached");
            match self.model(timer).apply(&Call::TakePath { context }) {
                Outcome::Path(path) => parts.push((timer, path)),
                outcome => panic!("{outcome:?}"),
            }
        }
        assert_eq!(place.paths().count(), parts.len());
        self.places.push((place, parts));
    }

    pub(super) fn detach(&mut self, thread: usize, name: &'static str, category: &'static str) {
        let targets = self.threads[thread].targets();
        let call = |context| Call::BeginDetached { context, name, category: Some(category) };
        let expected = self.expect(thread, &targets, call);
        let got = self.workers[thread]
            .run(move |_| thread::detach(None, name, category).expect("the thread lives"));
        match (got, expected) {
            (Ok(detached), Ok(outcomes)) => {
                assert_eq!(detached.is_null(), outcomes.is_empty());
                let part = |(timer, outcome)| match outcome {
                    Outcome::Detached(number) => (timer, number),
                    outcome => panic!("{outcome:?}"),
                };
                if !detached.is_null() {
                    self.detached.push((detached, outcomes.into_iter().map(part).collect()));
                }
            }
            (Err(error), Err(refusal)) => assert_eq!(refused(error), Outcome::Refused(refusal)),
            (got, expected) => panic!("{got:?} instead of {expected:?}"),
        }
    }

    pub(super) fn finish(&mut self, thread: usize, nth: usize) {
        let Some(last) = self.detached.len().checked_sub(1) else { return };
        let (detached, parts) = self.detached.remove(last - nth.min(last));
        let got =
            self.workers[thread].run(move |_| thread::finish(detached).expect("the thread lives"));
        let it = &mut self.threads[thread];
        let found = it.resolve(&mut self.models, parts.iter().map(|&(timer, _)| timer));
        assert_eq!(got, if found.is_empty() { Err(Error::OtherTimer) } else { Ok(()) });
        for timer in found {
            let context = self.threads[thread].context(timer).expect("attached");
            let detached = part(&parts, timer).expect("it was found by it");
            self.model(timer).apply(&Call::EndDetached { context, detached });
        }
    }
}

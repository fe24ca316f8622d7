//! Real timers and their models, operation by operation.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Once, Weak};

use xtimer_core::thread::{self, DetachedSet};
use xtimer_core::{
    Config, Custom, Error, HostClock, HostTimer, Place, Scale, Site, default_timer, enable_default,
    enter_at, set_default_timer, with_thread,
};

use super::expected::{Parts, Thread, TimerId, Token, part};
use super::operations::Operation;
use super::worker::Worker;
use crate::model::both::{compare, refused};
use crate::model::calls::{Call, Limits, Outcome, Refusal};
use crate::model::kept::Keeping;
use crate::model::state::Model;

/// As many as threads could need at once; of what is given back the first is taken again.
const LANES: u32 = 4;
const MOST_TIMERS: usize = 12;
/// The default timer's: it keeps the paths of all cases.
const PLENTY: Limits = Limits {
    sections: if cfg!(xtimer_narrow) { 680 } else { 1 << 15 },
    categories: 16,
    depth: 512,
    rules: 64,
};

/// The time, in nanoseconds.
static NOW: AtomicU64 = AtomicU64::new(0);

extern "C" fn now(_: *mut c_void) -> u64 {
    NOW.load(Relaxed)
}

fn made(limits: Limits, name_bytes: u32) -> HostTimer {
    // SAFETY: the function reads an atomic and returns.
    let clock =
        unsafe { Custom::new(now, std::ptr::null_mut(), 64, Scale::from_hertz(1_000_000_000)) };
    let config = Config {
        sections: limits.sections.min(PLENTY.sections) as u32,
        depth: limits.depth as u32,
        lanes: LANES,
        categories: limits.categories as u32,
        rules: limits.rules as u32,
        name_bytes,
        scratch: 1,
        late: 0,
        ..Config::HOST
    };
    HostTimer::with_clock(config, HostClock::custom(clock)).expect("these capacities work")
}

/// A timer that the program made.
struct Made {
    /// `None` once the program dropped it.
    timer: Option<Arc<HostTimer>>,
    weak: Weak<HostTimer>,
}

pub struct Program {
    workers: [Worker; 2],
    threads: [Thread; 2],
    timers: BTreeMap<TimerId, Made>,
    /// Of the timers that something still holds, whether the program or a thread.
    models: BTreeMap<TimerId, Model>,
    next: TimerId,
    tokens: Vec<Token>,
    given: Vec<xtimer_core::Token>,
    places: Vec<(Place, Parts)>,
    detached: Vec<(DetachedSet, Parts)>,
}

impl Program {
    pub fn begin() -> Self {
        static CONFIGURED: Once = Once::new();
        CONFIGURED.call_once(|| {
            assert!(set_default_timer(made(PLENTY, 8192)).is_ok(), "nothing used it before");
        });
        let default = default_timer().unwrap();
        default.set_enabled(true);
        default.clear_rules();
        default.clear().unwrap();
        let mut models = BTreeMap::from([(0, Model::new(PLENTY))]);
        let workers = [Worker::begin(), Worker::begin()];
        let threads = [(); 2].map(|()| Thread::new(&mut models));
        for worker in &workers {
            assert_eq!(worker.run(|_| with_thread(|context| context.depth())), Some(0));
        }
        Self {
            workers,
            threads,
            timers: BTreeMap::new(),
            models,
            next: 1,
            tokens: Vec::new(),
            given: Vec::new(),
            places: Vec::new(),
            detached: Vec::new(),
        }
    }

    fn model(&mut self, timer: TimerId) -> &mut Model {
        self.models.get_mut(&timer).expect("it lives")
    }

    /// A timer that the program still holds, or the default one.
    fn pick(&self, number: usize) -> TimerId {
        let held = self.timers.iter().filter(|(_, made)| made.timer.is_some());
        let known: Vec<_> = std::iter::once(0).chain(held.map(|(&timer, _)| timer)).collect();
        known[number % known.len()]
    }

    fn real(&self, timer: TimerId) -> &HostTimer {
        match self.timers.get(&timer) {
            Some(made) => made.timer.as_ref().expect("picked"),
            None => default_timer().unwrap(),
        }
    }

    /// Models of timers that nothing holds any more go, and so must the timers have.
    fn bury(&mut self) {
        for (timer, made) in &self.timers {
            let is_held = made.timer.is_some() || self.threads.iter().any(|it| it.holds(*timer));
            assert_eq!(made.weak.upgrade().is_some(), is_held, "timer {timer}");
            if !is_held {
                self.models.remove(timer);
            }
        }
    }

    pub fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Advance { ticks } => {
                NOW.fetch_add(ticks, Relaxed);
                for model in self.models.values_mut() {
                    model.apply(&Call::Advance { ticks });
                }
            }
            Operation::Make { limits } => {
                if self.timers.values().filter(|made| made.timer.is_some()).count() < MOST_TIMERS {
                    let sections = limits.sections.min(PLENTY.sections);
                    let limits = Limits { sections, ..limits };
                    let timer = Arc::new(made(limits, 8192));
                    let weak = Arc::downgrade(&timer);
                    self.models.insert(self.next, Model::new(limits));
                    self.timers.insert(self.next, Made { timer: Some(timer), weak });
                    self.next += 1;
                }
            }
            Operation::Drop { timer } => {
                let timer = self.pick(timer);
                if let Some(made) = self.timers.get_mut(&timer) {
                    made.timer = None;
                }
            }
            Operation::Enable { thread, timer } => self.enable(thread, timer),
            Operation::EndScope { thread, nth } => {
                if let Some(last) = self.threads[thread].scopes().checked_sub(1) {
                    let index = last - nth.min(last);
                    self.workers[thread].run(move |local| drop(local.scopes.remove(index)));
                    self.threads[thread].end_scope(&mut self.models, index);
                }
            }
            Operation::Enter { thread, name, category, way } => {
                self.enter(thread, name, category, way);
            }
            Operation::EnterBeneath { thread, place, name, category } => {
                self.enter_beneath(thread, place, name, category);
            }
            Operation::Exit { thread, nth } => {
                let mut newest = (0..self.tokens.len()).rev();
                let is_open = |token: &usize| self.is_open(*token, thread);
                if let Some(token) = newest.by_ref().filter(is_open).nth(nth) {
                    self.exit(thread, token);
                }
            }
            Operation::ExitAny { thread, nth } => {
                if let Some(last) = self.tokens.len().checked_sub(1) {
                    self.exit(thread, last - nth.min(last));
                }
            }
            Operation::TakePlace { thread } => self.take_place(thread),
            Operation::Record { thread, name, category, ticks } => {
                let call =
                    |context| Call::Record { context, name, category: Some(category), ticks };
                let expected = self.expect(thread, &self.threads[thread].targets(), call);
                let got = self.workers[thread].run(move |_| thread::record(name, category, ticks));
                match (got.expect("the thread lives"), expected) {
                    (Ok(()), Ok(_)) => {}
                    (Err(error), Err(refusal)) => {
                        assert_eq!(refused(error), Outcome::Refused(refusal));
                    }
                    (got, expected) => panic!("{operation:?}: {got:?} instead of {expected:?}"),
                }
            }
            Operation::Detach { thread, name, category } => self.detach(thread, name, category),
            Operation::Finish { thread, nth } => self.finish(thread, nth),
            Operation::Clear { timer } => {
                let timer = self.pick(timer);
                self.real(timer).clear().unwrap();
                self.model(timer).apply(&Call::Clear);
            }
            Operation::Forbid { timer, outer, inner } => {
                let timer = self.pick(timer);
                let got = self.real(timer).forbid(outer, inner);
                let expected = self.model(timer).apply(&Call::Forbid { outer, inner });
                assert_eq!(got.map_or_else(refused, |()| Outcome::Done), expected);
            }
            Operation::ClearRules { timer } => {
                let timer = self.pick(timer);
                self.real(timer).clear_rules();
                self.model(timer).apply(&Call::ClearRules);
            }
            Operation::Switch { timer, on } => {
                let timer = self.pick(timer);
                self.real(timer).set_enabled(on);
                self.model(timer).apply(if on { &Call::Enable } else { &Call::Disable });
            }
        }
        self.bury();
    }

    /// What a call comes to in the timers it goes to: a part for each that is not switched off, or the
    /// refusal of the first that refuses, which alone notes it.
    fn expect(
        &mut self,
        thread: usize,
        targets: &[TimerId],
        call: impl Fn(usize) -> Call,
    ) -> Result<Vec<(TimerId, Outcome)>, Refusal> {
        self.expect_each(thread, targets, |_, context| call(context))
    }

    fn expect_each(
        &mut self,
        thread: usize,
        targets: &[TimerId],
        call: impl Fn(TimerId, usize) -> Call,
    ) -> Result<Vec<(TimerId, Outcome)>, Refusal> {
        let calls: Vec<_> = targets
            .iter()
            .filter(|timer| !self.models[timer].is_off())
            .map(|&timer| (timer, self.threads[thread].context(timer).expect("attached")))
            .map(|(timer, context)| (timer, call(timer, context)))
            .collect();
        for (timer, call) in &calls {
            // Asked of a copy first: what one refuses is recorded by none.
            if let Outcome::Refused(refusal) = self.models[timer].clone().apply(call) {
                self.model(*timer).apply(call);
                return Err(refusal);
            }
        }
        Ok(calls.iter().map(|(timer, call)| (*timer, self.model(*timer).apply(call))).collect())
    }

    fn enable(&mut self, thread: usize, timer: usize) {
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

    fn enter(&mut self, thread: usize, name: &'static str, category: &'static str, way: usize) {
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

    fn enter_beneath(
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

    fn is_open(&self, token: usize, thread: usize) -> bool {
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

    fn exit(&mut self, thread: usize, token: usize) {
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

    fn take_place(&mut self, thread: usize) {
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

    fn detach(&mut self, thread: usize, name: &'static str, category: &'static str) {
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

    fn finish(&mut self, thread: usize, nth: usize) {
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

    /// The numbers of all timers that are left, and where each thread's calls would go.
    pub fn compare(&self) {
        for (timer, model) in &self.models {
            match self.timers.get(timer) {
                Some(made) => {
                    compare(&*made.weak.upgrade().expect("it is held"), model, Keeping::default())
                }
                None => compare(default_timer().unwrap(), model, Keeping::default()),
            }
        }
    }

    /// Ends both threads in the middle of what they do.
    pub fn end(mut self) {
        self.compare();
        for (worker, thread) in self.workers.iter_mut().zip(&mut self.threads) {
            worker.end();
            thread.end(&mut self.models);
        }
        self.bury();
        self.compare();
    }
}

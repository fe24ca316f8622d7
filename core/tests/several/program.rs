//! Real timers and their models, operation by operation.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Once, Weak};

use xtimer_core::thread::{self, DetachedSet};
use xtimer_core::{
    Config, Custom, HostClock, HostTimer, Place, Scale, default_timer, set_default_timer,
    with_thread,
};

use super::expected::{Parts, Thread, TimerId, Token};
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
pub(super) struct Made {
    /// `None` once the program dropped it.
    pub(super) timer: Option<Arc<HostTimer>>,
    weak: Weak<HostTimer>,
}

pub struct Program {
    pub(super) workers: [Worker; 2],
    pub(super) threads: [Thread; 2],
    pub(super) timers: BTreeMap<TimerId, Made>,
    /// Of the timers that something still holds, whether the program or a thread.
    pub(super) models: BTreeMap<TimerId, Model>,
    next: TimerId,
    pub(super) tokens: Vec<Token>,
    pub(super) given: Vec<xtimer_core::Token>,
    pub(super) places: Vec<(Place, Parts)>,
    pub(super) detached: Vec<(DetachedSet, Parts)>,
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

    pub(super) fn model(&mut self, timer: TimerId) -> &mut Model {
        self.models.get_mut(&timer).expect("it lives")
    }

    /// A timer that the program still holds, or the default one.
    pub(super) fn pick(&self, number: usize) -> TimerId {
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
    pub(super) fn expect(
        &mut self,
        thread: usize,
        targets: &[TimerId],
        call: impl Fn(usize) -> Call,
    ) -> Result<Vec<(TimerId, Outcome)>, Refusal> {
        self.expect_each(thread, targets, |_, context| call(context))
    }

    pub(super) fn expect_each(
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

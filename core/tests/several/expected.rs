//! What is enabled where, in the simplest code: a thread's contexts, scopes and levels, and which
//! timers a call goes to. What each of those makes of it is its model's business.

use std::collections::BTreeMap;

use crate::model::calls::{Call, Outcome};
use crate::model::state::Model;

/// A timer, as numbered by the program; 0 is the default one.
pub type TimerId = usize;
/// For each timer a number of its model's: of a token, a path, or a detached section.
pub type Parts = Vec<(TimerId, usize)>;

/// The number in one timer.
pub fn part(parts: &Parts, timer: TimerId) -> Option<usize> {
    parts.iter().find(|part| part.0 == timer).map(|part| part.1)
}

/// A token that was given.
#[derive(Clone, Debug)]
pub struct Token {
    pub thread: usize,
    /// Of several timers, so that exit looks in each; else the default timer's own.
    pub is_of_set: bool,
    pub parts: Parts,
}

#[derive(Debug)]
struct Level {
    /// The section that began it; none for the thread's own.
    token: Option<usize>,
    base: Vec<TimerId>,
}

#[derive(Debug)]
struct Scope {
    level: Option<usize>,
    timer: TimerId,
}

/// A thread.
#[derive(Debug)]
pub struct Thread {
    /// The timers it has contexts in, and the number of each in the timer's model.
    slots: Vec<Option<(TimerId, usize)>>,
    scopes: Vec<Scope>,
    levels: Vec<Level>,
}

impl Thread {
    pub fn new(models: &mut BTreeMap<TimerId, Model>) -> Self {
        Self {
            slots: vec![Some((0, open(models, 0)))],
            scopes: Vec::new(),
            levels: vec![Level { token: None, base: Vec::new() }],
        }
    }

    fn level(&self) -> &Level {
        self.levels.last().expect("the first never goes")
    }

    /// The timers enabled, in the order of their slots.
    pub fn active(&self) -> Vec<TimerId> {
        let here = self.scopes.iter().filter(|scope| scope.level == self.level().token);
        let mut enabled: Vec<_> = here.map(|scope| scope.timer).collect();
        enabled.extend(&self.level().base);
        let slots = self.slots.iter().flatten().map(|slot| slot.0);
        slots.filter(|timer| enabled.contains(timer)).collect()
    }

    pub fn is_fanning(&self) -> bool {
        self.active().iter().any(|&timer| timer != 0)
    }

    /// Where a section without a place goes.
    pub fn targets(&self) -> Vec<TimerId> {
        if self.is_fanning() { self.active() } else { vec![0] }
    }

    pub fn context(&self, timer: TimerId) -> Option<usize> {
        self.slots.iter().flatten().find(|slot| slot.0 == timer).map(|slot| slot.1)
    }

    pub fn holds(&self, timer: TimerId) -> bool {
        self.context(timer).is_some()
    }

    /// "A thread's context is given back when nothing needs it": not enabled, no section open.
    fn sweep(&mut self, models: &mut BTreeMap<TimerId, Model>, keep: &[TimerId]) {
        let mut needed: Vec<TimerId> = keep.to_vec();
        needed.extend(self.levels.iter().flat_map(|level| &level.base));
        needed.extend(self.scopes.iter().map(|scope| scope.timer));
        for slot in self.slots.iter_mut().skip(1) {
            if let Some((timer, context)) = *slot
                && !needed.contains(&timer)
                && models[&timer].open_tokens(context).is_empty()
            {
                release(models, timer, context);
                *slot = None;
            }
        }
    }

    /// The thread's context in a timer, opened where it has none.
    pub fn attach(
        &mut self,
        models: &mut BTreeMap<TimerId, Model>,
        timer: TimerId,
        keep: &[TimerId],
    ) {
        if self.holds(timer) {
            return;
        }
        self.sweep(models, keep);
        let slot = Some((timer, open(models, timer)));
        match self.slots.iter_mut().find(|slot| slot.is_none()) {
            Some(free) => *free = slot,
            None => self.slots.push(slot),
        }
    }

    /// Attaches each timer of a place that is still there; those.
    pub fn resolve(
        &mut self,
        models: &mut BTreeMap<TimerId, Model>,
        timers: impl Iterator<Item = TimerId>,
    ) -> Vec<TimerId> {
        let mut found = Vec::new();
        for timer in timers.filter(|timer| models.contains_key(timer)).collect::<Vec<_>>() {
            self.attach(models, timer, &found);
            found.push(timer);
        }
        found
    }

    /// Whether the timer could be enabled: eight at most.
    pub fn enable(&mut self, timer: TimerId) -> bool {
        let active = self.active();
        if active.len() == 8 && !active.contains(&timer) {
            return false;
        }
        self.scopes.push(Scope { level: self.level().token, timer });
        true
    }

    pub fn scopes(&self) -> usize {
        self.scopes.len()
    }

    pub fn end_scope(&mut self, models: &mut BTreeMap<TimerId, Model>, index: usize) {
        self.scopes.remove(index);
        self.sweep(models, &[]);
    }

    pub fn begin_level(&mut self, token: usize, base: Vec<TimerId>) {
        self.levels.push(Level { token: Some(token), base });
    }

    pub fn is_level(&self, token: usize) -> bool {
        self.level().token == Some(token)
    }

    /// Ends the innermost levels whose sections are not open any more, in any timer.
    pub fn settle(&mut self, models: &BTreeMap<TimerId, Model>, tokens: &[Token]) {
        while let Level { token: Some(token), base } = self.level() {
            let parts = &tokens[*token].parts;
            let is_open = |timer: &TimerId| {
                let open = self.context(*timer).map(|context| models[timer].open_tokens(context));
                part(parts, *timer)
                    .is_some_and(|part| open.is_some_and(|open| open.contains(&part)))
            };
            if base.iter().any(is_open) {
                return;
            }
            self.levels.pop();
        }
    }

    /// The thread ends in the middle of whatever is open.
    pub fn end(&mut self, models: &mut BTreeMap<TimerId, Model>) {
        for (timer, context) in self.slots.drain(..).flatten() {
            release(models, timer, context);
        }
    }
}

fn open(models: &mut BTreeMap<TimerId, Model>, timer: TimerId) -> usize {
    match models.get_mut(&timer).expect("it lives").apply(&Call::OpenContext) {
        Outcome::Context(context) => context,
        outcome => panic!("{outcome:?}"),
    }
}

fn release(models: &mut BTreeMap<TimerId, Model>, timer: TimerId, context: usize) {
    models.get_mut(&timer).expect("it lives").apply(&Call::Release { context });
}

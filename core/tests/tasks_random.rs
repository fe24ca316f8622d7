//! Random programs of tasks and sections on several contexts, against a naive account of each path.

use std::collections::BTreeMap;

use proptest::prelude::*;
use xtimer_core::{Config, Context, Line, ManualClock, Task, Timer, Token};

const CONTEXTS: usize = 3;
const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug)]
enum Operation {
    Advance(u64),
    Enter {
        context: usize,
        name: usize,
    },
    Exit {
        context: usize,
    },
    /// Beneath the innermost open section of the context, or beneath another task.
    Begin {
        context: usize,
        name: usize,
        beneath: Option<usize>,
    },
    /// The next turn of a task that is not running.
    Resume {
        context: usize,
        task: usize,
    },
    /// A task that is not running is finished, in any context.
    Finish {
        context: usize,
        task: usize,
    },
}

fn operation() -> impl Strategy<Value = Operation> {
    let context = 0..CONTEXTS;
    let name = 0..NAMES.len();
    prop_oneof![
        3 => (1..100_u64).prop_map(Operation::Advance),
        3 => (context.clone(), name.clone())
            .prop_map(|(context, name)| Operation::Enter { context, name }),
        4 => context.clone().prop_map(|context| Operation::Exit { context }),
        2 => (context.clone(), name, proptest::option::of(0..8_usize))
            .prop_map(|(context, name, beneath)| Operation::Begin { context, name, beneath }),
        3 => (context.clone(), 0..8_usize)
            .prop_map(|(context, task)| Operation::Resume { context, task }),
        1 => (context, 0..8_usize).prop_map(|(context, task)| Operation::Finish { context, task }),
    ]
}

type Path = Vec<&'static str>;

/// Count, total and exclusive time.
type Numbers = BTreeMap<Path, (u64, u64, u64)>;

/// What is open on a context's stack: a section, or a turn of the task with this number.
struct Open {
    token: Token,
    path: Path,
    turn: Option<usize>,
    start: u64,
    children: u64,
}

struct Begun {
    task: Task,
    path: Path,
    start: u64,
    children: u64,
    running: bool,
}

#[derive(Default)]
struct Account {
    now: u64,
    numbers: Numbers,
    stacks: [Vec<Open>; CONTEXTS],
    tasks: Vec<Option<Begun>>,
}

impl Account {
    fn add(&mut self, path: &Path, elapsed: u64, children: u64) {
        let row = self.numbers.entry(path.clone()).or_default();
        *row = (row.0 + 1, row.1 + elapsed, row.2 + elapsed - children);
    }

    fn beneath(&self, context: usize, name: usize) -> Path {
        let mut path = self.stacks[context].last().map_or_else(Path::new, |open| open.path.clone());
        path.push(NAMES[name]);
        path
    }

    /// The number of an idle task, by any number.
    fn idle(&self, any: usize) -> Option<usize> {
        let is_idle = |task: &Option<Begun>| task.as_ref().is_some_and(|task| !task.running);
        let idle: Vec<_> = (0..self.tasks.len()).filter(|at| is_idle(&self.tasks[*at])).collect();
        (!idle.is_empty()).then(|| idle[any % idle.len()])
    }
}

type Own<'t> = Context<'t, Line, &'t ManualClock>;

fn play(account: &mut Account, clock: &ManualClock, contexts: &[Own<'_>], operation: &Operation) {
    match *operation {
        Operation::Advance(ticks) => {
            clock.advance(ticks);
            account.now += ticks;
        }
        Operation::Enter { context, name } => {
            let path = account.beneath(context, name);
            let token = contexts[context].enter(NAMES[name], "default").unwrap();
            account.numbers.entry(path.clone()).or_default();
            let start = account.now;
            account.stacks[context].push(Open { token, path, turn: None, start, children: 0 });
        }
        Operation::Exit { context } => {
            let Some(open) = account.stacks[context].pop() else { return };
            let elapsed = account.now - open.start;
            if let Some(number) = open.turn {
                let begun = account.tasks[number].as_mut().unwrap();
                contexts[context].pause(&mut begun.task, open.token).unwrap();
                begun.running = false;
                begun.children += open.children;
                let mut active = open.path;
                active.push(Task::ACTIVE);
                account.add(&active, elapsed, open.children);
            } else {
                contexts[context].exit(open.token).unwrap();
                account.add(&open.path, elapsed, open.children);
            }
            if let Some(around) = account.stacks[context].last_mut() {
                around.children += elapsed;
            }
        }
        Operation::Begin { context, name, beneath } => {
            let parent = beneath
                .and_then(|any| account.tasks.get(any)?.as_ref())
                .map(|begun| (begun.task.path(), begun.path.clone()));
            let (under, path) = match parent {
                Some((under, mut path)) => {
                    path.push(NAMES[name]);
                    (Some(under), path)
                }
                None => (None, account.beneath(context, name)),
            };
            let task = contexts[context].begin_task(under, NAMES[name], "default").unwrap();
            account.numbers.entry(path.clone()).or_default();
            let start = account.now;
            account.tasks.push(Some(Begun { task, path, start, children: 0, running: false }));
        }
        Operation::Resume { context, task } => {
            let Some(number) = account.idle(task) else { return };
            let begun = account.tasks[number].as_mut().unwrap();
            let token = contexts[context].resume(&mut begun.task).unwrap();
            begun.running = true;
            let (path, start) = (begun.path.clone(), account.now);
            let mut active = path.clone();
            active.push(Task::ACTIVE);
            account.numbers.entry(active).or_default();
            let open = Open { token, path, turn: Some(number), start, children: 0 };
            account.stacks[context].push(open);
        }
        Operation::Finish { context, task } => {
            let Some(number) = account.idle(task) else { return };
            let begun = account.tasks[number].take().unwrap();
            contexts[context].finish_task(begun.task).unwrap();
            account.add(&begun.path, account.now - begun.start, begun.children);
        }
    }
}

proptest! {
    #[test]
    fn every_program_agrees_with_the_account(
        program in proptest::collection::vec(operation(), 0..120),
        lanes in 1..=CONTEXTS as u32,
    ) {
        // Late contexts, where the lanes are too few, need 64-bit atomics.
        let lanes = if cfg!(xtimer_narrow) { CONTEXTS as u32 } else { lanes };
        let clock = ManualClock::new(64);
        let config = Config { lanes, depth: 200, ..Config::HOST };
        let timer = Timer::with_clock(config, &clock).unwrap();
        let contexts: Vec<_> = (0..CONTEXTS).map(|_| timer.context().unwrap()).collect();
        let mut account = Account::default();
        for operation in &program {
            play(&mut account, &clock, &contexts, operation);
        }
        // What is open at the end is exited, innermost first.
        for context in 0..CONTEXTS {
            while !account.stacks[context].is_empty() {
                play(&mut account, &clock, &contexts, &Operation::Exit { context });
            }
        }
        let snapshot = timer.snapshot().unwrap();
        let found: Numbers = snapshot
            .sections()
            .map(|section| {
                let path = section.path().map(|name| {
                    *NAMES.iter().find(|known| **known == name).unwrap_or(&Task::ACTIVE)
                });
                let numbers = (section.count(), section.total(), section.exclusive().unwrap());
                (path.collect(), numbers)
            })
            .collect();
        prop_assert_eq!(found, account.numbers);
        let lost = *snapshot.losses();
        prop_assert_eq!(lost.unclosed + lost.not_open + lost.no_slot + lost.too_deep, 0);
    }
}

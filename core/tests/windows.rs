//! Windows against a naive recomputation from every duration: the last one, the last few, those since
//! warm-up, and the difference of two snapshots, with clears in between.
#![cfg(all(feature = "std", not(loom)))]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use xtimer_core::{Config, Error, ManualClock, Snapshot, Timer, Token};

#[derive(Clone, Copy, Debug)]
enum Operation {
    Enter(&'static str),
    Exit,
    Switch(&'static str),
    Advance(u64),
    Step,
    WarmUp,
    Clear,
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let name = || prop::sample::select(&["a", "b", "c"][..]);
    let operation = prop_oneof![
        6 => name().prop_map(Operation::Enter),
        6 => Just(Operation::Exit),
        3 => name().prop_map(Operation::Switch),
        6 => (1..1000_u64).prop_map(Operation::Advance),
        5 => Just(Operation::Step),
        1 => Just(Operation::WarmUp),
        1 => Just(Operation::Clear),
    ];
    prop::collection::vec(operation, 0..120)
}

type Path = Vec<&'static str>;

/// A duration, and when it was recorded: behind so many steps and clears.
struct Taken {
    path: Path,
    duration: u64,
    exclusive: u64,
    step: usize,
    clears: usize,
}

struct Open {
    path: Path,
    start: u64,
    children: u64,
    clears: usize,
}

#[derive(Default)]
struct Naive {
    now: u64,
    stack: Vec<Open>,
    taken: Vec<Taken>,
    /// At each step: clears so far, and what is recorded since the last.
    steps: Vec<(usize, BTreeSet<Path>)>,
    recorded: BTreeSet<Path>,
    clears: usize,
}

impl Naive {
    fn enter(&mut self, name: &'static str) {
        let mut path = self.stack.last().map(|open| open.path.clone()).unwrap_or_default();
        path.push(name);
        self.recorded.insert(path.clone());
        self.stack.push(Open { path, start: self.now, children: 0, clears: self.clears });
    }

    fn exit(&mut self) {
        let Some(open) = self.stack.pop() else { return };
        let duration = self.now - open.start;
        if let Some(outer) = self.stack.last_mut() {
            outer.children += duration;
        }
        if open.clears == self.clears {
            self.taken.push(Taken {
                path: open.path,
                duration,
                exclusive: duration - open.children,
                step: self.steps.len(),
                clears: self.clears,
            });
        }
    }

    /// Checks the window between two steps, numbered from 0: the beginning of the first.
    fn check(&self, window: &Snapshot<'_>, from: usize, to: usize) {
        let beginning = (0, BTreeSet::new());
        let (clears, recorded) = to.checked_sub(1).map_or(&beginning, |last| &self.steps[last]);
        let mut sums: BTreeMap<&[&str], [u128; 4]> = BTreeMap::new();
        let (mut total, mut category) = (0, 0);
        let inside = |taken: &&Taken| (from..to).contains(&taken.step) && taken.clears == *clears;
        for taken in self.taken.iter().filter(inside) {
            let [count, time, exclusive, squares] = sums.entry(&taken.path).or_default();
            *count += 1;
            *time += u128::from(taken.duration);
            *exclusive += u128::from(taken.exclusive);
            *squares += u128::from(taken.duration).pow(2);
            let (_, parent) = taken.path.split_last().unwrap();
            total += if recorded.contains(parent) { 0 } else { taken.duration };
            // All have one category: what is beneath a recorded one, at any depth, is in its time.
            let is_inside = (1..=parent.len()).any(|depth| recorded.contains(&parent[..depth]));
            category += if is_inside { 0 } else { taken.duration };
        }
        for section in window.sections() {
            let path: Path = section
                .path()
                .map(|name| *["a", "b", "c"].iter().find(|known| **known == name).unwrap())
                .collect();
            assert!(recorded.contains(&path));
            let [count, time, exclusive, squares] = sums.remove(&path[..]).unwrap_or_default();
            assert_eq!(u128::from(section.count()), count, "{path:?}");
            assert_eq!(u128::from(section.total()), time, "{path:?}");
            assert_eq!(section.exclusive().map(u128::from), Some(exclusive), "{path:?}");
            assert_eq!(section.squares_ticks(), squares, "{path:?}");
            assert_eq!(section.min().or(section.max()), None);
            let above = section.parent().map(|parent| parent.path().count());
            let has_parent = recorded.contains(&path[..path.len() - 1]);
            assert_eq!(above, has_parent.then_some(path.len() - 1), "{path:?}");
        }
        assert!(sums.is_empty(), "missing: {sums:?}");
        assert_eq!(window.total(), total);
        assert_eq!(window.category_total("default"), category);
        assert!(!window.report().to_string().is_empty() || window.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn windows_are_what_was_recorded_in_them(operations in operations(), kept in 1..5_usize) {
        let clock = ManualClock::new(64);
        let timer = Timer::with_clock(Config { depth: 200, scratch: 3, ..Config::HOST }, &clock).unwrap();
        let context = timer.context().unwrap();
        let mut steps = timer.steps(kept).unwrap();
        let (mut naive, mut tokens, mut warm) = (Naive::default(), Vec::<Token>::new(), 0);
        let mut earlier = (timer.snapshot().unwrap(), 0);
        for operation in operations {
            match operation {
                Operation::Enter(name) => {
                    naive.enter(name);
                    tokens.push(context.enter(name, "default").unwrap());
                }
                Operation::Exit => {
                    naive.exit();
                    context.exit(tokens.pop().unwrap_or(Token::NULL)).unwrap();
                }
                Operation::Switch(name) => {
                    let mut token = tokens.pop().unwrap_or(Token::NULL);
                    naive.exit();
                    naive.enter(name);
                    context.switch(&mut token, name, "default").unwrap();
                    tokens.push(token);
                }
                Operation::Advance(ticks) => {
                    naive.now += ticks;
                    clock.advance(ticks);
                }
                Operation::WarmUp => {
                    warm = naive.steps.len();
                    steps.warm_up();
                }
                Operation::Clear => {
                    (naive.clears, naive.recorded) = (naive.clears + 1, BTreeSet::new());
                    timer.clear().unwrap();
                }
                Operation::Step => {
                    naive.steps.push((naive.clears, naive.recorded.clone()));
                    steps.step(&timer).unwrap();
                    let now = naive.steps.len();
                    prop_assert_eq!(steps.count(), now as u64);
                    for windows in [1, 2, kept, 100] {
                        let from = now - windows.min(kept).min(now);
                        naive.check(&steps.last(&timer, windows).unwrap(), from, now);
                    }
                    naive.check(&steps.since_warm_up(&timer).unwrap(), warm, now);
                    let mut window = timer.snapshot().unwrap();
                    window.delta(&earlier.0).unwrap();
                    naive.check(&window, earlier.1, now);
                    prop_assert_eq!(window.delta(&earlier.0), Err(Error::Flattened));
                    drop(window);
                    if now % 3 == 0 {
                        earlier = (timer.snapshot().unwrap(), now);
                    }
                }
            }
        }
    }
}

#[test]
fn before_the_first_step_windows_are_empty() {
    let timer = Timer::with_clock(Config::HOST, ManualClock::new(64)).unwrap();
    let context = timer.context().unwrap();
    context.exit(context.enter("a", "x").unwrap()).unwrap();
    let mut steps = timer.steps(0).unwrap();
    assert!(steps.last(&timer, 1).unwrap().is_empty());
    assert!(steps.since_warm_up(&timer).unwrap().is_empty());
}

#[test]
fn another_timers_snapshot_and_a_flattened_one_are_refused() {
    let make =
        || Timer::with_clock(Config { scratch: 2, ..Config::HOST }, ManualClock::new(64)).unwrap();
    let (timer, other) = (make(), make());
    let earlier = other.snapshot().unwrap();
    let mut later = timer.snapshot().unwrap();
    assert_eq!(later.delta(&earlier), Err(Error::OtherTimer));
    let mut flattened = timer.snapshot().unwrap();
    flattened.flatten();
    assert_eq!(later.delta(&flattened), Err(Error::Flattened));
    drop((earlier, later, flattened));
    assert_eq!(timer.steps(1).unwrap().step(&other), Err(Error::OtherTimer));
    assert_eq!(timer.steps(1).unwrap().last(&other, 1).err(), Some(Error::OtherTimer));
    assert_eq!(
        Error::Flattened.to_string(),
        "A window is between two snapshots that are neither flattened nor windows."
    );
}

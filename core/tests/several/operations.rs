//! Random operations of a program with several timers. Numbers are taken modulo what there is.

use proptest::prelude::*;

use crate::model::calls::Limits;
use crate::model::operations::limits;

const NAMES: &[&str] = &["a", "b", "c", "step", "step[1]", ""];
const CATEGORIES: &[&str] = &["default", "io", "gpu", "comm"];

#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Operation {
    Advance {
        ticks: u64,
    },
    Make {
        limits: Limits,
    },
    Drop {
        timer: usize,
    },
    /// Timer 0 is the default one, as below.
    Enable {
        thread: usize,
        timer: usize,
    },
    EndScope {
        thread: usize,
        nth: usize,
    },
    Enter {
        thread: usize,
        name: &'static str,
        category: &'static str,
        way: usize,
    },
    EnterBeneath {
        thread: usize,
        place: usize,
        name: &'static str,
        category: &'static str,
    },
    /// The nth open section of this thread, from the innermost.
    Exit {
        thread: usize,
        nth: usize,
    },
    /// The nth newest token of all: open, stale, or the other thread's.
    ExitAny {
        thread: usize,
        nth: usize,
    },
    TakePlace {
        thread: usize,
    },
    Record {
        thread: usize,
        name: &'static str,
        category: &'static str,
        ticks: u64,
    },
    Detach {
        thread: usize,
        name: &'static str,
        category: &'static str,
    },
    Finish {
        thread: usize,
        nth: usize,
    },
    Clear {
        timer: usize,
    },
    Forbid {
        timer: usize,
        outer: &'static str,
        inner: &'static str,
    },
    ClearRules {
        timer: usize,
    },
    Switch {
        timer: usize,
        on: bool,
    },
}

fn select(from: &'static [&'static str]) -> impl Strategy<Value = &'static str> + Clone {
    (0..from.len()).prop_map(|at| from[at])
}

pub fn operations(most: usize) -> impl Strategy<Value = Vec<Operation>> {
    let (thread, timer) = (0..2_usize, 0..16_usize);
    let section = (thread.clone(), select(NAMES), select(CATEGORIES), 0..8_usize);
    let nth = (thread.clone(), 0..6_usize);
    let operation = prop_oneof![
        6 => (1..2000_u64).prop_map(|ticks| Operation::Advance { ticks }),
        4 => limits().prop_map(|limits| Operation::Make { limits }),
        1 => timer.clone().prop_map(|timer| Operation::Drop { timer }),
        8 => (thread.clone(), timer.clone())
            .prop_map(|(thread, timer)| Operation::Enable { thread, timer }),
        4 => nth.clone().prop_map(|(thread, nth)| Operation::EndScope { thread, nth }),
        16 => section.clone().prop_map(|(thread, name, category, way)| Operation::Enter {
            thread,
            name,
            category,
            way,
        }),
        5 => section.clone().prop_map(|(thread, name, category, place)| {
            Operation::EnterBeneath { thread, place, name, category }
        }),
        12 => thread.clone().prop_map(|thread| Operation::Exit { thread, nth: 0 }),
        2 => nth.clone().prop_map(|(thread, nth)| Operation::Exit { thread, nth }),
        2 => nth.clone().prop_map(|(thread, nth)| Operation::ExitAny { thread, nth }),
        4 => thread.clone().prop_map(|thread| Operation::TakePlace { thread }),
        4 => section.clone().prop_map(|(thread, name, category, ticks)| Operation::Record {
            thread,
            name,
            category,
            ticks: ticks as u64 * 100,
        }),
        3 => section.clone().prop_map(|(thread, name, category, _)| Operation::Detach {
            thread,
            name,
            category,
        }),
        3 => nth.prop_map(|(thread, nth)| Operation::Finish { thread, nth }),
        1 => timer.clone().prop_map(|timer| Operation::Clear { timer }),
        2 => (timer.clone(), select(CATEGORIES), select(CATEGORIES))
            .prop_map(|(timer, outer, inner)| Operation::Forbid { timer, outer, inner }),
        1 => timer.clone().prop_map(|timer| Operation::ClearRules { timer }),
        1 => (timer, prop::bool::weighted(0.7))
            .prop_map(|(timer, on)| Operation::Switch { timer, on }),
    ];
    prop::collection::vec(operation, 20..=most)
}

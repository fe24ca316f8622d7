//! Random operations: small alphabets, so that paths collide, tables fill and stacks get deep.
//!
//! An operation refers to contexts, tokens and paths loosely ("the third newest token"), so that
//! any sequence means something, shortened ones too. [`Operation::resolve`] makes it a concrete
//! [`Call`].

use proptest::prelude::*;
use proptest::strategy::Union;

use super::calls::{Call, Limits};
use super::kept::Keeping;
use super::state::Model;

/// Names that collide, among each other and with counted ones.
const NAMES: &[&str] =
    &["a", "b", "c", "a/b", "", "\u{1F980}", "step", "step[1]", "step[+1]", "[2]"];

/// Names of counted sections; `a` is also entered plainly.
const COUNTED: &[&str] = &["step", "step", "a", ""];

/// Categories beside `default`; the empty one and a reserved one are among them.
const CATEGORIES: &[&str] = &["io", "cpu", "gpu", "comm", "", "(other)"];

/// The most contexts alive at once; a core with as many lanes has none late.
pub const MOST_CONTEXTS: usize = 4;

/// Which token an exit is given.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    /// The null token.
    Null,
    /// The nth open one of this context, from the innermost; null where none is open.
    Open(usize),
    /// The nth newest of all that were handed out: open, stale, or of another context.
    Any(usize),
}

/// One random operation. Numbers are taken modulo what there is.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Operation {
    Advance { ticks: u64 },
    OpenContext,
    Release { context: usize },
    Enter { context: usize, name: &'static str, category: Option<&'static str> },
    EnterCounted { context: usize, name: &'static str, index: i64, category: Option<&'static str> },
    EnterBeneath { context: usize, path: usize, name: &'static str, category: Option<&'static str> },
    TakePath { context: usize },
    Exit { context: usize, which: Which },
    Switch { context: usize, which: Which, name: &'static str, category: Option<&'static str> },
    Record { context: usize, name: &'static str, category: Option<&'static str>, ticks: u64 },
    BeginDetached { context: usize, name: &'static str, category: Option<&'static str> },
    EndDetached { context: usize, detached: usize },
    Clear,
    Forbid { outer: &'static str, inner: &'static str },
    ClearRules,
    Disable,
    Enable,
}

impl Which {
    fn token(self, model: &Model, context: usize) -> Option<usize> {
        let open = model.open_tokens(context);
        match self {
            Which::Null => None,
            Which::Open(_) if open.is_empty() => None,
            Which::Open(nth) => Some(open[open.len() - 1 - nth % open.len()]),
            Which::Any(_) if model.tokens() == 0 => None,
            Which::Any(nth) => Some(model.tokens() - 1 - nth % model.tokens()),
        }
    }
}

impl Operation {
    /// What it means now; none where it means nothing (no context, no path taken, none detached,
    /// a context too many).
    pub fn resolve(&self, model: &Model) -> Option<Call> {
        let live = model.live_contexts();
        let pick = |number: usize| live.get(number % live.len().max(1)).copied();
        Some(match *self {
            Operation::Advance { ticks } => Call::Advance { ticks },
            Operation::OpenContext if live.len() == MOST_CONTEXTS => return None,
            Operation::OpenContext => Call::OpenContext,
            Operation::Release { context } => Call::Release { context: pick(context)? },
            Operation::Enter { context, name, category } => {
                Call::Enter { context: pick(context)?, name, category }
            }
            Operation::EnterCounted { context, name, index, category } => {
                Call::EnterCounted { context: pick(context)?, name, index, category }
            }
            Operation::EnterBeneath { .. } if model.paths() == 0 => return None,
            Operation::EnterBeneath { context, path, name, category } => {
                // The newest ones first: those are likely to be open.
                let path = model.paths() - 1 - path % model.paths();
                Call::EnterBeneath { context: pick(context)?, path, name, category }
            }
            Operation::TakePath { context } => Call::TakePath { context: pick(context)? },
            Operation::Exit { context, which } => {
                let context = pick(context)?;
                Call::Exit { context, token: which.token(model, context) }
            }
            Operation::Switch { context, which, name, category } => {
                let context = pick(context)?;
                Call::Switch { context, token: which.token(model, context), name, category }
            }
            Operation::Record { context, name, category, ticks } => {
                Call::Record { context: pick(context)?, name, category, ticks }
            }
            Operation::BeginDetached { context, name, category } => {
                Call::BeginDetached { context: pick(context)?, name, category }
            }
            Operation::EndDetached { context, detached } => {
                let pending = model.pending();
                let detached = *pending.get(detached % pending.len().max(1))?;
                Call::EndDetached { context: pick(context)?, detached }
            }
            Operation::Clear => Call::Clear,
            Operation::Forbid { outer, inner } => Call::Forbid { outer, inner },
            Operation::ClearRules => Call::ClearRules,
            Operation::Disable => Call::Disable,
            Operation::Enable => Call::Enable,
        })
    }
}

/// How often each kind of operation comes, one relative to the other.
#[derive(Clone, Copy, Debug)]
struct Mix {
    contexts: usize,
    enter: u32,
    exit_innermost: u32,
    misuse: u32,
    beneath: u32,
    beside: u32,
    clear: u32,
    rules: u32,
    switch: u32,
    turnover: u32,
}

/// Enters and exits in balance, a little of everything.
const BALANCED: Mix = Mix {
    contexts: 3,
    enter: 30,
    exit_innermost: 26,
    misuse: 5,
    beneath: 4,
    beside: 4,
    clear: 1,
    rules: 2,
    switch: 1,
    turnover: 1,
};

/// One or two deep stacks that outer exits cut down.
const DEEP: Mix = Mix {
    contexts: 2,
    enter: 60,
    exit_innermost: 24,
    misuse: 2,
    turnover: 0,
    switch: 0,
    ..BALANCED
};

/// One context and no surprises but clear: what exact numbers are easiest to follow in.
const ALONE: Mix = Mix { contexts: 1, misuse: 1, beneath: 1, turnover: 0, switch: 0, ..BALANCED };

/// Wrong tokens, short-lived contexts, clears and rules all the time.
const ROUGH: Mix = Mix {
    contexts: MOST_CONTEXTS,
    misuse: 16,
    clear: 5,
    rules: 8,
    switch: 3,
    turnover: 6,
    beneath: 10,
    ..BALANCED
};

/// Up to `max_len` operations, most with a step of the clock before them, on at least one context.
pub fn operations(max_len: usize) -> impl Strategy<Value = Vec<Operation>> {
    prop_oneof![
        4 => sequence(BALANCED, max_len),
        3 => sequence(DEEP, max_len),
        2 => sequence(ALONE, max_len),
        2 => sequence(ROUGH, max_len),
    ]
}

/// Enters, exits and records of one context, the category decided by the name: calls whose totals
/// a full table must not change.
pub fn plain(max_len: usize) -> impl Strategy<Value = Vec<Operation>> {
    let fixed = |name: &str| Some(CATEGORIES[name.len() % 3]);
    let operation = prop_oneof![
        6 => select(NAMES).prop_map(move |name| Operation::Enter { context: 0, name, category: fixed(name) }),
        1 => (5..8i64).prop_map(move |index| {
            Operation::EnterCounted { context: 0, name: "step", index, category: fixed("step") }
        }),
        1 => (select(NAMES), ticks()).prop_map(move |(name, ticks)| {
            Operation::Record { context: 0, name, category: fixed(name), ticks }
        }),
        4 => innermost(1),
        1 => (0..4usize).prop_map(|nth| Operation::Exit { context: 0, which: Which::Open(nth) }),
    ];
    timed(1, operation.boxed(), max_len)
}

/// Samples and histograms: none, or rings that are full soon.
pub fn keeping() -> impl Strategy<Value = Keeping> {
    (prop_oneof![Just(0), 1..6usize, 20..60usize], any::<bool>(), any::<bool>())
        .prop_map(|(samples, oldest, histograms)| Keeping { samples, oldest, histograms })
}

/// Capacities: roomy, or so tight that everything overflows.
pub fn limits() -> impl Strategy<Value = Limits> {
    let tight = (1..12usize, 2..7usize, 1..6usize, 1..4usize).prop_map(
        |(sections, categories, depth, rules)| Limits { sections, categories, depth, rules },
    );
    let roomy = Limits { sections: 4096, categories: 64, depth: 512, rules: 64 };
    prop_oneof![
        2 => Just(roomy),
        2 => tight.clone(),
        1 => tight.clone().prop_map(move |tight| Limits { sections: tight.sections, ..roomy }),
        1 => tight.clone().prop_map(move |tight| Limits { depth: tight.depth, ..roomy }),
        1 => tight.prop_map(move |tight| Limits { categories: tight.categories, rules: tight.rules, ..roomy }),
    ]
}

fn sequence(mix: Mix, max_len: usize) -> BoxedStrategy<Vec<Operation>> {
    timed(mix.contexts, operation(mix), max_len).boxed()
}

/// Opens the contexts, then steps the clock before each operation.
fn timed(
    contexts: usize,
    operation: BoxedStrategy<Operation>,
    max_len: usize,
) -> impl Strategy<Value = Vec<Operation>> {
    prop::collection::vec((ticks(), operation), 0..=max_len).prop_map(move |steps| {
        let mut operations = vec![Operation::OpenContext; contexts];
        for (ticks, operation) in steps {
            if ticks > 0 {
                operations.push(Operation::Advance { ticks });
            }
            operations.push(operation);
        }
        operations
    })
}

fn operation(mix: Mix) -> BoxedStrategy<Operation> {
    let context = 0..mix.contexts;
    let enter = (context.clone(), select(NAMES), category());
    let counted = (context.clone(), select(COUNTED), -1..4i64, category());
    let beneath = (context.clone(), 0..4usize, select(NAMES), category());
    let record = (context.clone(), select(NAMES), category(), ticks());
    let phase = (context.clone(), which(), select(NAMES), category());
    let open = (context.clone(), 1..6usize);
    let any = (context.clone(), 0..12usize);
    let choices: Vec<(u32, BoxedStrategy<Operation>)> = vec![
        (
            mix.enter * 3,
            op(&enter, |(context, name, category)| Operation::Enter { context, name, category }),
        ),
        (
            mix.enter,
            op(&counted, |(context, name, index, category)| Operation::EnterCounted {
                context,
                name,
                index,
                category,
            }),
        ),
        (mix.exit_innermost * 4, innermost(mix.contexts)),
        (
            mix.exit_innermost * 2,
            op(&phase, |(context, which, name, category)| Operation::Switch {
                context,
                which,
                name,
                category,
            }),
        ),
        (
            mix.misuse * 2,
            op(&open, |(context, nth)| Operation::Exit { context, which: Which::Open(nth) }),
        ),
        (
            mix.misuse * 2,
            op(&any, |(context, nth)| Operation::Exit { context, which: Which::Any(nth) }),
        ),
        (mix.misuse, op(&context, |context| Operation::Exit { context, which: Which::Null })),
        (mix.beneath * 2, op(&context, |context| Operation::TakePath { context })),
        (
            mix.beneath * 4,
            op(&beneath, |(context, path, name, category)| Operation::EnterBeneath {
                context,
                path,
                name,
                category,
            }),
        ),
        (
            mix.beside * 4,
            op(&record, |(context, name, category, ticks)| Operation::Record {
                context,
                name,
                category,
                ticks,
            }),
        ),
        (
            mix.beside * 3,
            op(&enter, |(context, name, category)| Operation::BeginDetached {
                context,
                name,
                category,
            }),
        ),
        (
            mix.beside * 3,
            op(&(context.clone(), 0..4usize), |(context, detached)| Operation::EndDetached {
                context,
                detached,
            }),
        ),
        (mix.clear * 3, Just(Operation::Clear).boxed()),
        (
            mix.rules * 3,
            op(&(forbidden(), forbidden()), |(outer, inner)| Operation::Forbid { outer, inner }),
        ),
        (mix.rules, Just(Operation::ClearRules).boxed()),
        (mix.switch, Just(Operation::Disable).boxed()),
        (mix.switch * 4, Just(Operation::Enable).boxed()),
        (mix.turnover * 2, op(&context, |context| Operation::Release { context })),
        (mix.turnover * 3, Just(Operation::OpenContext).boxed()),
    ];
    Union::new_weighted(choices.into_iter().filter(|(weight, _)| *weight > 0).collect()).boxed()
}

fn op<S>(parts: &S, make: impl Fn(S::Value) -> Operation + 'static) -> BoxedStrategy<Operation>
where
    S: Strategy + Clone + 'static,
{
    parts.clone().prop_map(make).boxed()
}

fn innermost(contexts: usize) -> BoxedStrategy<Operation> {
    op(&(0..contexts), |context| Operation::Exit { context, which: Which::Open(0) })
}

fn select(from: &'static [&'static str]) -> impl Strategy<Value = &'static str> + Clone {
    // The first few of an alphabet come more often, so that paths are entered again.
    prop_oneof![2 => 0..from.len().min(3), 1 => 0..from.len()].prop_map(|at| from[at])
}

fn category() -> impl Strategy<Value = Option<&'static str>> + Clone {
    prop_oneof![
        4 => Just(None),
        8 => select(CATEGORIES).prop_map(Some),
        1 => Just(Some("default")),
    ]
}

/// Mostly the innermost.
fn which() -> impl Strategy<Value = Which> + Clone {
    prop_oneof![
        8 => Just(Which::Open(0)),
        2 => (1..6usize).prop_map(Which::Open),
        1 => (0..12usize).prop_map(Which::Any),
        1 => Just(Which::Null),
    ]
}

fn forbidden() -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![1 => Just("default"), 5 => select(CATEGORIES)]
}

/// Times: 0, some whose squares need more than 64 bits, and some that a sample needs two places for.
fn ticks() -> impl Strategy<Value = u64> + Clone {
    prop_oneof![3 => Just(0), 8 => 1..10u64, 3 => 10..2_000u64, 1 => (1u64 << 32)..(1 << 40), 1 => ((1u64 << 44) - 3)..(1 << 46)]
}

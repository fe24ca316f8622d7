//! Loom models: the production functions under every interleaving, and every value that the memory
//! model lets a load return.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p xtimer-core --release --lib loom_models
//! ```
//!
//! One file a model; each says what it proves, within which bound, and what it fails without: every
//! "fails when" was tried. The timers are small, and keep count and total alone where nothing more is
//! at stake. A bound of `n` means: a thread that could go on is interrupted at most `n` times in an
//! execution; what a load may return is never bounded.
//!
//! Loom's words have 32 bits. So this is the form of [`Wide`](crate::sync) as two halves, whose parts
//! may be seen apart; what a fence within it orders besides, one 64-bit word would not. Late contexts
//! need 64-bit words and are not modelled. Readers look once, see
//! [`attempts`](crate::sync::attempts), and names have no text, so sections are found by looking them
//! up.

mod category;
mod clear;
mod frames;
mod lanes;
mod names;
mod paths;
mod samples;
mod sites;
mod slots;
mod wide;

use core::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::thread;

use crate::clock::{Clock, Scale};
use crate::config::{Config, Keep, Statistics};
use crate::context::{Detached, Token};
use crate::handle::request;
use crate::host::memory::Allocation;
use crate::layout::Layout;
use crate::shape::{Kept, Shape};
use crate::snapshot::Row;
use crate::timer::{Lane, Timer};

loom::thread_local! {
    static NOW: Cell<u64> = Cell::new(0);
}

/// A clock that each thread moves for itself, so that its durations don't depend on the others.
#[derive(Debug)]
struct ThreadClock;

impl ThreadClock {
    fn set(ticks: u64) {
        NOW.with(|now| now.set(ticks));
    }
    fn advance(ticks: u64) {
        NOW.with(|now| now.set(now.get() + ticks));
    }
}

impl Clock for ThreadClock {
    fn now(&self) -> u64 {
        NOW.with(Cell::get)
    }
    fn width(&self) -> u32 {
        64
    }
    fn scale(&self) -> Scale {
        Scale::NANOSECONDS
    }
    fn name(&self) -> &'static str {
        "thread"
    }
}

/// Count and total: what most models need.
type Counts = Kept<0>;
type Modelled = Timer<Counts, ThreadClock>;

/// Two of each.
const TWO: Config = Config {
    sections: 2,
    depth: 2,
    lanes: 2,
    categories: 2,
    rules: 0,
    name_bytes: 96,
    scratch: 0,
    late: 0,
    statistics: Statistics::COUNT_TOTAL,
    samples_per_lane: 0,
    keep: Keep::Newest,
    histograms: false,
};

/// A timer over memory of loom's.
fn timer<S: Shape>(config: Config) -> Arc<Timer<S, ThreadClock>> {
    let layout = Layout::new(config, S::SLOT_BYTES as u32).unwrap();
    let allocation = Allocation::zeroed(layout.bytes).unwrap();
    // SAFETY: zeroed, large enough, aligned to a line; it lives in the timer.
    let mut timer = unsafe { Timer::from_region(allocation.memory(), layout, ThreadClock) };
    timer.allocation = Some(allocation);
    timer.ready();
    Arc::new(timer)
}

/// The lane of an index, for the thread that it was claimed for.
fn lane<S: Shape>(timer: &Timer<S, ThreadClock>, index: u32) -> Lane<'_, S, ThreadClock> {
    Lane { timer, region: timer.region, lane: timer.lane_memory(index) }
}

fn enter<S: Shape>(lane: Lane<'_, S, ThreadClock>, name: &str, category: &str) -> Token {
    let request = request(name, category, None);
    lane.enter_general(&request)
}

/// Enters a section that is on no stack, so that a reader meets no frame.
fn touch<S: Shape>(lane: Lane<'_, S, ThreadClock>, name: &str, category: &str) {
    let request = request(name, category, None);
    assert_ne!(lane.detach(&request), Detached::NULL);
}

/// Enters and exits a section of `ticks`.
fn time<S: Shape>(lane: Lane<'_, S, ThreadClock>, name: &str, category: &str, ticks: u64) {
    let token = enter(lane, name, category);
    assert!(!token.is_null());
    ThreadClock::advance(ticks);
    assert_eq!(lane.exit(token), 0);
}

/// The rows of top-level sections as a snapshot gathers them, each where it is recorded. The outer `None`: the
/// timer was cleared meanwhile, so often that there is no snapshot.
fn rows<S: Shape>(timer: &Timer<S, ThreadClock>, names: &[&str]) -> Option<Vec<Option<Row>>> {
    let mut gathered = vec![Row::default(); timer.snapshot_rows()];
    timer.gather(timer.region, &mut gathered).ok()?;
    let find = |name: &&str| {
        let section = timer.find_path(&[name])?.section;
        let row = gathered[section as usize];
        row.is_recorded().then_some(row)
    };
    Some(names.iter().map(find).collect())
}

/// Runs both on threads of their own and gives what they came to.
///
/// Loom runs the first one through before it interleaves the second, and remembers only the last
/// access to a word: a thread's own look at a word, before it writes there, hides that another one
/// looked earlier. So who only reads comes second.
fn race<A: 'static, B: 'static>(
    first: impl FnOnce() -> A + 'static,
    second: impl FnOnce() -> B + 'static,
) -> (A, B) {
    let (first, second) = (thread::spawn(first), thread::spawn(second));
    (first.join().unwrap(), second.join().unwrap())
}

/// As [`race`], with three.
fn race3<A: 'static, B: 'static, C: 'static>(
    first: impl FnOnce() -> A + 'static,
    second: impl FnOnce() -> B + 'static,
    third: impl FnOnce() -> C + 'static,
) -> (A, B, C) {
    let (first, second, third) =
        (thread::spawn(first), thread::spawn(second), thread::spawn(third));
    (first.join().unwrap(), second.join().unwrap(), third.join().unwrap())
}

/// Runs a model in every way, with at most `bound` preemptions, and says how many those were.
fn explore(bound: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let executions = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&executions);
    let mut builder = loom::model::Builder::new();
    builder.max_branches = 20_000;
    builder.preemption_bound = bound;
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let executions = executions.load(Ordering::Relaxed);
    println!("{executions} executions");
    assert!(executions > 1, "nothing was interleaved");
}

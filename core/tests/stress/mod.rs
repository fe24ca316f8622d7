//! A clock for each thread, and a round of nested sections whose every duration is known.

// A test program rarely uses all of it.
#![allow(dead_code)]

use std::cell::Cell;

use xtimer_core::{Clock, Context, Line, Scale, Section, Site, Snapshot, Timer};

thread_local! {
    static TICKS: Cell<u64> = const { Cell::new(0) };
    static MOVES: Cell<u64> = const { Cell::new(0) };
}

/// The calling thread's own time, which moves by [`step`].
#[derive(Debug)]
pub struct ThreadClock;

impl Clock for ThreadClock {
    fn now(&self) -> u64 {
        TICKS.set(TICKS.get() + MOVES.get());
        TICKS.get()
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

/// Moves the calling thread's clock by 7 ticks.
pub fn step() {
    TICKS.set(TICKS.get() + 7);
}

pub type SharedTimer = Timer<Line, ThreadClock>;
pub type ThreadContext<'t> = Context<'t, Line, ThreadClock>;

/// Lets the timer measure its price now, on a clock that moves: one that stands still has none.
pub fn measure_price(timer: &SharedTimer) {
    MOVES.set(1);
    timer.price();
    MOVES.set(0);
}

pub fn timed<R>(context: &ThreadContext<'_>, site: &Site, work: impl FnOnce() -> R) -> R {
    let token = context.enter_at(site).unwrap();
    let result = work();
    context.exit(token).unwrap();
    result
}

static OUTER: Site = Site::new("outer", "compute");
static MIDDLE: Site = Site::new("middle", "io");
static INNER: Site = Site::new("inner", "compute");
static LEAF: Site = Site::uncategorised("leaf");

/// Each section steps once in itself, so all have 7 ticks of their own.
pub fn round(context: &ThreadContext<'_>) {
    timed(context, &OUTER, || {
        step();
        timed(context, &MIDDLE, || {
            step();
            timed(context, &INNER, step);
        });
        timed(context, &LEAF, step);
    });
}

/// The paths of a round, and the ticks that each of its sections takes.
pub const ROUND: [(&[&str], u64); 4] = [
    (&["outer"], 28),
    (&["outer", "middle"], 14),
    (&["outer", "middle", "inner"], 7),
    (&["outer", "leaf"], 7),
];

/// Ticks of one duration of a section of [`round`].
pub fn duration(section: &Section<'_>) -> u64 {
    match section.name() {
        "outer" => 28,
        "middle" => 14,
        _ => 7,
    }
}

/// Holds a row against the duration of its section: every number agrees with the count.
pub fn check_row(section: &Section<'_>) {
    let path = || section.path().collect::<Vec<_>>();
    let (each, count) = (duration(section), section.count());
    assert_eq!(section.total(), each * count, "{:?}", path());
    assert_eq!(section.exclusive(), Some(7 * count), "{:?}", path());
    let extreme = (count > 0).then_some(each);
    assert_eq!((section.min(), section.max()), (extreme, extreme), "{:?}", path());
    if !section.is_late() {
        assert_eq!(section.squares_ticks(), u128::from(each * each * count), "{:?}", path());
        let deviation = (count > 1).then_some(0);
        assert_eq!(section.std_picoseconds(), deviation, "{:?}", path());
    }
}

/// Holds the totals of a snapshot against its own rows.
pub fn check_totals(snapshot: &Snapshot<'_>) {
    let mut total = 0;
    let mut categories = std::collections::BTreeMap::<&str, u64>::new();
    for section in snapshot.sections() {
        total += if section.parent().is_none() { section.total() } else { 0 };
        let mut above = section.parent();
        while above.is_some_and(|above| above.category() != section.category()) {
            above = above.and_then(|above| above.parent());
        }
        let topmost = if above.is_none() { section.total() } else { 0 };
        *categories.entry(section.category()).or_default() += topmost;
    }
    assert_eq!(snapshot.total(), total);
    assert!(snapshot.categories().eq(categories));
}

/// The counts of a round's sections, in the order of [`ROUND`]; 0 where it is not recorded.
pub fn counts(snapshot: &Snapshot<'_>) -> [u64; 4] {
    ROUND.map(|(path, _)| snapshot.section(path).map_or(0, |section| section.count()))
}

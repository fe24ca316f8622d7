//! Many threads on one timer: what a reader sees meanwhile, and that nothing is lost.
//!
//! Each thread has a clock of its own that moves when the thread says so; the timer is shared. So the
//! duration of every section is known, however the threads are interleaved.

use std::cell::Cell;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;

use xtimer_core::{Clock, Config, Context, Error, HostTimer, Line, Scale, Section, Site, Timer};

thread_local! {
    static TICKS: Cell<u64> = const { Cell::new(0) };
}

/// The calling thread's own time.
struct ThreadClock;

impl Clock for ThreadClock {
    fn now(&self) -> u64 {
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

fn step() {
    TICKS.set(TICKS.get() + 7);
}

type SharedTimer = Timer<Line, ThreadClock>;
type ThreadContext<'t> = Context<'t, Line, ThreadClock>;

fn timed<R>(context: &ThreadContext<'_>, site: &Site, work: impl FnOnce() -> R) -> R {
    let token = context.enter_at(site).unwrap();
    let result = work();
    context.exit(token).unwrap();
    result
}

static OUTER: Site = Site::new("outer", "compute");
static MIDDLE: Site = Site::new("middle", "io");
static INNER: Site = Site::new("inner", "compute");
static LEAF: Site = Site::uncategorised("leaf");

fn round(context: &ThreadContext<'_>) {
    timed(context, &OUTER, || {
        step();
        timed(context, &MIDDLE, || {
            step();
            timed(context, &INNER, step);
        });
        timed(context, &LEAF, step);
    });
}

#[test]
fn probe() {
    let config =
        Config { sections: 64, depth: 16, lanes: 64, categories: 8, scratch: 2, ..Config::HOST };
    let timer = SharedTimer::with_clock(config, ThreadClock).unwrap();
    let taken = AtomicU64::new(0);
    let barrier = Barrier::new(65);
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let context = timer.context().unwrap();
                barrier.wait();
                let mut rounds = 0u64;
                while rounds < 1000 || taken.load(Relaxed) < 300 {
                    round(&context);
                    rounds += 1;
                }
            });
        }
        barrier.wait();
        let (mut rows, mut busy, mut off) = (0, 0, 0);
        let start = std::time::Instant::now();
        for _ in 0..300 {
            let snapshot = timer.snapshot().unwrap();
            for section in snapshot.sections() {
                rows += 1;
                busy += u32::from(section.is_busy());
                let weight = match section.name() {
                    "outer" => 28,
                    "middle" => 14,
                    _ => 7,
                };
                off += u32::from(
                    section.total() != section.count() * weight
                        || section.squares_ticks() != u128::from(section.count() * weight * weight),
                );
            }
            taken.fetch_add(1, Relaxed);
        }
        println!("rows {rows} busy {busy} off {off} in {:?}", start.elapsed());
    });
}

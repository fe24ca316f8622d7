//! A reader among 64 writers: every row of every snapshot is of one moment, and in the end nothing is
//! lost.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

use xtimer_core::{Config, Site};

mod stress;
use stress::{
    ROUND, SharedTimer, ThreadClock, check_row, check_totals, measure_price, round, timed,
};

const THREADS: u32 = 64;
const SNAPSHOTS: u32 = if cfg!(debug_assertions) { 30 } else { 300 };
/// Each thread's, at least.
const ROUNDS: i64 = if cfg!(debug_assertions) { 1000 } else { 200_000 };
/// Of a thousand rows. A row is busy only where its writer was stopped while it entered a section
/// for the first time; one that was stopped in an exit is no matter.
const MOST_BUSY: u64 = 1;

/// Lets the writers end when the reader fails.
struct Stop<'a>(&'a AtomicU32);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(SNAPSHOTS, Relaxed);
    }
}

static FIXED: Site = Site::uncategorised("fixed");

/// Each thread times sections that all share, and such as it has for itself, new ones all along.
#[test]
fn each_row_is_of_one_moment_while_64_threads_write() {
    let config = Config {
        sections: 512,
        depth: 8,
        lanes: THREADS,
        categories: 8,
        scratch: 1,
        ..Config::HOST
    };
    let timer = SharedTimer::with_clock(config, ThreadClock).unwrap();
    measure_price(&timer);
    let taken = AtomicU32::new(0);
    let working = AtomicU32::new(THREADS);
    let barrier = Barrier::new(THREADS as usize + 1);
    let rounds = thread::scope(|scope| {
        let work = |thread| {
            let context = timer.context().unwrap();
            assert!(!context.is_late());
            barrier.wait();
            let mut rounds = 0;
            while rounds < ROUNDS || taken.load(Relaxed) < SNAPSHOTS {
                round(&context);
                let own = context.enter_counted("own", thread, "io").unwrap();
                timed(&context, &FIXED, stress::step);
                // A path that nobody entered before, now and then.
                let fresh = context.enter_counted("fresh", rounds / 64 % 5, "io").unwrap();
                context.exit(fresh).unwrap();
                context.exit(own).unwrap();
                rounds += 1;
            }
            working.fetch_sub(1, Relaxed);
            rounds as u64
        };
        let threads: Vec<_> =
            (0..i64::from(THREADS)).map(|thread| scope.spawn(move || work(thread))).collect();
        let _stop = Stop(&taken);
        barrier.wait();
        let (mut rows, mut busy) = (0, 0);
        let mut before = [0; ROUND.len()];
        while working.load(Relaxed) > 0 {
            let snapshot = timer.snapshot().unwrap();
            check_totals(&snapshot);
            for section in snapshot.sections() {
                rows += 1;
                if section.is_busy() {
                    busy += 1;
                } else if section.path().next() == Some("outer") {
                    check_row(&section);
                }
            }
            let counts = stress::counts(&snapshot);
            assert!(counts.iter().zip(before).all(|(&count, before)| count >= before));
            before = counts;
            taken.fetch_add(1, Relaxed);
        }
        println!("{busy} of {rows} rows were busy");
        assert!(rows > u64::from(SNAPSHOTS));
        assert!(busy * 1000 <= rows * MOST_BUSY, "{busy} of {rows}");
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let snapshot = timer.snapshot().unwrap();
    check_totals(&snapshot);
    assert_eq!(stress::counts(&snapshot), [rounds.iter().sum::<u64>(); ROUND.len()]);
    for section in snapshot.sections() {
        assert!(!section.is_busy() && section.open() == 0);
        if section.path().next() == Some("outer") {
            check_row(&section);
        }
    }
    for (thread, rounds) in rounds.into_iter().enumerate() {
        let own = format!("own[{thread}]");
        let count = |path: &[&str]| snapshot.section(path).unwrap().count();
        assert_eq!(count(&[&own]), rounds);
        assert_eq!(count(&[&own, "fixed"]), rounds);
        assert_eq!(snapshot.section(&[&own]).unwrap().total(), 7 * rounds);
    }
    assert_eq!(*snapshot.losses(), xtimer_core::Losses::default());
}

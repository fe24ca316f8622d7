//! More threads than lanes: 10,000 short-lived ones, late contexts, and clears in between and
//! meanwhile. Nothing is lost, nothing is counted twice.

// Late contexts need 64-bit atomics.
#![cfg(not(xtimer_narrow))]

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::thread;

use xtimer_core::{Config, Error, Losses};

mod stress;
use stress::{
    ROUND, SharedTimer, ThreadClock, check_row, check_totals, counts, measure_price, round,
};

const LANES: u32 = 4;
const CONFIG: Config =
    Config { sections: 32, depth: 8, lanes: LANES, categories: 8, scratch: 2, ..Config::HOST };

fn timer() -> SharedTimer {
    let timer = SharedTimer::with_clock(CONFIG, ThreadClock).unwrap();
    measure_price(&timer);
    timer
}

/// Exact rows of so many rounds, late ones among them or not.
fn check(timer: &SharedTimer, rounds: u64, is_late: bool) {
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(counts(&snapshot), [rounds; ROUND.len()]);
    assert_eq!(snapshot.total(), 28 * rounds);
    check_totals(&snapshot);
    for section in snapshot.sections() {
        assert!(!section.is_busy());
        if section.path().next() == Some("outer") {
            check_row(&section);
            assert_eq!(section.is_late(), is_late);
            assert_eq!(section.std_picoseconds().is_none(), is_late);
        }
    }
}

/// 2,500 times 4 threads, all at once, each of which ends inside a section.
#[test]
fn short_lived_threads_hand_their_lanes_on() {
    const WAVES: u64 = 2500;
    let timer = timer();
    let barrier = Barrier::new(LANES as usize);
    let mut rounds = 0;
    let mut unclosed = 0;
    for wave in 0..WAVES {
        thread::scope(|scope| {
            for _ in 0..LANES {
                scope.spawn(|| {
                    let context = timer.context().unwrap();
                    barrier.wait();
                    assert!(!context.is_late() && context.depth() == 0);
                    round(&context);
                    let _left_open = context.enter("open", "io").unwrap();
                    let _inside = context.enter("open", "io").unwrap();
                });
            }
        });
        rounds += u64::from(LANES);
        unclosed += 2 * u64::from(LANES);
        if wave % 500 == 499 {
            check(&timer, rounds, false);
            let snapshot = timer.snapshot().unwrap();
            assert_eq!(*snapshot.losses(), Losses { unclosed, ..Losses::default() });
            let open = snapshot.section(&["open", "open"]).unwrap();
            assert_eq!((open.count(), open.open()), (0, 0));
            drop(snapshot);
            if wave % 1000 == 499 {
                timer.clear().unwrap();
                (rounds, unclosed) = (0, 0);
                assert!(timer.snapshot().unwrap().is_empty());
            }
        }
    }
}

/// 1,250 times 8 threads, all at once, over 4 lanes: 4 of them are late each time.
#[test]
fn late_contexts_lose_nothing() {
    const WAVES: u64 = 1250;
    const LIVE: u64 = 8;
    let timer = timer();
    let barrier = Barrier::new(LIVE as usize);
    let late = AtomicU64::new(0);
    let mut since = 0;
    for wave in 0..WAVES {
        thread::scope(|scope| {
            for _ in 0..LIVE {
                scope.spawn(|| {
                    let context = timer.context().unwrap();
                    late.fetch_add(u64::from(context.is_late()), SeqCst);
                    barrier.wait();
                    for _ in 0..10 {
                        round(&context);
                    }
                    let _left_open = context.enter("open", "io").unwrap();
                    // All stay until all are done, so that nobody gets a lane that was given back.
                    barrier.wait();
                });
            }
        });
        since += 1;
        assert_eq!(late.load(SeqCst), (wave + 1) * (LIVE - u64::from(LANES)));
        if wave % 50 == 49 {
            check(&timer, since * 10 * LIVE, true);
            let losses = *timer.snapshot().unwrap().losses();
            let late_contexts = late.load(SeqCst);
            assert_eq!(
                losses,
                Losses { unclosed: since * LIVE, late_contexts, ..Losses::default() }
            );
        }
        if wave % 100 == 49 {
            timer.clear().unwrap();
            assert!(timer.snapshot().unwrap().is_empty());
            since = 0;
        }
    }
}

/// Rounds of a writer around the last clear.
#[derive(Default)]
struct Around {
    /// Begun after it was over: they count.
    after: u64,
    /// Begun before it was over, ended after it began: each of their sections may count or not.
    meanwhile: u64,
}

/// 8 writers, 4 of them late, while another thread clears: what came after a clear counts, what came
/// before doesn't, and a row never mixes the two.
#[test]
fn a_section_is_wholly_before_or_after_a_clear() {
    const CLEARS: u32 = if cfg!(debug_assertions) { 2000 } else { 20_000 };
    const WRITERS: usize = 2 * LANES as usize;
    let timer = timer();
    let (begun, over) = (AtomicU32::new(0), AtomicU32::new(0));
    let ended = AtomicU32::new(0);
    let barrier = Barrier::new(WRITERS + 1);
    let around: Vec<Around> = thread::scope(|scope| {
        let write = || {
            let context = timer.context().unwrap();
            barrier.wait();
            let mut around = Around::default();
            while around.after < 10 {
                let was_over = over.load(SeqCst) == CLEARS;
                round(&context);
                let is_begun = begun.load(SeqCst) == CLEARS;
                around.after += u64::from(was_over);
                around.meanwhile += u64::from(is_begun && !was_over);
            }
            ended.fetch_add(1, SeqCst);
            around
        };
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
        let reader = scope.spawn(|| {
            let (mut rows, mut busy, mut refused) = (0_u64, 0_u64, 0_u64);
            while (ended.load(SeqCst) as usize) < WRITERS {
                match timer.snapshot() {
                    Ok(snapshot) => {
                        check_totals(&snapshot);
                        for section in snapshot.sections() {
                            rows += 1;
                            if section.is_busy() {
                                busy += 1;
                            } else {
                                check_row(&section);
                            }
                        }
                    }
                    Err(error) => {
                        assert_eq!(error, Error::Busy);
                        refused += 1;
                    }
                }
            }
            println!("{busy} of {rows} rows were busy, {refused} snapshots refused");
        });
        barrier.wait();
        let mut refused = 0;
        for clear in 1..=CLEARS {
            begun.store(clear, SeqCst);
            // A late writer that was stopped in the middle of an exit makes it wait.
            while let Err(error) = timer.clear() {
                assert_eq!(error, Error::Busy);
                refused += 1;
                thread::yield_now();
            }
            over.store(clear, SeqCst);
        }
        println!("{refused} clears refused");
        reader.join().unwrap();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let after: u64 = around.iter().map(|around| around.after).sum();
    let meanwhile: u64 = around.iter().map(|around| around.meanwhile).sum();
    let snapshot = timer.snapshot().unwrap();
    for (count, (path, _)) in counts(&snapshot).into_iter().zip(ROUND) {
        assert!(
            (after..=after + meanwhile).contains(&count),
            "{path:?} {count} {after} {meanwhile}"
        );
    }
    check_totals(&snapshot);
    for section in snapshot.sections() {
        assert!(!section.is_busy() && section.open() == 0);
        check_row(&section);
    }
    drop(snapshot);
    // And from a clear on that nothing overlaps, all is exact.
    timer.clear().unwrap();
    let context = timer.context().unwrap();
    (0..5).for_each(|_| round(&context));
    check(&timer, 5, false);
}

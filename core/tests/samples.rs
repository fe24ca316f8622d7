//! Samples and histograms beside 64 writers: none is torn, none is lost uncounted, and percentiles are
//! as near as they should be.

#![cfg(all(feature = "std", not(loom)))]

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

use xtimer_core::{
    Config, Error, Keep, ManualClock, Sample, Samples, Scale, Snapshot, Timer, histogram,
    static_timer,
};

mod stress;
use stress::{ROUND, SharedTimer, ThreadClock, measure_price, round};

const LANES: u32 = 64;
/// Contexts beyond the lanes, where there can be such.
const LATE: u32 = if Config::HOST.late == 0 { 0 } else { 4 };
const ROUNDS: u64 = if cfg!(debug_assertions) { 500 } else { 20_000 };
/// Of the reader.
const READS: u32 = if cfg!(debug_assertions) { 10 } else { 200 };

fn memory<S: xtimer_core::Shape, C: xtimer_core::Clock>(timer: &Timer<S, C>) -> Vec<Sample> {
    vec![Sample::default(); timer.samples_bound()]
}

/// The buckets of a section that hold something, and what they hold together.
fn counted(snapshot: &Snapshot<'_>, path: &[&str]) -> (Vec<usize>, u64) {
    let (mut indices, mut sum) = (Vec::new(), 0);
    let take = |index, count| {
        indices.push(index);
        sum += count;
    };
    snapshot.section(path).unwrap().histogram().unwrap().for_each(take).unwrap();
    (indices, sum)
}

/// Each is of a section of the round, whole, and in order.
fn check_samples(samples: Samples<'_>, lengths: &[(u32, u64)]) {
    let position = |sample: &Sample| (sample.start, sample.lane, sample.duration);
    assert!(samples.kept.is_sorted_by_key(position));
    for sample in samples.kept {
        let known = lengths.iter().find(|(section, _)| *section == sample.section);
        assert_eq!(known.map(|known| known.1), Some(sample.duration), "{sample:?}");
        assert!(sample.lane < LANES && sample.start % 7 == 0, "{sample:?}");
    }
}

/// 64 writers and some late ones, and a reader all along; both ways to keep.
#[test]
fn every_sample_is_kept_or_counted() {
    for (keep, samples_per_lane) in [(Keep::Newest, 37), (Keep::Oldest, 1000)] {
        let config = Config {
            sections: 16,
            depth: 8,
            lanes: LANES,
            categories: 8,
            samples_per_lane,
            keep,
            histograms: true,
            ..Config::HOST
        };
        let timer = SharedTimer::with_clock(config, ThreadClock).unwrap();
        measure_price(&timer);
        // Sections have the same numbers in whichever order threads come.
        round(&timer.context().unwrap());
        let lengths = ROUND.map(|(path, length)| {
            (timer.snapshot().unwrap().section(path).unwrap().number(), length)
        });
        timer.clear().unwrap();
        let working = AtomicU32::new(LANES + LATE);
        let barrier = Barrier::new((LANES + LATE) as usize);
        thread::scope(|scope| {
            for _ in 0..LANES + LATE {
                scope.spawn(|| {
                    let context = timer.context().unwrap();
                    barrier.wait();
                    for _ in 0..ROUNDS {
                        round(&context);
                    }
                    // All stay until all are done, so that nobody gets a lane that was given back.
                    barrier.wait();
                    working.fetch_sub(1, Relaxed);
                });
            }
            let mut buffer = vec![Sample::default(); (LANES * samples_per_lane) as usize];
            let (mut reads, mut before) = (0, 0);
            while working.load(Relaxed) > 0 || reads < READS {
                let samples = timer.all_samples(&mut buffer).unwrap();
                check_samples(samples, &lengths);
                let all = samples.kept.len() as u64 + samples.dropped;
                assert!(all >= before && all <= 4 * ROUNDS * u64::from(LANES + LATE));
                before = all;
                let snapshot = timer.snapshot().unwrap();
                // Each context may have counted one that is not in the histogram yet.
                let few = u64::from(LANES + LATE);
                for section in snapshot.sections().filter(|section| section.count() > few) {
                    let exact = stress::duration(&section);
                    assert_eq!(section.percentiles([1, 500_000, 1_000_000]), Some([exact; 3]));
                }
                reads += 1;
            }
        });
        let all = ROUNDS * u64::from(LANES + LATE);
        let mut buffer = memory(&timer);
        let samples = timer.all_samples(&mut buffer).unwrap();
        assert_eq!(samples.kept.len() as u64 + samples.dropped, 4 * all);
        assert_eq!(samples.kept.len() as u32, LANES * samples_per_lane);
        check_samples(samples, &lengths);
        let snapshot = timer.snapshot().unwrap();
        for (path, length) in ROUND {
            let samples = timer.samples(path, &mut buffer).unwrap();
            assert!(samples.kept.iter().all(|sample| sample.duration == length));
            let count = snapshot.section(path).unwrap().count();
            assert_eq!((samples.kept.len() as u64 + samples.dropped, count), (all, all));
            assert_eq!(counted(&snapshot, path), (vec![histogram::index_of(length)], all));
        }
    }
}

/// Clears while writers go on: what is read is of one epoch, and at last exactly what came since.
#[test]
fn clears_come_between() {
    const THREADS: u64 = 4;
    let config = Config {
        sections: 16,
        depth: 8,
        lanes: 4,
        categories: 8,
        samples_per_lane: 64,
        histograms: true,
        ..Config::HOST
    };
    let timer = SharedTimer::with_clock(config, ThreadClock).unwrap();
    measure_price(&timer);
    let working = AtomicU32::new(THREADS as u32);
    let barrier = Barrier::new(THREADS as usize + 1);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let context = timer.context().unwrap();
                for _ in 0..ROUNDS {
                    round(&context);
                }
                working.fetch_sub(1, Relaxed);
                barrier.wait();
                barrier.wait();
                for _ in 0..10 {
                    round(&context);
                }
            });
        }
        let mut buffer = vec![Sample::default(); 4 * 64];
        while working.load(Relaxed) > 0 {
            timer.clear().unwrap();
            match timer.samples(&["outer"], &mut buffer) {
                Ok(samples) => assert!(samples.kept.iter().all(|sample| sample.duration == 28)),
                Err(error) => assert_eq!(error, Error::Busy),
            }
            let snapshot = timer.snapshot().unwrap();
            for section in snapshot.sections() {
                // None where no exit came yet.
                let percentile = section.percentile(500_000);
                assert!(percentile.is_none_or(|time| time == stress::duration(&section)));
            }
        }
        barrier.wait();
        timer.clear().unwrap();
        barrier.wait();
    });
    let mut buffer = memory(&timer);
    let snapshot = timer.snapshot().unwrap();
    for (path, _) in ROUND {
        let samples = timer.samples(path, &mut buffer).unwrap();
        assert_eq!((samples.kept.len() as u64, samples.dropped), (10 * THREADS, 0));
        assert_eq!(counted(&snapshot, path).1, 10 * THREADS);
    }
}

/// A clock of 10 ticks a second, and a timer that keeps `samples`.
fn slow(
    samples: u32,
    keep: Keep,
) -> (&'static ManualClock, Timer<xtimer_core::Line, &'static ManualClock>) {
    let clock = Box::leak(Box::new(ManualClock::with_scale(64, Scale::from_hertz(10))));
    let config = Config { lanes: 2, samples_per_lane: samples, keep, ..Config::HOST };
    (clock, Timer::with_clock(config, &*clock).unwrap())
}

#[test]
fn samples_are_in_nanoseconds_and_in_order_across_lanes() {
    let (clock, timer) = slow(8, Keep::Newest);
    let (one, two) = (timer.context().unwrap(), timer.context().unwrap());
    clock.advance(10);
    let first = one.enter("work", "io").unwrap();
    clock.advance(2);
    let second = two.enter("work", "io").unwrap();
    clock.advance(5);
    two.exit(second).unwrap();
    two.record("work", "io", 1_700_000_000).unwrap();
    one.exit(first).unwrap();
    let mut buffer = memory(&timer);
    let samples = timer.samples(&["work"], &mut buffer).unwrap();
    let section = samples.kept[0].section;
    let sample = |start, duration, lane| Sample { start, duration, section, lane };
    let wanted = [
        sample(0, 1_700_000_000, 1),
        sample(1_000_000_000, 700_000_000, 0),
        sample(1_200_000_000, 500_000_000, 1),
    ];
    assert_eq!(samples, Samples { kept: &wanted, dropped: 0 });
    assert_eq!(timer.snapshot().unwrap().section(&["work"]).unwrap().number(), section);
    assert_eq!(timer.samples(&["work", "other"], &mut buffer), Ok(Samples::default()));
    assert_eq!(timer.samples(&["work"], &mut [Sample::default(); 2]), Err(Error::TooSmall));
    let (_, other) = slow(8, Keep::Newest);
    let foreign = other.context().unwrap().current_path();
    assert_eq!(timer.samples_of(foreign, &mut buffer), Err(Error::OtherTimer));
    assert_eq!(timer.samples_of(wanted[0].path(&timer), &mut buffer).unwrap().kept, wanted);
    // The root is timed by nobody.
    assert_eq!(timer.samples_of(one.current_path(), &mut buffer), Ok(Samples::default()));
}

/// A clock that comes round between starts does not turn their order.
#[test]
fn a_narrow_clock_keeps_the_order() {
    let clock = ManualClock::new(16);
    let config = Config { samples_per_lane: 8, ..Config::HOST };
    let timer = Timer::with_clock(config, &clock).unwrap();
    let context = timer.context().unwrap();
    for (start, duration) in [(65_000, 10), (65_500, 100), (70_000, 1)] {
        clock.set(start);
        let token = context.enter("work", "io").unwrap();
        clock.advance(duration);
        context.exit(token).unwrap();
    }
    let mut buffer = memory(&timer);
    let samples = timer.samples(&["work"], &mut buffer).unwrap();
    let times: Vec<_> = samples.kept.iter().map(|sample| (sample.start, sample.duration)).collect();
    assert_eq!(times, [(65_000, 10), (65_500, 100), (70_000 - 65_536, 1)]);
}

#[test]
fn a_full_ring_keeps_what_was_asked_for() {
    for (keep, kept, dropped) in [
        (Keep::Newest, &[4, 5, 6][..], 3),
        (Keep::Oldest, &[1, 2, 3], 3),
        (Keep::Newest, &[1 << 50, 6], 4),
        (Keep::Oldest, &[1, 2], 4),
    ] {
        let (clock, timer) = slow(3, keep);
        let context = timer.context().unwrap();
        for duration in 1..=6 {
            let token = context.enter("work", "io").unwrap();
            let is_long = kept.len() == 2 && duration == if keep == Keep::Newest { 5 } else { 3 };
            clock.advance(if is_long { 1 << 50 } else { duration });
            context.exit(token).unwrap();
        }
        let mut buffer = memory(&timer);
        let samples = timer.samples(&["work"], &mut buffer).unwrap();
        let scale = Scale::from_hertz(10);
        let durations: Vec<_> = samples.kept.iter().map(|sample| sample.duration).collect();
        let wanted: Vec<_> = kept.iter().map(|&ticks| scale.nanoseconds(ticks)).collect();
        assert_eq!((durations, samples.dropped), (wanted, dropped), "{keep:?}");
    }
}

/// Durations over 18 powers of ten, in three sections of one flattened name: each percentile against
/// the exact one of the same durations.
#[test]
fn percentiles_are_within_a_32nd() {
    let clock = ManualClock::new(64);
    let config = Config { sections: 16, lanes: 2, histograms: true, ..Config::HOST };
    let timer = Timer::with_clock(config, &clock).unwrap();
    let contexts = [timer.context().unwrap(), timer.context().unwrap()];
    let mut state = 1_u64;
    let mut durations = Vec::new();
    for index in 0..3000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let duration = (state >> 8) >> (state % 56);
        let context = &contexts[index % 2];
        let token = context.enter_counted("work", index as i64 % 3, "io").unwrap();
        clock.set(clock_now(&clock) + duration);
        context.exit(token).unwrap();
        durations.push(duration);
    }
    durations.sort_unstable();
    let mut snapshot = timer.snapshot().unwrap();
    snapshot.flatten();
    let section = snapshot.section(&["work"]).unwrap();
    for share in (0..=1_000_000).step_by(997).chain([1_000_000]) {
        let exact = durations[histogram::rank(3000, share).saturating_sub(1) as usize];
        let found = section.percentile(share).unwrap();
        assert!(u128::from(found.abs_diff(exact)) * 32 <= u128::from(exact), "{share}");
    }
    let extremes = section.percentiles([0, 1_000_000]).unwrap();
    assert!(section.min().unwrap() <= extremes[0] && extremes[1] <= section.max().unwrap());
    // What was cleared is gone, for older snapshots too.
    timer.clear().unwrap();
    assert_eq!(section.percentile(500_000), None);
    assert_eq!(section.histogram().unwrap().for_each(|_, _| ()), None);
}

fn clock_now(clock: &ManualClock) -> u64 {
    xtimer_core::Clock::now(clock)
}

#[test]
fn a_static_timer_may_keep_both() {
    struct Fixed;
    impl xtimer_core::Clock for Fixed {
        fn now(&self) -> u64 {
            static TICKS: AtomicU32 = AtomicU32::new(0);
            u64::from(TICKS.fetch_add(5, Relaxed))
        }
        fn width(&self) -> u32 {
            32
        }
        fn scale(&self) -> Scale {
            Scale::NANOSECONDS
        }
        fn name(&self) -> &'static str {
            "fixed"
        }
    }
    static_timer! {
        static TIMER: Fixed = Fixed, Config {
            sections: 2,
            samples_per_lane: 2,
            keep: Keep::Oldest,
            histograms: true,
            statistics: xtimer_core::Statistics::COUNT_TOTAL,
            ..Config::SMALL
        };
    }
    let context = TIMER.context().unwrap();
    for _ in 0..3 {
        let token = context.enter("work", "io").unwrap();
        context.exit(token).unwrap();
    }
    let mut buffer = [Sample::default(); 4];
    let samples = TIMER.samples(&["work"], &mut buffer).unwrap();
    assert_eq!((samples.kept.len(), samples.dropped), (2, 1));
    assert!(samples.kept.iter().all(|sample| sample.duration == 5));
    let snapshot = TIMER.snapshot().unwrap();
    assert_eq!(counted(&snapshot, &["work"]), (vec![5], 3));
    assert_eq!(snapshot.section(&["work"]).unwrap().percentile(500_000), Some(5));
}

/// A host timer that keeps neither has neither.
#[test]
fn what_is_not_kept_is_not_there() {
    let clock = ManualClock::new(64);
    let timer = Timer::with_clock(Config::HOST, &clock).unwrap();
    let context = timer.context().unwrap();
    let token = context.enter("work", "io").unwrap();
    context.exit(token).unwrap();
    assert_eq!(timer.samples_bound(), 0);
    assert_eq!(timer.all_samples(&mut []), Ok(Samples::default()));
    let snapshot = timer.snapshot().unwrap();
    let section = snapshot.section(&["work"]).unwrap();
    assert!(section.histogram().is_none() && section.percentile(500_000).is_none());
}

//! What a hostile tester found once: each stays refused, bounded or exact.
#![cfg(all(feature = "std", not(loom)))]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use xtimer_core::{Clock, Config, Error, ManualClock, Path, Scale, Timer};

const SMALL: Config = Config {
    sections: 64,
    depth: 512,
    lanes: 2,
    categories: 4,
    rules: 4,
    name_bytes: 16 * 1024,
    scratch: 1,
    ..Config::HOST
};

/// A number that is no published section is no path, so no section can become its own ancestor.
#[test]
fn a_made_up_path_is_refused() {
    let timer = Timer::with_clock(SMALL, ManualClock::new(64)).unwrap();
    let context = timer.context().unwrap();
    let token = context.enter("a", "io").unwrap();
    let known = context.current_path().to_bits();
    for section in (0..200).chain([u64::from(u32::MAX), 1 << 31]) {
        let path = Path::from_bits(known & !0xffff_ffff | section);
        let answer = context.record_beneath(path, "b", "io", 1);
        let is_known = section == 0 || section == known & 0xffff_ffff;
        // "b" itself becomes a section, beneath the top and beneath "a", as these are tried.
        assert!(answer.is_ok() || !is_known, "{section}: {answer:?}");
    }
    context.exit(token).unwrap();
    assert!(!timer.snapshot().unwrap().report().to_string().is_empty());
}

/// Categories for which there is no place take no room for names.
#[test]
fn a_flood_of_categories_leaves_room_for_names() {
    let timer = Timer::with_clock(SMALL, ManualClock::new(64)).unwrap();
    let context = timer.context().unwrap();
    for number in 0..10_000 {
        let token = context.enter("a", &format!("request {number}")).unwrap();
        context.exit(token).unwrap();
    }
    let token = context.enter("new", "io").unwrap();
    context.exit(token).unwrap();
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(snapshot.section(&["new"]).unwrap().count(), 1);
    assert_eq!((snapshot.losses().no_slot, snapshot.losses().categories), (0, 9_999));
}

/// The names of a deep path come in order, whatever its length.
#[test]
fn a_deep_path_is_told_in_order() {
    let config = Config { sections: 400, ..SMALL };
    let timer = Timer::with_clock(config, ManualClock::new(64)).unwrap();
    let context = timer.context().unwrap();
    for depth in 0..300 {
        context.enter(&depth.to_string(), "io").unwrap();
    }
    let snapshot = timer.snapshot().unwrap();
    let deepest = snapshot.sections().last().unwrap();
    assert!(deepest.path().eq((0..300).map(|depth| depth.to_string())));
}

/// A duration that the clock can't hold is refused, and leaves no trace.
#[test]
fn a_duration_beyond_the_clock_is_refused() {
    let timer = Timer::with_clock(SMALL, ManualClock::new(64)).unwrap();
    let context = timer.context().unwrap();
    assert_eq!(context.record("a", "io", u64::MAX), Err(Error::BadDuration));
    assert!(timer.snapshot().unwrap().is_empty());
}

/// Clears that race each other are each a clear, or say that they were not.
#[test]
fn clears_take_turns() {
    let timer = Timer::with_clock(SMALL, ManualClock::new(64)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    assert!(matches!(timer.clear(), Ok(()) | Err(Error::Busy)));
                }
            });
        }
    });
    assert_eq!(timer.clear(), Ok(()));
}

/// A duration that would lift a total past the largest number is refused; exits stop there, and do
/// not start again from nothing.
#[test]
fn a_total_stops_at_the_largest_number() {
    // The second context of one lane is a late one, where there are such.
    for lanes in [2, 1].into_iter().take(if cfg!(xtimer_narrow) { 1 } else { 2 }) {
        let config = Config { lanes, ..SMALL };
        let clock = ManualClock::new(64);
        let timer = Timer::with_clock(config, &clock).unwrap();
        let _first = timer.context().unwrap();
        let context = timer.context().unwrap();
        assert_eq!(context.is_late(), lanes == 1);
        let ages = |timer: &Timer<_, &ManualClock>| {
            let snapshot = timer.snapshot().unwrap();
            let age = snapshot.section(&["age"]).unwrap();
            assert_eq!((age.min(), age.max()), (Some(i64::MAX as u64), Some(i64::MAX as u64)));
            assert_eq!(snapshot.category_total("io"), age.total());
            (age.count(), age.total())
        };
        for outcome in [Ok(()), Ok(()), Err(Error::BadDuration), Err(Error::BadDuration)] {
            assert_eq!(context.record("age", "io", i64::MAX as u64), outcome);
        }
        assert_eq!(ages(&timer), (2, u64::MAX - 1));
        let token = context.enter("age", "io").unwrap();
        clock.advance(7);
        context.exit(token).unwrap();
        let snapshot = timer.snapshot().unwrap();
        let age = snapshot.section(&["age"]).unwrap();
        assert_eq!((age.count(), age.total()), (3, u64::MAX));
    }
}

/// A clock of the user's that panics in the middle of a snapshot takes no scratch area with it.
#[test]
fn a_clock_that_panics_leaves_the_scratch_area_free() {
    struct Fragile(AtomicBool);
    impl Clock for Fragile {
        fn now(&self) -> u64 {
            assert!(!self.0.load(Relaxed), "on purpose");
            0
        }
        fn width(&self) -> u32 {
            64
        }
        fn scale(&self) -> Scale {
            Scale::NANOSECONDS
        }
        fn name(&self) -> &'static str {
            "fragile"
        }
    }
    let timer = Timer::with_clock(SMALL, Fragile(AtomicBool::new(false))).unwrap();
    let context = timer.context().unwrap();
    let token = context.enter("open", "io").unwrap();
    timer.clock().0.store(true, Relaxed);
    let outcome = catch_unwind(AssertUnwindSafe(|| timer.snapshot().is_ok()));
    assert!(outcome.is_err(), "how long the section is open asks the clock");
    timer.clock().0.store(false, Relaxed);
    assert_eq!(timer.snapshot().unwrap().section(&["open"]).unwrap().open(), 1);
    context.exit(token).unwrap();
}

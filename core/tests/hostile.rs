//! What a hostile tester found once: each stays refused, bounded or exact.
#![cfg(all(feature = "std", not(loom)))]

use xtimer_core::{Config, Error, ManualClock, Path, Timer};

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

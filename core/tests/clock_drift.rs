//! The host clock's frozen scale against the system's monotonic clock, over a few seconds, or as many as
//! `XTIMER_DRIFT_SECONDS` says: `cargo xtask soak drift` takes a minute.

#![cfg(feature = "std")]

use std::time::{Duration, Instant};

use xtimer_core::{Clock, HostClock};

/// Both clocks at one instant: the pair, of many, that was disturbed least.
fn pair(clock: &HostClock) -> (u64, Instant) {
    let mut best = (0, Instant::now(), u64::MAX);
    for _ in 0..1000 {
        let before = clock.now();
        let instant = Instant::now();
        let bracket = clock.now().wrapping_sub(before);
        if bracket < best.2 {
            best = (before + bracket / 2, instant, bracket);
        }
    }
    (best.0, best.1)
}

#[test]
fn the_scale_drifts_less_than_20_parts_per_million() {
    let seconds = std::env::var("XTIMER_DRIFT_SECONDS")
        .map_or(3, |text| text.parse().expect("XTIMER_DRIFT_SECONDS is a number of seconds"));
    // The scale is asked for at once: the shortest baseline, the least certain measurement.
    let clock = HostClock::best();
    let scale = clock.scale();
    let (start, start_instant) = pair(&clock);
    std::thread::sleep(Duration::from_secs(seconds)); // the time to be measured, whatever it comes to
    let (end, end_instant) = pair(&clock);

    let ours = u128::from(scale.nanoseconds(end.wrapping_sub(start)));
    let systems = end_instant.duration_since(start_instant).as_nanos();
    let off = ours.abs_diff(systems) * 1_000_000_000 / systems; // parts per 10^9
    println!(
        "{} at {} Hz: {ours} ns, monotonic {systems} ns, off by {}.{:03} ppm",
        clock.name(),
        scale.hertz(),
        off / 1000,
        off % 1000
    );
    assert_eq!(clock.scale(), scale, "a frozen scale changed");
    assert!(off < 20_000, "off by {off} parts per 10^9");
}

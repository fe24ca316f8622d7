//! A timer's samples and histograms in its profile.

use xtimer_core::profile::{Gathered, Profile, Source};
use xtimer_core::{Config, ManualClock, Sample, Scale, Timer};

fn config(samples: u32) -> Config {
    Config { samples_per_lane: samples, histograms: true, lanes: 4, sections: 16, ..Config::HOST }
}

/// Times that look random and are the same in each run.
fn ticks(index: u64) -> u64 {
    index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (20 + index % 30)
}

#[test]
fn samples_and_histograms_come_along() {
    for hertz in [1_000_000_000, 48_000_000, 2_300_000_000] {
        let clock = ManualClock::with_scale(64, Scale::from_hertz(hertz));
        let timer = Timer::with_clock(config(500), clock).unwrap();
        let (one, two) = (timer.context().unwrap(), timer.context().unwrap());
        for index in 0..300 {
            let context = if index % 3 == 0 { &two } else { &one };
            let step = context.enter("step", "compute").unwrap();
            let load = context.enter("load", "io").unwrap();
            timer.clock().advance(ticks(index));
            context.exit(load).unwrap();
            context.exit(step).unwrap();
        }
        let profile = Profile::from_timer(&timer, Source { rank: 2, label: "" }).unwrap();
        assert_eq!(Profile::from_bytes(&profile.to_bytes()).as_ref(), Ok(&profile));
        let mut memory = vec![Sample::default(); timer.samples_bound()];
        let kept = timer.samples(&["step", "load"], &mut memory).unwrap().kept;
        let expected: Vec<(u64, u64)> =
            kept.iter().map(|sample| (sample.start, sample.duration)).collect();
        let index = profile.find(&["step", "load"]).unwrap();
        let (samples, dropped) = profile.samples(index);
        let found: Vec<(u64, u64)> =
            samples.iter().map(|sample| (sample.start, sample.duration)).collect();
        assert_eq!((found.len(), dropped), (300, 0));
        assert_eq!(found, expected);

        let snapshot = timer.snapshot().unwrap();
        let section = snapshot.section(&["step", "load"]).unwrap();
        let counted: u64 = profile.histogram(index).unwrap().iter().map(|bucket| bucket.1).sum();
        assert_eq!(counted, section.count());
        let times = Gathered::from_profiles(vec![profile]).unwrap().get(&["step", "load"]).unwrap();
        assert!(times.has_all_samples());
        let mut sorted: Vec<u64> = times.durations().to_vec();
        sorted.sort_unstable();
        assert_eq!((times.min(), times.max()), (section.min(), section.max()));
        assert_eq!(times.percentile(100.0), sorted[299] as f64);
    }
}

#[test]
fn what_a_ring_dropped_is_told_and_the_histogram_stands_in() {
    let timer = Timer::with_clock(config(10), ManualClock::new(64)).unwrap();
    let context = timer.context().unwrap();
    for time in 1..=1000 {
        context.record("load", "io", time * 1000).unwrap();
    }
    let profile = Profile::from_timer(&timer, Source::default()).unwrap();
    let (samples, dropped) = profile.samples(0);
    assert_eq!(samples.len() as u64 + dropped, 1000);
    assert!(samples.len() <= 10);
    let times = Gathered::from_profiles(vec![profile]).unwrap().get(&["load"]).unwrap();
    assert_eq!((times.count(), times.dropped()), (1000, dropped));
    assert!(!times.has_all_samples());
    for percent in [0.0, 10.0, 50.0, 99.0, 100.0] {
        let exact = 1000.0 * (1.0 + percent / 100.0 * 999.0);
        let found = times.percentile(percent);
        assert!((found - exact).abs() <= exact / 32.0, "{percent}: {found}, not {exact}");
    }
    assert_eq!(times.std(), {
        let all: Vec<u64> = (1..=1000).map(|time| time * 1000).collect();
        let all = xtimer_core::profile::GatheredTimes::from_records(&all, &[0; 1000]).unwrap();
        all.std()
    });
}

#[test]
fn a_timer_that_keeps_neither_has_neither() {
    let timer = Timer::with_clock(Config::HOST, ManualClock::new(64)).unwrap();
    timer.context().unwrap().record("load", "io", 5).unwrap();
    let source = Source { rank: 1, label: "plain" };
    let profile = Profile::from_timer(&timer, source).unwrap();
    assert_eq!(Ok(&profile), Profile::from_snapshot(&timer.snapshot().unwrap(), source).as_ref());
    assert_eq!((profile.samples(0), profile.histogram(0)), ((vec![], 0), None));
}

/// What writes samples without memory of its own writes what the owned profile does.
#[test]
fn samples_are_encoded_without_allocation() {
    let config = Config { histograms: false, ..config(40) };
    let timer = Timer::with_clock(config, ManualClock::new(64)).unwrap();
    let (one, two) = (timer.context().unwrap(), timer.context().unwrap());
    for index in 0..100 {
        let context = if index % 3 == 0 { &two } else { &one };
        let step = context.enter(["a", "b", "never again"][index % 3], "io").unwrap();
        timer.clock().advance(ticks(index as u64));
        context.exit(step).unwrap();
    }
    one.enter("open", "io").unwrap();
    let source = Source { rank: 5, label: "board" };
    let mut memory = vec![Sample::default(); timer.samples_bound()];
    let kept = timer.all_samples(&mut memory).unwrap().kept.len();
    let samples = &mut memory[..kept];
    samples.sort_by_key(|sample| (sample.section, sample.lane)); // stable: by start
    let mut bytes = Vec::new();
    let mut put = |piece: &[u8]| {
        bytes.extend_from_slice(piece);
        Ok::<_, std::convert::Infallible>(())
    };
    let snapshot = timer.snapshot().unwrap();
    let length = snapshot.encode_with_samples_to(source, samples, &mut put).unwrap();
    assert_eq!(length, bytes.len() as u64);
    assert!((40..100).contains(&kept), "{kept}");
    assert_eq!(bytes, Profile::from_timer(&timer, source).unwrap().to_bytes());
    let mut plain = Vec::new();
    let mut put = |piece: &[u8]| {
        plain.extend_from_slice(piece);
        Ok::<_, std::convert::Infallible>(())
    };
    snapshot.encode_with_samples_to(source, &[], &mut put).unwrap();
    assert_eq!(plain.len() as u64, snapshot.encoded_length(source));
}

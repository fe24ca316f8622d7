//! A snapshot and its profile say the same, whatever was recorded.

use proptest::prelude::*;
use xtimer_core::profile::{Profile, Source, View};
use xtimer_core::{Config, ManualClock, Scale, Snapshot, Timer};

/// All that a snapshot and a profile both know.
fn check_same(snapshot: &Snapshot<'_>) {
    let source = Source { rank: 3, label: "here" };
    let needed = snapshot.encoded_length(source) as usize;
    let mut bytes = vec![7; needed + 5];
    assert_eq!(snapshot.encode(source, &mut bytes), Ok(needed));
    assert_eq!(bytes[needed..], [7; 5]);
    let view = View::new(&bytes[..needed]).unwrap();
    let profile = Profile::from_view(&view);
    assert_eq!(profile.to_bytes(), bytes[..needed]);
    assert_eq!(Profile::from_snapshot(snapshot, source).as_ref(), Ok(&profile));

    assert_eq!(view.source(), source);
    assert_eq!((view.clock().name, view.clock().scale), snapshot.clock());
    assert_eq!((view.losses(), view.total()), (snapshot.losses(), snapshot.total()));
    let categories: Vec<_> = view.categories().map(|entry| (entry.name, entry.total)).collect();
    assert_eq!(categories, snapshot.categories().collect::<Vec<_>>());
    let lost: Vec<_> = view
        .categories()
        .filter(|entry| entry.lost_count > 0)
        .map(|entry| (entry.name, entry.lost_count, entry.lost_time))
        .collect();
    let without_slot: Vec<_> = snapshot.without_slot().filter(|lost| lost.1 > 0).collect();
    assert_eq!(lost, without_slot);

    assert_eq!(view.section_count(), snapshot.sections().count());
    for (index, (section, kept)) in snapshot.sections().zip(view.sections()).enumerate() {
        assert_eq!(profile.path(index), section.path().collect::<Vec<_>>());
        assert_eq!((kept.name, kept.category()), (section.name(), section.category()));
        assert_eq!(kept.depth as usize, section.depth());
        let numbers = kept.numbers;
        assert_eq!((numbers.count, numbers.total), (section.count(), section.total()));
        assert_eq!(numbers.exclusive, section.exclusive());
        assert_eq!((numbers.min, numbers.max), (section.min(), section.max()));
        assert_eq!((numbers.open, kept.marks.exceeded), (section.open(), section.is_exceeded()));
        assert_eq!(numbers.open_time, section.open_time());
        if let Some(std) = section.std_picoseconds() {
            let times =
                xtimer_core::profile::Gathered::from_profiles(vec![profile.clone()]).unwrap();
            let found = times.get(&section.path().collect::<Vec<_>>()).unwrap().std();
            // The sum of squared deviations is off by 1 ns²; the snapshot cuts its root to 2 ps and
            // a millionth of a tick.
            let exact = std as f64 / 1000.0;
            let off = (found * found - exact * exact).abs();
            let cut = 0.002 + snapshot.clock().1.nanoseconds(1) as f64 / 1e6;
            assert!(off <= 2.0 + 2.1 * exact * cut, "{found}, not {exact}");
        }
    }
}

#[derive(Clone, Debug)]
enum Call {
    Enter(usize, usize),
    Exit,
    Record(usize, u64),
    Advance(u64),
    Clear,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        4 => (0_usize..4, 0_usize..3).prop_map(|(name, category)| Call::Enter(name, category)),
        4 => Just(Call::Exit),
        2 => (0_usize..4, 0_u64..1 << 30).prop_map(|(name, time)| Call::Record(name, time)),
        3 => (0_u64..1 << 24).prop_map(Call::Advance),
        1 => Just(Call::Clear),
    ]
}

proptest! {
    #[test]
    fn whatever_was_recorded(
        calls in prop::collection::vec(call(), 0..60),
        hertz in prop::sample::select(vec![1_000_000_000_u64, 2_300_000_000, 48_000_000, 32_768]),
        sections in prop::sample::select(vec![3_u32, 100]),
    ) {
        const NAMES: [&str; 4] = ["a", "step[1]", "step[2]", "ü/x"];
        const CATEGORIES: [&str; 3] = ["io", "", "gpu"];
        let config = Config { sections, depth: 8, lanes: 2, categories: 5, ..Config::HOST };
        let clock = ManualClock::with_scale(64, Scale::from_hertz(hertz));
        let timer = Timer::with_clock(config, clock).unwrap();
        let context = timer.context().unwrap();
        let mut open = Vec::new();
        for call in calls {
            match call {
                Call::Enter(name, category) => {
                    open.extend(context.enter(NAMES[name], CATEGORIES[category]));
                }
                Call::Exit => {
                    if let Some(token) = open.pop() {
                        context.exit(token).unwrap();
                    }
                }
                Call::Record(name, time) => context.record(NAMES[name], "io", time).unwrap(),
                Call::Advance(ticks) => timer.clock().advance(ticks),
                Call::Clear => timer.clear().unwrap(),
            }
        }
        let mut snapshot = timer.snapshot().unwrap();
        check_same(&snapshot);
        snapshot.flatten();
        check_same(&snapshot);
    }
}

#[test]
fn a_section_left_over_by_a_clear_keeps_its_path() {
    let timer = Timer::with_clock(Config::HOST, ManualClock::new(64)).unwrap();
    let context = timer.context().unwrap();
    let outer = context.enter("outer", "io").unwrap();
    timer.clear().unwrap();
    let inner = context.enter("inner", "io").unwrap();
    context.exit(inner).unwrap();
    context.exit(outer).unwrap();
    let snapshot = timer.snapshot().unwrap();
    check_same(&snapshot);
    let profile = Profile::from_snapshot(&snapshot, Source::default()).unwrap();
    assert_eq!(profile.path(0), ["outer", "inner"]);
    assert_eq!(profile.sections()[0].parent, None);
}

#[test]
fn a_buffer_too_small_is_left_alone_and_told_what_is_needed() {
    let timer = Timer::with_clock(Config::HOST, ManualClock::new(64)).unwrap();
    timer.context().unwrap().record("load", "io", 5).unwrap();
    let snapshot = timer.snapshot().unwrap();
    let source = Source { rank: 0, label: "" };
    let needed = snapshot.encoded_length(source) as usize;
    for length in 0..needed {
        let mut buffer = vec![0xaa; length];
        let error = snapshot.encode(source, &mut buffer).unwrap_err();
        assert_eq!(error.needed, needed);
        assert!(buffer.iter().all(|&byte| byte == 0xaa));
    }
    let error = snapshot.encode(source, &mut []).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("The buffer is too small: the profile needs {needed} bytes.")
    );
}

#[test]
fn a_sink_gets_the_same_bytes_and_its_first_error_ends_it() {
    let timer = Timer::with_clock(Config::HOST, ManualClock::new(64)).unwrap();
    timer.context().unwrap().record("load", "io", 5).unwrap();
    let snapshot = timer.snapshot().unwrap();
    let source = Source { rank: 1, label: "x" };
    let mut whole = vec![0; 400];
    let length = snapshot.encode(source, &mut whole).unwrap();
    let mut streamed = Vec::new();
    let sent = snapshot.encode_to(source, &mut |piece: &[u8]| {
        streamed.extend(piece);
        Ok::<(), ()>(())
    });
    assert_eq!((sent, &streamed[..]), (Ok(length as u64), &whole[..length]));
    let mut taken = 0;
    let failed = snapshot.encode_to(source, &mut |piece: &[u8]| {
        taken += piece.len();
        if taken > 20 { Err(taken) } else { Ok(()) }
    });
    assert_eq!(failed, Err(taken));
    assert!(taken < length);
}

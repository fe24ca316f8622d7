//! Single rows of the report: their marks, and numbers and names beyond the usual.

use std::cell::Cell;

use xtimer_core::{Clock, Config, ManualClock, Scale, Timer};

use crate::check::{assert_json, timer};

/// Moves by itself, 10 ns a reading.
struct Stepping(Cell<u64>);

impl Clock for Stepping {
    fn now(&self) -> u64 {
        self.0.replace(self.0.get() + 10)
    }
    fn scale(&self) -> Scale {
        Scale::NANOSECONDS
    }
    fn name(&self) -> &'static str {
        "stepping"
    }
}

#[test]
fn the_price_is_shown_and_rows_near_it_are_marked() {
    let timer = Timer::with_clock(Config::HOST, Stepping(Cell::new(0))).unwrap();
    let context = timer.context().unwrap();
    let short = context.enter("short", "default").unwrap();
    context.exit(short).unwrap();
    context.record("long", "default", 5_000).unwrap();
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(snapshot.price().quantum, 10_000);
    let report = snapshot.report().to_string();
    assert!(report.contains("1  10.000 ns  default  near price\n"), "{report}");
    assert!(report.contains("1   5.000 µs  default\n\nnear price  its mean is below"), "{report}");
    assert!(report.contains("\n\nprice  2"), "{report}");
    assert!(
        report.contains(" ns for an enter and exit\nclock  stepping, 1.000 GHz, quantum 10.000 ns")
    );
    assert_json(&snapshot);
}

#[test]
#[cfg(not(xtimer_narrow))] // 32-bit words have no late contexts
fn late_rows_are_marked_and_have_no_deviation() {
    let clock = ManualClock::new(64);
    let timer = timer(Config { lanes: 1, ..Config::HOST }, &clock);
    let _lane = timer.context().unwrap();
    let late = timer.context().unwrap();
    late.record("step", "io", 3).unwrap();
    late.record("step", "io", 4).unwrap();
    let snapshot = timer.snapshot().unwrap();
    let report = snapshot.report().to_string();
    assert!(report.contains("      2  7.000 ns  io  late\n\nlate  also timed by"), "{report}");
    assert!(report.ends_with("lost   1 context that found no lane: slower, no standard deviation"));
    let value = assert_json(&snapshot);
    assert_eq!(value["sections"][0]["late"], true);
    assert!(value["sections"][0]["std"].is_null());
}

#[test]
fn children_that_only_round_up_do_not_exceed_their_parent() {
    // Ticks of 0.6 ns: 1.8 ns are shown as 2, three times 0.6 as 1 each.
    let clock = ManualClock::with_scale(64, Scale::from_ratio(6, 10));
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    let outer = context.enter("outer", "default").unwrap();
    for name in ["a", "b", "c"] {
        let inner = context.enter(name, "default").unwrap();
        clock.advance(1);
        context.exit(inner).unwrap();
    }
    context.exit(outer).unwrap();
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(snapshot.total(), 2);
    assert!(!snapshot.report().to_string().contains("beside"));
}

#[test]
fn the_mean_lies_between_the_shortest_and_the_longest() {
    // Ticks of 2.4 and 2.6 ns: one rounds to less than the mean, the other to more.
    for tenths in [24, 26, 25, 10, 1] {
        let clock = ManualClock::with_scale(64, Scale::from_ratio(tenths, 10));
        let timer = timer(Config::HOST, &clock);
        let context = timer.context().unwrap();
        for _ in 0..3 {
            let token = context.enter("step", "default").unwrap();
            clock.advance(1);
            context.exit(token).unwrap();
            let snapshot = timer.snapshot().unwrap();
            let section = snapshot.section(&["step"]).unwrap();
            let mean = section.mean_picoseconds().unwrap();
            let (min, max) = (section.min().unwrap(), section.max().unwrap());
            assert_eq!(min, max);
            assert_eq!(mean, 1000 * u128::from(min), "{tenths}");
            assert_json(&snapshot);
        }
    }
}

#[test]
fn a_section_discarded_without_an_exit_is_marked() {
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    let outer = context.enter("outer", "default").unwrap();
    let inner = context.enter("inner", "default").unwrap();
    clock.advance(7);
    assert!(!timer.snapshot().unwrap().report().to_string().contains("no exit"));
    context.exit(outer).unwrap_err();
    let report = timer.snapshot().unwrap().report().to_string();
    assert!(report.contains("      0  0.000 ns  default  no exit\n"), "{report}");
    assert!(report.contains("\nno exit  entered, but discarded"), "{report}");
    assert_eq!(
        context.exit(inner).unwrap_err().to_string(),
        "The token's section is not open (it was ended before, or discarded when a section around \
         it ended)."
    );
    let inner = context.enter_beneath(timer.find_path(&["outer"]).unwrap(), "inner", "default");
    context.exit(inner.unwrap()).unwrap();
    assert!(!timer.snapshot().unwrap().report().to_string().contains("no exit"));
}

#[test]
fn categories_that_contain_others_are_explained() {
    const FOOTNOTE: &str = "\n\na category includes what others took inside it; parallel";
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    let step = context.enter("step", "compute").unwrap();
    context.record("part", "compute", 5).unwrap();
    context.record("nothing", "io", 0).unwrap();
    clock.advance(10);
    context.exit(step).unwrap();
    context.record("save", "io", 5).unwrap();
    let report = timer.snapshot().unwrap().report().to_string();
    assert!(!report.contains("a category includes"), "{report}");
    let step = context.enter("step", "compute").unwrap();
    context.record("load", "io", 5).unwrap();
    clock.advance(10);
    context.exit(step).unwrap();
    let report = timer.snapshot().unwrap().report().to_string();
    assert!(report.contains(FOOTNOTE), "{report}");
    assert!(report.contains("threads add up\n\nprice"), "{report}");
}

#[test]
fn a_share_beyond_all_measure_stays_short() {
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    context.record("setup", "default", 1).unwrap();
    let _open = context.enter("train", "default").unwrap();
    context.record("step", "default", 99).unwrap();
    context.record("step", "io", u64::MAX / 4).unwrap();
    let report = timer.snapshot().unwrap().report().to_string();
    assert!(report.contains("  >9999%      2  4611686018.427 s   io\n"), "{report}");
}

#[test]
fn long_names_push_their_own_row_only() {
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    let long = "x".repeat(10_000);
    context.record(&long, "default", 1).unwrap();
    context.record("short", &long, 1).unwrap();
    let snapshot = timer.snapshot().unwrap();
    let report = snapshot.report().to_string();
    assert!(
        report.starts_with("section       time   share  count      self  category\n"),
        "{report}"
    );
    assert!(report.contains(&format!("\n{long}  1.000 ns   50.0%      1  1.000 ns  default\n")));
    assert!(report.contains(&format!("\nshort     1.000 ns   50.0%      1  1.000 ns  {long}\n")));
    assert_json(&snapshot);
}

#[test]
fn the_deepest_nesting_is_written() {
    // With 32-bit words there are indices for fewer sections.
    const DEPTH: u32 = if cfg!(xtimer_narrow) { 900 } else { 2_000 };
    let clock = ManualClock::new(64);
    let config = Config { sections: DEPTH, depth: DEPTH, categories: 8, ..Config::HOST };
    let timer = timer(config, &clock);
    let context = timer.context().unwrap();
    let tokens: Vec<_> = (0..DEPTH).map(|_| context.enter("n", "default").unwrap()).collect();
    clock.advance(3);
    for token in tokens.into_iter().rev() {
        context.exit(token).unwrap();
    }
    let snapshot = timer.snapshot().unwrap();
    let report = snapshot.report().to_string();
    let deepest = format!("\n{}n  3.000 ns  100.0%", " ".repeat(2 * (DEPTH as usize - 1)));
    assert!(report.contains(&deepest));
}

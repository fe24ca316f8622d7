//! The report as a whole: reports as they should be, letter by letter.

use xtimer_core::{Config, ManualClock, Scale, Statistics, static_timer};

use crate::check::{assert_json, assert_report, timer, train};

#[test]
fn percentiles_are_shown_where_a_histogram_is_kept() {
    let clock = ManualClock::new(64);
    let timer = timer(Config { sections: 16, lanes: 2, histograms: true, ..Config::HOST }, &clock);
    let context = timer.context().unwrap();
    for duration in [20, 20, 30, 7_000_000] {
        context.record("work", "io", duration).unwrap();
    }
    let _open = context.enter("open", "io").unwrap();
    let snapshot = timer.snapshot().unwrap();
    assert_report(
        &snapshot,
        "\
section       time   share  count      self        p50       p99  category
work      7.000 ms  100.0%      4  7.000 ms  20.000 ns  7.000 ms  io
open      0.000 ns    0.0%      0  0.000 ns          -         -  io  open 0.000 ns

open  not exited yet, the first entry for so long; not in its count and times

category      time   share
io        7.000 ms  100.0%
total     7.000 ms  100.0%

price  not measured
clock  manual, 1.000 GHz, quantum not measured",
    );
    let value = assert_json(&snapshot);
    assert!(value["sections"][1]["percentiles"]["50"].is_null());
}

#[test]
fn the_report_is_a_tree_with_totals_price_and_clock() {
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    train(&timer, &clock);
    let mut snapshot = timer.snapshot().unwrap();
    assert_report(
        &snapshot,
        "\
section                time   share  count        self  category
train            165.024 ms  100.0%      1    0.000 ns  default
  step[0]         82.512 ms   50.0%      1   12.000 µs  default
    load           1.500 ms    0.9%      1    1.500 ms  io
    forward       81.000 ms   49.1%      1   81.000 ms  compute  beside
      attention   81.000 ms   49.1%      2   81.000 ms  compute
      matmul     160.000 ms   97.0%      1  160.000 ms  gpu
  step[1]         82.512 ms   50.0%      1   12.000 µs  default
    load           1.500 ms    0.9%      1    1.500 ms  io
    forward       81.000 ms   49.1%      1   81.000 ms  compute  beside
      attention   81.000 ms   49.1%      2   81.000 ms  compute
      matmul     160.000 ms   97.0%      1  160.000 ms  gpu

beside  sections beneath add up to more than it: some ran on other threads, or were recorded

category               time   share
compute          162.000 ms   98.2%
default          165.024 ms  100.0%
gpu              320.000 ms  193.9%
io                 3.000 ms    1.8%
total            165.024 ms  100.0%

a category includes what others took inside it; parallel threads add up

price  not measured
clock  manual, 1.000 GHz, quantum not measured",
    );
    assert_json(&snapshot);
    snapshot.flatten();
    assert_report(
        &snapshot,
        "\
section                time   share  count        self  category
train            165.024 ms  100.0%      1    0.000 ns  default
  step           165.024 ms  100.0%      2   24.000 µs  default
    load           3.000 ms    1.8%      2    3.000 ms  io
    forward      162.000 ms   98.2%      2  162.000 ms  compute  beside
      attention  162.000 ms   98.2%      4  162.000 ms  compute
      matmul     320.000 ms  193.9%      2  320.000 ms  gpu

beside  sections beneath add up to more than it: some ran on other threads, or were recorded

category               time   share
compute          162.000 ms   98.2%
default          165.024 ms  100.0%
gpu              320.000 ms  193.9%
io                 3.000 ms    1.8%
total            165.024 ms  100.0%

a category includes what others took inside it; parallel threads add up

price  not measured
clock  manual, 1.000 GHz, quantum not measured",
    );
    let value = assert_json(&snapshot);
    assert_eq!(value["sections"][5]["path"].to_string(), r#"["train","step","forward","matmul"]"#);
}

#[test]
fn sections_open_now_say_for_how_long() {
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    let (first, second) = (timer.context().unwrap(), timer.context().unwrap());
    let _train = first.enter("train", "default").unwrap();
    first.record("load", "io", 999_999).unwrap();
    clock.advance(1_000_000);
    let _one = first.enter("step", "compute").unwrap();
    clock.advance(234_000_000);
    let _two = second.enter_beneath(first.current_path(), "step", "compute").unwrap();
    let path = timer.find_path(&["train", "step"]).unwrap();
    let _both = second.enter_beneath(path, "step", "compute").unwrap();
    let third = timer.context().unwrap();
    let _three = third.enter_beneath(path, "step", "compute").unwrap();
    clock.advance(1_000_000_000);
    let snapshot = timer.snapshot().unwrap();
    assert_report(
        &snapshot,
        "\
section         time  share  count        self  category
train       0.000 ns      -      0    0.000 ns  default  open 1.235 s
  load    999.999 µs      -      1  999.999 µs  io
  step      0.000 ns      -      0    0.000 ns  compute  open 1.234 s
    step    0.000 ns      -      0    0.000 ns  compute  open 1.000 s (3 entries)

open  not exited yet, the first entry for so long; not in its count and times

category        time  share
compute     0.000 ns      -
default     0.000 ns      -
io        999.999 µs      -
total       0.000 ns      -

price  not measured
clock  manual, 1.000 GHz, quantum not measured",
    );
    assert_json(&snapshot);
}

#[test]
fn a_section_beneath_one_that_is_not_shown_shows_its_path() {
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    let outer = context.enter("outer", "default").unwrap();
    let middle = context.enter("middle", "default").unwrap();
    timer.clear().unwrap();
    let inner = context.enter("inner", "io").unwrap();
    context.record("deep", "io", 250).unwrap();
    clock.advance(1_000);
    context.exit(inner).unwrap();
    context.exit(middle).unwrap();
    context.exit(outer).unwrap();
    let snapshot = timer.snapshot().unwrap();
    assert_report(
        &snapshot,
        "\
section                   time   share  count        self  category
outer/middle/inner    1.000 µs  100.0%      1    1.000 µs  io
  deep              250.000 ns   25.0%      1  250.000 ns  io

category                  time   share
io                    1.000 µs  100.0%
total                 1.000 µs  100.0%

price  not measured
clock  manual, 1.000 GHz, quantum not measured",
    );
    let value = assert_json(&snapshot);
    assert_eq!(value["sections"][0]["name"], "inner");
    assert_eq!(value["sections"][0]["path"].to_string(), r#"["outer","middle","inner"]"#);
}

#[test]
#[cfg(not(xtimer_narrow))] // 32-bit words have no late contexts
fn losses_come_last_in_words_with_their_counts() {
    let clock = ManualClock::new(64);
    let config = Config { sections: 4, depth: 3, lanes: 1, categories: 4, ..Config::HOST };
    let timer = timer(config, &clock);
    let context = timer.context().unwrap();
    timer.forbid("compute", "io").unwrap();
    let step = context.enter("step", "compute").unwrap();
    context.enter("load", "io").unwrap_err(); // refused
    let part = context.enter("part[1]", "compute").unwrap();
    context.exit(step).unwrap_err(); // unclosed
    context.exit(part).unwrap_err(); // not open
    for _ in 0..2 {
        context.record("other", "network", 5).unwrap(); // a category that does not fit
    }
    let slow = context.enter("slow", "compute").unwrap();
    context.record("part[2]", "compute", 70).unwrap(); // the table is full from here on
    let deep = context.enter("part[3]", "compute").unwrap();
    let deeper = context.enter("deeper", "compute").unwrap();
    context.enter("deepest", "compute").unwrap_err(); // too deep
    clock.advance(2_000);
    context.exit(deeper).unwrap();
    context.exit(deep).unwrap();
    context.exit(slow).unwrap();
    for _ in 0..8 {
        context.record("new", "io", 1_234_567).unwrap();
    }
    let step = context.enter("step", "compute").unwrap();
    clock.set(1); // a step back
    context.exit(step).unwrap();
    let late = timer.context().unwrap();
    assert!(late.is_late());
    late.record("step", "compute", 10).unwrap();
    let snapshot = timer.snapshot().unwrap();
    println!("{}", snapshot.report());
    let report = snapshot.report().to_string();
    let row = "  part[1]   0.000 ns    0.0%      0   0.000 ns  compute  no exit\n";
    assert!(report.contains(row), "{report}");
    let legend =
        "no exit  entered, but discarded before its exit, or open in a context without a lane\n";
    assert!(report.contains(legend), "{report}");
    let lost = &report[report.find("lost").unwrap()..];
    assert_eq!(
        lost,
        "\
lost    1 section left unclosed when an outer one exited, or its context ended
        1 enter too deep for the stack; the time is in the deepest section
        1 enter refused by a rule, last 'io' inside 'compute'
        1 exit of a section that was not open
        1 section taken as zero because the clock stepped back
        2 enters with a category that did not fit, recorded as (other)
        1 context that found no lane: slower, no standard deviation
       11 enters of a new section when the table was full; by category:
          compute: 4.070 µs in 3 exits
          io: 9.877 ms in 8 exits"
    );
    assert_json(&snapshot);
}

#[test]
fn a_counted_section_under_its_base_name_is_a_loss_that_is_shown() {
    let clock = ManualClock::new(64);
    let timer = timer(Config { sections: 2, ..Config::HOST }, &clock);
    let context = timer.context().unwrap();
    context.record("part", "default", 1).unwrap();
    for index in 0..3 {
        let token = context.enter_counted("part", index, "default").unwrap();
        context.exit(token).unwrap();
    }
    let snapshot = timer.snapshot().unwrap();
    let report = snapshot.report().to_string();
    assert!(
        report.ends_with(
            "measured\nlost   2 enters of a counted section recorded under its base name"
        ),
        "{report}"
    );
    assert_json(&snapshot);
}

static_timer! {
    /// Keeps neither extremes nor exclusive time.
    static PLAIN: ManualClock = ManualClock::with_scale(32, Scale::from_hertz(32_768)),
        Config { statistics: Statistics::COUNT_TOTAL, ..Config::SMALL };
}

#[test]
fn what_is_not_kept_has_no_column_and_is_null() {
    let context = PLAIN.context().unwrap();
    let control = context.enter("control", "loop").unwrap();
    for _ in 0..2 {
        let adc = context.enter("adc", "io").unwrap();
        PLAIN.clock().advance(1);
        context.exit(adc).unwrap();
    }
    PLAIN.clock().advance(14);
    context.exit(control).unwrap();
    let snapshot = PLAIN.snapshot().unwrap();
    assert_report(
        &snapshot,
        "\
section         time   share  count  category
control   488.281 µs  100.0%      1  loop
  adc      61.035 µs   12.5%      2  io

category        time   share
io         61.035 µs   12.5%
loop      488.281 µs  100.0%
total     488.281 µs  100.0%

a category includes what others took inside it; parallel threads add up

price  not measured
clock  manual, 32.768 kHz, quantum not measured",
    );
    let value = assert_json(&snapshot);
    for key in ["self_time", "min", "max", "std"] {
        assert!(value["sections"][1][key].is_null(), "{key}");
    }
    // Two ticks of 30,517.578 ns: the mean does not inherit the rounding of the time.
    assert_eq!(value["sections"][1]["mean"].as_number().unwrap().to_string(), "0.000030517578");
}

#[test]
fn sections_without_a_slot_alone_make_a_report() {
    let clock = ManualClock::new(64);
    let timer = timer(Config { sections: 1, ..Config::HOST }, &clock);
    let context = timer.context().unwrap();
    context.record("first", "default", 1).unwrap();
    timer.clear().unwrap();
    context.record("second", "io", 999_999_500).unwrap();
    let snapshot = timer.snapshot().unwrap();
    assert_report(
        &snapshot,
        "\
category      time   share
io        1.000 s   100.0%
total     1.000 s   100.0%

price  not measured
clock  manual, 1.000 GHz, quantum not measured
lost   1 enter of a new section when the table was full; by category:
         io: 1.000 s in 1 exit",
    );
    let value = assert_json(&snapshot);
    assert_eq!(value["total_category_time"].to_string(), r#"{"io":0.999999500}"#);
    assert_eq!(
        value["lost"]["without_slot"].to_string(),
        r#"{"io":{"count":1,"time":0.999999500}}"#
    );
}

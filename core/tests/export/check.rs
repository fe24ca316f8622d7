//! Compares exports with the snapshots they were made of.

use std::time::Duration;

use serde_json::Value;
use xtimer_core::{Config, Line, ManualClock, Section, Snapshot, Timer};

pub type ManualTimer<'c> = Timer<Line, &'c ManualClock>;

pub fn timer(config: Config, clock: &ManualClock) -> ManualTimer<'_> {
    Timer::with_clock(config, clock).unwrap()
}

/// Compares line by line, and shows the whole where they differ.
pub fn assert_report(snapshot: &Snapshot<'_>, expected: &str) {
    let report = snapshot.report().to_string();
    assert_eq!(report, expected, "got\n{report}\n\nnot\n{expected}\n");
    for line in report.lines() {
        assert_eq!(line, line.trim_end(), "spaces at the end of a line");
    }
}

/// A decimal of so many places as the integer of its digits.
pub fn digits(value: &Value, places: usize) -> u128 {
    let number = value.as_number().unwrap().to_string();
    let (whole, part) = number.split_once('.').unwrap();
    assert_eq!(part.len(), places, "{number}");
    format!("{whole}{part}").parse().unwrap()
}

pub fn nanoseconds(value: &Value) -> u64 {
    u64::try_from(digits(value, 9)).unwrap()
}

pub fn parse(snapshot: &Snapshot<'_>) -> Value {
    let compact = snapshot.json().to_string();
    let value: Value = serde_json::from_str(&compact).unwrap();
    assert!(!compact.contains('\n') && compact.ends_with('}'));
    for indent in [1, 2, 4, 100] {
        let indented = snapshot.json().indent(indent).to_string();
        assert_eq!(value, serde_json::from_str::<Value>(&indented).unwrap());
    }
    value
}

pub fn assert_section(value: &Value, section: &Section<'_>) {
    assert_eq!(value["name"], section.name());
    let path: Vec<&str> = section.path().collect();
    assert_eq!(value["path"], serde_json::to_value(path).unwrap());
    assert_eq!(value["category"], section.category());
    assert_eq!(nanoseconds(&value["time"]), section.total());
    assert_eq!(value["count"].as_u64(), Some(section.count()));
    let optional = |key: &str| (!value[key].is_null()).then(|| nanoseconds(&value[key]));
    assert_eq!(optional("self_time"), section.exclusive());
    assert_eq!(optional("min"), section.min());
    assert_eq!(optional("max"), section.max());
    let fine = |key: &str| (!value[key].is_null()).then(|| digits(&value[key], 12));
    assert_eq!(fine("mean"), section.mean_picoseconds());
    assert_eq!(fine("std"), section.std_picoseconds());
    let shares = [("50", 500_000), ("90", 900_000), ("99", 990_000), ("99.9", 999_000)];
    let percentiles = value.get("percentiles").map(|value| value.as_object().unwrap());
    assert_eq!(percentiles.map(|all| all.len()), section.histogram().map(|_| shares.len()));
    for (key, share) in shares.into_iter().filter(|_| percentiles.is_some()) {
        let value = &value["percentiles"][key];
        assert_eq!((!value.is_null()).then(|| nanoseconds(value)), section.percentile(share));
    }
    assert_eq!(value["open"].as_u64(), Some(section.open().into()));
    let open_time = (section.open() > 0).then(|| section.open_time());
    assert_eq!(value.get("open_time").map(nanoseconds), open_time);
    for (key, holds) in [
        ("busy", section.is_busy()),
        ("late", section.is_late()),
        ("near_price", section.is_near_price()),
        ("exceeded", section.is_exceeded()),
    ] {
        assert_eq!(value.get(key), holds.then_some(&Value::Bool(true)), "{key}");
    }
}

/// Every number and name of the JSON is the snapshot's.
pub fn assert_json(snapshot: &Snapshot<'_>) -> Value {
    let value = parse(snapshot);
    assert_eq!(nanoseconds(&value["total_time"]), snapshot.total());
    let totals = value["total_category_time"].as_object().unwrap();
    assert_eq!(totals.len(), snapshot.categories().count());
    for (category, total) in snapshot.categories() {
        assert_eq!(nanoseconds(&totals[category]), total);
    }
    let sections = value["sections"].as_array().unwrap();
    assert_eq!(sections.len(), snapshot.sections().count());
    for (value, section) in sections.iter().zip(snapshot.sections()) {
        assert_section(value, &section);
    }
    let (name, scale) = snapshot.clock();
    assert_eq!(value["clock"]["name"], name);
    assert_eq!(value["clock"]["hertz"].as_u64(), Some(scale.hertz()));
    let price = snapshot.price();
    for (key, picoseconds) in [("pair", price.pair), ("quantum", price.quantum)] {
        let overhead = &value["overhead"][key];
        match picoseconds {
            0 => assert!(overhead.is_null()),
            some => assert_eq!(digits(overhead, 12), some.into()),
        }
    }
    let lost = value["lost"].as_object().unwrap();
    let losses = snapshot.losses();
    for (key, count) in [
        ("unclosed", losses.unclosed),
        ("too_deep", losses.too_deep),
        ("refused", losses.refused),
        ("interrupted", losses.interrupted),
        ("not_open", losses.not_open),
        ("steps_back", losses.steps_back),
        ("base_name", losses.base_name),
        ("no_slot", losses.no_slot),
        ("categories", losses.categories),
        ("late_contexts", losses.late_contexts),
    ] {
        assert_eq!(lost[key].as_u64(), Some(count), "{key}");
    }
    let last = lost.get("last_refused").map(|last| last.as_array().unwrap());
    let names = last.map(|last| (last[0].as_str().unwrap(), last[1].as_str().unwrap()));
    assert_eq!(names, snapshot.last_refused());
    let without_slot = lost["without_slot"].as_object().unwrap();
    assert_eq!(without_slot.len(), snapshot.without_slot().count());
    for (category, count, time) in snapshot.without_slot() {
        assert_eq!(without_slot[category]["count"].as_u64(), Some(count));
        assert_eq!(nanoseconds(&without_slot[category]["time"]), time);
    }
    value
}

/// Two steps of a training run, with all that a healthy one shows.
pub fn train(timer: &ManualTimer<'_>, clock: &ManualClock) {
    let context = timer.context().unwrap();
    let worker = timer.context().unwrap();
    let advance = |micros| clock.advance(Duration::from_micros(micros).as_nanos() as u64);
    let train = context.enter("train", "default").unwrap();
    for index in 0..2 {
        let step = context.enter_counted("step", index, "default").unwrap();
        let load = context.enter("load", "io").unwrap();
        advance(1_500);
        context.exit(load).unwrap();
        let forward = context.enter("forward", "compute").unwrap();
        let path = context.current_path();
        for attention in 0..2 {
            let beneath = worker.enter_beneath(path, "attention", "compute").unwrap();
            advance(40_000 + 1_000 * attention);
            worker.exit(beneath).unwrap();
        }
        worker.record_beneath(path, "matmul", "gpu", 160_000_123).unwrap();
        context.exit(forward).unwrap();
        advance(12);
        context.exit(step).unwrap();
    }
    context.exit(train).unwrap();
}

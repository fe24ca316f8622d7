//! The JSON's shape, and what every export does with nothing and with a writer that fails.

use std::fmt::{self, Write};

use xtimer_core::{Config, ManualClock, Scale};

use crate::check::{assert_json, timer, train};

#[test]
fn a_snapshot_of_nothing_is_an_empty_report() {
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    assert_eq!(timer.snapshot().unwrap().report().to_string(), "");
    context.record("load", "io", 5).unwrap();
    assert_ne!(timer.snapshot().unwrap().report().to_string(), "");
    timer.clear().unwrap();
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(snapshot.report().to_string(), "");
    let value = assert_json(&snapshot);
    assert_eq!(value["sections"], serde_json::json!([]));
    assert_eq!(value["total_category_time"], serde_json::json!({}));
    let text = snapshot.json().indent(2).to_string();
    assert!(text.starts_with(
        "{\n  \"total_time\": 0.000000000,\n  \"total_category_time\": {},\n  \"sections\": [],\n"
    ));
}

#[test]
fn the_json_has_these_keys_in_this_order() {
    let clock = ManualClock::with_scale(32, Scale::from_hertz(1_000_000));
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    let step = context.enter("step \"1\"", "cpu").unwrap();
    for nanoseconds in [1_000, 2_000, 3_000] {
        context.record("load", "io", nanoseconds).unwrap();
    }
    clock.advance(3);
    context.exit(step).unwrap();
    let _open = context.enter("open", "io").unwrap();
    clock.advance(1);
    let snapshot = timer.snapshot().unwrap();
    let expected = concat!(
        r#"{"total_time":0.000003000,"total_category_time":{"cpu":0.000003000,"io":0.000006000},"#,
        r#""sections":[{"name":"step \"1\"","path":["step \"1\""],"time":0.000003000,"#,
        r#""category":"cpu","count":1,"self_time":0.000003000,"min":0.000003000,"#,
        r#""max":0.000003000,"mean":0.000003000000,"std":null,"open":0,"exceeded":true},"#,
        r#"{"name":"load","path":["step \"1\"","load"],"time":0.000006000,"category":"io","#,
        r#""count":3,"self_time":0.000006000,"min":0.000001000,"max":0.000003000,"#,
        r#""mean":0.000002000000,"std":0.000001000000,"open":0},"#,
        r#"{"name":"open","path":["open"],"time":0.000000000,"category":"io","count":0,"#,
        r#""self_time":0.000000000,"min":null,"max":null,"mean":null,"std":null,"open":1,"#,
        r#""open_time":0.000001000}],"clock":{"name":"manual","hertz":1000000,"width":32},"#,
        r#""overhead":{"pair":null,"quantum":null},"lost":{"unclosed":0,"too_deep":0,"#,
        r#""refused":0,"not_open":0,"steps_back":0,"base_name":0,"no_slot":0,"interrupted":0,"categories":0,"#,
        r#""late_contexts":0,"without_slot":{}}}"#,
    );
    let json = snapshot.json().to_string();
    assert_eq!(json, expected);
    assert_json(&snapshot);
    let indented = snapshot.json().indent(3).to_string();
    assert!(
        indented.contains("\n      {\n         \"name\": \"load\",\n         \"path\": [\"step")
    );
}

#[test]
fn the_example_of_the_documentation_is_what_is_exported() {
    const PAGE: &str = include_str!("../../../docs/json.md");
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    let step = context.enter_counted("step", 0, "compute").unwrap();
    for nanoseconds in [1_500_000, 1_500_001] {
        let load = context.enter("load", "io").unwrap();
        clock.advance(nanoseconds);
        context.exit(load).unwrap();
    }
    clock.advance(8_999_999);
    context.exit(step).unwrap();
    let _open = context.enter("save", "io").unwrap();
    clock.advance(250_000);
    let snapshot = timer.snapshot().unwrap();
    assert_json(&snapshot);
    let json = snapshot.json().indent(2).to_string();
    let (_, example) = PAGE.split_once("```json\n").unwrap();
    let (example, _) = example.split_once("\n```").unwrap();
    assert_eq!(example.replace('\r', ""), json, "got\n{json}");
    // Every key has its row.
    for key in json.split('"').skip(1).step_by(2).filter(|key| {
        let quoted = format!("\"{key}\": ");
        json.contains(&quoted) && !["compute", "io"].contains(key)
    }) {
        let documented = PAGE.lines().any(|line| line.contains(&format!("`{key}`")));
        assert!(documented, "{key}");
    }
}

#[test]
fn category_totals_are_sorted_by_code_point() {
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    let context = timer.context().unwrap();
    // In UTF-16, as JavaScript compares, the emoji would come before the full-width letter.
    for category in ["😀", "a", "ａ", "B", "", "é", "\u{1}", "default"] {
        context.record("x", category, 1).unwrap();
        context.record(category, category, 1).unwrap();
    }
    let snapshot = timer.snapshot().unwrap();
    let json = snapshot.json().to_string();
    let start = json.find("{\"\":").unwrap();
    let end = json.find("},\"sections\"").unwrap();
    let keys: Vec<&str> =
        json[start + 1..end].split(',').filter_map(|item| Some(item.rsplit_once(':')?.0)).collect();
    assert_eq!(
        keys,
        ["\"\"", r#""\u0001""#, "\"B\"", "\"a\"", "\"default\"", "\"é\"", "\"ａ\"", "\"😀\""]
    );
    assert_json(&snapshot);
}

/// Fails once so many bytes were written.
struct Limited(usize);

impl Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_ends_the_export_with_its_error() {
    let clock = ManualClock::new(64);
    let timer = timer(Config::HOST, &clock);
    train(&timer, &clock);
    let snapshot = timer.snapshot().unwrap();
    let (report, json) = (snapshot.report().to_string().len(), snapshot.json().to_string().len());
    for limit in 0..report {
        assert!(write!(Limited(limit), "{}", snapshot.report()).is_err());
    }
    for limit in 0..json {
        assert!(write!(Limited(limit), "{}", snapshot.json()).is_err());
    }
    assert!(write!(Limited(report), "{}", snapshot.report()).is_ok());
    assert!(write!(Limited(json), "{}", snapshot.json()).is_ok());
}

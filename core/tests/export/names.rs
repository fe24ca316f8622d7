//! Any names and times are exported exactly.

use proptest::prelude::*;
use xtimer_core::{Config, ManualClock, Scale};

use crate::check::{assert_json, parse, timer};

/// Any text, and above all the kinds that break writers.
fn any_name() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        any::<char>(),
        prop::char::range('\0', '\u{7f}'),
        prop::sample::select(vec!['"', '\\', '/', '\n', '\u{1f}', '\u{2028}', '\u{85}', '😀', '[']),
    ];
    prop_oneof![
        6 => prop::collection::vec(character, 0..80).prop_map(|text| text.into_iter().collect()),
        2 => prop::sample::select(vec!["", "/", "a/b", "a", "step[3]", "step", "\"", "\\", "\0"])
            .prop_map(String::from),
        1 => (prop::sample::select(vec!["x", "\"", "\u{1}", "é", "€", "😀", "a\u{7}😀"]), 1_usize..5)
            .prop_map(|(text, extra)| "-".repeat(extra) + &text.repeat(10_000 / text.len())),
    ]
}

#[derive(Clone, Debug)]
enum Act {
    Enter { name: String, category: String },
    Exit { ticks: u64 },
    Record { name: String, nanoseconds: u64 },
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (any_name(), any_name()).prop_map(|(name, category)| Act::Enter { name, category }),
        3 => (0_u64..1 << 40).prop_map(|ticks| Act::Exit { ticks }),
        1 => (any_name(), any::<u64>())
            .prop_map(|(name, random)| Act::Record { name, nanoseconds: random >> 16 }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_names_and_times_are_exported_exactly(
        acts in prop::collection::vec(any_act(), 1..24),
        hertz in 1_u64..5_000_000_000,
        flat: bool,
    ) {
        let clock = ManualClock::with_scale(64, Scale::from_hertz(hertz));
        let timer = timer(Config { sections: 64, lanes: 1, name_bytes: 1 << 20, ..Config::HOST }, &clock);
        let context = timer.context().unwrap();
        let mut open: Vec<(String, _)> = Vec::new();
        let mut paths: Vec<Vec<String>> = Vec::new();
        let mut note = |path: Vec<String>| {
            if !paths.contains(&path) {
                paths.push(path);
            }
        };
        for act in &acts {
            let above = open.iter().map(|(name, _)| name.clone());
            match act {
                Act::Enter { name, category } => {
                    note(above.chain([name.clone()]).collect());
                    open.push((name.clone(), context.enter(name, category).unwrap()));
                }
                Act::Exit { ticks } => {
                    clock.advance(*ticks);
                    if let Some((_, token)) = open.pop() {
                        context.exit(token).unwrap();
                    }
                }
                Act::Record { name, nanoseconds } => {
                    note(above.chain([name.clone()]).collect());
                    context.record(name, "default", *nanoseconds).unwrap();
                }
            }
        }
        let mut snapshot = timer.snapshot().unwrap();
        // Names as they were given, not only as the snapshot tells them.
        let value = parse(&snapshot);
        let mut shown: Vec<Vec<String>> = Vec::new();
        for section in value["sections"].as_array().unwrap() {
            let path: Vec<String> = serde_json::from_value(section["path"].clone()).unwrap();
            prop_assert_eq!(section["name"].as_str(), path.last().map(String::as_str));
            shown.push(path);
        }
        paths.sort();
        shown.sort();
        prop_assert_eq!(shown, paths);
        if flat {
            snapshot.flatten();
        }
        assert_json(&snapshot);

        let report = snapshot.report().to_string();
        if snapshot.is_empty() {
            prop_assert_eq!(report, "");
            return Ok(());
        }
        prop_assert!(!report.contains(|text: char| text.is_control() && text != '\n'));
        let rows = report.split('\n').take_while(|line| !line.is_empty()).count();
        prop_assert_eq!(rows, 1 + snapshot.sections().count());
        let mut tables = report.split("\n\n");
        let categories = tables.find(|table| table.starts_with("category ")).unwrap();
        prop_assert_eq!(categories.split('\n').count(), 2 + snapshot.categories().count());
    }
}

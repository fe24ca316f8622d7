//! `export`: each format held to its own rules.

use std::collections::BTreeMap;

use crate::support::{Folder, two};
use serde_json::Value;
use xtimer_core::profile::{Profile, Records, Source};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn json_of_one_rank_has_the_keys_of_the_library() {
    let shown = json(&two().run("export r0.xtp --format json").done());
    assert_eq!(shown["total_time"], 0.0400006);
    assert_eq!(shown["total_category_time"]["io"], 0.0080006);
    let load = &shown["sections"][1];
    assert_eq!(
        (&load["path"][1], &load["count"], &load["category"]),
        (&"load".into(), &4.into(), &"io".into())
    );
    assert_eq!(load["mean"], 0.00200015);
}

#[test]
fn json_of_ranks_has_each_and_all() {
    let folder = two();
    let shown = json(&folder.run("export r0.xtp r1.xtp --format json").done());
    assert_eq!(shown["rank_count"], 2);
    assert_eq!(shown["sections"][3]["over_ranks"]["slowest"], 1);
    assert_eq!(shown["profiles"][1]["label"], "worker 1");
    folder.run("merge --reduce r0.xtp r1.xtp -o all").done();
    let reduced = json(&folder.run("export all --format json").done());
    assert_eq!(reduced["total_time"], shown["total_time"]);
    assert!(reduced.get("profiles").is_none());
    assert!(
        folder.run("export all --format trace").sentence().contains("'all' is a reduced profile")
    );
}

#[test]
fn csv_has_a_row_for_each_section_and_sample() {
    let folder = two();
    let rows = folder.run("export r0.xtp r1.xtp --format csv").done();
    let mut reader = csv::Reader::from_reader(rows.as_bytes());
    let head = reader.headers().unwrap().clone();
    let rows: Vec<BTreeMap<String, String>> = reader
        .records()
        .map(|row| {
            head.iter().map(str::to_owned).zip(row.unwrap().iter().map(str::to_owned)).collect()
        })
        .collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(
        (&*rows[5]["path"], &*rows[5]["rank"], &*rows[5]["time"]),
        ("step/load", "1", "0.008000600")
    );

    let samples = folder.run("export r0.xtp r1.xtp --format samples").done();
    assert_eq!(samples.lines().count(), 1 + 2 * 16);
    assert_eq!(samples.lines().nth(5).unwrap(), "0,0,step/load,load,io,0.000001000,0.002000000");
}

/// Intervals of one thread nest, and are nowhere beside each other; `(start, end)` in nanoseconds.
fn assert_nested(mut intervals: Vec<(u64, u64)>) {
    intervals.sort_by_key(|&(start, end)| (start, std::cmp::Reverse(end)));
    let mut open: Vec<u64> = Vec::new();
    for (start, end) in intervals {
        while open.last().is_some_and(|&top| top <= start) {
            open.pop();
        }
        assert!(open.last().is_none_or(|&top| end <= top), "{start} to {end} overlaps");
        open.push(end);
    }
}

fn nanoseconds(microseconds: &Value) -> u64 {
    (microseconds.as_f64().unwrap() * 1000.0).round() as u64
}

/// The rules of trace events for the phases in use; how many events there are by thread.
fn check_trace(text: &str) -> BTreeMap<(u64, u64), usize> {
    let trace = json(text);
    let mut threads: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
    let mut named = std::collections::BTreeSet::new();
    for event in trace["traceEvents"].as_array().unwrap() {
        let keys: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
        let place = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
        match event["ph"].as_str().unwrap() {
            "M" => {
                assert!(["process_name", "thread_name"].contains(&event["name"].as_str().unwrap()));
                assert!(event["args"]["name"].is_string());
                named.insert(place);
            }
            "X" => {
                assert_eq!(keys, ["args", "cat", "dur", "name", "ph", "pid", "tid", "ts"]);
                let start = nanoseconds(&event["ts"]);
                let end = start + nanoseconds(&event["dur"]);
                assert!(event["args"]["ns"].as_u64().unwrap().abs_diff(end - start) <= 2);
                threads.entry(place).or_default().push((start, end));
            }
            other => panic!("phase {other}"),
        }
    }
    threads.keys().for_each(|place| assert!(named.contains(place)));
    let counts = threads.iter().map(|(place, intervals)| (*place, intervals.len())).collect();
    threads.into_values().for_each(assert_nested);
    counts
}

#[test]
fn a_trace_nests_and_loses_nothing() {
    let shown = two().run("export r0.xtp r1.xtp --format trace");
    assert_eq!(shown.err, "");
    let counts = check_trace(&shown.done());
    assert_eq!(counts, BTreeMap::from([((0, 0), 16), ((1, 0), 16)]));
}

/// Tasks that overlap, a recorded duration, and one whose start is not known.
fn tangled() -> Profile {
    let row = |path, durations, starts| Records { path, category: "c", durations, starts };
    Profile::from_records(
        Source { rank: 3, label: "" },
        &[
            row(&["serve"], &[1000], &[100]),
            row(&["serve", "task"], &[300, 300, 300], &[200, 250, 600]),
            row(&["beside"], &[5000], &[150]),
            row(&["recorded"], &[7, 8, 9], &[]),
        ],
    )
}

#[test]
fn what_has_no_place_in_a_trace_is_counted() {
    let folder = Folder::new().with("a.xtp", &tangled());
    let shown = folder.run("export a.xtp --format trace");
    assert_eq!(shown.err, "note: 3 durations have no sample to show; `xtimer show` counts them\n");
    let text = shown.done();
    let counts = check_trace(&text);
    assert_eq!(counts.values().sum::<usize>(), 5);
    assert!(counts.len() >= 3, "{counts:?}");
    let missing = &json(&text)["otherData"]["without_sample"];
    assert_eq!(*missing, serde_json::json!([{"rank": 3, "path": ["recorded"], "count": 3}]));
}

#[test]
fn speedscope_events_open_and_close_in_order() {
    let folder = two().with("t.xtp", &tangled());
    let file = json(&folder.run("export r0.xtp r1.xtp t.xtp --format speedscope").done());
    assert_eq!(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    let schema = json(include_str!("../schemas/speedscope.json"));
    let schema = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = schema.iter_errors(&file).map(|fault| fault.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new());
    let mut wrong = file.clone();
    wrong["profiles"][1]["unit"] = "parsecs".into();
    assert!(!schema.is_valid(&wrong), "the schema lets everything through");
    let frames = file["shared"]["frames"].as_array().unwrap().len();
    let profiles = file["profiles"].as_array().unwrap();
    let mut opened = 0;
    for profile in profiles {
        let number = |key: &str| profile[key].as_u64().unwrap();
        assert_eq!(profile["unit"], "nanoseconds");
        assert!(profile["name"].is_string() && number("startValue") <= number("endValue"));
        let frame = |value: &Value| {
            let frame = value.as_u64().unwrap();
            assert!((frame as usize) < frames);
            frame
        };
        match profile["type"].as_str().unwrap() {
            "sampled" => {
                let (samples, weights) = (
                    profile["samples"].as_array().unwrap(),
                    profile["weights"].as_array().unwrap(),
                );
                assert_eq!(samples.len(), weights.len());
                samples.iter().for_each(|stack| {
                    stack.as_array().unwrap().iter().for_each(|f| {
                        frame(f);
                    })
                });
                let sum: u64 = weights.iter().map(|weight| weight.as_u64().unwrap()).sum();
                assert_eq!(sum, number("endValue"));
            }
            "evented" => {
                let (mut stack, mut last) = (Vec::new(), number("startValue"));
                for event in profile["events"].as_array().unwrap() {
                    let at = event["at"].as_u64().unwrap();
                    assert!(last <= at && at <= number("endValue"));
                    last = at;
                    match event["type"].as_str().unwrap() {
                        "O" => {
                            stack.push(frame(&event["frame"]));
                            opened += 1;
                        }
                        "C" => assert_eq!(stack.pop(), Some(frame(&event["frame"]))),
                        other => panic!("{other}"),
                    }
                }
                assert!(stack.is_empty());
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(opened, 16 + 16 + 5);
}

#[test]
fn folded_stacks_hold_own_times() {
    let folder = two();
    let lines = folder.run("export r0.xtp --format folded").done();
    assert_eq!(
        lines,
        "step 7998800\nstep;load 8000600\nstep;forward 20000600\nstep;all-reduce 4000600\n"
    );
    let ranks = folder.run("export r0.xtp r1.xtp --format folded").done();
    assert_eq!(ranks.lines().nth(5).unwrap(), "rank 1;step;load 8000600");
    let records = Records { path: &["a;b\n"], category: "c", durations: &[5], starts: &[] };
    let folder = Folder::new().with("a.xtp", &Profile::from_records(Source::default(), &[records]));
    assert_eq!(folder.run("export a.xtp --format folded").done(), "a:b  5\n");
}

#[test]
fn an_export_goes_to_a_file_as_well() {
    let folder = two();
    assert_eq!(folder.run("export r0.xtp --format folded -o a.txt").done(), "");
    assert_eq!(
        String::from_utf8(folder.read("a.txt")).unwrap(),
        folder.run("export r0.xtp --format folded").done()
    );
    assert_eq!(folder.run("export r0.xtp --format nothing").code, 2);
}

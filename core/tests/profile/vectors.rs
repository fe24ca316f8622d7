//! The vectors: bytes that an encoder in another language wrote, and what they mean.

use serde_json::{Map, Value, json};
use xtimer_core::profile::{Gathered, Profile, View};

use crate::bytes::{path, vector};

/// An integer as the vectors have it: a string from 2^53 on.
pub fn integer(value: impl Into<u128>) -> Value {
    let value = value.into();
    if value < 1 << 53 { json!(value as u64) } else { json!(value.to_string()) }
}

fn section(profile: &Profile, index: usize) -> Value {
    let section = &profile.sections()[index];
    let mut entry = Map::new();
    let depth =
        std::iter::successors(section.parent, |&parent| profile.sections()[parent as usize].parent);
    entry.insert("depth".into(), json!(depth.count()));
    entry.insert("name".into(), json!(&*section.name));
    entry.insert("category".into(), json!(profile.category_of(section)));
    if !section.names_above.is_empty() {
        let names: Vec<&str> = section.names_above.iter().map(|name| &**name).collect();
        entry.insert("names_above".into(), json!(names));
    }
    let marks = section.marks;
    for (key, holds) in [("busy", marks.busy), ("late", marks.late), ("exceeded", marks.exceeded)] {
        if holds {
            entry.insert(key.into(), json!(true));
        }
    }
    let numbers = &section.numbers;
    entry.insert("count".into(), integer(numbers.count));
    entry.insert("total".into(), integer(numbers.total));
    for (key, time) in
        [("exclusive", numbers.exclusive), ("min", numbers.min), ("max", numbers.max)]
    {
        if let Some(time) = time {
            entry.insert(key.into(), integer(time));
        }
    }
    if let Some(squares) = numbers.squares {
        entry.insert("squares".into(), integer(squares));
    }
    if numbers.open > 0 {
        entry.insert("open".into(), integer(numbers.open));
        entry.insert("open_time".into(), integer(numbers.open_time));
    }
    Value::Object(entry)
}

/// What a profile means, as the vectors write it.
fn meaning(profile: &Profile, view: &View<'_>) -> Value {
    let (clock, scale, width) = profile.clock();
    let losses = profile.losses();
    let counts = [
        losses.unclosed,
        losses.too_deep,
        losses.refused,
        losses.not_open,
        losses.steps_back,
        losses.base_name,
        losses.no_slot,
        losses.categories,
        losses.late_contexts,
        losses.interrupted,
    ];
    let lanes = view.samples().map(|lane| {
        let samples: Vec<Value> = lane
            .samples()
            .map(|sample| json!([integer(sample.start), integer(sample.duration)]))
            .collect();
        json!({ "section": lane.section, "lane": lane.lane, "dropped": integer(lane.dropped),
            "samples": samples })
    });
    json!({
        "rank": profile.rank(),
        "label": profile.label(),
        "clock": {
            "name": clock, "multiplier": integer(scale.multiplier), "shift": scale.shift,
            "width": width, "pair": profile.price().pair, "quantum": profile.price().quantum,
        },
        "losses": counts.map(integer).to_vec(),
        "total": integer(profile.total()),
        "categories": profile.categories().iter().map(|category| json!({
            "name": &*category.name, "total": integer(category.total),
            "lost_count": integer(category.lost_count), "lost_time": integer(category.lost_time),
        })).collect::<Vec<_>>(),
        "sections": (0..profile.sections().len()).map(|index| section(profile, index))
            .collect::<Vec<_>>(),
        "histograms": view.histograms().map(|histogram| json!({
            "section": histogram.section,
            "buckets": histogram.counts().map(|(bucket, count)| json!([bucket, integer(count)]))
                .collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "samples": lanes.collect::<Vec<_>>(),
    })
}

pub fn expected(name: &str) -> Value {
    let text = std::fs::read_to_string(path(name)).expect(name);
    serde_json::from_str(&text).expect(name)
}

fn check(name: &str, is_written_back: bool) {
    let bytes = vector(&format!("{name}.xtp"));
    let expected = expected(&format!("{name}.json"));
    let expected = expected["profiles"].as_array().unwrap();
    let mut rest = bytes.as_slice();
    for meant in expected {
        let (view, behind) = View::first(rest).unwrap();
        let profile = Profile::from_view(&view);
        assert_eq!(&meaning(&profile, &view), meant, "{name}");
        let first = &rest[..rest.len() - behind.len()];
        assert_eq!(profile.to_bytes() == first, is_written_back, "{name}");
        assert_eq!(Profile::from_bytes(&profile.to_bytes()).unwrap(), profile, "{name}");
        rest = behind;
    }
    assert!(rest.is_empty(), "{name} holds more than is told");
    assert_eq!(Gathered::from_bytes(&bytes).unwrap().rank_count(), expected.len());
}

#[test]
fn an_empty_profile() {
    check("empty", true);
}

#[test]
fn a_profile_of_everything() {
    check("full", true);
}

#[test]
fn ranks_one_behind_another() {
    check("ranks", true);
}

#[test]
fn what_a_later_writer_adds_is_passed_over() {
    check("further", false);
}

#[test]
fn samples_of_lanes_come_by_start() {
    let profile = Profile::from_bytes(&vector("full.xtp")).unwrap();
    let durations = |section: usize| {
        profile.samples(section).0.iter().map(|sample| sample.duration).collect::<Vec<_>>()
    };
    assert_eq!(durations(0), [3000, 1000]);
    assert_eq!(profile.samples(2), (vec![], 2));
    assert_eq!(profile.samples(5), (vec![], 0));
    assert_eq!(profile.path(6), ["epoch", "step[3]", "left over"]);
    assert_eq!(profile.path(7), ["epoch", "step[3]", "left over", "inner"]);
    assert_eq!(profile.find(&["train", "forward/backward"]), Some(1));
    assert_eq!(profile.find(&["train", "forward"]), None);
    assert_eq!(profile.category_total("gpu"), 21);
    assert_eq!(profile.category_total("cpu"), 0);
}

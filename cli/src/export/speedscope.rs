//! The file format of speedscope.app: for each rank the own times of its sections, and where samples
//! were kept, each track as it ran.

use std::io::Write;

use serde::Serialize;
use xtimer_core::profile::{Gathered, Profile};

use crate::export::folded::own_times;
use crate::export::trace::track_name;
use crate::export::tracks::{self, Interval, Track};
use crate::failure::Result;

#[derive(Serialize)]
struct File<'f> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: String,
    #[serde(rename = "activeProfileIndex")]
    active: u32,
    shared: Shared<'f>,
    profiles: Vec<Profiled>,
}

#[derive(Serialize)]
struct Shared<'f> {
    frames: Vec<Frame<'f>>,
}

#[derive(Serialize)]
struct Frame<'f> {
    name: &'f str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Profiled {
    Sampled {
        name: String,
        unit: &'static str,
        #[serde(rename = "startValue")]
        start: u64,
        #[serde(rename = "endValue")]
        end: u64,
        samples: Vec<Vec<usize>>,
        weights: Vec<u64>,
    },
    Evented {
        name: String,
        unit: &'static str,
        #[serde(rename = "startValue")]
        start: u64,
        #[serde(rename = "endValue")]
        end: u64,
        events: Vec<Event>,
    },
}

#[derive(Serialize)]
struct Event {
    #[serde(rename = "type")]
    kind: &'static str,
    at: u64,
    frame: usize,
}

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";
const EXPORTER: &str = concat!("xtimer ", env!("CARGO_PKG_VERSION"));

/// Writes the file.
pub fn write(out: &mut dyn Write, gathered: &Gathered) -> Result {
    let (mut frames, mut profiles) = (Vec::new(), Vec::new());
    for profile in gathered.profiles() {
        let first = frames.len();
        frames.extend(profile.sections().iter().map(|section| Frame { name: &section.name }));
        let rank = profile.rank();
        profiles.push(sampled(format!("rank {rank}: own times"), profile, first));
        for track in tracks::tracks(profile) {
            let name = format!("rank {rank}: {}", track_name(&track));
            profiles.push(evented(name, &track, first));
        }
    }
    let file = File {
        schema: SCHEMA,
        exporter: EXPORTER,
        name: format!("xtimer, {} ranks", gathered.rank_count()),
        active: 0,
        shared: Shared { frames },
        profiles,
    };
    serde_json::to_writer(&mut *out, &file)?;
    Ok(out.write_all(b"\n")?)
}

fn sampled(name: String, profile: &Profile, first: usize) -> Profiled {
    let (mut samples, mut weights) = (Vec::new(), Vec::new());
    for (section, time) in own_times(profile).into_iter().enumerate().filter(|entry| entry.1 > 0) {
        let mut stack = vec![first + section];
        let mut above = profile.sections()[section].parent;
        while let Some(parent) = above {
            stack.push(first + parent as usize);
            above = profile.sections()[parent as usize].parent;
        }
        stack.reverse();
        samples.push(stack);
        weights.push(time);
    }
    let end = weights.iter().fold(0_u64, |sum, &weight| sum.saturating_add(weight));
    Profiled::Sampled { name, unit: "nanoseconds", start: 0, end, samples, weights }
}

fn evented(name: String, track: &Track, first: usize) -> Profiled {
    let origin = track.intervals.first().map_or(0, |interval| interval.sample.start);
    let (mut events, mut open) = (Vec::new(), Vec::<&Interval>::new());
    let mut end = 0;
    for interval in &track.intervals {
        for over in open.drain(interval.depth.min(open.len())..).rev() {
            events.push(Event { kind: "C", at: over.end - origin, frame: first + over.section });
        }
        let at = interval.sample.start - origin;
        events.push(Event { kind: "O", at, frame: first + interval.section });
        open.push(interval);
        end = end.max(interval.end - origin);
    }
    for over in open.into_iter().rev() {
        events.push(Event { kind: "C", at: over.end - origin, frame: first + over.section });
    }
    Profiled::Evented { name, unit: "nanoseconds", start: 0, end, events }
}

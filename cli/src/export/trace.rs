//! A trace in the JSON of trace events, for Perfetto and chrome://tracing: a process for each rank, a
//! thread for each track of a lane.
//!
//! Times of a rank begin with its first sample: clocks of ranks are not compared. An event's `dur` ends
//! inside the one around it; `args.ns` is the duration as sampled. What has no sample is counted in
//! `otherData`.

use std::io::Write;

use serde::Serialize;
use xtimer_core::profile::{Gathered, Profile};

use crate::export::tracks::{self, Track};
use crate::failure::Result;
use crate::overview::losses_of;

#[derive(Serialize)]
struct Event<'e> {
    name: &'e str,
    cat: &'e str,
    ph: &'static str,
    ts: Box<serde_json::value::RawValue>,
    dur: Box<serde_json::value::RawValue>,
    pid: u32,
    tid: u64,
    args: Sampled,
}

#[derive(Serialize)]
struct Sampled {
    ns: u64,
}

#[derive(Serialize)]
struct Metadata<'e> {
    name: &'static str,
    ph: &'static str,
    pid: u32,
    tid: u64,
    args: Named<'e>,
}

#[derive(Serialize)]
struct Named<'e> {
    name: &'e str,
}

#[derive(Serialize)]
struct Missing<'m> {
    rank: u32,
    path: Vec<&'m str>,
    count: u64,
}

#[derive(Serialize)]
struct Lost {
    rank: u32,
    what: &'static str,
    count: u64,
}

/// Tracks of one lane that can be told apart by their number.
const TRACKS_OF_LANE: u64 = 1000;

/// Writes the trace.
pub fn write(out: &mut dyn Write, gathered: &Gathered) -> Result {
    out.write_all(b"{\"traceEvents\":[")?;
    let mut is_first = true;
    for profile in gathered.profiles() {
        write_rank(out, profile, &mut is_first)?;
    }
    out.write_all(b"\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"without_sample\":")?;
    let mut missing = Vec::new();
    let mut lost = Vec::new();
    for profile in gathered.profiles() {
        let rank = profile.rank();
        for section in 0..profile.sections().len() {
            let count = tracks::missing_of(profile, section);
            if count > 0 {
                missing.push(Missing { rank, path: profile.path(section), count });
            }
        }
        for (what, count) in losses_of(profile.losses()).into_iter().filter(|loss| loss.1 > 0) {
            lost.push(Lost { rank, what, count });
        }
    }
    serde_json::to_writer(&mut *out, &missing)?;
    out.write_all(b",\"lost\":")?;
    serde_json::to_writer(&mut *out, &lost)?;
    Ok(out.write_all(b"}}\n")?)
}

fn write_rank(out: &mut dyn Write, profile: &Profile, is_first: &mut bool) -> Result {
    let pid = profile.rank();
    let tracks = tracks::tracks(profile);
    let starts = tracks.iter().filter_map(|track| track.intervals.first());
    let origin = starts.map(|interval| interval.sample.start).min().unwrap_or(0);
    let mut name = format!("rank {pid}");
    if !profile.label().is_empty() {
        name = format!("{name} ({})", profile.label());
    }
    let args = Named { name: &name };
    item(out, is_first, &Metadata { name: "process_name", ph: "M", pid, tid: 0, args })?;
    for track in &tracks {
        let tid = u64::from(track.lane) * TRACKS_OF_LANE + track.number as u64;
        let name = track_name(track);
        let args = Named { name: &name };
        item(out, is_first, &Metadata { name: "thread_name", ph: "M", pid, tid, args })?;
        for interval in &track.intervals {
            let section = &profile.sections()[interval.section];
            let event = Event {
                name: &section.name,
                cat: profile.category_of(section),
                ph: "X",
                ts: microseconds(interval.sample.start - origin)?,
                dur: microseconds(interval.end - interval.sample.start)?,
                pid,
                tid,
                args: Sampled { ns: interval.sample.duration },
            };
            item(out, is_first, &event)?;
        }
    }
    Ok(())
}

/// A track's name for people.
pub fn track_name(track: &Track) -> String {
    match track.number {
        0 => format!("lane {}", track.lane),
        number => format!("lane {}, beside {number}", track.lane),
    }
}

/// Microseconds with all digits of the nanoseconds.
fn microseconds(nanoseconds: u64) -> Result<Box<serde_json::value::RawValue>> {
    let text = format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
    Ok(serde_json::value::RawValue::from_string(text)?)
}

fn item(out: &mut dyn Write, is_first: &mut bool, value: &impl Serialize) -> Result {
    out.write_all(if std::mem::take(is_first) { b"\n" } else { b",\n" })?;
    Ok(serde_json::to_writer(out, value)?)
}

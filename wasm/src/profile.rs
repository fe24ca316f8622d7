//! What a timer gives away as bytes: its profile, and the durations that it keeps one by one.

use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;

use wasm_bindgen::prelude::wasm_bindgen;
use xtimer_core::profile::Source;
use xtimer_core::{Error, Sample, Snapshot};

use crate::clock;
use crate::state::{Instance, STATE, State};

/// Writes bytes from samples, which come by section and then start, and a snapshot. Not generic, so that
/// one copy serves all.
type Write<'w> = &'w mut dyn FnMut(&[Sample], &Snapshot<'_>, &mut Vec<u8>);

/// Answers with what `write` makes of a timer's samples and its snapshot. 0 or a code.
fn answer_with(state: &mut State, timer: u32, now: f64, write: Write<'_>) -> i32 {
    clock::set(now);
    let mut bytes = Vec::new();
    let Some(instance) = state.instance(timer) else { return state.unknown() };
    let outcome = read(instance, write, &mut bytes);
    state.answer = bytes;
    state.done(timer, outcome)
}

fn read(instance: &Instance, write: Write<'_>, bytes: &mut Vec<u8>) -> Result<(), Error> {
    let timer = instance.timer();
    let mut samples = empty(timer.samples_bound())?;
    let kept = timer.all_samples(&mut samples)?.kept;
    let sorted = by_section(kept)?;
    write(&sorted, &timer.snapshot()?, bytes);
    Ok(())
}

fn empty(length: usize) -> Result<Vec<Sample>, Error> {
    let mut samples = Vec::new();
    samples.try_reserve_exact(length).map_err(|_| Error::NoMemory)?;
    samples.resize(length, Sample::default());
    Ok(samples)
}

/// Samples of one lane that are sorted by start, by section and start: counted, then placed.
fn by_section(samples: &[Sample]) -> Result<Vec<Sample>, Error> {
    let mut most = 0;
    for sample in samples {
        most = most.max(sample.section as usize);
    }
    let mut places = vec![0_u32; most + 2];
    for sample in samples {
        places[sample.section as usize + 1] += 1;
    }
    let mut first = 0;
    for place in &mut places {
        first += *place;
        *place = first;
    }
    let mut sorted = empty(samples.len())?;
    for sample in samples {
        let place = &mut places[sample.section as usize];
        sorted[*place as usize] = *sample;
        *place += 1;
    }
    Ok(sorted)
}

/// Answers with a timer's profile; the label was said. 0 or a code.
#[wasm_bindgen]
pub fn save(timer: u32, rank: u32, now: f64) -> i32 {
    STATE.with(|state| {
        let label = state.said();
        answer_with(state, timer, now, &mut |samples, snapshot, bytes| {
            let mut put = |piece: &[u8]| {
                bytes.extend_from_slice(piece);
                Ok::<_, Infallible>(())
            };
            let source = Source { rank, label: &label };
            let Ok(_) = snapshot.encode_with_samples_to(source, samples, &mut put);
        })
    })
}

/// Answers with the starts and durations that the timer keeps of the sections of the name that was said,
/// section by section: each 8 bytes, little-endian, in milliseconds. 0 or a code.
#[wasm_bindgen]
pub fn times(timer: u32, now: f64) -> i32 {
    STATE.with(|state| {
        let name = state.said();
        answer_with(state, timer, now, &mut |samples, snapshot, bytes| {
            for section in snapshot.sections().filter(|section| section.name() == name) {
                for sample in samples.iter().filter(|it| it.section == section.number()) {
                    for time in [sample.start, sample.duration] {
                        bytes.extend_from_slice(&(time as f64 / 1e6).to_le_bytes());
                    }
                }
            }
        })
    })
}

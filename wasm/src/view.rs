//! What is read back: totals in milliseconds, the JSON, the report.

use alloc::string::{String, ToString};

use wasm_bindgen::prelude::wasm_bindgen;
use xtimer_core::Snapshot;

use crate::clock;
use crate::state::{REFUSED, STATE, State};

/// Takes a snapshot at the time `now` and reads it. Where the timer is gone, the sentence that says so is
/// kept and there is nothing.
fn read<T>(
    state: &mut State,
    timer: u32,
    now: f64,
    body: impl FnOnce(&mut Snapshot<'_>) -> T,
) -> Option<T> {
    clock::set(now);
    let Some(instance) = state.instance(timer) else {
        state.unknown();
        return None;
    };
    let read = instance.timer().snapshot().map(|mut snapshot| body(&mut snapshot));
    read.map_err(|error| state.fail(timer, error)).ok()
}

/// Keeps a text that was read as the answer. 0 or a code.
fn answered(state: &mut State, text: Option<String>) -> i32 {
    text.map_or(REFUSED, |text| {
        state.answer(text);
        0
    })
}

fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}

/// The time of all sections without a recorded parent; below 0 where the timer is gone.
#[wasm_bindgen]
pub fn total(timer: u32, now: f64) -> f64 {
    STATE.with(|state| {
        read(state, timer, now, |snapshot| milliseconds(snapshot.total())).unwrap_or(REFUSED.into())
    })
}

/// The time of the outermost sections of the category that was said; below 0 where the timer is gone.
#[wasm_bindgen]
pub fn category_total(timer: u32, now: f64) -> f64 {
    STATE.with(|state| {
        let category = state.said();
        read(state, timer, now, |snapshot| milliseconds(snapshot.category_total(&category)))
            .unwrap_or(REFUSED.into())
    })
}

/// Answers with the JSON of a snapshot, indented by `indent` spaces (0: compact), counted sections united
/// where `flatten` says so. 0 or a code.
#[wasm_bindgen]
pub fn json(timer: u32, now: f64, indent: usize, flatten: bool) -> i32 {
    STATE.with(|state| {
        let text = read(state, timer, now, |snapshot| {
            if flatten {
                snapshot.flatten();
            }
            let json = snapshot.json();
            if indent == 0 { json.to_string() } else { json.indent(indent).to_string() }
        });
        answered(state, text)
    })
}

/// Answers with the report for people. 0 or a code.
#[wasm_bindgen]
pub fn report(timer: u32, now: f64, flatten: bool) -> i32 {
    STATE.with(|state| {
        let text = read(state, timer, now, |snapshot| {
            if flatten {
                snapshot.flatten();
            }
            snapshot.report().to_string()
        });
        answered(state, text)
    })
}

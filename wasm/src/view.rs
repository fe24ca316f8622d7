//! What is read back: totals in milliseconds, the JSON, the report.

use alloc::string::{String, ToString};

use wasm_bindgen::prelude::wasm_bindgen;
use xtimer_core::Snapshot;

use crate::clock;
use crate::state::STATE;

/// Takes a snapshot at the time `now` and reads it; `otherwise` where the timer is gone.
fn read<T>(timer: u32, now: f64, otherwise: T, body: impl FnOnce(&mut Snapshot<'_>) -> T) -> T {
    clock::set(now);
    STATE.with(|state| {
        let Some(instance) = state.instance(timer) else { return otherwise };
        match instance.timer().snapshot() {
            Ok(mut snapshot) => body(&mut snapshot),
            Err(_) => otherwise,
        }
    })
}

fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}

/// The time of all sections without a recorded parent.
#[wasm_bindgen]
pub fn total(timer: u32, now: f64) -> f64 {
    read(timer, now, 0.0, |snapshot| milliseconds(snapshot.total()))
}

/// The time of a category's outermost sections.
#[wasm_bindgen]
pub fn category_total(timer: u32, now: f64, category: &str) -> f64 {
    read(timer, now, 0.0, |snapshot| milliseconds(snapshot.category_total(category)))
}

/// The JSON of a snapshot, indented by `indent` spaces (0: compact), counted sections united where
/// `flatten` says so.
#[wasm_bindgen]
pub fn json(timer: u32, now: f64, indent: usize, flatten: bool) -> String {
    read(timer, now, String::new(), |snapshot| {
        if flatten {
            snapshot.flatten();
        }
        let json = snapshot.json();
        if indent == 0 { json.to_string() } else { json.indent(indent).to_string() }
    })
}

/// The report for people.
#[wasm_bindgen]
pub fn report(timer: u32, now: f64, flatten: bool) -> String {
    read(timer, now, String::new(), |snapshot| {
        if flatten {
            snapshot.flatten();
        }
        snapshot.report().to_string()
    })
}

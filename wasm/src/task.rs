//! Sections that a task holds by value: where tasks interleave, each keeps its own stack in JavaScript,
//! and the core learns of a section when it is entered and when it is finished.

use wasm_bindgen::prelude::wasm_bindgen;
use xtimer_core::Detached;

use crate::clock;
use crate::state::{NOT_ENTERED, STATE};

/// Enters the section of a call site beneath the section `parent` (0: the top) and gives its number,
/// or a code below 0.
#[wasm_bindgen]
pub fn task_enter(timer: u32, site: u32, parent: u32, now: f64) -> i32 {
    clock::set(now);
    STATE.with(|state| {
        let Some(instance) = state.instance(timer) else { return state.unknown() };
        let parent = instance.path(parent);
        let Some((context, site, ..)) = instance.at(site) else { return state.unknown() };
        match context.detach_words(&site.words, Some(parent), &site.name, &site.category) {
            Ok(detached) if detached == Detached::NULL => NOT_ENTERED,
            Ok(detached) => detached.path().to_bits() as i32,
            Err(error) => state.fail(timer, error),
        }
    })
}

/// Records a section that was entered at `start`, after `epoch` clears, and in which other sections ran
/// for `nested` milliseconds. 0 or a code.
#[wasm_bindgen]
pub fn task_exit(timer: u32, section: u32, start: f64, epoch: f64, nested: f64, now: f64) -> i32 {
    clock::set(now);
    STATE.with(|state| {
        let Some(instance) = state.instance(timer) else { return state.unknown() };
        let path = instance.path(section);
        let detached = Detached::from_parts(clock::ticks(start), epoch as u64, path);
        let Some(context) = instance.context() else { return 0 };
        let outcome = context.finish_nested(detached, clock::ticks(nested));
        state.done(timer, outcome)
    })
}

/// Counts `count` sections inside `outer`, the innermost of them `inner`, as unclosed; the sentence
/// that says so is kept.
#[wasm_bindgen]
pub fn task_unclosed(timer: u32, outer: u32, inner: u32, count: u32) -> i32 {
    STATE.with(|state| {
        let Some(instance) = state.instance(timer) else { return state.unknown() };
        let (outer, inner) = (instance.path(outer), instance.path(inner));
        let Some(context) = instance.context() else { return 0 };
        let error = context.unclosed(outer, inner, u64::from(count));
        state.fail(timer, error)
    })
}

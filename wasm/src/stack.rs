//! Enter and exit on the timer's own stack: what synchronous code uses.
//!
//! JavaScript holds 30 bits of a token's generation, which is a small integer in every engine and so
//! costs no memory. The rest is known: the newest generation, and the half that never changes.

use wasm_bindgen::prelude::wasm_bindgen;
use xtimer_core::{Error, Token};

use crate::clock;
use crate::state::{NOT_ENTERED, STATE, State};

const GENERATIONS: u32 = (1 << 30) - 1;

/// Enters the section of a call site at the time `now`. A token, or a code below 0.
#[wasm_bindgen]
pub fn enter(timer: u32, site: u32, now: f64) -> i32 {
    clock::set(now);
    STATE.with(|state| {
        let Some((context, site, newest, place)) =
            state.instance(timer).and_then(|instance| instance.at(site))
        else {
            return state.unknown();
        };
        let token = context.enter_words(&site.words, || Some((&site.name, &site.category)));
        if token.is_null() {
            return not_entered(state, timer);
        }
        let bits = token.to_bits();
        *newest = (bits >> 32) as u32;
        *place = bits as u32;
        (*newest & GENERATIONS) as i32
    })
}

#[cold]
#[inline(never)]
fn not_entered(state: &mut State, timer: u32) -> i32 {
    let Some(instance) = state.instance(timer) else { return state.unknown() };
    if !instance.timer().is_enabled() {
        return NOT_ENTERED;
    }
    match instance.context().and_then(|context| context.last_error()) {
        None | Some(Error::TooDeep { .. }) => NOT_ENTERED,
        Some(error) => state.fail(timer, error),
    }
}

/// Exits the section of a token at the time `now`. 0 or a code; what was not entered is ignored.
#[wasm_bindgen]
pub fn exit(timer: u32, token: i32, now: f64) -> i32 {
    if token < 0 {
        return 0;
    }
    clock::set(now);
    STATE.with(|state| {
        let Some(instance) = state.instance(timer) else { return state.unknown() };
        let behind = instance.newest.wrapping_sub(token as u32) & GENERATIONS;
        let generation = instance.newest.wrapping_sub(behind);
        let token = Token::from_bits(u64::from(generation) << 32 | u64::from(instance.place));
        let Some(context) = instance.context() else { return 0 };
        match context.exit(token) {
            Ok(()) => 0,
            Err(error) => state.fail(timer, error),
        }
    })
}

/// The section that is innermost on the timer's stack; 0 at the top.
#[wasm_bindgen]
pub fn current(timer: u32) -> u32 {
    STATE.with(|state| {
        let context = state.instance(timer).and_then(|instance| instance.context());
        context.map_or(0, |context| context.current_path().to_bits() as u32)
    })
}

/// Says that `milliseconds` of the innermost section went to one that a task held.
#[wasm_bindgen]
pub fn nest(timer: u32, milliseconds: f64) {
    STATE.with(|state| {
        if let Some(context) = state.instance(timer).and_then(|instance| instance.context()) {
            context.nest(clock::ticks(milliseconds));
        }
    });
}

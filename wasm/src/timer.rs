//! Timers and their call sites: made, freed, cleared, switched, given rules and a price.

use wasm_bindgen::prelude::wasm_bindgen;
use xtimer_core::{Config, Keep, Price, SiteWords, Statistics};

use crate::clock::{self, PageClock};
use crate::state::{Instance, STATE, Site};

/// A timer's number, or a code below 0. Capacities as the core's `Config` explains them; `is_custom`:
/// times are of another clock than the page's own.
#[wasm_bindgen]
pub fn timer_new(
    sections: u32,
    depth: u32,
    categories: u32,
    rules: u32,
    name_bytes: u32,
    samples: u32,
    is_custom: bool,
) -> i32 {
    let config = Config {
        sections,
        depth,
        categories,
        rules,
        name_bytes,
        samples_per_lane: samples,
        lanes: 1,
        scratch: 1,
        late: 0,
        statistics: Statistics::FULL,
        keep: Keep::Newest,
        histograms: false,
    };
    STATE.with(|state| {
        if let Some(refusal) = config.refusal() {
            return state.refuse(refusal);
        }
        let instance = match Instance::new(config, PageClock { is_custom }) {
            Ok(instance) => instance,
            Err(error) => return state.refuse(error),
        };
        // A number is never given again: what is left of a freed timer must not reach another.
        state.instances.push(Some(instance));
        (state.instances.len() - 1) as i32
    })
}

/// Gives a timer's memory back.
#[wasm_bindgen]
pub fn timer_free(timer: u32) {
    STATE.with(|state| {
        if let Some(entry) = state.instances.get_mut(timer as usize) {
            *entry = None;
        }
    });
}

/// The number of a new call site of the name and category that were said.
#[wasm_bindgen]
pub fn site_new(timer: u32) -> i32 {
    STATE.with(|state| {
        let (category, name) = (state.said(), state.said());
        let Some(instance) = state.instance(timer) else { return state.unknown() };
        instance.sites.push(Site { words: SiteWords::new(), name, category });
        (instance.sites.len() - 1) as i32
    })
}

/// Gives a call site the name and category that were said instead of its own: for names that come once
/// and would fill the memory.
#[wasm_bindgen]
pub fn site_rename(timer: u32, site: u32) -> i32 {
    STATE.with(|state| {
        let (category, name) = (state.said(), state.said());
        let Some(entry) = state.instance(timer).and_then(|it| it.sites.get_mut(site as usize))
        else {
            return state.unknown();
        };
        *entry = Site { words: SiteWords::new(), name, category };
        0
    })
}

/// Drops all timings. 0 or a code.
#[wasm_bindgen]
pub fn clear(timer: u32) -> i32 {
    STATE.with(|state| {
        let Some(instance) = state.instance(timer) else { return state.unknown() };
        let outcome = instance.timer().clear();
        state.done(timer, outcome)
    })
}

/// Switches recording off or on.
#[wasm_bindgen]
pub fn set_enabled(timer: u32, enabled: bool) {
    STATE.with(|state| {
        if let Some(instance) = state.instance(timer) {
            instance.timer().set_enabled(enabled);
        }
    });
}

/// Forbids a nesting: the outer category was said, then the inner. 0 or a code.
#[wasm_bindgen]
pub fn forbid(timer: u32) -> i32 {
    STATE.with(|state| {
        let (inner, outer) = (state.said(), state.said());
        let Some(instance) = state.instance(timer) else { return state.unknown() };
        let outcome = instance.timer().forbid(&outer, &inner);
        state.done(timer, outcome)
    })
}

/// Drops the timer's rules.
#[wasm_bindgen]
pub fn clear_rules(timer: u32) {
    STATE.with(|state| {
        if let Some(instance) = state.instance(timer) {
            instance.timer().clear_rules();
        }
    });
}

/// Says what a pair of enter and exit costs and how coarse the clock is, in milliseconds; 0: unknown.
#[wasm_bindgen]
pub fn set_price(timer: u32, pair: f64, quantum: f64) {
    let picoseconds = |milliseconds: f64| (milliseconds * 1e9) as u32;
    STATE.with(|state| {
        if let Some(instance) = state.instance(timer) {
            let (pair, quantum) = (picoseconds(pair), picoseconds(quantum));
            instance.timer().set_price(Price { pair, quantum });
        }
    });
}

/// Adds a duration in milliseconds to the section of a call site, beneath the innermost section of
/// the timer's stack (`parent` below 0) or beneath a section. 0 or a code.
#[wasm_bindgen]
pub fn record(timer: u32, site: u32, parent: i32, milliseconds: f64) -> i32 {
    STATE.with(|state| {
        let Some(instance) = state.instance(timer) else { return state.unknown() };
        let beneath = u32::try_from(parent).ok().map(|section| instance.path(section));
        let Some((context, site, ..)) = instance.at(site) else { return state.unknown() };
        if !(0.0..9.2e12).contains(&milliseconds) {
            return state.fail(timer, xtimer_core::Error::BadDuration);
        }
        let (name, category, nanoseconds) =
            (&site.name, &site.category, clock::ticks(milliseconds));
        let outcome = match beneath {
            Some(path) => context.record_beneath(path, name, category, nanoseconds),
            None => context.record(name, category, nanoseconds),
        };
        state.done(timer, outcome)
    })
}

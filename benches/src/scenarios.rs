//! The situations that a pair can be in: deep, among many, around a body, with rules, late.
//!
//! Each has a timer of its own and runs through an explicit context by call site, unless it says
//! otherwise.

use std::hint::black_box;

use xtimer_core::{
    Clock, Config, HostTimer, Scale, Site, ThreadContext, Timer, Token, cycle_counter, section,
};

use crate::alternate::{Effort, Outcome, alternate, alternate_together};
use crate::paths::{bare, rust_handle};
use crate::table::Aim;

/// A situation, how it is measured, and the aim it has.
pub struct Scenario {
    /// What it is called in tables.
    pub name: &'static str,
    /// Measures it.
    pub measure: fn(Effort) -> Outcome,
    /// What it should not exceed.
    pub aim: Option<Aim>,
}

/// All of them.
pub fn all() -> Vec<Scenario> {
    let scenario = |name, measure, aim| Scenario { name, measure, aim };
    vec![
        scenario(
            "two threads, one section",
            two_threads as fn(Effort) -> Outcome,
            Some(Aim::Ratio(1.25 * 1.03)),
        ),
        scenario("64 deep", deep, Some(Aim::Ratio(1.25 * 1.05))),
        scenario("10,000 sections, random order", many_sections, Some(Aim::Ratio(2.0))),
        scenario("around a body of 50 ns", around_a_body, Some(Aim::Above(6.0))),
        scenario("3 siblings in rotation", |effort| siblings(effort, 3), None),
        scenario("10 siblings in rotation", |effort| siblings(effort, 10), None),
        scenario("one site beneath 2 parents in turn", |effort| parents(effort, 2), None),
        scenario("one site beneath 3 parents in turn", |effort| parents(effort, 3), None),
        scenario("with a category", with_category, None),
        scenario("category changes each time", changing_category, None),
        scenario("counted, 100 of them, by name", counted, None),
        scenario("a phase, by switching to it", phases, Some(Aim::Ratio(0.75))),
        scenario("with samples", with_samples, Some(Aim::Above(1.5))),
        scenario("with a histogram", with_a_histogram, Some(Aim::Above(6.0))),
        scenario("with samples and a histogram", with_both, None),
        scenario("a rule is registered", with_a_rule, None),
        scenario("switched off", switched_off, None),
        scenario("late context", late, None),
        scenario(
            "the work alone: a clock that costs nothing",
            |effort| work_alone(effort, Config::HOST),
            None,
        ),
        scenario("the work alone, with samples", |effort| work_alone(effort, SAMPLES), None),
        scenario("the work alone, with a histogram", |effort| work_alone(effort, HISTOGRAM), None),
        #[cfg(target_arch = "x86_64")]
        scenario("nothing overlaps: a fence at each read", fenced, None),
    ]
}

/// A timer for the rest of the process, and a context in it.
fn context_with(config: Config) -> ThreadContext {
    let timer = Box::leak(Box::new(HostTimer::new(config).expect("a timer")));
    timer.context().expect("a context")
}

fn sites(count: usize, category: &'static str) -> Vec<Site> {
    let name = |index: usize| -> &'static str { Box::leak(format!("section {index}").into()) };
    (0..count).map(|index| Site::new(name(index), category)).collect()
}

#[inline(always)]
fn pair(context: &ThreadContext, site: &Site) {
    if let Ok(token) = context.enter_at(site) {
        let _ = context.exit(token);
    }
}

/// Measures pairs beneath an open parent.
fn beneath_a_parent(effort: Effort, context: &ThreadContext, work: impl FnMut(u32)) -> Outcome {
    let parent = context.enter("parent", "default").expect("a parent");
    let outcome = alternate(effort, bare, work);
    context.exit(parent).expect("the parent is open");
    outcome
}

fn two_threads(effort: Effort) -> Outcome {
    alternate_together(effort, 2, bare, |pairs| {
        let _parent = section!("parent of two threads");
        rust_handle(pairs);
    })
}

fn deep(effort: Effort) -> Outcome {
    const DEPTH: usize = 64;
    let context = context_with(Config::HOST);
    let sites = sites(DEPTH, "default");
    let mut tokens = Vec::with_capacity(DEPTH);
    beneath_a_parent(effort, &context, |pairs| {
        for _ in 0..pairs / DEPTH as u32 {
            for site in &sites {
                tokens.extend(context.enter_at(site));
            }
            while let Some(token) = tokens.pop() {
                let _ = context.exit(token);
            }
        }
    })
}

fn many_sections(effort: Effort) -> Outcome {
    const COUNT: usize = 10_000;
    let config = Config { sections: 16_384, ..Config::HOST };
    let context = context_with(config);
    let sites = sites(COUNT, "default");
    // A permutation by a linear congruence's high bits, the same in every run.
    let mut order: Vec<u32> = (0..COUNT as u32).collect();
    let mut state = 1_u64;
    for last in (1..COUNT).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(last, (state >> 33) as usize % (last + 1));
    }
    let effort = Effort { pairs: COUNT as u32, rounds: effort.rounds.div_ceil(4) };
    beneath_a_parent(effort, &context, |_| {
        for &index in &order {
            pair(&context, &sites[index as usize]);
        }
    })
}

/// Work that takes so many turns, each of which waits for the one before.
#[inline(always)]
fn body(mut value: u64, turns: u32) -> u64 {
    for _ in 0..turns {
        value = value.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (value >> 29);
    }
    black_box(value)
}

/// How many turns take 50 ns.
fn turns_of_50_ns() -> u32 {
    let many = |pairs: u32| {
        (0..pairs).fold(1, |value, _| body(value, black_box(1000)));
    };
    let outcome = alternate(Effort { rounds: 51, pairs: 20 }, bare, many);
    ((50.0 / (outcome.nanoseconds / 1000.0)).round() as u32).max(1)
}

/// The body goes on from where the last one ended, so that bodies don't run side by side.
fn around_a_body(effort: Effort) -> Outcome {
    let turns = turns_of_50_ns();
    let _parent = section!("parent");
    alternate(
        effort,
        |pairs| {
            (0..pairs).fold(1, |value, _| {
                black_box(cycle_counter());
                let value = body(value, turns);
                black_box(cycle_counter());
                value
            });
        },
        |pairs| {
            (0..pairs).fold(1, |value, _| {
                let _body = section!("body of 50 ns");
                body(value, turns)
            });
        },
    )
}

fn siblings(effort: Effort, count: usize) -> Outcome {
    let context = context_with(Config::HOST);
    let sites = sites(count, "default");
    beneath_a_parent(effort, &context, |pairs| {
        sites.iter().cycle().take(pairs as usize).for_each(|site| pair(&context, site));
    })
}

/// One site beneath several parents; the parents' pairs count as well.
fn parents(effort: Effort, count: usize) -> Outcome {
    let context = context_with(Config::HOST);
    let (parents, site) = (sites(count, "default"), Site::new("child", "default"));
    beneath_a_parent(effort, &context, |pairs| {
        for parent in parents.iter().cycle().take(pairs as usize / 2) {
            if let Ok(token) = context.enter_at(parent) {
                pair(&context, &site);
                let _ = context.exit(token);
            }
        }
    })
}

fn with_category(effort: Effort) -> Outcome {
    let context = context_with(Config::HOST);
    let site = Site::new("section", "gpu");
    beneath_a_parent(effort, &context, |pairs| (0..pairs).for_each(|_| pair(&context, &site)))
}

fn changing_category(effort: Effort) -> Outcome {
    let context = context_with(Config::HOST);
    let sites = [Site::new("section", "gpu"), Site::new("section", "io")];
    beneath_a_parent(effort, &context, |pairs| {
        sites.iter().cycle().take(pairs as usize).for_each(|site| pair(&context, site));
    })
}

fn counted(effort: Effort) -> Outcome {
    let context = context_with(Config::HOST);
    beneath_a_parent(effort, &context, |pairs| {
        for index in 0..i64::from(pairs) {
            if let Ok(token) = context.enter_counted(black_box("step"), index % 100, "default") {
                let _ = context.exit(token);
            }
        }
    })
}

/// Phases in turn: each ends the one before, with one reading of the clock.
fn phases(effort: Effort) -> Outcome {
    let context = context_with(Config::HOST);
    let sites = sites(3, "default");
    beneath_a_parent(effort, &context, |phases| {
        let mut phase = Token::NULL;
        for site in sites.iter().cycle().take(phases as usize) {
            let _ = context.switch_at(&mut phase, site);
        }
        let _ = context.exit(phase);
    })
}

/// What a pair costs more in a timer that keeps more: against the same timer without.
fn more(effort: Effort, config: Config) -> Outcome {
    let (plain, keeping) = (context_with(Config::HOST), context_with(config));
    let sites = [(); 2].map(|()| Site::new("section", "default"));
    let parents = [&plain, &keeping].map(|context| context.enter("parent", "default"));
    let outcome = alternate(
        effort,
        |pairs| (0..pairs).for_each(|_| pair(&plain, &sites[0])),
        |pairs| (0..pairs).for_each(|_| pair(&keeping, &sites[1])),
    );
    for (context, parent) in [&plain, &keeping].into_iter().zip(parents) {
        context.exit(parent.expect("a parent")).expect("the parent is open");
    }
    outcome
}

const SAMPLES: Config = Config { samples_per_lane: 1 << 16, ..Config::HOST };
const HISTOGRAM: Config = Config { sections: 64, lanes: 4, histograms: true, ..Config::HOST };

fn with_samples(effort: Effort) -> Outcome {
    more(effort, SAMPLES)
}

fn with_a_histogram(effort: Effort) -> Outcome {
    more(effort, HISTOGRAM)
}

fn with_both(effort: Effort) -> Outcome {
    more(effort, Config { samples_per_lane: 1 << 16, ..HISTOGRAM })
}

/// Measures one site's pairs in a timer that was prepared.
fn prepared(effort: Effort, prepare: fn(&HostTimer)) -> Outcome {
    let timer = Box::leak(Box::new(HostTimer::new(Config::HOST).expect("a timer")));
    let context = timer.context().expect("a context");
    let site = Site::new("section", "default");
    let parent = context.enter("parent", "default").expect("a parent");
    prepare(timer);
    let outcome = alternate(effort, bare, |pairs| (0..pairs).for_each(|_| pair(&context, &site)));
    context.exit(parent).expect("the parent is open");
    outcome
}

fn with_a_rule(effort: Effort) -> Outcome {
    prepared(effort, |timer| timer.forbid("compute", "io").expect("room for a rule"))
}

fn switched_off(effort: Effort) -> Outcome {
    prepared(effort, |timer| timer.set_enabled(false))
}

fn late(effort: Effort) -> Outcome {
    let config = Config { lanes: 1, ..Config::HOST };
    let timer = Box::leak(Box::new(HostTimer::new(config).expect("a timer")));
    let _only_lane = timer.context().expect("a context");
    let context = timer.context().expect("a late context");
    assert!(context.is_late());
    let site = Site::new("section", "default");
    beneath_a_parent(effort, &context, |pairs| (0..pairs).for_each(|_| pair(&context, &site)))
}

/// A clock that stands still.
struct Still;

impl Clock for Still {
    #[inline(always)]
    fn now(&self) -> u64 {
        0
    }
    fn width(&self) -> u32 {
        64
    }
    fn scale(&self) -> Scale {
        Scale::NANOSECONDS
    }
    fn name(&self) -> &'static str {
        "still"
    }
}

/// While the CPU reads the clock it can do most of the work; this is the work by itself.
fn work_alone(effort: Effort, config: Config) -> Outcome {
    let timer = Timer::with_clock(config, Still).expect("a timer");
    let context = timer.context().expect("a context");
    let site = Site::new("section", "default");
    alternate(effort, bare, |pairs| {
        for _ in 0..pairs {
            if let Ok(token) = context.enter_at(black_box(&site)) {
                let _ = context.exit(token);
            }
        }
    })
}

/// The cycle counter, read when all that came before is done and before what comes after begins.
#[cfg(target_arch = "x86_64")]
struct Fenced;

#[cfg(target_arch = "x86_64")]
impl Clock for Fenced {
    #[inline(always)]
    fn now(&self) -> u64 {
        use core::arch::x86_64::{_mm_lfence, _rdtsc};
        // SAFETY: every x86_64 has both.
        unsafe {
            _mm_lfence();
            let now = _rdtsc();
            _mm_lfence();
            now
        }
    }
    fn width(&self) -> u32 {
        64
    }
    fn scale(&self) -> Scale {
        Scale::NANOSECONDS
    }
    fn name(&self) -> &'static str {
        "fenced"
    }
}

/// Against two reads with the same fences: what is left when nothing can be done while the CPU reads.
#[cfg(target_arch = "x86_64")]
fn fenced(effort: Effort) -> Outcome {
    let timer = Timer::with_clock(Config::HOST, Fenced).expect("a timer");
    let context = timer.context().expect("a context");
    let site = Site::new("section", "default");
    let parent = context.enter("parent", "default").expect("a parent");
    let bare = |pairs| {
        for _ in 0..pairs {
            black_box(Fenced.now());
            black_box(Fenced.now());
        }
    };
    let outcome = alternate(effort, bare, |pairs| {
        for _ in 0..pairs {
            if let Ok(token) = context.enter_at(&site) {
                let _ = context.exit(token);
            }
        }
    });
    context.exit(parent).expect("the parent is open");
    outcome
}

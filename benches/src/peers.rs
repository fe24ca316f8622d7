//! Other profilers in the same run: an empty pair nested in a parent, set up as their documents say,
//! with whatever they collect taken out between batches so that none grows without a bound.

use std::hint::black_box;
use std::sync::OnceLock;

use crate::alternate::{Effort, Outcome, alternate};
use crate::paths::bare;

/// A peer and how it is measured.
pub struct Peer {
    /// Its crate.
    pub name: &'static str,
    /// Measures it.
    pub measure: fn(Effort) -> Outcome,
}

/// All of them.
pub fn all() -> Vec<Peer> {
    let peer = |name, measure| Peer { name, measure };
    vec![
        peer("peer: std::time::Instant, twice", instant as fn(Effort) -> Outcome),
        peer("peer: profi", profi),
        peer("peer: puffin", puffin),
        peer("peer: coarse-prof", coarse_prof),
        peer("peer: fastrace", fastrace),
        peer("peer: tracing, registry", tracing),
    ]
}

fn instant(effort: Effort) -> Outcome {
    alternate(effort, bare, |pairs| {
        for _ in 0..pairs {
            black_box(std::time::Instant::now());
            black_box(std::time::Instant::now());
        }
    })
}

/// Its list grows until it is printed, so it gets fewer rounds.
fn profi(effort: Effort) -> Outcome {
    let effort = Effort { rounds: effort.rounds.min(500), ..effort };
    alternate(effort, bare, |pairs| {
        profi::prof!("parent");
        for _ in 0..pairs {
            profi::prof!("pair");
        }
    })
}

fn puffin(effort: Effort) -> Outcome {
    puffin::set_scopes_on(true);
    let outcome = alternate(effort, bare, |pairs| {
        puffin::GlobalProfiler::lock().new_frame();
        puffin::profile_scope!("parent");
        for _ in 0..pairs {
            puffin::profile_scope!("pair");
        }
    });
    puffin::set_scopes_on(false);
    outcome
}

fn coarse_prof(effort: Effort) -> Outcome {
    alternate(effort, bare, |pairs| {
        coarse_prof::profile!("parent");
        for _ in 0..pairs {
            coarse_prof::profile!("pair");
        }
    })
}

/// Takes spans and drops them.
struct Nowhere;

impl fastrace::collector::Reporter for Nowhere {
    fn report(&mut self, spans: Vec<fastrace::collector::SpanRecord>) {
        drop(black_box(spans));
    }
}

fn fastrace(effort: Effort) -> Outcome {
    use fastrace::prelude::{LocalSpan, Span, SpanContext};
    fastrace::set_reporter(Nowhere, fastrace::collector::Config::default());
    let outcome = alternate(effort, bare, |pairs| {
        let root = Span::root("parent", SpanContext::random());
        let _parent = root.set_local_parent();
        for _ in 0..pairs {
            let _pair = LocalSpan::enter_with_local_parent("pair");
        }
    });
    fastrace::flush();
    outcome
}

fn tracing(effort: Effort) -> Outcome {
    use tracing_subscriber::prelude::*;
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| tracing_subscriber::registry().init());
    alternate(effort, bare, |pairs| {
        let _parent = tracing::info_span!("parent").entered();
        for _ in 0..pairs {
            let _pair = tracing::info_span!("pair").entered();
        }
    })
}

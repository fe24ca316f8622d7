//! What a snapshot, a report and JSON of a busy timer take.

use std::fmt::Write;
use std::time::Instant;

use xtimer_core::{Config, HostTimer, Snapshot};

use crate::alternate::quantile;

/// Discards text, but not before it was made.
struct Nowhere(usize);

impl Write for Nowhere {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += std::hint::black_box(text).len();
        Ok(())
    }
}

/// Microseconds of a snapshot, a report and JSON: medians.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Taking the snapshot.
    pub snapshot: f64,
    /// Writing the report of one that was taken.
    pub report: f64,
    /// Writing its JSON.
    pub json: f64,
}

/// Measures with so many sections in each of so many lanes.
pub fn measure(sections: u32, lanes: u32) -> Times {
    let timer = HostTimer::new(Config::HOST).expect("a timer");
    for _ in 0..lanes {
        fill(&timer, sections);
    }
    let mut snapshots = Vec::new();
    for _ in 0..101 {
        let start = Instant::now();
        let snapshot = timer.snapshot().expect("a free scratch area");
        snapshots.push(microseconds(start));
        assert!(snapshot.sections().count() as u32 == sections);
    }
    let snapshot = timer.snapshot().expect("a free scratch area");
    Times {
        snapshot: quantile(&mut snapshots, 0.5),
        report: written(&snapshot, |snapshot, out| write!(out, "{}", snapshot.report())),
        json: written(&snapshot, |snapshot, out| write!(out, "{}", snapshot.json())),
    }
}

/// One lane's sections: groups of ten beneath parents. The lane keeps its numbers.
fn fill(timer: &HostTimer, sections: u32) {
    let context = timer.context().expect("a lane");
    let mut parent = None;
    for index in 0..sections {
        let name = format!("section {index}");
        if index % 10 == 0 {
            if let Some(token) = parent.take() {
                context.exit(token).expect("an open section");
            }
            parent = context.enter(&name, "default").ok();
        } else {
            let token = context.enter(&name, "compute").expect("room");
            context.exit(token).expect("an open section");
        }
    }
    if let Some(token) = parent {
        context.exit(token).expect("an open section");
    }
    // Held until here: the next context must get another lane.
    std::mem::forget(context);
}

fn written(
    snapshot: &Snapshot<'_>,
    write: impl Fn(&Snapshot<'_>, &mut Nowhere) -> std::fmt::Result,
) -> f64 {
    let mut times = Vec::new();
    for _ in 0..51 {
        let mut out = Nowhere(0);
        let start = Instant::now();
        write(snapshot, &mut out).expect("nothing fails to be discarded");
        times.push(microseconds(start));
        assert!(out.0 > 0);
    }
    quantile(&mut times, 0.5)
}

fn microseconds(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64 / 1e3
}

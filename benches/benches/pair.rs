//! Criterion's view of an empty pair by every path, for its history of runs; the ratios to bare
//! clock reads are in `ratios`.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use xtimer_benches::paths;
use xtimer_core::section;

/// Pairs an iteration.
const PAIRS: u32 = 1000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("pair");
    group.throughput(Throughput::Elements(u64::from(PAIRS)));
    group.bench_function("two bare clock reads", |bencher| {
        bencher.iter(|| paths::bare(black_box(PAIRS)));
    });
    for path in paths::all() {
        group.bench_function(path.name, |bencher| {
            let _parent = section!("parent");
            bencher.iter(|| (path.run)(black_box(PAIRS)));
        });
    }
    group.finish();
    criterion.final_summary();
}

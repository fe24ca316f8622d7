//! What decoding takes: a small multiple of the input, whatever its counts tell; a view takes nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use xtimer_core::profile::{Profile, Records, Reduced, Source, View};

use crate::bytes::{block, number, sealed, vector};

thread_local! {
    /// Bytes this thread has, and the most it had.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

struct Counting;

impl Counting {
    fn add(bytes: isize) {
        let _ = HELD.try_with(|held| {
            let (now, most) = held.get();
            held.set((now + bytes, most.max(now + bytes)));
        });
    }
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::add(layout.size() as isize);
        // SAFETY: the caller's duties are the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Self::add(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::add(size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most bytes that `work` held above what it began with.
fn most_held<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let now = HELD.get().0;
    HELD.set((now, now));
    let result = work();
    ((HELD.get().1 - now) as usize, result)
}

/// As many of the shortest items of each list as the bytes hold.
fn dense(count: u32) -> Vec<u8> {
    let category = |index: u32| [vec![4], format!("{index:04}").into_bytes(), vec![0; 3]].concat();
    let categories = (0..count.min(9999)).flat_map(category);
    let totals = [vec![0], number(count.min(9999).into()), categories.collect()].concat();
    let section = [0, 0, 0, 0, 0, 0, 0];
    let sections = [number(count.into()), section.repeat(count as usize)].concat();
    let histogram = [0, 1, 5, 1];
    let histograms = [number(count.into()), histogram.repeat(count as usize)].concat();
    let samples = [vec![1, 0, 0, 0], number(count.into()), vec![1; 2 * count as usize]].concat();
    let blocks = [
        block(1, &[0, 0]),
        block(2, &[0, 1, 0, 64, 0, 0]),
        block(3, &[0]),
        block(4, &totals),
        block(5, &sections),
        block(64, &histograms),
        block(65, &samples),
    ];
    sealed(1, &blocks.concat())
}

#[test]
fn a_profile_takes_at_most_32_bytes_a_byte() {
    for bytes in [dense(1), dense(100), dense(50_000), vector("full.xtp")] {
        let (held, profile) = most_held(|| Profile::from_bytes(&bytes).unwrap());
        assert!(held <= 32 * bytes.len(), "{held} bytes for {}", bytes.len());
        assert_eq!(
            profile.to_bytes().len(),
            Profile::from_bytes(&profile.to_bytes()).unwrap().to_bytes().len()
        );
    }
}

#[test]
fn a_view_takes_nothing() {
    let bytes = dense(1000);
    let (held, sections) = most_held(|| {
        let view = View::new(&bytes).unwrap();
        view.sections().count() + view.histograms().count() + view.samples().count()
    });
    assert_eq!((held, sections), (0, 1000 + 1000 + 1));
}

#[test]
fn a_lie_about_a_count_takes_nothing() {
    let bytes = sealed(1, &[block(1, &[0, 0]), block(2, &number(u64::MAX.into()))].concat());
    let (held, error) = most_held(|| Profile::from_bytes(&bytes).unwrap_err());
    assert_eq!(held, 0, "{error}");
}

/// A rank of 200 sections, twenty on each of ten, with ten samples each.
fn rank(number: u32) -> Vec<u8> {
    let names: Vec<String> = (0..200).map(|index| format!("section {index}")).collect();
    let paths: Vec<[&str; 2]> =
        (0..200).map(|index| [names[index / 20 * 20].as_str(), names[index].as_str()]).collect();
    let durations: Vec<u64> =
        (0..10).map(|index| u64::from(number % 97) * 1000 + index * 77).collect();
    let records: Vec<Records<'_>> = paths
        .iter()
        .map(|path| Records {
            path: if path[0] == path[1] { &path[..1] } else { path },
            category: ["io", "gpu", "comm"][path[1].len() % 3],
            durations: &durations,
            starts: &[],
        })
        .collect();
    Profile::from_records(Source { rank: number, label: "" }, &records).to_bytes()
}

/// How many ranks: 10,000 with `--ignored`.
fn reduce_ranks(count: u32) -> (usize, std::time::Duration, usize) {
    let kinds: Vec<Vec<u8>> = (0..97).map(rank).collect();
    let mut spent = std::time::Duration::ZERO;
    let (held, reduced) = most_held(|| {
        let mut reduced = Reduced::new();
        for number in 0..count {
            let start = std::time::Instant::now();
            reduced.add_bytes(&kinds[number as usize % 97]).unwrap();
            spent += start.elapsed();
        }
        reduced
    });
    assert_eq!(reduced.rank_count(), u64::from(count));
    (held, spent, reduced.to_bytes().len())
}

#[test]
fn reducing_takes_as_much_for_many_ranks_as_for_some() {
    let (some, many) = (reduce_ranks(194).0, reduce_ranks(388).0);
    assert_eq!(some, many);
    assert!(many < 4 << 20, "{many} bytes");
}

#[test]
#[ignore = "a measurement: run it optimised, with --nocapture"]
fn reducing_ten_thousand_ranks() {
    for count in [1_000, 10_000] {
        let (held, spent, length) = reduce_ranks(count);
        println!(
            "{count} ranks of 200 sections: {spent:?}, {held} bytes held, {length} bytes long"
        );
    }
}

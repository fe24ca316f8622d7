//! Nothing but creation allocates: an allocator counts while a timer works.

#![cfg(all(feature = "std", not(loom)))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::{self, Write};

use xtimer_core::{Config, HostTimer, ManualClock, Sample, Site, Timer, section, thread};

thread_local! {
    /// Allocations of this thread; the test harness's others are none of our business.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

impl Counting {
    fn count() {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
    }
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: the caller's duties are the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count();
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often `work` allocates.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

/// Counts the bytes written to it.
struct Sink(usize);

impl Write for Sink {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

fn written(value: impl fmt::Display) -> usize {
    let mut sink = Sink(0);
    write!(sink, "{value}").unwrap();
    sink.0
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn enter_exit_snapshot_and_exports_allocate_nothing_after_creation() {
    let clock = ManualClock::new(64);
    let long = "quote \" and control \u{1} ".repeat(400);
    let config = Config { sections: 40, depth: 8, lanes: 3, ..Config::HOST };
    let timer = Timer::with_clock(config, &clock).unwrap();
    let context = timer.context().unwrap();
    let other = timer.context().unwrap();
    let site = Site::new("step", "default");
    let entered = allocations(|| {
        for index in 0..30 {
            let step = context.enter_at(&site).unwrap();
            let mut load = context.enter("load", "io").unwrap();
            clock.advance(7);
            context.switch(&mut load, "log", "io").unwrap();
            context.switch_at(&mut load, &site).unwrap();
            context.exit(load).unwrap();
            let part = context.enter_counted("part", index, "compute").unwrap();
            let _unclosed = context.enter(&long, "compute");
            other.record_beneath(context.current_path(), "gpu", "gpu", 900).unwrap();
            context.exit(part).unwrap_err();
            let beneath = other.enter_beneath(context.current_path(), "worker", "compute").unwrap();
            let detached = context.detach(None, "await", "default").unwrap();
            other.finish(detached).unwrap();
            other.exit(beneath).unwrap();
            context.exit(step).unwrap();
        }
        timer.forbid("compute", "io").unwrap();
        let compute = context.enter("outer", "compute").unwrap();
        let error = context.enter("inner", "io").unwrap_err();
        assert!(written(timer.sentence(error)) > 0);
        context.exit(compute).unwrap();
    });
    assert_eq!(entered, 0, "enter, exit, record, detach");
    // A lane is claimed and given back without memory, too.
    assert_eq!(allocations(|| drop(timer.context().unwrap())), 0, "context");

    let shown = allocations(|| {
        let mut snapshot = timer.snapshot().unwrap();
        assert!(snapshot.losses().no_slot > 0 && snapshot.losses().unclosed > 0);
        assert!(written(snapshot.report()) > 1000);
        assert!(written(snapshot.json()) > 10_000);
        assert!(written(snapshot.json().indent(2)) > 10_000);
        snapshot.flatten();
        assert!(written(snapshot.report()) > 1000);
        assert!(written(snapshot.json()) > 1000);
    });
    assert_eq!(shown, 0, "snapshot, report, JSON");

    let cleared = allocations(|| {
        timer.clear().unwrap();
        let token = context.enter("again", "default").unwrap();
        context.exit(token).unwrap();
        assert!(written(timer.snapshot().unwrap().report()) > 0);
    });
    assert_eq!(cleared, 0, "clear");
}

#[test]
fn samples_and_histograms_allocate_nothing_after_creation() {
    let clock = ManualClock::new(64);
    let config =
        Config { sections: 40, lanes: 3, samples_per_lane: 8, histograms: true, ..Config::HOST };
    let timer = Timer::with_clock(config, &clock).unwrap();
    let context = timer.context().unwrap();
    let site = Site::new("step", "default");
    let mut buffer = [Sample::default(); 8];
    let worked = allocations(|| {
        for _ in 0..2 {
            for duration in 1..20 {
                let step = context.enter_at(&site).unwrap();
                clock.advance(duration << (3 * duration));
                context.exit(step).unwrap();
            }
            let samples = timer.samples(&["step"], &mut buffer).unwrap();
            // From 14 << 42 ticks on one takes two places.
            assert_eq!((samples.kept.len(), samples.dropped), (4, 15));
            assert!(timer.all_samples(&mut buffer).is_ok());
            let mut snapshot = timer.snapshot().unwrap();
            snapshot.flatten();
            assert!(snapshot.section(&["step"]).unwrap().percentile(990_000).is_some());
            assert!(written(snapshot.report()) > 0 && written(snapshot.json()) > 0);
            timer.clear().unwrap();
        }
    });
    assert_eq!(worked, 0);
}

#[test]
#[cfg(not(xtimer_narrow))] // 32-bit words have no late contexts
fn a_late_context_takes_pages_for_its_stack_and_allocates_nothing() {
    let timer =
        Timer::with_clock(Config { lanes: 1, ..Config::HOST }, ManualClock::new(64)).unwrap();
    let _taken = timer.context().unwrap();
    let mut late = None;
    assert_eq!(allocations(|| late = Some(timer.context().unwrap())), 0);
    let late = late.unwrap();
    assert!(late.is_late());
    let worked = allocations(|| {
        let outer = late.enter("outer", "default").unwrap();
        let inner = late.enter("inner", "io").unwrap();
        late.exit(inner).unwrap();
        late.exit(outer).unwrap();
        let snapshot = timer.snapshot().unwrap();
        assert!(written(snapshot.report()) > 0 && written(snapshot.json()) > 0);
    });
    assert_eq!(worked, 0);
}

#[test]
fn several_timers_allocate_when_they_are_enabled_and_not_by_sections() {
    let config = Config { sections: 300, lanes: 4, depth: 16, ..Config::HOST };
    let timers: Vec<_> = (0..8).map(|_| HostTimer::shared(config).unwrap()).collect();
    let mut scopes = Vec::with_capacity(8);
    let enabled = allocations(|| {
        scopes.extend(timers.iter().map(|timer| timer.enable().unwrap()));
    });
    assert!(enabled > 0);
    let place = thread::here().unwrap();
    let worked = allocations(|| {
        for index in 0..30 {
            let _step = section!("step");
            let part = thread::enter_counted("part", index, "io").unwrap().unwrap();
            let beneath = thread::enter_beneath(&place, "beneath", "io").unwrap().unwrap();
            let _unclosed = thread::enter("unclosed", "io").unwrap().unwrap();
            thread::record("recorded", "io", 5).unwrap().unwrap();
            thread::record_in(part, "in", "io", 5).unwrap().unwrap();
            let detached = thread::detach(None, "detached", "io").unwrap().unwrap();
            thread::finish(detached).unwrap().unwrap();
            thread::exit(beneath).unwrap().unwrap_err();
            thread::exit(beneath).unwrap().unwrap_err();
            let error = thread::last_error().unwrap();
            assert!(thread::sentence(error, |sentence| written(sentence)) > 0);
            thread::exit(part).unwrap().unwrap();
        }
        timers[3].forbid("gpu", "io").unwrap();
        let outer = thread::enter("outer", "gpu").unwrap().unwrap();
        thread::enter("inner", "io").unwrap().unwrap_err();
        thread::exit(outer).unwrap().unwrap();
    });
    assert_eq!(worked, 0);
    assert_eq!(allocations(|| drop(scopes)), 0);
    assert_eq!(timers[7].snapshot().unwrap().section(&["step"]).unwrap().count(), 30);
    // A worker's first section beneath a place brings its contexts, the next ones nothing.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let work = || {
                let beneath = thread::enter_beneath(&place, "worker", "io").unwrap().unwrap();
                drop(section!("inside"));
                thread::exit(beneath).unwrap().unwrap();
            };
            assert!(allocations(work) > 0);
            assert_eq!(allocations(work), 0);
        });
    });
}

#[test]
fn the_default_timer_allocates_when_it_is_first_used() {
    let once = || {
        let _step = section!("step");
        let _load = section!("load", "io");
    };
    assert!(allocations(once) > 0);
    assert_eq!(allocations(once), 0);
    // The machine's clock, whose price is measured at the first snapshot.
    let timer = HostTimer::new(Config::HOST).unwrap();
    let context = timer.context().unwrap();
    let worked = allocations(|| {
        let token = context.enter("step", "default").unwrap();
        context.exit(token).unwrap();
        let snapshot = timer.snapshot().unwrap();
        assert!(written(snapshot.report()) > 0 && written(snapshot.json()) > 0);
    });
    assert_eq!(worked, 0);
}

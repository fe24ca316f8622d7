//! What is allocated, and when: nothing after creation by begin, end, report, JSON and totals; and a
//! destroyed timer's memory is given back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::{null, null_mut};

use xtimer::*;

/// Counts what this thread allocates, and the bytes that it holds.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
}

fn count(layout: Layout) {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
    HELD.set(HELD.get() + layout.size() as isize);
}

// SAFETY: as the system's allocator, which does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn nothing_is_allocated_after_the_first_call_of_a_thread() {
    let mut site = Site { word: [0; 2], name: c"site".as_ptr(), category: null() };
    let mut buffer = vec![0; 1 << 20];
    // SAFETY: strings, site and buffer live to the end of the test.
    let work = |site: &mut Site, buffer: &mut [std::ffi::c_char]| unsafe {
        for round in 0..100 {
            let outer = xtimer_begin(c"outer".as_ptr(), c"category".as_ptr());
            assert_ne!(outer, 0);
            assert_eq!(xtimer_end(xtimer_begin_at(site)), Code::Ok);
            assert_eq!(xtimer_end(xtimer_begin_counted(c"n".as_ptr(), round, null())), Code::Ok);
            let path = xtimer_current_path();
            assert_eq!(xtimer_end(xtimer_begin_beneath(path, c"b".as_ptr(), null())), Code::Ok);
            assert_eq!(xtimer_record_ns(c"r".as_ptr(), null(), 5), Code::Ok);
            assert_ne!(xtimer_end(17), Code::Ok);
            let mut detached = xtimer_detach(c"d".as_ptr(), null());
            assert_eq!(xtimer_finish(&raw mut detached), Code::Ok);
            assert_eq!(xtimer_end(outer), Code::Ok);
        }
        let (start, length) = (buffer.as_mut_ptr(), buffer.len());
        assert_eq!(xtimer_report(start, length, null_mut()), Code::Ok);
        assert_eq!(xtimer_export_json(start, length, null_mut()), Code::Ok);
        assert!(xtimer_category_total_ns(c"category".as_ptr()) > 0);
        assert!(xtimer_total() > 0.0);
        assert_eq!(xtimer_clear(), Code::Ok);
        assert!(!xtimer_last_error().is_null());
    };
    work(&mut site, &mut buffer);
    let before = ALLOCATIONS.get();
    assert!(before > 0, "the counting allocator counts");
    work(&mut site, &mut buffer);
    assert_eq!(ALLOCATIONS.get(), before);
}

/// Bytes of address space that this process has; regions are pages of their own.
#[cfg(target_os = "linux")]
fn mapped() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    4096 * text.split_whitespace().next().unwrap().parse::<usize>().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_destroyed_timer_gives_its_memory_back() {
    const ROUNDS: usize = 1000;
    /// Of a region, at least.
    const REGION: usize = 1_000_000;
    // The first one brings what the thread keeps.
    let mut first = None;
    for _ in 0..ROUNDS {
        let mut timer = TimerHandle { handle: 0 };
        let config = Config { lanes: 4, ..xtimer_config_default() };
        let before = mapped();
        // SAFETY: config and place are locals, the string is a literal.
        unsafe {
            assert_eq!(xtimer_create(&raw const config, &raw mut timer), Code::Ok);
            assert!(mapped() > before + REGION, "its region is mapped here");
            assert_ne!(xtimer_timer_begin(timer, c"open".as_ptr(), null()), 0);
        }
        assert_eq!(xtimer_destroy(timer), Code::Ok);
        let (held, mapped) = (HELD.get(), mapped());
        let (held_first, mapped_first) = *first.get_or_insert((held, mapped));
        assert_eq!(held, held_first);
        // The default timer is mapped meanwhile, but not a region each time.
        assert!(mapped < mapped_first + ROUNDS / 2 * REGION, "{mapped} bytes");
    }
}

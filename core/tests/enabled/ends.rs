//! The ends of timers and threads.

use std::sync::{Arc, Weak};
use std::thread as threads;

use xtimer_core::{HostTimer, Token, section, thread};

use super::{alone, enter, exit, shown, shown_default, timer};

#[test]
fn a_timer_goes_when_nothing_needs_it() {
    let _one = alone();
    let own = timer();
    let gone: Weak<HostTimer> = Arc::downgrade(&own);
    let scope = own.enable().unwrap();
    let left = enter("left open");
    drop(own);
    assert!(gone.upgrade().is_some(), "enabled");
    drop(scope);
    assert!(gone.upgrade().is_some(), "a section is open");
    exit(left).unwrap();
    // The next scope to end gives back what is not needed.
    timer().enabled(|| ()).unwrap();
    assert!(gone.upgrade().is_none());
}

#[test]
fn a_thread_that_ends_inside_sections_counts_them_as_unclosed() {
    let _one = alone();
    let own = timer();
    let gone = Arc::downgrade(&own);
    for _ in 0..20 {
        let own = Arc::clone(&own);
        // Joined, not scoped: a scope does not wait for a thread's destructors.
        let ending = threads::spawn(move || {
            // Forgotten, not ended: the thread's end does it.
            std::mem::forget(own.enable().unwrap());
            let _left = [enter("a"), enter("b")];
            std::mem::forget(section!("c"));
        });
        ending.join().unwrap();
    }
    assert_eq!(shown(&own), ["a 0", "a>b 0", "a>b>c 0"]);
    assert_eq!(own.snapshot().unwrap().losses().unclosed, 60);
    drop(own);
    assert!(gone.upgrade().is_none(), "each thread gave its context back");
}

#[test]
fn later_destructors_of_a_thread_find_nothing() {
    struct Late(Option<xtimer_core::Enabled>, Token);
    impl Drop for Late {
        fn drop(&mut self) {
            drop(section!("late"));
            assert_eq!(thread::enter("late", "io"), None);
            assert_eq!(thread::here(), None);
            assert_eq!(thread::exit(self.1), None);
            self.0 = None;
        }
    }
    thread_local! {
        static LATE: std::cell::Cell<Option<Late>> = const { std::cell::Cell::new(None) };
    }
    let _one = alone();
    let own = timer();
    let theirs = Arc::clone(&own);
    let ending = threads::spawn(move || {
        LATE.set(None); // its destructor is registered first, and so runs last
        let enabled = theirs.enable().unwrap();
        let token = enter("open");
        LATE.set(Some(Late(Some(enabled), token)));
    });
    ending.join().unwrap();
    assert_eq!(shown(&own), ["open 0"]);
    assert_eq!(shown_default(), [""; 0]);
}

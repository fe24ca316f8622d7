//! Timers enabled for a scope: where sections go, what a refusal leaves, how it is inherited, and what
//! becomes of tokens, scopes and timers that are gone.
#![cfg(all(feature = "std", not(loom)))]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread as threads;

use xtimer_core::{
    Config, Custom, Error, HostClock, HostTimer, MOST_ENABLED, Path, Place, Scale, Site, Token,
    default_timer, enable_default, enter_at, section, thread, with_thread,
};

/// What each test's thread reads as the time.
static NOW: AtomicU64 = AtomicU64::new(0);

extern "C" fn now(_: *mut std::ffi::c_void) -> u64 {
    NOW.load(Relaxed)
}

/// A timer whose clock stands at `NOW`, in nanoseconds.
fn timer_with(config: Config) -> Arc<HostTimer> {
    let scale = Scale::from_hertz(1_000_000_000);
    // SAFETY: the function reads an atomic and returns.
    let clock = unsafe { Custom::new(now, std::ptr::null_mut(), 64, scale) };
    Arc::new(HostTimer::with_clock(config, HostClock::custom(clock)).unwrap())
}

fn timer() -> Arc<HostTimer> {
    timer_with(Config { sections: 64, lanes: 8, depth: 8, ..Config::HOST })
}

/// One test at a time has the clock and the default timer, which it finds cleared.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    default_timer().unwrap().clear().unwrap();
    one
}

fn enter(name: &str) -> Token {
    thread::enter(name, "default").unwrap().unwrap()
}

fn exit(token: Token) -> Result<(), Error> {
    thread::exit(token).unwrap()
}

/// Each section as `path count`, in order of first entry.
fn shown(timer: &HostTimer) -> Vec<String> {
    let snapshot = timer.snapshot().unwrap();
    let sections = snapshot.sections();
    sections
        .map(|section| {
            format!("{} {}", section.path().collect::<Vec<_>>().join(">"), section.count())
        })
        .collect()
}

fn shown_default() -> Vec<String> {
    shown(default_timer().unwrap())
}

#[test]
fn sections_go_to_every_enabled_timer_once() {
    let _one = alone();
    let (first, second) = (timer(), timer());
    drop(section!("before"));
    {
        let _first = first.enable().unwrap();
        let _again = first.enable().unwrap();
        let outer = section!("outer");
        {
            let _second = second.enable().unwrap();
            let inner = enter("inner");
            NOW.fetch_add(30, Relaxed);
            exit(inner).unwrap();
        }
        NOW.fetch_add(5, Relaxed);
        drop(outer);
    }
    drop(section!("after"));
    assert_eq!(shown(&first), ["outer 1", "outer>inner 1"]);
    assert_eq!(shown(&second), ["inner 1"]);
    assert_eq!(shown_default(), ["before 1", "after 1"]);
    assert_eq!(first.snapshot().unwrap().total(), 35);
    assert_eq!(second.snapshot().unwrap().total(), 30);
}

#[test]
fn the_default_timer_can_be_one_of_them() {
    let _one = alone();
    let own = timer();
    let alone_enabled = enable_default().unwrap();
    drop(section!("default alone"));
    {
        let _own = own.enable().unwrap();
        drop(section!("both"));
    }
    drop(alone_enabled);
    assert_eq!(shown(&own), ["both 1"]);
    assert_eq!(shown_default(), ["default alone 1", "both 1"]);
}

#[test]
fn a_ninth_timer_is_an_error() {
    let _one = alone();
    let timers: Vec<_> = (0..=MOST_ENABLED).map(|_| timer()).collect();
    let scopes: Vec<_> =
        timers[..MOST_ENABLED].iter().map(|timer| timer.enable().unwrap()).collect();
    let error = timers[MOST_ENABLED].enable().unwrap_err();
    assert_eq!(error, Error::TooManyEnabled);
    assert_eq!(error.to_string(), "Eight timers are enabled here already; there can be no more.");
    drop(timers[0].enable().unwrap()); // one of the eight is no ninth
    drop(section!("in eight"));
    drop(scopes);
    for timer in &timers[..MOST_ENABLED] {
        assert_eq!(shown(timer), ["in eight 1"]);
    }
    assert_eq!(shown(&timers[MOST_ENABLED]), [""; 0]);
    assert!(timers[MOST_ENABLED].enable().is_ok());
}

#[test]
fn tokens_exit_the_timers_they_entered_whatever_is_enabled() {
    let _one = alone();
    let own = timer();
    let of_default = section!("of default");
    let scope = own.enable().unwrap();
    let of_own = enter("of own");
    drop(of_default); // the scope has not ended
    let other = enter("in it");
    drop(scope);
    exit(other).unwrap(); // the scope has
    drop(section!("default again"));
    exit(of_own).unwrap();
    assert_eq!(shown(&own), ["of own 1", "of own>in it 1"]);
    assert_eq!(shown_default(), ["of default 1", "default again 1"]);
}

#[test]
fn scopes_that_end_out_of_order_leave_what_the_others_enabled() {
    let _one = alone();
    let (first, second) = (timer(), timer());
    let first_scope = first.enable().unwrap();
    let second_scope = second.enable().unwrap();
    let twice = second.enable().unwrap();
    drop(first_scope);
    drop(section!("one"));
    drop(second_scope);
    drop(section!("two"));
    drop(twice);
    drop(section!("three"));
    assert_eq!(shown(&first), [""; 0]);
    assert_eq!(shown(&second), ["one 1", "two 1"]);
    assert_eq!(shown_default(), ["three 1"]);
}

#[test]
fn stale_and_foreign_tokens_are_refused_and_change_nothing() {
    let _one = alone();
    let own = timer();
    let scope = own.enable().unwrap();
    let outer = enter("outer");
    let inner = enter("inner");
    assert!(matches!(exit(outer), Err(Error::Unclosed { .. })));
    let mut sentence = String::new();
    let error = thread::last_error().unwrap();
    thread::sentence(error, |words| sentence = words.to_string());
    assert_eq!(sentence, "'outer' exited while 'inner' was still active.");
    assert_eq!(exit(inner), Err(Error::NotOpen));
    assert_eq!(exit(outer), Err(Error::NotOpen));
    assert_eq!(thread::place_of(outer).unwrap(), Err(Error::NotOpen));
    assert_eq!(thread::record_in(outer, "r", "default", 1).unwrap(), Err(Error::NotOpen));
    let open = enter("open");
    // On a thread that has had several timers, and on one that has not.
    threads::scope(|scope| {
        let of_other = scope.spawn(|| {
            let bare = exit(open);
            let _own = own.enable().unwrap();
            let token = enter("theirs");
            let foreign = exit(open);
            exit(token).unwrap();
            (bare, foreign, with_thread(|context| context.exit(open)).unwrap())
        });
        let other = Err(Error::OtherContext);
        assert_eq!(of_other.join().unwrap(), (other, other, other));
    });
    drop(scope);
    assert_eq!(exit(inner), Err(Error::NotOpen));
    assert_eq!(with_thread(|context| context.exit(inner)), Some(Err(Error::NotOpen)));
    exit(open).unwrap();
    assert_eq!(exit(open), Err(Error::NotOpen));
    exit(Token::NULL).unwrap();
    assert_eq!(shown(&own), ["outer 1", "outer>inner 0", "open 1", "theirs 1"]);
    let losses = *own.snapshot().unwrap().losses();
    // Refused ends count where a section would have gone: here twice and, once, on the other thread;
    // in the default timer after the scope, and on a thread that had none.
    assert_eq!((losses.unclosed, losses.not_open), (1, 3));
    assert_eq!(default_timer().unwrap().snapshot().unwrap().losses().not_open, 5);
}

#[test]
fn what_one_refuses_is_recorded_by_none() {
    let _one = alone();
    let (free, strict) = (timer(), timer());
    strict.forbid("gpu", "cpu").unwrap();
    let _scopes = (free.enable().unwrap(), strict.enable().unwrap());
    let outer = thread::enter("outer", "gpu").unwrap().unwrap();
    assert!(matches!(thread::enter("inner", "cpu"), Some(Err(Error::Forbidden { .. }))));
    let sentence = |error| thread::sentence(error, |words| words.to_string());
    assert_eq!(
        sentence(thread::last_error().unwrap()),
        "Category 'cpu' is not allowed inside category 'gpu'."
    );
    assert!(!section!("by site", "cpu").is_entered());
    assert!(matches!(thread::record("r", "cpu", 7), Some(Err(Error::Forbidden { .. }))));
    assert!(matches!(thread::detach(None, "d", "cpu"), Some(Err(Error::Forbidden { .. }))));
    assert!(matches!(thread::record_in(outer, "in", "cpu", 7), Some(Err(Error::Forbidden { .. }))));
    thread::record("fine", "io", 7).unwrap().unwrap();
    exit(outer).unwrap();
    assert_eq!(shown(&free), ["outer 1", "outer>fine 1"]);
    assert_eq!(shown(&strict), ["outer 1", "outer>fine 1"]);
    assert_eq!(free.snapshot().unwrap().losses().refused, 0);
    assert_eq!(strict.snapshot().unwrap().losses().refused, 5);
    // A name that only the refused call had takes no room.
    assert_eq!(free.find_path(&["outer", "inner"]), None);
}

#[test]
fn the_shallowest_stack_decides() {
    let _one = alone();
    let (deep, shallow) = (timer(), timer_with(Config { depth: 2, lanes: 2, ..Config::SMALL }));
    let _scopes = (deep.enable().unwrap(), shallow.enable().unwrap());
    let tokens = [enter("a"), enter("b")];
    let error = thread::enter("c", "default").unwrap().unwrap_err();
    assert!(matches!(error, Error::TooDeep { .. }));
    let sentence = thread::sentence(error, |words| words.to_string());
    assert_eq!(sentence, "Sections are nested deeper than 2, inside 'b'; the time stays in it.");
    for token in tokens.into_iter().rev() {
        exit(token).unwrap();
    }
    assert_eq!(shown(&deep), ["a 1", "a>b 1"]);
    assert_eq!(shallow.snapshot().unwrap().losses().too_deep, 1);
    assert_eq!(deep.snapshot().unwrap().losses().too_deep, 0);
}

#[test]
fn one_that_is_switched_off_is_passed_over() {
    let _one = alone();
    let (on, off) = (timer(), timer());
    off.set_enabled(false);
    let _scopes = (on.enable().unwrap(), off.enable().unwrap());
    drop(section!("a"));
    on.set_enabled(false);
    assert!(!section!("b").is_entered());
    assert_eq!(thread::record("r", "default", 1), Some(Ok(())));
    assert_eq!(shown(&on), ["a 1"]);
    assert_eq!(shown(&off), [""; 0]);
    assert_eq!(shown_default(), [""; 0]);
}

#[test]
fn what_is_enabled_is_inherited_beneath_a_place() {
    let _one = alone();
    let (first, second, theirs) = (timer(), timer(), timer());
    let place = {
        let _scopes = (first.enable().unwrap(), second.enable().unwrap());
        let _step = section!("step");
        thread::here().unwrap()
    };
    assert_eq!(place.paths().count(), 2);
    assert_eq!(Place::from_bits(place.to_bits()), place);
    static SITE: Site = Site::new("site", "io");
    threads::scope(|scope| {
        scope.spawn(|| {
            drop(section!("default before"));
            let scope = theirs.enable().unwrap();
            let beneath = thread::enter_beneath(&place, "worker", "io").unwrap().unwrap();
            drop(section!("inside"));
            thread::record("recorded", "io", 3).unwrap().unwrap();
            // Back to the default timer, and to this one, in turn.
            let default = {
                let serial = with_thread(|context| context.current_path()).unwrap();
                Place::of(serial)
            };
            let token = thread::enter_beneath(&default, "top", "io").unwrap();
            // A path of section 0 is the timer's top.
            let token = token.unwrap();
            drop(section!("in default"));
            exit(token).unwrap();
            drop(section!("inside"));
            exit(beneath).unwrap();
            drop(section!("theirs"));
            drop(scope);
            exit(thread::enter_beneath_at(&place, &SITE).unwrap().unwrap()).unwrap();
            exit(thread::enter_counted_beneath(&place, "c", 4, "io").unwrap().unwrap()).unwrap();
            drop(section!("default after"));
        });
    });
    let rows = [
        "step 1",
        "step>worker 1",
        "step>worker>inside 2",
        "step>worker>recorded 1",
        "step>site 1",
        "step>c[4] 1",
    ];
    assert_eq!(shown(&first), rows);
    assert_eq!(shown(&second), rows);
    assert_eq!(shown(&theirs), ["theirs 1"]);
    assert_eq!(
        shown_default(),
        ["default before 1", "top 1", "top>in default 1", "default after 1"]
    );
}

#[test]
fn a_level_ends_with_its_section_however_that_ends() {
    let _one = alone();
    let (outer, inner) = (timer(), timer());
    let place = {
        let _scope = inner.enable().unwrap();
        thread::here().unwrap()
    };
    let top = Place::of(with_thread(|context| context.current_path()).unwrap());
    // Discarded by the exit of a section of the default timer around it, on the hot path's miss.
    let around = enter("around");
    let scope = outer.enable().unwrap();
    let lost = thread::enter_beneath(&top, "lost", "io").unwrap().unwrap();
    drop(section!("in default"));
    assert!(matches!(exit(around), Err(Error::Unclosed { .. })));
    drop(section!("in outer"));
    assert_eq!(exit(lost), Err(Error::NotOpen));
    // Out of order: the first of two levels ends before the second.
    let first = thread::enter_beneath(&place, "first", "io").unwrap().unwrap();
    let second = thread::enter_beneath(&top, "second", "io").unwrap().unwrap();
    exit(first).unwrap();
    drop(section!("still second"));
    exit(second).unwrap();
    drop(section!("outer again"));
    // A scope that began within a level ends with it, one from outside holds afterwards.
    let level = thread::enter_beneath(&place, "level", "io").unwrap().unwrap();
    let within = outer.enable().unwrap();
    drop(scope);
    drop(section!("both"));
    exit(level).unwrap();
    drop(section!("none"));
    drop(within);
    assert_eq!(shown(&outer), ["in outer 1", "outer again 1", "both 1"]);
    assert_eq!(shown(&inner), ["first 1", "level 1", "level>both 1"]);
    assert_eq!(
        shown_default(),
        ["around 1", "lost 0", "lost>in default 1", "second 1", "second>still second 1", "none 1"]
    );
}

#[test]
fn too_many_levels_are_refused() {
    let _one = alone();
    let own = timer_with(Config { depth: 1000, lanes: 2, ..Config::SMALL });
    let place = own.enabled(|| thread::here().unwrap()).unwrap();
    let mut tokens = Vec::new();
    while let Some(Ok(token)) = thread::enter_beneath(&place, "level", "io") {
        tokens.push(token);
    }
    assert_eq!(tokens.len(), 255);
    assert!(matches!(thread::last_error(), Some(Error::TooDeep { .. })));
    for token in tokens.into_iter().rev() {
        exit(token).unwrap();
    }
    drop(section!("default"));
    assert_eq!(shown(&own), ["level 255"]);
    assert_eq!(shown_default(), ["default 1"]);
}

#[test]
fn detached_sections_go_to_each_and_end_anywhere() {
    let _one = alone();
    let (first, second) = (timer(), timer());
    let (detached, place) = {
        let _scopes = (first.enable().unwrap(), second.enable().unwrap());
        let _step = section!("step");
        let detached = thread::detach(None, "await", "io").unwrap().unwrap();
        let place = detached.place();
        (detached, place)
    };
    let gone = Arc::downgrade(&second);
    let elsewhere = threads::spawn(move || {
        let beneath = thread::enter_beneath(&place, "poll", "io").unwrap().unwrap();
        exit(beneath).unwrap();
        let more = thread::detach(Some(&place), "more", "io").unwrap().unwrap();
        NOW.fetch_add(11, Relaxed);
        thread::finish(more).unwrap().unwrap();
    });
    elsewhere.join().unwrap();
    let rows = ["step 1", "step>await 0", "step>await>poll 1", "step>await>more 1"];
    assert_eq!(shown(&first), rows);
    assert_eq!(shown(&second), rows);
    drop(second);
    assert!(gone.upgrade().is_none());
    thread::finish(detached).unwrap().unwrap(); // in the one that is left
    let snapshot = first.snapshot().unwrap();
    assert_eq!(snapshot.section(&["step", "await"]).unwrap().total(), 11);
    drop(snapshot);
    thread::finish(thread::DetachedSet::NULL).unwrap().unwrap();
}

#[test]
fn a_place_that_names_a_timer_twice_goes_there_once() {
    let _one = alone();
    let own = timer();
    let place = own.enabled(|| thread::here().unwrap()).unwrap();
    let mut bits = place.to_bits();
    bits[1] = bits[0];
    bits[5] = bits[0];
    let token = thread::enter_beneath(&Place::from_bits(bits), "once", "io").unwrap().unwrap();
    exit(token).unwrap();
    assert_eq!(exit(token), Err(Error::NotOpen));
    assert_eq!(shown(&own), ["once 1"]);
}

#[test]
fn timers_that_are_gone_are_passed_over() {
    let _one = alone();
    let (stays, goes) = (timer(), timer());
    let scopes = (stays.enable().unwrap(), goes.enable().unwrap());
    let both = thread::here().unwrap();
    drop(scopes);
    let only = goes.enabled(|| thread::here().unwrap()).unwrap();
    drop(goes);
    exit(thread::enter_beneath(&both, "left", "io").unwrap().unwrap()).unwrap();
    let error = thread::enter_beneath(&only, "none", "io").unwrap().unwrap_err();
    assert_eq!(error, Error::OtherTimer);
    assert_eq!(thread::record_beneath(&only, "none", "io", 1), Some(Err(Error::OtherTimer)));
    let forged = Place::of(Path::from_bits(u64::MAX));
    assert_eq!(thread::enter_beneath(&forged, "x", "io"), Some(Err(Error::OtherTimer)));
    // A section that is none, of a timer that is: refused by it, recorded by none.
    let bits = both.to_bits().map(|bits| if bits == 0 { 0 } else { bits | 0xffff_ffff });
    let forged = Place::from_bits(bits);
    assert_eq!(thread::enter_beneath(&forged, "x", "io"), Some(Err(Error::OtherTimer)));
    assert_eq!(shown(&stays), ["left 1"]);
    assert_eq!(shown_default(), [""; 0]);
}

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

#[test]
fn a_call_site_serves_several_timers() {
    let _one = alone();
    static SITE: Site = Site::new("site", "io");
    let timers: Vec<_> = (0..3).map(|_| timer()).collect();
    for enabled in [&timers[..1], &timers[..2], &timers[..], &[]] {
        let scopes: Vec<_> = enabled.iter().map(|timer| timer.enable().unwrap()).collect();
        for _ in 0..5 {
            let outer = enter_at(&SITE);
            exit(enter_at(&SITE)).unwrap();
            exit(outer).unwrap();
        }
        drop(scopes);
    }
    assert_eq!(shown(&timers[0]), ["site 15", "site>site 15"]);
    assert_eq!(shown(&timers[1]), ["site 10", "site>site 10"]);
    assert_eq!(shown(&timers[2]), ["site 5", "site>site 5"]);
    assert_eq!(shown_default(), ["site 5", "site>site 5"]);
}

//! Hand-over: places, the levels that they begin, detached sections, timers that are gone.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread as threads;

use xtimer_core::{Config, Error, Path, Place, Site, section, thread, with_thread};

use super::{NOW, alone, enter, exit, shown, shown_default, timer, timer_with};

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

//! What is enabled, and what goes there: scopes, tokens, refusals.

use std::sync::atomic::Ordering::Relaxed;
use std::thread as threads;

use xtimer_core::{
    Config, Error, MOST_ENABLED, Site, Token, default_timer, enable_default, enter_at, phase,
    section, thread, with_thread,
};

use super::{NOW, alone, enter, exit, shown, shown_default, timer, timer_with};

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

#[test]
fn phases_go_on_in_the_timers_that_are_enabled_then() {
    let _one = alone();
    let (first, second) = (timer(), timer());
    {
        let _first = first.enable().unwrap();
        let _step = section!("step");
        let mut phase = section!("load", "io");
        NOW.fetch_add(3, Relaxed);
        phase!(phase, "forward", "gpu");
        let _second = second.enable().unwrap();
        phase!(phase, "layer"[3], "gpu");
        NOW.fetch_add(4, Relaxed);
        drop(phase);
    }
    // Begun where several were enabled, it ends there; its sibling goes to the default timer.
    let scope = first.enable().unwrap();
    let mut phase = section!("last");
    drop(scope);
    phase!(phase, "next");
    drop(phase);
    let expected = ["step 1", "step>load 1", "step>forward 1", "step>layer[3] 1", "last 1"];
    assert_eq!(shown(&first), expected);
    assert_eq!(shown(&second), ["layer[3] 1"]);
    assert_eq!(shown_default(), ["next 1"]);
    assert_eq!(first.snapshot().unwrap().section(&["step"]).unwrap().total(), 7);
}

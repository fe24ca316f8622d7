//! Rules of the process and of single timers: each kind survives the other's end, every host timer
//! holds the process's, and a fork leaves nothing locked. And the path of a token.
#![cfg(all(feature = "std", not(loom)))]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use xtimer_core::{
    Config, Error, HostTimer, ManualClock, Path, Timer, Token, clear_rules, default_timer, forbid,
};

/// The process's rules are the process's: one test at a time, each beginning without rules.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    clear_rules().unwrap();
    alone
}

const SMALL: Config =
    Config { sections: 64, depth: 8, lanes: 2, categories: 32, rules: 4, ..Config::HOST };

fn timer() -> HostTimer {
    HostTimer::new(SMALL).unwrap()
}

fn is_refused(timer: &HostTimer, outer: &str, inner: &str) -> bool {
    let context = timer.context().unwrap();
    let around = context.enter("outer", outer).unwrap();
    let entered = context.enter("inner", inner);
    if let Ok(token) = entered {
        context.exit(token).unwrap();
    }
    context.exit(around).unwrap();
    matches!(entered, Err(Error::Forbidden { .. }))
}

#[test]
fn a_rule_of_the_process_holds_in_every_timer() {
    let _alone = alone();
    let before = timer();
    forbid("a", "b").unwrap();
    forbid("a", "b").unwrap();
    let after = timer();
    for timer in [&before, &after, default_timer().unwrap()] {
        assert!(is_refused(timer, "a", "b"));
        assert!(!is_refused(timer, "b", "a"));
    }
    before.clear().unwrap();
    assert!(is_refused(&before, "a", "b"), "rules survive clear");
    clear_rules().unwrap();
    for timer in [&before, &after, &timer(), default_timer().unwrap()] {
        assert!(!is_refused(timer, "a", "b"));
    }
}

#[test]
fn a_timer_with_another_clock_holds_them_too() {
    let _alone = alone();
    let clock = ManualClock::new(64);
    let timer = Timer::with_clock(SMALL, &clock).unwrap();
    forbid("a", "b").unwrap();
    let context = timer.context().unwrap();
    context.enter("outer", "a").unwrap();
    assert!(matches!(context.record("inner", "b", 1), Err(Error::Forbidden { .. })));
}

#[test]
fn dropping_one_kind_keeps_the_other() {
    let _alone = alone();
    let (one, other) = (timer(), timer());
    forbid("a", "b").unwrap();
    one.forbid("a", "b").unwrap();
    one.forbid("a", "c").unwrap();
    assert!(!is_refused(&other, "a", "c"));

    clear_rules().unwrap();
    assert!(is_refused(&one, "a", "b") && is_refused(&one, "a", "c"));
    assert!(!is_refused(&other, "a", "b"));

    forbid("a", "b").unwrap();
    one.clear_rules();
    assert!(is_refused(&one, "a", "b") && !is_refused(&one, "a", "c"));
    assert!(is_refused(&other, "a", "b"));

    one.clear_rules();
    assert!(is_refused(&one, "a", "b"), "none of its own were left to drop");
    clear_rules().unwrap();
    assert!(!is_refused(&one, "a", "b") && !is_refused(&other, "a", "b"));
}

#[test]
fn a_rule_of_both_takes_one_place_and_a_dropped_one_is_used_again() {
    let _alone = alone();
    let timer = timer();
    for inner in ["b", "c", "d", "e"] {
        timer.forbid("a", inner).unwrap();
        forbid("a", inner).unwrap();
    }
    assert_eq!(timer.forbid("a", "f"), Err(Error::RulesFull));
    timer.clear_rules();
    assert_eq!(timer.forbid("a", "f"), Err(Error::RulesFull), "the process's stand in all places");
    clear_rules().unwrap();

    // An empty place before one that is taken: what stands behind it is not added a second time.
    timer.forbid("a", "own").unwrap();
    for inner in ["b", "c", "d"] {
        forbid("a", inner).unwrap();
    }
    timer.clear_rules();
    forbid("a", "d").unwrap();
    timer.forbid("a", "d").unwrap();
    timer.forbid("a", "last").unwrap();
    assert_eq!(timer.forbid("a", "more"), Err(Error::RulesFull));
    for inner in ["b", "c", "d", "last"] {
        assert!(is_refused(&timer, "a", inner), "{inner}");
    }
    assert!(!is_refused(&timer, "a", "own") && !is_refused(&timer, "a", "more"));
}

#[test]
fn a_timer_too_small_is_told_of_and_the_others_keep_the_rule() {
    let _alone = alone();
    let (first, small, last) =
        (timer(), HostTimer::new(Config { rules: 1, ..SMALL }).unwrap(), timer());
    forbid("a", "b").unwrap();
    assert_eq!(forbid("a", "c"), Err(Error::RulesFull));
    assert!(is_refused(&first, "a", "c") && is_refused(&last, "a", "c"));
    assert!(is_refused(&small, "a", "b") && !is_refused(&small, "a", "c"));
    assert!(is_refused(&timer(), "a", "c"), "made later");

    let refused = HostTimer::new(Config { rules: 1, ..SMALL });
    assert!(matches!(refused, Err(Error::RulesFull)), "two don't fit");
    let refused = HostTimer::new(Config { categories: 4, ..SMALL });
    assert!(matches!(refused, Err(Error::RulesFull)), "three categories beside two of four");

    // It fails only for as long as it lives; those that could not be made never did.
    drop(small);
    forbid("a", "c").unwrap();
    clear_rules().unwrap();
    assert!(!is_refused(&first, "a", "b") && !is_refused(&last, "a", "c"));
    HostTimer::new(Config { rules: 0, ..SMALL }).unwrap();
}

#[test]
fn timers_come_and_go_while_rules_change() {
    let _alone = alone();
    let kept = timer();
    kept.forbid("kept", "own").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for round in 0..200 {
                    let mine = timer();
                    mine.forbid("mine", "own").unwrap();
                    assert!(is_refused(&mine, "mine", "own"), "round {round}");
                    mine.clear_rules();
                    assert!(!is_refused(&mine, "mine", "own"), "round {round}");
                }
            });
        }
        for _ in 0..200 {
            forbid("a", "b").unwrap();
            assert!(is_refused(&kept, "a", "b"));
            clear_rules().unwrap();
            assert!(is_refused(&kept, "kept", "own"));
        }
    });
    assert!(!is_refused(&kept, "a", "b") && is_refused(&kept, "kept", "own"));
}

/// One of two threads adds and drops the timer's own rules, the other the process's: whichever rule
/// stands when both are done is checked.
#[test]
fn no_rule_is_lost_between_two_threads() {
    let _alone = alone();
    let timer = timer();
    for round in 0..500 {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                timer.forbid("a", "own").unwrap();
                timer.clear_rules();
            });
            clear_rules().unwrap();
            forbid("a", "process").unwrap();
        });
        assert!(is_refused(&timer, "a", "process"), "round {round}");
        assert!(!is_refused(&timer, "a", "own"), "round {round}");
        clear_rules().unwrap();
        assert!(!is_refused(&timer, "a", "process"), "round {round}");
    }
}

#[test]
#[cfg(unix)]
fn a_fork_in_the_middle_of_changes_leaves_rules_whole_and_nothing_locked() {
    let _alone = alone();
    let timer = timer();
    forbid("kept", "kept").unwrap();
    timer.forbid("own", "own").unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                forbid("a", "b").unwrap();
                drop(HostTimer::new(SMALL).unwrap());
            }
        });
        let mut outcomes = Vec::new();
        for _ in 0..50 {
            // SAFETY: the child calls what is safe after a fork (the allocator among it) and leaves
            // without running handlers of the parent; it ends by an alarm where it hangs.
            let child = unsafe { libc::fork() };
            if child == 0 {
                // SAFETY: ends this process, after 20 s.
                unsafe { libc::alarm(20) };
                let is_right = is_refused(&timer, "kept", "kept")
                    && is_refused(&timer, "own", "own")
                    && forbid("c", "d").is_ok()
                    && is_refused(&timer, "c", "d")
                    && HostTimer::new(SMALL).is_ok_and(|fresh| {
                        is_refused(&fresh, "kept", "kept") && is_refused(&fresh, "c", "d")
                    })
                    && clear_rules().is_ok()
                    && !is_refused(&timer, "kept", "kept")
                    && is_refused(&timer, "own", "own");
                // SAFETY: ends this process.
                unsafe { libc::_exit(i32::from(!is_right)) };
            }
            let mut status = 0;
            // SAFETY: `status` may be written.
            let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
            outcomes.push((waited == child, status));
        }
        is_done.store(true, Ordering::Relaxed);
        assert!(outcomes.iter().all(|outcome| *outcome == (true, 0)), "{outcomes:?}");
    });
    assert!(is_refused(&timer, "kept", "kept") && !is_refused(&timer, "c", "d"));
}

#[test]
fn the_path_of_a_token_is_that_of_its_open_section() {
    let _alone = alone();
    let (timer, stranger) = (timer(), timer());
    let (context, other) = (timer.context().unwrap(), timer.context().unwrap());
    let step = context.enter("step", "compute").unwrap();
    let path = context.current_path();
    let launch = context.enter("launch", "compute").unwrap();
    assert_eq!(context.path_of(step), Ok(path));
    assert_eq!(context.path_of(launch), Ok(context.current_path()));
    assert_ne!(context.path_of(launch), Ok(path));

    let elsewhere = other.enter("step", "compute").unwrap();
    assert_eq!(other.path_of(elsewhere), Ok(path), "one path, two contexts");
    assert_eq!(context.path_of(elsewhere), Err(Error::OtherContext));
    assert_eq!(stranger.context().unwrap().path_of(step), Err(Error::OtherContext));
    assert_eq!(context.path_of(Token::NULL), Err(Error::NotOpen));
    context.exit(launch).unwrap();
    assert_eq!(context.path_of(launch), Err(Error::NotOpen));
    assert_eq!(context.record_in(launch, "queue", "gpu", 1), Err(Error::NotOpen));
    // The root's frame is nobody's token.
    for bits in 0..16 {
        assert!(context.path_of(Token::from_bits(bits)).is_err(), "{bits}");
    }
    assert_eq!(timer.snapshot().unwrap().losses().not_open, 0, "not counted");
    context.exit(step).unwrap();
    assert_eq!(context.path_of(step), Err(Error::NotOpen));
    assert_ne!(path, Path::ROOT);
    other.exit(elsewhere).unwrap();
}

#[test]
fn a_record_goes_into_the_section_of_a_token() {
    let _alone = alone();
    let timer = timer();
    let context = timer.context().unwrap();
    let step = context.enter("step", "compute").unwrap();
    let launch = context.enter("launch", "compute").unwrap();
    context.record_in(step, "kernel", "gpu", 0).unwrap();
    // Marked by the clear: it is open, not recorded, and still has children.
    timer.clear().unwrap();
    context.record_in(step, "kernel", "gpu", 0).unwrap();
    context.record_in(launch, "queue", "gpu", 0).unwrap();
    context.record_in(Token::NULL, "nothing", "gpu", 0).unwrap();
    timer.forbid("compute", "io").unwrap();
    let refused = context.record_in(step, "file", "io", 0);
    assert!(matches!(refused, Err(Error::Forbidden { .. })), "{refused:?}");
    let again = context.enter_beneath(Path::ROOT, "step", "compute").unwrap();
    assert_eq!(
        context.path_of(step),
        context.path_of(again),
        "entered anew, so the first is marked"
    );
    context.record_in(step, "kernel", "gpu", 0).unwrap();
    context.exit(again).unwrap();
    context.exit(launch).unwrap();
    context.exit(step).unwrap();

    let snapshot = timer.snapshot().unwrap();
    assert_eq!(snapshot.section(&["step", "kernel"]).unwrap().count(), 2);
    assert_eq!(snapshot.section(&["step", "launch", "queue"]).unwrap().count(), 1);
    assert_eq!(snapshot.section(&["step"]).unwrap().count(), 1);
    assert_eq!(snapshot.sections().count(), 3, "launch was open at the clear");
    assert_eq!(snapshot.losses().not_open, 0);
}

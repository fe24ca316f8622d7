//! The default timer in a program's hands: guards, threads that end in the middle, destructors that
//! time sections late, the switch, and tokens in the wrong place, stale or made up.

// Late contexts need 64-bit atomics.
#![cfg(not(xtimer_narrow))]

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use proptest::prelude::*;
use xtimer_core::{
    Config, Error, HostTimer, Losses, Path, SectionGuard, Site, Token, default_timer, enter_at,
    exit, section, with_thread,
};

/// One test at a time has the default timer, and finds it cleared.
fn alone() -> (MutexGuard<'static, ()>, &'static HostTimer) {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let timer = default_timer().unwrap();
    timer.clear().unwrap();
    (one, timer)
}

fn count(timer: &HostTimer, path: &[&str]) -> Option<u64> {
    timer.snapshot().unwrap().section(path).map(|section| section.count())
}

fn losses(timer: &HostTimer) -> Losses {
    *timer.snapshot().unwrap().losses()
}

#[test]
fn guards_end_with_their_scopes() {
    let (_one, timer) = alone();
    for turn in 0..3 {
        let _outer = section!("outer", "io");
        if turn == 1 {
            continue;
        }
        let inner = section!("inner");
        assert!(inner.is_entered());
    }
    // An unwinding block is recorded like any other.
    let caught = std::panic::catch_unwind(|| {
        let _outer = section!("outer", "io");
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(caught.is_err());
    assert_eq!(count(timer, &["outer"]), Some(4));
    assert_eq!(count(timer, &["outer", "inner"]), Some(2));
    assert_eq!(losses(timer), Losses::default());
    drop(SectionGuard::none());
}

#[test]
fn a_guard_that_outlives_the_one_around_it_is_unclosed() {
    let (_one, timer) = alone();
    let outer = section!("outer");
    let inner = section!("inner");
    drop(outer);
    drop(inner);
    assert_eq!(count(timer, &["outer"]), Some(1));
    assert_eq!(count(timer, &["outer", "inner"]), Some(0));
    assert_eq!(losses(timer), Losses { unclosed: 1, not_open: 1, ..Losses::default() });
}

#[test]
fn a_thread_may_end_inside_sections() {
    const THREADS: u64 = 2 * Config::HOST.lanes as u64;
    let (_one, timer) = alone();
    static SITE: Site = Site::uncategorised("left");
    for _ in 0..THREADS {
        let depth = thread::spawn(|| {
            drop(section!("done"));
            let _left = [enter_at(&SITE), enter_at(&SITE)];
            with_thread(|context| context.depth())
        });
        assert_eq!(depth.join().unwrap(), Some(2));
    }
    assert_eq!(count(timer, &["done"]), Some(THREADS));
    assert_eq!(count(timer, &["left", "left"]), Some(0));
    // Twice as many threads as lanes: each lane was handed on.
    assert_eq!(losses(timer), Losses { unclosed: 2 * THREADS, ..Losses::default() });
}

/// Times a section when it is dropped.
struct TimesItsEnd(&'static AtomicU32);

impl Drop for TimesItsEnd {
    fn drop(&mut self) {
        let end = section!("end of thread");
        self.0.fetch_add(u32::from(end.is_entered()), SeqCst);
    }
}

/// What a thread-local's destructor times is recorded, or not entered where the thread's context is
/// gone already; a section kept beyond it is unclosed.
#[test]
fn destructors_of_thread_locals_may_time_sections() {
    const THREADS: u32 = 20;
    static ENTERED: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static EARLY: RefCell<Option<TimesItsEnd>> = const { RefCell::new(None) };
        static LATE: RefCell<Option<TimesItsEnd>> = const { RefCell::new(None) };
        static OPEN: RefCell<Option<SectionGuard>> = const { RefCell::new(None) };
    }
    let (_one, timer) = alone();
    for _ in 0..THREADS {
        let thread = thread::spawn(|| {
            // One is registered before the context, one after it: one of them runs when it is gone.
            EARLY.set(Some(TimesItsEnd(&ENTERED)));
            drop(section!("work"));
            LATE.set(Some(TimesItsEnd(&ENTERED)));
            OPEN.set(Some(section!("open")));
        });
        thread.join().unwrap();
    }
    let entered = ENTERED.load(SeqCst);
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(snapshot.section(&["work"]).unwrap().count(), u64::from(THREADS));
    let ends = snapshot.sections().filter(|section| section.name() == "end of thread");
    assert_eq!(ends.map(|section| section.count()).sum::<u64>(), u64::from(entered));
    assert!((THREADS..2 * THREADS).contains(&entered), "{entered}");
    let open = snapshot.section(&["open"]).unwrap();
    assert_eq!(open.count() + snapshot.losses().unclosed, u64::from(THREADS));
    assert_eq!(snapshot.sections().map(|section| section.open()).sum::<u32>(), 0);
}

#[test]
fn a_destructor_may_be_the_first_to_time_anything() {
    static ENTERED: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static ONLY: RefCell<Option<TimesItsEnd>> = const { RefCell::new(None) };
    }
    let (_one, timer) = alone();
    thread::spawn(|| ONLY.set(Some(TimesItsEnd(&ENTERED)))).join().unwrap();
    assert_eq!(count(timer, &["end of thread"]), Some(u64::from(ENTERED.load(SeqCst))));
    let lanes: Vec<_> = (0..Config::HOST.lanes / 2).map(|_| timer.context().unwrap()).collect();
    assert!(lanes.iter().all(|context| !context.is_late()));
}

#[test]
fn switched_off_nothing_is_entered() {
    let (_one, timer) = alone();
    let open = section!("open");
    timer.set_enabled(false);
    for _ in 0..3 {
        let off = section!("off");
        assert!(!off.is_entered());
    }
    assert_eq!(with_thread(|context| context.enter("off", "io")), Some(Ok(Token::NULL)));
    assert_eq!(with_thread(|context| context.record("off", "io", 5)), Some(Ok(())));
    drop(open);
    timer.set_enabled(true);
    drop(section!("on"));
    assert_eq!(count(timer, &["open"]), Some(1));
    assert_eq!(count(timer, &["off"]), None);
    assert_eq!(count(timer, &["open", "off"]), None);
    assert_eq!(count(timer, &["on"]), Some(1));
}

#[test]
fn a_token_is_refused_on_another_thread() {
    let (_one, timer) = alone();
    let token = with_thread(|context| context.enter("mine", "io").unwrap()).unwrap();
    let other = thread::spawn(move || {
        // Without a context of its own, then inside a section.
        let bare = exit(token);
        let _own = section!("own");
        (bare, exit(token), with_thread(|context| context.exit(token)).unwrap())
    });
    let code = Error::OtherContext.code();
    assert_eq!(other.join().unwrap(), (code, code, Err(Error::OtherContext)));
    assert_eq!(count(timer, &["mine"]), Some(0));
    assert_eq!(exit(token), 0);
    assert_eq!(count(timer, &["mine"]), Some(1));
    assert_eq!(count(timer, &["own"]), Some(1));
    assert_eq!(losses(timer), Losses { not_open: 3, ..Losses::default() });
}

#[test]
fn a_stale_token_is_refused() {
    static SITE: Site = Site::uncategorised("again");
    let (_one, timer) = alone();
    let first = enter_at(&SITE);
    assert_eq!(exit(first), 0);
    assert_eq!(exit(first), Error::NotOpen.code());
    let second = enter_at(&SITE);
    assert_ne!(first, second);
    assert_eq!(exit(first), Error::NotOpen.code());
    assert_eq!(exit(second), 0);
    assert_eq!(exit(second), Error::NotOpen.code());
    // Of a thread that is no more, whose lane has another one's sections.
    let gone = thread::spawn(|| enter_at(&SITE)).join().unwrap();
    let mut elsewhere = 0;
    let outcome = loop {
        // Another lane may have become free just now: a thread of the test before.
        let in_next = thread::spawn(move || {
            let token = enter_at(&SITE);
            let is_same_lane = token.to_bits() as u32 == gone.to_bits() as u32;
            (is_same_lane, with_thread(|context| context.depth()), exit(gone))
        });
        match in_next.join().unwrap() {
            (true, depth, code) => break (depth, code),
            (false, _, code) => assert_eq!(code, Error::OtherContext.code()),
        }
        elsewhere += 1;
    };
    assert_eq!(outcome, (Some(1), Error::NotOpen.code()));
    assert_eq!(count(timer, &["again"]), Some(2));
    let (unclosed, not_open) = (2 + elsewhere, 4 + elsewhere);
    assert_eq!(losses(timer), Losses { unclosed, not_open, ..Losses::default() });
}

/// Late contexts have tokens of their own too.
#[test]
fn a_token_of_one_late_context_is_refused_by_another() {
    let timer = HostTimer::new(Config { lanes: 1, ..Config::HOST }).unwrap();
    let _taken = timer.context().unwrap();
    let (one, two) = (timer.context().unwrap(), timer.context().unwrap());
    assert!(one.is_late() && two.is_late());
    let mine = one.enter("one", "io").unwrap();
    let other = two.enter("two", "io").unwrap();
    assert!(matches!(two.exit(mine), Err(Error::NotOpen | Error::OtherContext)));
    assert!(matches!(one.exit(other), Err(Error::NotOpen | Error::OtherContext)));
    assert_eq!((one.exit(mine), two.exit(other)), (Ok(()), Ok(())));
}

/// Numbers that are no tokens: any, small ones, and such as differ from an open token in a bit or two.
fn numbers() -> impl Strategy<Value = Vec<(u64, u8, u8)>> {
    let number = prop_oneof![any::<u64>(), 0..16_u64, Just(u64::MAX)];
    prop::collection::vec((number, any::<u8>(), any::<u8>()), 1..20)
}

fn wild(tokens: &[Token], (number, which, bits): (u64, u8, u8)) -> Option<Token> {
    let bits = match which % 4 {
        0 => number,
        1 => number & 0xffff_ffff | tokens[0].to_bits() & !0xffff_ffff,
        _ => {
            let token = tokens[which as usize / 4 % tokens.len()].to_bits();
            token ^ 1 << (bits % 64) ^ if bits & 64 == 0 { 0 } else { number & 3 }
        }
    };
    let is_open = tokens.iter().any(|token| token.to_bits() == bits);
    (bits != 0 && !is_open).then(|| Token::from_bits(bits))
}

proptest! {
    /// On an empty stack, inside sections, inside sections open at a clear, with a lane and without.
    #[test]
    fn no_number_corrupts_the_nesting(
        numbers in numbers(),
        depth in 0..4_usize,
        is_late: bool,
        is_cleared: bool,
    ) {
        static SITE: Site = Site::new("site", "io");
        let config = Config { sections: 16, depth: 8, lanes: 1, categories: 4, ..Config::HOST };
        let timer = HostTimer::new(config).unwrap();
        let first = timer.context().unwrap();
        let (_kept, context) =
            if is_late { (Some(first), timer.context().unwrap()) } else { (None, first) };
        prop_assert_eq!(context.is_late(), is_late);
        let warm = context.enter_at(&SITE).unwrap();
        context.exit(warm).unwrap();
        let open: Vec<Token> = (0..depth).map(|_| context.enter_at(&SITE).unwrap()).collect();
        if is_cleared {
            timer.clear().unwrap();
            let anew = context.enter_at(&SITE).unwrap();
            context.exit(anew).unwrap();
        }
        let known = [&open[..], &[warm]].concat();
        let mut refused = 0;
        for number in numbers {
            let Some(token) = wild(&known, number) else { continue };
            let answer = context.exit(token);
            prop_assert!(
                matches!(answer, Err(Error::NotOpen | Error::OtherContext)),
                "{:#x}: {:?}", token.to_bits(), answer
            );
            refused += 1;
            prop_assert_eq!(context.depth(), depth);
        }
        for (index, token) in open.iter().enumerate().rev() {
            prop_assert_eq!(context.exit(*token), Ok(()), "{}", index);
        }
        prop_assert_eq!(context.depth(), 0);
        let snapshot = timer.snapshot().unwrap();
        prop_assert_eq!(snapshot.losses().not_open, refused);
        let expected: u64 = if is_cleared { 1 } else { 1 + depth as u64 };
        let recorded: u64 = snapshot.sections().map(|section| section.count()).sum();
        prop_assert_eq!(recorded, expected);
    }

    #[test]
    fn no_number_is_a_path_that_harms(number: u64, section in 0..64_u64) {
        let config = Config { sections: 16, depth: 8, lanes: 1, categories: 4, ..Config::HOST };
        let timer = HostTimer::new(config).unwrap();
        let context = timer.context().unwrap();
        let token = context.enter("real", "io").unwrap();
        let real = context.current_path();
        context.exit(token).unwrap();
        for bits in [number, real.to_bits() & !0xffff_ffff | section] {
            let path = Path::from_bits(bits);
            match context.enter_beneath(path, "beneath", "io") {
                Ok(token) => prop_assert_eq!(context.exit(token), Ok(())),
                Err(error) => prop_assert_eq!(error, Error::OtherTimer),
            }
        }
        prop_assert_eq!(context.depth(), 0);
        let snapshot = timer.snapshot().unwrap();
        prop_assert_eq!(snapshot.section(&["real"]).unwrap().count(), 1);
        let json = snapshot.json().to_string();
        prop_assert!(json.ends_with('}'), "{}", json);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_handler_times_beneath_what_it_interrupts() {
    extern "C" fn handler(_: libc::c_int) {
        drop(section!("handler", "signal"));
    }
    let (_one, timer) = alone();
    let handler: extern "C" fn(libc::c_int) = handler;
    // SAFETY: the handler is async-signal-safe in a thread that has a context; nothing else in this
    // process uses the signal.
    unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
    // SAFETY: delivered to this thread before it returns.
    let interrupt = || assert_eq!(unsafe { libc::raise(libc::SIGUSR1) }, 0);
    let outer = section!("outer", "io");
    interrupt();
    let inner = section!("inner", "io");
    interrupt();
    interrupt();
    drop(inner);
    drop(outer);
    interrupt();
    assert_eq!(count(timer, &["outer", "handler"]), Some(1));
    assert_eq!(count(timer, &["outer", "inner", "handler"]), Some(2));
    assert_eq!(count(timer, &["handler"]), Some(1));
    assert_eq!(losses(timer), Losses::default());
}

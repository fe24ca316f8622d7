//! Reports from a signal handler at random instants, while threads enter, exit, insert paths and take
//! snapshots themselves.
//!
//! A program of its own (`harness = false`): three threads work, and a timer of the system interrupts
//! one of them at random instants. The handler times sections through the context of the thread that
//! it interrupted, takes a snapshot and writes it as text and as JSON. How many instants: `XTIMER_SIGNAL_INSTANTS`.

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod wellformed;

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(unix)]
mod unix {
    use std::cell::{Cell, UnsafeCell};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::mpsc;
    use std::time::{Duration, Instant};
    use std::{env, thread};

    use xtimer_core::{
        Error, Site, Snapshot, Token, default_timer, enter_at, exit, section, with_thread,
    };

    use super::wellformed::{Page, is_json, is_report};

    /// Paths that the workers insert, each; every handler beneath one makes two more.
    const FRESH: u64 = 40;
    const WORKERS: u64 = 3;

    /// When to stop.
    static INSTANTS_WANTED: AtomicU64 = AtomicU64::new(0);

    /// What the handlers saw.
    static INSTANTS: AtomicU64 = AtomicU64::new(0);
    static REPORTS: AtomicU64 = AtomicU64::new(0);
    static BUSY_ANSWERS: AtomicU64 = AtomicU64::new(0);
    static ROWS: AtomicU64 = AtomicU64::new(0);
    static BUSY_ROWS: AtomicU64 = AtomicU64::new(0);
    static FAILURES: AtomicU64 = AtomicU64::new(0);
    /// The first thing that went wrong.
    static FAILURE: AtomicU64 = AtomicU64::new(0);

    static HANDLER: Site = Site::new("handler", "signal");
    static WITHIN: Site = Site::new("within", "signal");

    /// Memory of a handler: one page a worker, reached through a thread-local word.
    struct Pages(UnsafeCell<Page<{ 1 << 20 }>>);
    // SAFETY: each is used by one thread's handler alone, which is blocked while it runs.
    unsafe impl Sync for Pages {}
    static PAGES: [Pages; WORKERS as usize] =
        [const { Pages(UnsafeCell::new(Page::new())) }; WORKERS as usize];

    thread_local! {
        /// The index of this thread's page, plus 1.
        static PAGE: Cell<usize> = const { Cell::new(0) };
        static RANDOM: Cell<u64> = const { Cell::new(1) };
    }

    fn fail(line: u32) {
        if FAILURES.fetch_add(1, Relaxed) == 0 {
            FAILURE.store(u64::from(line), Relaxed);
        }
    }

    extern "C" fn handler(_: libc::c_int) {
        let Some(page) = PAGE.get().checked_sub(1) else { return fail(line!()) };
        // Armed at once, the next comes to another worker while this one reports.
        if INSTANTS.fetch_add(1, Relaxed) + 1 < INSTANTS_WANTED.load(Relaxed) {
            arm();
        }
        let (outer, inner) = (enter_at(&HANDLER), enter_at(&WITHIN));
        if outer.is_null() || inner.is_null() {
            fail(line!());
        }
        match default_timer().map(|timer| timer.snapshot()) {
            // SAFETY: this thread's page, and its handler doesn't interrupt itself.
            Some(Ok(snapshot)) => write(&snapshot, unsafe { &mut *PAGES[page].0.get() }),
            Some(Err(Error::Busy)) => drop(BUSY_ANSWERS.fetch_add(1, Relaxed)),
            _ => fail(line!()),
        }
        if exit(inner) != 0 || exit(outer) != 0 {
            fail(line!());
        }
    }

    fn write(snapshot: &Snapshot<'_>, page: &mut Page<{ 1 << 20 }>) {
        let mut busy = 0;
        for section in snapshot.sections() {
            ROWS.fetch_add(1, Relaxed);
            busy += u64::from(section.is_busy());
            // Never beneath itself, whatever was interrupted.
            let above = section.parent().map(|above| above.name());
            match section.name() {
                "within" if above != Some("handler") => fail(line!()),
                "handler" if matches!(above, Some("handler" | "within")) => fail(line!()),
                _ => {}
            }
        }
        BUSY_ROWS.fetch_add(busy, Relaxed);
        match page.fill(snapshot.report()) {
            Some(text) if is_report(text) => {
                if (busy > 0) != text.contains("\nbusy  ") {
                    fail(line!());
                }
            }
            _ => fail(line!()),
        }
        match page.fill(snapshot.json()) {
            Some(text) if is_json(text) => {
                if busy != text.matches("\"busy\":true").count() as u64 {
                    fail(line!());
                }
            }
            _ => fail(line!()),
        }
        REPORTS.fetch_add(1, Relaxed);
    }

    /// What a worker did.
    #[derive(Clone, Copy, Default)]
    struct Done {
        rounds: u64,
        fresh: u64,
        snapshots: u64,
        refused: u64,
    }

    /// Nested sections in three ways of entering, new paths all along, a snapshot now and then.
    fn work(worker: u64, instants: u64) -> Done {
        let mut done = Done::default();
        loop {
            {
                let _round = section!("round", "compute");
                let _forward = section!("forward", "io");
                {
                    let _layer = section!("layer");
                }
                let token = with_thread(|context| {
                    context.enter_counted("worker", worker as i64, "compute").unwrap()
                });
                assert_eq!(exit(token.unwrap()), 0);
            }
            done.rounds += 1;
            let so_far = INSTANTS.load(Relaxed);
            if done.fresh < FRESH && so_far * FRESH >= done.fresh * instants {
                let index = (worker * FRESH + done.fresh) as i64;
                let token = with_thread(|context| context.enter_counted("fresh", index, "io"));
                assert_eq!(exit(token.unwrap().unwrap()), 0);
                done.fresh += 1;
            }
            if worker == 0 && done.rounds % 256 == 0 {
                match default_timer().unwrap().snapshot() {
                    Ok(snapshot) => {
                        assert!(is_report(&snapshot.report().to_string()));
                        done.snapshots += 1;
                    }
                    Err(error) => {
                        assert_eq!(error, Error::Busy);
                        done.refused += 1;
                    }
                }
            }
            if so_far >= instants && done.fresh == FRESH {
                return done;
            }
        }
    }

    /// Has the next signal sent some microseconds from now, to a worker of the system's choice.
    fn arm() {
        let mut state = RANDOM.get();
        // Xorshift (Marsaglia 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        RANDOM.set(state);
        let wait =
            libc::timeval { tv_sec: 0, tv_usec: 50 + (state >> 32 & 0x7f) as libc::suseconds_t };
        let once = libc::timeval { tv_sec: 0, tv_usec: 0 };
        let timer = libc::itimerval { it_interval: once, it_value: wait };
        // SAFETY: `timer` is valid, and no old value is asked for.
        if unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) }
            != 0
        {
            fail(line!());
        }
    }

    fn install() {
        let handler: extern "C" fn(libc::c_int) = handler;
        // SAFETY: a zeroed sigaction is one without flags and with an empty mask; the handler is
        // async-signal-safe, which is what this program is about.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            assert_eq!(libc::sigaction(libc::SIGALRM, &raw const action, std::ptr::null_mut()), 0);
        }
    }

    /// Blocks the signal in this thread and those that it makes, or lets it through.
    fn block(how: libc::c_int) {
        // SAFETY: a zeroed set is valid memory for `sigemptyset`; the rest only reads and writes it.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGALRM);
            assert_eq!(libc::pthread_sigmask(how, &raw const set, std::ptr::null_mut()), 0);
        }
    }

    pub fn main() {
        if cfg!(xtimer_thread_sanitizer) {
            // It holds signals back and drops some, and runs a handler within the handler.
            return println!("test result: ok. 0 passed; 0 failed");
        }
        let by_default = if cfg!(debug_assertions) { 3000 } else { 100_000 };
        let instants = env::var("XTIMER_SIGNAL_INSTANTS")
            .map_or(by_default, |text| text.parse().expect("XTIMER_SIGNAL_INSTANTS: a number"));
        INSTANTS_WANTED.store(instants, Relaxed);
        install();
        block(libc::SIG_BLOCK);
        let began = Instant::now();
        let (send, receive) = mpsc::channel();
        for worker in 0..WORKERS {
            let send = send.clone();
            thread::spawn(move || {
                // The first section of a thread makes its context, which allocates: not in a handler.
                drop(section!("first"));
                PAGE.set(worker as usize + 1);
                RANDOM.set(0x9e37_79b9_7f4a_7c15 + worker);
                block(libc::SIG_UNBLOCK);
                let done = work(worker, instants);
                block(libc::SIG_BLOCK);
                send.send((worker, done)).unwrap();
            });
        }
        arm();
        // The watchdog: no end within so long is a deadlock.
        let mut all = [Done::default(); WORKERS as usize];
        for _ in 0..WORKERS {
            let answer = receive.recv_timeout(Duration::from_secs(300));
            let (worker, done) = answer.expect("a worker is stuck or has failed");
            all[worker as usize] = done;
        }
        check(&all);
        println!(
            "{} reports at {} instants in {:.1?}, {} of {} rows busy, {} answers Busy; {} rounds",
            REPORTS.load(Relaxed),
            INSTANTS.load(Relaxed),
            began.elapsed(),
            BUSY_ROWS.load(Relaxed),
            ROWS.load(Relaxed),
            BUSY_ANSWERS.load(Relaxed),
            all.iter().map(|done| done.rounds).sum::<u64>(),
        );
        println!("test result: ok. 1 passed; 0 failed");
    }

    fn check(all: &[Done]) {
        assert_eq!(FAILURES.load(Relaxed), 0, "first at line {}", FAILURE.load(Relaxed));
        let instants = INSTANTS.load(Relaxed);
        let busy = BUSY_ANSWERS.load(Relaxed);
        assert_eq!(REPORTS.load(Relaxed) + busy, instants);
        assert!(busy * 100 <= instants, "{busy} of {instants} answers were Busy");
        let (busy, rows) = (BUSY_ROWS.load(Relaxed), ROWS.load(Relaxed));
        // Those of an owner stopped while it begins a slot anew or gives it another category.
        assert!(busy * 1000 <= rows, "{busy} of {rows} rows were busy");
        assert!(all[0].snapshots > all[0].refused);

        let snapshot = default_timer().unwrap().snapshot().unwrap();
        let count = |path: &[&str]| snapshot.section(path).unwrap().count();
        let rounds: u64 = all.iter().map(|done| done.rounds).sum();
        assert_eq!(count(&["round"]), rounds);
        assert_eq!(count(&["round", "forward"]), rounds);
        assert_eq!(count(&["round", "forward", "layer"]), rounds);
        for (worker, done) in all.iter().enumerate() {
            let own = format!("worker[{worker}]");
            assert_eq!(count(&["round", "forward", &own]), done.rounds);
            for index in 0..done.fresh {
                assert_eq!(count(&[&format!("fresh[{}]", worker as u64 * FRESH + index)]), 1);
            }
        }
        // Every handler is found again, beneath what it interrupted.
        let (mut handlers, mut withins) = (0, 0);
        for section in snapshot.sections() {
            assert!(!section.is_busy() && section.open() == 0);
            match section.name() {
                "handler" => handlers += section.count(),
                "within" => withins += section.count(),
                _ => {}
            }
        }
        assert_eq!((handlers, withins), (instants, instants));
        assert_eq!(*snapshot.losses(), xtimer_core::Losses::default());
        assert_eq!(exit(Token::NULL), 0);
    }
}

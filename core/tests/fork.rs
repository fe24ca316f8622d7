//! After a fork the child starts clean, and the parent goes on as if nothing had happened.
//!
//! A program of its own (`harness = false`), so that its threads are known: with several of them in
//! the middle of enter and exit, main forks again and again. A child times, reports, and checks itself.

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
    use std::panic;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
    use std::{process, thread};

    use xtimer_core::{Config, Error, HostTimer, Losses, default_timer, section, with_thread};

    use super::wellformed::{is_json, is_report};

    const THREADS: usize = 3;
    const FORKS: u64 = if cfg!(debug_assertions) { 100 } else { 500 };

    static STOP: AtomicBool = AtomicBool::new(false);
    static ROUNDS: AtomicU64 = AtomicU64::new(0);

    /// Forks; the child ends with 0 if `child` comes back, the parent waits for that.
    fn fork(child: impl FnOnce() + panic::UnwindSafe) {
        // SAFETY: the child has this thread alone. It times sections, which must work in a child (that
        // is what this program is about), allocates, which the C library makes safe, and ends by
        // `_exit`.
        let process = unsafe { libc::fork() };
        assert!(process >= 0);
        if process == 0 {
            // SAFETY: no preconditions. The watchdog: SIGALRM ends a child that is stuck.
            unsafe { libc::alarm(60) };
            let code = if panic::catch_unwind(child).is_ok() { 0 } else { 1 };
            // SAFETY: no preconditions.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: `status` is valid for writing.
        assert_eq!(unsafe { libc::waitpid(process, &raw mut status, 0) }, process);
        if status != 0 {
            eprintln!("a child ended with status {status:#x}");
            // Not by a panic: the other threads would go on for ever.
            process::exit(1);
        }
    }

    /// What holds in every child, forked inside the section `open` or none.
    fn check_child(timer: &'static HostTimer, open: Option<&str>) {
        let late_contexts = {
            let snapshot = timer.snapshot().unwrap();
            assert!(snapshot.is_empty(), "{}", snapshot.report());
            assert_eq!(snapshot.total(), 0);
            let losses = *snapshot.losses();
            assert_eq!(losses, Losses { late_contexts: losses.late_contexts, ..Losses::default() });
            losses.late_contexts
        };
        for _ in 0..3 {
            let _child = section!("child", "io");
            let _own = section!("own");
        }
        let snapshot = timer.snapshot().unwrap();
        let path = |names: &[&'static str]| {
            open.into_iter().chain(names.iter().copied()).collect::<Vec<_>>()
        };
        assert_eq!(snapshot.section(&path(&["child"])).unwrap().count(), 3);
        assert_eq!(snapshot.section(&path(&["child", "own"])).unwrap().count(), 3);
        assert_eq!(snapshot.sections().count(), 2);
        assert_eq!(snapshot.total(), snapshot.category_total("io"));
        assert!(is_report(&snapshot.report().to_string()));
        assert!(is_json(&snapshot.json().to_string()));
        drop(snapshot);
        // Every lane is free again, but for this thread's own.
        let lanes = Config::HOST.lanes as usize;
        let contexts: Vec<_> = (1..lanes).map(|_| timer.context().unwrap()).collect();
        assert_eq!(contexts.iter().filter(|context| context.is_late()).count(), 0);
        for context in &contexts {
            let token = context.enter("everywhere", "io").unwrap();
            context.exit(token).unwrap();
        }
        // One more finds none: it is late, or refused where there are no late contexts.
        let has_late = Config::HOST.late != 0;
        match timer.context() {
            Ok(context) => assert!(has_late && context.is_late()),
            Err(error) => assert!(!has_late && error == Error::NoLane),
        }
        let snapshot = timer.snapshot().unwrap();
        let everywhere = snapshot.section(&["everywhere"]).unwrap();
        assert_eq!(everywhere.count(), contexts.len() as u64);
        assert_eq!(snapshot.losses().late_contexts, late_contexts + u64::from(has_late));
    }

    /// In and out, with a thread that comes and goes: a fork meets them anywhere, also where a lane is
    /// being claimed.
    fn work(barrier: &Barrier) {
        barrier.wait();
        while !STOP.load(SeqCst) {
            for _ in 0..100 {
                let _outer = section!("outer", "compute");
                let _inner = section!("inner", "io");
            }
            ROUNDS.fetch_add(100, SeqCst);
            thread::scope(|scope| {
                scope.spawn(|| drop(section!("passing")));
            });
        }
    }

    /// Timers that threads enable, and let go of, while one that has two of them enabled forks.
    fn check_several() {
        let config = Config { lanes: 8, ..Config::HOST };
        let timers = [(); 3].map(|()| HostTimer::shared(config).unwrap());
        STOP.store(false, SeqCst);
        let barrier = Barrier::new(THREADS + 1);
        let work = || {
            barrier.wait();
            while !STOP.load(SeqCst) {
                for timer in &timers {
                    let _enabled = timer.enable().unwrap();
                    let _outer = section!("outer");
                    drop(section!("inner"));
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(work);
            }
            barrier.wait();
            let _enabled = (timers[0].enable().unwrap(), timers[1].enable().unwrap());
            for _ in 0..FORKS / 5 {
                let _main = section!("main");
                fork(panic::AssertUnwindSafe(|| {
                    drop(section!("child"));
                    timers[2].enabled(|| drop(section!("both"))).unwrap();
                    for timer in &timers[..2] {
                        let snapshot = timer.snapshot().unwrap();
                        for name in ["child", "both"] {
                            let section = snapshot.section(&["main", name]).unwrap();
                            assert_eq!((section.count(), section.depth()), (1, 0));
                        }
                        assert_eq!(snapshot.sections().count(), 2);
                        drop(snapshot);
                        // All lanes but this thread's are free.
                        let lanes: Vec<_> = (1..8).map(|_| timer.context().unwrap()).collect();
                        assert!(lanes.iter().all(|context| !context.is_late()));
                    }
                    assert_eq!(timers[2].snapshot().unwrap().sections().count(), 1);
                }));
            }
            STOP.store(true, SeqCst);
        });
        let snapshot = timers[1].snapshot().unwrap();
        assert_eq!(snapshot.section(&["main"]).unwrap().count(), FORKS / 5);
        assert!(snapshot.section(&["main", "child"]).is_none());
        assert_eq!(*snapshot.losses(), Losses::default());
    }

    pub fn main() {
        let timer = default_timer().unwrap();
        drop(section!("before"));
        fork(|| check_child(timer, None));

        let barrier = Barrier::new(THREADS + 1);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| work(&barrier));
            }
            barrier.wait();
            for _ in 0..FORKS {
                let _main = section!("main");
                fork(|| check_child(timer, Some("main")));
            }
            STOP.store(true, SeqCst);
        });
        let check_parent = || {
            let snapshot = timer.snapshot().unwrap();
            let count = |path: &[&str]| snapshot.section(path).unwrap().count();
            assert_eq!(count(&["before"]), 1);
            assert_eq!(count(&["main"]), FORKS);
            assert_eq!(count(&["outer"]), ROUNDS.load(SeqCst));
            assert_eq!(count(&["outer", "inner"]), ROUNDS.load(SeqCst));
            assert_eq!(count(&["passing"]), ROUNDS.load(SeqCst) / 100);
            assert!(snapshot.section(&["child"]).is_none());
            assert_eq!(*snapshot.losses(), Losses::default());
        };
        check_parent();

        // Inside sections: what is open stays open and, as after a clear, is not recorded.
        let open = section!("open");
        fork(|| {
            assert_eq!(with_thread(|context| context.depth()), Some(1));
            drop(section!("nested"));
            let snapshot = timer.snapshot().unwrap();
            let nested = snapshot.section(&["open", "nested"]).unwrap();
            assert_eq!((nested.count(), nested.depth()), (1, 0));
            assert_eq!(snapshot.sections().count(), 1);
            drop(snapshot);
            // A child's child starts clean as well.
            fork(|| assert!(timer.snapshot().unwrap().is_empty()));
        });
        fork(move || {
            drop(open);
            assert!(timer.snapshot().unwrap().is_empty());
            check_child(timer, None);
        });
        check_parent();
        check_several();
        println!("{FORKS} forks, {} rounds meanwhile", ROUNDS.load(SeqCst));
    }
}

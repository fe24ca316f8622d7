//! A thousand tasks interleaved on tokio's worker threads, against a naive account kept beside them.
//!
//! The default timer's clock is the test's own: it moves only inside a turn, and one turn at a time has
//! it, whichever worker polls. So every number can be said in advance, or added up by hand.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::thread::ThreadId;
use std::time::Duration;

use tokio::sync::Notify;
use xtimer_core::{
    Config, Custom, HostClock, HostTimer, Losses, Scale, Snapshot, Task, TimedExt, here, section,
    set_default_timer, timed, with_thread,
};

static NOW: AtomicU64 = AtomicU64::new(1);
/// Who has it may move the clock.
static TURN: Mutex<()> = Mutex::new(());

extern "C" fn now(_: *mut std::ffi::c_void) -> u64 {
    NOW.load(SeqCst)
}

static TIMER: LazyLock<&'static HostTimer> = LazyLock::new(|| {
    // SAFETY: it reads an atomic number and no pointer.
    let clock = unsafe { Custom::new(now, std::ptr::null_mut(), 64, Scale::NANOSECONDS) };
    let timer = HostTimer::with_clock(Config::HOST, HostClock::custom(clock)).unwrap();
    set_default_timer(timer).unwrap_or_else(|_| panic!("the default timer was made before"))
});

/// What a timed future took, as seen from outside of it.
#[derive(Default)]
struct Account {
    polls: AtomicU64,
    active: AtomicU64,
    elapsed: AtomicU64,
    finished: AtomicU64,
    threads: Mutex<HashMap<usize, Vec<ThreadId>>>,
}

/// Polls a timed future, one such at a time, and keeps the account. Its drop is a turn as well where
/// the future was polled and not ready.
struct Observed<F> {
    future: Option<Pin<Box<F>>>,
    began: Option<u64>,
    number: usize,
    account: Arc<Account>,
}

impl<F: Future> Observed<F> {
    fn new(future: F, number: usize, account: &Arc<Account>) -> Self {
        Self { future: Some(Box::pin(future)), began: None, number, account: Arc::clone(account) }
    }
}

impl<F: Future> Future for Observed<F> {
    type Output = F::Output;
    fn poll(mut self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<F::Output> {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let start = NOW.load(SeqCst);
        self.began.get_or_insert(start);
        let polled = self.future.as_mut().unwrap().as_mut().poll(waker);
        let (end, account) = (NOW.load(SeqCst), &self.account);
        account.polls.fetch_add(1, SeqCst);
        account.active.fetch_add(end - start, SeqCst);
        let mut threads = account.threads.lock().unwrap();
        threads.entry(self.number).or_default().push(std::thread::current().id());
        drop(threads);
        if polled.is_ready() {
            account.finished.fetch_add(1, SeqCst);
            account.elapsed.fetch_add(end - self.began.unwrap(), SeqCst);
            self.future = None;
        }
        polled
    }
}

impl<F> Drop for Observed<F> {
    fn drop(&mut self) {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(future), Some(began)) = (self.future.take(), self.began) {
            drop(future);
            self.account.polls.fetch_add(1, SeqCst);
            self.account.finished.fetch_add(1, SeqCst);
            self.account.elapsed.fetch_add(NOW.load(SeqCst) - began, SeqCst);
        }
    }
}

fn spend(ticks: u64) {
    NOW.fetch_add(ticks, SeqCst);
}

#[timed(category = "io")]
async fn request(number: usize) -> usize {
    spend(3);
    {
        let _parse = section!("parse", "compute");
        spend(5);
    }
    tokio::task::yield_now().await;
    let found = query(number).await;
    tokio::task::yield_now().await;
    spend(1);
    found
}

#[timed]
async fn query(number: usize) -> usize {
    let _lookup = section!("lookup");
    spend(number as u64 % 7);
    drop(_lookup);
    tokio::task::yield_now().await;
    let _fetch = section!("fetch", "io");
    spend(2);
    number
}

fn row(snapshot: &Snapshot<'_>, path: &[&str]) -> (u64, u64, u64) {
    let section = snapshot.section(path).unwrap_or_else(|| panic!("no {path:?}"));
    (section.count(), section.total(), section.exclusive().unwrap())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap()
}

/// One test at a time has the timer; it finds it cleared.
fn alone() -> (std::sync::MutexGuard<'static, ()>, &'static HostTimer) {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    TIMER.clear().unwrap();
    (one, *TIMER)
}

#[test]
fn a_thousand_tasks_agree_with_the_account_kept_beside_them() {
    const TASKS: usize = 1000;
    let (_one, timer) = alone();
    let account = Arc::new(Account::default());
    runtime().block_on(async {
        let tasks: Vec<_> = (0..TASKS)
            .map(|number| tokio::spawn(Observed::new(request(number), number, &account)))
            .collect();
        for (number, task) in tasks.into_iter().enumerate() {
            assert_eq!(task.await.unwrap(), number);
        }
    });
    let snapshot = timer.snapshot().unwrap();
    let (polls, active, elapsed) =
        (account.polls.load(SeqCst), account.active.load(SeqCst), account.elapsed.load(SeqCst));
    let lookups: u64 = (0..TASKS as u64).map(|number| number % 7).sum();
    let tasks = TASKS as u64;
    assert_eq!(polls, 4 * tasks);
    assert_eq!(active, 11 * tasks + lookups);
    // Three polls of `query`, of which each but the last lies before an await.
    assert_eq!(row(&snapshot, &["request"]), (tasks, elapsed, elapsed - (7 * tasks + lookups)));
    assert_eq!(row(&snapshot, &["request", Task::ACTIVE]), (polls, active, 4 * tasks));
    assert_eq!(row(&snapshot, &["request", "parse"]), (tasks, 5 * tasks, 5 * tasks));
    let query = row(&snapshot, &["request", "query"]);
    assert_eq!(query.0, tasks);
    assert!(query.1 >= 2 * tasks + lookups && query.1 <= elapsed);
    let active = row(&snapshot, &["request", "query", Task::ACTIVE]);
    assert_eq!(active, (2 * tasks, 2 * tasks + lookups, 0));
    assert_eq!(row(&snapshot, &["request", "query", "lookup"]), (tasks, lookups, lookups));
    assert_eq!(row(&snapshot, &["request", "query", "fetch"]), (tasks, 2 * tasks, 2 * tasks));
    // Nothing beside these, and nothing lost.
    assert_eq!(snapshot.sections().count(), 7);
    assert_eq!(*snapshot.losses(), Losses::default());
    assert_eq!(snapshot.category_total("io"), elapsed);
    assert_eq!(snapshot.total(), elapsed);
    let threads = account.threads.lock().unwrap();
    let migrated = threads.values().filter(|used| used.iter().any(|one| *one != used[0])).count();
    println!("{migrated} of {TASKS} tasks went from one worker to another");
}

#[test]
fn cancelled_tasks_are_closed_where_they_were_dropped() {
    const TASKS: usize = 200;
    let (_one, timer) = alone();
    let account = Arc::new(Account::default());
    let (begun, never) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    runtime().block_on(async {
        let tasks: Vec<_> = (0..TASKS)
            .map(|number| {
                let (begun, never) = (Arc::clone(&begun), Arc::clone(&never));
                let work = async move {
                    let _before = section!("before");
                    spend(4);
                    drop(_before);
                    begun.fetch_add(1, SeqCst);
                    if number % 2 == 0 {
                        never.notified().await; // until it is aborted
                        unreachable!();
                    }
                    tokio::task::yield_now().await;
                    spend(6);
                };
                let timed = work.timed("work", "compute");
                tokio::spawn(Observed::new(timed, number, &account))
            })
            .collect();
        while begun.load(SeqCst) < TASKS {
            tokio::task::yield_now().await;
        }
        let mut cancelled = 0;
        for (number, task) in tasks.into_iter().enumerate() {
            if number % 2 == 0 {
                task.abort();
            }
            cancelled += usize::from(task.await.is_err_and(|error| error.is_cancelled()));
        }
        assert_eq!(cancelled, TASKS / 2);
    });
    let snapshot = timer.snapshot().unwrap();
    let (tasks, elapsed) = (TASKS as u64, account.elapsed.load(SeqCst));
    assert_eq!(account.finished.load(SeqCst), tasks);
    assert_eq!(row(&snapshot, &["work"]), (tasks, elapsed, elapsed - 4 * tasks));
    // A poll, and then another or the drop.
    assert_eq!(row(&snapshot, &["work", Task::ACTIVE]), (2 * tasks, 7 * tasks, 3 * tasks));
    assert_eq!(row(&snapshot, &["work", "before"]), (tasks, 4 * tasks, 4 * tasks));
    assert_eq!(*snapshot.losses(), Losses::default());
}

#[test]
fn a_timeout_in_the_middle_leaves_whole_stacks() {
    let (_one, timer) = alone();
    let runtime = runtime();
    runtime.block_on(async {
        let parent = async {
            let slow = async {
                spend(10);
                std::future::pending::<()>().await;
            };
            // The clock is tokio's own here; only counts and the timer's own ticks are looked at.
            let timed = slow.timed("slow", "io");
            assert!(tokio::time::timeout(Duration::from_millis(1), timed).await.is_err());
            spend(1);
            drop(section!("after"));
        };
        tokio::spawn(parent.timed("parent", "default")).await.unwrap();
    });
    // No worker was left with anything open.
    drop(runtime);
    assert_eq!(with_thread(|context| context.depth()), Some(0));
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(row(&snapshot, &["parent", "slow"]), (1, 10, 10));
    // A poll, those that the runtime added, the drop.
    assert!(row(&snapshot, &["parent", "slow", Task::ACTIVE]).0 >= 2);
    assert_eq!(row(&snapshot, &["parent", "after"]).0, 1);
    assert_eq!(row(&snapshot, &["parent"]), (1, 11, 1));
    assert_eq!(*snapshot.losses(), Losses::default());
}

#[test]
fn spawned_tasks_take_the_parent_that_they_are_given() {
    const TASKS: u64 = 50;
    let (_one, timer) = alone();
    runtime().block_on(async {
        let serve = async {
            let tasks: Vec<_> = (0..TASKS)
                .map(|_| {
                    let work = async {
                        tokio::task::yield_now().await;
                        drop(section!("leaf"));
                    };
                    tokio::spawn(work.timed("job", "io").beneath(here()))
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
        };
        serve.timed("serve", "default").await;
    });
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(row(&snapshot, &["serve"]).0, 1);
    assert_eq!(row(&snapshot, &["serve", "job"]).0, TASKS);
    assert_eq!(row(&snapshot, &["serve", "job", Task::ACTIVE]).0, 2 * TASKS);
    assert_eq!(row(&snapshot, &["serve", "job", "leaf"]).0, TASKS);
    assert_eq!(*snapshot.losses(), Losses::default());
}

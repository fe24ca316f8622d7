//! Spans as sections, with a clock that the tests move: threads, tasks, orders of all kinds.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use tracing::{Instrument, Span, info_span};
use tracing_subscriber::prelude::*;
use xtimer_core::{
    Config, Custom, HostClock, HostTimer, Losses, Scale, Task, section, set_default_timer,
};

static NOW: AtomicU64 = AtomicU64::new(1);

extern "C" fn now(_: *mut std::ffi::c_void) -> u64 {
    NOW.load(SeqCst)
}

static TIMER: LazyLock<&'static HostTimer> = LazyLock::new(|| {
    // SAFETY: it reads an atomic number and no pointer.
    let clock = unsafe { Custom::new(now, std::ptr::null_mut(), 64, Scale::NANOSECONDS) };
    let timer = HostTimer::with_clock(Config::HOST, HostClock::custom(clock)).unwrap();
    tracing_subscriber::registry().with(xtimer_tracing::layer()).init();
    set_default_timer(timer).unwrap_or_else(|_| panic!("the default timer was made before"))
});

fn spend(ticks: u64) {
    NOW.fetch_add(ticks, SeqCst);
}

/// One test at a time has the timer, and finds it cleared.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    TIMER.clear().unwrap();
    one
}

/// Count, total and exclusive time.
fn row(path: &[&str]) -> Option<(u64, u64, u64)> {
    let snapshot = TIMER.snapshot().unwrap();
    let section = snapshot.section(path)?;
    Some((section.count(), section.total(), section.exclusive().unwrap()))
}

fn category(path: &[&str]) -> String {
    TIMER.snapshot().unwrap().section(path).unwrap().category().to_owned()
}

fn losses() -> Losses {
    *TIMER.snapshot().unwrap().losses()
}

#[test]
fn spans_and_sections_nest_in_each_other() {
    let _one = alone();
    for _ in 0..3 {
        let _step = info_span!("step").entered();
        spend(1);
        let _forward = section!("forward", "compute");
        spend(10);
        info_span!("load", category = "io", size = 3).in_scope(|| spend(100));
    }
    assert_eq!(row(&["step"]), Some((3, 333, 3)));
    assert_eq!(row(&["step", Task::ACTIVE]), Some((3, 333, 3)));
    assert_eq!(row(&["step", "forward"]), Some((3, 330, 30)));
    assert_eq!(row(&["step", "forward", "load"]), Some((3, 300, 300)));
    assert_eq!(category(&["step", "forward", "load"]), "io");
    assert_eq!(category(&["step"]), "default");
    assert_eq!(losses(), Losses::default());
}

#[test]
fn a_span_lives_from_its_first_enter_to_its_close() {
    let _one = alone();
    let span = info_span!("often", category = tracing::field::Empty);
    spend(1000); // made, not entered
    span.record("category", "gpu");
    for _ in 0..4 {
        span.in_scope(|| spend(2));
        spend(50);
    }
    let again = span.clone();
    drop(span);
    assert_eq!(row(&["often"]), Some((0, 0, 0)), "another handle is left");
    drop(again);
    assert_eq!(row(&["often"]), Some((1, 208, 208)));
    assert_eq!(row(&["often", Task::ACTIVE]), Some((4, 8, 8)));
    assert_eq!(category(&["often"]), "gpu");
    drop(info_span!("never entered"));
    assert_eq!(row(&["never entered"]), None);
}

#[test]
fn a_span_is_the_parent_on_every_thread() {
    let _one = alone();
    let step = info_span!("step");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                // By name, before anyone entered the parent; and by entering that itself.
                info_span!(parent: &step, "worker").in_scope(|| spend(1));
                step.in_scope(|| info_span!("within").in_scope(|| {}));
            });
        }
    });
    // At the top, wherever it is made.
    step.in_scope(|| info_span!(parent: None, "apart").in_scope(|| {}));
    drop(step);
    assert_eq!(row(&["step"]).unwrap().0, 1);
    assert_eq!(row(&["step", Task::ACTIVE]).unwrap().0, 5);
    assert_eq!(row(&["step", "worker"]).unwrap().0, 4);
    assert_eq!(row(&["step", "within"]).unwrap().0, 4);
    assert_eq!(row(&["apart"]).unwrap().0, 1);
    assert_eq!(losses(), Losses::default());
}

#[tracing::instrument(fields(category = "io"))]
async fn request(number: u64) -> u64 {
    spend(3);
    tokio::task::yield_now().await;
    let answer = query(number).instrument(info_span!("query")).await;
    tokio::task::yield_now().await;
    answer
}

async fn query(number: u64) -> u64 {
    drop(section!("lookup"));
    spend(4);
    tokio::task::yield_now().await;
    assert_eq!(Span::current().metadata().unwrap().name(), "query");
    number
}

#[test]
fn instrumented_futures_are_told_apart_in_elapsed_and_busy() {
    const TASKS: u64 = 500;
    let _one = alone();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    runtime.block_on(async {
        let tasks: Vec<_> = (0..TASKS).map(|number| tokio::spawn(request(number))).collect();
        for (number, task) in (0..).zip(tasks) {
            assert_eq!(task.await.unwrap(), number);
        }
    });
    drop(runtime);
    let snapshot = TIMER.snapshot().unwrap();
    let count = |path: &[&str]| snapshot.section(path).unwrap().count();
    assert_eq!(count(&["request"]), TASKS);
    assert_eq!(count(&["request", "query"]), TASKS);
    assert_eq!(count(&["request", "query", "lookup"]), TASKS);
    // At least: `Instrumented` enters its span once more to drop the future.
    assert!(count(&["request", Task::ACTIVE]) >= 4 * TASKS);
    assert!(count(&["request", "query", Task::ACTIVE]) >= 2 * TASKS);
    let elapsed = snapshot.section(&["request"]).unwrap().total();
    let busy = snapshot.section(&["request", Task::ACTIVE]).unwrap().total();
    assert!(busy >= 7 * TASKS && busy <= elapsed, "{busy} of {elapsed}");
    assert_eq!(snapshot.sections().count(), 5);
    assert_eq!(*snapshot.losses(), Losses::default());
}

#[test]
fn exits_in_another_order_corrupt_nothing() {
    let _one = alone();
    let outer = info_span!("outer").entered();
    let inner = info_span!("inner").entered();
    spend(5);
    drop(outer);
    spend(7);
    drop(inner);
    // A span is closed when those within it are.
    assert_eq!(row(&["outer"]), Some((1, 12, 12)));
    assert_eq!(row(&["outer", Task::ACTIVE]), Some((1, 5, 5)));
    assert_eq!(row(&["outer", "inner"]), Some((1, 12, 12)));
    assert_eq!(xtimer_core::with_thread(|context| context.depth()), Some(0));
    let lost = losses();
    assert_eq!((lost.unclosed, lost.not_open), (1, 1));
}

#[test]
fn a_layer_that_is_there_twice_is_survived() {
    let _one = alone();
    let twice =
        tracing_subscriber::registry().with(xtimer_tracing::layer()).with(xtimer_tracing::layer());
    tracing::subscriber::with_default(twice, || info_span!("twice").in_scope(|| spend(1)));
    // Its own time counts as nested in itself, and its active time twice; no more than that.
    assert_eq!(row(&["twice"]), Some((1, 1, 0)));
    assert_eq!(row(&["twice", Task::ACTIVE]), Some((2, 2, 1)));
    assert_eq!(losses(), Losses::default());
    assert_eq!(xtimer_core::with_thread(|context| context.depth()), Some(0));
}

#[test]
fn switched_off_nothing_is_timed() {
    let _one = alone();
    TIMER.set_enabled(false);
    let span = info_span!("off");
    span.in_scope(|| {});
    TIMER.set_enabled(true);
    // It stays untimed; what is within it goes where it would have gone.
    span.in_scope(|| info_span!("within").in_scope(|| {}));
    drop(span);
    assert_eq!(row(&["off"]), None);
    assert_eq!(row(&["within"]).unwrap().0, 1);
}

//! `#[timed]` on functions of all kinds: what is recorded, and that they still are what they were.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use xtimer_core::{Task, TimedExt, default_timer, section, timed};

fn count(path: &[&str]) -> Option<u64> {
    let snapshot = default_timer().unwrap().snapshot().unwrap();
    snapshot.section(path).map(|section| section.count())
}

fn category(path: &[&str]) -> String {
    let snapshot = default_timer().unwrap().snapshot().unwrap();
    snapshot.section(path).unwrap().category().to_owned()
}

/// Polls until it is ready; how often it had to.
fn block_on<F: Future>(future: F) -> (F::Output, u64) {
    let mut future = pin!(future);
    for polls in 1.. {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return (output, polls);
        }
    }
    unreachable!()
}

/// Pending once.
async fn give_way() {
    let mut waited = false;
    std::future::poll_fn(|_| {
        let ready = waited;
        waited = true;
        if ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[timed]
fn plain() -> u32 {
    let _inner = section!("inner");
    7
}

#[timed(name = "a name with spaces", category = "io")]
fn named(early: bool) -> Result<u32, String> {
    if early {
        return Err("early".to_owned());
    }
    let number: u32 = "12".parse().map_err(|_| "no number".to_owned())?;
    Ok(number)
}

#[timed(category = "compute")]
fn generic<'a, T, const N: usize>(items: &'a [T; N]) -> Option<&'a T>
where
    T: Ord + 'a,
{
    items.iter().max()
}

#[timed]
unsafe fn raw(pointer: *const u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { *pointer }
}

#[timed]
extern "C" fn from_c(number: i32) -> i32 {
    number + 1
}

#[timed]
fn r#match() {}

struct Counter {
    count: u32,
}

trait Count {
    fn up(&mut self) -> u32;
    #[timed(name = "twice")]
    fn twice(&mut self) -> u32 {
        self.up();
        self.up()
    }
}

impl Count for Counter {
    #[timed]
    fn up(&mut self) -> u32 {
        self.count += 1;
        self.count
    }
}

impl Counter {
    #[timed(category = "io")]
    async fn wait(&mut self, by: u32) -> u32 {
        give_way().await;
        self.count += by;
        self.count
    }

    #[timed(name = "into")]
    async fn into_count(self) -> u32 {
        self.count
    }
}

#[test]
fn functions_are_sections() {
    assert_eq!(plain() + plain(), 14);
    assert_eq!(count(&["plain"]), Some(2));
    assert_eq!(count(&["plain", "inner"]), Some(2));
    assert_eq!(named(false), Ok(12));
    assert_eq!(named(true), Err("early".to_owned()));
    assert_eq!(count(&["a name with spaces"]), Some(2));
    assert_eq!(category(&["a name with spaces"]), "io");
    assert_eq!(generic(&[1, 3, 2]), Some(&3));
    assert_eq!(generic(&["a"]), Some(&"a"));
    assert_eq!(count(&["generic"]), Some(2));
    // SAFETY: a reference.
    assert_eq!(unsafe { raw(&5) }, 5);
    assert_eq!(from_c(1), 2);
    r#match();
    for name in ["raw", "from_c", "match"] {
        assert_eq!(count(&[name]), Some(1), "{name}");
    }
    let mut counter = Counter { count: 0 };
    assert_eq!(counter.twice(), 2);
    assert_eq!(count(&["twice", "up"]), Some(2));
}

#[timed]
async fn outer(fail: bool) -> Result<u32, std::num::ParseIntError> {
    give_way().await;
    let _ = section!("between");
    let number: u32 = if fail { "x" } else { "5" }.parse()?;
    if number == 0 {
        return Ok(0);
    }
    Ok(number + inner(&number).await)
}

#[timed(category = "io")]
async fn inner<T: Clone + Into<u32> + Sync>(number: &T) -> u32 {
    let _section = section!("copy");
    number.clone().into()
}

#[timed]
async fn opaque() -> impl std::fmt::Display {
    give_way().await;
    "opaque"
}

#[timed(name = "boxed")]
fn boxed<'a>(number: &'a u32) -> Pin<Box<dyn Future<Output = u32> + Send + 'a>> {
    Box::pin(async move {
        give_way().await;
        *number
    })
}

/// Under another name, as in a crate that re-exports it.
mod renamed {
    pub use xtimer_core::*;
}

#[timed(crate = crate::renamed, name = "elsewhere")]
fn through_another_path() {
    #![allow(clippy::let_unit_value)]
    let _unit = ();
}

#[timed(crate = ::xtimer_core)]
async fn attributes_within() {
    #![allow(clippy::let_unit_value)]
    let _unit = give_way().await;
}

#[timed]
async fn never() -> ! {
    loop {
        give_way().await;
    }
}

#[test]
fn every_form_of_a_function_compiles() {
    through_another_path();
    block_on(attributes_within());
    {
        let mut future = pin!(never());
        for _ in 0..3 {
            let _ = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
    }
    for name in ["elsewhere", "attributes_within", "never"] {
        assert_eq!(count(&[name]), Some(1), "{name}");
    }
    assert_eq!(count(&["never", Task::ACTIVE]), Some(4));
}

#[test]
fn async_functions_are_sections_across_their_awaits() {
    let (result, polls) = block_on(outer(false));
    assert_eq!((result, polls), (Ok(10), 2));
    assert!(block_on(outer(true)).0.is_err());
    assert_eq!(count(&["outer"]), Some(2));
    assert_eq!(count(&["outer", Task::ACTIVE]), Some(4));
    assert_eq!(count(&["outer", "between"]), Some(2));
    assert_eq!(count(&["outer", "inner", "copy"]), Some(1));
    assert_eq!(category(&["outer", "inner"]), "io");
    assert_eq!(category(&["outer", "inner", Task::ACTIVE]), "io");
    assert_eq!(block_on(opaque()).0.to_string(), "opaque");
    assert_eq!(count(&["opaque", Task::ACTIVE]), Some(2));
    assert_eq!(block_on(boxed(&3)), (3, 2));
    assert_eq!(count(&["boxed"]), Some(1));
    let mut counter = Counter { count: 0 };
    assert_eq!(block_on(counter.wait(4)).0, 4);
    assert_eq!(block_on(counter.into_count()).0, 4);
    assert_eq!(count(&["wait", Task::ACTIVE]), Some(2));
    assert_eq!(count(&["into"]), Some(1));
}

fn sent<T: Send>(value: T) -> T {
    value
}

#[test]
fn a_future_stays_what_it_was() {
    drop(sent(outer(false)));
    drop(sent(async {}.timed("unit", "io")));
    // Not Send, and no reason to be: a local executor's future.
    let shared = std::rc::Rc::new(3);
    let local = async move { *shared }.timed(String::from("local"), "default");
    assert_eq!(block_on(local), (3, 1));
    assert_eq!(count(&["local"]), Some(1));
    // Polled once more than it should be.
    let mut done = pin!(async {}.timed("done", "io"));
    let mut poll = || done.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(poll().is_ready());
    assert!(poll().is_pending());
    assert_eq!(count(&["done"]), Some(1));
}

#[timed]
async fn wanders() -> u32 {
    let mut sum = 0;
    for _ in 0..20 {
        let _leg = section!("leg");
        sum += 1;
        drop(_leg);
        stop().await;
    }
    sum
}

#[timed(category = "io")]
async fn stop() {
    give_way().await;
    drop(section!("after the stop"));
}

#[test]
fn a_future_may_be_polled_by_another_thread_each_time() {
    let mut future = Box::pin(wanders());
    let mut polls = 0;
    let result = loop {
        // Each thread has something else open.
        let poll = move || {
            let _busy = section!("another thread");
            let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(xtimer_core::with_thread(|context| context.depth()), Some(1));
            (future, polled)
        };
        let (same, polled) = std::thread::spawn(poll).join().unwrap();
        (future, polls) = (same, polls + 1);
        if let Poll::Ready(sum) = polled {
            break sum;
        }
    };
    assert_eq!((result, polls), (20, 21));
    let at = ["another thread", "wanders"]; // where it was polled first
    let path = |rest: &[&'static str]| [&at[..], rest].concat();
    assert_eq!(count(&at), Some(1));
    assert_eq!(count(&path(&[Task::ACTIVE])), Some(21));
    assert_eq!(count(&path(&["leg"])), Some(20));
    assert_eq!(count(&path(&["stop"])), Some(20));
    assert_eq!(count(&path(&["stop", Task::ACTIVE])), Some(40));
    assert_eq!(count(&path(&["stop", "after the stop"])), Some(20));
    assert_eq!(count(&["another thread"]), Some(21));
}

struct TimesItsEnd;
impl Drop for TimesItsEnd {
    fn drop(&mut self) {
        let _end = section!("its end");
    }
}

#[test]
fn a_cancelled_future_is_closed_at_its_drop() {
    let cancelled = async {
        let _value = TimesItsEnd;
        give_way().await;
        unreachable!("it is dropped before");
    };
    {
        let mut future = pin!(cancelled.timed("cancelled", "io"));
        assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(count(&["cancelled"]), Some(0));
    }
    assert_eq!(count(&["cancelled"]), Some(1));
    assert_eq!(count(&["cancelled", Task::ACTIVE]), Some(2), "its poll and its drop");
    assert_eq!(count(&["cancelled", "its end"]), Some(1));
}

#[test]
fn a_panic_leaves_the_stack_as_it_was() {
    let caught = std::panic::catch_unwind(|| {
        let _around = section!("around a panic");
        let panics = async {
            let _open = section!("open");
            give_way_not();
        };
        block_on(panics.timed("panics", "io"));
    });
    assert!(caught.is_err());
    assert_eq!(xtimer_core::with_thread(|context| context.depth()), Some(0));
    assert_eq!(count(&["around a panic", "panics"]), Some(1));
    assert_eq!(count(&["around a panic", "panics", "open"]), Some(1));
}

fn give_way_not() {
    std::panic::resume_unwind(Box::new(()));
}

#[test]
fn a_guard_across_an_await_is_discarded_and_counted() {
    let before = *default_timer().unwrap().snapshot().unwrap().losses();
    let held = async {
        let _held = section!("held");
        give_way().await;
    };
    block_on(held.timed("holder", "io"));
    assert_eq!(count(&["holder"]), Some(1));
    assert_eq!(count(&["holder", "held"]), Some(0));
    let after = *default_timer().unwrap().snapshot().unwrap().losses();
    assert!(after.unclosed > before.unclosed && after.not_open > before.not_open);
    assert_eq!(xtimer_core::with_thread(|context| context.depth()), Some(0));
}

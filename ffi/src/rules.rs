//! Forbidden nestings of the whole process and of single timers.
//!
//! A rule without a timer holds for every timer, those made later included. Timers keep rules in
//! their regions and do not know which are whose; this book does, so that dropping the one kind
//! leaves the other.

use crate::error::{Code, Failure, refuse, refuse_core};
use crate::sync::Lock;
use crate::table::{self, Reference};
use crate::timer::TimerHandle;

/// A rule and whose it is: the process's where the handle is the default timer's.
pub(crate) struct Rule {
    timer: TimerHandle,
    outer: Box<str>,
    inner: Box<str>,
}

pub(crate) static BOOK: Lock<Vec<Rule>> = Lock::new(Vec::new());

fn busy() -> Failure {
    refuse(Code::Busy, format_args!("Another thread is changing the rules; try again."))
}

fn add(timer: &Reference, handle: TimerHandle, outer: &str, inner: &str) -> Result<(), Failure> {
    timer.forbid(outer, inner).map_err(|error| refuse_core(handle, error))
}

/// Forbids a nesting in one timer, or with the default handle in all.
pub(crate) fn forbid(handle: TimerHandle, outer: &str, inner: &str) -> Result<(), Failure> {
    let forbid = |book: &mut Vec<Rule>| {
        add(&table::get(handle)?, handle, outer, inner)?;
        if !book
            .iter()
            .any(|rule| rule.timer == handle && *rule.outer == *outer && *rule.inner == *inner)
        {
            book.push(Rule { timer: handle, outer: outer.into(), inner: inner.into() });
        }
        if handle == TimerHandle::DEFAULT {
            for handle in table::handles() {
                if let Some(timer) = table::find(handle) {
                    add(&timer, handle, outer, inner)?;
                }
            }
        }
        Ok(())
    };
    BOOK.with(forbid).unwrap_or_else(|| Err(busy()))
}

/// Drops the rules of one timer, or with the default handle those of the process.
pub(crate) fn clear(handle: TimerHandle) -> Result<(), Failure> {
    let clear = |book: &mut Vec<Rule>| {
        let timer = table::get(handle)?;
        book.retain(|rule| rule.timer != handle);
        renew(&timer, handle, book)?;
        if handle == TimerHandle::DEFAULT {
            for handle in table::handles() {
                if let Some(timer) = table::find(handle) {
                    renew(&timer, handle, book)?;
                }
            }
        }
        Ok(())
    };
    BOOK.with(clear).unwrap_or_else(|| Err(busy()))
}

/// Gives a timer the rules that hold for it now, and no others.
fn renew(timer: &Reference, handle: TimerHandle, book: &[Rule]) -> Result<(), Failure> {
    timer.clear_rules();
    let holds = |rule: &&Rule| rule.timer == handle || rule.timer == TimerHandle::DEFAULT;
    book.iter().filter(holds).try_for_each(|rule| add(timer, handle, &rule.outer, &rule.inner))
}

/// Puts a new timer into the table, with the process's rules in it.
pub(crate) fn insert(timer: xtimer_core::HostTimer) -> Result<TimerHandle, Failure> {
    let insert = |book: &mut Vec<Rule>| {
        for rule in book.iter().filter(|rule| rule.timer == TimerHandle::DEFAULT) {
            timer.forbid(&rule.outer, &rule.inner).map_err(|error| {
                refuse(
                    Code::of(error),
                    format_args!("The new timer cannot hold the rules of the process: {error}"),
                )
            })?;
        }
        table::insert(timer)
    };
    BOOK.with(insert).unwrap_or_else(|| Err(busy()))
}

/// Forgets the rules of a timer that was destroyed.
pub(crate) fn forget(handle: TimerHandle) {
    // Where the book is taken they stay in it, and hold for nobody.
    let _ = BOOK.with(|book| book.retain(|rule| rule.timer != handle));
}

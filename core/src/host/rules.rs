//! Rules of the whole process: a book of them, and of the host timers that they hold in.
//!
//! A timer keeps them in its own table, marked as the process's, so that enter looks in one place and
//! dropping the one kind leaves the other. The book is for changes alone: making and dropping a
//! timer, adding and dropping rules.

use crate::category::{self, whose};
use crate::clock::Clock;
use crate::config::Config;
use crate::error::Error;
use crate::host::lock::Lock;
use crate::host::{default, fork};
use crate::layout::Layout;
use crate::region::Memory;
use crate::shape::Shape;
use crate::sync::{AtomicU32, Relaxed};
use crate::timer::Timer;

/// A rule of the process.
struct Rule {
    outer: String,
    inner: String,
}

/// Where a host timer keeps its rules.
struct Member {
    region: Memory<'static>,
    layout: Layout,
}

struct Book {
    rules: Vec<Rule>,
    members: Vec<Member>,
}

static BOOK: Lock<Book> = Lock::new(Book { rules: Vec::new(), members: Vec::new() });

/// What a timer leaves the book with. It goes before the timer's memory does.
#[derive(Debug)]
pub(crate) struct Membership {
    region: Memory<'static>,
    /// 1: the timer was destroyed, though its memory is still in use.
    retired: AtomicU32,
}

impl Member {
    fn forbid(&self, outer: &str, inner: &str) -> Result<(), Error> {
        category::forbid(self.region, &self.layout, outer, inner, whose::PROCESS)
            .ok_or(Error::RulesFull)
    }
}

/// Writes a timer into the book, and the process's rules into the timer. The region stays until the
/// membership goes.
pub(crate) fn join(region: Memory<'static>, layout: Layout) -> Result<Membership, Error> {
    fork::watch();
    let join = |book: &mut Book| {
        let member = Member { region, layout };
        book.rules.iter().try_for_each(|rule| member.forbid(&rule.outer, &rule.inner))?;
        book.members.try_reserve(1).map_err(|_| Error::NoMemory)?;
        book.members.push(member);
        Ok(Membership { region, retired: AtomicU32::new(0) })
    };
    BOOK.with(join).unwrap_or(Err(Error::Busy))
}

impl Membership {
    /// Takes the timer out of the book. A second time does nothing.
    fn leave(&self) {
        let leave = |book: &mut Book| {
            book.members.retain(|member| member.region.pointer() != self.region.pointer());
        };
        // Nobody is turned away but a signal handler that drops a timer in the middle of a change of
        // rules, which the allocator does not allow either: better it hangs than frees the memory.
        while BOOK.with(leave).is_none() {
            std::thread::yield_now();
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.leave();
    }
}

impl<S: Shape, C: Clock> Timer<S, C> {
    /// For front ends that keep a timer's memory beyond its use: it records nothing more where it is
    /// enabled, and rules of the process made from now on do not hold in it, nor fail for it.
    #[doc(hidden)]
    pub fn leave_process(&self) {
        self.set_enabled(false);
        if let Some(membership) = &self.membership {
            membership.retired.store(1, Relaxed); // Relaxed: it takes effect when it is seen
            membership.leave();
        }
    }

    /// Whether it left the process.
    pub(crate) fn is_retired(&self) -> bool {
        let membership = self.membership.as_ref();
        membership.is_some_and(|membership| membership.retired.load(Relaxed) != 0) // as above
    }
}

fn copy(text: &str) -> Result<String, Error> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).map_err(|_| Error::NoMemory)?;
    copy.push_str(text);
    Ok(copy)
}

impl Book {
    /// Notes a rule for timers that are made later.
    fn note(&mut self, outer: &str, inner: &str) -> Result<(), Error> {
        if self.rules.iter().any(|rule| rule.outer == outer && rule.inner == inner) {
            return Ok(());
        }
        // The default timer is yet to hold them.
        if default::existing().is_none() && self.rules.len() >= Config::HOST.rules as usize {
            return Err(Error::RulesFull);
        }
        self.rules.try_reserve(1).map_err(|_| Error::NoMemory)?;
        self.rules.push(Rule { outer: copy(outer)?, inner: copy(inner)? });
        Ok(())
    }
}

/// Forbids sections of category `inner` directly inside ones of category `outer` in every host timer
/// of the process, those made later included. A rule that stands already is no error. Rules survive
/// clear, and a fork in its child.
///
/// A timer in a `static` ([`static_timer!`](crate::static_timer)) is none of the process's and keeps
/// to its own rules ([`Timer::forbid`](crate::Timer::forbid)).
///
/// ```
/// use xtimer_core::{Error, HostTimer};
///
/// xtimer_core::forbid("decode", "network")?;
/// let timer = HostTimer::new(xtimer_core::Config::HOST)?;
/// let context = timer.context()?;
/// let frame = context.enter("frame", "decode")?;
/// assert!(matches!(context.enter("fetch", "network"), Err(Error::Forbidden { .. })));
/// context.exit(frame)?;
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// - [`Error::RulesFull`]: it does not fit into some timer; the others keep it, and so do those made
///   later. Or the default timer is not made yet, and could not hold as many
///   ([`Config::HOST`]): nothing changed.
/// - [`Error::NoMemory`]: nothing changed.
/// - [`Error::Busy`], in a signal handler that interrupts a change of rules: nothing changed.
pub fn forbid(outer: &str, inner: &str) -> Result<(), Error> {
    fork::watch();
    let forbid = |book: &mut Book| {
        book.note(outer, inner)?;
        let mut outcome = Ok(());
        for member in &book.members {
            outcome = outcome.and(member.forbid(outer, inner)); // all of them, whoever refuses
        }
        outcome
    };
    BOOK.with(forbid).unwrap_or(Err(Error::Busy))
}

/// Drops the rules of the process; those that timers added for themselves stay.
///
/// ```
/// xtimer_core::forbid("decode", "network").unwrap();
/// xtimer_core::clear_rules().unwrap();
/// let _frame = xtimer_core::section!("frame", "decode");
/// assert!(xtimer_core::section!("fetch", "network").is_entered());
/// ```
///
/// # Errors
/// [`Error::Busy`], in a signal handler that interrupts a change of rules: nothing changed.
pub fn clear_rules() -> Result<(), Error> {
    let clear = |book: &mut Book| {
        book.rules.clear();
        for member in &book.members {
            category::drop_rules(member.region, &member.layout, whose::PROCESS);
        }
    };
    BOOK.with(clear).ok_or(Error::Busy)
}

/// Whether the fork in progress took the book.
static HAS_BOOK: AtomicU32 = AtomicU32::new(0);

/// Takes the book for the time of a fork, so that the child finds it whole and free: its thread is
/// the one that took it. Where that thread is changing it already (the fork is a signal handler's),
/// the interrupted call goes on in parent and child alike.
pub(crate) fn before_fork() {
    HAS_BOOK.store(u32::from(BOOK.take()), Relaxed); // Relaxed: the lock orders it, as below
}

/// Gives it back, in parent and child.
pub(crate) fn after_fork() {
    if HAS_BOOK.swap(0, Relaxed) != 0 {
        BOOK.give_back();
    }
}

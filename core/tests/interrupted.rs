//! A signal handler at every single instruction of what a thread does with its context: it times
//! sections through that same context and reads a snapshot, and the interrupted call never notices.
//!
//! The processor's trap flag raises SIGTRAP after each instruction. Each call is made again and again,
//! and interrupted one instruction later each time, until it ends before the handler's turn.

// Optimised only: a trap costs up to 20 µs on a virtual machine, and each call has ten times the
// instructions without. Late contexts need 64-bit atomics.
#![cfg(all(
    target_os = "linux",
    target_arch = "x86_64",
    not(debug_assertions),
    not(xtimer_narrow)
))]

use std::arch::asm;
use std::cell::{Cell, RefCell};
use std::sync::{Mutex, PoisonError};
use std::{env, ptr};

use xtimer_core::{Config, Error, Sample, Section, Site, Snapshot, Token};

mod stress;
mod wellformed;
use stress::{SharedTimer, ThreadClock, ThreadContext, measure_price, step};
use wellformed::{Page, is_json};

/// At how many instructions, evenly spread, a call of thousands is interrupted, or so many as
/// `XTIMER_INTERRUPTED_TRIES` tells. A trap costs 10 µs and more on some virtual machines.
const TRIES: u64 = 100;
/// The handler's own time, in steps of 7 ticks; main's sections last one step each.
const HANDLER: &str = "handler";

/// What the handler works with, and what it found.
struct Interruption<'t> {
    timer: &'t SharedTimer,
    context: ThreadContext<'t>,
    page: RefCell<Page<16384>>,
    /// Instructions until its turn.
    left: Cell<u64>,
    ran: Cell<bool>,
    /// Whether what it times may be cleared.
    cleared: bool,
    /// Whether it also times a section that main is timing, by the same name.
    same: bool,
    busy: Cell<u64>,
    /// Enters refused because they came in the middle of catching up with a clear.
    refused: Cell<u64>,
    failure: Cell<u32>,
}

thread_local! {
    static CURRENT: Cell<*const Interruption<'static>> = const { Cell::new(ptr::null()) };
}

extern "C" fn on_trap(_: libc::c_int, _: *mut libc::siginfo_t, machine: *mut libc::c_void) {
    // SAFETY: set while the trap flag is on, by the thread that runs this.
    let Some(interruption) = (unsafe { CURRENT.get().as_ref() }) else { return };
    match interruption.left.get() {
        0 => {
            interruption.ran.set(true);
            interruption.handle();
            // SAFETY: the third argument of a handler with SA_SIGINFO is the interrupted context.
            let machine = unsafe { &mut *machine.cast::<libc::ucontext_t>() };
            machine.uc_mcontext.gregs[libc::REG_EFL as usize] &= !TRAP_FLAG;
        }
        left => interruption.left.set(left - 1),
    }
}

const TRAP_FLAG: i64 = 0x100;

/// A trap after each instruction from here on, or no more.
#[inline(always)]
fn set_trap(on: bool) {
    // SAFETY: changes only the trap flag, whose handler is installed; the stack is left as it was.
    unsafe {
        if on {
            asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq");
        } else {
            asm!("pushfq", "and qword ptr [rsp], 0xfffffffffffffeff", "popfq");
        }
    }
}

impl Interruption<'_> {
    fn handle(&self) {
        if self.time().is_none() {
            self.failure.set(line!());
        }
        match self.timer.snapshot() {
            Ok(snapshot) => {
                for section in snapshot.sections() {
                    self.busy.set(self.busy.get() + u64::from(section.is_busy()));
                }
                if !self.page.borrow_mut().fill(snapshot.json()).is_some_and(is_json) {
                    self.failure.set(line!());
                }
            }
            Err(_) => self.failure.set(line!()),
        }
        // As by a second signal that was waiting.
        if self.time().is_none() {
            self.failure.set(line!());
        }
    }

    /// The handler's own sections, by site and by name.
    fn time(&self) -> Option<()> {
        static SITE: Site = Site::new(HANDLER, "signal");
        let outer = match self.context.enter_at(&SITE) {
            Err(Error::Busy) => {
                self.refused.set(self.refused.get() + 1);
                return Some(());
            }
            outer => outer.ok()?,
        };
        step();
        let inner = self.context.enter("within", "signal").ok()?;
        self.context.exit(inner).ok()?;
        self.context.exit(outer).ok()?;
        if self.same {
            let part = self.context.enter_at(&PART).ok()?;
            self.context.exit(part).ok()?;
        }
        Some(())
    }
}

const SMALL: Config =
    Config { sections: 32, depth: 8, lanes: 2, categories: 8, scratch: 2, ..Config::HOST };

/// The same with samples and histograms.
const KEEPING: Config = Config { samples_per_lane: 16, histograms: true, ..SMALL };

/// What a call leaves behind, beneath `main`: paths and how often each was recorded.
type Outcome = &'static [(&'static [&'static str], u64)];

/// One at a time: the tests of this file share the handler's call sites.
static ONE: Mutex<()> = Mutex::new(());

fn small_timer(config: Config) -> SharedTimer {
    let timer = SharedTimer::with_clock(config, ThreadClock).unwrap();
    measure_price(&timer);
    timer
}

/// Makes the call on a timer prepared anew, interrupted at many of its instructions in turn.
fn at_many_instructions(
    config: Config,
    prepare: impl Fn(&ThreadContext<'_>),
    call: impl Fn(&SharedTimer, &ThreadContext<'_>),
    outcome: Outcome,
    cleared: bool,
) {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let tries = env::var("XTIMER_INTERRUPTED_TRIES").map_or(TRIES, |text| text.parse().unwrap());
    let interrupt_at = |instruction| {
        let timer = small_timer(config);
        let context = timer.context().unwrap();
        prepare(&context);
        interrupt(&timer, context, instruction, &call, outcome, cleared)
    };
    let Done::After(instructions) = interrupt_at(u64::MAX) else { panic!("interrupted") };
    for instruction in (0..instructions).step_by((instructions / tries).max(1) as usize) {
        // The number varies a little: a lock or an allocation takes another way.
        interrupt_at(instruction);
    }
}

/// How a call went.
enum Done {
    /// It was interrupted, by a handler that found so many rows busy.
    Interrupted { busy: u64 },
    /// It ended before, after so many instructions.
    After(u64),
}

/// Makes the call, interrupted at one instruction.
fn interrupt(
    timer: &SharedTimer,
    context: ThreadContext<'_>,
    instruction: u64,
    call: impl Fn(&SharedTimer, &ThreadContext<'_>),
    outcome: Outcome,
    cleared: bool,
) -> Done {
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_trap;
    // SAFETY: a zeroed sigaction is one with an empty mask; the handler is async-signal-safe, which
    // is what this test is about.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGTRAP, &raw const action, ptr::null_mut()), 0);
    }
    let interruption = Interruption {
        timer,
        context,
        page: RefCell::new(Page::new()),
        left: Cell::new(instruction),
        ran: Cell::new(false),
        cleared,
        same: ptr::eq(outcome, REPEATED),
        busy: Cell::new(0),
        refused: Cell::new(0),
        failure: Cell::new(0),
    };
    CURRENT.set((&raw const interruption).cast());
    set_trap(true);
    call(timer, &interruption.context);
    set_trap(false);
    CURRENT.set(ptr::null());
    assert_eq!(interruption.failure.get(), 0, "line, at instruction {instruction}");
    check(&interruption, outcome, instruction);
    match interruption.ran.get() {
        true => Done::Interrupted { busy: interruption.busy.get() },
        false => Done::After(instruction - interruption.left.get()),
    }
}

fn check(interruption: &Interruption<'_>, outcome: Outcome, instruction: u64) {
    let snapshot = interruption.timer.snapshot().unwrap();
    let path = |section: &Section<'_>| section.path().map(str::to_owned).collect::<Vec<_>>();
    let (mut handlers, mut parts) = (0, 0);
    for section in snapshot.sections() {
        let at = || format!("{:?}, at instruction {instruction}", path(&section));
        assert!(!section.is_busy(), "{}", at());
        let names = path(&section);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match section.name() {
            HANDLER => {
                handlers += section.count();
                let above = &names[..names.len() - 1];
                let is_known = above.is_empty() || outcome.iter().any(|(known, _)| *known == above);
                assert!(is_known, "{}", at());
                assert_eq!(section.total(), 7 * section.count(), "{}", at());
            }
            "within" => assert_eq!(section.parent().unwrap().name(), HANDLER, "{}", at()),
            "part" if interruption.same => parts += section.count(),
            _ => assert!(outcome.iter().any(|(known, _)| *known == names), "{}", at()),
        }
    }
    for (names, count) in outcome {
        let section = snapshot.section(names).unwrap_or_else(|| panic!("{names:?} {instruction}"));
        let is_count = section.count() == *count || interruption.same;
        assert!(is_count, "{names:?}: {}, at instruction {instruction}", section.count());
    }
    check_kept(interruption.timer, &snapshot, instruction);
    let ran = u64::from(interruption.ran.get());
    if interruption.same {
        // Those of the handler stand beside main's or within them; none is lost.
        assert_eq!(parts, 3 + 2 * ran, "at instruction {instruction}");
    }
    let entered = 2 * ran - interruption.refused.get();
    let is_cleared = interruption.cleared && handlers < entered;
    assert!(is_cleared || handlers == entered, "{handlers}, at instruction {instruction}");
    let counted = snapshot.losses().interrupted;
    assert!(interruption.cleared || counted == interruption.refused.get(), "{counted} counted");
}

/// Of each section: whole samples, each duration kept or counted, each in the histogram.
fn check_kept(timer: &SharedTimer, snapshot: &Snapshot<'_>, instruction: u64) {
    let mut buffer = vec![Sample::default(); timer.samples_bound()];
    let config = timer.config();
    for section in snapshot.sections() {
        let path: Vec<_> = section.path().collect();
        let at = || format!("{path:?}, at instruction {instruction}");
        let samples = timer.samples(&path, &mut buffer).unwrap();
        let all = samples.kept.len() as u64 + samples.dropped;
        assert!(config.samples_per_lane == 0 || all == section.count(), "{}", at());
        // Only one that came in the middle of another's is not kept: the handler's, twice at most.
        assert!(samples.dropped <= 2, "{} dropped {}", at(), samples.dropped);
        let sum: u64 = samples.kept.iter().map(|sample| sample.duration).sum();
        assert!(samples.dropped > 0 || all == 0 || sum == section.total(), "{}", at());
        if let Some(histogram) = section.histogram() {
            let mut sum = 0;
            histogram.for_each(|_, count| sum += count).unwrap();
            assert_eq!(sum, section.count(), "{}", at());
        }
    }
}

fn nest(context: &ThreadContext<'_>, site: &Site) {
    let token = context.enter_at(site).unwrap();
    step();
    context.exit(token).unwrap();
}

static MAIN: Site = Site::new("main", "compute");
static PART: Site = Site::new("part", "compute");

/// What it leaves behind.
const REPEATED: Outcome = &[(&["main"], 0), (&["main", "part"], 3)];

/// The fast path, at each of its instructions, on one timer: call sites remember only so many.
#[test]
fn of_a_repeated_enter_and_exit() {
    repeated(SMALL);
}

#[test]
fn of_a_repeated_enter_and_exit_with_samples_and_histograms() {
    repeated(KEEPING);
}

fn repeated(config: Config) {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let timer = small_timer(config);
    let call = |_: &SharedTimer, context: &ThreadContext<'_>| {
        nest(context, &PART);
        nest(context, &PART);
    };
    for instruction in 0.. {
        timer.clear().unwrap();
        let context = timer.context().unwrap();
        let _main = context.enter_at(&MAIN).unwrap();
        nest(&context, &PART);
        match interrupt(&timer, context, instruction, call, REPEATED, false) {
            // The exit that it interrupts, it reads whole.
            Done::Interrupted { busy } => assert_eq!(busy, 0, "at instruction {instruction}"),
            Done::After(instructions) => {
                println!("{instructions} instructions");
                assert!(instructions > 50);
                return;
            }
        }
    }
}

#[test]
fn of_a_first_enter() {
    let call = |_: &SharedTimer, context: &ThreadContext<'_>| {
        let main = context.enter("main", "io").unwrap();
        let part = context.enter_counted("part", 3, "compute").unwrap();
        context.exit(part).unwrap();
        context.exit(main).unwrap();
    };
    let outcome: Outcome = &[(&["main"], 1), (&["main", "part[3]"], 1)];
    at_many_instructions(SMALL, |_| (), call, outcome, false);
}

#[test]
fn of_a_change_of_category() {
    let prepare = |context: &ThreadContext<'_>| {
        let _main = context.enter_at(&MAIN).unwrap();
        nest(context, &PART);
    };
    let call = |_: &SharedTimer, context: &ThreadContext<'_>| {
        let part = context.enter("part", "another").unwrap();
        context.exit(part).unwrap();
    };
    let outcome: Outcome = &[(&["main"], 0), (&["main", "part"], 2)];
    at_many_instructions(SMALL, prepare, call, outcome, false);
}

#[test]
fn of_an_exit_that_discards() {
    let prepare = |context: &ThreadContext<'_>| {
        let _main = context.enter_at(&MAIN).unwrap();
    };
    let call = |_: &SharedTimer, context: &ThreadContext<'_>| {
        let part = context.enter_at(&PART).unwrap();
        let _left_open = context.enter("open", "io").unwrap();
        assert!(matches!(context.exit(part), Err(Error::Unclosed { .. })));
        assert_eq!(context.exit(part), Err(Error::NotOpen));
        context.exit(Token::NULL).unwrap();
    };
    let outcome: Outcome =
        &[(&["main"], 0), (&["main", "part"], 1), (&["main", "part", "open"], 0)];
    at_many_instructions(SMALL, prepare, call, outcome, false);
}

#[test]
fn of_recording_and_detached_sections() {
    let prepare = |context: &ThreadContext<'_>| {
        let _main = context.enter_at(&MAIN).unwrap();
    };
    let call = |_: &SharedTimer, context: &ThreadContext<'_>| {
        context.record("measured", "gpu", 70).unwrap();
        let detached = context.detach(None, "part", "io").unwrap();
        context.finish(detached).unwrap();
    };
    let outcome: Outcome = &[(&["main"], 0), (&["main", "measured"], 1), (&["main", "part"], 1)];
    for config in [SMALL, KEEPING] {
        at_many_instructions(config, prepare, call, outcome, false);
    }
}

#[test]
fn of_switches() {
    static OTHER: Site = Site::new("other", "compute");
    let outcome: Outcome = &[(&["main"], 2), (&["main", "part"], 4), (&["main", "other"], 2)];
    let phases = |context: &ThreadContext<'_>| {
        let main = context.enter_at(&MAIN).unwrap();
        let mut phase = context.enter_at(&PART).unwrap();
        context.switch_at(&mut phase, &OTHER).unwrap();
        step();
        context.switch(&mut phase, "part", "compute").unwrap();
        context.exit(phase).unwrap();
        context.exit(main).unwrap();
    };
    let call = |_: &SharedTimer, context: &ThreadContext<'_>| phases(context);
    for config in [SMALL, KEEPING] {
        at_many_instructions(config, phases, call, outcome, false);
    }
}

#[test]
fn of_a_snapshot() {
    let prepare = |context: &ThreadContext<'_>| {
        let _main = context.enter_at(&MAIN).unwrap();
        nest(context, &PART);
    };
    let call = |timer: &SharedTimer, _: &ThreadContext<'_>| {
        let snapshot = timer.snapshot().unwrap();
        assert_eq!(snapshot.section(&["main", "part"]).unwrap().total(), 7);
    };
    let outcome: Outcome = &[(&["main"], 0), (&["main", "part"], 1)];
    at_many_instructions(SMALL, prepare, call, outcome, false);
}

#[test]
fn of_a_late_context() {
    // The only lane is taken.
    let config = Config { lanes: 1, ..SMALL };
    let call = |timer: &SharedTimer, _: &ThreadContext<'_>| {
        let late = timer.context().unwrap();
        assert!(late.is_late());
        let main = late.enter_at(&MAIN).unwrap();
        nest(&late, &PART);
        late.exit(main).unwrap();
    };
    let outcome: Outcome = &[(&["main"], 1), (&["main", "part"], 1)];
    at_many_instructions(config, |_| (), call, outcome, false);
}

/// What a handler records while its thread takes notice of a clear may go with what was cleared.
#[test]
fn of_the_first_enter_after_a_clear() {
    let prepare = |context: &ThreadContext<'_>| nest(context, &MAIN);
    let call = |timer: &SharedTimer, context: &ThreadContext<'_>| {
        timer.clear().unwrap();
        nest(context, &MAIN);
    };
    for config in [SMALL, Config { histograms: false, ..KEEPING }] {
        at_many_instructions(config, prepare, call, &[(&["main"], 1)], true);
    }
}

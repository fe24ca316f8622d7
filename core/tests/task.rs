//! Tasks that run in turns on several contexts, with a clock that moves as it is told.

use xtimer_core::{
    Config, Error, Line, Losses, ManualClock, Path, Sample, Shape, Task, TimedExt as _, Timer,
    Token,
};

type Manual<'c> = Timer<Line, &'c ManualClock>;

fn timer(clock: &ManualClock, config: Config) -> Manual<'_> {
    Timer::with_clock(config, clock).unwrap()
}

/// Count, total and exclusive time of a section.
fn row<S: Shape>(timer: &Timer<S, &ManualClock>, path: &[&str]) -> Option<(u64, u64, u64)> {
    let snapshot = timer.snapshot().unwrap();
    let section = snapshot.section(path)?;
    Some((section.count(), section.total(), section.exclusive().unwrap()))
}

#[test]
fn elapsed_and_active_are_told_apart() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config::HOST);
    let (first, second) = (timer.context().unwrap(), timer.context().unwrap());

    let mut task = first.begin_task(None, "request", "io").unwrap();
    clock.advance(5); // begun, not running yet
    let turn = first.resume(&mut task).unwrap();
    clock.advance(10);
    let parse = first.enter("parse", "compute").unwrap();
    clock.advance(20);
    first.exit(parse).unwrap();
    first.pause(&mut task, turn).unwrap();
    clock.advance(100); // waiting
    // It goes on elsewhere, within a section of that thread's own.
    let looping = second.enter("loop", "default").unwrap();
    clock.advance(1);
    let turn = second.resume(&mut task).unwrap();
    assert_eq!(second.current_path(), task.path());
    let parse = second.enter("parse", "compute").unwrap();
    clock.advance(40);
    second.exit(parse).unwrap();
    second.pause(&mut task, turn).unwrap();
    clock.advance(2);
    second.exit(looping).unwrap();
    second.finish_task(task).unwrap();

    // All but the sections that nested in its turns is its own: work and waiting.
    assert_eq!(row(&timer, &["request"]), Some((1, 178, 118)));
    assert_eq!(row(&timer, &["request", Task::ACTIVE]), Some((2, 70, 10)));
    assert_eq!(row(&timer, &["request", "parse"]), Some((2, 60, 60)));
    // Its turn was nested in the loop, on that stack.
    assert_eq!(row(&timer, &["loop"]), Some((1, 43, 3)));
    let snapshot = timer.snapshot().unwrap();
    let request = snapshot.section(&["request"]).unwrap();
    assert!(!request.is_exceeded(), "what it ran and the sections within that are one time");
    let active = snapshot.section(&["request", Task::ACTIVE]).unwrap();
    assert_eq!((active.category(), active.min(), active.max()), ("io", Some(30), Some(40)));
    // Neither category counts anything twice.
    assert_eq!(snapshot.category_total("io"), 178);
    assert_eq!(snapshot.category_total("compute"), 60);
    assert_eq!(snapshot.total(), 178 + 43);
    assert_eq!(*snapshot.losses(), Losses::default());
}

#[test]
fn tasks_take_turns_on_one_stack_and_within_each_other() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config::HOST);
    let context = timer.context().unwrap();
    let mut outer = context.begin_task(None, "outer", "default").unwrap();
    let turn = context.resume(&mut outer).unwrap();
    // Begun and first run within the outer one's turn: its section lies beneath.
    let mut inner = context.begin_task(None, "inner", "default").unwrap();
    for _ in 0..2 {
        let nested = context.resume(&mut inner).unwrap();
        clock.advance(10);
        context.pause(&mut inner, nested).unwrap();
    }
    context.pause(&mut outer, turn).unwrap();
    clock.advance(1000);
    let turn = context.resume(&mut outer).unwrap();
    let nested = context.resume(&mut inner).unwrap();
    clock.advance(30);
    context.pause(&mut inner, nested).unwrap();
    context.finish_task(inner).unwrap();
    clock.advance(1);
    context.pause(&mut outer, turn).unwrap();
    context.finish_task(outer).unwrap();

    assert_eq!(row(&timer, &["outer", "inner"]), Some((1, 1050, 1050)));
    assert_eq!(row(&timer, &["outer", "inner", Task::ACTIVE]), Some((3, 50, 50)));
    assert_eq!(row(&timer, &["outer"]), Some((1, 1051, 1001)));
    assert_eq!(row(&timer, &["outer", Task::ACTIVE]), Some((2, 51, 1)));
    assert_eq!(context.depth(), 0);
}

#[test]
fn what_a_turn_leaves_open_is_unclosed_and_nothing_else_is_touched() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config::HOST);
    let context = timer.context().unwrap();
    let around = context.enter("around", "default").unwrap();
    let mut task = context.begin_task(None, "task", "default").unwrap();
    let turn = context.resume(&mut task).unwrap();
    let left = context.enter("left", "default").unwrap();
    clock.advance(7);
    assert!(matches!(context.pause(&mut task, turn), Err(Error::Unclosed { .. })));
    assert_eq!(context.exit(left), Err(Error::NotOpen));
    assert_eq!(context.pause(&mut task, turn), Err(Error::NotOpen));
    // A token of something else, and one of another context.
    assert_eq!(context.pause(&mut task, around), Err(Error::NotOpen));
    let other = timer.context().unwrap();
    let turn = context.resume(&mut task).unwrap();
    assert_eq!(other.pause(&mut task, turn), Err(Error::OtherContext));
    context.pause(&mut task, turn).unwrap();
    context.finish_task(task).unwrap();
    context.exit(around).unwrap();
    assert_eq!(row(&timer, &["around", "task", "left"]), Some((0, 0, 0)));
    assert_eq!(row(&timer, &["around", "task", Task::ACTIVE]), Some((2, 7, 7)));
    assert_eq!(row(&timer, &["around"]), Some((1, 7, 0)));
}

#[test]
fn a_running_task_is_open_and_a_waiting_one_is_not() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config::HOST);
    let context = timer.context().unwrap();
    let mut task = context.begin_task(None, "task", "default").unwrap();
    let open = || timer.snapshot().unwrap().section(&["task"]).unwrap().open();
    assert_eq!(open(), 0);
    // On a context that never had anything to do with it.
    let other = timer.context().unwrap();
    for context in [&context, &other] {
        let turn = context.resume(&mut task).unwrap();
        assert_eq!(open(), 1);
        context.pause(&mut task, turn).unwrap();
        assert_eq!(open(), 0);
    }
    // Never finished: entered, without time.
    let _ = task;
    assert_eq!(row(&timer, &["task"]), Some((0, 0, 0)));
}

#[test]
fn a_task_begun_before_a_clear_is_not_recorded() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config::HOST);
    let context = timer.context().unwrap();
    let mut old = context.begin_task(None, "task", "default").unwrap();
    let turn = context.resume(&mut old).unwrap();
    clock.advance(1);
    timer.clear().unwrap();
    let child = context.enter("child", "default").unwrap();
    clock.advance(2);
    context.exit(child).unwrap();
    context.pause(&mut old, turn).unwrap();
    let turn = context.resume(&mut old).unwrap();
    let child = context.enter("child", "default").unwrap();
    clock.advance(3);
    context.exit(child).unwrap();
    context.pause(&mut old, turn).unwrap();
    assert_eq!(row(&timer, &["task"]), None);
    assert_eq!(row(&timer, &["task", Task::ACTIVE]), None);
    assert_eq!(row(&timer, &["task", "child"]), Some((2, 5, 5)));
    assert_eq!(timer.snapshot().unwrap().total(), 5, "it shows as top-level");
    // A new task of the same path is recorded, and what is left of the old one is not.
    let mut new = context.begin_task(None, "task", "default").unwrap();
    for (task, open) in [(&mut new, 1), (&mut old, 0)] {
        let turn = context.resume(task).unwrap();
        assert_eq!(timer.snapshot().unwrap().section(&["task"]).unwrap().open(), open);
        clock.advance(10);
        context.pause(task, turn).unwrap();
    }
    context.finish_task(old).unwrap();
    context.finish_task(new).unwrap();
    assert_eq!(row(&timer, &["task"]), Some((1, 20, 20)));
    assert_eq!(row(&timer, &["task", Task::ACTIVE]), Some((1, 10, 10)));
}

#[test]
fn refused_or_switched_off_a_task_does_nothing() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config::HOST);
    let context = timer.context().unwrap();
    timer.forbid("gpu", "io").unwrap();
    timer.forbid("gpu", "gpu").unwrap();
    let outer = context.enter("kernel", "gpu").unwrap();
    assert!(matches!(context.begin_task(None, "read", "io"), Err(Error::Forbidden { .. })));
    context.exit(outer).unwrap();
    // What nests in a turn is beneath the task's category; its own child is under no rule.
    let mut task = context.begin_task(None, "stream", "gpu").unwrap();
    let turn = context.resume(&mut task).unwrap();
    assert!(matches!(context.enter("read", "io"), Err(Error::Forbidden { .. })));
    context.pause(&mut task, turn).unwrap();
    context.finish_task(task).unwrap();
    assert_eq!(row(&timer, &["stream", Task::ACTIVE]), Some((1, 0, 0)));

    timer.set_enabled(false);
    let mut task = context.begin_task(None, "off", "default").unwrap();
    assert!(task.is_null());
    timer.set_enabled(true);
    let turn = context.resume(&mut task).unwrap();
    assert_eq!(turn, Token::NULL);
    context.pause(&mut task, turn).unwrap();
    context.finish_task(task).unwrap();
    assert_eq!(row(&timer, &["off"]), None);
    let other = Manual::with_clock(Config::HOST, &clock).unwrap();
    let mut foreign = other.context().unwrap().begin_task(None, "foreign", "default").unwrap();
    assert_eq!(context.resume(&mut foreign), Err(Error::OtherTimer));
    assert_eq!(context.finish_task(foreign), Err(Error::OtherTimer));
}

#[test]
fn where_the_table_is_full_totals_stay_exact() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config { sections: 1, ..Config::HOST });
    let (begins, runs) = (timer.context().unwrap(), timer.context().unwrap());
    let step = |context: &xtimer_core::Context<'_, Line, &ManualClock>, task: &mut Task| {
        let turn = context.resume(task).unwrap();
        let child = context.enter("child", "compute").unwrap();
        clock.advance(10);
        context.exit(child).unwrap();
        context.pause(task, turn).unwrap();
        clock.advance(5);
    };
    // The first task has the one section there is; its child (active), and all else, has none.
    for name in ["fits", "lost"] {
        let mut task = begins.begin_task(Some(Path::ROOT), name, "io").unwrap();
        step(&begins, &mut task);
        step(&runs, &mut task);
        runs.finish_task(task).unwrap();
    }
    let snapshot = timer.snapshot().unwrap();
    assert_eq!(snapshot.section(&["fits"]).unwrap().total(), 30);
    assert_eq!(snapshot.total(), 60);
    assert_eq!(snapshot.category_total("io"), 60);
    assert_eq!(snapshot.category_total("compute"), 40);
    assert!(snapshot.losses().no_slot > 0);
}

// Late contexts need 64-bit atomics.
#[cfg(not(xtimer_narrow))]
#[test]
fn late_contexts_run_tasks_as_well() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config { lanes: 1, ..Config::HOST });
    let (own, late) = (timer.context().unwrap(), timer.context().unwrap());
    assert!(late.is_late());
    let mut task = own.begin_task(None, "task", "default").unwrap();
    for context in [&own, &late, &own, &late] {
        let turn = context.resume(&mut task).unwrap();
        let child = context.enter("child", "default").unwrap();
        clock.advance(10);
        context.exit(child).unwrap();
        clock.advance(1);
        context.pause(&mut task, turn).unwrap();
    }
    late.finish_task(task).unwrap();
    assert_eq!(row(&timer, &["task"]), Some((1, 44, 4)));
    assert_eq!(row(&timer, &["task", Task::ACTIVE]), Some((4, 44, 4)));
    assert_eq!(row(&timer, &["task", "child"]), Some((4, 40, 40)));
}

#[test]
fn a_full_stack_leaves_the_turn_in_the_deepest_section() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config { depth: 2, ..Config::HOST });
    let context = timer.context().unwrap();
    let mut task = context.begin_task(None, "task", "default").unwrap();
    let open = [context.enter("a", "default").unwrap(), context.enter("b", "default").unwrap()];
    assert!(matches!(context.resume(&mut task), Err(Error::TooDeep { .. })));
    clock.advance(4);
    context.pause(&mut task, Token::NULL).unwrap();
    for token in open.into_iter().rev() {
        context.exit(token).unwrap();
    }
    context.finish_task(task).unwrap();
    assert_eq!(row(&timer, &["a", "b"]), Some((1, 4, 4)));
    assert_eq!(row(&timer, &["task"]), Some((1, 4, 4)));
    assert_eq!(timer.snapshot().unwrap().losses().too_deep, 1);
}

#[test]
fn without_active_time_the_elapsed_one_is_the_same() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config::HOST);
    let context = timer.context().unwrap();
    let mut task = context.begin_task(None, "task", "default").unwrap().elapsed_only();
    for _ in 0..2 {
        let turn = context.resume(&mut task).unwrap();
        let child = context.enter("child", "default").unwrap();
        clock.advance(10);
        context.exit(child).unwrap();
        context.pause(&mut task, turn).unwrap();
        clock.advance(1);
    }
    context.finish_task(task).unwrap();
    assert_eq!(row(&timer, &["task"]), Some((1, 22, 2)));
    assert_eq!(row(&timer, &["task", "child"]), Some((2, 20, 20)));
    assert_eq!(row(&timer, &["task", Task::ACTIVE]), None);
}

#[test]
fn a_token_of_the_same_section_is_no_turn_of_its_own() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config::HOST);
    let context = timer.context().unwrap();
    let mut task = context.begin_task(None, "task", "default").unwrap();
    let entered = context.enter("task", "default").unwrap();
    clock.advance(3);
    // Taken for a turn that was never begun: closed, in nobody's time.
    context.pause(&mut task, entered).unwrap();
    context.finish_task(task).unwrap();
    assert_eq!(context.depth(), 0);
    assert_eq!(row(&timer, &["task"]), Some((1, 3, 3)));
    assert_eq!(row(&timer, &["task", Task::ACTIVE]), None);
}

#[test]
fn each_turn_and_each_task_is_a_sample() {
    let clock = ManualClock::new(64);
    let timer = timer(&clock, Config { samples_per_lane: 16, ..Config::HOST });
    let context = timer.context().unwrap();
    clock.advance(100);
    let mut task = context.begin_task(None, "task", "default").unwrap();
    for _ in 0..2 {
        clock.advance(5);
        let turn = context.resume(&mut task).unwrap();
        clock.advance(10);
        context.pause(&mut task, turn).unwrap();
    }
    context.finish_task(task).unwrap();
    let mut buffer = vec![Sample::default(); timer.samples_bound()];
    let mut samples = |path: &[&str]| -> Vec<_> {
        let found = timer.samples(path, &mut buffer).unwrap();
        found.kept.iter().map(|sample| (sample.start, sample.duration)).collect()
    };
    assert_eq!(samples(&["task"]), [(100, 30)]);
    assert_eq!(samples(&["task", Task::ACTIVE]), [(105, 10), (120, 10)]);
}

#[test]
fn a_future_that_was_never_polled_leaves_no_trace() {
    drop(async {}.timed("never polled", "io"));
    let timer = xtimer_core::default_timer().unwrap();
    assert!(timer.snapshot().unwrap().section(&["never polled"]).is_none());
}

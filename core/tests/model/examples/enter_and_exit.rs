//! "Enter and exit", and the run-time switch.

use super::*;

#[test]
fn a_section_is_recorded_from_its_first_enter_on() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "io");
    bench.time(0, "b", "io", 3);
    assert_eq!(bench.shown(), ["a io 0 0/0", "a>b io 1 3/3"]);
    assert_eq!(bench.0.snapshot().row(&["a"]).map(|row| row.open), Some(1));
    // It counts as an ancestor while its own time is still 0.
    assert_eq!(bench.0.snapshot().total, 0);
    assert_eq!(bench.0.snapshot().category_total("io"), 0);
    assert_eq!(bench.exit(4, 0, a), Outcome::Done);
    assert_eq!(bench.shown(), ["a io 1 7/4", "a>b io 1 3/3"]);
    assert_eq!(bench.0.snapshot().total, 7);
    assert_eq!(bench.0.snapshot().row(&["a"]).map(|row| row.open), Some(0));
}

#[test]
fn a_refused_enter_leaves_no_trace() {
    let mut bench = Bench::new(Limits { depth: 1, ..ROOMY });
    bench.0.apply(&Call::Forbid { outer: "cpu", inner: "io" });
    let a = bench.enter(0, "a", "cpu");
    let before = bench.0.snapshot();
    assert_eq!(bench.0.apply(&enter(0, "b", "new")), refused(Refusal::TooDeep));
    let call = Call::Record { context: 0, name: "c", category: Some("io"), ticks: 5 };
    assert_eq!(bench.0.apply(&call), refused(Refusal::Forbidden));
    let after = bench.0.snapshot();
    assert_eq!((&before.rows, before.total), (&after.rows, after.total));
    assert_eq!(bench.0.model().paths_in_table(), 1);
    assert!(!bench.0.model().categories().contains_key("new"));
    assert_eq!((after.losses.too_deep, after.losses.forbidden), (1, 1));
    assert_eq!(bench.exit(6, 0, a), Outcome::Done);
    assert_eq!(bench.shown(), ["a cpu 1 6/6"]);
}

#[test]
fn repeated_entries_add_to_one_section() {
    let mut bench = Bench::new(ROOMY);
    for ticks in [5, 2, 9] {
        bench.time(0, "a", "io", ticks);
    }
    bench.time(1, "a", "io", 4);
    let section = bench.0.snapshot().rows[0].section;
    let expected = Section {
        first: 1,
        count: 4,
        total: 20,
        exclusive: 20,
        min: 2,
        max: 9,
        squares: 25 + 4 + 81 + 16,
    };
    assert_eq!(section, expected);
}

#[test]
fn exclusive_time_lacks_what_was_nested_on_the_same_stack_only() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "io");
    let path = bench.path(0);
    bench.time(0, "b", "io", 3);
    // Beneath it elsewhere, recorded into it, detached from it: beside it.
    assert_eq!(bench.beneath(1, path, "c", "io"), Outcome::Token(2));
    assert_eq!(bench.exit(5, 1, 2), Outcome::Done);
    bench.0.apply(&Call::Record { context: 0, name: "d", category: Some("io"), ticks: 100 });
    let call = Call::BeginDetached { context: 0, name: "e", category: Some("io") };
    assert_eq!(bench.0.apply(&call), Outcome::Detached(0));
    assert_eq!(bench.after(2, Call::EndDetached { context: 1, detached: 0 }), Outcome::Done);
    bench.exit(0, 0, a);
    let rows = ["a io 1 10/7", "a>b io 1 3/3", "a>c io 1 5/5", "a>d io 1 100/100", "a>e io 1 2/2"];
    assert_eq!(bench.shown(), rows);
}

#[test]
fn exit_discards_what_is_open_inside() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "io");
    let b = bench.enter(0, "b", "io");
    bench.time(0, "c", "io", 2);
    bench.enter(0, "d", "io");
    let unclosed = Outcome::Unclosed { outer: "a".into(), inner: vec!["b".into(), "d".into()] };
    assert_eq!(bench.exit(5, 0, a), unclosed);
    // What was discarded is not taken off the exclusive time around it, what closed inside it is.
    assert_eq!(bench.shown(), ["a io 1 7/5", "a>b io 0 0/0", "a>b>c io 1 2/2", "a>b>d io 0 0/0"]);
    assert_eq!(bench.0.snapshot().losses.unclosed, 2);
    assert_eq!(bench.exit(1, 0, b), refused(Refusal::NotOpen));
}

#[test]
fn a_token_that_is_not_open_is_refused_and_changes_nothing() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "io");
    bench.exit(1, 0, a);
    let again = bench.enter(0, "a", "io");
    let before = bench.shown();
    assert_eq!(bench.exit(1, 0, a), refused(Refusal::NotOpen)); // stale
    assert_eq!(bench.exit(1, 1, again), refused(Refusal::OtherContext)); // of another context
    assert_eq!(bench.shown(), before);
    assert_eq!(bench.0.snapshot().losses.not_open, 2);
    assert_eq!(bench.exit(1, 0, again), Outcome::Done);
    assert_eq!(bench.shown(), ["a io 2 4/4"]);
}

#[test]
fn the_null_token_is_ignored() {
    let mut bench = Bench::new(ROOMY);
    bench.enter(0, "a", "io");
    assert_eq!(bench.0.apply(&Call::Exit { context: 0, token: None }), Outcome::Done);
    assert_eq!(bench.0.model().open_tokens(0).len(), 1);
    assert_eq!(bench.0.snapshot().losses, Losses::default());
}

#[test]
fn a_record_goes_to_the_child_of_the_current_path() {
    let mut bench = Bench::new(ROOMY);
    let call = Call::Record { context: 0, name: "gpu", category: None, ticks: 8 };
    bench.0.apply(&call);
    bench.enter(0, "a", "io");
    bench.0.apply(&call);
    bench.0.apply(&call);
    assert_eq!(bench.shown(), ["gpu default 1 8/8", "a io 0 0/0", "a>gpu default 2 16/16"]);
}

#[test]
fn a_section_beneath_a_path_may_outlive_it() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "io");
    let path = bench.path(0);
    bench.exit(1, 0, a);
    bench.beneath(1, path, "b", "cpu");
    bench.time(1, "c", "cpu", 4);
    bench.exit(6, 1, 1);
    assert_eq!(bench.shown(), ["a io 1 1/1", "a>b cpu 1 10/6", "a>b>c cpu 1 4/4"]);
    assert_eq!(bench.0.snapshot().total, 1);
}

#[test]
fn the_root_is_a_path_too() {
    let mut bench = Bench::new(ROOMY);
    let path = bench.path(0);
    bench.enter(1, "a", "io");
    let Outcome::Token(b) = bench.beneath(1, path, "b", "io") else { panic!("refused") };
    bench.exit(3, 1, b);
    assert_eq!(bench.shown(), ["a io 0 0/0", "b io 1 3/3"]);
    assert_eq!(bench.0.snapshot().total, 3);
}

#[test]
fn a_released_context_counts_its_open_sections() {
    let mut bench = Bench::new(ROOMY);
    bench.enter(0, "a", "io");
    bench.time(0, "b", "io", 2);
    bench.enter(0, "c", "io");
    bench.0.apply(&Call::Release { context: 0 });
    assert_eq!(bench.0.snapshot().losses.unclosed, 2);
    assert_eq!(bench.shown(), ["a io 0 0/0", "a>b io 1 2/2", "a>c io 0 0/0"]);
    assert!(bench.0.snapshot().rows.iter().all(|row| row.open == 0));
    assert_eq!(bench.0.model().live_contexts(), [1]);
    assert_eq!(bench.0.apply(&Call::OpenContext), Outcome::Context(2));
    bench.time(2, "a", "io", 1);
    assert_eq!(bench.shown()[0], "a io 1 1/1");
}

#[test]
fn off_means_null_and_open_sections_still_close() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "io");
    bench.0.apply(&Call::Disable);
    assert_eq!(bench.0.apply(&enter(0, "b", "io")), Outcome::Off);
    assert_eq!(
        bench.0.apply(&Call::BeginDetached { context: 0, name: "b", category: None }),
        Outcome::Off
    );
    let record = Call::Record { context: 0, name: "b", category: None, ticks: 1 };
    assert_eq!(bench.0.apply(&record), Outcome::Off);
    bench.exit(4, 0, a);
    bench.0.apply(&Call::Enable);
    bench.time(0, "b", "io", 1);
    assert_eq!(bench.shown(), ["a io 1 4/4", "b io 1 1/1"]);
}

fn switch(bench: &mut Bench, ticks: u64, token: Option<usize>, name: &'static str) -> Outcome {
    bench.after(ticks, Call::Switch { context: 0, token, name, category: Some("io") })
}

/// What a switch came to that closed one section and opened another.
fn switched(closed: Outcome, next: Outcome) -> Outcome {
    Outcome::Switched(Box::new((closed, next)))
}

#[test]
fn a_switch_closes_a_section_and_opens_its_sibling_at_the_same_tick() {
    let mut bench = Bench::new(ROOMY);
    let outer = bench.enter(0, "a", "io");
    // With nothing to close yet.
    assert_eq!(switch(&mut bench, 1, None, "b"), Outcome::Token(1));
    assert_eq!(switch(&mut bench, 3, Some(1), "c"), switched(Outcome::Done, Outcome::Token(2)));
    bench.time(0, "d", "io", 2);
    assert_eq!(switch(&mut bench, 5, Some(2), "b"), switched(Outcome::Done, Outcome::Token(4)));
    bench.exit(11, 0, 4);
    bench.exit(0, 0, outer);
    let rows = ["a io 1 22/1", "a>b io 2 14/14", "a>c io 1 7/5", "a>c>d io 1 2/2"];
    assert_eq!(bench.shown(), rows);
    // It is closed by now, and nothing is opened.
    assert_eq!(switch(&mut bench, 0, Some(4), "e"), refused(Refusal::NotOpen));
    assert_eq!(bench.shown(), rows);
}

#[test]
fn a_switch_that_opens_nothing_closes_all_the_same() {
    let mut bench = Bench::new(ROOMY);
    bench.0.apply(&Call::Forbid { outer: "cpu", inner: "io" });
    let outer = bench.enter(0, "a", "cpu");
    let phase = bench.enter(0, "b", "gpu");
    bench.enter(0, "c", "gpu");
    let unclosed = Outcome::Unclosed { outer: "b".into(), inner: vec!["c".into()] };
    let outcome = switch(&mut bench, 3, Some(phase), "d");
    assert_eq!(outcome, switched(unclosed, refused(Refusal::Forbidden)));
    let phase = bench.enter(0, "e", "gpu");
    bench.0.apply(&Call::Disable);
    assert_eq!(switch(&mut bench, 2, Some(phase), "f"), switched(Outcome::Done, Outcome::Off));
    bench.exit(1, 0, outer);
    let rows = ["a cpu 1 6/1", "a>b gpu 1 3/3", "a>b>c gpu 0 0/0", "a>e gpu 1 2/2"];
    assert_eq!(bench.shown(), rows);
}

#[test]
fn the_sibling_of_a_section_beneath_a_path_is_beneath_that_path() {
    let mut bench = Bench::new(ROOMY);
    bench.enter(1, "a", "io");
    let path = bench.path(1);
    bench.enter(0, "b", "io");
    assert_eq!(bench.beneath(0, path, "c", "io"), Outcome::Token(2));
    assert_eq!(switch(&mut bench, 3, Some(2), "d"), switched(Outcome::Done, Outcome::Token(3)));
    bench.exit(4, 0, 3);
    assert_eq!(bench.shown(), ["a io 0 0/0", "a>c io 1 3/3", "a>d io 1 4/4", "b io 0 0/0"]);
}

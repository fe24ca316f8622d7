//! The loss contract: full tables, base names, nesting too deep.

use super::*;

#[test]
fn a_full_table_keeps_totals_exact() {
    let mut bench = Bench::new(Limits { sections: 1, ..ROOMY });
    let a = bench.enter(0, "a", "io");
    let b = bench.enter(0, "b", "cpu"); // outer
    bench.time(0, "c", "io", 2); // inner: a is io
    bench.time(0, "d", "cpu", 3); // inner: b is cpu
    bench.exit(1, 0, b);
    bench.exit(1, 0, a);
    bench.time(0, "e", "io", 10); // top
    assert_eq!(bench.shown(), ["a io 1 7/1"]); // b is nested in it all the same
    let snapshot = bench.0.snapshot();
    assert_eq!(snapshot.total, 7 + 10);
    assert_eq!((snapshot.category_total("io"), snapshot.category_total("cpu")), (17, 6));
    let none = Tally::default();
    let tally = |time| Tally { entries: 1, time };
    assert_eq!(snapshot.losses.sections["io"], [tally(10), none, tally(2)]);
    assert_eq!(snapshot.losses.sections["cpu"], [none, tally(6), tally(3)]);
}

#[test]
fn what_was_open_at_the_clear_is_no_ancestor_of_a_lost_section() {
    let mut bench = Bench::new(Limits { sections: 1, ..ROOMY });
    bench.enter(0, "a", "io");
    bench.0.apply(&Call::Clear);
    bench.time(0, "b", "io", 2);
    assert_eq!(bench.0.snapshot().losses.sections["io"][0].time, 2);
    assert_eq!((bench.0.snapshot().total, bench.0.snapshot().category_total("io")), (2, 2));
}

#[test]
fn beneath_a_path_its_recorded_ancestors_count_for_a_lost_section() {
    let mut bench = Bench::new(Limits { sections: 2, ..ROOMY });
    bench.enter(0, "a", "io");
    bench.enter(0, "b", "cpu");
    let path = bench.path(0);
    for (category, at) in [("io", 2), ("cpu", 2), ("gpu", 1)] {
        let Outcome::Token(token) = bench.beneath(1, path, "c", category) else {
            panic!("refused")
        };
        bench.exit(4, 1, token);
        assert_eq!(bench.0.snapshot().losses.sections[category][at].time, 4, "{category}");
    }
    bench.0.apply(&Call::Clear);
    let Outcome::Token(token) = bench.beneath(1, path, "c", "io") else { panic!("refused") };
    bench.exit(4, 1, token);
    assert_eq!(bench.0.snapshot().losses.sections["io"][0].time, 4);
}

#[test]
fn a_counted_section_that_does_not_fit_goes_to_its_base_name() {
    let mut bench = Bench::new(Limits { sections: 2, ..ROOMY });
    bench.time(0, "step", "io", 1);
    for index in [3, 4, 3] {
        let call = Call::EnterCounted { context: 0, name: "step", index, category: Some("io") };
        let Outcome::Token(step) = bench.0.apply(&call) else { panic!("refused") };
        bench.exit(10, 0, step);
    }
    assert_eq!(bench.shown(), ["step io 2 11/11", "step[3] io 2 20/20"]);
    let call = Call::EnterCounted { context: 0, name: "other", index: 1, category: Some("io") };
    let Outcome::Token(other) = bench.0.apply(&call) else { panic!("refused") };
    bench.exit(5, 0, other);
    assert_eq!(bench.0.snapshot().losses.base_name, 1);
    assert_eq!(bench.0.snapshot().losses.of("io"), Tally { entries: 1, time: 5 });
}

#[test]
fn nesting_too_deep_stays_in_the_deepest_frames_time() {
    let mut bench = Bench::new(Limits { depth: 2, ..ROOMY });
    let a = bench.enter(0, "a", "io");
    let b = bench.enter(0, "b", "io");
    assert_eq!(bench.0.apply(&enter(0, "c", "io")), refused(Refusal::TooDeep));
    assert_eq!(bench.after(5, Call::Exit { context: 0, token: None }), Outcome::Done);
    bench.exit(0, 0, b);
    bench.exit(0, 0, a);
    assert_eq!(bench.shown(), ["a io 1 5/0", "a>b io 1 5/5"]);
    assert_eq!(bench.0.snapshot().losses.too_deep, 1);
}

#[test]
fn lost_sections_know_each_other_by_the_stack() {
    let mut bench = Bench::new(Limits { sections: 1, ..ROOMY });
    bench.time(0, "x", "none", 1);
    let a = bench.enter(0, "a", "io"); // top
    let path = bench.path(0);
    assert!(bench.0.model().path_is_lost(path));
    let b = bench.enter(0, "b", "cpu"); // outer
    bench.time(0, "c", "io", 2); // inner
    let Outcome::Token(d) = bench.beneath(1, path, "d", "io") else { panic!("refused") }; // inner
    bench.exit(3, 1, d);
    bench.exit(0, 0, b);
    bench.exit(0, 0, a);
    let snapshot = bench.0.snapshot();
    let times = |category: &str| snapshot.losses.sections[category].map(|tally| tally.time);
    assert_eq!((times("io"), times("cpu")), ([5, 0, 5], [0, 5, 0]));
    assert_eq!((snapshot.total, snapshot.category_total("io")), (1 + 5, 5));
    assert_eq!(snapshot.losses.no_slot, 4);
}

#[test]
fn a_lost_section_open_at_the_clear_stays_unrecorded_where_its_like_is_entered_anew() {
    let mut bench = Bench::new(Limits { sections: 1, ..ROOMY });
    bench.time(0, "x", "none", 1);
    let a = bench.enter(0, "a", "io");
    bench.0.apply(&Call::Clear);
    bench.time(0, "b", "io", 2); // top: a is no longer recorded
    bench.time(0, "c", "io", 3); // and still so
    assert_eq!(bench.exit(4, 0, a), Outcome::Done);
    assert_eq!(bench.0.snapshot().total, 5);
    assert_eq!(bench.0.snapshot().losses.of("io"), Tally { entries: 2, time: 5 });
}

#[test]
fn a_parent_recorded_by_another_context_since_the_clear_is_recorded_for_a_lost_section_too() {
    let mut bench = Bench::new(Limits { sections: 1, ..ROOMY });
    bench.enter(0, "a", "io");
    bench.0.apply(&Call::Clear);
    bench.time(1, "a", "io", 7);
    bench.time(0, "b", "io", 2);
    bench.time(0, "c", "cpu", 3);
    let snapshot = bench.0.snapshot();
    assert_eq!((snapshot.total, snapshot.category_total("io")), (7, 7));
    assert_eq!(snapshot.category_total("cpu"), 3);
}

#[test]
fn a_plain_name_that_ends_in_a_count_goes_to_its_base_name_too() {
    let mut bench = Bench::new(Limits { sections: 1, ..ROOMY });
    bench.time(0, "step", "io", 1);
    bench.time(0, "step[1]", "io", 2);
    assert_eq!(bench.shown(), ["step io 2 3/3"]);
}

#[test]
fn beneath_a_lost_path_that_was_cleared_nothing_is_recorded_above() {
    let mut bench = Bench::new(Limits { sections: 1, ..ROOMY });
    bench.time(0, "x", "none", 1);
    bench.enter(0, "a", "io");
    let path = bench.path(0);
    bench.0.apply(&Call::Clear);
    let Outcome::Token(b) = bench.beneath(1, path, "b", "io") else { panic!("refused") };
    bench.exit(3, 1, b);
    assert_eq!(bench.0.snapshot().total, 3);
}

#[test]
fn a_path_decides_over_the_stack_what_is_above_a_lost_section() {
    let mut bench = Bench::new(Limits { sections: 2, ..ROOMY });
    let root = bench.path(0);
    bench.enter(0, "x", "io");
    let Outcome::Token(_) = bench.beneath(0, root, "a", "cpu") else { panic!("refused") };
    bench.time(0, "b", "io", 2); // a>b: its only ancestor is cpu
    assert_eq!(bench.0.snapshot().losses.sections["io"].map(|tally| tally.time), [0, 2, 0]);
}

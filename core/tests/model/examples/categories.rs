//! "Categories": totals, rules, counted sections.

use super::*;

#[test]
fn the_last_category_applies_to_all_the_time_and_takes_effect_at_enter() {
    let mut bench = Bench::new(ROOMY);
    bench.time(0, "a", "io", 5);
    let a = bench.enter(0, "a", "cpu");
    assert_eq!(bench.shown(), ["a cpu 1 5/5"]);
    bench.exit(1, 0, a);
    assert_eq!(bench.0.snapshot().category_total("cpu"), 6);
    assert_eq!(bench.0.snapshot().category_total("io"), 0);
}

#[test]
fn among_threads_the_last_change_wins() {
    let mut bench = Bench::new(ROOMY);
    bench.time(0, "a", "io", 1);
    bench.time(1, "a", "cpu", 1);
    bench.time(0, "a", "io", 1); // no change for this lane
    assert_eq!(bench.shown(), ["a cpu 3 3/3"]);
    bench.time(0, "a", "gpu", 1);
    bench.time(0, "a", "io", 1);
    assert_eq!(bench.shown(), ["a io 5 5/5"]);
    // After a clear the first enter of a lane is a change.
    bench.0.apply(&Call::Clear);
    bench.time(1, "a", "cpu", 1);
    bench.time(0, "a", "io", 1);
    assert_eq!(bench.shown(), ["a io 2 2/2"]);
}

#[test]
fn no_category_means_default_and_the_empty_one_is_its_own() {
    let mut bench = Bench::new(ROOMY);
    bench.0.apply(&Call::Enter { context: 0, name: "a", category: None });
    bench.0.apply(&Call::Enter { context: 0, name: "b", category: Some("") });
    assert_eq!(bench.shown(), ["a default 0 0/0", "a>b  0 0/0"]);
}

#[test]
fn a_category_adds_up_its_topmost_sections() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "io");
    let b = bench.enter(0, "b", "cpu");
    bench.time(0, "c", "io", 2); // inside a, with b in between
    bench.exit(3, 0, b);
    bench.exit(4, 0, a);
    let d = bench.enter(0, "d", "cpu");
    bench.time(0, "e", "io", 10); // another branch
    bench.exit(1, 0, d);
    let snapshot = bench.0.snapshot();
    assert_eq!(snapshot.category_total("io"), 9 + 10);
    assert_eq!(snapshot.category_total("cpu"), 5 + 11);
    assert_eq!(snapshot.category_total("none"), 0);
    assert_eq!(snapshot.total, 9 + 11);
    assert_eq!(snapshot.categories.keys().collect::<Vec<_>>(), ["cpu", "io"]);
}

#[test]
fn a_forbidden_nesting_looks_at_the_direct_parent_as_entered() {
    let mut bench = Bench::new(ROOMY);
    assert_eq!(bench.0.apply(&Call::Forbid { outer: "gpu", inner: "cpu" }), Outcome::Done);
    bench.time(0, "a", "gpu", 1);
    let a = bench.enter(0, "a", "gpu");
    bench.time(1, "a", "io", 1); // the section's category is io now, the parent was entered with gpu
    assert_eq!(bench.0.apply(&enter(0, "b", "cpu")), refused(Refusal::Forbidden));
    bench.enter(0, "c", "io");
    bench.time(0, "b", "cpu", 1); // a grandparent does not count
    bench.exit(1, 0, a);
    // The other way round, and at the top, it is allowed.
    bench.enter(0, "d", "cpu");
    bench.time(0, "e", "gpu", 1);
    assert_eq!(bench.0.snapshot().losses.forbidden, 1);
}

#[test]
fn a_refused_section_keeps_its_category() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "gpu");
    bench.time(0, "b", "io", 1);
    bench.0.apply(&Call::Forbid { outer: "gpu", inner: "cpu" });
    assert_eq!(bench.0.apply(&enter(0, "b", "cpu")), refused(Refusal::Forbidden));
    bench.exit(1, 0, a);
    assert_eq!(bench.shown(), ["a gpu 1 2/1", "a>b io 1 1/1"]);
}

#[test]
fn rules_and_the_parent_they_look_at_survive_clear() {
    let mut bench = Bench::new(ROOMY);
    bench.0.apply(&Call::Forbid { outer: "gpu", inner: "cpu" });
    bench.enter(0, "a", "gpu");
    let path = bench.path(0);
    bench.0.apply(&Call::Clear);
    assert_eq!(bench.0.apply(&enter(0, "b", "cpu")), refused(Refusal::Forbidden));
    assert_eq!(bench.beneath(1, path, "b", "cpu"), refused(Refusal::Forbidden));
    bench.0.apply(&Call::ClearRules);
    bench.enter(0, "b", "cpu");
}

#[test]
fn a_rule_that_does_not_fit_is_an_error() {
    let mut bench = Bench::new(Limits { rules: 1, categories: 4, ..ROOMY });
    assert_eq!(bench.0.apply(&Call::Forbid { outer: "a", inner: "b" }), Outcome::Done);
    assert_eq!(bench.0.apply(&Call::Forbid { outer: "a", inner: "b" }), Outcome::Done);
    assert_eq!(
        bench.0.apply(&Call::Forbid { outer: "b", inner: "a" }),
        refused(Refusal::RulesFull)
    );
    bench.0.apply(&Call::ClearRules);
    assert_eq!(
        bench.0.apply(&Call::Forbid { outer: "a", inner: "c" }),
        refused(Refusal::RulesFull)
    );
    assert_eq!(bench.0.apply(&Call::Forbid { outer: "b", inner: DEFAULT }), Outcome::Done);
}

#[test]
fn a_category_that_does_not_fit_goes_to_other() {
    let mut bench = Bench::new(Limits { categories: 3, ..ROOMY });
    bench.0.apply(&Call::Forbid { outer: OTHER, inner: "a" });
    bench.time(0, "x", "b", 2);
    bench.enter(0, "y", "c");
    assert_eq!(bench.0.apply(&enter(0, "z", "a")), refused(Refusal::Forbidden));
    assert_eq!(bench.shown(), ["x (other) 1 2/2", "y (other) 0 0/0"]);
    assert_eq!(bench.0.snapshot().losses.other_category, 2);
}

#[test]
fn counted_sections_are_kept_apart_and_flattened() {
    let mut bench = Bench::new(ROOMY);
    for (index, category, ticks) in [(-1, "io", 5), (7, "cpu", 3)] {
        let call = Call::EnterCounted { context: 0, name: "step", index, category: Some(category) };
        let Outcome::Token(step) = bench.0.apply(&call) else { panic!("refused") };
        bench.time(0, "a", "io", 1);
        bench.exit(ticks, 0, step);
        bench.time(0, "last", "io", 1);
    }
    bench.time(0, "step[+1]", "io", 1);
    let rows = [
        "step[-1] io 1 6/5",
        "step[-1]>a io 1 1/1",
        "last io 2 2/2",
        "step[7] cpu 1 4/3",
        "step[7]>a io 1 1/1",
        "step[+1] io 1 1/1",
    ];
    assert_eq!(bench.shown(), rows);
    let flat = bench.0.snapshot().flatten();
    let rows = ["step cpu 2 10/8", "step>a io 2 2/2", "last io 2 2/2", "step[+1] io 1 1/1"];
    assert_eq!(shown(&flat), rows);
    let step = flat.rows[0].section;
    assert_eq!((step.min, step.max, step.squares), (4, 6, 52));
    // Totals are taken before merging: the second step is no longer io.
    assert_eq!(flat.categories, bench.0.snapshot().categories);
    assert_eq!(flat.category_total("io"), 6 + 2 + 1 + 1);
}

#[test]
fn the_latest_change_of_category_stands_when_flattened() {
    let mut bench = Bench::new(ROOMY);
    for (index, category) in [(1, "io"), (2, "io"), (1, "cpu")] {
        let call = Call::EnterCounted { context: 0, name: "step", index, category: Some(category) };
        let Outcome::Token(step) = bench.0.apply(&call) else { panic!("refused") };
        bench.exit(1, 0, step);
    }
    assert_eq!(shown(&bench.0.snapshot().flatten()), ["step cpu 3 3/3"]);
}

#[test]
fn only_an_integer_in_trailing_brackets_is_lost() {
    let bases = [
        ("step[3]", "step"),
        ("step[-3]", "step"),
        ("step[007]", "step"),
        ("[3]", ""),
        ("a[1][2]", "a[1]"),
        ("step[+3]", "step[+3]"),
        ("step[]", "step[]"),
        ("step[-]", "step[-]"),
        ("step[--3]", "step[--3]"),
        ("step[3] ", "step[3] "),
        ("step[3a]", "step[3a]"),
        ("step[\u{663}]", "step[\u{663}]"),
        ("step]", "step]"),
        ("3]", "3]"),
        ("", ""),
    ];
    for (name, base) in bases {
        assert_eq!(base_name(name), base, "{name}");
    }
}

#[test]
fn a_lane_remembers_its_category_across_contexts() {
    let mut bench = Bench::new(ROOMY);
    bench.time(0, "a", "io", 1);
    bench.time(1, "a", "cpu", 1);
    bench.0.apply(&Call::Release { context: 0 });
    assert_eq!(bench.0.apply(&Call::OpenContext), Outcome::Context(2));
    bench.time(2, "a", "io", 1); // lane 0 used io last: no change
    assert_eq!(bench.shown(), ["a cpu 3 3/3"]);
}

#[test]
fn who_ends_a_detached_section_changes_no_category() {
    let mut bench = Bench::new(ROOMY);
    let call = Call::BeginDetached { context: 0, name: "d", category: Some("io") };
    assert_eq!(bench.0.apply(&call), Outcome::Detached(0));
    bench.time(0, "d", "cpu", 1);
    bench.after(5, Call::EndDetached { context: 1, detached: 0 });
    assert_eq!(bench.shown(), ["d cpu 2 7/7"]);
}

#[test]
fn who_ends_a_detached_section_knows_its_category_unless_its_lane_used_one() {
    let mut bench = Bench::new(ROOMY);
    for used in [true, false] {
        bench.0.apply(&Call::Clear);
        if used {
            bench.time(1, "d", "io", 1);
        }
        let call = Call::BeginDetached { context: 0, name: "d", category: Some("cpu") };
        let Outcome::Detached(detached) = bench.0.apply(&call) else { panic!("refused") };
        bench.after(1, Call::EndDetached { context: 1, detached });
        bench.time(0, "d", "gpu", 1);
        bench.time(1, "d", if used { "io" } else { "cpu" }, 1); // no change for this lane
        assert_eq!(bench.0.snapshot().rows[0].category, "gpu", "{used}");
    }
}

#[test]
fn a_variant_that_was_only_entered_has_no_least_time() {
    let mut bench = Bench::new(ROOMY);
    for open_first in [true, false] {
        bench.0.apply(&Call::Clear);
        if open_first {
            bench.enter(0, "step[1]", "io");
            bench.time(1, "step[2]", "io", 5);
        } else {
            bench.time(1, "step[2]", "io", 5);
            bench.0.apply(&enter(1, "step[1]", "io"));
        }
        let flat = bench.0.snapshot().flatten();
        let Section { count, min, max, .. } = flat.rows[0].section;
        assert_eq!((count, min, max, flat.rows[0].open), (1, 5, 5, 1));
    }
}

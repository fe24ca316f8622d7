//! "Clear".

use super::*;

#[test]
fn a_section_open_at_the_clear_is_not_recorded_but_its_later_children_are() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "io");
    let b = bench.enter(0, "b", "io");
    bench.0.apply(&Call::Clear);
    assert_eq!(bench.shown(), [""; 0]);
    bench.time(0, "c", "io", 2);
    assert_eq!(bench.exit(3, 0, b), Outcome::Done);
    bench.time(0, "d", "cpu", 4);
    assert_eq!(bench.exit(5, 0, a), Outcome::Done);
    assert_eq!(bench.shown(), ["a>b>c io 1 2/2", "a>d cpu 1 4/4"]);
    assert_eq!(bench.0.snapshot().total, 6);
    assert_eq!(bench.0.snapshot().category_total("io"), 2);
}

#[test]
fn also_where_its_path_was_entered_anew() {
    let mut bench = Bench::new(ROOMY);
    let root = bench.path(0);
    let stale = bench.enter(0, "a", "io");
    let call = Call::BeginDetached { context: 0, name: "d", category: None };
    assert_eq!(bench.0.apply(&call), Outcome::Detached(0));
    bench.0.apply(&Call::Clear);
    bench.time(1, "a", "cpu", 3);
    // By itself too: beneath the root, inside the stale one.
    let Outcome::Token(anew) = bench.beneath(0, root, "a", "cpu") else { panic!("refused") };
    bench.exit(2, 0, anew);
    bench.exit(9, 0, stale);
    assert_eq!(bench.after(9, Call::EndDetached { context: 0, detached: 0 }), Outcome::Done);
    assert_eq!(bench.shown(), ["a cpu 2 5/5"]);
}

#[test]
fn a_child_shows_beneath_a_parent_that_another_context_recorded_since() {
    let mut bench = Bench::new(ROOMY);
    bench.enter(0, "a", "io");
    bench.0.apply(&Call::Clear);
    bench.time(0, "b", "io", 2);
    bench.time(0, "c", "io", 2);
    assert_eq!(bench.0.snapshot().total, 4);
    bench.time(1, "a", "io", 3);
    assert_eq!(bench.shown(), ["a io 1 3/3", "a>b io 1 2/2", "a>c io 1 2/2"]);
    assert_eq!(bench.0.snapshot().total, 3);
}

#[test]
fn the_order_of_first_entry_starts_again() {
    let mut bench = Bench::new(ROOMY);
    let a = bench.enter(0, "a", "io");
    bench.time(1, "b", "io", 1);
    bench.time(0, "c", "io", 1);
    bench.exit(1, 0, a);
    assert_eq!(bench.shown(), ["a io 1 3/2", "a>c io 1 1/1", "b io 1 1/1"]);
    bench.0.apply(&Call::Clear);
    bench.time(1, "b", "io", 1);
    bench.time(0, "a", "io", 1);
    assert_eq!(bench.shown(), ["b io 1 1/1", "a io 1 1/1"]);
}

#[test]
fn clear_keeps_the_table_and_drops_the_losses() {
    let mut bench = Bench::new(Limits { sections: 1, ..ROOMY });
    bench.time(0, "a", "io", 1);
    bench.0.apply(&Call::Clear);
    bench.time(0, "b", "io", 2);
    assert_eq!(bench.0.snapshot().losses.of("io"), Tally { entries: 1, time: 2 });
    bench.0.apply(&Call::Clear);
    assert_eq!(bench.0.snapshot().losses, Losses::default());
}

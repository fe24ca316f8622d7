//! Properties of the model that no choice of operations may break, and that the operations reach
//! every corner.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::calls::*;
use super::operations::{Operation, limits, operations, plain};
use super::snapshot::*;
use super::state::Model;

/// Runs operations, and shows each call with its outcome to `seen`.
fn run(
    limits: Limits,
    operations: &[Operation],
    mut seen: impl FnMut(&Model, &Call, &Outcome),
) -> Model {
    let mut model = Model::new(limits);
    for operation in operations {
        if let Some(call) = operation.resolve(&model) {
            let outcome = model.apply(&call);
            seen(&model, &call, &outcome);
        }
    }
    model
}

fn without_losses(snapshot: &Snapshot) -> (Vec<Row>, u64, BTreeMap<String, u64>) {
    (snapshot.rows.clone(), snapshot.total, snapshot.categories.clone())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_hold_together(limits in limits(), operations in operations(80)) {
        let model = run(limits, &operations, |model, call, outcome| {
            assert!(model.paths_in_table() <= limits.sections);
            assert!(model.categories().len() <= limits.categories);
            for context in model.live_contexts() {
                assert!(model.open_tokens(context).len() <= limits.depth);
            }
            if matches!(call, Call::Clear) {
                assert_eq!(outcome, &Outcome::Done);
                assert_eq!(without_losses(&model.snapshot()), Default::default());
            }
        });
        let snapshot = model.snapshot();
        for row in &snapshot.rows {
            let Section { count, total, exclusive, min, max, squares, .. } = row.section;
            prop_assert!(exclusive <= total);
            prop_assert!(u128::from(count) * squares >= u128::from(total).pow(2));
            prop_assert!(min <= max && u128::from(max) * u128::from(total) >= squares);
            let untouched = Section { first: row.section.first, ..Section::default() };
            prop_assert!(count > 0 || row.section == untouched);
        }
        let flat = snapshot.flatten();
        let sum = |snapshot: &Snapshot| snapshot.rows.iter().fold((0, 0, 0, 0), |sum, row| {
            let section = row.section;
            (sum.0 + section.count, sum.1 + section.total, sum.2 + section.squares, sum.3 + row.open)
        });
        prop_assert_eq!(sum(&flat), sum(&snapshot));
        prop_assert!(flat.rows.iter().all(|row| row.path.iter().all(|name| base_name(name) == name
            || snapshot.rows.iter().any(|other| other.path.iter().any(|other| base_name(other) == name)))));
    }

    #[test]
    fn a_full_table_changes_no_total(operations in plain(60), sections in 0..8usize) {
        let roomy = Limits { sections: 4096, categories: 64, depth: 512, rules: 8 };
        let all = run(roomy, &operations, |_, _, _| {}).snapshot();
        let full = run(Limits { sections, ..roomy }, &operations, |_, _, _| {}).snapshot();
        prop_assert_eq!(all.total, full.total);
        for category in all.categories.keys() {
            prop_assert_eq!(all.category_total(category), full.category_total(category));
        }
        let counts = |snapshot: &Snapshot| snapshot.rows.iter().map(|row| row.section.count).sum::<u64>();
        let lost: u64 = full.losses.sections.keys().map(|category| full.losses.of(category).entries).sum();
        prop_assert_eq!(counts(&all), counts(&full) + lost);
    }

    #[test]
    fn a_clear_forgets_all_but_table_rules_and_stacks(
        limits in limits(), before in operations(40), after in plain(40),
    ) {
        // Where nothing is open and nothing is full, a cleared timer is like a new one.
        let limits = Limits { sections: 4096, categories: 64, depth: 512, ..limits };
        let mut model = run(limits, &before, |_, _, _| {});
        for context in model.live_contexts() {
            model.apply(&Call::Release { context });
        }
        for call in [Call::Enable, Call::ClearRules, Call::Clear] {
            model.apply(&call);
        }
        for operation in &after {
            if let Some(call) = operation.resolve(&model) {
                model.apply(&call);
            }
        }
        let fresh = run(limits, &after, |_, _, _| {});
        let rows = |snapshot: Snapshot| -> Vec<_> {
            snapshot.rows.into_iter().map(|row| {
                let section = Section { first: 0, ..row.section };
                (row.path, row.category, row.open, section)
            }).collect()
        };
        prop_assert_eq!(model.snapshot().total, fresh.snapshot().total);
        prop_assert_eq!(model.snapshot().losses, fresh.snapshot().losses);
        prop_assert_eq!(rows(model.snapshot()), rows(fresh.snapshot()));
    }
}

#[test]
fn operations_reach_every_corner() {
    let mut reached: BTreeMap<String, u32> = BTreeMap::new();
    let mut note = |what: String| *reached.entry(what).or_default() += 1;
    let mut runner = TestRunner::deterministic();
    for _ in 0..300 {
        let limits = limits().new_tree(&mut runner).unwrap().current();
        let operations = operations(200).new_tree(&mut runner).unwrap().current();
        let mut deepest = 0;
        let model = run(limits, &operations, |model, call, outcome| {
            match outcome {
                Outcome::Refused(refusal) => note(format!("{refusal:?}")),
                Outcome::Unclosed { .. } => note("Unclosed".into()),
                Outcome::Off => note("Off".into()),
                _ => {}
            }
            if let Call::EnterBeneath { context, path, .. } = *call {
                let first = model.open_tokens(context).len() <= 1;
                let lost = model.path_is_lost(path);
                note(format!("beneath, first {first}, lost {lost}"));
            }
            let depths =
                model.live_contexts().into_iter().map(|context| model.open_tokens(context).len());
            deepest = deepest.max(depths.max().unwrap_or(0));
        });
        note(format!("deeper than 12: {}", deepest > 12));
        note(format!("table full: {}", model.paths_in_table() == limits.sections));
        let losses = model.snapshot().losses;
        for (at, kind) in ["top", "outer", "inner"].iter().enumerate() {
            if losses.sections.values().any(|tallies| tallies[at].entries > 0) {
                note(kind.to_string());
            }
        }
        if losses.base_name > 0 {
            note("base name".into());
        }
        if losses.other_category > 0 {
            note("other category".into());
        }
    }
    let corners = [
        "Forbidden",
        "TooDeep",
        "NotOpen",
        "RulesFull",
        "OtherContext",
        "Unclosed",
        "Off",
        "beneath, first true, lost true",
        "beneath, first true, lost false",
        "beneath, first false, lost true",
        "beneath, first false, lost false",
        "deeper than 12: true",
        "table full: true",
        "top",
        "outer",
        "inner",
        "base name",
        "other category",
    ];
    for corner in corners {
        let times = reached.get(corner).copied().unwrap_or(0);
        assert!(times >= 10, "{corner}: {times} in {reached:#?}");
    }
}

//! `check`: budgets.

use crate::support::two;

#[test]
fn budgets_hold_or_not() {
    let folder = two();
    let kept = folder.run("check r0.xtp r1.xtp --budget step=20ms --budget step/load:p99=2.1ms --category-budget comm=9ms --max-imbalance 1.2");
    assert_eq!((kept.code, kept.out.lines().last().unwrap()), (0, "4 kept, 0 exceeded"));
    let exceeded = folder.run("check r0.xtp r1.xtp --budget step/*:total=10ms");
    assert_eq!(exceeded.code, 1);
    assert_eq!(
        exceeded.out,
        "\
kept      step/load total 8.001 ms, at most 10.000 ms
EXCEEDED  step/forward total 20.001 ms, at most 10.000 ms
kept      step/all-reduce total 8.001 ms, at most 10.000 ms
2 kept, 1 exceeded
"
    );
    let uneven = folder.run("check r0.xtp r1.xtp --max-imbalance 1.01");
    assert_eq!(uneven.code, 1);
    assert!(uneven.out.contains("slowest is rank 1"), "{}", uneven.out);
}

#[test]
fn what_is_missing_is_not_kept() {
    let folder = two();
    let missing = folder.run("check r0.xtp --budget step/stop=1s");
    assert_eq!(missing.code, 1);
    assert!(missing.out.contains("no section 'step/stop'"), "{}", missing.out);
    assert_eq!(folder.run("check r0.xtp --budget step/stop=1s --allow-missing").code, 0);
    assert_eq!(folder.run("check r0.xtp --category-budget net=1s").code, 1);
}

#[test]
fn budgets_that_are_none_are_told() {
    let folder = two();
    assert!(folder.run("check r0.xtp").sentence().starts_with("nothing to check"));
    assert_eq!(
        folder.run("check r0.xtp --budget step").sentence(),
        "'step' is no budget: write it as path=200us"
    );
    assert!(folder.run("check r0.xtp --budget step=fast").sentence().contains("is no duration"));
}

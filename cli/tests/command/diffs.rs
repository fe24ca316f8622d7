//! `diff`: what became slower, and what is noise.

use crate::support::{Folder, training, two};

#[test]
fn what_became_slower_is_told_with_its_noise() {
    let folder =
        Folder::new().with("a.xtp", &training(0, 0)).with("b.xtp", &training(0, 1_000_000));
    let shown = folder.run("diff a.xtp b.xtp").done();
    let rows: Vec<Vec<&str>> =
        shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        rows[2][..],
        [
            "slower",
            "step/all-reduce",
            "1.000",
            "ms",
            "±64.550",
            "ns",
            "2.000",
            "ms",
            "±64.550",
            "ns",
            "+1.000",
            "ms",
            "+100.0%",
            "4",
            "4"
        ]
    );
    assert!(shown.contains("2 sections are the same within noise"), "{shown}");
    assert!(
        shown.contains("total of a rank 40.001 ms -> 44.001 ms, +4.000 ms (+10.0%)"),
        "{shown}"
    );
    let faster = folder.run("diff b.xtp a.xtp").done();
    assert!(faster.contains("faster  step/all-reduce"), "{faster}");
}

#[test]
fn a_gate_fails_above_its_limit() {
    let folder =
        Folder::new().with("a.xtp", &training(0, 0)).with("b.xtp", &training(0, 1_000_000));
    let failed = folder.run("diff a.xtp b.xtp --fail-above 20%");
    assert_eq!(failed.code, 1);
    assert!(failed.out.ends_with("1 slower by more than 20%: step/all-reduce\n"), "{}", failed.out);
    assert_eq!(folder.run("diff a.xtp b.xtp --fail-above 100us").code, 1);
    assert_eq!(folder.run("diff a.xtp b.xtp --fail-above 1.5ms").code, 0);
    assert_eq!(folder.run("diff b.xtp a.xtp --fail-above 0%").code, 0);
    assert_eq!(folder.run("diff a.xtp a.xtp --fail-above 0%").code, 0);
    // Within noise: a change of 50 ns where means are known to 91 ns.
    let folder = folder.with("c.xtp", &training(0, 50));
    assert_eq!(folder.run("diff a.xtp c.xtp --fail-above 0%").code, 0);
    assert_eq!(folder.run("diff a.xtp c.xtp --fail-above 0% --sigma 0.1").code, 1);
}

#[test]
fn sections_of_one_side_are_listed() {
    let folder = two();
    let shown = folder.run("diff r0.xtp r1.xtp --all --top 1 --name load").done();
    assert!(shown.contains("same  step/load"), "{shown}");
    let missing = folder.run("diff r0.xtp nothing.xtp").sentence();
    assert!(missing.starts_with("cannot read 'nothing.xtp'"), "{missing}");
    assert_eq!(folder.run("diff r0.xtp r1.xtp --fail-above much").code, 2);
}

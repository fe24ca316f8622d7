//! `show` and `info`.

use crate::support::{Folder, command, rank, two};
use xtimer_core::profile::{Profile, Records, Source};

#[test]
fn one_rank_is_a_tree_with_categories() {
    let shown = two().run("show r0.xtp").done();
    assert_eq!(
        shown,
        "\
section            time   share  count  self       mean        min        max  category
step          40.001 ms  100.0%      4     -  10.000 ms  10.000 ms  10.000 ms  default
  load         8.001 ms   20.0%      4     -   2.000 ms   2.000 ms   2.000 ms  io
  forward     20.001 ms   50.0%      4     -   5.000 ms   5.000 ms   5.000 ms  gpu
  all-reduce   4.001 ms   10.0%      4     -   1.000 ms   1.000 ms   1.000 ms  comm

category       time   share
comm       4.001 ms   10.0%
default   40.001 ms  100.0%
gpu       20.001 ms   50.0%
io         8.001 ms   20.0%
total     40.001 ms  100.0%
"
    );
}

#[test]
fn several_ranks_tell_their_imbalance() {
    let shown = two().run("show r1.xtp r0.xtp").done();
    let line = shown.lines().find(|line| line.contains("all-reduce")).unwrap();
    let words: Vec<_> = line.split_whitespace().collect();
    assert_eq!(
        words,
        [
            "all-reduce",
            "2",
            "4.001",
            "ms",
            "6.001",
            "ms",
            "8.001",
            "ms",
            "1.333",
            "rank",
            "1",
            "8",
            "comm"
        ]
    );
}

#[test]
fn rows_are_sorted_cut_and_filtered() {
    let folder = two();
    let first_names = |line: &str| -> Vec<String> {
        let shown = folder.run(line).done();
        let rows = shown.lines().skip(1).take_while(|line| !line.is_empty());
        rows.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
    };
    assert_eq!(first_names("show r0.xtp --sort time --top 2"), ["step", "step/forward", "and"]);
    assert_eq!(first_names("show r0.xtp --depth 1"), ["step"]);
    assert_eq!(
        first_names("show r0.xtp --category io --category comm"),
        ["step/load", "step/all-reduce"]
    );
    assert_eq!(first_names("show r0.xtp --name for*"), ["step/forward"]);
    assert_eq!(first_names("show r0.xtp --path step/l*"), ["step/load"]);
    assert_eq!(first_names("show r0.xtp r1.xtp --rank 1 --depth 1 --sort path"), ["step"]);
    let none = folder.run("show r0.xtp --rank 7").sentence();
    assert_eq!(none, "none of the profiles is of a rank that --rank names");
    assert_eq!(folder.run("show r0.xtp --name x").done(), "no sections\n");
}

#[test]
fn counted_sections_flatten() {
    let records = |name: &'static [&'static str], times: &'static [u64]| Records {
        path: name,
        category: "c",
        durations: times,
        starts: &[],
    };
    let profile = Profile::from_records(
        Source::default(),
        &[
            records(&["step[0]"], &[100]),
            records(&["step[0]", "a"], &[50]),
            records(&["step[1]"], &[300]),
            records(&["step[1]", "a"], &[60]),
        ],
    );
    let folder = Folder::new().with("a.xtp", &profile);
    assert!(folder.run("show a.xtp").done().contains("step[1]"));
    let shown = folder.run("show a.xtp --flatten").done();
    let rows: Vec<Vec<&str>> = shown
        .lines()
        .skip(1)
        .take(2)
        .map(|line| line.split_whitespace().take(6).collect())
        .collect();
    assert_eq!(rows[0], ["step", "400.000", "ns", "100.0%", "2", "-"]);
    assert_eq!(rows[1], ["a", "110.000", "ns", "27.5%", "2", "-"]);
}

#[test]
fn colours_are_for_terminals() {
    assert!(!two().run("show r0.xtp r1.xtp").done().contains('\u{1b}'));
    let folder = two();
    let forced = command()
        .current_dir(folder.folder())
        .env("CLICOLOR_FORCE", "1")
        .args(["show", "r0.xtp", "r1.xtp"])
        .output()
        .unwrap();
    assert!(forced.stdout.contains(&0x1b));
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let records =
        Records { path: &["a\u{1b}[2J"], category: "\u{7}", durations: &[1], starts: &[] };
    let folder = Folder::new().with("a.xtp", &Profile::from_records(Source::default(), &[records]));
    let shown = folder.run("show a.xtp").done();
    assert!(shown.contains("a\\u{1b}[2J") && !shown.contains('\u{1b}') && !shown.contains('\u{7}'));
}

#[test]
fn info_tells_what_is_there() {
    let folder = two();
    folder.run("merge --reduce r0.xtp r1.xtp -o all.xtp").done();
    assert_eq!(
        folder.run("info r0.xtp all.xtp").done(),
        "\
'r0.xtp'
  rank 0 (worker 0), format version 1
    4 sections, 4 categories, 40.001 ms in all
    clock records, 64 bits
    16 samples (0 dropped), 0 histograms
    lost: nothing
'all.xtp'
  reduced from 2 ranks, 0 to 1
    4 sections, 4 categories, 42.001 ms on a rank on average
    4 sections with a whole histogram
    lost: nothing
"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new().with("a.xtp", &rank(0));
    let mut child = command()
        .current_dir(folder.folder())
        .args(["export", "--format", "samples"])
        .args(vec!["a.xtp"; 2000])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

#[test]
fn what_is_remarkable_stands_behind_a_row() {
    let folder = Folder::new();
    let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tests/vectors/full.xtp");
    let shown = folder.run_words(&["show", vectors]).done();
    for word in ["busy", "late", "beside"] {
        assert!(shown.lines().any(|line| line.trim_end().ends_with(word)), "{word}: {shown}");
    }
}

//! `hist`: text, SVG, PNG.

use crate::support::{Folder, two};
use xtimer_core::profile::{Profile, Records, Source};

#[test]
fn text_has_a_line_for_each_bin() {
    let shown = two().run("hist r0.xtp --path step/load --bins 2").done();
    assert_eq!(
        shown,
        format!(
            "Time Distribution   step/load\n\
             n = 4   mean = 2.000 ms   std = 129.099 ns\n\
             2.000 to 2.000 ms  {} 2\n\
             2.000 to 2.000 ms  {} 2\n",
            "█".repeat(79),
            "█".repeat(79)
        )
    );
    let both = two().run("hist r0.xtp r1.xtp --path step --by-rank --bins 3").done();
    assert!(both.contains("\n0   n = 4") && both.contains("\n1   n = 4"), "{both}");
}

#[test]
fn pictures_are_written() {
    let folder = two();
    folder
        .run_words(&[
            "hist",
            "r0.xtp",
            "r1.xtp",
            "--by-rank",
            "--path",
            "step",
            "-o",
            "a.svg",
            "--title",
            "Steps <1>",
        ])
        .done();
    let svg = String::from_utf8(folder.read("a.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("Steps &lt;1&gt;") && svg.contains("opacity=\"0.7\""), "{svg}");
    folder.run("hist r0.xtp --path step -o a.png --log --width 400 --height 300").done();
    let png = folder.read("a.png");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&png[16..24], &[0, 0, 1, 144, 0, 0, 1, 44]);
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let folder = two();
    assert_eq!(
        folder.run("hist r0.xtp --path step -o a.gif").sentence(),
        "'a.gif' ends in neither .svg nor .png"
    );
    assert_eq!(
        folder.run("hist r0.xtp --path x").sentence(),
        "no section is meant by --path, --name and --category"
    );
    assert_eq!(folder.run("hist r0.xtp --alpha 2").sentence(), "--alpha is 2, not within 0 and 1");
    assert_eq!(folder.run("hist r0.xtp --bins none").code, 2);
    folder.run("merge --reduce r0.xtp r1.xtp -o all").done();
    assert!(folder.run("hist all --by-rank").sentence().contains("knows no rank apart"));
    assert!(folder.run("hist all --path step").done().contains("n = 8   mean = 10.500 ms"));
}

#[test]
fn none_one_and_equal_durations() {
    let of = |durations: &[u64]| {
        let records = Records { path: &["a"], category: "c", durations, starts: &[] };
        Folder::new().with("a.xtp", &Profile::from_records(Source::default(), &[records]))
    };
    assert!(of(&[]).run("hist a.xtp").done().contains("no durations to show"));
    assert!(of(&[5]).run("hist a.xtp").done().contains("n = 1   mean = 5.000 ns   std = -"));
    assert!(
        of(&[5; 9])
            .run("hist a.xtp --log")
            .done()
            .contains("n = 9   mean = 5.000 ns   std = 0.000 ns")
    );
    for durations in [&[][..], &[5], &[5; 9]] {
        let folder = of(durations);
        folder.run("hist a.xtp -o a.png").done();
        folder.run("hist a.xtp -o a.svg --log").done();
    }
}

//! Files, patterns, standard input, ranks; `merge`; what is wrong with files.

use crate::support::{Folder, rank, two};
use xtimer_core::profile::{Gathered, Reduced};

#[test]
fn patterns_and_standard_input_are_files() {
    let folder = two();
    let by_name = folder.run("show r0.xtp r1.xtp").done();
    assert_eq!(folder.run("show r*.xtp").done(), by_name);
    assert_eq!(folder.run_with("show r0.xtp -", &folder.read("r1.xtp")).done(), by_name);
    let both = [folder.read("r1.xtp"), folder.read("r0.xtp")].concat();
    assert_eq!(folder.run_with("show -", &both).done(), by_name);
    assert_eq!(folder.run("show q*.xtp").sentence(), "no file matches 'q*.xtp'");
    assert_eq!(folder.run("show - -").sentence(), "standard input (-) can be read once only");
}

#[test]
fn profiles_without_ranks_are_numbered() {
    let folder = Folder::new().with("w2.xtp", &rank(0)).with("w10.xtp", &rank(0));
    let told = folder.run("info w*.xtp").done();
    assert!(told.find("'w2.xtp'\n  rank 0").unwrap() < told.find("'w10.xtp'\n  rank 1").unwrap());
    let folder = folder.with("r1.xtp", &rank(1)).with("other.xtp", &rank(1));
    assert_eq!(
        folder.run("show r1.xtp other.xtp").sentence(),
        "'r1.xtp' and 'other.xtp' are both of rank 1; --renumber numbers all profiles in order"
    );
    assert!(folder.run("show r1.xtp other.xtp --renumber").done().contains("rank 0"));
}

#[test]
fn merged_files_are_those_of_the_library() {
    let folder = two();
    folder.run("merge r1.xtp r0.xtp -o all.xtp").done();
    let gathered = Gathered::from_profiles(vec![rank(0), rank(1)]).unwrap();
    assert_eq!(folder.read("all.xtp"), gathered.to_bytes());
    assert_eq!(folder.run("merge all.xtp -o -").bytes, gathered.to_bytes());

    let mut reduced = Reduced::new();
    reduced.add(&rank(0));
    reduced.add(&rank(1));
    folder.run("merge --reduce r1.xtp r0.xtp -o reduced.xtp").done();
    assert_eq!(folder.read("reduced.xtp"), reduced.to_bytes());
    assert_eq!(
        folder.run("merge reduced.xtp -o x.xtp").sentence(),
        "'reduced.xtp' is a reduced profile, which knows no rank apart: merging without --reduce \
         needs the profiles that it was made from"
    );
    assert!(!folder.path("x.xtp").exists());
    // Reduced before, or with another: the same rows.
    let shown = folder.run("show reduced.xtp --sort path").done();
    assert_eq!(shown, folder.run("show r0.xtp r1.xtp --sort path").done());
}

#[test]
fn any_order_and_grouping_reduces_to_the_same_bytes() {
    let mut folder = Folder::new();
    for number in 0..9 {
        folder = folder.with(&format!("r{number}.xtp"), &rank(number));
    }
    folder
        .run("merge --reduce r0.xtp r1.xtp r2.xtp r3.xtp r4.xtp r5.xtp r6.xtp r7.xtp r8.xtp -o a")
        .done();
    folder.run("merge --reduce r8.xtp r3.xtp r5.xtp -o b").done();
    folder.run("merge --reduce r7.xtp b r0.xtp r6.xtp r1.xtp r4.xtp r2.xtp -o c").done();
    assert_eq!(folder.read("a"), folder.read("c"));
}

#[test]
fn an_error_names_the_file_and_the_offset() {
    let folder = two();
    let mut bytes = folder.read("r0.xtp");
    let first = bytes.len();
    bytes.extend(folder.read("r1.xtp"));
    let at = bytes.len() - 9;
    bytes[at] ^= 1;
    std::fs::write(folder.path("bad.xtp"), &bytes).unwrap();
    let sentence = folder.run("show bad.xtp").sentence();
    assert!(sentence.starts_with("'bad.xtp', at byte "), "{sentence}");
    assert!(sentence.contains("the checksum is"), "{sentence}");
    let told: usize = sentence.split(' ').nth(3).unwrap().trim_end_matches(':').parse().unwrap();
    assert!(told >= first, "{sentence}");

    std::fs::write(folder.path("text"), "not a profile at all").unwrap();
    assert_eq!(folder.run("info text").sentence(), "'text', at byte 0: this is not a profile");
    std::fs::write(folder.path("empty"), "").unwrap();
    let empty = "'empty', at byte 0: it ends before the 16 bytes of a profile's header";
    assert_eq!(folder.run("show empty").sentence(), empty);
    assert!(folder.run("show nothing.xtp").sentence().starts_with("cannot read 'nothing.xtp': "));
    assert!(folder.run("show .").sentence().starts_with("cannot read '.': "));
    let stream = folder.run_with("show -", b"x").sentence();
    assert!(stream.starts_with("standard input, at byte 0"), "{stream}");
}

#[test]
fn reduced_profiles_cut_anywhere_are_errors() {
    let folder = two();
    folder.run("merge --reduce r0.xtp r1.xtp -o all.xtp").done();
    let bytes = folder.read("all.xtp");
    for end in [1, 7, 8, 15, 16, 20, bytes.len() / 2, bytes.len() - 1] {
        let sentence = folder.run_with("show -", &bytes[..end]).sentence();
        assert!(sentence.starts_with("standard input, at byte "), "{end}: {sentence}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let folder = two();
    for line in ["merge r0.xtp -o no/such.xtp", "export r0.xtp -f csv -o no/such.xtp"] {
        let sentence = folder.run(line).sentence();
        assert!(sentence.contains("'no/such.xtp': No such file"), "{sentence}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.folder()).unwrap().collect();
    assert_eq!(left.len(), 2);
}

#[test]
fn the_help_tells_how_it_ends_and_shells_complete() {
    let folder = Folder::new();
    for line in ["--help", "check --help"] {
        let help = folder.run(line).done().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains("Exit status: 0 done; 1 a gate failed"), "{help}");
    }
    assert!(folder.run("completions bash").done().contains("_xtimer"));
    assert_eq!(folder.run("show").code, 2);
}

//! With the feature `disable`, `section!` leaves nothing in a program: no name, no function of the
//! timer, and not one instruction.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the program `compiled_out` in release mode, with or without the feature.
fn build(disabled: bool) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled_out");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--quiet", "--release", "--package", "xtimer-benches"])
        .args(["--bin", "compiled_out", "--target-dir"])
        .arg(&folder)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // Line tables would name the crate's files; symbols stay.
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_PROFILE_RELEASE_STRIP", "none");
    if disabled {
        cargo.args(["--features", "disable"]);
    }
    assert!(cargo.status().unwrap().success(), "the program does not build");
    let name = format!("compiled_out{}", std::env::consts::EXE_SUFFIX);
    // The next build would write over it.
    let kept = folder.join(if disabled { "disabled" } else { "enabled" });
    std::fs::copy(folder.join("release").join(name), &kept).unwrap();
    kept
}

/// Instructions that callgrind counts, or `None` where there is no valgrind.
fn instructions(program: &Path, work: &str, turns: u32) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([work, &turns.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = text.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    Some(count.unwrap_or_else(|| panic!("callgrind counted nothing: {text}")))
}

fn holds(program: &Path, text: &str) -> bool {
    let bytes = std::fs::read(program).unwrap();
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn switched_off_at_compile_time_nothing_is_left_in_the_binary() {
    let traces = ["left behind by section!", "left behind as well", "xtimer_core"];
    let enabled = build(false);
    for trace in traces {
        assert!(holds(&enabled, trace), "without the feature the binary holds '{trace}'");
    }
    let disabled = build(true);
    for trace in traces {
        assert!(!holds(&disabled, trace), "'{trace}' is left in the binary");
    }
    let a_thousand = |program, work| {
        Some(instructions(program, work, 2000)? - instructions(program, work, 1000)?)
    };
    if let Some(untimed) = a_thousand(&disabled, "untimed") {
        assert_eq!(a_thousand(&disabled, "timed"), Some(untimed));
        assert!(a_thousand(&enabled, "timed") > Some(untimed + 20_000));
    } else {
        assert!(std::env::var_os("CI").is_none(), "valgrind is missing");
        eprintln!("valgrind is missing: instructions were not counted");
    }
}

//! Stage `dist`: the shipped archive exports `xtimer_*` alone and links beside another Rust one.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::command::{Run, cargo};
use crate::parts::Parts;
use crate::report::Stage;
use crate::{archive, places, tools};

pub const STAGE: Stage =
    Stage { name: "dist", about: "the shipped library beside another Rust archive", run };

fn run(parts: &mut Parts) {
    if parts.part("libraries", || archive::dist(&folder()?)) {
        parts.part("symbols", symbols);
        parts.part("another archive", another_archive);
    }
}

fn folder() -> Result<PathBuf> {
    places::work("xtask/dist")
}

/// Neither library defines a global symbol of anyone else's.
fn symbols() -> Result<()> {
    for name in ["libxtimer.a", "libxtimer.so"] {
        let library = folder()?.join("lib").join(name);
        let (own, foreign): (Vec<_>, Vec<_>) =
            archive::symbols(&library)?.into_iter().partition(|name| name.starts_with("xtimer_"));
        if own.is_empty() || !foreign.is_empty() {
            bail!("{name} defines {} xtimer_ symbols, and {foreign:?}", own.len());
        }
        println!("{name}: {} functions, nothing else", own.len());
    }
    Ok(())
}

/// One program, two Rust archives with a standard library each; both unwind.
fn another_archive() -> Result<()> {
    let sources = places::root().join("ffi/tests/other_archive");
    let target = places::work("other-archive")?;
    cargo(["build", "--release"]).env("CARGO_TARGET_DIR", &target).within(&sources).run()?;
    let (dist, program) = (folder()?, target.join("both"));
    // In both orders: with a clash of symbols only one of them may fail.
    let own = dist.join("lib/libxtimer.a");
    let other = target.join("release/libother.a");
    for pair in [[&own, &other], [&other, &own]] {
        Run::new(tools::c_compiler()?)
            .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread", "-I"])
            .arg(dist.join("include"))
            .arg(sources.join("main.c"))
            .args(pair)
            .args(["-ldl", "-lm", "-o"])
            .arg(&program)
            .run()?;
        Run::new(&program).limit(Duration::from_secs(60)).run()?;
    }
    Ok(())
}

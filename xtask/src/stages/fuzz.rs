//! Stage `fuzz`: any bytes are profiles or an error. cargo-fuzz searches for some that are neither,
//! from the vectors on, for a short while here and for ten minutes in the soak.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use crate::command::{Run, cargo};
use crate::parts::{Parts, missing};
use crate::report::Stage;
use crate::{cross, places, tools};

pub const STAGE: Stage =
    Stage { name: "fuzz", about: "the decoder of profiles under cargo-fuzz, for 20 s", run };

fn run(parts: &mut Parts) {
    parts.part("profiles", || profiles(Duration::from_secs(20)));
}

/// Fuzzes the decoder for so long; what was found interesting is kept for the next time.
pub fn profiles(time: Duration) -> Result<()> {
    cross::linux_only("a sanitizer")?;
    let fuzz = cargo_fuzz()?;
    let corpus = places::work("xtask/fuzz-corpus")?;
    Run::new(fuzz)
        .args(["run", "profile", "--fuzz-dir", "fuzz", "--target-dir"])
        .arg(places::work("fuzz")?)
        .arg(&corpus)
        .arg("core/tests/vectors")
        .args(["--", "-max_len=4096", &format!("-max_total_time={}", time.as_secs())])
        // Its flags are not stable ones.
        .env("RUSTC_BOOTSTRAP", "1")
        .without_env("CARGO_TARGET_DIR")
        .limit(time + Duration::from_secs(20 * 60))
        .run()
}

/// `cargo-fuzz` from PATH, else installed into the target folder.
fn cargo_fuzz() -> Result<PathBuf> {
    if let Some(found) = tools::find("cargo-fuzz") {
        return Ok(found);
    }
    let root = places::work("xtask/cargo-fuzz")?;
    let program = root.join("bin/cargo-fuzz");
    if !program.is_file() {
        let install = cargo(["install", "--locked", "cargo-fuzz", "--root"]).arg(&root).run();
        if install.is_err() || !program.is_file() {
            return missing("needs cargo-fuzz (`cargo install --locked cargo-fuzz`)");
        }
    }
    Ok(program)
}

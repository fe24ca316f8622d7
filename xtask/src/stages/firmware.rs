//! Stage `firmware`: a Cortex-M3 program with a `static` timer counts right, in QEMU.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::cross::cargo_for;
use crate::parts::Parts;
use crate::report::Stage;
use crate::{places, profile, tools};

pub const STAGE: Stage =
    Stage { name: "firmware", about: "a Cortex-M3 program with a static timer, in QEMU", run };

const TRIPLE: &str = "thumbv7m-none-eabi";

fn run(parts: &mut Parts) {
    parts.part("cortex-m3", || emulated("examples/firmware/cortex-m3"));
}

/// Builds a program in its folder, where its configuration says how the emulator is called, and
/// runs it: its exit status says whether it counted right, and the JSON that it prints is checked
/// here as well.
fn emulated(folder: &str) -> Result<()> {
    let folder = places::root().join(folder);
    if !folder.is_dir() {
        bail!("there is no {}", places::shown(&folder));
    }
    tools::need_qemu_arm()?;
    cargo_for(TRIPLE, "build")?.arg("--release").within(&folder).run()?;
    let run = cargo_for(TRIPLE, "run")?.arg("--release").within(&folder);
    let printed = run.limit(Duration::from_secs(120)).shown()?;
    let export = printed.lines().find(|line| line.starts_with('{'));
    let export = export.context("the program printed no JSON")?;
    profile::check(&format!("{export}\n"), &[]).context("in the JSON that the program printed")?;
    Ok(())
}

//! Stage `wasm`: the npm package, in Node and in a real Chromium.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use crate::command::cargo;
use crate::parts::Parts;
use crate::report::Stage;
use crate::{places, tools, web};

pub const STAGE: Stage =
    Stage { name: "wasm", about: "the npm package, in Node and in a real Chromium", run };

fn run(parts: &mut Parts) {
    parts.part("lint", || {
        tools::need_component("clippy")?;
        cargo(["clippy", "--package", "xtimer-wasm", "--", "-D", "warnings"])
            .env("CARGO_TARGET_DIR", places::work("wasm/host")?)
            .within(&web::folder())
            .run()
    });
    if !parts.part("package", web::build) {
        return;
    }
    parts.part("node", || tests("node", false));
    parts.part("chromium", || tests("browser", true));
    parts.part("installed", || tests("package", true));
    parts.part("examples", || tests("examples", true));
    parts.part("price", || script(&["bench/check.js"], true));
}

/// Runs a file of tests.
fn tests(name: &str, in_browser: bool) -> Result<()> {
    script(&["--test", "--test-reporter=spec", &format!("test/{name}.test.js")], in_browser)
}

fn script(arguments: &[&str], in_browser: bool) -> Result<()> {
    let run = web::node()?.args(arguments).limit(Duration::from_secs(300));
    if in_browser { run.env("CHROMIUM", chromium()?).run() } else { run.run() }
}

/// The browser that CHROMIUM names, else Debian's.
fn chromium() -> Result<PathBuf> {
    match std::env::var_os("CHROMIUM").filter(|name| !name.is_empty()) {
        Some(chosen) => Ok(chosen.into()),
        None => tools::need("chromium", &["chromium"]),
    }
}

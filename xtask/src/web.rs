//! The npm package: the bindings for WebAssembly, bound, made small, and put beside the JavaScript.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::command::{Run, cargo};
use crate::cross::cargo_with;
use crate::parts::missing;
use crate::{places, tools};

const TRIPLE: &str = "wasm32-unknown-unknown";
/// What Node must have at least: `import.meta.dirname`.
const NODE: (u32, u32) = (20, 11);

/// Builds wasm/dist.
///
/// # Errors
/// `Missing` without a compiler for WebAssembly, Node, or the packages that build it.
pub fn build() -> Result<()> {
    let bindings = bind()?;
    node()?.arg("build.js").arg(bindings).run()
}

/// Builds the module and writes it with its glue; gives the folder.
fn bind() -> Result<PathBuf> {
    let (target, bound) = (places::work("wasm")?, places::work("wasm/bindings")?);
    // In a folder of its own: the program for the host and the module share neither flags nor toolchain.
    let program = places::work("wasm/host")?;
    cargo_with(TRIPLE, "build", "core,alloc")?
        .args(["--release", "--package", "xtimer-wasm"])
        .env("CARGO_TARGET_DIR", &target)
        .within(&folder())
        .run()?;
    cargo(["run", "--package", "xtimer-bindgen", "--"])
        .arg(target.join(TRIPLE).join("release/xtimer_wasm.wasm"))
        .arg(&bound)
        .env("CARGO_TARGET_DIR", program)
        .within(&folder())
        .run()?;
    Ok(bound)
}

/// The folder of the package.
pub fn folder() -> PathBuf {
    places::root().join("wasm")
}

/// Node in the package's folder, with the packages there that the lock file names.
///
/// # Errors
/// `Missing` where Node is not to be had or too old, or the packages cannot be fetched.
pub fn node() -> Result<Run> {
    let program = tools::need("node", &["nodejs", "npm"])?;
    let version = Run::new(&program).arg("--version").output()?;
    let mut numbers = version.trim().trim_start_matches('v').split('.').map(str::parse::<u32>);
    let mut number =
        || numbers.next().context("node does not say its version")?.context("a number");
    let found = (number()?, number()?);
    if found < NODE {
        let (least, minor) = NODE;
        return missing(format!(
            "needs Node {least}.{minor} or later, and {} is {}",
            program.display(),
            version.trim()
        ));
    }
    packages()?;
    Ok(Run::new(program).within(&folder()))
}

/// Installs what the lock file names, where it is not there as it says.
fn packages() -> Result<()> {
    let modified = |name: &str| std::fs::metadata(folder().join(name))?.modified();
    let installed = modified("node_modules/.package-lock.json");
    if installed.is_ok_and(|then| modified("package-lock.json").is_ok_and(|lock| lock <= then)) {
        return Ok(());
    }
    let npm = tools::need("npm", &["npm"])?;
    let run = Run::new(npm).args(["ci", "--no-audit", "--no-fund"]).within(&folder());
    println!("$ {}", run.line());
    match run.limit(Duration::from_secs(300)).quietly() {
        Ok(()) => Ok(()),
        Err(error) => {
            println!("{error:#}");
            missing("needs the packages of wasm/package-lock.json (`npm ci` in wasm/ fails)")
        }
    }
}

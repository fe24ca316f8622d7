//! The static library built under a sanitizer: only an instrumented Rust side finds its bugs.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::command::{Run, cargo};
use crate::{cross, places, tools};

/// What a sanitizer watches for.
#[derive(Clone, Copy)]
pub enum Sanitizer {
    /// Invalid memory accesses and leaks.
    Address,
    /// Data races. The standard library has to be rebuilt: its own atomics would look like races.
    Thread,
}

impl Sanitizer {
    /// The name in `-Zsanitizer=` and `-fsanitize=`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Thread => "thread",
        }
    }
}

/// clang++-19 (`extension` "cpp") or clang-19 with the sanitizers' runtime.
pub fn compiler(extension: &str) -> Result<PathBuf> {
    tools::need("clang++-19", &["clang-19", "libclang-rt-19-dev"])?;
    tools::install(&["libclang-rt-19-dev"])?;
    tools::need(if extension == "c" { "clang-19" } else { "clang++-19" }, &["clang-19"])
}

/// Builds the static library under the sanitizer and returns its path.
///
/// # Errors
/// Also a library that came out without instrumentation.
pub fn library(sanitizer: Sanitizer) -> Result<PathBuf> {
    cross::linux_only("a sanitizer")?;
    let (host, name) = (cross::host()?, sanitizer.name());
    let folder = places::work(&format!("sanitize-{name}"))?;
    let run = match sanitizer {
        Sanitizer::Address => cargo(["rustc"]).env("RUSTC_BOOTSTRAP", "1"),
        Sanitizer::Thread => cross::debian("rustc")?.arg("-Zbuild-std=std,panic_unwind"),
    };
    run.args(["-p", "xtimer-ffi", "--lib", "--release", "--crate-type", "staticlib"])
        .args(["--target", &host])
        .env("CARGO_TARGET_DIR", &folder)
        .env("CARGO_PROFILE_RELEASE_LTO", "fat")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("RUSTFLAGS", format!("-Zsanitizer={name} -Cunsafe-allow-abi-mismatch=sanitizer"))
        .run()?;
    let archive = folder.join(&host).join("release/libxtimer.a");
    let needed = Run::new("nm").arg("--undefined-only").arg(&archive).output()?;
    let hook = match sanitizer {
        Sanitizer::Address => "__asan_",
        Sanitizer::Thread => "__tsan_",
    };
    if !needed.contains(hook) {
        bail!("{} is not instrumented: it calls no {hook} function", places::shown(&archive));
    }
    Ok(archive)
}

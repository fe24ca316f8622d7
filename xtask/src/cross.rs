//! A cargo for targets other than the host: rustup's where it has or can fetch the target, else
//! Debian's compiler, which builds `core` from its source.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::command::{Run, cargo};
use crate::parts::{Missing, missing};
use crate::{places, tools};

/// A target with the rustc flags that a firmware for it chooses.
pub struct Target {
    pub triple: &'static str,
    pub rustflags: &'static str,
}

/// Neither core has atomic read-modify-write: the firmware says that it is the only core.
const SINGLE_CORE: &str = "--cfg portable_atomic_unsafe_assume_single_core";

pub const TARGETS: &[Target] = &[
    Target { triple: "thumbv6m-none-eabi", rustflags: SINGLE_CORE },
    Target { triple: "thumbv7m-none-eabi", rustflags: "" },
    Target { triple: "thumbv7em-none-eabihf", rustflags: "" },
    Target { triple: "riscv32imc-unknown-none-elf", rustflags: SINGLE_CORE },
    Target { triple: "riscv32imac-unknown-none-elf", rustflags: "" },
    Target { triple: "wasm32-unknown-unknown", rustflags: "" },
];

/// Set to make `cargo_for` pass over rustup, so that the fallback can be tried where both work.
const ONLY_DEBIAN: &str = "XTASK_DEBIAN_RUST";

const DEBIAN_PACKAGES: &[&str] = &["rustc-web", "cargo-web", "rust-web-src"];

/// `cargo ACTION --target TRIPLE`, ready for more arguments, with a target folder of its own.
///
/// # Errors
/// `Missing` where neither toolchain is to be had.
pub fn cargo_for(triple: &str, action: &str) -> Result<Run> {
    cargo_with(triple, action, "core")
}

/// As `cargo_for`, for a program that needs these `libraries` of the compiler's (`core,alloc`).
///
/// # Errors
/// As `cargo_for`.
pub fn cargo_with(triple: &str, action: &str, libraries: &str) -> Result<Run> {
    let (run, folder) = if from_rustup(triple) {
        (cargo([action]), "cross")
    } else {
        let run = debian(action)
            .map_err(|error| match error.downcast::<Missing>() {
                Ok(Missing(reason)) => {
                    Missing(format!("needs `rustup target add {triple}`; {reason}")).into()
                }
                Err(error) => error,
            })?
            .arg(format!("-Zbuild-std={libraries}"));
        let run = match linker() {
            Some(linker) => run.env(&linker_variable(triple), linker),
            None => run,
        };
        (run, "cross-debian")
    };
    let folder = places::work(folder)?;
    Ok(run.args(["--target", triple]).env("CARGO_TARGET_DIR", folder))
}

/// Debian's cargo and rustc, which have the standard library's source; unstable flags allowed.
///
/// # Errors
/// `Missing` where they cannot be installed.
pub fn debian(action: &str) -> Result<Run> {
    let (cargo, rustc) = (Path::new("/usr/bin/cargo"), Path::new("/usr/bin/rustc"));
    tools::install(DEBIAN_PACKAGES)?;
    Ok(Run::new(cargo)
        .arg(action)
        .env("RUSTC", rustc)
        .env("RUSTDOC", "/usr/bin/rustdoc")
        .env("RUSTC_BOOTSTRAP", "1")
        .without_env("RUSTUP_TOOLCHAIN"))
}

/// Whether the compiler that `cargo` uses has the target, fetched just now if need be.
fn from_rustup(triple: &str) -> bool {
    static FETCHED: OnceLock<()> = OnceLock::new();
    if std::env::var_os(ONLY_DEBIAN).is_some() {
        return false;
    }
    has(triple) || {
        // All at once: where rustup can't fetch one it can't fetch the others.
        FETCHED.get_or_init(|| {
            if tools::find("rustup").is_some() {
                let triples = TARGETS.iter().map(|target| target.triple);
                let run = Run::new("rustup").args(["target", "add"]).args(triples);
                if let Err(error) = run.env("RUSTUP_MAX_RETRIES", "1").limit(FETCH_LIMIT).run() {
                    println!("{error:#}");
                }
            }
        });
        has(triple)
    }
}

const FETCH_LIMIT: Duration = Duration::from_secs(300);

fn has(triple: &str) -> bool {
    sysroot().is_ok_and(|root| root.join("lib/rustlib").join(triple).join("lib").is_dir())
}

fn sysroot() -> Result<PathBuf> {
    let text = Run::new("rustc").args(["--print", "sysroot"]).output()?;
    Ok(text.trim().into())
}

/// A linker for bare metal and wasm: the one that rustup's toolchains carry.
fn linker() -> Option<PathBuf> {
    let rustlib = sysroot().ok()?.join("lib/rustlib");
    let hosts = std::fs::read_dir(rustlib).ok()?.flatten();
    hosts.map(|host| host.path().join("bin/rust-lld")).find(|lld| lld.is_file())
}

/// CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER and the like.
fn linker_variable(triple: &str) -> String {
    format!("CARGO_TARGET_{}_LINKER", triple.to_uppercase().replace('-', "_"))
}

/// The triple of this machine.
pub fn host() -> Result<String> {
    let text = Run::new("rustc").args(["--version", "--verbose"]).output()?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say its host")?.to_owned())
}

/// Whether this is Linux; elsewhere some checks have no tools.
///
/// # Errors
/// `Missing` elsewhere.
pub fn linux_only(what: &str) -> Result<()> {
    if cfg!(target_os = "linux") { Ok(()) } else { missing(format!("{what} needs Linux")) }
}

//! The library as it is shipped: an archive that exports `xtimer_*` alone, so that it links
//! beside any other Rust archive (rust-lang/rust#44322), the shared library and the headers.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command::{Run, cargo};
use crate::{cross, places, tools};

/// Where `cargo build --release` leaves the libraries, after building them.
pub fn built() -> Result<PathBuf> {
    cargo(["build", "--release", "-p", "xtimer-ffi"]).run()?;
    Ok(places::target()?.join("release"))
}

/// Writes `out/lib`, `out/include` and the licences.
///
/// # Errors
/// A build that fails, a missing tool, a folder that cannot be written.
pub fn dist(out: &Path) -> Result<()> {
    cross::linux_only("the shipped archive")?;
    let release = built()?;
    let out = &places::root().join(out);
    let (lib, include) = (out.join("lib"), out.join("include"));
    for folder in [&lib, &include] {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let shared = release.join("libxtimer.so");
    clean(&release.join("libxtimer.a"), &symbols(&shared)?, &lib.join("libxtimer.a"))?;
    let stripped = lib.join("libxtimer.so");
    Run::new("objcopy").arg("--strip-debug").args([&shared, &stripped]).quietly()?;
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&places::root().join(license), &out.join(license))?;
    }
    for header in headers()? {
        let to = include.join(&header);
        std::fs::create_dir_all(to.parent().unwrap_or(&include))?;
        copy(&include_folder().join(&header), &to)?;
    }
    let size = std::fs::metadata(lib.join("libxtimer.a"))?.len();
    println!("{}: libxtimer.a with {} KiB, libxtimer.so, headers", out.display(), size / 1024);
    Ok(())
}

/// Where the headers are.
pub fn include_folder() -> PathBuf {
    places::root().join("include")
}

/// The headers, as paths within include/: those at its top are for users, those in folders their parts.
pub fn headers() -> Result<Vec<PathBuf>> {
    let (folder, mut found, mut folders) = (include_folder(), Vec::new(), vec![PathBuf::new()]);
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&inner)).context("there is no include/")? {
            let entry = entry?;
            let path = inner.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == "h" || found == "hpp") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The global symbols that an archive or a shared library (`-D`) defines, sorted.
pub fn symbols(file: &Path) -> Result<Vec<String>> {
    tools::need("nm", &["binutils"])?;
    let mut run = Run::new("nm").args(["--defined-only", "--extern-only", "--format=posix"]);
    if file.extension().is_some_and(|found| found == "so") {
        run = run.arg("--dynamic");
    }
    let text = run.arg(file).output()?;
    let words = text.lines().filter(|line| line.contains(' '));
    let mut names: Vec<_> =
        words.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Links the archive into one object, keeps what the exports need, and hides all else. The
/// exports come from the shared library: nm misreads objects that carry LLVM bitcode beside code.
fn clean(archive: &Path, exports: &[String], out: &Path) -> Result<()> {
    for tool in ["ld", "objcopy", "ar"] {
        tools::need(tool, &["binutils"])?;
    }
    if exports.is_empty() {
        bail!("the shared library exports nothing");
    }
    let folder = places::work("xtask/archive")?;
    let (list, merged, hidden) =
        (folder.join("exports.txt"), folder.join("merged.o"), folder.join("xtimer.o"));
    std::fs::write(&list, exports.join("\n") + "\n")?;
    let roots = exports.iter().flat_map(|name| ["-u", name.as_str()]);
    Run::new("ld")
        // Without section groups: one that both archives have would be dropped from the other,
        // which then misses a symbol that is hidden here.
        .args(["-r", "--gc-sections", "--force-group-allocation"])
        .args(roots)
        .arg("-o")
        .arg(&merged)
        .arg(archive)
        .quietly()?;
    let mut keep = std::ffi::OsString::from("--keep-global-symbols=");
    keep.push(&list);
    // The bitcode is of no use without a matching LLVM, and makes ar and nm stumble.
    Run::new("objcopy")
        .arg(keep)
        .args(["--strip-debug", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"])
        .args([&merged, &hidden])
        .quietly()?;
    if out.exists() {
        std::fs::remove_file(out)?;
    }
    Run::new("ar").arg("rcs").arg(out).arg(&hidden).quietly()
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

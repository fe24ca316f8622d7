//! `cargo xtask install` and `uninstall`: the library under a prefix, as a system or a user has it.
//!
//! ```text
//! include/                xtimer.h, xtimer.hpp and its parts
//! lib/                    libxtimer.a; libxtimer.so -> libxtimer.so.0 -> libxtimer.so.0.1.0
//! lib/pkgconfig/          xtimer.pc
//! lib/cmake/xtimer/       xtimer-config.cmake, xtimer-config-version.cmake
//! share/xtimer/files.txt  what was installed, for uninstall
//! ```
//!
//! All of it finds its way relative to itself, so the prefix may be moved.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command::Run;
use crate::{archive, cross, places, tools};

/// Where the list of the installed files lies.
const LIST: &str = "share/xtimer/files.txt";

/// The version of the library, as its headers and packages tell it.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The number in the shared library's soname: the major version.
fn soname_version() -> &'static str {
    version().split('.').next().unwrap_or("0")
}

/// The versions that may stand for one another, as a CMake project asks for them.
pub fn series() -> &'static str {
    match (version().starts_with("0."), version().rmatch_indices('.').next()) {
        (true, Some((patch, _))) => &version()[..patch],
        _ => soname_version(),
    }
}

/// Installs into `prefix`; what an earlier install left there goes first.
///
/// # Errors
/// A build that fails, a missing tool, a folder that cannot be written.
pub fn install(prefix: &Path) -> Result<()> {
    cross::linux_only("the installed library")?;
    let prefix = &std::path::absolute(prefix)?;
    let staged = places::work("xtask/install")?;
    archive::dist(&staged)?;
    if prefix.join(LIST).is_file() {
        uninstall(prefix)?;
    }
    let mut into = Into { prefix, list: Vec::new() };
    for header in archive::headers()? {
        into.copy(&archive::include_folder().join(&header), &Path::new("include").join(&header))?;
    }
    into.copy(&staged.join("lib/libxtimer.a"), Path::new("lib/libxtimer.a"))?;
    let (soname, file) =
        (format!("libxtimer.so.{}", soname_version()), format!("libxtimer.so.{}", version()));
    let shared = staged.join("lib").join(&file);
    link_shared(&staged.join("lib/libxtimer.a"), &soname, &shared)?;
    into.copy(&shared, &Path::new("lib").join(&file))?;
    into.link(&format!("lib/{soname}"), &file)?;
    into.link("lib/libxtimer.so", &soname)?;
    into.write("lib/pkgconfig/xtimer.pc", &filled("xtimer.pc.in")?)?;
    for name in ["xtimer-config.cmake", "xtimer-config-version.cmake"] {
        into.write(&format!("lib/cmake/xtimer/{name}"), &filled(&format!("{name}.in"))?)?;
    }
    into.finish()?;
    println!("{}: xtimer {}", prefix.display(), version());
    Ok(())
}

/// Removes what `install` put into `prefix`, and the folders that it made and that are empty now.
///
/// # Errors
/// Nothing was installed there; a list that names what cannot be its own; a file that cannot be removed.
pub fn uninstall(prefix: &Path) -> Result<()> {
    let prefix = std::path::absolute(prefix)?;
    let list = prefix.join(LIST);
    let Ok(text) = std::fs::read_to_string(&list) else {
        bail!("no xtimer is installed in {}: there is no {LIST}", prefix.display());
    };
    let plain =
        |name: &&str| Path::new(name).components().all(|c| matches!(c, Component::Normal(_)));
    if let Some(name) = text.lines().find(|name| name.is_empty() || !plain(name)) {
        bail!("{} names '{name}', which install never does; nothing was removed", list.display());
    }
    // Folders stand before what is in them, and are marked by a slash.
    for name in text.lines().rev() {
        let path = prefix.join(name);
        if name.ends_with('/') {
            // Kept where others have files in it.
            let _ = std::fs::remove_dir(&path);
        } else if path.symlink_metadata().is_ok() {
            std::fs::remove_file(&path)
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    println!("{}: xtimer is removed", prefix.display());
    Ok(())
}

/// The shared library, of the same code as the archive, with a name that tells its version.
fn link_shared(archive: &Path, soname: &str, out: &Path) -> Result<()> {
    Run::new(tools::c_compiler()?)
        .args(["-shared", "-pthread"])
        .arg(format!("-Wl,-soname,{soname}"))
        .args(["-Wl,--whole-archive"])
        .arg(archive)
        .args(["-Wl,--no-whole-archive", "-Wl,--gc-sections", "-Wl,-z,defs,-z,relro,-z,now"])
        .args(["-lgcc_s", "-ldl", "-lm", "-o"])
        .arg(out)
        .quietly()
}

/// A file of packaging/ with what it leaves open filled in.
pub fn filled(name: &str) -> Result<String> {
    let file = places::root().join("packaging").join(name);
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}", file.display()))?;
    Ok(text
        .replace("@VERSION@", version())
        .replace("@SOVERSION@", soname_version())
        .replace("@SERIES@", series())
        .replace("@POINTER_BYTES@", &size_of::<usize>().to_string()))
}

/// A prefix that is being filled, and the list of what was made in it.
struct Into<'p> {
    prefix: &'p Path,
    list: Vec<String>,
}

impl Into<'_> {
    fn copy(&mut self, from: &Path, name: &Path) -> Result<()> {
        let to = self.place(name)?;
        std::fs::copy(from, &to)
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
        Ok(())
    }

    fn write(&mut self, name: &str, text: &str) -> Result<()> {
        let to = self.place(Path::new(name))?;
        std::fs::write(&to, text).with_context(|| format!("cannot write {}", to.display()))
    }

    fn link(&mut self, name: &str, target: &str) -> Result<()> {
        let to = self.place(Path::new(name))?;
        #[cfg(unix)]
        std::os::unix::fs::symlink(target, &to)
            .with_context(|| format!("cannot link {} to {target}", to.display()))?;
        #[cfg(not(unix))]
        bail!("cannot link {} to {target} on this system", to.display());
        #[cfg(unix)]
        Ok(())
    }

    /// Where a file goes: its folders made, what was there before removed, both on the list.
    fn place(&mut self, name: &Path) -> Result<PathBuf> {
        let folders: Vec<_> = name.ancestors().skip(1).collect();
        for folder in folders.into_iter().rev() {
            let path = self.prefix.join(folder);
            if !path.is_dir() {
                std::fs::create_dir_all(&path)
                    .with_context(|| format!("cannot make the folder {}", path.display()))?;
                if folder != Path::new("") {
                    self.list.push(format!("{}/", folder.display()));
                }
            }
        }
        let to = self.prefix.join(name);
        if to.symlink_metadata().is_ok() {
            std::fs::remove_file(&to)
                .with_context(|| format!("cannot replace {}", to.display()))?;
        }
        self.list.push(name.display().to_string());
        Ok(to)
    }

    fn finish(mut self) -> Result<()> {
        self.place(Path::new(LIST))?;
        let text = self.list.join("\n") + "\n";
        std::fs::write(self.prefix.join(LIST), text).context("cannot write the list of files")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("xtimer-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn uninstall_takes_its_own_and_leaves_the_rest() {
        let prefix = folder("own");
        std::fs::create_dir(prefix.join("lib")).unwrap();
        std::fs::write(prefix.join("lib/other.a"), "").unwrap();
        let mut into = Into { prefix: &prefix, list: Vec::new() };
        into.write("lib/cmake/xtimer/a.cmake", "").unwrap();
        into.write("include/x.h", "").unwrap();
        into.link("lib/libx.so", "libx.so.0").unwrap();
        into.write("share/doc/y", "").unwrap();
        into.finish().unwrap();
        std::fs::write(prefix.join("share/doc/theirs"), "").unwrap();
        uninstall(&prefix).unwrap();
        assert!(prefix.join("lib/other.a").exists() && prefix.join("share/doc/theirs").exists());
        for gone in ["lib/cmake", "lib/libx.so", "include", "share/xtimer", "share/doc/y"] {
            assert!(prefix.join(gone).symlink_metadata().is_err(), "{gone}");
        }
        let again = uninstall(&prefix).unwrap_err().to_string();
        assert!(again.contains("no xtimer is installed"), "{again}");
        std::fs::remove_dir_all(prefix).unwrap();
    }

    #[test]
    fn a_list_that_leads_elsewhere_removes_nothing() {
        let prefix = folder("list");
        for name in ["../other", "/etc/passwd", ""] {
            let list = prefix.join(LIST);
            std::fs::create_dir_all(list.parent().unwrap()).unwrap();
            std::fs::write(prefix.join("kept"), "").unwrap();
            std::fs::write(&list, format!("kept\n{name}\n")).unwrap();
            let error = uninstall(&prefix).unwrap_err().to_string();
            assert!(error.contains("nothing was removed"), "{error}");
            assert!(prefix.join("kept").exists());
        }
        std::fs::remove_dir_all(prefix).unwrap();
    }

    #[test]
    fn versions_are_told_in_each_form() {
        assert!(version().starts_with(series()));
        assert!(filled("xtimer.pc.in").unwrap().contains(&format!("Version: {}", version())));
        for name in ["xtimer-config.cmake.in", "xtimer-config-version.cmake.in"] {
            assert!(!filled(name).unwrap().contains('@'), "{name}");
        }
    }
}

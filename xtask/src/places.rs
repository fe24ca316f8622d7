//! Where things are: the repository, cargo's target folder, what the tooling builds there.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};

/// The repository's root.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        // `cargo run` says where the package is now; the compiled-in path is for a bare binary.
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        package.parent().map_or_else(|| package.clone(), Path::to_path_buf)
    })
}

/// Cargo's target folder of the workspace, wherever the user's configuration puts it.
pub fn target() -> Result<&'static Path> {
    static TARGET: OnceLock<PathBuf> = OnceLock::new();
    if let Some(found) = TARGET.get() {
        return Ok(found);
    }
    #[derive(serde::Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    let text =
        crate::command::cargo(["metadata", "--format-version", "1", "--no-deps"]).output()?;
    let found: Metadata =
        serde_json::from_str(&text).context("cargo metadata is not the JSON expected")?;
    Ok(TARGET.get_or_init(|| found.target_directory))
}

/// A folder of the tooling's own in the target folder, created where missing.
pub fn work(name: &str) -> Result<PathBuf> {
    let folder = target()?.join(name);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// `path` as shown to people: relative to the root where it lies in it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// The workspaces beside the root's: for other targets, with other profiles.
pub fn separate_workspaces() -> Vec<PathBuf> {
    let folders = ["examples/firmware", "ffi/tests/other_archive", "fuzz", "wasm"];
    let folders = folders.map(|name| root().join(name));
    folders.into_iter().filter(|folder| folder.join("Cargo.toml").is_file()).collect()
}

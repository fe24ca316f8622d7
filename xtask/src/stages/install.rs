//! Stage `install`: projects outside the tree use an installed library, by CMake and by pkg-config.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{Run, cargo};
use crate::parts::Parts;
use crate::programs::{self, C11, Library, Setup};
use crate::report::Stage;
use crate::{archive, install, places, tools};

pub const STAGE: Stage = Stage {
    name: "install",
    about: "an installed library, used from outside the tree by CMake and pkg-config",
    run,
};

/// A program of these ends at once.
const LIMIT: Duration = Duration::from_secs(60);

fn run(parts: &mut Parts) {
    let outside = Outside::new();
    let prefix = outside.folder.join("moved");
    if parts.part("install", || installed(&outside.folder.join("prefix"), &prefix)) {
        parts.part("shared library", || shared(&prefix));
        parts.part("C programs", || c_programs(&prefix));
        parts.part("CMake, static", || outside.cmake("found", "OFF", &prefix));
        parts.part("CMake, shared", || outside.cmake("found", "ON", &prefix));
        parts.part("CMake, subdirectory", || outside.cmake("subdirectory", "OFF", &prefix));
        parts.part("pkg-config", || outside.pkg_config(&prefix));
        parts.part("uninstall", || uninstalled(&prefix));
    }
    parts.part("packages of the crates", packages);
}

/// Installs twice over, and moves it away from where it was installed.
fn installed(first: &Path, prefix: &Path) -> Result<()> {
    install::install(first)?;
    std::fs::write(first.join("lib/theirs.txt"), "not ours")?;
    install::install(first)?;
    std::fs::rename(first, prefix).context("cannot move the prefix")?;
    Ok(())
}

/// It says its version, and exports what the archive does.
fn shared(prefix: &Path) -> Result<()> {
    tools::need("readelf", &["binutils"])?;
    let library = prefix.join("lib/libxtimer.so");
    let dynamic = Run::new("readelf").arg("-d").arg(&library).output()?;
    ensure!(dynamic.contains("Library soname: [libxtimer.so.0]"), "no such soname:\n{dynamic}");
    let symbols = archive::symbols(&library)?;
    let foreign = symbols.iter().find(|name| !name.starts_with("xtimer_"));
    ensure!(foreign.is_none(), "the shared library exports {foreign:?}");
    ensure!(
        symbols == archive::symbols(&prefix.join("lib/libxtimer.a"))?,
        "others than the archive"
    );
    println!("{} functions", symbols.len());
    Ok(())
}

/// The C programs of the stage `ffi` against the shared library as it is installed.
fn c_programs(prefix: &Path) -> Result<()> {
    let setup = Setup {
        language: &C11,
        compiler: tools::c_compiler()?,
        flags: vec!["-O2".into()],
        env: Vec::new(),
        folder: places::work("xtask/installed")?,
    };
    let programs = programs::found(&C11)?;
    setup.compile(&programs)?;
    setup.link_and_run(&programs, &Library::Shared(prefix.join("lib")))
}

fn uninstalled(prefix: &Path) -> Result<()> {
    install::uninstall(prefix)?;
    let left: Vec<_> = files(prefix)?;
    ensure!(left == [prefix.join("lib/theirs.txt")], "left behind: {left:?}");
    match install::uninstall(prefix) {
        Ok(()) => bail!("it was uninstalled twice"),
        Err(error) => println!("again: {error}"),
    }
    Ok(())
}

/// Everything in a folder but folders that hold something.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_folder = path.symlink_metadata()?.is_dir();
        let within = if is_folder { files(&path)? } else { Vec::new() };
        if within.is_empty() {
            found.push(path);
        } else {
            found.extend(within);
        }
    }
    Ok(found)
}

/// Each crate that is published makes a package, which holds all that it needs to build.
fn packages() -> Result<()> {
    cargo(["package", "--allow-dirty", "--quiet"])
        .args(["-p", "xtimer-macros", "-p", "xtimer-core", "-p", "xtimer-tracing"])
        .run()
}

/// A folder outside the tree, gone at the end.
struct Outside {
    folder: PathBuf,
}

impl Outside {
    fn new() -> Self {
        let name = format!("xtimer-install-{}", std::process::id());
        Self { folder: std::env::temp_dir().join(name) }
    }

    /// A project of packaging/tests, copied out of the tree.
    fn project(&self, name: &str, folder: &str) -> Result<PathBuf> {
        let project = self.folder.join(folder);
        std::fs::create_dir_all(&project)?;
        for file in ["main.cpp", "part.c"] {
            let from = places::root().join("packaging/tests/common").join(file);
            std::fs::copy(from, project.join(file))?;
        }
        let list = format!("tests/{name}/CMakeLists.txt");
        if places::root().join("packaging").join(&list).is_file() {
            std::fs::write(project.join("CMakeLists.txt"), install::filled(&list)?)?;
        }
        Ok(project)
    }

    fn cmake(&self, name: &str, shared: &str, prefix: &Path) -> Result<()> {
        let cmake = tools::need("cmake", &["cmake"])?;
        tools::need("make", &["make"])?;
        let (cc, cpp) = (tools::c_compiler()?, tools::cpp_compiler()?);
        let project = self.project(name, &format!("{name}-{shared}"))?;
        let define = |name: &str, value: &Path| format!("-D{name}={}", value.display());
        Run::new(&cmake)
            .args(["-S", ".", "-B", "build", "-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release"])
            .arg(format!("-DBUILD_SHARED_LIBS={shared}"))
            .arg(define("CMAKE_C_COMPILER", &cc))
            .arg(define("CMAKE_CXX_COMPILER", &cpp))
            .arg(define("CMAKE_PREFIX_PATH", prefix))
            .arg(define("XTIMER_REPOSITORY", places::root()))
            // Not to build it once more.
            .arg(define("XTIMER_TARGET_DIR", places::target()?))
            .within(&project)
            .quietly()?;
        Run::new(&cmake).args(["--build", "build"]).within(&project).quietly()?;
        let program = project.join("build/program");
        let needed = Run::new("readelf").arg("-d").arg(&program).output()?;
        let is_shared = needed.contains("[libxtimer.so");
        ensure!(is_shared == (shared == "ON"), "linked to the other library:\n{needed}");
        Run::new(&program).within(&project).limit(LIMIT).run()
    }

    fn pkg_config(&self, prefix: &Path) -> Result<()> {
        let pkg_config = tools::need("pkg-config", &["pkg-config"])?;
        let ask = |arguments: &[&str]| -> Result<String> {
            let path = prefix.join("lib/pkgconfig");
            Run::new(&pkg_config)
                .env("PKG_CONFIG_PATH", path)
                .args(arguments)
                .arg("xtimer")
                .output()
        };
        ensure!(ask(&["--modversion"])?.trim() == install::version(), "another version");
        let project = self.project("by-pkg-config", "by-pkg-config")?;
        let lib = prefix.join("lib");
        for (name, how) in [("shared", "--libs"), ("static", "--static")] {
            let flags = ask(&["--cflags"])?;
            let libraries = match how {
                "--libs" => ask(&["--libs"])?,
                // The archive by its file name: -static would take the system's as well.
                _ => ask(&["--static", "--libs"])?.replace("-lxtimer", "-l:libxtimer.a"),
            };
            let object = project.join(format!("part-{name}.o"));
            Run::new(tools::c_compiler()?)
                .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-c", "part.c", "-o"])
                .arg(&object)
                .args(flags.split_whitespace())
                .within(&project)
                .quietly()?;
            let program = project.join(name);
            Run::new(tools::cpp_compiler()?)
                .args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "main.cpp"])
                .arg(&object)
                .arg("-o")
                .arg(&program)
                .args(flags.split_whitespace())
                .args(libraries.split_whitespace())
                .within(&project)
                .quietly()?;
            let run = Run::new(&program).limit(LIMIT);
            let run = if name == "shared" { run.env("LD_LIBRARY_PATH", &lib) } else { run };
            run.run()?;
        }
        Ok(())
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

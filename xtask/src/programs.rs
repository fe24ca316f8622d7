//! C and C++ test programs: finds them, compiles, links, runs; on every core at once.
//!
//! In `ffi/tests/c` and `ffi/tests/cpp` each file is a program. Exit status 0 is a pass, 77 means
//! that it cannot run here. A file whose name begins with `_` is a helper, linked into each
//! single-file program of its folder. A folder is a program of several files; those of its files
//! whose names begin with `plugin` become shared libraries (`plugin.so`) beside the program. A
//! program whose name begins with `disabled` is linked without the library. A program runs in a
//! folder of its own, fresh each time, in which the plugins lie.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::command::Run;
use crate::parts::{Missing, missing};
use crate::places;

/// A program ends in seconds, under a sanitizer on a busy machine in minutes; one that hangs is a failure.
const LIMIT: Duration = Duration::from_secs(600);

/// The exit status of a program that cannot run here.
const CANNOT_RUN: i32 = 77;

const WARNINGS: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// A language with its standard: the folder of its programs, their extension, the flag.
pub struct Language {
    pub name: &'static str,
    pub folder: &'static str,
    pub extension: &'static str,
    pub flag: &'static str,
}

pub const C11: Language = Language { name: "C11", folder: "c", extension: "c", flag: "-std=c11" };
pub const CPP17: Language =
    Language { name: "C++17", folder: "cpp", extension: "cpp", flag: "-std=c++17" };
pub const CPP20: Language =
    Language { name: "C++20", folder: "cpp", extension: "cpp", flag: "-std=c++20" };

/// The library to link against, and how.
pub enum Library {
    Static(PathBuf),
    /// The folder that holds libxtimer.so.
    Shared(PathBuf),
}

/// How to build and run a set of programs.
pub struct Setup<'a> {
    pub language: &'a Language,
    pub compiler: PathBuf,
    pub flags: Vec<String>,
    /// Environment of the programs.
    pub env: Vec<(&'static str, String)>,
    /// Where objects and programs go.
    pub folder: PathBuf,
}

/// One program: its own units, and those that become plugins.
pub struct Program {
    pub name: String,
    pub units: Vec<PathBuf>,
    pub plugins: Vec<PathBuf>,
}

/// The programs of a language's folder under ffi/tests, by name.
///
/// # Errors
/// None found: tests do not vanish silently.
pub fn found(language: &Language) -> Result<Vec<Program>> {
    let folder = places::root().join("ffi/tests").join(language.folder);
    let sources = units(&folder, language.extension);
    let (helpers, mains): (Vec<_>, Vec<_>) =
        sources.into_iter().partition(|file| stem(file).starts_with('_'));
    let mut programs: Vec<_> = mains
        .into_iter()
        .map(|main| Program {
            name: stem(&main),
            units: [vec![main], helpers.clone()].concat(),
            plugins: Vec::new(),
        })
        .collect();
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let (plugins, units): (Vec<_>, Vec<_>) = units(&entry.path(), language.extension)
            .into_iter()
            .partition(|file| stem(file).starts_with("plugin"));
        if !units.is_empty() {
            programs.push(Program { name: stem(&entry.path()), units, plugins });
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    if programs.is_empty() {
        bail!("there is no program in {}", places::shown(&folder));
    }
    Ok(programs)
}

impl Setup<'_> {
    /// Compiles all units of the programs, each once.
    pub fn compile(&self, programs: &[Program]) -> Result<()> {
        let mut sources: Vec<_> = programs
            .iter()
            .flat_map(|program| program.units.iter().chain(&program.plugins))
            .collect();
        sources.sort();
        sources.dedup();
        std::fs::create_dir_all(&self.folder)?;
        println!("{}: {}", self.language.name, self.compiling().line());
        in_parallel(&sources, |source| {
            let object = self.object(source);
            self.compiling().arg("-c").arg(source).arg("-o").arg(object).quietly()
        })
    }

    /// Links each program against `library` and runs it.
    ///
    /// # Errors
    /// Those that failed; `Missing` where none failed and some cannot run here.
    pub fn link_and_run(&self, programs: &[Program], library: &Library) -> Result<()> {
        let cannot_run = Mutex::new(Vec::new());
        in_parallel(programs, |program| {
            let folder = self.folder.join(library.name()).join(&program.name);
            let executable = self.link(program, library, &folder)?;
            let mut run = Run::new(&executable).within(&folder).limit(LIMIT);
            for (name, value) in &self.env {
                run = run.env(name, value);
            }
            let label = format!("{} {} ({})", self.language.name, program.name, library.name());
            let end = run.captured().with_context(|| label.clone())?;
            match end.status.code() {
                Some(0) => println!("passed  {label}"),
                Some(CANNOT_RUN) => {
                    println!("skipped {label}: {}", end.text.trim());
                    if let Ok(mut list) = cannot_run.lock() {
                        list.push(label);
                    }
                }
                _ => bail!("{label}: {}\n{}", end.status, end.text.trim_end()),
            }
            Ok(())
        })?;
        match cannot_run.into_inner() {
            Ok(list) if !list.is_empty() => missing(format!("{} cannot run here", list.join(", "))),
            _ => Ok(()),
        }
    }

    fn compiling(&self) -> Run {
        Run::new(&self.compiler)
            .arg(self.language.flag)
            .args(WARNINGS)
            .args(["-Iinclude", "-fPIC", "-g", "-pthread"])
            .args(&self.flags)
    }

    /// Where the object of a source lies: its path, flattened.
    fn object(&self, source: &Path) -> PathBuf {
        let name = places::shown(source).replace(['/', '\\'], "-");
        self.folder.join(format!("{name}.o"))
    }

    fn linking(&self) -> Run {
        Run::new(&self.compiler).args(["-g", "-pthread"]).args(&self.flags)
    }

    /// Links the program and its plugins into `folder`, which is emptied before.
    fn link(&self, program: &Program, library: &Library, folder: &Path) -> Result<PathBuf> {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::create_dir_all(folder)?;
        for plugin in &program.plugins {
            let run = self.linking().arg("-shared").arg(self.object(plugin));
            let run = match library {
                // The plugin finds the functions in the program that loads it: one library for
                // both, as it is with the shared one.
                Library::Static(_) => run,
                Library::Shared(_) => run.args(library.arguments()),
            };
            run.arg("-o").arg(folder.join(format!("{}.so", stem(plugin)))).quietly()?;
        }
        let executable = folder.join(&program.name);
        let mut run = self.linking().args(program.units.iter().map(|unit| self.object(unit)));
        if !program.plugins.is_empty() {
            run = run.arg("-rdynamic");
        }
        if !program.name.starts_with("disabled") {
            run = run.args(library.arguments());
        }
        run.arg("-o").arg(&executable).quietly()?;
        Ok(executable)
    }
}

impl Library {
    fn name(&self) -> &'static str {
        match self {
            Self::Static(_) => "static",
            Self::Shared(_) => "shared",
        }
    }

    fn arguments(&self) -> Vec<OsString> {
        match self {
            Self::Static(archive) => vec![archive.into(), "-ldl".into(), "-lm".into()],
            Self::Shared(folder) => {
                let mut path = OsString::from("-Wl,-rpath,");
                path.push(folder);
                vec!["-L".into(), folder.into(), "-lxtimer".into(), path, "-ldl".into()]
            }
        }
    }
}

/// Calls `body` for each item, as many at once as there are cores, and all of them whatever the
/// others do. The errors come together; a single one as it is.
pub fn in_parallel<T: Sync>(items: &[T], body: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let workers = thread::available_parallelism().map_or(2, usize::from).min(items.len().max(1));
    let next = std::sync::atomic::AtomicUsize::new(0);
    let errors = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(item) =
                    items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    if let (Err(error), Ok(mut errors)) = (body(item), errors.lock()) {
                        errors.push(error);
                    }
                }
            });
        }
    });
    let mut errors = errors.into_inner().unwrap_or_default();
    match errors.len() {
        0 => Ok(()),
        1 => Err(errors.remove(0)),
        count if errors.iter().all(|error| error.is::<Missing>()) => {
            missing(format!("{count} cannot run: {:#}", errors[0]))
        }
        count => {
            for error in &errors {
                println!("{error:#}\n");
            }
            bail!("{count} failed, the first: {:#}", errors[0])
        }
    }
}

/// The files of `folder` with this extension, by name; none where there is no such folder.
fn units(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

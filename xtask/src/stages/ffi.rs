//! Stage `ffi`: the C and C++ library: its Rust tests, its headers, C and C++ programs.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::command::cargo;
use crate::parts::Parts;
use crate::programs::{self, C11, CPP17, CPP20, Language, Library, Program, Setup};
use crate::report::Stage;
use crate::{archive, header, places, tools};

pub const STAGE: Stage = Stage {
    name: "ffi",
    about: "the C and C++ library: headers, C11, C++17 and C++20 programs",
    run,
};

const LANGUAGES: &[&Language] = &[&C11, &CPP17, &CPP20];

fn run(parts: &mut Parts) {
    parts.part("rust tests", || cargo(["test", "-p", "xtimer-ffi"]).tests());
    parts.part("header drift", header::check);
    if !parts.part("libraries", || archive::built().map(drop)) {
        return;
    }
    for language in LANGUAGES {
        parts.part(format!("headers in {}", language.name), || headers(language));
        parts.part(format!("{} programs", language.name), || run_programs(language));
    }
}

fn setup<'a>(language: &'a Language, purpose: &str) -> Result<Setup<'a>> {
    let compiler = match language.extension {
        "c" => tools::c_compiler()?,
        _ => tools::cpp_compiler()?,
    };
    let folder = places::work(&format!("xtask/{purpose}{}", language.flag))?;
    Ok(Setup { language, compiler, flags: Vec::new(), env: Vec::new(), folder })
}

fn libraries() -> Result<[Library; 2]> {
    let release = places::target()?.join("release");
    Ok([Library::Static(release.join("libxtimer.a")), Library::Shared(release)])
}

/// Optimised, as users build: the inline paths of the header are what is tested.
fn run_programs(language: &Language) -> Result<()> {
    let programs = programs::found(language)?;
    let mut setup = setup(language, "programs")?;
    setup.flags = vec!["-O2".into()];
    setup.compile(&programs)?;
    // Both, before either's failure is reported.
    let [first, second] = libraries()?.map(|library| setup.link_and_run(&programs, &library));
    first.and(second)
}

/// Each header for users on its own, and twice in two units of one program; C++ also switched off.
fn headers(language: &Language) -> Result<()> {
    let setup = setup(language, "headers")?;
    let mut units = Vec::new();
    for header in archive::headers()?.iter().filter(|header| header.components().count() == 1) {
        let is_cpp = header.extension().is_some_and(|found| found == "hpp");
        let name = header.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_cpp && language.extension == "c" {
            continue;
        }
        let variants: &[(&str, &str)] = if is_cpp {
            &[("", ""), ("-disabled", "#define XTIMER_DISABLE\n")]
        } else {
            &[("", "")]
        };
        for (suffix, before) in variants {
            let include = format!("{before}#include \"{name}\"\n");
            let label = format!("{}{suffix}", name.replace('.', "-"));
            let source = |role: &str, text: String| {
                write(&setup.folder, &format!("{label}-{role}.{}", language.extension), &text)
            };
            // Alone and first in its unit; then twice in the one and once in the other.
            let first =
                source("first", format!("{include}{include}int main(void) {{ return 0; }}\n"))?;
            let second = source(
                "second",
                format!("{include}int other(void);\nint other(void) {{ return 0; }}\n"),
            )?;
            units.push(Program { name: label, units: vec![first, second], plugins: Vec::new() });
        }
    }
    setup.compile(&units)?;
    let [archive, _] = libraries()?;
    setup.link_and_run(&units, &archive)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let file = folder.join(name);
    std::fs::write(&file, text)?;
    Ok(file)
}

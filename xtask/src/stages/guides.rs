//! Stage `guides`: each program that a guide shows is compiled and run.

use anyhow::{Result, ensure};

use crate::command::cargo;
use crate::parts::Parts;
use crate::programs::{CPP17, CPP20, Language, Library, Program, Setup};
use crate::report::Stage;
use crate::{archive, markdown, places, tools};

pub const STAGE: Stage =
    Stage { name: "guides", about: "the programs in the guides, compiled and run", run };

/// The guides whose C++ blocks are whole programs, each of which exits with 0.
const GUIDES: &[&str] = &["docs/cpp.md", "docs/threads-and-async.md"];

fn run(parts: &mut Parts) {
    parts.part("Rust", || cargo(["test", "-p", "xtimer-guides", "--doc"]).tests());
    for language in [&CPP17, &CPP20] {
        parts.part(language.name, || cpp(language));
    }
}

/// Those with coroutines are C++20, the others C++17.
fn cpp(language: &Language) -> Result<()> {
    archive::built()?;
    let folder = places::work(&format!("xtask/guides{}", language.flag))?;
    let mut programs = Vec::new();
    for document in markdown::documents()? {
        let name = places::shown(&document.path);
        if !GUIDES.contains(&name.as_str()) {
            continue;
        }
        for (line, text) in document.blocks("cpp") {
            ensure!(text.contains("int main("), "{name}:{line}: the block is no whole program");
            if text.contains("<coroutine>") == (language.name == CPP20.name) {
                let name = format!("{}-{line}", name.replace(['/', '.'], "-"));
                let file = folder.join(format!("{name}.cpp"));
                std::fs::write(&file, text)?;
                programs.push(Program { name, units: vec![file], plugins: Vec::new() });
            }
        }
    }
    ensure!(!programs.is_empty(), "no guide has a {} program", language.name);
    let setup = Setup {
        language,
        compiler: tools::cpp_compiler()?,
        flags: vec!["-O2".into(), "-fopenmp".into()],
        env: Vec::new(),
        folder,
    };
    setup.compile(&programs)?;
    let archive = places::target()?.join("release/libxtimer.a");
    setup.link_and_run(&programs, &Library::Static(archive))
}

//! Stage `sanitizers`: the C and C++ programs under AddressSanitizer, the library included.

use anyhow::Result;

use crate::instrumented::{self, Sanitizer};
use crate::parts::Parts;
use crate::places;
use crate::programs::{self, C11, CPP17, Language, Library, Setup};
use crate::report::Stage;

pub const STAGE: Stage = Stage {
    name: "sanitizers",
    about: "the C and C++ programs under AddressSanitizer, the library included",
    run,
};

fn run(parts: &mut Parts) {
    under(Sanitizer::Address, parts);
}

/// One part a language, under `sanitizer`.
pub fn under(sanitizer: Sanitizer, parts: &mut Parts) {
    for language in [&C11, &CPP17] {
        let name = format!("{} under {}", language.name, sanitizer.name());
        parts.part(name, || programs_under(sanitizer, language));
    }
}

fn programs_under(sanitizer: Sanitizer, language: &Language) -> Result<()> {
    let compiler = instrumented::compiler(language.extension)?;
    let archive = instrumented::library(sanitizer)?;
    let programs = programs::found(language)?;
    let setup = Setup {
        language,
        compiler,
        flags: vec![
            "-O1".into(),
            "-fno-omit-frame-pointer".into(),
            format!("-fsanitize={}", sanitizer.name()),
        ],
        env: vec![
            ("ASAN_OPTIONS", "detect_stack_use_after_return=1:strict_string_checks=1".into()),
            ("TSAN_OPTIONS", "halt_on_error=1".into()),
        ],
        folder: places::work(&format!("xtask/{}{}", sanitizer.name(), language.flag))?,
    };
    setup.compile(&programs)?;
    setup.link_and_run(&programs, &Library::Static(archive))
}

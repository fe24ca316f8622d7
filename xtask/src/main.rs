//! `cargo xtask`: the commands that build, test and ship xtimer.
//!
//! ```text
//! line      the command line
//! stages/   one file a stage of `cargo xtask test`: the parts it is made of
//! parts     runs the parts of a stage and keeps how each ended
//! report    headers, the closing table, the last line
//! command   runs a program, shown as one could type it, with a time limit
//! tools     finds programs and installs what is missing
//! cross     a cargo for targets other than the host
//! programs  C and C++ test programs: find, compile, link, run
//! header    include/xtimer.h from the Rust sources
//! archive   the static library as shipped: foreign symbols hidden
//! install   the library under a prefix: shared, pkg-config, CMake; and its removal
//! instrumented  the static library under a sanitizer
//! profile   checks an exported JSON by the rules of the design, independently
//! train     builds and runs the example
//! web       the npm package: bindings, WebAssembly, JavaScript
//! soak      what takes longer than the tests may
//! ```

mod archive;
mod command;
mod cross;
mod header;
mod install;
mod instrumented;
mod line;
mod markdown;
mod parts;
mod places;
mod profile;
mod programs;
mod report;
mod soak;
mod stages;
mod tools;
mod train;
mod web;

use std::process::ExitCode;

use clap::Parser;

use crate::line::{Action, Line};

fn main() -> ExitCode {
    let line = Line::parse();
    let outcome = match line.action {
        Action::Demo { steps, texts } => train::demo(steps, &texts).map(|()| true),
        Action::Test { list: true, .. } => {
            stages::list();
            Ok(true)
        }
        Action::Test { stages, .. } => stages::run(&stages),
        Action::Soak { list: true, .. } => {
            soak::list();
            Ok(true)
        }
        Action::Soak { parts, .. } => soak::run(&parts),
        Action::Header { check: true } => header::check().map(|()| true),
        Action::Header { check: false } => header::write().map(|()| true),
        Action::Install { prefix } => install::install(&prefix).map(|()| true),
        Action::Uninstall { prefix } => install::uninstall(&prefix).map(|()| true),
        Action::Wasm => web::build().map(|()| true),
        Action::Dist { out } => archive::dist(&out).map(|()| true),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

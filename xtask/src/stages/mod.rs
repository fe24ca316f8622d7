//! The stages of `cargo xtask test`, in the order in which they run: quick ones first.

mod cli;
mod core;
mod dist;
mod docs;
mod ffi;
mod firmware;
mod format;
pub mod fuzz;
mod guides;
mod install;
mod instructions;
mod lint;
mod loom;
mod rust;
pub mod sanitizers;
mod signal;
mod targets;
mod tooling;
mod train;
mod wasm;

use anyhow::Result;

use crate::report::{self, Stage};

const STAGES: &[Stage] = &[
    format::STAGE,
    lint::STAGE,
    docs::STAGE,
    tooling::STAGE,
    core::STAGE,
    rust::STAGE,
    cli::STAGE,
    loom::STAGE,
    targets::STAGE,
    firmware::STAGE,
    ffi::STAGE,
    dist::STAGE,
    install::STAGE,
    guides::STAGE,
    sanitizers::STAGE,
    fuzz::STAGE,
    signal::STAGE,
    instructions::STAGE,
    train::STAGE,
    wasm::STAGE,
];

/// Prints the stages.
pub fn list() {
    report::list(STAGES);
}

/// Runs the chosen stages, all without a choice; whether none failed.
///
/// # Errors
/// An unknown name.
pub fn run(chosen: &[String]) -> Result<bool> {
    report::run("stage", STAGES, chosen)
}

/// Whether all of `chosen` are stages; else a sentence.
pub fn known(chosen: &[String]) -> std::result::Result<(), String> {
    report::known("stage", STAGES, chosen)
}

//! Stage `cli`: the command line on profiles and on what is none, its exports by the rules of their
//! formats, and its pictures.

use crate::command::cargo;
use crate::parts::Parts;
use crate::report::Stage;

pub const STAGE: Stage =
    Stage { name: "cli", about: "the command line, its exports and its pictures", run };

fn run(parts: &mut Parts) {
    for package in ["xtimer-plot", "xtimer-cli"] {
        parts.part(package, || cargo(["test", "-p", package]).tests());
    }
}

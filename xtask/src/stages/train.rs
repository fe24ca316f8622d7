//! Stage `train`: the example in fewer steps, and its JSON checked by the rules of the design.

use crate::parts::Parts;
use crate::report::Stage;
use crate::train;

pub const STAGE: Stage =
    Stage { name: "train", about: "the training example, its report and its JSON", run };

fn run(parts: &mut Parts) {
    parts.part("run and check", train::short);
}

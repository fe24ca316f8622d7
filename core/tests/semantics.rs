//! What each operation means: random sequences of calls come to the same numbers in the real core and
//! in the naive model, and so do hand-worked examples, one for each sentence (`model/examples`), and
//! programs with several timers enabled (`several`).
#![cfg(all(feature = "std", not(loom)))]

mod model;
mod several;

use model::both::Both;
use model::calls::{Call, Limits};
use model::kept::Keeping;
use model::operations::{Operation, keeping, limits, operations};
use proptest::prelude::*;

fn agree(limits: Limits, keeping: Keeping, operations: &[Operation]) {
    let mut both = Both::keeping(limits, keeping);
    for (step, operation) in operations.iter().enumerate() {
        let Some(call) = operation.resolve(both.model()) else { continue };
        if matches!(call, Call::EnterBeneath { path, .. } if both.model().path_is_lost(path)) {
            continue;
        }
        both.apply(&call);
        if step % 16 == 15 {
            both.snapshot();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_sequences_of_calls_agree_with_the_naive_model(
        limits in limits(),
        keeping in keeping(),
        operations in operations(200),
    ) {
        agree(limits, keeping, &operations);
    }
}

//! Random programs over several timers: two threads enable them in nested scopes, hand places to each
//! other, and drop and make timers meanwhile. Each timer has a naive model of its own, so that what is
//! compared beside its numbers is where each call went.
//!
//! ```text
//! operations   random operations, and what they refer to
//! worker       a thread that does what it is told, and holds its scopes
//! expected     what is enabled where, in the simplest code
//! program      both, operation by operation
//! calls        what each call comes to, in both
//! ```

mod calls;
mod expected;
mod operations;
mod program;
mod worker;

use proptest::prelude::*;

use operations::operations;
use program::Program;

/// The default timer's table fills up with the cases, since it is never made anew.
const CASES: u32 = if cfg!(xtimer_narrow) { 6 } else { 128 };

proptest! {
    #![proptest_config(ProptestConfig {
        cases: CASES,
        max_shrink_iters: 5000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_programs_with_several_timers_agree_with_a_model_of_each(
        operations in operations(150),
    ) {
        let mut program = Program::begin();
        for (step, operation) in operations.iter().enumerate() {
            program.apply(operation);
            if step % 16 == 15 {
                program.compare();
            }
        }
        program.end();
    }
}

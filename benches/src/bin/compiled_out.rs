//! A loop with a `section!`, and the same loop without: with the feature `disable` both are the same
//! code, and this program holds nothing of the timer (`tests/compiled_out.rs` looks).

use std::hint::black_box;
use std::process::ExitCode;

/// A loop that the compiler can't shorten.
#[inline(never)]
fn timed(turns: u32) -> u32 {
    let mut value = 1_u32;
    for turn in 0..turns {
        let _turn = xtimer_core::section!("left behind by section!", "left behind as well");
        value = black_box(value).wrapping_mul(31).wrapping_add(turn);
    }
    value
}

#[inline(never)]
fn untimed(turns: u32) -> u32 {
    let mut value = 1_u32;
    for turn in 0..turns {
        value = black_box(value).wrapping_mul(31).wrapping_add(turn);
    }
    value
}

/// `compiled_out timed|untimed TURNS`
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let work = match arguments.next().as_deref() {
        Some("timed") => timed,
        Some("untimed") => untimed,
        _ => return ExitCode::FAILURE,
    };
    let turns = arguments.next().and_then(|turns| turns.parse().ok()).unwrap_or(0);
    black_box(work(turns));
    ExitCode::SUCCESS
}

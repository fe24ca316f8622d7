//! `xtimer merge`: many ranks into one file, or reduced to what they came to.

use xtimer_core::profile::{Profile, Reduced};

use crate::failure::Result;
use crate::input::{self, Item};
use crate::line::Merge;
use crate::output;

/// Merges, and writes a file.
pub fn run(options: &Merge) -> Result {
    let bytes = if options.reduce {
        reduced(options)?.to_bytes()
    } else {
        input::load_ranks(&options.inputs, "merging without --reduce")?.to_bytes()
    };
    output::write_binary(Some(&options.output), &bytes)
}

/// One file after the other, so memory does not grow with the ranks.
fn reduced(options: &Merge) -> Result<Reduced> {
    let mut sum = Reduced::new();
    input::for_each(&options.inputs, |_, item| {
        match item {
            Item::Rank(view, rank) if view.source().rank == rank => sum.add_view(&view),
            Item::Rank(view, rank) => {
                let mut profile = Profile::from_view(&view);
                profile.set_rank(rank);
                sum.add(&profile);
            }
            Item::Reduced(other) => sum.merge(&other),
        }
        Ok(())
    })?;
    Ok(sum)
}

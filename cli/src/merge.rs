//! `xtimer merge`: many ranks into one file, or reduced to what they came to.

use xtimer_core::profile::{Profile, Reduced};

use crate::failure::{Failure, Result};
use crate::input::{self, Item};
use crate::line::Merge;
use crate::output;

/// Merges, and writes a file: beside its place and renamed, as the library does.
pub fn run(options: &Merge) -> Result {
    let output = &options.output;
    let is_standard = output.as_os_str() == output::STANDARD;
    if options.reduce {
        let reduced = reduced(options)?;
        if is_standard {
            return output::write_binary(None, &reduced.to_bytes());
        }
        return reduced.save(output).map_err(Failure::of);
    }
    let gathered = input::load_ranks(&options.inputs, "merging without --reduce")?;
    if is_standard {
        return output::write_binary(None, &gathered.to_bytes());
    }
    gathered.save(output).map_err(Failure::of)
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

//! `xtimer export`: profiles in the formats of others.

mod folded;
mod json;
mod rows;
mod speedscope;
mod trace;
mod tracks;

use xtimer_core::profile::Gathered;

use crate::failure::Result;
use crate::input::{self, Loaded};
use crate::line::{Export, Format};
use crate::output;

/// Writes one format.
pub fn run(options: &Export) -> Result {
    let output = options.output.as_deref();
    if options.format == Format::Json {
        let loaded = match (input::load(&options.inputs)?, &options.rank) {
            (Loaded::Ranks(gathered), Some(ranks)) => {
                Loaded::Ranks(input::of_ranks(&gathered, ranks)?)
            }
            (Loaded::Reduced(_), Some(_)) => {
                return Err(crate::failure::Failure::of(
                    "a reduced profile knows no rank apart, so --rank needs the profiles that it was made from",
                ));
            }
            (loaded, None) => loaded,
        };
        return output::write(output, |out| json::write(out, &loaded));
    }
    let gathered = input::load_ranks(&options.inputs, "this format")?;
    let gathered = match &options.rank {
        Some(ranks) => input::of_ranks(&gathered, ranks)?,
        None => gathered,
    };
    output::write(output, |out| match options.format {
        Format::Json => Ok(()),
        Format::Csv => rows::write_sections(out, &gathered),
        Format::Samples => rows::write_samples(out, &gathered),
        Format::Trace => trace::write(out, &gathered),
        Format::Speedscope => speedscope::write(out, &gathered),
        Format::Folded => folded::write(out, &gathered),
    })?;
    if matches!(options.format, Format::Trace | Format::Samples) {
        tell_of_missing(&gathered);
    }
    Ok(())
}

/// Durations that have no sample are in no trace: said where people see it.
fn tell_of_missing(gathered: &Gathered) {
    let missing: u64 = gathered.profiles().iter().map(tracks::missing).sum();
    if missing > 0 {
        anstream::eprintln!(
            "note: {missing} durations have no sample to show; `xtimer show` counts them"
        );
    }
}

//! An error in words, with the names of the sections or categories it tells of.

use core::fmt;

use crate::category;
use crate::error::Error;
use crate::layout::Layout;
use crate::names;
use crate::paths;
use crate::region::Memory;

/// Displays an error as one sentence.
#[derive(Debug)]
pub struct Sentence<'t> {
    pub(crate) error: Error,
    pub(crate) region: Memory<'t>,
    pub(crate) layout: &'t Layout,
}

impl Sentence<'_> {
    /// The section's name, or what stands for one that found the table full.
    fn section(&self, section: u32) -> &str {
        if section == 0 || section > self.layout.config.sections {
            return "(a section without a slot)";
        }
        names::text(self.region, self.layout, paths::name(self.region, self.layout, section))
    }

    fn category(&self, category: u32) -> &str {
        category::text(self.region, self.layout, category)
    }
}

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error {
            Error::Unclosed { outer, inner } => write!(
                formatter,
                "'{}' exited while '{}' was still active.",
                self.section(outer),
                self.section(inner)
            ),
            Error::Forbidden { outer, inner } => write!(
                formatter,
                "Category '{}' is not allowed inside category '{}'.",
                self.category(inner),
                self.category(outer)
            ),
            Error::TooDeep { top } => write!(
                formatter,
                "Sections are nested deeper than {}, inside '{}'; the time stays in it.",
                self.layout.config.depth,
                self.section(top)
            ),
            error => error.fmt(formatter),
        }
    }
}

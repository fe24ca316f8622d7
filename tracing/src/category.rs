//! The category that a span's fields name.

use std::fmt;

use tracing_core::Field;
use tracing_core::field::Visit;

/// The field that holds it.
const FIELD: &str = "category";

/// What the field said, if it was there.
#[derive(Default)]
pub struct Found(pub Option<String>);

impl Visit for Found {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == FIELD {
            self.0 = Some(value.to_owned());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // `category = %kind`, and numbers.
        if field.name() == FIELD {
            self.0 = Some(format!("{value:?}"));
        }
    }
}

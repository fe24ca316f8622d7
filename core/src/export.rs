//! Views of a snapshot, written to any `fmt::Write`.

mod decimal;
mod json;
mod text;

pub use json::Json;
pub use text::Report;

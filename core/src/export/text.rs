//! Text.
/// Text of a snapshot.
#[derive(Debug)]
pub struct Report;

//! JSON.
/// JSON of a snapshot.
#[derive(Debug)]
pub struct Json;

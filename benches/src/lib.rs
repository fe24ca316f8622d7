//! What xtimer costs: the paths under test, and how they are measured against bare clock reads.
//!
//! `paths` are the ways of entering and exiting, each as a loop of so many pairs; `pair` (criterion),
//! `ratios` and `instructions` all run these loops. `alternate` measures a loop against two bare
//! clock reads, batch by batch in turn; `scenarios` are the situations a pair can be in; `machine`
//! says where it was measured.

pub mod alternate;
pub mod machine;
pub mod paths;
#[cfg(feature = "peers")]
pub mod peers;
pub mod scenarios;
pub mod singles;
pub mod snapshots;
pub mod table;

//! Report and JSON: what they show is what the snapshot knows, whatever the names.

#![cfg(all(feature = "std", not(loom)))]

mod check;
mod json;
mod names;
mod report;
mod rows;

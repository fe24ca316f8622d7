//! The naive model of the timer's semantics, which random calls compare the real core with.
//!
//! ```text
//! calls        the calls that drive both, and what they give back
//! operations   random operations, made concrete as calls   (proptest)
//! naive        call by call, what DESIGN.md says                  (std only)
//! state        what the model consists of, and what may be asked of it
//! both         the real core beside it, call by call
//! snapshot     the numbers that must come out              (std only)
//! kept         the samples and histograms that must        (std only)
//! examples     hand-worked examples, a test for each sentence of the specification, in both
//! properties   what random operations must not break in the model itself
//! ```

// A test program rarely uses all of it.
#![allow(dead_code)]

pub mod both;
pub mod calls;
pub mod kept;
pub mod naive;
pub mod operations;
pub mod snapshot;
pub mod state;

mod examples;
mod properties;

//! The naive model of the timer's semantics, which random calls compare the real core with.
//!
//! ```text
//! calls        the calls that drive both, and what they give back
//! operations   random operations, made concrete as calls   (proptest)
//! naive        call by call, what DESIGN.md says                  (std only)
//! state        what the model consists of, and what may be asked of it
//! snapshot     the numbers that must come out              (std only)
//! examples     hand-worked examples of the model itself
//! properties   what random operations must not break in the model itself
//! ```
//!
//! How to drive both:
//!
//! ```ignore
//! let mut model = Model::new(limits);
//! for operation in &operations {
//!     let Some(call) = operation.resolve(&model) else { continue };
//!     let outcome = model.apply(&call);
//!     // match `call`, do the same to the core, compare with `outcome`; tokens, paths, detached
//!     // sections and contexts are numbered in the order in which outcomes hand them out.
//! }
//! // compare model.snapshot() and model.snapshot().flatten()
//! ```

// A test program rarely uses all of it.
#![allow(dead_code)]

pub mod calls;
pub mod naive;
pub mod operations;
pub mod snapshot;
pub mod state;

mod examples;
mod properties;

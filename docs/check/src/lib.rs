//! The guides as doc tests: each Rust block in them is compiled and run.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../rust.md")]
pub struct Rust;

#[cfg(doctest)]
#[doc = include_str!("../../threads-and-async.md")]
pub struct ThreadsAndAsync;

#[cfg(doctest)]
#[doc = include_str!("../../report.md")]
pub struct ReadingAReport;

#[cfg(doctest)]
#[doc = include_str!("../../cost.md")]
pub struct CostAndAccuracy;

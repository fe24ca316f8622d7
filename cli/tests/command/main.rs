//! The program as a shell runs it: what it prints, what it writes, how it ends.

mod checks;
mod diffs;
mod exports;
mod files;
mod hists;
mod shows;
mod support;

//! Profiles: the bytes against vectors and damage, gathered times against numpy and a naive union.

#![cfg(all(feature = "std", not(loom)))]

mod bytes;
mod damage;
mod files;
mod gathered;
mod memory;
mod naive;
mod reduced;
mod round_trips;
mod snapshots;
mod statistics;
mod timers;
mod vectors;

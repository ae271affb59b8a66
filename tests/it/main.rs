//! Everything that is tested from outside, as a person or a program would use it. One binary, since
//! each would link the whole window again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod helpers;

mod advice;
mod comparing;
mod everything;
mod experiments;
mod exports;
mod keeping;
mod pictures;
mod privacy;
mod published;
mod result_file;
mod runs;
mod schema;
mod statistics;
mod terminal;
mod trust;
mod untrusted;
mod window;

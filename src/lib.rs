//! CommitMark tells a person how fast SQLite commits on the drive where their app's data lives, what
//! WAL changes there, which settings are right, and what those would risk.
//!
//! One value, the [`report::Report`], carries everything, and it flows one way:
//!
//! ```text
//! window | terminal --Plan--> session (its own thread) --Event--> window | terminal
//!                                |
//!                                v
//!            Report (data) --> Section: sentence + table + chart --> window, text, HTML, ...
//! ```
//!
//! The modules below stand in that order: each may use those above it, never those below. Only `ui`
//! knows that there is a window.

pub mod stats;
pub mod units;
pub mod section;
pub mod system;
pub mod measure;
pub mod experiments;
pub mod plan;
pub mod report;
pub mod advice;
pub mod session;
pub mod export;
pub mod cli;
pub mod ui;

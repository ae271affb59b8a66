//! The instruments that every experiment uses: a scratch folder, databases whose settings are read
//! back, a count of SQLite's syncs, tallies with latencies, and interleaved rounds. Experiments call
//! them; they know neither the experiments nor any front end.

pub mod context;
pub mod database;
pub mod helper;
pub mod outcome;
pub mod progress;
pub mod rounds;
pub mod scratch;
pub mod tally;
pub mod together;
pub mod vfs;

use std::{
    io,
    path::{Path, PathBuf},
};

use rusqlite::ErrorCode;
use thiserror::Error;

/// What stopped a measurement.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// The person stopped it.
    #[error("Stopped before the end")]
    Cancelled,
    /// SQLite answered with an error.
    #[error("{}", sentence(sqlite_words(source), doing, source, path))]
    Sqlite {
        /// What was being done: "while opening the test database".
        doing: &'static str,
        /// SQLite's answer.
        source: rusqlite::Error,
        /// The test database.
        path: PathBuf,
    },
    /// The system answered with an error.
    #[error("{}", sentence(io_words(source.kind()), doing, source, path))]
    Io {
        /// What was being done: "while creating the test file".
        doing: &'static str,
        /// The system's answer.
        source: io::Error,
        /// The file or folder.
        path: PathBuf,
    },
    /// The data read back is not the data written: the result of this case is void.
    #[error("The data of {case} read back wrong: {found}. Do not trust this drive with data before you know why")]
    WrongData {
        /// The case's name.
        case: String,
        /// What was found.
        found: String,
    },
    /// A thread of the experiment ended without its result.
    #[error("A part of the measurement ended unexpectedly: {reason}. What was measured is kept; please report this")]
    Panicked {
        /// The panic's message.
        reason: String,
    },
}

/// What went wrong and what to do about it, in words.
type Words = (&'static str, &'static str);

const FULL: Words = ("The drive became full", "Free some room and run again");
const FORBIDDEN: Words = ("Writing was not allowed", "Choose a folder that you may write to");
const GONE: Words = ("The folder was gone", "Check that the drive is still connected, then run again");
const FAILING: Words = ("The drive gave an error", "Check that it is connected and healthy");
const DAMAGED: Words = ("The test database was damaged", "Do not trust this drive with data before you know why");
const UNKNOWN: Words = ("SQLite could not go on", "Run again, and report it if it happens again");

/// The one sentence a person reads: what, when, why, what to do, path last.
fn sentence((what, advice): Words, doing: &str, why: &dyn std::fmt::Display, path: &Path) -> String {
    format!("{what} {doing} ({why}). {advice}: {}", path.display())
}

fn sqlite_words(error: &rusqlite::Error) -> Words {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => FULL,
        Some(ErrorCode::SystemIoFailure) => FAILING,
        Some(ErrorCode::CannotOpen) => GONE,
        Some(ErrorCode::ReadOnly) => FORBIDDEN,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => DAMAGED,
        _ => UNKNOWN,
    }
}

fn io_words(kind: io::ErrorKind) -> Words {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FULL,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => FORBIDDEN,
        io::ErrorKind::NotFound => GONE,
        _ => FAILING,
    }
}

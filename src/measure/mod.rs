//! The instruments that every experiment uses: a scratch folder, databases whose settings are read
//! back, a count of SQLite's syncs, tallies with latencies, and interleaved rounds. Experiments call
//! them; they know neither the experiments nor any front end.

pub mod context;
pub mod database;
pub mod outcome;
pub mod progress;
pub mod rounds;
pub mod scratch;
pub mod tally;
pub mod vfs;

use std::{io, path::PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

/// What stopped a measurement.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// The person stopped it.
    #[error("Stopped before the end")]
    Cancelled,
    /// SQLite answered with an error.
    #[error("{} {}: {}", reason(source), doing, path.display())]
    Sqlite {
        /// What was being done: "while opening the test database".
        doing: &'static str,
        /// SQLite's answer.
        source: rusqlite::Error,
        /// The test database.
        path: PathBuf,
    },
    /// The system answered with an error.
    #[error("{} {}: {}", io_reason(source), doing, path.display())]
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

/// The one sentence a person reads for an error of SQLite's.
fn reason(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "The drive became full. Free some room and run again; it happened".to_owned(),
        Some(ErrorCode::SystemIoFailure) => format!(
            "The drive did not do what SQLite asked ({error}). Check that it is connected and healthy; it happened"
        ),
        Some(ErrorCode::CannotOpen) => {
            format!("The test file cannot be opened ({error}). Check that the drive is still connected; it happened")
        }
        Some(ErrorCode::ReadOnly) => {
            "The folder became read-only. Choose a folder that can be written; it happened".to_owned()
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => format!(
            "The test database was damaged ({error}). Do not trust this drive with data before you know why; it happened"
        ),
        _ => format!("SQLite could not go on ({error}). Run again; if it happens again, please report it; it happened"),
    }
}

fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "The drive became full. Free some room and run again; it happened".to_owned()
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            format!("Writing is not allowed ({error}). Choose a folder that you may write to; it happened")
        }
        io::ErrorKind::NotFound => {
            "The folder is gone. Check that the drive is still connected, then run again; it happened".to_owned()
        }
        _ => format!(
            "The drive did not answer as it should ({error}). Check that it is connected and healthy; it happened"
        ),
    }
}

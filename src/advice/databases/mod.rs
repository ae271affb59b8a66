//! SQLite databases in a folder: which there are, in which journal mode, and what would change for each.
//! The Advice screen asks on a thread of its own. Nothing is opened with SQLite and nothing is written: a
//! second process, this program as `commitmark __databases FOLDER`, walks the folder and reads the first 100
//! bytes of each file. Reading there and not here matters, because closing a file drops all the locks that
//! a process holds on it, and this one may have the same database open
//! (<https://sqlite.org/howtocorrupt.html>, 2.2).

pub mod looking;
pub mod outlook;

use std::{
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    measure::{context::CancelFlag, helper::no_console},
    units,
};

/// The hidden command that makes the program look for databases.
pub const COMMAND: &str = "__databases";
/// The first line of the second process: what was started is this program, in this version of the protocol.
const GREETING: &str = "commitmark databases 1";
/// How long a start may take; a virus scanner may look at the program first.
const START_WITHIN: Duration = Duration::from_secs(10);
/// How often somebody who waits for a line looks whether to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A second process that says nothing for so long hangs on a drive that is gone.
const SILENT_FOR: Duration = Duration::from_secs(30);

/// A database in the folder.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// What its header says about the journal.
    pub journal: Journal,
    /// The size of its pages, in bytes.
    pub page_bytes: u32,
    /// The size of the file, in bytes.
    pub bytes: u64,
    /// The size of its `-wal` file, in bytes; `None` where there is none.
    pub wal_bytes: Option<u64>,
}

/// What a header says about the journal (<https://sqlite.org/fileformat2.html>, 1.3.3).
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Journal {
    /// A rollback journal; whether DELETE, TRUNCATE or PERSIST is not in the file.
    Rollback,
    /// A write-ahead log.
    Wal,
    /// A form that this version of SQLite does not write.
    Other,
}

/// How a look came to its end.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Every file was looked at.
    Complete,
    /// The person stopped it.
    Stopped,
    /// A limit was reached; which, in a sentence.
    Limit(String),
}

/// What a look found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Scan {
    /// The folder.
    pub folder: PathBuf,
    /// The databases, in the order of their paths.
    pub databases: Vec<Found>,
    /// How it ended.
    pub ended: Ended,
    /// Files and folders that could not be read.
    pub unreadable: u64,
}

/// What the second process says, one JSON line each.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Database(Found),
    Done { ended: Ended, unreadable: u64 },
}

/// Why a folder was not looked at to the end.
#[derive(Debug, Error)]
pub enum ScanError {
    /// The second process could not be started, or is not this program.
    #[error(
        "The part of CommitMark that looks at databases could not be started ({0}). Start CommitMark again, or install it again"
    )]
    NotStarted(io::Error),
    /// It ended or fell silent before it was done.
    #[error("Looking for databases ended too early. Check that the drive is connected, then look again: {}", .0.display())]
    EndedEarly(PathBuf),
    /// There is no such folder.
    #[error("There is no such folder. Choose one that exists: {}", .0.display())]
    NoFolder(PathBuf),
}

impl Scan {
    /// "2 of 3 databases here already use WAL"
    pub fn summary(&self) -> String {
        let all = self.databases.len();
        let wal = self.databases.iter().filter(|found| found.journal == Journal::Wal).count();
        match (all, wal) {
            (0, _) => "No SQLite database was found in this folder".to_owned(),
            (1, 0) => "The one database here does not use WAL".to_owned(),
            (1, _) => "The one database here already uses WAL".to_owned(),
            _ => format!("{} of {} databases here already use WAL", units::count(wal as u64), units::count(all as u64)),
        }
    }

    /// Why there may be more than was found, in a sentence; `None` where everything was looked at.
    pub fn incomplete(&self) -> Option<String> {
        match (&self.ended, self.unreadable) {
            (Ended::Limit(sentence), _) => Some(sentence.clone()),
            (Ended::Stopped, _) => Some("Stopped before the end, so there may be more".to_owned()),
            (Ended::Complete, 0) => None,
            (Ended::Complete, 1) => Some("One file or folder could not be read".to_owned()),
            (Ended::Complete, count) => Some(format!("{} files or folders could not be read", units::count(count))),
        }
    }
}

/// Looks for databases in a folder. `program` is the program to start, by default this one; `stop` is
/// looked at every 50 ms.
///
/// # Errors
/// There is no such folder, or the second process failed. It is never replaced by reading in this one.
pub fn scan(program: Option<&Path>, folder: &Path, stop: &CancelFlag) -> Result<Scan, ScanError> {
    if !folder.is_dir() {
        return Err(ScanError::NoFolder(folder.to_owned()));
    }
    let program = match program {
        Some(program) => program.to_owned(),
        None => std::env::current_exe().map_err(ScanError::NotStarted)?,
    };
    let mut looker = Looker::start(&program, folder).map_err(ScanError::NotStarted)?;
    let mut scan = Scan { folder: folder.to_owned(), databases: Vec::new(), ended: Ended::Stopped, unreadable: 0 };
    while let Some(line) = looker.next(stop, folder)? {
        match line {
            Line::Database(found) => scan.databases.push(found),
            Line::Done { ended, unreadable } => {
                (scan.ended, scan.unreadable) = (ended, unreadable);
                break;
            }
        }
    }
    scan.databases.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(scan)
}

/// The second process. It ends with the value.
struct Looker {
    child: Child,
    lines: Receiver<String>,
}

impl Looker {
    fn start(program: &Path, folder: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg(COMMAND).arg(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        no_console(&mut command);
        let mut child = command.spawn()?;
        let stdout = child.stdout.take();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines().map_while(Result::ok));
            for line in lines {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let looker = Self { child, lines };
        match looker.lines.recv_timeout(START_WITHIN) {
            Ok(line) if line == GREETING => Ok(looker),
            _ => Err(io::Error::other(format!("{} did not answer", program.display()))),
        }
    }

    /// The next line, or `None` once the person stopped it.
    fn next(&mut self, stop: &CancelFlag, folder: &Path) -> Result<Option<Line>, ScanError> {
        let early = || ScanError::EndedEarly(folder.to_owned());
        let asked = Instant::now();
        while !stop.is_raised() {
            match self.lines.recv_timeout(LOOK_EVERY) {
                Ok(line) => return serde_json::from_str(&line).map(Some).map_err(|_| early()),
                Err(RecvTimeoutError::Timeout) if asked.elapsed() < SILENT_FOR => {}
                Err(_) => return Err(early()),
            }
        }
        Ok(None)
    }
}

impl Drop for Looker {
    fn drop(&mut self) {
        // Both fail only where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(journal: Journal) -> Found {
        Found { path: PathBuf::from("a.db"), journal, page_bytes: 4_096, bytes: 8_192, wal_bytes: None }
    }

    fn scan_of(journals: &[Journal]) -> Scan {
        let databases = journals.iter().copied().map(found).collect();
        Scan { folder: PathBuf::new(), databases, ended: Ended::Complete, unreadable: 0 }
    }

    #[test]
    fn the_summary_counts_databases_that_use_wal() {
        use Journal::{Rollback, Wal};
        assert_eq!(scan_of(&[Wal, Rollback, Wal]).summary(), "2 of 3 databases here already use WAL");
        assert_eq!(scan_of(&[Rollback, Rollback]).summary(), "0 of 2 databases here already use WAL");
        assert_eq!(scan_of(&[Wal]).summary(), "The one database here already uses WAL");
        assert_eq!(scan_of(&[Rollback]).summary(), "The one database here does not use WAL");
        assert_eq!(scan_of(&[]).summary(), "No SQLite database was found in this folder");
    }

    #[test]
    fn what_was_not_looked_at_is_said() {
        let mut scan = scan_of(&[]);
        assert_eq!(scan.incomplete(), None);
        scan.unreadable = 2;
        assert_eq!(scan.incomplete().as_deref(), Some("2 files or folders could not be read"));
        scan.ended = Ended::Stopped;
        assert!(scan.incomplete().unwrap().starts_with("Stopped"));
    }

    #[test]
    fn a_program_that_is_something_else_is_an_error_and_no_reason_to_read_here() {
        let folder = tempfile::tempdir().unwrap();
        let gone = scan(Some(&folder.path().join("no program")), folder.path(), &CancelFlag::default());
        assert!(matches!(gone, Err(ScanError::NotStarted(_))));
        let missing = scan(None, &folder.path().join("missing"), &CancelFlag::default());
        assert!(matches!(missing, Err(ScanError::NoFolder(_))));
    }
}

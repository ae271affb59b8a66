//! Test databases: opened with settings that are set on every connection and read back, and checked
//! after every run. Experiments open all their databases here, through the VFS that counts syncs.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, ffi};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MeasureError, vfs};

/// SQLite's journal mode (<https://sqlite.org/pragma.html#pragma_journal_mode>).
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JournalMode {
    /// A rollback journal, deleted after each transaction. The default.
    Delete,
    /// A rollback journal, truncated after each transaction.
    Truncate,
    /// A rollback journal, its header overwritten after each transaction.
    Persist,
    /// A write-ahead log.
    Wal,
}

/// How much SQLite waits for the drive (<https://sqlite.org/pragma.html#pragma_synchronous>).
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    /// Never.
    Off,
    /// At the critical moments; in WAL at checkpoints only.
    Normal,
    /// At each commit. The default.
    Full,
    /// As full, and the removal of the journal too.
    Extra,
}

impl fmt::Display for JournalMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Delete => "delete",
            Self::Truncate => "truncate",
            Self::Persist => "persist",
            Self::Wal => "wal",
        })
    }
}

impl fmt::Display for Synchronous {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Off => "off",
            Self::Normal => "normal",
            Self::Full => "full",
            Self::Extra => "extra",
        })
    }
}

impl Synchronous {
    /// The number SQLite gives when the pragma is read.
    pub fn number(self) -> i64 {
        match self {
            Self::Off => 0,
            Self::Normal => 1,
            Self::Full => 2,
            Self::Extra => 3,
        }
    }
}

/// The settings of a connection. Those that are `None` are left as SQLite has them.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Settings {
    /// `PRAGMA journal_mode`
    pub journal_mode: JournalMode,
    /// `PRAGMA synchronous`
    pub synchronous: Synchronous,
    /// `PRAGMA busy_timeout`, in milliseconds.
    pub busy_timeout_ms: u32,
    /// `PRAGMA wal_autocheckpoint`, in pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wal_autocheckpoint: Option<i64>,
    /// `PRAGMA cache_size`: pages, or KiB where negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_size: Option<i64>,
    /// `PRAGMA mmap_size`, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mmap_size: Option<i64>,
    /// `PRAGMA temp_store`: 0 default, 1 file, 2 memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp_store: Option<i64>,
    /// `PRAGMA fullfsync`: on macOS, 1 flushes the drive's own cache too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fullfsync: Option<i64>,
}

impl Settings {
    /// These two settings, no busy timeout, and the rest as SQLite has it.
    pub fn new(journal_mode: JournalMode, synchronous: Synchronous) -> Self {
        Self {
            journal_mode,
            synchronous,
            busy_timeout_ms: 0,
            wal_autocheckpoint: None,
            cache_size: None,
            mmap_size: None,
            temp_store: None,
            fullfsync: None,
        }
    }

    /// The same with another busy timeout, in milliseconds.
    pub fn with_busy_timeout(self, busy_timeout_ms: u32) -> Self {
        Self { busy_timeout_ms, ..self }
    }

    /// The name of a case with these settings: `wal/full`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.journal_mode, self.synchronous)
    }

    /// The settings that are plain numbers, as SQLite names them.
    fn numbers(&self) -> impl Iterator<Item = (&'static str, i64)> {
        [
            ("synchronous", Some(self.synchronous.number())),
            ("wal_autocheckpoint", self.wal_autocheckpoint),
            ("cache_size", self.cache_size),
            ("mmap_size", self.mmap_size),
            ("temp_store", self.temp_store),
            ("fullfsync", self.fullfsync),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }
}

/// Why a database is not open with the settings asked for.
#[derive(Debug)]
pub enum OpenError {
    /// SQLite answered another value, or refused: the case is reported so and never measured.
    Refused(String),
    /// Anything else.
    Failed(MeasureError),
}

impl OpenError {
    /// For a connection beside one that SQLite already took with the same settings: there a refusal is an error.
    pub fn into_measure_error(self) -> MeasureError {
        match self {
            Self::Refused(found) => MeasureError::WrongData { case: "a second connection".to_owned(), found },
            Self::Failed(error) => error,
        }
    }
}

/// SQLite tries to write the WAL back once it holds this many pages, by default
/// (<https://sqlite.org/pragma.html#pragma_wal_autocheckpoint>).
pub const WAL_LIMIT_PAGES: u64 = 1_000;
/// The size of a WAL of that many pages of 4 KiB, each with its header of 24 bytes
/// (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
pub const WAL_LIMIT_BYTES: u64 = WAL_LIMIT_PAGES * (4096 + 24) + 32;

/// Setting up may have to wait for another connection that is just closing.
const SETUP_TIMEOUT: Duration = Duration::from_secs(5);

/// An open test database.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    path: PathBuf,
}

impl Database {
    /// Opens or creates the database and sets every setting, each read back. The busy timeout is set
    /// last, so that it holds for the measured work only.
    ///
    /// # Errors
    /// Refused where SQLite answers another value; failed where it cannot be opened at all.
    pub fn open(path: &Path, settings: &Settings) -> Result<Self, OpenError> {
        let failed =
            |doing| move |source| OpenError::Failed(MeasureError::Sqlite { doing, source, path: path.to_owned() });
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        vfs::register().map_err(failed("while preparing to count syncs"))?;
        let connection = Connection::open_with_flags_and_vfs(path, flags, vfs::NAME)
            .map_err(failed("while opening the test database"))?;
        connection.busy_timeout(SETUP_TIMEOUT).map_err(failed("while setting the busy timeout"))?;
        apply(&connection, settings).map_err(|error| match error {
            ApplyError::Refused(answer) => OpenError::Refused(answer),
            ApplyError::Failed(source) => failed("while setting up the test database")(source),
        })?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// The connection, for the measured work.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Makes permanent what was written without waiting for the drive.
    ///
    /// # Errors
    /// The drive's, as SQLite tells it.
    pub fn flush(&self) -> Result<(), MeasureError> {
        vfs::flush(&self.connection).map_err(self.error("while making the test data permanent"))
    }

    /// Turns SQLite's error into ours, with what was being done.
    pub fn error(&self, doing: &'static str) -> impl FnOnce(rusqlite::Error) -> MeasureError + use<> {
        let path = self.path.clone();
        move |source| MeasureError::Sqlite { doing, source, path }
    }

    /// Makes the table that most experiments write to (EXPERIMENTS: `t (id INTEGER PRIMARY KEY, v TEXT)`).
    ///
    /// # Errors
    /// SQLite's.
    pub fn create_table(&self) -> Result<(), MeasureError> {
        self.connection
            .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
            .map_err(self.error("while creating the test table"))
    }

    /// Opens a database that is there, with its own journal mode and SQLite's defaults for the rest, to
    /// look at it.
    ///
    /// # Errors
    /// SQLite's.
    pub fn reopen(path: &Path) -> Result<Self, MeasureError> {
        let failed = |source| MeasureError::Sqlite {
            doing: "while opening the test database again",
            source,
            path: path.to_owned(),
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags_and_vfs(path, flags, vfs::NAME).map_err(failed)?;
        connection.busy_timeout(SETUP_TIMEOUT).map_err(failed)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Fills the table in one transaction with rows of text of this length.
    ///
    /// # Errors
    /// SQLite's.
    pub fn fill(&self, rows: u64, text_bytes: usize) -> Result<(), MeasureError> {
        let failed = "while filling the test table";
        let transaction = self.connection.unchecked_transaction().map_err(self.error(failed))?;
        {
            let text = "x".repeat(text_bytes);
            let mut statement = transaction.prepare("INSERT INTO t (v) VALUES (?1)").map_err(self.error(failed))?;
            for _ in 0..rows {
                statement.execute([&text]).map_err(self.error(failed))?;
            }
        }
        transaction.commit().map_err(self.error(failed))
    }

    /// Checks that the table holds as many rows as were committed and that the database is whole.
    ///
    /// # Errors
    /// What was found instead, or SQLite's error.
    pub fn verify(&self, case: &str, expected_rows: u64) -> Result<(), MeasureError> {
        self.verify_number(case, "rows are there", "SELECT count(*) FROM t", expected_rows)
    }

    /// Checks that a query answers with this number and that the database is whole; `what` names the
    /// number in words: "rows are there".
    ///
    /// # Errors
    /// What was found instead, or SQLite's error.
    pub fn verify_number(&self, case: &str, what: &str, sql: &str, expected: u64) -> Result<(), MeasureError> {
        let wrong = |found| MeasureError::WrongData { case: case.to_owned(), found };
        let failed = "while checking the test database";
        self.connection.busy_timeout(SETUP_TIMEOUT).map_err(self.error(failed))?;
        let integrity: String =
            self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(self.error(failed))?;
        if integrity != "ok" {
            return Err(wrong(format!("integrity_check says {integrity}")));
        }
        let number: u64 = self.connection.query_row(sql, [], |row| row.get(0)).map_err(self.error(failed))?;
        if number == expected { Ok(()) } else { Err(wrong(format!("{number} {what}, {expected} were committed"))) }
    }

    /// Where the database is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size of the WAL file in bytes, 0 where there is none. Looked up, never opened: closing the file
    /// here would drop SQLite's locks (<https://sqlite.org/howtocorrupt.html>, 2.2).
    pub fn wal_bytes(&self) -> u64 {
        fs::metadata(beside(&self.path, "-wal")).map_or(0, |facts| facts.len())
    }

    /// Runs `PRAGMA wal_checkpoint` in one of its modes.
    ///
    /// # Errors
    /// SQLite's; that somebody was in the way is an answer and no error.
    pub fn checkpoint(&self, mode: &str) -> Result<Checkpoint, MeasureError> {
        self.connection
            .query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
                Ok(Checkpoint { busy: row.get(0)?, log: row.get(1)?, checkpointed: row.get(2)? })
            })
            .map_err(self.error("while writing the WAL back into the database"))
    }

    /// Closes the connection and removes the database's files.
    ///
    /// # Errors
    /// SQLite's or the system's.
    pub fn remove(self) -> Result<(), MeasureError> {
        let path = self.path.clone();
        self.close()?;
        remove_files(&path)
    }

    /// Closes the connection; the last one to close checkpoints the WAL.
    ///
    /// # Errors
    /// SQLite's.
    pub fn close(self) -> Result<(), MeasureError> {
        let path = self.path;
        self.connection.close().map_err(|(_, source)| MeasureError::Sqlite {
            doing: "while closing the test database",
            source,
            path,
        })
    }
}

/// The three columns of `PRAGMA wal_checkpoint` (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Checkpoint {
    /// 1 where a reader or a writer was in the way, and for PASSIVE always 0.
    pub busy: i64,
    /// Pages in the WAL; -1 where there is none.
    pub log: i64,
    /// Pages of the WAL that are in the database now; -1 where there is no WAL.
    pub checkpointed: i64,
}

/// A companion of a database: its path with an ending such as `-wal`.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Removes a database's file and its companions; missing ones are fine.
///
/// # Errors
/// The system's.
pub fn remove_files(path: &Path) -> Result<(), MeasureError> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let file = beside(path, ending);
        match fs::remove_file(&file) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(MeasureError::Io { doing: "while removing a test file", source, path: file }),
        }
    }
    Ok(())
}

enum ApplyError {
    Refused(String),
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for ApplyError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}

fn apply(connection: &Connection, settings: &Settings) -> Result<(), ApplyError> {
    let journal_mode = settings.journal_mode.to_string();
    let answer: String = connection
        .query_row(&format!("PRAGMA journal_mode = {journal_mode}"), [], |row| row.get(0))
        .map_err(without_shared_memory)?;
    must_be("journal_mode", &journal_mode, &answer)?;
    for (name, value) in settings.numbers() {
        // Some pragmas answer with the new value and some with nothing; both are read again below.
        connection.pragma_update(None, name, value)?;
        let answer: i64 = connection.pragma_query_value(None, name, |row| row.get(0))?;
        must_be(name, &value.to_string(), &answer.to_string())?;
    }
    let answer: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    must_be("journal_mode", &journal_mode, &answer)?;
    connection.busy_timeout(Duration::from_millis(settings.busy_timeout_ms.into()))?;
    let answer: i64 = connection.pragma_query_value(None, "busy_timeout", |row| row.get(0))?;
    must_be("busy_timeout", &settings.busy_timeout_ms.to_string(), &answer.to_string())
}

/// WAL needs memory that all programs share; a volume that cannot give it makes SQLite fail rather than
/// answer another mode, and that too is a refusal (<https://sqlite.org/rescode.html#ioerr_shmmap>).
fn without_shared_memory(error: rusqlite::Error) -> ApplyError {
    const NO_SHARED_MEMORY: [i32; 4] =
        [ffi::SQLITE_IOERR_SHMOPEN, ffi::SQLITE_IOERR_SHMSIZE, ffi::SQLITE_IOERR_SHMLOCK, ffi::SQLITE_IOERR_SHMMAP];
    match error.sqlite_error() {
        Some(known) if NO_SHARED_MEMORY.contains(&known.extended_code) => ApplyError::Refused(format!(
            "journal_mode was asked to be wal, and this volume gives no shared memory for it: {error}"
        )),
        _ => ApplyError::Failed(error),
    }
}

fn must_be(name: &str, asked: &str, answered: &str) -> Result<(), ApplyError> {
    if asked == answered {
        Ok(())
    } else {
        Err(ApplyError::Refused(format!("{name} was asked to be {asked}, SQLite answered {answered}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_reads_back_as_asked_through_a_plain_connection() {
        let home = tempfile::tempdir().unwrap();
        let settings = Settings {
            wal_autocheckpoint: Some(500),
            cache_size: Some(2000),
            temp_store: Some(2),
            ..Settings::new(JournalMode::Wal, Synchronous::Normal).with_busy_timeout(1234)
        };
        let database = Database::open(&home.path().join("a.db"), &settings).unwrap();
        let number =
            |name: &str| -> i64 { database.connection().pragma_query_value(None, name, |row| row.get(0)).unwrap() };
        // The numbers are those of sqlite.org/pragma.html: NORMAL is 1, MEMORY is 2.
        assert_eq!(number("synchronous"), 1);
        assert_eq!(number("wal_autocheckpoint"), 500);
        assert_eq!(number("cache_size"), 2000);
        assert_eq!(number("temp_store"), 2);
        assert_eq!(number("busy_timeout"), 1234);
    }

    #[test]
    fn rusqlites_own_timeout_does_not_leak_into_the_measurement() {
        let home = tempfile::tempdir().unwrap();
        let settings = Settings::new(JournalMode::Delete, Synchronous::Full);
        let database = Database::open(&home.path().join("a.db"), &settings).unwrap();
        let timeout: i64 = database.connection().pragma_query_value(None, "busy_timeout", |row| row.get(0)).unwrap();
        assert_eq!(timeout, 0);
    }

    #[test]
    fn all_journal_modes_and_levels_are_taken() {
        let home = tempfile::tempdir().unwrap();
        for journal_mode in [JournalMode::Delete, JournalMode::Truncate, JournalMode::Persist, JournalMode::Wal] {
            for synchronous in [Synchronous::Off, Synchronous::Normal, Synchronous::Full, Synchronous::Extra] {
                let settings = Settings::new(journal_mode, synchronous);
                let path = home.path().join(settings.name().replace('/', "-"));
                Database::open(&path, &settings).unwrap();
            }
        }
    }

    #[test]
    fn a_setting_that_sqlite_does_not_take_is_refused_with_its_answer() {
        let home = tempfile::tempdir().unwrap();
        // SQLite caps mmap_size at 0x7fff0000 (SQLITE_MAX_MMAP_SIZE).
        let settings = Settings { mmap_size: Some(1 << 40), ..Settings::new(JournalMode::Delete, Synchronous::Full) };
        let error = Database::open(&home.path().join("a.db"), &settings).unwrap_err();
        assert!(matches!(error, OpenError::Refused(answer) if answer.contains("2147418112")));
    }

    #[test]
    fn missing_rows_and_damage_are_found() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.db");
        let settings = Settings::new(JournalMode::Delete, Synchronous::Full);
        let database = Database::open(&path, &settings).unwrap();
        database.create_table().unwrap();
        database.connection().execute_batch("INSERT INTO t (v) VALUES ('a'), ('b')").unwrap();
        database.verify("delete/full", 2).unwrap();
        assert!(matches!(database.verify("delete/full", 3), Err(MeasureError::WrongData { .. })));
    }
}

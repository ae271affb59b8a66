//! Settings to copy: for each framework the code that opens SQLite with a journal mode, a way of waiting
//! for the drive and a busy timeout on every connection, and begins transactions that write with
//! `BEGIN IMMEDIATE` where the driver has a way. Called by the Advice screen, by `commitmark settings` and
//! by the exports.
//!
//! Each snippet is a file in its own language under `snippets/`. Words such as `__BUSY_TIMEOUT_MS__` stand
//! where [`values`] puts a value; they are names in every one of these languages, so that editors read the
//! files as code. `tests/e2e/settings.sh` runs the snippets whose runtimes can be had.

mod values;

use clap::ValueEnum;

use crate::measure::database::{JournalMode, Synchronous};

/// What a snippet sets on every connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Choice {
    /// `PRAGMA journal_mode`
    pub journal_mode: JournalMode,
    /// `PRAGMA synchronous`
    pub synchronous: Synchronous,
    /// `PRAGMA busy_timeout`, in milliseconds.
    pub busy_timeout_ms: u32,
}

/// What a person writes their app with. The docs name what each snippet was checked with or against.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, ValueEnum)]
pub enum Framework {
    /// Plain SQL. <https://sqlite.org/pragma.html>, <https://sqlite.org/lang_transaction.html>
    Sql,
    /// Python's own sqlite3. <https://docs.python.org/3/library/sqlite3.html>
    Python,
    /// SQLAlchemy 2.
    Sqlalchemy,
    /// Django 5.1 or newer. <https://docs.djangoproject.com/en/stable/ref/databases/#sqlite-notes>
    Django,
    /// Go's database/sql with modernc.org/sqlite.
    GoModernc,
    /// Go's database/sql with mattn/go-sqlite3.
    GoMattn,
    /// Rust's rusqlite.
    Rusqlite,
    /// Rust's sqlx.
    Sqlx,
    /// Node's better-sqlite3.
    #[value(name = "better-sqlite3")]
    BetterSqlite3,
    /// Java's JDBC with xerial's sqlite-jdbc.
    Jdbc,
    /// .NET's Microsoft.Data.Sqlite.
    Dotnet,
    /// PHP's PDO.
    Php,
    /// Ruby on Rails 8.
    Rails,
    /// Laravel.
    Laravel,
    /// Dart's drift.
    Drift,
    /// Swift's GRDB.
    Grdb,
    /// Android's Room.
    Room,
}

impl Framework {
    /// All of them, in the order in which a person is offered them.
    pub const ALL: [Self; 17] = [
        Self::Sql,
        Self::Python,
        Self::Sqlalchemy,
        Self::Django,
        Self::GoModernc,
        Self::GoMattn,
        Self::Rusqlite,
        Self::Sqlx,
        Self::BetterSqlite3,
        Self::Jdbc,
        Self::Dotnet,
        Self::Php,
        Self::Rails,
        Self::Laravel,
        Self::Drift,
        Self::Grdb,
        Self::Room,
    ];

    /// The name a person knows it by: "Python sqlite3".
    pub fn name(self) -> &'static str {
        match self {
            Self::Sql => "SQL",
            Self::Python => "Python sqlite3",
            Self::Sqlalchemy => "SQLAlchemy",
            Self::Django => "Django",
            Self::GoModernc => "Go modernc.org/sqlite",
            Self::GoMattn => "Go mattn/go-sqlite3",
            Self::Rusqlite => "Rust rusqlite",
            Self::Sqlx => "Rust sqlx",
            Self::BetterSqlite3 => "Node better-sqlite3",
            Self::Jdbc => "Java JDBC",
            Self::Dotnet => "C# Microsoft.Data.Sqlite",
            Self::Php => "PHP PDO",
            Self::Rails => "Ruby on Rails",
            Self::Laravel => "Laravel",
            Self::Drift => "Dart drift",
            Self::Grdb => "Swift GRDB",
            Self::Room => "Android Room",
        }
    }

    /// The snippet with its placeholders.
    fn template(self) -> &'static str {
        match self {
            Self::Python => include_str!("snippets/python.py"),
            _ => include_str!("snippets/sql.sql"),
        }
    }
}

/// The code to copy: sets the choice on every connection.
pub fn code(framework: Framework, choice: &Choice) -> String {
    values::fill(framework.template(), choice)
}

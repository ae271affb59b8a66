//! Settings to copy: for each framework the code that opens SQLite with a journal mode, a way of waiting
//! for the drive and a busy timeout on every connection, and begins transactions that write with
//! `BEGIN IMMEDIATE` where the driver has a way. Called by the Advice screen, by `commitmark settings` and
//! by the exports.
//!
//! Each snippet is a file in its own language under `snippets/`. Words such as `__BUSY_TIMEOUT_MS__` stand
//! where [`values`] puts a value; they are names in every one of these languages, so that editors read the
//! files as code. `tests/e2e/settings.sh` runs the snippets whose runtimes can be had.

#[cfg(test)]
mod tests;
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

/// What a person writes their app with. The docs name what each snippet was checked with: really run by
/// `tests/e2e/settings.sh`, or read in the source and the documentation named.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, ValueEnum)]
pub enum Framework {
    /// Plain SQL.
    ///
    /// Run. <https://sqlite.org/pragma.html>, <https://sqlite.org/lang_transaction.html>
    Sql,
    /// Python's sqlite3.
    ///
    /// Run, 3.11. Since 3.12 there is `autocommit`, whose default still leaves
    /// `isolation_level` in charge. <https://docs.python.org/3/library/sqlite3.html#transaction-control>
    Python,
    /// SQLAlchemy 2.
    ///
    /// Run, 2.1.9. A transaction that reads and one that writes begin differently, so there are
    /// two engines over one pool.
    /// <https://docs.sqlalchemy.org/en/21/dialects/sqlite.html#sqlite-transactions>
    Sqlalchemy,
    /// Django 5.1 or newer.
    ///
    /// Run, 5.2.19. `transaction_mode` is for the whole database: Django cannot begin
    /// one transaction with IMMEDIATE and another without.
    /// <https://docs.djangoproject.com/en/stable/ref/databases/#sqlite-notes>
    Django,
    /// Go's database/sql with modernc.org/sqlite.
    ///
    /// Run, 1.40.0. It sets `busy_timeout` first in whatever order
    /// the pragmas are named, and ignores `_txlock` for read-only transactions.
    /// <https://pkg.go.dev/modernc.org/sqlite#Driver.Open>
    GoModernc,
    /// Go's database/sql with mattn/go-sqlite3.
    ///
    /// Run, 1.14.52. Asked for WAL it takes NORMAL unless `_synchronous`
    /// is named; `_txlock` holds for every transaction, read-only ones too.
    /// <https://github.com/mattn/go-sqlite3#connection-string>
    GoMattn,
    /// Rust's rusqlite.
    ///
    /// Run, 0.43. <https://docs.rs/rusqlite/0.43.0/rusqlite/struct.Connection.html>
    Rusqlite,
    /// Rust's sqlx.
    ///
    /// Run, 0.9.0. <https://docs.rs/sqlx/0.9.0/sqlx/sqlite/struct.SqliteConnectOptions.html>
    Sqlx,
    /// Node's better-sqlite3.
    ///
    /// Run, 13. <https://github.com/WiseLibs/better-sqlite3/blob/master/docs/api.md>
    #[value(name = "better-sqlite3")]
    BetterSqlite3,
    /// Java's JDBC with xerial's sqlite-jdbc.
    ///
    /// Run, 3.40.1 and 3.53.2. Its `commit()` begins the next transaction at once, in
    /// the same mode, so the lock is only given back by `setAutoCommit(true)`.
    /// <https://github.com/xerial/sqlite-jdbc/blob/master/src/main/java/org/sqlite/SQLiteConnection.java>
    Jdbc,
    /// .NET's Microsoft.Data.Sqlite.
    ///
    /// Read: <https://learn.microsoft.com/dotnet/standard/data/sqlite/transactions>,
    /// <https://learn.microsoft.com/dotnet/standard/data/sqlite/database-errors> and `SqliteConnection.cs` of
    /// dotnet/efcore. It tries a locked statement again until `DefaultTimeout`, in whole seconds.
    Dotnet,
    /// PHP's PDO.
    ///
    /// Run, 8.4. `beginTransaction()` is always deferred before `Pdo\Sqlite::ATTR_TRANSACTION_MODE` of
    /// PHP 8.5. <https://www.php.net/manual/en/class.pdo-sqlite.php>
    Php,
    /// Ruby on Rails 7.2 or newer.
    ///
    /// Active Record 7.2.4 is run; 8.1 was read, where every transaction is IMMEDIATE
    /// and the timeout is a busy handler of sqlite3-ruby's, so that `PRAGMA busy_timeout` answers 0.
    /// <https://github.com/rails/rails/blob/v8.1.3/activerecord/lib/active_record/connection_adapters/sqlite3_adapter.rb>
    Rails,
    /// Laravel 12.30 or newer.
    ///
    /// Run, 13.31 with PHP 8.4. `transaction_mode` has no effect before PHP 8.4.
    /// <https://github.com/laravel/framework/blob/13.x/src/Illuminate/Database/SQLiteConnection.php>
    Laravel,
    /// Dart's drift.
    ///
    /// Read: <https://pub.dev/documentation/drift/latest/native/NativeDatabase/createInBackground.html>,
    /// <https://pub.dev/documentation/drift/latest/backends/NoTransactionDelegate-class.html> (how it begins).
    Drift,
    /// Swift's GRDB 7.
    ///
    /// Read, 7.8.0: `DatabasePool.init` sets WAL and NORMAL after `prepareDatabase` ran.
    /// <https://github.com/groue/GRDB.swift/blob/v7.8.0/GRDB/Core/DatabasePool.swift>
    Grdb,
    /// Android's Room 3.
    ///
    /// Read, 3.0.3: it sets NORMAL on each connection in WAL, and opens one that writes.
    /// <https://developer.android.com/reference/kotlin/androidx/room3/package-summary>, and
    /// `RoomConnectionManager.kt` of androidx/androidx
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

    /// The snippet for a journal mode, with its placeholders.
    fn snippet(self, journal_mode: JournalMode) -> &'static str {
        match self {
            Self::Sql => include_str!("snippets/sql.sql"),
            Self::Python => include_str!("snippets/python.py"),
            Self::Sqlalchemy => include_str!("snippets/sqlalchemy.py"),
            Self::Django => include_str!("snippets/django.py"),
            Self::GoModernc => include_str!("snippets/go-modernc.go"),
            Self::GoMattn => include_str!("snippets/go-mattn.go"),
            Self::Rusqlite => include_str!("snippets/rusqlite.rs"),
            Self::Sqlx => include_str!("snippets/sqlx.rs"),
            Self::BetterSqlite3 => include_str!("snippets/better-sqlite3.mjs"),
            Self::Jdbc => include_str!("snippets/jdbc.java"),
            Self::Dotnet => include_str!("snippets/dotnet.cs"),
            Self::Php => include_str!("snippets/php.php"),
            Self::Rails => include_str!("snippets/rails.yml"),
            Self::Laravel => include_str!("snippets/laravel.php"),
            Self::Drift => include_str!("snippets/drift.dart"),
            Self::Grdb if journal_mode == JournalMode::Wal => include_str!("snippets/grdb-wal.swift"),
            Self::Grdb => include_str!("snippets/grdb-rollback.swift"),
            Self::Room if journal_mode == JournalMode::Wal => include_str!("snippets/room-wal.kt"),
            Self::Room => include_str!("snippets/room-rollback.kt"),
        }
    }

    /// The choice as the framework can take it: Room has no rollback journal but TRUNCATE.
    fn possible(self, choice: &Choice) -> Choice {
        match (self, choice.journal_mode) {
            (Self::Room, JournalMode::Delete | JournalMode::Persist) => {
                Choice { journal_mode: JournalMode::Truncate, ..*choice }
            }
            _ => *choice,
        }
    }
}

/// The code to copy: sets the choice on every connection. Ends with a line break.
pub fn code(framework: Framework, choice: &Choice) -> String {
    let choice = framework.possible(choice);
    values::fill(framework.snippet(choice.journal_mode), &choice)
}

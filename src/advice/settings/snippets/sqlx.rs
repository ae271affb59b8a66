use std::{path::Path, time::Duration};

use sqlx::{
    Error, Sqlite, SqlitePool, Transaction,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

/// A pool whose connections all have these settings.
pub async fn open(path: &Path) -> Result<SqlitePool, Error> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        // __ABOUT_BUSY_TIMEOUT__
        .busy_timeout(Duration::from_millis(__BUSY_TIMEOUT_MS__))
        // __ABOUT_JOURNAL_MODE__
        .journal_mode(SqliteJournalMode::__JOURNAL_MODE_CAPITALISED__)
        // __ABOUT_SYNCHRONOUS__
        .synchronous(SqliteSynchronous::__SYNCHRONOUS_CAPITALISED__);
    SqlitePool::connect_with(options).await
}

/// A transaction that writes.
pub async fn begin_writing(pool: &SqlitePool) -> Result<Transaction<'static, Sqlite>, Error> {
    // __ABOUT_IMMEDIATE__
    pool.begin_with("BEGIN IMMEDIATE").await
}

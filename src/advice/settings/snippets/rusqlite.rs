use std::{path::Path, time::Duration};

use rusqlite::{Connection, Result, TransactionBehavior};

/// Open every connection here: the timeout and synchronous hold for one connection alone.
pub fn open(path: &Path) -> Result<Connection> {
    let mut connection = Connection::open(path)?;
    // __ABOUT_BUSY_TIMEOUT__
    connection.busy_timeout(Duration::from_millis(__BUSY_TIMEOUT_MS__))?;
    // __ABOUT_JOURNAL_MODE__
    connection.pragma_update(None, "journal_mode", "__JOURNAL_MODE__")?;
    // __ABOUT_SYNCHRONOUS__
    connection.pragma_update(None, "synchronous", "__SYNCHRONOUS__")?;
    // What connection.transaction() begins with
    // __ABOUT_IMMEDIATE__
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    Ok(connection)
}

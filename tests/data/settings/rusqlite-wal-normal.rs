use std::{path::Path, time::Duration};

use rusqlite::{Connection, Result, TransactionBehavior};

/// Open every connection here: the timeout and synchronous hold for one connection alone.
pub fn open(path: &Path) -> Result<Connection> {
    let mut connection = Connection::open(path)?;
    // While another connection writes, wait up to 5 s before failing with "database is locked"
    connection.busy_timeout(Duration::from_millis(5000))?;
    // WAL: reading and writing do not wait for each other; the file remembers it
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // NORMAL: a power cut may lose the last saves, never the database
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // What connection.transaction() begins with
    // IMMEDIATE waits for its turn to write at the beginning; a plain BEGIN can fail halfway
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    Ok(connection)
}

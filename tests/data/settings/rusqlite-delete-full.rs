use std::{path::Path, time::Duration};

use rusqlite::{Connection, Result, TransactionBehavior};

/// Open every connection here: the timeout and synchronous hold for one connection alone.
pub fn open(path: &Path) -> Result<Connection> {
    let mut connection = Connection::open(path)?;
    // While another connection writes, wait up to 2.5 s before failing with "database is locked"
    connection.busy_timeout(Duration::from_millis(2500))?;
    // DELETE: SQLite's own default, readers and a writer wait for each other
    connection.pragma_update(None, "journal_mode", "DELETE")?;
    // FULL: every save waits for the drive; a power cut very rarely loses the last one
    connection.pragma_update(None, "synchronous", "FULL")?;
    // What connection.transaction() begins with
    // IMMEDIATE waits for its turn to write at the beginning; a plain BEGIN can fail halfway
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    Ok(connection)
}

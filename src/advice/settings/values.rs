//! What stands in a snippet in place of its placeholders: the values in each spelling that an API wants,
//! and a line in plain words about each.

use std::time::Duration;

use super::Choice;
use crate::{
    measure::database::{JournalMode, Synchronous},
    units,
};

/// Puts the values of a choice into a snippet.
pub(super) fn fill(template: &str, choice: &Choice) -> String {
    values(choice).into_iter().fold(template.to_owned(), |code, (placeholder, value)| code.replace(placeholder, &value))
}

/// Every placeholder and what it stands for.
fn values(choice: &Choice) -> [(&'static str, String); 7] {
    let Choice { journal_mode, synchronous, busy_timeout_ms } = *choice;
    let timeout = Duration::from_millis(busy_timeout_ms.into());
    [
        ("__ABOUT_BUSY_TIMEOUT__", about_busy_timeout(timeout)),
        ("__ABOUT_JOURNAL_MODE__", about_journal_mode(journal_mode).to_owned()),
        ("__ABOUT_SYNCHRONOUS__", about_synchronous(journal_mode, synchronous).to_owned()),
        ("__BUSY_TIMEOUT_MS__", busy_timeout_ms.to_string()),
        ("__BUSY_TIMEOUT_SECONDS__", timeout.as_secs_f64().to_string()),
        ("__JOURNAL_MODE__", journal_mode.to_string().to_uppercase()),
        ("__SYNCHRONOUS__", synchronous.to_string().to_uppercase()),
    ]
}

fn about_busy_timeout(timeout: Duration) -> String {
    if timeout.is_zero() {
        return "Not waiting: while another connection writes, this one fails with \"database is locked\"".to_owned();
    }
    format!(
        "While another connection writes, wait up to {} instead of failing with \"database is locked\"",
        units::seconds(timeout.as_secs_f64())
    )
}

/// <https://sqlite.org/wal.html>, <https://sqlite.org/pragma.html#pragma_journal_mode>
fn about_journal_mode(journal_mode: JournalMode) -> &'static str {
    match journal_mode {
        JournalMode::Wal => "WAL: reading and writing do not wait for each other (stays in the file)",
        JournalMode::Delete => "DELETE: SQLite's default, a journal file for each transaction",
        JournalMode::Truncate => "TRUNCATE: a journal file that is emptied after each transaction",
        JournalMode::Persist => "PERSIST: a journal file that stays and is overwritten",
    }
}

/// What a power cut can lose: <https://sqlite.org/pragma.html#pragma_synchronous>, and
/// <https://sqlite.org/wal.html#performance_considerations>.
fn about_synchronous(journal_mode: JournalMode, synchronous: Synchronous) -> &'static str {
    match (synchronous, journal_mode) {
        (Synchronous::Off, _) => "OFF: a power cut may destroy the database",
        (Synchronous::Normal, JournalMode::Wal) => {
            "NORMAL: a power cut may lose the last saves, never the whole database"
        }
        (Synchronous::Normal, _) => "NORMAL: a power cut very rarely loses the last save, and on old drives more",
        (Synchronous::Full, JournalMode::Wal) => "FULL: each save waits for the drive, a power cut loses none",
        (Synchronous::Full, _) => "FULL: each save waits for the drive, a power cut very rarely loses the last one",
        (Synchronous::Extra, _) => "EXTRA: each save waits for the drive, a power cut loses none",
    }
}

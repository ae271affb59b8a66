//! What stands in a snippet in place of its placeholders: the values in each spelling that an API wants,
//! and a line in plain words about each.

use std::time::Duration;

use super::Choice;
use crate::{
    measure::database::{JournalMode, Synchronous},
    units,
};

/// Puts the values of a choice into a snippet.
pub(super) fn fill(snippet: &str, choice: &Choice) -> String {
    values(choice).into_iter().fold(snippet.to_owned(), |code, (placeholder, value)| code.replace(placeholder, &value))
}

/// Every placeholder and what it stands for.
fn values(choice: &Choice) -> [(&'static str, String); 13] {
    let Choice { journal_mode, synchronous, busy_timeout_ms } = *choice;
    let timeout = Duration::from_millis(busy_timeout_ms.into());
    [
        ("__ABOUT_BUSY_TIMEOUT__", about_busy_timeout(timeout)),
        ("__ABOUT_JOURNAL_MODE__", about_journal_mode(journal_mode).to_owned()),
        ("__ABOUT_SYNCHRONOUS__", about_synchronous(journal_mode, synchronous).to_owned()),
        ("__ABOUT_IMMEDIATE__", ABOUT_IMMEDIATE.to_owned()),
        ("__BUSY_TIMEOUT_MS__", busy_timeout_ms.to_string()),
        ("__BUSY_TIMEOUT_SECONDS__", timeout.as_secs_f64().to_string()),
        ("__BUSY_TIMEOUT_WHOLE_SECONDS__", whole_seconds(busy_timeout_ms).to_string()),
        ("__JOURNAL_MODE__", journal_mode.to_string().to_uppercase()),
        ("__JOURNAL_MODE_CAPITALISED__", capitalised(&journal_mode.to_string())),
        ("__JOURNAL_MODE_LOWER__", journal_mode.to_string()),
        ("__SYNCHRONOUS__", synchronous.to_string().to_uppercase()),
        ("__SYNCHRONOUS_CAPITALISED__", capitalised(&synchronous.to_string())),
        ("__SYNCHRONOUS_NUMBER__", synchronous.number().to_string()),
    ]
}

/// Never less than was asked for, and never 0, which such an API takes as no limit.
fn whole_seconds(milliseconds: u32) -> u32 {
    milliseconds.div_ceil(1000).max(1)
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// <https://sqlite.org/lang_transaction.html>: what a deferred transaction cannot wait for.
const ABOUT_IMMEDIATE: &str = "IMMEDIATE waits for its turn to write at the beginning; a plain BEGIN can fail halfway";

fn about_busy_timeout(timeout: Duration) -> String {
    if timeout.is_zero() {
        return "While another connection writes, fail at once with \"database is locked\"".to_owned();
    }
    format!(
        "While another connection writes, wait up to {} before failing with \"database is locked\"",
        units::seconds(timeout.as_secs_f64())
    )
}

/// <https://sqlite.org/wal.html>, <https://sqlite.org/pragma.html#pragma_journal_mode>
fn about_journal_mode(journal_mode: JournalMode) -> &'static str {
    match journal_mode {
        JournalMode::Wal => "WAL: reading and writing do not wait for each other; the file remembers it",
        JournalMode::Delete => "DELETE: SQLite's own default, readers and a writer wait for each other",
        JournalMode::Truncate => "TRUNCATE: readers and a writer wait for each other",
        JournalMode::Persist => "PERSIST: readers and a writer wait for each other",
    }
}

/// What a power cut can lose: <https://sqlite.org/pragma.html#pragma_synchronous> and
/// <https://sqlite.org/wal.html#performance_considerations>.
fn about_synchronous(journal_mode: JournalMode, synchronous: Synchronous) -> &'static str {
    match (synchronous, journal_mode) {
        (Synchronous::Off, _) => "OFF: a power cut may destroy the database",
        (Synchronous::Normal, JournalMode::Wal) => "NORMAL: a power cut may lose the last saves, never the database",
        (Synchronous::Normal, _) => "NORMAL: a power cut may lose the last save, and very rarely damage the database",
        (Synchronous::Full, JournalMode::Wal) => "FULL: every save waits for the drive, so a power cut loses none",
        (Synchronous::Full, _) => "FULL: every save waits for the drive; a power cut very rarely loses the last one",
        (Synchronous::Extra, _) => "EXTRA: every save waits for the drive, so a power cut loses none",
    }
}

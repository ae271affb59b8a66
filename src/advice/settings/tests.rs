use std::{path::Path, time::Duration};

use rusqlite::{Connection, ErrorCode};

use super::*;

const MODES: [JournalMode; 4] = [JournalMode::Delete, JournalMode::Truncate, JournalMode::Persist, JournalMode::Wal];
const LEVELS: [Synchronous; 4] = [Synchronous::Off, Synchronous::Normal, Synchronous::Full, Synchronous::Extra];

const SAFE: Choice = Choice { journal_mode: JournalMode::Wal, synchronous: Synchronous::Full, busy_timeout_ms: 5000 };
const CLASSIC: Choice =
    Choice { journal_mode: JournalMode::Delete, synchronous: Synchronous::Normal, busy_timeout_ms: 2500 };

/// The settings of `SAFE` and of `CLASSIC` as each framework spells them, typed from its documentation.
const SPELLINGS: [(Framework, &[&str], &[&str]); 17] = [
    (
        Framework::Sql,
        &["\nPRAGMA busy_timeout = 5000;", "\nPRAGMA journal_mode = WAL;", "\nPRAGMA synchronous = FULL;"],
        &["\nPRAGMA busy_timeout = 2500;", "\nPRAGMA journal_mode = DELETE;", "\nPRAGMA synchronous = NORMAL;"],
    ),
    (
        Framework::Python,
        &["timeout=5,", "\"PRAGMA journal_mode = WAL\"", "\"PRAGMA synchronous = FULL\""],
        &["timeout=2.5,", "\"PRAGMA journal_mode = DELETE\"", "\"PRAGMA synchronous = NORMAL\""],
    ),
    (
        Framework::Sqlalchemy,
        &["{\"timeout\": 5}", "\"PRAGMA journal_mode = WAL\"", "\"PRAGMA synchronous = FULL\""],
        &["{\"timeout\": 2.5}", "\"PRAGMA journal_mode = DELETE\"", "\"PRAGMA synchronous = NORMAL\""],
    ),
    (
        Framework::Django,
        &["\"timeout\": 5,", "\"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;\""],
        &["\"timeout\": 2.5,", "\"PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL;\""],
    ),
    (
        Framework::GoModernc,
        &["_pragma=busy_timeout(5000)", "_pragma=journal_mode(WAL)", "_pragma=synchronous(FULL)"],
        &["_pragma=busy_timeout(2500)", "_pragma=journal_mode(DELETE)", "_pragma=synchronous(NORMAL)"],
    ),
    (
        Framework::GoMattn,
        &["_busy_timeout=5000", "_journal_mode=WAL", "_synchronous=FULL"],
        &["_busy_timeout=2500", "_journal_mode=DELETE", "_synchronous=NORMAL"],
    ),
    (
        Framework::Rusqlite,
        &["Duration::from_millis(5000)", "\"journal_mode\", \"WAL\"", "\"synchronous\", \"FULL\""],
        &["Duration::from_millis(2500)", "\"journal_mode\", \"DELETE\"", "\"synchronous\", \"NORMAL\""],
    ),
    (
        Framework::Sqlx,
        &["Duration::from_millis(5000)", "SqliteJournalMode::Wal)", "SqliteSynchronous::Full)"],
        &["Duration::from_millis(2500)", "SqliteJournalMode::Delete)", "SqliteSynchronous::Normal)"],
    ),
    (
        Framework::BetterSqlite3,
        &["{ timeout: 5000 }", "'journal_mode = WAL'", "'synchronous = FULL'"],
        &["{ timeout: 2500 }", "'journal_mode = DELETE'", "'synchronous = NORMAL'"],
    ),
    (
        Framework::Jdbc,
        &["setBusyTimeout(5000)", "Pragma.JOURNAL_MODE, \"WAL\"", "Pragma.SYNCHRONOUS, \"FULL\""],
        &["setBusyTimeout(2500)", "Pragma.JOURNAL_MODE, \"DELETE\"", "Pragma.SYNCHRONOUS, \"NORMAL\""],
    ),
    (
        Framework::Dotnet,
        &["DefaultTimeout = 5,", "busy_timeout = 5000;", "journal_mode = WAL;", "synchronous = FULL;"],
        &["DefaultTimeout = 3,", "busy_timeout = 2500;", "journal_mode = DELETE;", "synchronous = NORMAL;"],
    ),
    (
        Framework::Php,
        &["'PRAGMA busy_timeout = 5000'", "'PRAGMA journal_mode = WAL'", "'PRAGMA synchronous = FULL'"],
        &["'PRAGMA busy_timeout = 2500'", "'PRAGMA journal_mode = DELETE'", "'PRAGMA synchronous = NORMAL'"],
    ),
    (
        Framework::Rails,
        &["\n  timeout: 5000\n", "\n    journal_mode: wal\n", "\n    synchronous: 2\n"],
        &["\n  timeout: 2500\n", "\n    journal_mode: delete\n", "\n    synchronous: 1\n"],
    ),
    (
        Framework::Laravel,
        &["'busy_timeout' => 5000,", "'journal_mode' => 'WAL',", "'synchronous' => 'FULL',"],
        &["'busy_timeout' => 2500,", "'journal_mode' => 'DELETE',", "'synchronous' => 'NORMAL',"],
    ),
    (
        Framework::Drift,
        &["'PRAGMA busy_timeout = 5000'", "'PRAGMA journal_mode = WAL'", "'PRAGMA synchronous = FULL'"],
        &["'PRAGMA busy_timeout = 2500'", "'PRAGMA journal_mode = DELETE'", "'PRAGMA synchronous = NORMAL'"],
    ),
    (
        Framework::Grdb,
        &[".timeout(5)", "DatabasePool(path: path", "\"PRAGMA synchronous = FULL\""],
        &[".timeout(2.5)", "DatabaseQueue(path: path", "journal_mode = DELETE\"", "synchronous = NORMAL\""],
    ),
    (
        Framework::Room,
        &["busy_timeout = 5000\"", "JournalMode.WRITE_AHEAD_LOGGING)", "synchronous = FULL\""],
        &["busy_timeout = 2500\"", "JournalMode.TRUNCATE)", "synchronous = NORMAL\""],
    ),
];

/// Every choice that can be made, with no timeout, one in whole seconds and one between.
fn choices() -> impl Iterator<Item = Choice> {
    MODES.into_iter().flat_map(|journal_mode| {
        LEVELS.into_iter().flat_map(move |synchronous| {
            [0, 2500, 60_000].map(|busy_timeout_ms| Choice { journal_mode, synchronous, busy_timeout_ms })
        })
    })
}

#[test]
fn the_terminal_offers_each_framework_under_the_name_in_the_design() {
    let names: Vec<String> =
        Framework::ALL.iter().map(|one| one.to_possible_value().unwrap().get_name().to_owned()).collect();
    assert_eq!(
        names.join(" "),
        "sql python sqlalchemy django go-modernc go-mattn rusqlite sqlx better-sqlite3 jdbc dotnet php rails laravel \
         drift grdb room"
    );
    assert_eq!(Framework::value_variants(), Framework::ALL);
}

#[test]
fn each_code_spells_the_settings_as_its_framework_wants_them() {
    assert_eq!(SPELLINGS.map(|(framework, ..)| framework), Framework::ALL);
    for (framework, safe, classic) in SPELLINGS {
        for (choice, spellings) in [(SAFE, safe), (CLASSIC, classic)] {
            let code = code(framework, &choice);
            for spelling in spellings {
                assert!(code.contains(spelling), "{} without {spelling}:\n{code}", framework.name());
            }
        }
    }
}

#[test]
fn a_code_holds_nothing_of_another_choice() {
    for (framework, safe, classic) in SPELLINGS {
        for (choice, others) in [(SAFE, classic), (CLASSIC, safe)] {
            let code = code(framework, &choice);
            for other in others {
                assert!(!code.contains(other), "{} with {other}:\n{code}", framework.name());
            }
        }
    }
}

#[test]
fn no_placeholder_is_left_and_no_line_is_too_wide_to_read() {
    for framework in Framework::ALL {
        for choice in choices() {
            let code = code(framework, &choice);
            assert!(!code.contains("__"), "{} {choice:?}:\n{code}", framework.name());
            assert!(code.lines().all(|line| line.chars().count() <= 120), "{} {choice:?}:\n{code}", framework.name());
            assert!(code.ends_with('\n') && !code.ends_with("\n\n"), "{}", framework.name());
        }
    }
}

#[test]
fn every_code_says_in_words_what_a_power_cut_costs_and_how_long_it_waits() {
    for framework in Framework::ALL {
        let safe = code(framework, &SAFE);
        assert!(safe.contains("a power cut loses none"), "{}:\n{safe}", framework.name());
        assert!(safe.contains("wait up to 5 s before"), "{}:\n{safe}", framework.name());
        let fast = code(framework, &Choice { synchronous: Synchronous::Normal, ..SAFE });
        assert!(fast.contains("may lose the last saves, never the database"), "{}:\n{fast}", framework.name());
        let impatient = code(framework, &Choice { busy_timeout_ms: 0, ..SAFE });
        assert!(impatient.contains("fail at once with"), "{}:\n{impatient}", framework.name());
    }
}

#[test]
fn every_framework_that_can_begins_writing_with_immediate() {
    for framework in Framework::ALL {
        let code = code(framework, &SAFE);
        let says_so = code.contains("IMMEDIATE waits for its turn to write");
        assert_eq!(says_so, framework != Framework::Drift, "{}:\n{code}", framework.name());
    }
}

#[test]
fn a_timeout_in_whole_seconds_is_never_shorter_than_asked_for_and_never_endless() {
    for (busy_timeout_ms, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (u32::MAX, 4_294_968)] {
        let code = code(Framework::Dotnet, &Choice { busy_timeout_ms, ..SAFE });
        assert!(code.contains(&format!("DefaultTimeout = {seconds},")), "{busy_timeout_ms}:\n{code}");
    }
}

#[test]
fn room_gets_truncate_for_every_rollback_journal_and_is_told_why() {
    for journal_mode in [JournalMode::Delete, JournalMode::Truncate, JournalMode::Persist] {
        let code = code(Framework::Room, &Choice { journal_mode, ..SAFE });
        assert!(code.contains("// Room has no DELETE"), "{code}");
        assert!(code.contains("// TRUNCATE: "), "{code}");
        assert!(!code.contains("WRITE_AHEAD_LOGGING"), "{code}");
    }
}

/// The code for rusqlite as a person gets it, compiled; the test below compares it with what is given out.
mod wal_normal {
    include!("../../../tests/data/settings/rusqlite-wal-normal.rs");
}

/// Likewise with a rollback journal.
mod delete_full {
    include!("../../../tests/data/settings/rusqlite-delete-full.rs");
}

#[test]
fn the_code_for_rusqlite_sets_every_connection_and_begins_with_immediate() {
    let wal_normal = Choice { journal_mode: JournalMode::Wal, synchronous: Synchronous::Normal, busy_timeout_ms: 5000 };
    assert_eq!(
        code(Framework::Rusqlite, &wal_normal),
        include_str!("../../../tests/data/settings/rusqlite-wal-normal.rs")
    );
    try_rusqlite(wal_normal::open, JournalMode::Delete, ("wal", 1, 5000));

    let delete_full =
        Choice { journal_mode: JournalMode::Delete, synchronous: Synchronous::Full, busy_timeout_ms: 2500 };
    assert_eq!(
        code(Framework::Rusqlite, &delete_full),
        include_str!("../../../tests/data/settings/rusqlite-delete-full.rs")
    );
    try_rusqlite(delete_full::open, JournalMode::Wal, ("delete", 2, 2500));
}

/// Opens a database that had another journal mode twice, reads the settings back on both connections, and
/// looks whether a transaction keeps another writer out before it has written.
fn try_rusqlite(open: fn(&Path) -> rusqlite::Result<Connection>, before: JournalMode, expected: (&str, i64, i64)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    let outsider = Connection::open(&path).unwrap();
    outsider.pragma_update(None, "journal_mode", before.to_string()).unwrap();
    outsider.execute_batch("CREATE TABLE saved (id INTEGER PRIMARY KEY)").unwrap();
    outsider.close().unwrap();

    let (first, mut second) = (open(&path).unwrap(), open(&path).unwrap());
    for connection in [&first, &second] {
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        let level: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        let timeout: i64 = connection.pragma_query_value(None, "busy_timeout", |row| row.get(0)).unwrap();
        assert_eq!((mode.as_str(), level, timeout), expected);
    }

    let outsider = Connection::open(&path).unwrap();
    outsider.busy_timeout(Duration::ZERO).unwrap();
    let transaction = second.transaction().unwrap();
    let refused = outsider.execute_batch("BEGIN IMMEDIATE").unwrap_err();
    assert_eq!(refused.sqlite_error_code(), Some(ErrorCode::DatabaseBusy));
    transaction.execute("INSERT INTO saved DEFAULT VALUES", []).unwrap();
    transaction.commit().unwrap();
    outsider.execute_batch("BEGIN IMMEDIATE; ROLLBACK").unwrap();
    let rows: i64 = first.query_row("SELECT count(*) FROM saved", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
}

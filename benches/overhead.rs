//! What measuring costs: CommitMark's insert loop, with its histogram and its count of syncs, beside the
//! thinnest loop over SQLite's C interface (same library, same statement, default VFS). Both run in turns in
//! one process, on a memory file system where there is one, in WAL/NORMAL, where SQLite waits for nothing.
//! Prints the ratio of their times with its interval; the goal is 1.05 at most.
//!
//!     cargo bench --bench overhead
#![allow(
    unsafe_code,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the thinnest loop is over SQLite's C interface; a bench prints and may panic"
)]

use std::{
    ffi::{CString, c_int},
    path::{Path, PathBuf},
    ptr,
    time::{Duration, Instant},
};

use commitmark::{
    experiments::inserts::{TEXT_BYTES, Until, insert_loop},
    measure::{
        context::CancelFlag,
        database::{Database, JournalMode, Settings, Synchronous},
        vfs,
    },
    stats,
};
use rusqlite::ffi;

/// Inserts in each turn, and turns of each.
const INSERTS: u64 = 20_000;
const ROUNDS: usize = 41;

fn main() {
    // `cargo test --benches` only asks whether it starts.
    let rounds = if std::env::args().any(|argument| argument == "--bench") { ROUNDS } else { 1 };
    let home = tempfile::tempdir_in(memory_folder()).unwrap();
    vfs::register().unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    let (mut ours, mut thin) = (Vec::new(), Vec::new());
    // The first turn of each warms up and is thrown away.
    for round in 0..=rounds {
        let path = |name: &str| home.path().join(format!("{name}-{round}.db"));
        let ours_first = random.bool();
        let first = if ours_first { with_commitmark(&path("ours")) } else { with_c(&path("thin")) };
        let second = if ours_first { with_c(&path("thin")) } else { with_commitmark(&path("ours")) };
        let (our_time, thin_time) = if ours_first { (first, second) } else { (second, first) };
        if round > 0 {
            ours.push(INSERTS as f64 / our_time.as_secs_f64());
            thin.push(INSERTS as f64 / thin_time.as_secs_f64());
        }
    }
    let ratio = stats::paired_ratio(&thin, &ours).unwrap();
    println!(
        "time of CommitMark's loop / thinnest loop: {:.3} ({:.3} to {:.3}), {} rounds of {INSERTS} inserts, {:.1} and {:.1} us an insert",
        ratio.value,
        ratio.interval.low,
        ratio.interval.high,
        ratio.rounds,
        1e6 / stats::median(&ours).unwrap(),
        1e6 / stats::median(&thin).unwrap(),
    );
}

fn memory_folder() -> PathBuf {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() }
}

fn with_commitmark(path: &Path) -> Duration {
    let settings = Settings::new(JournalMode::Wal, Synchronous::Normal);
    let database = Database::open(path, &settings).unwrap();
    database.create_table().unwrap();
    let sample = insert_loop(&database, Until::Inserts(INSERTS), &CancelFlag::default(), |_, _| {}).unwrap();
    database.remove().unwrap();
    Duration::from_secs_f64(sample.seconds)
}

fn with_c(path: &Path) -> Duration {
    let file = CString::new(path.to_str().unwrap()).unwrap();
    let insert = c"INSERT INTO t (v) VALUES (?1)";
    let setup =
        c"PRAGMA journal_mode = wal; PRAGMA synchronous = normal; CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)";
    let text = "x".repeat(TEXT_BYTES);
    let (mut connection, mut statement) = (ptr::null_mut(), ptr::null_mut());
    let flags = ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE | ffi::SQLITE_OPEN_NOMUTEX;
    // SAFETY: every pointer is to a value that lives until the end of this function; the connection and
    // the statement are used only after SQLite made them and never after they are closed.
    let took = unsafe {
        assert_eq!(ffi::sqlite3_open_v2(file.as_ptr(), &mut connection, flags, ptr::null()), ffi::SQLITE_OK);
        let done = ffi::sqlite3_exec(connection, setup.as_ptr(), None, ptr::null_mut(), ptr::null_mut());
        assert_eq!(done, ffi::SQLITE_OK);
        let done = ffi::sqlite3_prepare_v2(connection, insert.as_ptr(), -1, &mut statement, ptr::null_mut());
        assert_eq!(done, ffi::SQLITE_OK);
        let done =
            ffi::sqlite3_bind_text(statement, 1, text.as_ptr().cast(), text.len() as c_int, ffi::SQLITE_STATIC());
        assert_eq!(done, ffi::SQLITE_OK);
        let started = Instant::now();
        for _ in 0..INSERTS {
            assert_eq!(ffi::sqlite3_step(statement), ffi::SQLITE_DONE);
            ffi::sqlite3_reset(statement);
        }
        let took = started.elapsed();
        ffi::sqlite3_finalize(statement);
        assert_eq!(ffi::sqlite3_close(connection), ffi::SQLITE_OK);
        took
    };
    std::fs::remove_file(path).unwrap();
    took
}

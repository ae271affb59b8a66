//! Databases found by the real second process, the locks that it must not disturb, `commitmark settings`,
//! and the place Advice in the window.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use commitmark::{
    advice::{
        self,
        databases::{Ended, Found, Journal, scan},
    },
    measure::{
        context::CancelFlag,
        database::{JournalMode, Settings, Synchronous},
        helper::{Answer, Helper, Request},
    },
    report::{Warning, history::History, save::save},
    ui::{
        app::{CommitMarkApp, Options},
        dialogs::Answers,
        state::Place,
    },
};
use eframe::egui::{Key, Role, Vec2};
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::{
    helpers::{folder, names},
    pictures::published,
};

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_commitmark"))
}

fn look(folder: &Path) -> Vec<Found> {
    let scan = scan(Some(&program()), folder, &CancelFlag::default()).unwrap();
    assert_eq!((scan.ended.clone(), scan.unreadable), (Ended::Complete, 0), "{scan:?}");
    scan.databases
}

/// A database that SQLite itself made, still open.
fn database(path: &Path, journal_mode: &str, page_size: u32) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "page_size", page_size).unwrap();
    connection.pragma_update(None, "journal_mode", journal_mode).unwrap();
    connection
        .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t (v) VALUES ('x')")
        .unwrap();
    connection
}

#[test]
fn databases_are_found_with_what_their_headers_say() {
    let place = folder();
    fs::create_dir(place.path().join("deeper")).unwrap();
    drop(database(&place.path().join("default.db"), "delete", 4_096));
    drop(database(&place.path().join("deeper/large.sqlite"), "wal", 65_536));
    let in_use = database(&place.path().join("used.data"), "wal", 1_024);
    fs::write(place.path().join("notes.txt"), "SQLite format 3 is described here. ".repeat(40)).unwrap();
    fs::write(place.path().join("empty.db"), "").unwrap();
    let found = look(place.path());
    let facts: Vec<_> = found
        .iter()
        .map(|found| (found.path.strip_prefix(place.path()).unwrap().to_owned(), found.journal, found.page_bytes))
        .collect();
    assert_eq!(
        facts,
        [
            (PathBuf::from("deeper/large.sqlite"), Journal::Wal, 65_536),
            (PathBuf::from("default.db"), Journal::Rollback, 4_096),
            (PathBuf::from("used.data"), Journal::Wal, 1_024),
        ]
    );
    for (found, open) in found.iter().zip([false, false, true]) {
        assert_eq!(found.bytes, fs::metadata(&found.path).unwrap().len());
        // An open database has its WAL; the last close removes it.
        assert_eq!(found.wal_bytes.is_some_and(|bytes| bytes > 0), open, "{found:?}");
    }
    let wal = fs::metadata(place.path().join("used.data-wal")).unwrap().len();
    assert_eq!(found[2].wal_bytes, Some(wal));
    drop(in_use);
}

/// Every file with its size and the time it was last written.
fn state(folder: &Path) -> Vec<(String, u64, SystemTime)> {
    let facts = |name: String| {
        let facts = fs::metadata(folder.join(&name)).unwrap();
        (name, facts.len(), facts.modified().unwrap())
    };
    names(folder).into_iter().map(facts).collect()
}

#[test]
fn looking_writes_nothing_and_makes_no_file() {
    let place = folder();
    drop(database(&place.path().join("a.db"), "delete", 4_096));
    drop(database(&place.path().join("b.db"), "wal", 4_096));
    let before = state(place.path());
    assert_eq!(names(place.path()), ["a.db", "b.db"]);
    assert_eq!(look(place.path()).len(), 2);
    assert_eq!(state(place.path()), before);
}

/// What a second process gets that saves while this one holds the database.
fn contender(folder: &Path, name: &str) -> Answer {
    let mut helper = Helper::start(Some(&program()), folder);
    assert!(helper.is_process());
    let settings = Settings::new(JournalMode::Delete, Synchronous::Full);
    let opened = helper.ask(&Request::Open { name: name.to_owned(), settings }, || false).unwrap();
    assert_eq!(opened, Answer::Done);
    let save = Request::Run { sql: "INSERT INTO t (v) VALUES ('y')".to_owned() };
    helper.ask(&save, || false).unwrap()
}

fn hold(path: &Path) -> Connection {
    let holder = database(path, "delete", 4_096);
    holder.execute_batch("BEGIN IMMEDIATE; INSERT INTO t (v) VALUES ('held')").unwrap();
    holder
}

#[test]
fn a_lock_of_this_process_outlives_the_look() {
    let place = folder();
    let holder = hold(&place.path().join("live.db"));
    assert_eq!(look(place.path()).len(), 1);
    assert_eq!(contender(place.path(), "live.db"), Answer::Locked("SQLITE_BUSY".to_owned()));
    holder.execute_batch("COMMIT").unwrap();
    assert_eq!(contender(place.path(), "live.db"), Answer::Done);
}

/// Why the look is done by a second process: the same bytes read here take the lock away, so the test above
/// can fail.
#[cfg(unix)]
#[test]
fn reading_the_header_in_this_process_would_take_the_lock_away() {
    use std::io::Read;
    let place = folder();
    let path = place.path().join("live.db");
    let _holder = hold(&path);
    let mut header = [0; 100];
    fs::File::open(&path).unwrap().read_exact(&mut header).unwrap();
    assert_eq!(contender(place.path(), "live.db"), Answer::Done, "POSIX locks end with any close of the file");
}

#[test]
fn a_look_can_be_stopped() {
    let place = folder();
    let stop = CancelFlag::default();
    stop.raise();
    let started = Instant::now();
    let scan = scan(Some(&program()), place.path(), &stop).unwrap();
    assert_eq!(scan.ended, Ended::Stopped);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(scan.incomplete().unwrap().starts_with("Stopped before the end"));
}

fn settings(arguments: &[&str]) -> Output {
    Command::new(program()).arg("settings").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn settings_without_a_result_are_general_and_say_so() {
    let output = settings(&["--for", "sql"]);
    assert_eq!(output.status.code(), Some(0));
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    for pragma in ["journal_mode", "synchronous", "busy_timeout"] {
        assert!(stdout.to_lowercase().contains(pragma), "{stdout}");
    }
    assert!(stderr.contains("Nothing was measured here, so this is general advice"), "{stderr}");
    assert!(stderr.contains("was not measured: run Quick"), "{stderr}");
    assert!(!stdout.contains("Nothing was measured"), "the reasons are on stderr: {stdout}");
}

#[test]
fn settings_from_a_result_have_its_numbers_and_the_answer_decides_synchronous() {
    let place = folder();
    let file = place.path().join("result.commitmark.json");
    let mut report = published();
    report.warnings.clear();
    save(&report, &file).unwrap();
    let from = |more: &[&str]| settings(&[&["--for", "sql", "--from", file.to_str().unwrap()], more].concat());
    let kept = from(&[]);
    assert!(text(&kept.stdout).to_lowercase().contains("synchronous = full"), "{}", text(&kept.stdout));
    // The published medians are 687 and 166 saves a second, and 179 errors became none.
    let reasons = text(&kept.stderr);
    assert!(reasons.contains("4.1 times"), "{reasons}");
    assert!(reasons.contains("179 \"database is locked\" errors became 0"), "{reasons}");
    let accepted = from(&["--accept-loss"]);
    assert!(text(&accepted.stdout).to_lowercase().contains("synchronous = normal"), "{}", text(&accepted.stdout));
}

#[test]
fn bad_input_to_settings_is_a_sentence_and_a_code() {
    let place = folder();
    let damaged = place.path().join("damaged.json");
    fs::write(&damaged, "{\"format\": \"commitmark-result\", ").unwrap();
    for (arguments, code, words) in [
        (&["--for", "cobol"][..], 2, "invalid value"),
        (&[], 2, "--for"),
        (&["--for", "sql", "--from", damaged.to_str().unwrap()], 1, "ends too early"),
        (&["--for", "sql", "--from", "no such file"], 1, "cannot be read"),
    ] {
        let output = settings(arguments);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
        assert_eq!(text(&output.stdout), "", "no code to copy after an error");
    }
}

#[test]
fn the_sections_hold_every_setting_with_reason_and_risk() {
    let report = published();
    let sections = advice::sections(&report, false);
    let ids: Vec<&str> = sections.iter().map(|section| section.id.as_str()).collect();
    assert_eq!(ids, ["advice-settings", "advice-findings"]);
    assert_eq!(sections[0].verdict, "WAL, FULL, busy timeout 5 s");
    assert_eq!(advice::sections(&report, true)[0].verdict, "WAL, NORMAL, busy timeout 5 s");
    for section in &sections {
        assert!(!section.table.rows.is_empty());
        for row in &section.table.rows {
            assert_eq!(row.len(), section.table.columns.len());
            assert!(row.iter().all(|cell| !cell.text().is_empty()), "{row:?}");
        }
    }
    let mut lying = published();
    lying.warnings = vec![Warning::new("syncs_missing", "Something swallows the flushes.")];
    assert!(advice::sections(&lying, false)[1].verdict.starts_with("Keep nothing here"));
}

/// A window at the place Advice, with a home of its own.
struct Desk {
    home: TempDir,
    harness: Harness<'static, CommitMarkApp>,
}

impl Desk {
    fn new(prepare: impl FnOnce(&Path)) -> Self {
        let home = folder();
        fs::create_dir(home.path().join("data")).unwrap();
        prepare(home.path());
        let options = Options {
            history: Some(History::in_folder(home.path().join("history"))),
            memory: None,
            folder: Some(home.path().join("data")),
            plan: None,
            dialogs: Arc::new(Answers::default()),
            files: Vec::new(),
        };
        let mut harness = Harness::builder()
            .with_size(Vec2::new(1080.0, 2400.0))
            .with_max_steps(30)
            .build_eframe(move |creation| CommitMarkApp::new(creation, options).with_looker(program()));
        harness.step();
        harness.get_by_role_and_label(Role::Tab, "Advice").click();
        harness.step();
        let mut desk = Self { home, harness };
        desk.wait_for("the place Advice", |harness| harness.state().state().place == Place::Advice);
        desk
    }

    fn wait_for(&mut self, what: &str, seen: impl Fn(&Harness<'static, CommitMarkApp>) -> bool) {
        let start = Instant::now();
        loop {
            self.harness.step();
            if seen(&self.harness) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn wait_for_label(&mut self, label: &str) {
        self.wait_for(label, |harness| harness.query_all_by_label_contains(label).next().is_some());
    }

    fn press(&mut self, role: Role, name: &str) {
        self.harness.get_by_role_and_label(role, name).click();
        self.harness.step();
        self.harness.step();
    }
}

#[test]
fn without_a_result_advice_is_general_and_says_what_to_do() {
    let mut desk = Desk::new(|_| {});
    desk.wait_for_label("Settings in general");
    desk.wait_for_label("Nothing was measured here");
    desk.wait_for_label("Use WAL");
    desk.press(Role::Button, "Run a test");
    assert_eq!(desk.harness.state().state().place, Place::Test);
}

#[test]
fn the_newest_result_the_answer_and_the_framework_decide_what_is_shown() {
    let mut desk = Desk::new(|home| {
        let mut report = published();
        report.warnings.clear();
        History::in_folder(home.join("history")).keep(&report).unwrap();
    });
    desk.wait_for_label("Settings for this drive");
    desk.wait_for_label("4.1 times");
    desk.wait_for_label("Keep synchronous FULL");
    desk.press(Role::RadioButton, "acceptable");
    desk.wait_for_label("Set synchronous to NORMAL");
    desk.press(Role::ComboBox, "Code for: SQL");
    desk.press(Role::Button, "Python sqlite3");
    desk.wait_for_label("import sqlite3");
    desk.press(Role::Button, "Copy");
    desk.wait_for_label("Copied");
}

#[test]
fn databases_in_the_folder_are_listed_with_what_would_change() {
    let mut desk = Desk::new(|home| {
        drop(database(&home.join("data/library.db"), "delete", 4_096));
        drop(database(&home.join("data/thumbs.db"), "wal", 4_096));
        drop(database(&home.join("data/third.db"), "wal", 4_096));
    });
    desk.wait_for_label("Databases in this folder");
    desk.press(Role::Button, "Look for databases");
    desk.wait_for_label("2 of 3 databases here already use WAL");
    desk.wait_for_label("would gain");
    desk.wait_for_label("already set");
    assert_eq!(names(&desk.home.path().join("data")), ["library.db", "third.db", "thumbs.db"]);
}

#[test]
fn the_keyboard_reaches_every_control_of_the_advice() {
    let mut desk = Desk::new(|_| {});
    desk.wait_for_label("Look for databases");
    let mut reached = std::collections::BTreeSet::new();
    for _ in 0..30 {
        desk.harness.key_press(Key::Tab);
        desk.harness.step();
        desk.harness.step();
        let focused = desk.harness.root().children_recursive().find(|node| node.is_focused());
        reached.extend(focused.and_then(|node| node.accesskit_node().label()));
    }
    let controls =
        ["Advice", "not acceptable", "acceptable", "Run a test", "Code for: SQL", "Copy", "Look for databases"];
    for control in controls {
        assert!(reached.contains(control), "{control} is not among {reached:?}");
    }
}

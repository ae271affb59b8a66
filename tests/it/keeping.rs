//! Kept results: their list, notes, names and deletion. What is damaged is named and never touched.

use std::{fs, path::Path, time::Instant};

use commitmark::report::{
    compare::{Subject, compare},
    history::{ChangeError, History, Kept, file_name},
    load::{load, parse},
};
use serde_json::Value;
use tempfile::TempDir;
use uuid::Uuid;

use crate::{helpers::folder, untrusted::files};

fn golden(name: &str) -> Vec<u8> {
    files("golden").into_iter().find(|(file, _)| file.starts_with(name)).unwrap().1
}

/// A history that holds the golden files, each started a day after the one before.
fn kept() -> (TempDir, History) {
    let folder = folder();
    let history = History::in_folder(folder.path().join("results"));
    for (at, (_, bytes)) in files("golden").into_iter().enumerate() {
        let mut report = parse(&bytes, Path::new("a")).unwrap();
        report.started_at += jiff::SignedDuration::from_hours(24 * at as i64);
        report.id = Uuid::new_v4();
        history.keep(&report).unwrap();
    }
    (folder, history)
}

#[test]
fn the_list_is_the_same_from_the_files_and_from_the_index() {
    let (_folder, history) = kept();
    assert!(history.glance().unwrap().iter().all(|entry| entry.kept == Kept::Unread));
    let read = history.list().unwrap();
    assert_eq!(read.len(), files("golden").len());
    assert!(read.windows(2).all(|pair| pair[0].at >= pair[1].at), "the newest stands first");
    for entry in &read {
        let report = load(&entry.path).unwrap();
        let Kept::Result(brief) = &entry.kept else { panic!("{entry:?}") };
        assert_eq!((&brief.sentence, brief.id, brief.started_at), (&report.sentence(), report.id, report.started_at));
        assert_eq!((&brief.drive, &brief.note), (&report.drive_words(), &report.note));
    }
    assert_eq!(history.glance().unwrap(), read);
}

#[test]
fn a_changed_file_is_read_again_and_a_lost_or_damaged_index_is_made_afresh() {
    let (_folder, history) = kept();
    let read = history.list().unwrap();
    let mut report = load(&read[0].path).unwrap();
    report.note = Some("another note".to_owned());
    history.keep(&report).unwrap();
    assert_eq!(history.glance().unwrap().iter().filter(|entry| entry.kept == Kept::Unread).count(), 1);
    let again = history.list().unwrap();
    assert!(matches!(&again[0].kept, Kept::Result(brief) if brief.note.as_deref() == Some("another note")));
    let index = history.folder().join(".index.json");
    assert!(index.exists());
    fs::write(&index, "{\"version\":").unwrap();
    assert_eq!(history.list().unwrap(), again);
    fs::remove_file(&index).unwrap();
    assert_eq!(history.list().unwrap(), again);
}

#[test]
fn a_damaged_file_is_named_and_stays() {
    let (_folder, history) = kept();
    let damaged = history.folder().join("2026-01-01-000000-abcd.commitmark.json");
    fs::write(&damaged, "{\"format\":").unwrap();
    for _ in 0..2 {
        let entries = history.list().unwrap();
        assert_eq!(entries.len(), files("golden").len() + 1);
        let entry = entries.iter().find(|entry| entry.path == damaged).unwrap();
        assert!(matches!(&entry.kept, Kept::Damaged(sentence) if sentence.contains("ends too early")), "{entry:?}");
    }
    assert_eq!(fs::read_to_string(&damaged).unwrap(), "{\"format\":");
    assert!(matches!(history.annotate(&damaged, "mine"), Err(ChangeError::Unreadable(_))));
    assert_eq!(fs::read_to_string(&damaged).unwrap(), "{\"format\":");
}

#[test]
fn a_note_is_added_changed_and_taken_away_and_nothing_else_changes() {
    let (_folder, history) = kept();
    let path = history.list().unwrap()[0].path.clone();
    let before = fs::read_to_string(&path).unwrap();
    let report = load(&path).unwrap();
    history.annotate(&path, "  before the new cable \n").unwrap();
    let mut noted = load(&path).unwrap();
    assert_eq!(noted.note.as_deref(), Some("before the new cable"));
    noted.note = report.note.clone();
    assert_eq!(noted, report);
    history.annotate(&path, "").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

#[test]
fn a_note_keeps_what_a_newer_program_has_written() {
    let folder = folder();
    let history = History::in_folder(folder.path());
    let mut value: Value = serde_json::from_slice(&golden("quick")).unwrap();
    value["mood"] = "hopeful".into();
    let path = folder.path().join("new.commitmark.json");
    fs::write(&path, value.to_string()).unwrap();
    history.annotate(&path, "mine").unwrap();
    value["note"] = "mine".into();
    assert_eq!(serde_json::from_slice::<Value>(&fs::read(&path).unwrap()).unwrap(), value);
}

#[test]
fn a_new_name_never_replaces_another_file() {
    let (_folder, history) = kept();
    let entries = history.list().unwrap();
    let (one, other) = (&entries[0].path, &entries[1].path);
    let before = fs::read(other).unwrap();
    let name = commitmark::report::history::name_of(other);
    assert!(matches!(history.rename(one, &name), Err(ChangeError::Taken(_))));
    assert_eq!(fs::read(other).unwrap(), before);
    assert!(one.exists());
    let moved = history.rename(one, " Old laptop, größer ").unwrap();
    assert_eq!(moved, history.folder().join("Old laptop, größer.commitmark.json"));
    assert!(!one.exists() && load(&moved).is_ok());
    assert_eq!(history.list().unwrap().len(), entries.len());
    // Its own name is no change.
    assert_eq!(history.rename(&moved, "Old laptop, größer").unwrap(), moved);
}

#[test]
fn names_that_some_system_cannot_have_are_refused() {
    let (_folder, history) = kept();
    let path = history.list().unwrap()[0].path.clone();
    let long = "a".repeat(101);
    // From Microsoft's "Naming Files, Paths, and Namespaces", and what would leave the folder.
    for name in [
        "",
        "  ",
        "../out",
        "a/b",
        "a\\b",
        "a:b",
        "a?",
        "a*",
        "\"a\"",
        "a<b",
        "a|b",
        "nul",
        "CON",
        "com1.x",
        "LPT9",
        ".a",
        "a.",
        "a\u{202e}b",
        "a\nb",
        &long,
    ] {
        assert!(matches!(history.rename(&path, name), Err(ChangeError::BadName { .. })), "{name:?}");
    }
    for name in ["console", "com", "com12", "Null and void", "a b (2), 50 %"] {
        assert!(
            history
                .rename(&path, name)
                .and_then(|moved| history.rename(&moved, &commitmark::report::history::name_of(&path)))
                .is_ok(),
            "{name:?}"
        );
    }
}

#[test]
fn only_kept_results_are_changed_or_deleted() {
    let (folder, history) = kept();
    let outside = folder.path().join("mine.commitmark.json");
    fs::write(&outside, golden("quick")).unwrap();
    let index = history.folder().join(".index.json");
    history.list().unwrap();
    for path in [&outside, &index, &history.folder().join("../mine.commitmark.json")] {
        assert!(matches!(history.delete(path), Err(ChangeError::NotKept(_))), "{}", path.display());
        assert!(matches!(history.annotate(path, "x"), Err(ChangeError::NotKept(_))));
        assert!(matches!(history.rename(path, "x"), Err(ChangeError::NotKept(_))));
        assert!(path.exists());
    }
    let entries = history.list().unwrap();
    history.delete(&entries[0].path).unwrap();
    assert_eq!(history.list().unwrap().len(), entries.len() - 1);
}

/// Figures for a reader, not a test: `cargo test --release --test it listing_and_comparing -- --ignored
/// --nocapture`.
#[test]
#[ignore = "measures how long lists and comparisons of many results take"]
fn listing_and_comparing_many_results_takes() {
    let folder = folder();
    let history = History::in_folder(folder.path().join("results"));
    fs::create_dir(history.folder()).unwrap();
    let goldens: Vec<_> =
        ["full", "quick", "standard"].map(|name| parse(&golden(name), Path::new("a")).unwrap()).into();
    for number in 0..10_000_u32 {
        let mut report = goldens[number as usize % goldens.len()].clone();
        report.id = Uuid::from_u128(u128::from(number) << 96 | 7);
        report.started_at -= jiff::SignedDuration::from_mins(i64::from(number));
        fs::write(history.folder().join(file_name(&report)), serde_json::to_vec_pretty(&report).unwrap()).unwrap();
    }
    let timed = |what: &str, work: &mut dyn FnMut() -> usize| {
        let started = Instant::now();
        let count = work();
        println!("{what}: {count} in {:.3} s", started.elapsed().as_secs_f64());
    };
    timed("at the first glance, nothing read before", &mut || history.glance().unwrap().len());
    timed("all opened for the first time", &mut || history.list().unwrap().len());
    timed("listed from then on", &mut || history.list().unwrap().len());
    let paths: Vec<_> = history.glance().unwrap().into_iter().take(1_000).map(|entry| entry.path).collect();
    let mut subjects = Vec::new();
    timed("opened to be compared, on one thread", &mut || {
        subjects = paths.iter().map(|path| Subject::of(&load(path).unwrap())).collect::<Vec<_>>();
        subjects.len()
    });
    timed("compared and told", &mut || {
        let comparison = compare(&subjects.iter().collect::<Vec<_>>());
        comparison.sections().iter().map(|section| section.table.rows.len()).sum()
    });
}

//! Result files: what is saved is what is opened, and whatever is wrong with a file is one sentence.

use std::{fs, io::Write, path::Path};

use commitmark::report::{
    Report,
    load::{LoadError, load, parse},
    save::save,
};
use serde_json::{Value, json};

use crate::helpers::{folder, names, run, small_plan};

/// A real result as JSON.
fn real() -> Value {
    let folder = folder();
    serde_json::to_value(run(folder.path(), small_plan(&["flush", "inserts", "contention"])).report).unwrap()
}

fn open(text: &str) -> Result<Report, LoadError> {
    parse(text.as_bytes(), Path::new("a.commitmark.json"))
}

#[test]
fn a_saved_result_opens_as_it_was_and_has_the_fields_of_format_1() {
    let folder = folder();
    let report: Report = serde_json::from_value(real()).unwrap();
    let path = folder.path().join("new folder").join("a.commitmark.json");
    save(&report, &path).unwrap();
    assert_eq!(load(&path).unwrap(), report);
    assert_eq!(names(path.parent().unwrap()), ["a.commitmark.json"]);
    let value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((&value["format"], &value["format_version"]), (&json!("commitmark-result"), &json!(1)));
    assert_eq!(value["status"], "complete");
    let has = |object: &Value, fields: &[&str]| {
        for field in fields {
            assert!(object.get(field).is_some(), "{field} is missing in {object}");
        }
    };
    has(
        &value,
        &["id", "app", "started_at", "wall_seconds", "note", "machine", "volume", "sqlite", "plan", "warnings"],
    );
    has(&value["app"], &["version", "commit", "target"]);
    has(&value["machine"], &["os", "os_version", "kernel", "arch", "vendor", "model", "cpu", "logical_cores"]);
    has(&value["machine"], &["memory_bytes", "virtual_machine", "power"]);
    has(
        &value["volume"],
        &["path", "mount_point", "file_system", "mount_options", "total_bytes", "free_bytes", "kind"],
    );
    has(&value["volume"], &["drive_model", "bus", "rotational", "removable", "network", "memory", "write_cache"]);
    has(&value["volume"], &["copy_on_write", "compressed", "encrypted"]);
    has(&value["sqlite"], &["version", "source_id", "compile_options", "sync_call"]);
    let case = &value["experiments"][1]["cases"][0];
    has(case, &["name", "journal_mode", "synchronous", "busy_timeout_ms", "samples"]);
    has(&case["samples"][0], &["round", "operations", "seconds", "close_seconds", "cpu_seconds", "syncs"]);
    has(&case["samples"][0], &["sync_seconds", "p50_us", "p99_us", "max_us"]);
    let sample = &value["experiments"][2]["cases"][0]["samples"][0];
    has(sample, &["round", "seconds", "writes", "write_busy", "reads", "read_busy", "p99_write_us", "max_write_us"]);
    has(sample, &["p99_read_us", "max_read_us", "busy_codes"]);
    has(&value["experiments"][1]["ratios"][0], &["name", "of", "to", "value", "low", "high", "confidence", "rounds"]);
}

#[test]
fn fields_of_the_future_are_ignored_and_a_newer_format_is_refused() {
    let mut value = real();
    value["colour_of_the_case"] = json!("beige");
    value["machine"]["fans"] = json!(3);
    value["experiments"][1]["cases"][0]["samples"][0]["mood"] = json!("good");
    open(&value.to_string()).unwrap();
    value["format_version"] = json!(2);
    let error = open(&value.to_string()).unwrap_err();
    assert!(matches!(error, LoadError::NewerFormat { found: 2, .. }));
    assert!(error.to_string().contains("newer CommitMark"));
}

#[test]
fn a_file_that_is_no_result_is_named_for_what_it_is() {
    let value = real().to_string();
    assert!(matches!(open(""), Err(LoadError::Empty(_))));
    assert!(matches!(open(" \n"), Err(LoadError::Empty(_))));
    assert!(matches!(open(&value[..value.len() / 2]), Err(LoadError::Truncated(_))));
    assert!(matches!(open("SQLite format 3"), Err(LoadError::NotJson { .. })));
    assert!(matches!(open("{\"format\":\"something-else\"}"), Err(LoadError::OtherFormat(_))));
    assert!(matches!(open("[1, 2]"), Err(LoadError::OtherFormat(_))));
    assert!(matches!(load(Path::new("no-such-file.json")), Err(LoadError::Unreadable { .. })));
    assert!(matches!(load(folder().path()), Err(LoadError::Unreadable { .. })));
    #[cfg(unix)]
    {
        let place = folder();
        let pipe = place.path().join("pipe.commitmark.json");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(matches!(load(&pipe), Err(LoadError::Unreadable { .. })), "nobody writes into it");
    }
    // A byte order mark and Windows line ends do no harm.
    open(&format!("\u{feff}{}\r\n", value)).unwrap();
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let value = real();
    let sample = |name: &str, number: Value| {
        let mut value = value.clone();
        value["experiments"][1]["cases"][0]["samples"][0][name] = number;
        open(&value.to_string())
    };
    for (name, number) in
        [("seconds", json!(-1.0)), ("p99_us", json!(-5)), ("operations", json!(-3)), ("seconds", json!(null))]
    {
        assert!(matches!(sample(name, number.clone()), Err(LoadError::WrongField { .. })), "{name} = {number}");
    }
    // JSON has no NaN; a file that says so is not JSON. A number beyond a double is none either.
    let text = value.to_string();
    assert!(matches!(
        open(&text.replacen("\"wall_seconds\":", "\"wall_seconds\":NaN,\"x\":", 1)),
        Err(LoadError::NotJson { .. })
    ));
    assert!(open(&text.replacen("\"wall_seconds\":", "\"wall_seconds\":1e999,\"x\":", 1)).is_err());
    let mut negative = value.clone();
    negative["wall_seconds"] = json!(-1);
    assert!(matches!(open(&negative.to_string()), Err(LoadError::WrongField { .. })));
}

#[test]
fn a_summary_that_does_not_follow_from_the_samples_is_refused() {
    let mut value = real();
    value["experiments"][1]["ratios"][0]["value"] = json!(1000.0);
    let error = open(&value.to_string()).unwrap_err();
    assert!(error.to_string().contains("does not follow from the samples"), "{error}");
    let mut value = real();
    value["experiments"][1]["ratios"] = json!([]);
    assert!(open(&value.to_string()).is_err());
}

#[test]
fn two_cases_of_one_name_and_settings_unknown_to_sqlite_are_refused() {
    let mut value = real();
    value["experiments"][1]["cases"][1]["name"] = json!("delete/full");
    assert!(open(&value.to_string()).is_err());
    let mut value = real();
    value["experiments"][1]["cases"][1]["journal_mode"] = json!("quantum");
    assert!(open(&value.to_string()).is_err());
}

#[test]
fn a_file_of_200_mb_is_refused_without_being_read_whole() {
    let folder = folder();
    let path = folder.path().join("large.json");
    let file = fs::File::create(&path).unwrap();
    file.set_len(200_000_000).unwrap();
    (&file).write_all(b"{").unwrap();
    let error = load(&path).unwrap_err();
    assert!(matches!(error, LoadError::TooLarge(_)), "{error}");
}

#[test]
fn deep_nesting_is_refused_and_does_not_crash() {
    let deep = format!("{{\"format\":\"commitmark-result\",\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(open(&deep), Err(LoadError::NotJson { .. })));
}

#[test]
fn saving_over_a_result_replaces_it_and_a_failure_leaves_it() {
    let folder = folder();
    let mut report: Report = serde_json::from_value(real()).unwrap();
    let path = folder.path().join("a.commitmark.json");
    save(&report, &path).unwrap();
    report.note = Some("second".to_owned());
    save(&report, &path).unwrap();
    assert_eq!(load(&path).unwrap().note.as_deref(), Some("second"));
    let error = save(&report, &path.join("below a file.json")).unwrap_err();
    assert!(error.to_string().contains("could not be saved"));
    assert_eq!(load(&path).unwrap(), report);
}

//! Files from strangers: whatever is in them, opening and showing them neither panics nor hangs nor fills
//! the memory, and nothing in them acts on the reader.

use std::{fs, path::PathBuf, time::Instant};

use commitmark::report::load::{LoadError, parse};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::everything::open_and_tell;

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The files of a folder with their names.
pub fn files(name: &str) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn golden(name: &str) -> Value {
    let files = files("golden");
    let file = files.iter().find(|(file, _)| file.starts_with(name)).unwrap();
    serde_json::from_slice(&file.1).unwrap()
}

fn open(value: &Value) -> Result<commitmark::report::Report, LoadError> {
    parse(value.to_string().as_bytes(), std::path::Path::new("a.commitmark.json"))
}

#[test]
fn the_corpus_is_refused_or_shown_and_never_panics() {
    for (name, bytes) in files("corpus") {
        let started = Instant::now();
        assert_eq!(open_and_tell(&bytes), name.starts_with("opens"), "{name}");
        assert!(started.elapsed().as_secs() < 20, "{name}");
    }
}

#[test]
fn more_values_than_a_result_can_have_are_refused_before_they_take_memory() {
    let many = format!("{{\"format\":\"commitmark-result\",\"x\":[{}0]}}", "0,".repeat(2_000_000));
    let error = parse(many.as_bytes(), std::path::Path::new("many.json")).unwrap_err();
    assert!(matches!(error, LoadError::TooMuch { .. }), "{error}");
    assert!(error.to_string().contains("1,000,000 values"), "{error}");
    let mut long = golden("quick");
    long["note"] = json!("a".repeat(30_000));
    assert!(matches!(open(&long), Err(LoadError::TooMuch { .. })));
    long["note"] = json!("a".repeat(10_000));
    assert!(open(&long).is_ok());
}

#[test]
fn numbers_that_no_drive_can_reach_are_refused() {
    let at = |value: &Value| {
        let mut file = golden("quick");
        let sample = &mut file["experiments"][1]["cases"][0]["samples"][0];
        assert!(sample["operations"].is_u64());
        sample["operations"] = value.clone();
        open(&file)
    };
    for number in [json!(u64::MAX), json!(1e300), json!(-1e300), json!(1e-300), json!(1e14)] {
        assert!(matches!(at(&number), Err(LoadError::TooMuch { .. })), "{number}");
    }
    // A drive of any size may be told of: that is no measurement.
    let mut file = golden("quick");
    file["volume"]["total_bytes"] = json!(u64::MAX);
    assert!(open(&file).is_ok());
}

#[test]
fn unseen_characters_are_shown_and_reach_no_front_end() {
    let mut file = golden("quick");
    file["note"] = json!("safe\u{202e}gnp.exe");
    file["volume"]["drive_model"] = json!("Disk\u{1b}[2J\u{7}");
    file["warnings"] = json!([{"code": "x", "message": "one\ntwo\u{2066}three"}]);
    let report = open(&file).unwrap();
    assert_eq!(report.note.as_deref(), Some("safe[U+202E]gnp.exe"));
    assert!(report.drive_words().starts_with("Disk[U+001B][2J[U+0007]"), "{}", report.drive_words());
    assert_eq!(report.warnings[0].message, "one two[U+2066]three");
    assert!(open_and_tell(file.to_string().as_bytes()));
    file["status"] = json!("\u{202e}done\u{1b}");
    let error = open(&file).unwrap_err().to_string();
    assert!(error.contains("[U+202E]done[U+001B]"), "{error}");
}

/// What a person who means harm writes where a value stands.
fn nasty() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(vec![0.0, 1.0, -1.0, 1e-12, 1e13, 4096.0]).prop_map(|number| json!(number)),
        prop::sample::select(vec![0_u64, 1, 2, 10_000_000_000_000, u64::MAX]).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec!["wal", "delete", "full", "off", "wal/full", "delete/full"]).prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
    ]
}

/// Puts a value at a place, counted through the whole file in the order written.
fn set(value: &mut Value, place: prop::sample::Index, new: Value) {
    fn walk(value: &mut Value, place: &mut usize, new: &mut Option<Value>) {
        if *place == 0 {
            if let Some(new) = new.take() {
                *value = new;
            }
            return;
        }
        *place -= 1;
        let below: Vec<&mut Value> = match value {
            Value::Array(values) => values.iter_mut().collect(),
            Value::Object(fields) => fields.values_mut().collect(),
            _ => Vec::new(),
        };
        for value in below {
            if new.is_none() {
                return;
            }
            walk(value, place, new);
        }
    }
    let mut place = place.index(count(value));
    walk(value, &mut place, &mut Some(new));
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_refused_or_shown(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        open_and_tell(&bytes);
    }

    #[test]
    fn a_golden_file_with_bytes_changed_is_refused_or_shown(
        which: prop::sample::Index,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
        whole: bool,
    ) {
        let files = files("golden");
        let mut bytes = which.get(&files).1.clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if !whole {
            bytes.truncate(cut.index(bytes.len()));
        }
        open_and_tell(&bytes);
    }

    #[test]
    fn a_golden_file_with_values_changed_is_refused_or_shown(
        which: prop::sample::Index,
        changes in prop::collection::vec((any::<prop::sample::Index>(), nasty()), 1..4),
    ) {
        let files = files("golden");
        let mut value: Value = serde_json::from_slice(&which.get(&files).1).unwrap();
        for (place, new) in changes {
            set(&mut value, place, new);
        }
        open_and_tell(value.to_string().as_bytes());
    }

    /// Ratios follow from the samples, so changed samples are told only where the ratios go.
    #[test]
    fn changed_samples_without_their_ratios_are_refused_or_shown(
        which: prop::sample::Index,
        changes in prop::collection::vec((any::<prop::sample::Index>(), nasty()), 1..4),
    ) {
        let files = files("golden");
        let mut value: Value = serde_json::from_slice(&which.get(&files).1).unwrap();
        let experiments = value["experiments"].as_array().map_or(0, Vec::len);
        if experiments > 0 {
            for (place, new) in changes {
                let experiment = &mut value["experiments"][place.index(experiments)];
                set(&mut experiment["cases"], place, new);
                if let Ok(outcome) = serde_json::from_value::<commitmark::experiments::AnyOutcome>(experiment.clone()) {
                    experiment["ratios"] = serde_json::to_value(outcome.ratios_from_samples()).unwrap();
                }
            }
        }
        open_and_tell(value.to_string().as_bytes());
    }
}

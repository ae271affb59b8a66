//! The real program from the terminal.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use commitmark::report::{Status, load::load};
use serde_json::Value;
use tempfile::TempDir;

use crate::helpers::{folder, names};

/// The program with a data folder of its own.
fn commitmark(data: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_commitmark"));
    command.env("COMMITMARK_DATA", data.path()).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str], folder: &Path, data: &TempDir) -> Output {
    commitmark(data).arg("run").arg("--dir").arg(folder).args(arguments).output().unwrap()
}

const SMALL: [&str; 6] = ["--preset", "standard", "--inserts", "20", "--rounds", "2"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_run_prints_its_table_to_stdout_and_saves_its_result() {
    let (place, data) = (folder(), folder());
    let json = data.path().join("out.commitmark.json");
    let arguments =
        [&SMALL[..], &["--only", "inserts", "--note", "kitchen PC", "--json", json.to_str().unwrap()]].concat();
    let output = run(&arguments, place.path(), &data);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    for words in ["DELETE, FULL", "WAL, NORMAL", "a second"] {
        assert!(stdout.contains(words), "{stdout}");
    }
    assert!(text(&output.stderr).contains("Temporary files removed"));
    let report = load(&json).unwrap();
    assert_eq!((report.status, report.note.as_deref()), (Status::Complete, Some("kitchen PC")));
    assert_eq!(names(&data.path().join("results")).len(), 1);
    assert!(names(place.path()).is_empty());
}

#[test]
fn a_quiet_run_says_nothing_on_stderr() {
    let (place, data) = (folder(), folder());
    let output = run(&[&SMALL[..], &["--only", "inserts", "--quiet"]].concat(), place.path(), &data);
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn bad_input_is_one_clear_sentence_and_a_code() {
    let (place, data) = (folder(), folder());
    let file = place.path().join("photo.jpg");
    fs::write(&file, "").unwrap();
    let gone = place.path().join("gone");
    for (arguments, folder, code, words) in [
        (&["--quiet"][..], gone.as_path(), 1, "no such folder"),
        (&["--quiet"], file.as_path(), 1, "a file, not a folder"),
        (&["--inserts", "0", "--preset", "standard"], place.path(), 2, "outside 1 to"),
        (&["--rounds", "0"], place.path(), 2, "outside 1 to"),
        (&["--only", "inserts,teleport"], place.path(), 2, "no experiment named \"teleport\""),
        (&["--only", "flush", "--inserts", "5"], place.path(), 2, "has the number --inserts"),
        (&["--inserts", "many"], place.path(), 2, "invalid value"),
        (&["--set", "teleports=3"], place.path(), 2, "There are block_ms, busy_timeout_ms,"),
        (&["--set", "rounds"], place.path(), 2, "--set readers=4"),
        (&["--set", "readers=1000"], place.path(), 2, "which is outside"),
        (&["--preset", "leisurely"], place.path(), 2, "invalid value"),
        (&["--json", "no such folder/out.json"], place.path(), 2, "no such folder"),
    ] {
        let output = run(arguments, folder, &data);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panicked"));
    }
    assert_eq!(names(place.path()), ["photo.jpg"]);
}

/// SQLite's unix-dotfile has locks and no shared memory, as a network share may have
/// (<https://sqlite.org/vfs.html#standard_unix_vfses>, <https://sqlite.org/wal.html#noshm>).
#[cfg(unix)]
#[test]
fn where_wal_is_refused_the_answer_is_told_and_the_rest_is_measured() {
    let (place, data) = (folder(), folder());
    let json = data.path().join("out.json");
    let arguments = [
        "--preset",
        "full",
        "--inserts",
        "20",
        "--rounds",
        "1",
        "--seconds",
        "1",
        "--quiet",
        "--json",
        json.to_str().unwrap(),
    ];
    let mut command = commitmark(&data);
    command.env("COMMITMARK_SQLITE_VFS", "unix-dotfile").arg("run").arg("--dir").arg(place.path()).args(arguments);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("SQLite answered delete"));
    let file: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert!(file["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "other_vfs"));
    let experiments = file["experiments"].as_array().unwrap();
    let ids: Vec<_> = experiments.iter().map(|experiment| experiment["id"].as_str().unwrap()).collect();
    assert_eq!(ids, commitmark::experiments::IDS);
    for experiment in experiments {
        for case in experiment["cases"].as_array().unwrap() {
            let wal = case["journal_mode"] == "wal";
            let samples = case["samples"].as_array().unwrap();
            assert!(!wal || samples.is_empty(), "measured under the wrong name: {} {}", experiment["id"], case["name"]);
            assert!(
                !wal || case["refused"].as_str().unwrap().contains("delete"),
                "{} {}",
                experiment["id"],
                case["name"]
            );
        }
    }
    assert!(names(place.path()).is_empty());
}

#[test]
fn info_gives_the_facts_as_table_and_as_json() {
    let data = folder();
    let output = commitmark(&data).args(["info", "--dir"]).arg(data.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("File system"));
    let output = commitmark(&data).args(["info", "--json", "--dir"]).arg(data.path()).output().unwrap();
    let facts: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cores = thread::available_parallelism().unwrap().get() as u64;
    assert_eq!(facts["machine"]["logical_cores"].as_u64(), Some(cores));
    assert!(facts["volume"]["total_bytes"].as_u64() > Some(0));
    let output = commitmark(&data).args(["info", "--dir", "no such folder"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

/// Starts a run that would take minutes, and waits until it has files in the folder.
fn start_long(folder: &Path, data: &TempDir) -> Child {
    let child = commitmark(data)
        .args([
            "run",
            "--quiet",
            "--preset",
            "standard",
            "--only",
            "inserts",
            "--inserts",
            "20",
            "--rounds",
            "1000",
            "--dir",
        ])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| names(folder).iter().any(|name| !names(&folder.join(name)).is_empty()));
    child
}

fn wait_until(mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(60), "waited a minute");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_killed_run_leaves_no_file_after_the_next_start() {
    let (place, data) = (folder(), folder());
    let mut child = start_long(place.path(), &data);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(names(place.path()).len(), 1, "a killed process cannot clean up");
    let output = run(&["--quiet", "--only", "flush"], place.path(), &data);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(names(place.path()).is_empty());
}

#[test]
fn a_second_run_leaves_the_files_of_a_first_one_alone() {
    let (place, data) = (folder(), folder());
    let mut first = start_long(place.path(), &data);
    let output = run(&["--quiet", "--only", "flush"], place.path(), &data);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(first.try_wait().unwrap().is_none(), "the first run goes on");
    assert_eq!(names(place.path()).len(), 1);
    first.kill().unwrap();
    first.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_cleans_up_keeps_what_was_measured_and_exits_130() {
    let (place, data) = (folder(), folder());
    let child = start_long(place.path(), &data);
    // One whole round, so that there is something to keep.
    wait_until(|| data.path().join("results").is_dir() && !names(&data.path().join("results")).is_empty());
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(names(place.path()).is_empty());
    let kept = names(&data.path().join("results"));
    let report = load(&data.path().join("results").join(&kept[0])).unwrap();
    assert_eq!(report.status, Status::Cancelled);
    assert!(!report.experiments.is_empty());
    assert!(text(&output.stdout).contains("DELETE, FULL"));
}

//! Whole runs on the real disk, small.

use std::{
    fs,
    time::{Duration, Instant},
};

use commitmark::{
    experiments::{AnyOutcome, contention::Sample},
    measure::{
        context::{Bench, CancelFlag},
        database::{JournalMode, Synchronous},
        scratch::Scratch,
    },
    plan::{Plan, Preset},
    report::{Status, history::History, load::load},
    session::{self, Event},
    stats,
};

use crate::helpers::{end_of, folder, names, request, run, small_plan};

fn inserts(
    experiments: &[AnyOutcome],
) -> &commitmark::measure::outcome::Outcome<commitmark::experiments::inserts::Sample> {
    experiments
        .iter()
        .find_map(|outcome| if let AnyOutcome::Inserts(outcome) = outcome { Some(outcome) } else { None })
        .unwrap()
}

#[test]
fn standard_is_the_published_work() {
    let plan = serde_json::to_value(Plan::new(Preset::Standard)).unwrap();
    let experiment = |id: &str| {
        let all = plan["experiments"].as_array().unwrap();
        all.iter().find(|experiment| experiment["id"] == id).unwrap().clone()
    };
    let inserts = experiment("inserts");
    assert_eq!((inserts["inserts"].as_u64(), inserts["rounds"].as_u64()), (Some(10_000), Some(5)));
    assert_eq!(inserts["cases"].as_array().unwrap().len(), 4);
    let contention = experiment("contention");
    assert_eq!((contention["milliseconds"].as_u64(), contention["rounds"].as_u64()), (Some(5_000), Some(5)));
    assert_eq!(contention["busy_timeouts_ms"], serde_json::json!([0, 5_000]));
    assert_eq!((contention["writers"].as_u64(), contention["readers"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn inserts_measure_four_settings_in_interleaved_rounds() {
    let folder = folder();
    let end = run(folder.path(), small_plan(&["inserts"]));
    assert_eq!(end.report.status, Status::Complete, "{:?}", end.error);
    let outcome = inserts(&end.report.experiments);
    let names: Vec<&str> = outcome.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["delete/full", "delete/normal", "wal/full", "wal/normal"]);
    for case in &outcome.cases {
        let rounds: Vec<u64> = case.samples.iter().map(|sample| sample.round).collect();
        assert_eq!(rounds, [1, 2]);
        assert!(case.samples.iter().all(|sample| sample.operations == 20 && sample.seconds > 0.0));
        assert!(case.samples.iter().all(|sample| sample.close_seconds.is_some()));
        assert!(case.samples.iter().all(|sample| sample.p50_us <= sample.p99_us && sample.p99_us <= sample.max_us));
    }
    // One variable at a time; the pair of equal durability needs DELETE/EXTRA, which is not measured here.
    let ratios: Vec<(&str, &str)> = outcome.ratios.iter().map(|ratio| (ratio.of.as_str(), ratio.to.as_str())).collect();
    let expected = [
        ("wal/full", "delete/full"),
        ("wal/normal", "delete/normal"),
        ("wal/normal", "wal/full"),
        ("delete/normal", "delete/full"),
        ("wal/normal", "delete/full"),
    ];
    assert_eq!(ratios, expected);
}

/// Syncs of 20 autocommit inserts on Linux, as counted with strace (docs/measuring.md).
#[cfg(target_os = "linux")]
#[test]
fn each_setting_syncs_as_often_as_sqlite_says() {
    let folder = folder();
    let end = run(folder.path(), small_plan(&["inserts"]));
    let outcome = inserts(&end.report.experiments);
    for (name, syncs) in [("delete/full", 80), ("delete/normal", 60), ("wal/full", 20), ("wal/normal", 0)] {
        assert!(outcome.case(name).unwrap().samples.iter().all(|sample| sample.syncs == syncs), "{name}");
    }
}

#[test]
fn settings_in_the_report_are_those_read_back() {
    let folder = folder();
    let end = run(folder.path(), small_plan(&["inserts"]));
    let settings = inserts(&end.report.experiments).case("wal/normal").unwrap().settings.clone().unwrap();
    assert_eq!(settings.journal_mode, JournalMode::Wal);
    assert_eq!(settings.synchronous, Synchronous::Normal);
    assert_eq!(settings.busy_timeout_ms, 0);
}

#[test]
fn delete_without_a_timeout_is_locked_and_wal_is_not() {
    let folder = folder();
    let mut plan = small_plan(&["contention"]);
    plan.set("milliseconds", 300);
    plan.set("rounds", 7);
    let end = run(folder.path(), plan);
    assert_eq!(end.report.status, Status::Complete, "{:?}", end.error);
    let AnyOutcome::Contention(outcome) = &end.report.experiments[0] else { panic!("contention was asked for") };
    let samples = |name: &str| &outcome.case(name).unwrap().samples;
    let busy = |name: &str, count: fn(&Sample) -> u64| -> Vec<f64> {
        samples(name).iter().map(|sample| count(sample) as f64).collect()
    };
    let both = |sample: &Sample| sample.write_busy + sample.read_busy;
    assert!(stats::median(&busy("delete/full/0", both)).unwrap() > 0.0);
    // The result is the median run, and it has none. A single run may have a few refused saves: a reader that
    // catches the log's index half-written holds the write lock while it looks again (walIndexReadHdr in wal.c).
    assert_eq!(stats::median(&busy("wal/full/0", both)), Some(0.0), "{:?}", samples("wal/full/0"));
    assert!(samples("wal/full/0").iter().all(|sample| sample.read_busy == 0));
    assert!(samples("wal/full/5000").iter().all(|sample| both(sample) == 0));
    for sample in samples("delete/full/0") {
        let counted: u64 = sample.busy_codes.values().sum();
        assert_eq!(counted, both(sample), "every refusal has its code");
        assert!(sample.busy_codes.keys().all(|code| code.starts_with("SQLITE_BUSY")));
    }
}

#[test]
fn quick_blocks_measure_the_same_settings() {
    let folder = folder();
    let mut plan = Plan::only(Preset::Quick, &["inserts"]).unwrap();
    for (name, value) in [("rounds", 2), ("most_rounds", 2), ("block_ms", 20)] {
        assert!(plan.set(name, value));
    }
    let end = run(folder.path(), plan);
    assert_eq!(end.report.status, Status::Complete, "{:?}", end.error);
    let outcome = inserts(&end.report.experiments);
    assert_eq!(outcome.cases.len(), 4);
    // The warm-up round is thrown away, and a block holds at least five commits.
    assert!(outcome.cases.iter().all(|case| case.samples.len() == 2));
    assert!(outcome.cases.iter().flat_map(|case| &case.samples).all(|sample| sample.operations >= 5));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_run_leaves_nothing_in_the_folder_and_keeps_its_result() {
    let (folder, history) = (folder(), folder());
    fs::write(folder.path().join("library.db"), "not ours").unwrap();
    let session = session::start(request(folder.path(), small_plan(&["inserts"]), Some(history.path())), || {});
    let end = end_of(&session);
    assert_eq!(names(folder.path()), ["library.db"]);
    assert_eq!(fs::read_to_string(folder.path().join("library.db")).unwrap(), "not ours");
    let kept = end.kept.unwrap().unwrap();
    assert_eq!(load(&kept).unwrap(), end.report);
    assert_eq!(History::in_folder(history.path()).list().unwrap().len(), 1);
}

#[test]
fn a_cancelled_run_stops_soon_leaves_nothing_and_keeps_what_was_measured() {
    let (folder, history) = (folder(), folder());
    let mut plan = small_plan(&["inserts"]);
    plan.set("rounds", 1_000);
    let session = session::start(request(folder.path(), plan, Some(history.path())), || {});
    let measured = loop {
        match session.events().recv_timeout(Duration::from_secs(60)).unwrap() {
            Event::Measured { outcome, .. } => break outcome,
            Event::Ended { end, .. } => panic!("ended early: {:?}", end.error),
            _ => continue,
        }
    };
    session.cancel();
    let end = end_of(&session);
    assert_eq!(end.report.status, Status::Cancelled);
    assert_eq!(end.error, None);
    assert!(names(folder.path()).is_empty());
    assert!(!measured.sections(&[]).is_empty());
    assert_eq!(load(&end.kept.unwrap().unwrap()).unwrap().status, Status::Cancelled);
}

#[test]
fn a_session_that_is_dropped_cleans_up() {
    let folder = folder();
    let session = session::start(request(folder.path(), Plan::new(Preset::Standard), None), || {});
    while !matches!(session.events().recv_timeout(Duration::from_secs(60)).unwrap(), Event::Started { .. }) {}
    drop(session);
    assert!(names(folder.path()).is_empty());
}

#[test]
fn the_bar_only_moves_forward_and_every_event_names_its_run() {
    let folder = folder();
    let session = session::start(request(folder.path(), small_plan(&["flush", "inserts"]), None), || {});
    let mut last = 0.0;
    loop {
        let event = session.events().recv_timeout(Duration::from_secs(120)).unwrap();
        assert_eq!(event.run(), session.run());
        match event {
            Event::Progressed { share, seconds_left, .. } => {
                assert!((last..=1.0).contains(&share), "{share} after {last}");
                assert!(seconds_left >= 0.0);
                last = share;
            }
            Event::Ended { .. } => break,
            _ => {}
        }
    }
    assert!(last > 0.5);
}

#[test]
fn a_folder_that_cannot_be_tested_is_one_sentence_and_nothing_is_kept() {
    let (place, history) = (folder(), folder());
    let file = place.path().join("photo.jpg");
    fs::write(&file, "").unwrap();
    for (chosen, words) in [(place.path().join("gone"), "no such folder"), (file, "a file, not a folder")] {
        let session = session::start(request(&chosen, small_plan(&["inserts"]), Some(history.path())), || {});
        let end = end_of(&session);
        let error = end.error.unwrap();
        assert!(error.contains(words) && error.ends_with(&chosen.display().to_string()), "{error}");
        assert_eq!(end.report.status, Status::Failed);
        assert!(end.kept.is_none() && names(history.path()).is_empty());
    }
}

#[test]
fn absurd_numbers_are_refused_before_anything_is_written() {
    let folder = folder();
    for (name, value) in
        [("inserts", 0), ("rounds", 0), ("inserts", u64::MAX), ("milliseconds", 0), ("busy_timeout_ms", u64::MAX)]
    {
        let mut plan = Plan::new(Preset::Standard);
        assert!(plan.set(name, value));
        let end = run(folder.path(), plan);
        assert!(end.error.unwrap().contains("outside"));
        assert!(names(folder.path()).is_empty());
    }
}

#[test]
fn the_sqlite_that_is_measured_has_no_wal_reset_bug() {
    // SQLite 3.7.0 to 3.51.2 could lose a WAL's reset (sqlite.org/releaselog/3_51_3.html).
    assert!(rusqlite::version_number() >= 3_051_003);
}

#[test]
fn a_plan_with_a_deadline_measures_whole_rounds_and_ends() {
    let folder = folder();
    let scratch = Scratch::create(folder.path(), 0, None).unwrap();
    let cancel = CancelFlag::default();
    let bench = Bench {
        scratch: &scratch,
        cancel: &cancel,
        on_progress: &|_| {},
        deadline: Some(Instant::now() + Duration::from_secs(2)),
        seed: 1,
    };
    let mut plan = small_plan(&["contention"]);
    plan.set("rounds", 1_000);
    let (outcome, result) = plan.experiments[0].run(&bench, &mut |_| {});
    result.unwrap();
    let AnyOutcome::Contention(outcome) = outcome else { panic!("contention was asked for") };
    let rounds: Vec<usize> = outcome.cases.iter().map(|case| case.samples.len()).collect();
    assert!(rounds[0] >= 1 && rounds[0] < 1_000);
    assert!(rounds.iter().all(|count| *count == rounds[0]), "{rounds:?}");
}

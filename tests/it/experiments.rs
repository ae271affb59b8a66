//! Each experiment run small on a real database. What is asserted are facts that SQLite documents, never
//! speeds.

use std::{
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use crate::helpers::folder;

use commitmark::{
    experiments::{
        Experiment, Parameters, backup, batching, checkpoint, contention, flush, inserts, locking,
        parameters::{DriveSpeed, Preset},
        read_only, readers, snapshot, sync_service, writers,
    },
    measure::{
        MeasureError,
        context::{Bench, CancelFlag, Context},
        database::{JournalMode, WAL_LIMIT_BYTES},
        outcome::{Outcome, Sample as _, Warning},
        scratch::Scratch,
    },
    plan::Plan,
    section::ChartKind,
};

/// Runs an experiment in a folder of its own; the samples must be possible and the sections whole.
fn run<E: Experiment>(experiment: &E) -> Outcome<E::Sample> {
    let (outcome, result) = run_until(experiment, &CancelFlag::default());
    result.unwrap();
    for case in &outcome.cases {
        assert_eq!(case.refused, None, "{}", case.name);
        assert!(!case.samples.is_empty(), "{} was not measured", case.name);
        case.samples.iter().for_each(|sample| sample.check().unwrap());
    }
    for section in experiment.sections(&outcome) {
        assert!(!section.verdict.is_empty() && !section.verdict.ends_with('.'), "{}", section.verdict);
        assert!(section.table.rows.iter().all(|row| row.len() == section.table.columns.len()), "{}", section.id);
        // Each row has its own bar, or the bars would stand beside the wrong words.
        if let Some(chart) = section.chart.filter(|chart| chart.kind != ChartKind::Curves) {
            assert_eq!(chart.series.len(), section.table.rows.len(), "{}", section.id);
        }
    }
    outcome
}

fn run_until<E: Experiment>(experiment: &E, cancel: &CancelFlag) -> (Outcome<E::Sample>, Result<(), MeasureError>) {
    let home = folder();
    let scratch = Scratch::create(home.path(), 0, None).unwrap();
    let bench = Bench { scratch: &scratch, cancel, on_progress: &|_| {}, deadline: None, seed: 1 };
    let mut on_change = |_: &Outcome<E::Sample>| {};
    let mut context = Context::new(&bench, Instant::now(), E::ratios, &mut on_change);
    let result = experiment.run(&mut context);
    let outcome = context.finish();
    scratch.remove().unwrap();
    (outcome, result)
}

/// How long an experiment takes to end after somebody pressed Stop, which happens after this long.
fn stops_after<E: Experiment + Send + 'static>(experiment: E, work_for: Duration) -> Duration {
    let cancel = CancelFlag::default();
    let flag = cancel.clone();
    let thread = thread::spawn(move || run_until(&experiment, &flag).1);
    thread::sleep(work_for);
    let stopped = Instant::now();
    cancel.raise();
    assert!(matches!(thread.join().unwrap(), Err(MeasureError::Cancelled)));
    stopped.elapsed()
}

/// A computer that stands still for a moment proves nothing; an experiment that never stops in time does.
fn stops_in_time<E: Experiment + Send + 'static>(what: &str, experiment: &E, work_for: Duration) {
    let mut times = Vec::new();
    for _ in 0..TRIES {
        let took = stops_after(experiment.clone(), work_for);
        if took < NOTICED_WITHIN {
            return;
        }
        times.push(took);
    }
    panic!("{what} takes too long to stop: {times:?}");
}

/// What is promised.
const NOTICED_WITHIN: Duration = Duration::from_secs(1);
/// On a busy computer the thread may be asleep when somebody presses Stop, so it may be tried again.
const TRIES: u32 = 3;

fn full<E: Experiment>() -> E {
    E::preset(Preset::Full).unwrap()
}

fn program() -> Option<PathBuf> {
    Some(env!("CARGO_BIN_EXE_commitmark").into())
}

fn locking() -> locking::Locking {
    locking::Locking { helper_program: program(), ..full() }
}

/// The sample of a situation.
fn met(outcome: &Outcome<locking::Sample>, name: &str) -> locking::Sample {
    outcome.case(name).unwrap().samples[0].clone()
}

#[test]
fn each_locking_situation_ends_as_sqlite_documents() {
    let outcome = run(&locking());
    let last = |name: &str| met(&outcome, name).last().unwrap().clone();
    for case in &outcome.cases {
        assert!(case.samples[0].two_processes);
        assert!(case.samples[0].as_documented, "{}: {:?}", case.name, case.samples);
    }
    // The tested timeout is 3 s and the holder lets go after 1 s.
    for name in ["write/timeout", "immediate/held", "read/exclusive"] {
        let step = last(name);
        assert_eq!(step.answer, "SQLITE_BUSY", "{name}");
        assert!((2.7..=3.3).contains(&step.wait_seconds), "{name}: {step:?}");
    }
    for name in ["write/released", "immediate/released", "read/exclusive-released"] {
        let step = last(name);
        assert_eq!(step.answer, "SQLITE_OK", "{name}");
        assert!(step.wait_seconds >= 0.95 && step.wait_seconds < 2.5, "{name}: {step:?}");
    }
    // At once though a timeout of 3 s is set.
    for (name, answer) in [
        ("write/no-timeout", "SQLITE_BUSY"),
        ("upgrade/held", "SQLITE_BUSY"),
        ("upgrade/both", "SQLITE_BUSY"),
        ("snapshot/deferred", "SQLITE_BUSY_SNAPSHOT"),
        ("snapshot/immediate", "SQLITE_OK"),
        ("read/wal", "SQLITE_OK"),
    ] {
        let step = last(name);
        assert_eq!(step.answer, answer, "{name}");
        assert!(step.wait_seconds < 1.0, "{name}: {step:?}");
    }
    // The read before the refused write succeeded; BEGIN IMMEDIATE is refused before any work is done.
    assert_eq!(met(&outcome, "upgrade/held").steps[1].answer, "SQLITE_OK");
    assert_eq!(last("immediate/held").step, "begin");
}

#[test]
fn without_a_second_process_a_second_connection_is_blocked_alike_and_the_result_says_so() {
    let experiment = locking::Locking {
        helper_program: Some("/nonexistent/commitmark".into()),
        busy_timeout_ms: 300,
        release_ms: 100,
        ..full()
    };
    let outcome = run(&experiment);
    assert!(outcome.cases.iter().all(|case| !case.samples[0].two_processes));
    assert_eq!(met(&outcome, "write/timeout").last().unwrap().answer, "SQLITE_BUSY");
    let work = experiment.sections(&outcome)[0].work.clone().unwrap();
    assert!(work.contains("one process"), "{work}");
}

#[test]
fn waiting_for_a_lock_ends_when_somebody_presses_stop() {
    let patient = locking::Locking { busy_timeout_ms: 60_000, release_ms: 50_000, ..locking() };
    stops_in_time("locking", &patient, Duration::from_millis(1_500));
}

/// Linux shows which processes are there.
#[cfg(target_os = "linux")]
#[test]
fn the_second_process_ends_when_the_first_is_killed() {
    let home = folder();
    let mut parent = std::process::Command::new(env!("CARGO_BIN_EXE_commitmark"))
        .args(["run", "--only", "locking", "--quiet", "--dir"])
        .arg(home.path())
        .env("XDG_DATA_HOME", home.path().join("data"))
        .spawn()
        .unwrap();
    // The session's thread starts the helper, so the list is looked up for every thread.
    let helper = |id: u32| {
        let threads = std::fs::read_dir(format!("/proc/{id}/task")).ok()?;
        threads.filter_map(Result::ok).find_map(|thread| {
            std::fs::read_to_string(thread.path().join("children")).ok()?.split_whitespace().next()?.parse::<u32>().ok()
        })
    };
    let began = Instant::now();
    let child = loop {
        if let Some(child) = helper(parent.id()) {
            break child;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "no second process was started");
        thread::sleep(Duration::from_millis(20));
    };
    parent.kill().unwrap();
    parent.wait().unwrap();
    let killed = Instant::now();
    let alive = || {
        let state = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        // A dead process that nobody has collected yet is a zombie.
        !state.is_empty() && !state.contains(") Z ")
    };
    while alive() {
        assert!(killed.elapsed() < Duration::from_secs(10), "the second process {child} goes on");
        thread::sleep(Duration::from_millis(20));
    }
}

fn checkpoints(outcome: &Outcome<checkpoint::Sample>, name: &str) -> checkpoint::Written {
    match &outcome.case(name).unwrap().samples[0] {
        checkpoint::Sample::Written(written) => written.clone(),
        checkpoint::Sample::Reopened(_) => panic!("{name} is no checkpoint"),
    }
}

#[test]
fn an_old_reader_holds_checkpoints_back_and_without_one_truncate_leaves_nothing() {
    let outcome = run(&checkpoint::Checkpoint { inserts: 300, busy_timeout_ms: 200, rounds: 1 });
    for mode in ["passive", "full", "restart", "truncate"] {
        let alone = checkpoints(&outcome, mode);
        // A frame is a page of 4 KiB with its header of 24 bytes, and each save is one frame at least.
        assert!(alone.wal_bytes_before >= 300 * (4096 + 24), "{alone:?}");
        assert_eq!(alone.busy, 0, "{alone:?}");
        if mode == "truncate" {
            // It answers with the state after the file was emptied.
            assert_eq!((alone.log_pages, alone.checkpointed_pages, alone.wal_bytes_after), (0, 0, 0));
        } else {
            assert!(alone.log_pages >= 300 && alone.checkpointed_pages == alone.log_pages, "{alone:?}");
            assert_eq!(alone.wal_bytes_after, alone.wal_bytes_before);
        }
        let held = checkpoints(&outcome, &format!("{mode}/old-reader"));
        assert!(held.checkpointed_pages < held.log_pages && held.wal_bytes_after > 0, "{held:?}");
        // PASSIVE never waits and never says busy; the others wait for the reader, then say so.
        assert_eq!(held.busy, i64::from(mode != "passive"), "{held:?}");
        if mode != "passive" {
            assert!(held.seconds >= 0.18, "{held:?}");
        }
    }
}

#[test]
fn a_database_remembers_its_journal_mode_and_not_its_synchronous() {
    let outcome = run(&checkpoint::Checkpoint { inserts: 2, busy_timeout_ms: 0, rounds: 1 });
    let checkpoint::Sample::Reopened(found) = &outcome.case("reopened").unwrap().samples[0] else {
        panic!("no reopened database")
    };
    // synchronous: 1 is NORMAL, and 2, FULL, is what SQLite starts with (sqlite.org/pragma.html).
    assert_eq!((found.journal_mode.as_str(), found.synchronous_set, found.synchronous), ("wal", 1, 2));
    assert!(found.wal_file_while_open && found.shm_file_while_open);
    assert_eq!((found.switched_to.as_str(), found.files_left), ("delete", false));
}

#[test]
fn a_checkpoint_that_waits_for_a_reader_ends_when_somebody_presses_stop() {
    let patient = checkpoint::Checkpoint { inserts: 10, busy_timeout_ms: 60_000, rounds: 50 };
    stops_in_time("checkpoint", &patient, Duration::from_millis(1_500));
}

#[test]
fn readers_that_never_pause_let_the_wal_grow_past_its_limit() {
    // Four readers that each count for a while overlap, so hardly a moment comes in which the WAL could begin
    // anew: the writer commits far more often than a count takes.
    let experiment = readers::Readers {
        inserts: 4_000,
        rows: 50_000,
        rounds: 1,
        journal_modes: vec![JournalMode::Wal],
        readers: vec![4],
        readers_at_full: 0,
        busy_timeout_ms: 5_000,
    };
    let outcome = run(&experiment);
    let sample = &outcome.case("wal/normal/4").unwrap().samples[0];
    assert!(sample.wal_peak_bytes > WAL_LIMIT_BYTES, "{sample:?}");
    // In WAL readers and the writer do not meet (sqlite.org/wal.html).
    assert_eq!((sample.writes, sample.write_busy, sample.read_busy), (4_000, 0, 0));
}

#[test]
fn all_saves_beside_readers_are_accounted_for_in_every_mode() {
    let outcome = run(&readers::Readers { inserts: 30, rows: 500, rounds: 1, ..full() });
    assert_eq!(outcome.cases.len(), 10);
    for case in &outcome.cases {
        let sample = &case.samples[0];
        assert_eq!(sample.writes + sample.write_busy, 30, "{}", case.name);
        assert_eq!(sample.wal_peak_bytes > 0, case.name.starts_with("wal"), "{}", case.name);
    }
}

#[test]
fn the_shares_of_all_writers_add_up_to_the_total() {
    let experiment = writers::Writers { most_writers: 4, milliseconds: 300, rounds: 1, busy_timeout_ms: 5_000 };
    let outcome = run(&experiment);
    for (case, writers) in outcome.cases.iter().zip([1, 1, 2, 2, 4, 4]) {
        let sample = &case.samples[0];
        assert_eq!(sample.commits_by_writer.len(), writers, "{}", case.name);
        assert_eq!(sample.commits_by_writer.iter().sum::<u64>(), sample.commits, "{}", case.name);
        assert!(sample.commits > 0, "{}", case.name);
    }
    let mut false_sum = outcome.cases[0].samples[0].clone();
    false_sum.commits += 1;
    assert!(false_sum.check().is_err());
}

#[test]
fn no_read_is_ever_torn_or_changes_within_a_transaction() {
    let outcome = run(&snapshot::Snapshot { milliseconds: 400, rounds: 1, busy_timeout_ms: 5_000 });
    assert_eq!(outcome.cases.len(), 4);
    for case in &outcome.cases {
        let sample = &case.samples[0];
        assert!(sample.reads > 0, "{}", case.name);
        assert_eq!((sample.torn_reads, sample.changed_reads), (0, 0), "{}", case.name);
        if case.name.starts_with("wal") {
            // In WAL a reader never meets a writer's lock (sqlite.org/wal.html).
            assert_eq!(sample.read_busy, 0, "{}: {sample:?}", case.name);
            // A reader that catches the WAL index half-written takes the write lock for a moment to read it again
            // (walIndexReadHdr in wal.c). A writer that waits never sees that; one that does not may, seldom.
            let patient = case.settings.as_ref().is_some_and(|settings| settings.busy_timeout_ms > 0);
            let seldom = if patient { 0 } else { sample.writes / 50 };
            assert!(sample.write_busy <= seldom, "{}: {sample:?}", case.name);
            assert!(sample.writes > 0);
        }
    }
}

#[test]
fn reading_alone_is_compared_in_pairs_of_rounds() {
    let outcome = run(&read_only::ReadOnly { rows: 2_000, milliseconds: 20, rounds: 6 });
    let ratio = outcome.ratio("wal/full", "delete/full").unwrap();
    assert_eq!(ratio.rounds, 6);
    assert!(ratio.low <= ratio.value && ratio.value <= ratio.high && ratio.value.is_finite(), "{ratio:?}");
}

#[test]
fn only_sqlites_own_backups_of_a_database_in_use_are_always_complete() {
    let outcome = run(&backup::Backup { rows: 2_000, rounds: 10, helper_program: program(), ..full() });
    for name in ["vacuum into", "online backup"] {
        let samples = &outcome.case(name).unwrap().samples;
        assert_eq!(samples.iter().filter(|sample| sample.passed()).count(), 10, "{name}: {samples:?}");
    }
    // What was committed since the last checkpoint is in the WAL and not in the .db file.
    let alone = &outcome.case("copy of .db").unwrap().samples;
    assert!(alone.iter().any(|sample| sample.missing_rows > 0), "{alone:?}");
}

#[test]
fn files_of_a_database_in_use_are_not_copied_without_a_second_process() {
    let nowhere = Some("/nonexistent/commitmark".into());
    let experiment = backup::Backup { rows: 100, rounds: 1, helper_program: nowhere, ..full() };
    let (outcome, result) = run_until(&experiment, &CancelFlag::default());
    result.unwrap();
    let refused = |name: &str| outcome.case(name).unwrap().refused.clone();
    assert!(refused("copy of .db").unwrap().contains("second process"));
    assert!(refused("copy of .db, -wal and -shm").is_some());
    assert_eq!(refused("vacuum into"), None);
}

#[test]
fn every_row_of_every_transaction_is_there_whatever_its_size() {
    let experiment = batching::Batching { rows_per_transaction: vec![1, 100, 60_000], milliseconds: 50, rounds: 1 };
    let outcome = run(&experiment);
    assert_eq!(outcome.cases.len(), 9);
    for case in &outcome.cases {
        let sample = &case.samples[0];
        assert!(sample.transactions >= 1, "{}", case.name);
        assert_eq!(sample.checkpoint_seconds.is_some(), case.name.starts_with("wal"), "{}", case.name);
    }
    // A transaction stays in the WAL as a whole: 60,000 rows of 100 bytes and more outgrow 1,000 pages of 4 KiB.
    let large = &outcome.case("wal/full/60000").unwrap().samples[0];
    assert!(large.wal_peak_bytes > 60_000 * 100, "{large:?}");
}

#[test]
fn a_sync_service_counts_every_upload_and_tells_its_arithmetic() {
    let mut experiment = sync_service::SyncService { clients: 4, milliseconds: 250, rounds: 1, ..full() };
    // The settings are read back, and every committed upload must be found in the cursors, or the run fails.
    let outcome = run(&experiment);
    assert_eq!(outcome.cases.len(), 6);
    for case in &outcome.cases {
        let sample = &case.samples[0];
        let kinds: Vec<&str> = sample.requests.keys().map(String::as_str).collect();
        let expected: &[&str] = match sample.workload {
            sync_service::Workload::Upload => &["upload"],
            sync_service::Workload::Download => &["download"],
            sync_service::Workload::Cross => &["download", "upload"],
        };
        assert_eq!(kinds, expected, "{}", case.name);
        for requests in sample.requests.values() {
            assert!(requests.p50_us <= requests.p95_us && requests.p95_us <= requests.p99_us);
            assert!(requests.p99_us <= requests.max_us, "{requests:?}");
        }
    }
    // The interval between updates is arithmetic alone: no new measurement is needed for another one.
    let devices = |experiment: &sync_service::SyncService| experiment.sections(&outcome)[0].figures[0].value.clone();
    let at_ten_minutes = devices(&experiment);
    assert!(experiment.set("minutes_between_updates", 60));
    assert_ne!(devices(&experiment), at_ten_minutes);
}

#[test]
fn only_the_full_preset_and_custom_have_the_longer_experiments() {
    let ids =
        ["batching", "readers", "writers", "sync_service", "locking", "snapshot", "checkpoint", "backup", "read_only"];
    for id in ids {
        for preset in [Preset::Quick, Preset::Standard] {
            assert_eq!(Parameters::preset(id, preset), None, "{id}");
        }
        let full = Parameters::preset(id, Preset::Full).unwrap();
        let cost = full.cost(&DriveSpeed { sync_seconds: 2e-3 });
        assert!(cost.seconds > 1.0 && cost.seconds < 3_600.0, "{id}: {cost:?}");
        assert!(cost.written_bytes > 0 && cost.peak_bytes > 0, "{id}: {cost:?}");
    }
    // What a small SSD's fast cache holds, on a drive whose kind is not known.
    let quick = Plan::new(Preset::Quick).cost(&DriveSpeed { sync_seconds: 2e-3 });
    assert!(quick.written_bytes > 500_000_000 && quick.written_bytes < 2_200_000_000, "{quick:?}");
    // What the terminal's options reach.
    for (id, names) in [
        ("readers", ["inserts", "rounds", "busy_timeout_ms"].as_slice()),
        ("writers", &["rounds", "seconds", "busy_timeout_ms"]),
        ("batching", &["rounds", "seconds"]),
        ("sync_service", &["rounds", "seconds", "busy_timeout_ms"]),
        ("locking", &["rounds", "busy_timeout_ms"]),
        ("snapshot", &["rounds", "seconds", "busy_timeout_ms"]),
        ("checkpoint", &["inserts", "rounds", "busy_timeout_ms"]),
        ("backup", &["rounds", "busy_timeout_ms"]),
        ("read_only", &["rounds", "seconds"]),
    ] {
        let mut parameters = Parameters::preset(id, Preset::Full).unwrap();
        assert!(names.iter().all(|name| parameters.set(name, 7)), "{id}");
        let back: Parameters = serde_json::from_str(&serde_json::to_string(&parameters).unwrap()).unwrap();
        assert_eq!(back, parameters, "{id}");
    }
}

#[test]
fn whatever_is_being_measured_ends_soon_after_somebody_presses_stop() {
    let began = Duration::from_millis(400);
    stops_in_time("flush", &full::<flush::Flush>(), began);
    stops_in_time("inserts", &full::<inserts::Inserts>(), began);
    stops_in_time("contention", &full::<contention::Contention>(), began);
    stops_in_time("readers", &full::<readers::Readers>(), began);
    stops_in_time("writers", &full::<writers::Writers>(), began);
    stops_in_time("snapshot", &full::<snapshot::Snapshot>(), began);
    stops_in_time("sync_service", &full::<sync_service::SyncService>(), began);
    stops_in_time("batching", &full::<batching::Batching>(), began);
    stops_in_time("read_only", &full::<read_only::ReadOnly>(), began);
    stops_in_time("backup", &backup::Backup { helper_program: program(), ..full() }, began);
}

#[test]
fn a_case_that_reads_back_wrong_is_void_for_good_and_told_first() {
    let real = run(&inserts::Inserts {
        protocol: inserts::Protocol::Runs { inserts: 5, rounds: 1 },
        ..inserts::Inserts::preset(Preset::Standard).unwrap()
    });
    let sample = real.case("wal/full").unwrap().samples[0].clone();
    let home = folder();
    let scratch = Scratch::create(home.path(), 0, None).unwrap();
    let cancel = CancelFlag::default();
    let bench = Bench { scratch: &scratch, cancel: &cancel, on_progress: &|_| {}, deadline: None, seed: 1 };
    let mut on_change = |_: &Outcome<inserts::Sample>| {};
    let mut context = Context::new(&bench, Instant::now(), inserts::Inserts::ratios, &mut on_change);
    for name in ["delete/full", "wal/full"] {
        context.begin_case(name, None);
        context.record(name, sample.clone());
    }
    assert!(context.outcome().ratio("wal/full", "delete/full").is_some());
    context.warn(Warning::new("other", "Something else."));
    context.void_case("wal/full", "4 rows instead of 5".to_owned());
    context.record("wal/full", sample);
    let outcome = context.finish();
    assert!(outcome.case("wal/full").unwrap().samples.is_empty() && outcome.ratios.is_empty());
    let codes: Vec<&str> = outcome.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["wrong_data", "other"]);
    assert!(outcome.warnings[0].message.contains("4 rows instead of 5"));
}

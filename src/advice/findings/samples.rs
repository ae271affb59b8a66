//! Reports for the tests of the rules: each builder makes one experiment's outcome from the few numbers that
//! a rule looks at.

use crate::{
    experiments::{
        AnyOutcome, Experiment, backup, batching, checkpoint, contention, inserts, locking, read_only, writers,
    },
    measure::{
        database::{JournalMode, Settings, Synchronous},
        outcome::{Case, Outcome, Ratio},
    },
    plan::{Plan, Preset},
    report::{Report, Status},
};

pub(crate) fn report(experiments: Vec<AnyOutcome>) -> Report {
    let mut report = Report::new(Plan::new(Preset::Quick), None, Default::default(), Default::default());
    report.status = Status::Complete;
    report.volume.network = Some(false);
    report.experiments = experiments;
    report
}

pub(crate) fn ratio(low: f64, high: f64, rounds: u64) -> Ratio {
    let (of, to) = ("wal/full".to_owned(), "delete/full".to_owned());
    Ratio { name: String::new(), of, to, value: (low * high).sqrt(), low, high, confidence: 0.95, rounds }
}

fn outcome<S>(cases: Vec<Case<S>>, ratios: Vec<Ratio>) -> Outcome<S> {
    Outcome { wall_seconds: 1.0, cases, ratios, warnings: Vec::new() }
}

fn settings(name: &str) -> Settings {
    let mut parts = name.split('/');
    let mode = match parts.next() {
        Some("wal") => JournalMode::Wal,
        _ => JournalMode::Delete,
    };
    let synchronous = match parts.next() {
        Some("off") => Synchronous::Off,
        Some("normal") => Synchronous::Normal,
        _ => Synchronous::Full,
    };
    Settings::new(mode, synchronous)
}

fn case<S>(name: &str, settings: Settings, samples: Vec<S>) -> Case<S> {
    Case { name: name.to_owned(), settings: Some(settings), refused: None, samples }
}

/// Saves a second of each case, the same in every round.
pub(crate) fn inserts_at(rates: &[(&str, f64)], rounds: u64) -> AnyOutcome {
    let sample = |rate: f64| {
        move |round| inserts::Sample { round, operations: 100, seconds: 100.0 / rate, ..inserts::Sample::default() }
    };
    let cases: Vec<_> = rates
        .iter()
        .map(|(name, rate)| case(name, settings(name), (1..=rounds).map(sample(*rate)).collect()))
        .collect();
    let ratios = inserts::Inserts::ratios(&cases);
    AnyOutcome::Inserts(outcome(cases, ratios))
}

/// Safe saves a second with the default and with WAL.
pub(crate) fn saves(default: f64, wal: f64) -> AnyOutcome {
    inserts_at(&[("delete/full", default), ("wal/full", wal)], 5)
}

pub(crate) fn with_refused_wal(answer: &str) -> AnyOutcome {
    let AnyOutcome::Inserts(mut outcome) = saves(100.0, 400.0) else { unreachable!("saves are inserts") };
    outcome.cases[1].samples.clear();
    outcome.cases[1].refused = Some(answer.to_owned());
    outcome.ratios.clear();
    AnyOutcome::Inserts(outcome)
}

/// Refused saves and reads of each round without a busy timeout.
pub(crate) fn contention(default: (u64, u64), wal: (u64, u64), rounds: u64) -> AnyOutcome {
    let sample = |(write_busy, read_busy)| {
        move |round| contention::Sample { round, seconds: 5.0, write_busy, read_busy, ..contention::Sample::default() }
    };
    let cases = [("delete/full", default), ("wal/full", wal)]
        .map(|(name, busy)| case(&format!("{name}/0"), settings(name), (1..=rounds).map(sample(busy)).collect()));
    AnyOutcome::Contention(outcome(cases.to_vec(), Vec::new()))
}

/// Errors left with a busy timeout in WAL, and the longest wait.
pub(crate) fn contention_waiting(timeout_ms: u32, errors: u64, longest_seconds: f64) -> AnyOutcome {
    let sample = contention::Sample {
        round: 1,
        seconds: 5.0,
        write_busy: errors,
        max_write_us: longest_seconds * 1e6,
        ..contention::Sample::default()
    };
    let with_timeout = settings("wal/full").with_busy_timeout(timeout_ms);
    AnyOutcome::Contention(outcome(vec![case("wal/full/patient", with_timeout, vec![sample])], Vec::new()))
}

/// Rows a second for each size of a transaction, in WAL with FULL.
pub(crate) fn batching(speeds: &[(u64, f64)]) -> AnyOutcome {
    let cases = speeds.iter().map(|(rows, speed)| {
        let sample = batching::Sample {
            round: 1,
            rows_per_transaction: *rows,
            transactions: 1,
            seconds: *rows as f64 / speed,
            ..batching::Sample::default()
        };
        case(&format!("wal/full/{rows}"), settings("wal/full"), vec![sample])
    });
    AnyOutcome::Batching(outcome(cases.collect(), Vec::new()))
}

/// Reads a second where nobody writes.
pub(crate) fn read_only(default: f64, wal: f64) -> AnyOutcome {
    let sample = |rate: f64| {
        move |round| read_only::Sample { round, seconds: 1.0, reads: rate as u64, ..read_only::Sample::default() }
    };
    let cases = [("delete/full", default), ("wal/full", wal)]
        .map(|(name, rate)| case(name, settings(name), (1..=7).map(sample(rate)).collect()));
    let ratios = read_only::ReadOnly::ratios(&cases);
    AnyOutcome::ReadOnly(outcome(cases.to_vec(), ratios))
}

/// What the last statement of a meeting got, and after how long.
pub(crate) fn locking(scenario: &str, answer: &str, wait_seconds: f64, timeout_ms: u32) -> AnyOutcome {
    let step = locking::Step { step: "write".to_owned(), answer: answer.to_owned(), wait_seconds };
    let sample = locking::Sample { round: 1, steps: vec![step], two_processes: true, as_documented: true };
    let settings = settings("wal/full").with_busy_timeout(timeout_ms);
    AnyOutcome::Locking(outcome(vec![case(scenario, settings, vec![sample])], Vec::new()))
}

/// What each of several writers committed in WAL.
pub(crate) fn writers(commits: &[u64]) -> AnyOutcome {
    let sample = writers::Sample {
        round: 1,
        seconds: 5.0,
        commits: commits.iter().sum(),
        commits_by_writer: commits.to_vec(),
        ..writers::Sample::default()
    };
    let name = format!("wal/full/{}", commits.len());
    AnyOutcome::Writers(outcome(vec![case(&name, settings("wal/full"), vec![sample])], Vec::new()))
}

/// One checkpoint beside an old reader.
pub(crate) fn checkpoint(log_pages: i64, checkpointed_pages: i64, wal_bytes: u64) -> AnyOutcome {
    let written = checkpoint::Written {
        round: 1,
        mode: checkpoint::Mode::Passive,
        old_reader: true,
        wal_bytes_before: wal_bytes,
        busy: 0,
        log_pages,
        checkpointed_pages,
        seconds: 0.1,
        wal_bytes_after: wal_bytes,
    };
    let sample = checkpoint::Sample::Written(written);
    AnyOutcome::Checkpoint(outcome(vec![case("passive/old-reader", settings("wal/normal"), vec![sample])], Vec::new()))
}

/// Rows missing in each copy of the files, and in each backup that SQLite made.
pub(crate) fn backup(copies: &[u64], own: &[u64]) -> AnyOutcome {
    let sample = |missing: &u64| backup::Sample {
        round: 1,
        integrity: "ok".to_owned(),
        committed_before: 100,
        missing_rows: *missing,
        ..backup::Sample::default()
    };
    let kinds = [(backup::Method::CopyDatabase, copies), (backup::Method::VacuumInto, own)];
    let cases = kinds
        .map(|(method, missing)| case(method.name(), settings("wal/normal"), missing.iter().map(sample).collect()));
    AnyOutcome::Backup(outcome(cases.to_vec(), Vec::new()))
}

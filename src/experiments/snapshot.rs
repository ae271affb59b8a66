//! Do readers see consistent data while someone writes? A writer counts up in two tables in one
//! transaction; a reader reads both in one transaction and must always find the same number in both, and the
//! same again when it looks twice.

use std::{borrow::Cow, cell::Cell as Count, collections::BTreeMap, time::Duration};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Experiment,
    drawing::{bars, measured, middle_cell, mode_name, most_cell, refused_row, table, total},
    parameters::{Cost, DriveSpeed, Knob, Preset},
    steps,
    telling::case_cell,
};
use crate::{
    measure::{
        MeasureError,
        context::{CancelFlag, Context},
        database::{Database, JournalMode, Settings, Synchronous},
        outcome::{self, Case, Outcome, Ratio, not_negative},
        rounds::shuffled,
        tally::Tally,
        together::{Job, Loop, repeat, together},
    },
    section::{Cell, Section, Table, Unit},
    units,
};

/// SQLite's busy handler first sleeps for one millisecond, so a read that met a lock takes at least that.
const WAITED: Duration = Duration::from_millis(1);

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Snapshot {
    /// The length of each run, in milliseconds.
    pub milliseconds: u64,
    /// Runs of each case.
    pub rounds: u64,
    /// The busy timeout that is compared with none, in milliseconds.
    pub busy_timeout_ms: u64,
}

/// One run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// How long writer and reader worked, in seconds.
    pub seconds: f64,
    /// Times that the writer counted up.
    pub writes: u64,
    /// Times that the writer was refused because the database was locked.
    pub write_busy: u64,
    /// Transactions in which the reader read both tables twice.
    pub reads: u64,
    /// Of those, how many found different numbers in the two tables. Must be 0.
    pub torn_reads: u64,
    /// Of those, how many found other numbers the second time. Must be 0.
    pub changed_reads: u64,
    /// Reads refused because the database was locked.
    pub read_busy: u64,
    /// Finished reads that took 1 ms or more, as one that has to wait for a lock does.
    pub slow_reads: u64,
    /// The time of those together, in seconds.
    pub slow_read_seconds: f64,
    /// 99 of 100 reads took at most this long, in microseconds.
    pub p99_read_us: f64,
    /// The longest read, in microseconds.
    pub max_read_us: f64,
    /// All refusals by SQLite's extended result code.
    pub busy_codes: BTreeMap<String, u64>,
}

impl Sample {
    /// Reads a second.
    pub fn reads_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.reads as f64 / self.seconds } else { 0.0 }
    }

    fn writes_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.writes as f64 / self.seconds } else { 0.0 }
    }
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        not_negative(&[
            ("seconds", self.seconds),
            ("slow_read_seconds", self.slow_read_seconds),
            ("p99_read_us", self.p99_read_us),
            ("max_read_us", self.max_read_us),
        ])
    }
}

impl Experiment for Snapshot {
    type Sample = Sample;

    fn question(&self) -> &'static str {
        "Do readers see consistent data while someone writes?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let full = Self { milliseconds: 5_000, rounds: 3, busy_timeout_ms: 5_000 };
        (preset == Preset::Full).then_some(full)
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        let knob = |name, label, least, most, value| Knob { name, label, least, most, value };
        vec![
            knob("milliseconds", "milliseconds in each run", 50, 3_600_000, &mut self.milliseconds),
            knob("rounds", "runs of each setting", 1, 1_000, &mut self.rounds),
            knob("busy_timeout_ms", "busy timeout in milliseconds", 0, 600_000, &mut self.busy_timeout_ms),
        ]
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let runs = self.rounds as f64 * self.cases().len() as f64;
        let seconds = self.milliseconds as f64 / 1e3;
        Cost {
            seconds: runs * (seconds + 30.0 * drive.sync_seconds + 0.05),
            // A count changes two pages.
            written_bytes: (runs * seconds / drive.commit_seconds(1.0) * 17_000.0) as u64,
            peak_bytes: 10_000_000,
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let mut random = context.random();
        let cases = self.cases();
        for settings in &cases {
            context.begin_case(&case_name(settings), settings.clone());
        }
        let total = (self.rounds * cases.len() as u64) as f64;
        let mut done = 0.0;
        for round in 1..=self.rounds {
            for settings in shuffled(&cases, &mut random) {
                context.check_cancelled()?;
                let mode = settings.journal_mode.to_string().to_uppercase();
                context.step(format!("Reading what changes, {mode}, round {round} of {}", self.rounds), done / total);
                self.run_once(&settings, round, context)?;
                done += 1.0;
            }
        }
        Ok(())
    }

    fn ratios(cases: &[Case<Sample>]) -> Vec<Ratio> {
        let pairs = cases.iter().filter_map(|wal| {
            let timeout = wal.name.strip_prefix("wal/full/")?;
            Some((wal, cases.iter().find(|case| case.name.strip_prefix("delete/full/") == Some(timeout))?, timeout))
        });
        pairs
            .filter_map(|(wal, default, timeout)| {
                Ratio::paired(&format!("reads at timeout {timeout} ms"), wal, default, Sample::reads_per_second)
            })
            .collect()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        vec![section(self, outcome)]
    }
}

/// `wal/full/5000`
fn case_name(settings: &Settings) -> String {
    format!("{}/{}", settings.name(), settings.busy_timeout_ms)
}

impl Snapshot {
    fn cases(&self) -> Vec<Settings> {
        let mut timeouts = vec![0, u32::try_from(self.busy_timeout_ms).unwrap_or(u32::MAX)];
        timeouts.dedup();
        let modes = |timeout| {
            [JournalMode::Delete, JournalMode::Wal]
                .map(|mode| Settings::new(mode, Synchronous::Full).with_busy_timeout(timeout))
        };
        timeouts.into_iter().flat_map(modes).collect()
    }

    fn run_once(&self, settings: &Settings, round: u64, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let name = case_name(settings);
        let Some(database) = steps::open_case(context, &name, settings)? else { return Ok(()) };
        let tables = "CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (0);
                      CREATE TABLE b (n INTEGER); INSERT INTO b VALUES (0)";
        database.connection().execute_batch(tables).map_err(database.error("while creating the two tables"))?;
        let length = Duration::from_millis(self.milliseconds);
        let cancel = context.cancel();
        let mut jobs: Vec<Job<'_, Worked>> = Vec::new();
        for (index, connection) in steps::open_more(database.path(), settings, 2)?.into_iter().enumerate() {
            let work = if index == 0 { write } else { read };
            jobs.push(Box::new(move || work(&connection, length, cancel)));
        }
        let mut done = together(jobs, |_| {})?.into_iter();
        context.check_cancelled()?;
        let (Some(writer), Some(reader)) = (done.next(), done.next()) else { return Ok(()) };
        let sample = sample(round, &writer, &reader);
        let sum = "SELECT (SELECT n FROM a) + (SELECT n FROM b)";
        let checked = database.verify_number(&name, "counts are there", sum, 2 * sample.writes);
        steps::conclude(context, &name, checked, sample)?;
        database.remove()
    }
}

/// What a thread did; the faults are the reader's.
struct Worked {
    done: Loop,
    torn: u64,
    changed: u64,
    slow: u64,
    slow_seconds: f64,
}

/// Runs a transaction; one that fails half-way is rolled back.
fn transaction<T>(
    connection: &Connection,
    begin: &str,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let run = |sql| connection.prepare_cached(sql)?.execute([]).map(|_| ());
    run(begin)?;
    let result = work(connection).and_then(|value| run("COMMIT").map(|()| value));
    if result.is_err() && !connection.is_autocommit() {
        run("ROLLBACK")?;
    }
    result
}

fn write(database: &Database, length: Duration, cancel: &CancelFlag) -> Result<Worked, MeasureError> {
    let count = |connection: &Connection| {
        connection.prepare_cached("UPDATE a SET n = n + 1")?.execute([])?;
        connection.prepare_cached("UPDATE b SET n = n + 1")?.execute([]).map(|_| ())
    };
    let operation = || transaction(database.connection(), "BEGIN IMMEDIATE", count);
    let done = repeat(|elapsed, _| elapsed < length && !cancel.is_raised(), operation)
        .map_err(database.error("while counting up"))?;
    Ok(Worked { done, torn: 0, changed: 0, slow: 0, slow_seconds: 0.0 })
}

/// The numbers in the two tables.
fn both(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let number = |sql| connection.prepare_cached(sql)?.query_row([], |row| row.get(0));
    Ok((number("SELECT n FROM a")?, number("SELECT n FROM b")?))
}

fn read(database: &Database, length: Duration, cancel: &CancelFlag) -> Result<Worked, MeasureError> {
    let (torn, changed, slow, slow_seconds) = (Count::new(0), Count::new(0), Count::new(0), Count::new(0.0));
    let operation = || {
        let started = std::time::Instant::now();
        let (first, second) =
            transaction(database.connection(), "BEGIN", |connection| Ok((both(connection)?, both(connection)?)))?;
        torn.set(torn.get() + u64::from(first.0 != first.1));
        changed.set(changed.get() + u64::from(first != second));
        let took = started.elapsed();
        if took >= WAITED {
            slow.set(slow.get() + 1);
            slow_seconds.set(slow_seconds.get() + took.as_secs_f64());
        }
        Ok(())
    };
    let done = repeat(|elapsed, _| elapsed < length && !cancel.is_raised(), operation)
        .map_err(database.error("while reading what changes"))?;
    Ok(Worked { done, torn: torn.get(), changed: changed.get(), slow: slow.get(), slow_seconds: slow_seconds.get() })
}

fn sample(round: u64, writer: &Worked, reader: &Worked) -> Sample {
    let mut both: Tally = writer.done.tally.clone();
    both.add(&reader.done.tally);
    let read = &reader.done.tally;
    Sample {
        round,
        seconds: writer.done.seconds.max(reader.done.seconds),
        writes: writer.done.tally.operations(),
        write_busy: writer.done.tally.busy(),
        reads: read.operations(),
        torn_reads: reader.torn,
        changed_reads: reader.changed,
        read_busy: read.busy(),
        slow_reads: reader.slow,
        slow_read_seconds: reader.slow_seconds,
        p99_read_us: read.quantile_us(0.99),
        max_read_us: read.max_us(),
        busy_codes: both.busy_codes().clone(),
    }
}

fn section(params: &Snapshot, outcome: &Outcome<Sample>) -> Section {
    Section {
        id: "snapshot".to_owned(),
        title: "Do readers see consistent data while someone writes?".to_owned(),
        verdict: verdict(outcome),
        detail: Some(
            "Whoever reads inside one transaction sees the state of one moment, whatever is saved meanwhile. With the default \
             the reader and the writer keep each other waiting for that, with WAL they do not."
                .to_owned(),
        ),
        work: Some(format!(
            "one writer, one reader, {} in each run",
            units::seconds(params.milliseconds as f64 / 1e3)
        )),
        figures: Vec::new(),
        table: rows(outcome),
        chart: bars(outcome, "reads a second", Unit::PerSecond, name, Sample::reads_per_second),
        dial: None,
    }
}

fn name(case: &Case<Sample>) -> String {
    format!("{}, {}", mode_name(case), patience(case))
}

fn patience(case: &Case<Sample>) -> String {
    match case.settings.as_ref().map_or(0, |settings| settings.busy_timeout_ms) {
        0 => "waiting for nothing".to_owned(),
        ms => format!("waiting up to {}", units::seconds(f64::from(ms) / 1e3)),
    }
}

fn verdict(outcome: &Outcome<Sample>) -> String {
    let sum = |count: fn(&Sample) -> u64| measured(outcome).iter().map(|case| total(case, count)).sum::<u64>();
    let (reads, wrong) = (sum(|sample| sample.reads), sum(|sample| sample.torn_reads + sample.changed_reads));
    match (reads, wrong) {
        (0, _) => "No read finished".to_owned(),
        (_, 0) => format!("Yes: each of {} reads saw the data of one moment", units::count(reads)),
        (_, wrong) => format!(
            "No: {} of {} reads saw data of different moments; do not trust this drive with data",
            units::count(wrong),
            units::count(reads)
        ),
    }
}

fn rows(outcome: &Outcome<Sample>) -> Table {
    let columns = [
        "Setting",
        "reads a second",
        "waits for a lock",
        "torn reads",
        "changed reads",
        "refused reads",
        "reads of 1 ms and more",
        "time of those",
        "longest read",
        "saves a second",
        "refused saves",
    ];
    let rows = outcome.cases.iter().map(|case| {
        refused_row(case, case_cell(case), columns.len()).unwrap_or_else(|| {
            vec![
                case_cell(case),
                middle_cell(case, Sample::reads_per_second, Cell::PerSecond),
                Cell::Text(patience(case)),
                Cell::Count(total(case, |sample| sample.torn_reads)),
                Cell::Count(total(case, |sample| sample.changed_reads)),
                middle_cell(case, |sample| sample.read_busy as f64, Cell::Number),
                middle_cell(case, |sample| sample.slow_reads as f64, Cell::Number),
                middle_cell(case, |sample| sample.slow_read_seconds, Cell::Seconds),
                most_cell(case, |sample| sample.max_read_us / 1e6, Cell::Seconds),
                middle_cell(case, Sample::writes_per_second, Cell::PerSecond),
                middle_cell(case, |sample| sample.write_busy as f64, Cell::Number),
            ]
        })
    });
    table(&columns, rows.collect())
}

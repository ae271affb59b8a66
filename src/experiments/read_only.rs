//! Does WAL cost anything when nobody writes? One reader alone reads ranges of rows from a database that
//! is wholly in memory by then, with DELETE and with WAL.

use std::{borrow::Cow, time::Duration};

use fastrand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Experiment,
    drawing::{bars, many, middle_cell, mode_name, refused_row, table},
    parameters::{Cost, DriveSpeed, Knob, Preset},
    steps,
    telling::{case_cell, interval_words},
};
use crate::{
    measure::{
        MeasureError,
        context::{CancelFlag, Context},
        database::{Database, JournalMode, Settings, Synchronous},
        outcome::{self, Case, Outcome, Ratio, not_negative},
        rounds::shuffled,
        together::{Loop, repeat},
    },
    section::{Cell, Section, Table, Unit},
    units,
};

/// Rows that one read returns besides its first.
const FURTHER_ROWS: u64 = 50;
const TEXT_BYTES: usize = 100;
/// The reader's places are random yet the same in every run.
const READER_SEED: u64 = 0x5EED;
/// SQLite's own expectation (<https://sqlite.org/wal.html>): "perhaps 1% or 2% slower".
const EXPECTED_LEAST: f64 = 0.98;

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct ReadOnly {
    /// Rows in the database.
    pub rows: u64,
    /// The length of each run, in milliseconds.
    pub milliseconds: u64,
    /// Runs of each case.
    pub rounds: u64,
}

/// One run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// How long the reader read, in seconds.
    pub seconds: f64,
    /// Reads finished.
    pub reads: u64,
    /// Half of the reads took at most this long, in microseconds.
    pub p50_us: f64,
    /// 99 of 100 reads took at most this long, in microseconds.
    pub p99_us: f64,
    /// The longest read, in microseconds.
    pub max_us: f64,
}

impl Sample {
    /// Reads a second.
    pub fn per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.reads as f64 / self.seconds } else { 0.0 }
    }
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        not_negative(&[
            ("seconds", self.seconds),
            ("p50_us", self.p50_us),
            ("p99_us", self.p99_us),
            ("max_us", self.max_us),
        ])
    }
}

impl Experiment for ReadOnly {
    type Sample = Sample;

    fn question(&self) -> &'static str {
        "Does WAL cost anything when nobody writes?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        // Many short runs: what is looked for is as small as one per cent.
        let full = Self { rows: 100_000, milliseconds: 500, rounds: 30 };
        (preset == Preset::Full).then_some(full)
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        let knob = |name, label, least, most, value| Knob { name, label, least, most, value };
        vec![
            knob("rows", "rows in the database", 100, 10_000_000, &mut self.rows),
            knob("milliseconds", "milliseconds in each run", 10, 3_600_000, &mut self.milliseconds),
            knob("rounds", "runs of each setting", 1, 10_000, &mut self.rounds),
        ]
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let file = self.rows.saturating_mul(115);
        Cost {
            seconds: self.rounds as f64 * 2.0 * self.milliseconds as f64 / 1e3
                + self.rows as f64 * 4e-6
                + 60.0 * drive.sync_seconds,
            written_bytes: file.saturating_mul(4),
            peak_bytes: file.saturating_mul(4).saturating_add(8_000_000),
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let mut random = context.random();
        let mut beds = Vec::new();
        for mode in [JournalMode::Delete, JournalMode::Wal] {
            context.check_cancelled()?;
            context.step("Filling a database to read", 0.0);
            beds.extend(self.prepare(mode, context)?);
        }
        for round in 1..=self.rounds {
            context.step(
                format!("Reading alone, round {round} of {}", self.rounds),
                (round - 1) as f64 / self.rounds as f64,
            );
            for index in shuffled(&(0..beds.len()).collect::<Vec<_>>(), &mut random) {
                context.check_cancelled()?;
                let Some(bed) = beds.get(index) else { continue };
                let done = self.read(&bed.database, READER_SEED + round, context.cancel())?;
                context.check_cancelled()?;
                context.record(&bed.name, sample(round, &done));
            }
        }
        for Bed { name, database } in beds {
            match database.verify(&name, self.rows) {
                Err(MeasureError::WrongData { found, .. }) => context.void_case(&name, found),
                checked => checked?,
            }
            database.remove()?;
        }
        Ok(())
    }

    fn ratios(cases: &[Case<Sample>]) -> Vec<Ratio> {
        let case = |name: &str| cases.iter().find(|case| case.name == name);
        let pair = case("wal/full").zip(case("delete/full"));
        pair.and_then(|(wal, default)| Ratio::paired("reads, nobody writes", wal, default, Sample::per_second))
            .into_iter()
            .collect()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        vec![section(self, outcome)]
    }
}

/// An open database of one case. It stays open and warm for all rounds.
struct Bed {
    name: String,
    database: Database,
}

impl ReadOnly {
    fn prepare(&self, mode: JournalMode, context: &mut Context<'_, Sample>) -> Result<Option<Bed>, MeasureError> {
        // The whole database fits into the cache of its connection, so nothing is read from the drive.
        let pages = i64::try_from(self.rows / 20 + 1_000).unwrap_or(i64::MAX);
        let settings = Settings { cache_size: Some(pages), ..Settings::new(mode, Synchronous::Full) };
        let name = settings.name();
        let Some(database) = steps::open_case(context, &name, &settings)? else { return Ok(None) };
        database.create_table()?;
        database.fill(self.rows, TEXT_BYTES)?;
        if mode == JournalMode::Wal {
            database.checkpoint("TRUNCATE")?;
        }
        // One whole pass warms the cache.
        database.verify(&name, self.rows)?;
        database
            .connection()
            .query_row("SELECT sum(length(v)) FROM t", [], |row| row.get::<_, Option<i64>>(0))
            .map_err(database.error("while warming the cache"))?;
        Ok(Some(Bed { name, database }))
    }

    fn read(&self, database: &Database, seed: u64, cancel: &CancelFlag) -> Result<Loop, MeasureError> {
        let failed = "while reading alone";
        let mut random = Rng::with_seed(seed);
        let length = Duration::from_millis(self.milliseconds);
        let mut statement = database
            .connection()
            .prepare("SELECT * FROM t WHERE id BETWEEN ?1 AND ?1 + ?2")
            .map_err(database.error(failed))?;
        let last = self.rows.saturating_sub(FURTHER_ROWS).max(1);
        let operation = || {
            let mut rows = statement.query([random.u64(1..=last), FURTHER_ROWS])?;
            while rows.next()?.is_some() {}
            Ok(())
        };
        repeat(|elapsed, _| elapsed < length && !cancel.is_raised(), operation).map_err(database.error(failed))
    }
}

fn sample(round: u64, done: &Loop) -> Sample {
    Sample {
        round,
        seconds: done.seconds,
        reads: done.tally.operations(),
        p50_us: done.tally.quantile_us(0.5),
        p99_us: done.tally.quantile_us(0.99),
        max_us: done.tally.max_us(),
    }
}

fn section(params: &ReadOnly, outcome: &Outcome<Sample>) -> Section {
    let ratio = outcome.ratio("wal/full", "delete/full");
    Section {
        id: "read-only".to_owned(),
        title: "Does WAL cost anything when nobody writes?".to_owned(),
        verdict: ratio.map_or_else(|| "There is nothing to compare".to_owned(), verdict),
        detail: ratio.map(|ratio| {
            let interval = units::sentence_case(&interval_words(ratio.low, ratio.high, ratio.confidence, ratio.rounds));
            format!("{interval}. SQLite's documentation expects one or two per cent less.")
        }),
        work: Some(format!(
            "one reader alone, {} rows in memory, {} of {} with each setting",
            units::count(params.rows),
            many(params.rounds, "run"),
            units::seconds(params.milliseconds as f64 / 1e3)
        )),
        figures: Vec::new(),
        table: rows(outcome),
        chart: bars(outcome, "reads a second", Unit::PerSecond, mode_name, Sample::per_second),
        dial: None,
    }
}

fn verdict(ratio: &Ratio) -> String {
    if ratio.low <= 1.0 && ratio.high >= 1.0 {
        return "No: reading with WAL is as fast as with the default, as far as can be told here".to_owned();
    }
    let change = units::percent((ratio.value - 1.0).abs());
    if ratio.value > 1.0 {
        format!("No: reading with WAL is {change} faster here")
    } else if ratio.value >= EXPECTED_LEAST {
        format!("Hardly: reading with WAL is {change} slower, which nobody notices")
    } else {
        format!("Yes: reading with WAL is {change} slower here, more than the 2 % that SQLite's authors expect")
    }
}

fn rows(outcome: &Outcome<Sample>) -> Table {
    let columns = ["Setting", "reads a second", "median read", "p99 read"];
    let rows = outcome.cases.iter().map(|case| {
        refused_row(case, case_cell(case), columns.len()).unwrap_or_else(|| {
            vec![
                case_cell(case),
                middle_cell(case, Sample::per_second, Cell::PerSecond),
                middle_cell(case, |sample| sample.p50_us / 1e6, Cell::Seconds),
                middle_cell(case, |sample| sample.p99_us / 1e6, Cell::Seconds),
            ]
        })
    });
    table(&columns, rows.collect())
}

//! What does grouping saves into one transaction buy? The same rows in transactions of 1 to 100,000 rows.
//! Each commit costs the drive the same, so few large ones are cheap, up to where a transaction outgrows
//! the WAL and the checkpoint that follows takes its time.

mod telling;

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use rusqlite::Statement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::telling::{Gain, gain};
use super::{
    Experiment,
    parameters::{Cost, DriveSpeed, Knob, Preset},
    steps,
    telling::plain_name,
};
use crate::{
    measure::{
        MeasureError,
        context::{CancelFlag, Context},
        database::{Database, JournalMode, Settings, Synchronous},
        outcome::{self, Case, Outcome, Ratio, not_negative},
        rounds::shuffled,
    },
    section::Section,
    units,
};

const TEXT_BYTES: usize = 100;
/// Rows between two looks at the cancel flag inside a transaction.
const LOOK_EVERY_ROWS: u64 = 1_000;
/// Inserting one row inside a transaction, in seconds; measured on computers of the last ten years.
const ROW_SECONDS: f64 = 2e-6;

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Batching {
    /// The sizes of transactions compared, in rows.
    pub rows_per_transaction: Vec<u64>,
    /// How long each run goes on at least, in milliseconds; the transaction that is open then is finished.
    pub milliseconds: u64,
    /// Runs of each case.
    pub rounds: u64,
}

/// One run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// Rows in each transaction.
    pub rows_per_transaction: u64,
    /// Transactions committed.
    pub transactions: u64,
    /// All of them together, in seconds.
    pub seconds: f64,
    /// The longest transaction, in seconds.
    pub longest_seconds: f64,
    /// The largest size of the WAL, in bytes; 0 without a WAL.
    pub wal_peak_bytes: u64,
    /// The checkpoint of everything that was left in the WAL, in seconds; absent without a WAL.
    pub checkpoint_seconds: Option<f64>,
}

impl Sample {
    /// Rows a second.
    pub fn rows_per_second(&self) -> f64 {
        let rows = self.transactions.saturating_mul(self.rows_per_transaction);
        if self.seconds > 0.0 { rows as f64 / self.seconds } else { 0.0 }
    }

    /// The mean time of a transaction, in seconds.
    pub fn transaction_seconds(&self) -> f64 {
        if self.transactions > 0 { self.seconds / self.transactions as f64 } else { 0.0 }
    }
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        not_negative(&[
            ("seconds", self.seconds),
            ("longest_seconds", self.longest_seconds),
            ("checkpoint_seconds", self.checkpoint_seconds.unwrap_or(0.0)),
        ])
    }
}

impl Experiment for Batching {
    type Sample = Sample;

    fn question(&self) -> &'static str {
        "What does grouping saves into one transaction buy?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let sizes = vec![1, 10, 100, 1_000, 10_000, 100_000];
        let full = Self { rows_per_transaction: sizes, milliseconds: 500, rounds: 5 };
        (preset == Preset::Full).then_some(full)
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        let knob = |name, label, least, most, value| Knob { name, label, least, most, value };
        let mut knobs = vec![
            knob("milliseconds", "milliseconds in each run", 1, 3_600_000, &mut self.milliseconds),
            knob("rounds", "runs of each setting", 1, 1_000, &mut self.rounds),
        ];
        if let Some(rows) = self.rows_per_transaction.last_mut() {
            knobs.push(knob("rows_per_transaction", "rows in the largest transaction", 1, 10_000_000, rows));
        }
        knobs
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let (mut seconds, mut written, mut peak) = (0.0, 0.0, 0.0_f64);
        for (settings, rows) in self.cases() {
            let syncs = match (settings.journal_mode, settings.synchronous) {
                (JournalMode::Wal, Synchronous::Normal) => 0.01,
                (JournalMode::Wal, _) => 1.0,
                _ => 4.0,
            };
            let transaction = drive.commit_seconds(syncs) + rows as f64 * ROW_SECONDS;
            let transactions = (self.milliseconds as f64 / 1e3 / transaction).max(1.0).ceil();
            // A row of 115 bytes is written twice; a commit of one row, a page or two, twice.
            let bytes = transactions * (rows as f64 * 230.0 + 17_000.0);
            seconds += transactions * transaction + 20.0 * drive.sync_seconds + bytes / 200e6;
            written += bytes;
            peak = peak.max(bytes);
        }
        let rounds = self.rounds as f64;
        Cost {
            seconds: seconds * rounds,
            written_bytes: (written * rounds) as u64,
            peak_bytes: peak as u64 + 8_000_000,
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let mut random = context.random();
        let cases = self.cases();
        for (settings, rows) in &cases {
            context.begin_case(&case_name(settings, *rows), settings.clone());
        }
        let total = (self.rounds * cases.len() as u64) as f64;
        let mut done = 0.0;
        for round in 1..=self.rounds {
            for (settings, rows) in shuffled(&cases, &mut random) {
                context.check_cancelled()?;
                let words = format!(
                    "Saving {} rows at a time: {}, round {round} of {}",
                    units::count(rows),
                    plain_name(&settings).to_lowercase(),
                    self.rounds
                );
                context.step(words, done / total);
                self.run_once(&settings, rows, round, context)?;
                done += 1.0;
            }
        }
        Ok(())
    }

    fn ratios(cases: &[Case<Sample>]) -> Vec<Ratio> {
        // What grouping buys with the same setting: each size to one row at a time.
        cases
            .iter()
            .filter_map(|case| {
                let (setting, rows) = case.name.rsplit_once('/')?;
                let single = cases.iter().find(|single| single.name == format!("{setting}/1"))?;
                if rows == "1" {
                    return None;
                }
                Ratio::paired(&format!("{rows} rows a transaction"), case, single, Sample::rows_per_second)
            })
            .collect()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        vec![telling::section(self, outcome)]
    }
}

/// `wal/full/1000`
fn case_name(settings: &Settings, rows: u64) -> String {
    format!("{}/{rows}", settings.name())
}

impl Batching {
    fn cases(&self) -> Vec<(Settings, u64)> {
        let mut sizes = self.rows_per_transaction.clone();
        sizes.sort_unstable();
        sizes.dedup();
        let settings = [
            Settings::new(JournalMode::Delete, Synchronous::Full),
            Settings::new(JournalMode::Wal, Synchronous::Full),
            Settings::new(JournalMode::Wal, Synchronous::Normal),
        ];
        settings
            .into_iter()
            .flat_map(|settings| sizes.clone().into_iter().map(move |rows| (settings.clone(), rows)))
            .collect()
    }

    fn run_once(
        &self,
        settings: &Settings,
        rows: u64,
        round: u64,
        context: &mut Context<'_, Sample>,
    ) -> Result<(), MeasureError> {
        let name = case_name(settings, rows);
        let Some(database) = steps::open_case(context, &name, settings)? else { return Ok(()) };
        database.create_table()?;
        let length = Duration::from_millis(self.milliseconds);
        let mut sample = save(&database, rows, length, context.cancel())?;
        context.check_cancelled()?;
        if settings.journal_mode == JournalMode::Wal {
            let started = Instant::now();
            database.checkpoint("TRUNCATE")?;
            sample.checkpoint_seconds = Some(started.elapsed().as_secs_f64());
        }
        sample.round = round;
        let checked = database.verify(&name, sample.transactions * rows);
        steps::conclude(context, &name, checked, sample)?;
        database.remove()
    }
}

/// Transactions of so many rows until the time is over; one at least.
fn save(database: &Database, rows: u64, length: Duration, cancel: &CancelFlag) -> Result<Sample, MeasureError> {
    let failed = "while saving many rows at once";
    let connection = database.connection();
    let prepare = |sql| connection.prepare(sql).map_err(database.error(failed));
    let mut begin = prepare("BEGIN IMMEDIATE")?;
    let mut commit = prepare("COMMIT")?;
    let mut insert = prepare("INSERT INTO t (v) VALUES (?1)")?;
    insert.raw_bind_parameter(1, "x".repeat(TEXT_BYTES)).map_err(database.error(failed))?;
    let mut sample = Sample { rows_per_transaction: rows, ..Sample::default() };
    let started = Instant::now();
    let mut before = started;
    while !cancel.is_raised() && (sample.transactions == 0 || before.duration_since(started) < length) {
        let complete =
            transaction(&mut begin, &mut insert, &mut commit, rows, cancel).map_err(database.error(failed))?;
        if !complete {
            break;
        }
        let now = Instant::now();
        sample.transactions += 1;
        sample.longest_seconds = sample.longest_seconds.max(now.duration_since(before).as_secs_f64());
        before = now;
    }
    sample.seconds = before.duration_since(started).as_secs_f64();
    // A WAL is not shortened while it is in use, so its size now is the largest it had.
    sample.wal_peak_bytes = database.wal_bytes();
    Ok(sample)
}

/// One transaction; `false` where somebody pressed Stop half-way.
fn transaction(
    begin: &mut Statement<'_>,
    insert: &mut Statement<'_>,
    commit: &mut Statement<'_>,
    rows: u64,
    cancel: &CancelFlag,
) -> rusqlite::Result<bool> {
    begin.execute([])?;
    for row in 0..rows {
        if row % LOOK_EVERY_ROWS == 0 && cancel.is_raised() {
            return Ok(false);
        }
        insert.raw_execute()?;
    }
    commit.execute([])?;
    Ok(true)
}

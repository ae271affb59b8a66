//! Do readers slow the writer, and how large does the WAL grow? One writer saves a fixed number of rows
//! while readers count a table again and again. Readers that never all pause keep the WAL from being
//! reused, so it grows past its limit.

mod telling;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Instant,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Experiment,
    parameters::{Cost, DriveSpeed, Knob, Preset},
    steps,
};
use crate::{
    measure::{
        MeasureError,
        context::{CancelFlag, Context},
        database::{Database, JournalMode, Settings, Synchronous},
        outcome::{self, Case, Measure, Outcome, Ratio, not_negative},
        rounds::shuffled,
        tally::Tally,
        together::{Job, RaiseAtEnd, repeat, together},
    },
    section::Section,
};

/// The length of the text that the writer saves, in bytes.
const TEXT_BYTES: usize = 100;

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Readers {
    /// Saves in each run, one transaction each.
    pub inserts: u64,
    /// Rows that the readers count.
    pub rows: u64,
    /// Runs of each case.
    pub rounds: u64,
    /// The journal modes compared.
    pub journal_modes: Vec<JournalMode>,
    /// How many readers at the same time are compared, with synchronous NORMAL.
    pub readers: Vec<u64>,
    /// The readers beside synchronous FULL; 0 leaves FULL out.
    pub readers_at_full: u64,
    /// The busy timeout of all connections, in milliseconds.
    pub busy_timeout_ms: u64,
}

/// One run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// Readers at the same time.
    pub readers: u64,
    /// Saves committed.
    pub writes: u64,
    /// The writer's loop, in seconds.
    pub write_seconds: f64,
    /// Saves refused because the database was locked.
    pub write_busy: u64,
    /// 99 of 100 saves took at most this long, in microseconds.
    pub p99_write_us: f64,
    /// The longest save, in microseconds.
    pub max_write_us: f64,
    /// Reads finished meanwhile, of all readers.
    pub reads: u64,
    /// Reads refused because the database was locked.
    pub read_busy: u64,
    /// The longest read, in microseconds.
    pub max_read_us: f64,
    /// The largest size of the WAL seen, in bytes; 0 without a WAL.
    pub wal_peak_bytes: u64,
    /// All refusals by SQLite's extended result code.
    pub busy_codes: BTreeMap<String, u64>,
}

impl Sample {
    /// Saves a second.
    pub fn writes_per_second(&self) -> f64 {
        if self.write_seconds > 0.0 { self.writes as f64 / self.write_seconds } else { 0.0 }
    }

    /// Reads a second.
    pub fn reads_per_second(&self) -> f64 {
        if self.write_seconds > 0.0 { self.reads as f64 / self.write_seconds } else { 0.0 }
    }
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        not_negative(&[
            ("write_seconds", self.write_seconds),
            ("p99_write_us", self.p99_write_us),
            ("max_write_us", self.max_write_us),
            ("max_read_us", self.max_read_us),
        ])
    }

    fn measure(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::SavesPerSecond => Some(self.writes_per_second()),
            Measure::ReadsPerSecond => Some(self.reads_per_second()),
            Measure::LargestWalBytes => Some(self.wal_peak_bytes as f64),
            _ => None,
        }
    }
}

impl Experiment for Readers {
    type Sample = Sample;

    fn question(&self) -> &'static str {
        "Do readers slow the writer, and how large does the WAL grow?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let full = Self {
            inserts: 2_000,
            rows: 5_000,
            rounds: 3,
            journal_modes: vec![JournalMode::Delete, JournalMode::Wal],
            readers: vec![1, 2, 4, 8],
            readers_at_full: 4,
            busy_timeout_ms: 5_000,
        };
        (preset == Preset::Full).then_some(full)
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        let knob = |name, label, least, most, value| Knob { name, label, least, most, value };
        let mut knobs = vec![
            knob("inserts", "saves in each run", 1, 10_000_000, &mut self.inserts),
            knob("rows", "rows that readers count", 1, 10_000_000, &mut self.rows),
            knob("rounds", "runs of each setting", 1, 1_000, &mut self.rounds),
            knob("readers_at_full", "readers beside FULL", 0, 64, &mut self.readers_at_full),
            knob("busy_timeout_ms", "busy timeout in milliseconds", 0, 600_000, &mut self.busy_timeout_ms),
        ];
        // The smaller numbers are there to compare with; the last is the one that a person asks about.
        if let Some(readers) = self.readers.last_mut() {
            knobs.push(knob("readers", "readers at the same time", 1, 64, readers));
        }
        knobs
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let each = |(settings, readers): &(Settings, u64)| {
            let syncs = match (settings.journal_mode, settings.synchronous) {
                (JournalMode::Wal, Synchronous::Normal) => 0.01,
                (JournalMode::Wal, _) => 1.0,
                (_, Synchronous::Normal) => 3.0,
                _ => 4.0,
            };
            // Readers take processor time from the writer, and under DELETE the writer waits for them.
            drive.commit_seconds(syncs) * self.inserts as f64 * (1.0 + 0.5 * *readers as f64) + 0.1
        };
        let cases = self.cases();
        let runs = self.rounds.saturating_mul(cases.len() as u64);
        let row_bytes = self.rows.saturating_mul(230);
        Cost {
            seconds: cases.iter().map(each).sum::<f64>() * self.rounds as f64,
            written_bytes: runs.saturating_mul(self.inserts.saturating_mul(16_000).saturating_add(row_bytes)),
            peak_bytes: self.inserts.saturating_mul(4_400).saturating_add(row_bytes).saturating_add(8_000_000),
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let mut random = context.random();
        let cases = self.cases();
        for (settings, readers) in &cases {
            context.begin_case(&case_name(settings, *readers), settings.clone());
        }
        let total = (self.rounds * cases.len() as u64) as f64;
        let mut done = 0.0;
        for round in 1..=self.rounds {
            for (settings, readers) in shuffled(&cases, &mut random) {
                context.check_cancelled()?;
                let mode = settings.name().to_uppercase().replace('/', ", ");
                let beside = super::drawing::many(readers, "reader");
                context.step(format!("Saving beside {beside}: {mode}, round {round} of {}", self.rounds), done / total);
                self.run_once(&settings, readers, round, context, (done / total, 1.0 / total))?;
                done += 1.0;
            }
        }
        Ok(())
    }

    fn ratios(cases: &[Case<Sample>]) -> Vec<Ratio> {
        let pairs = cases.iter().filter_map(|wal| {
            let other = wal.name.strip_prefix("wal/")?;
            Some((wal, cases.iter().find(|case| case.name.strip_prefix("delete/") == Some(other))?, other))
        });
        pairs
            .flat_map(|(wal, default, other)| {
                [
                    Ratio::paired(&format!("writes, {other} readers"), wal, default, Sample::writes_per_second),
                    Ratio::paired(&format!("reads, {other} readers"), wal, default, Sample::reads_per_second),
                ]
            })
            .flatten()
            .collect()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        vec![telling::section(self, outcome)]
    }
}

/// `wal/normal/4`
fn case_name(settings: &Settings, readers: u64) -> String {
    format!("{}/{readers}", settings.name())
}

impl Readers {
    /// Each number of readers with NORMAL, then the usual number with FULL.
    fn cases(&self) -> Vec<(Settings, u64)> {
        let timeout = u32::try_from(self.busy_timeout_ms).unwrap_or(u32::MAX);
        let mut counts: Vec<u64> = self.readers.clone();
        counts.sort_unstable();
        counts.dedup();
        let normal = counts.into_iter().map(|count| (Synchronous::Normal, count));
        let full = (self.readers_at_full > 0).then_some((Synchronous::Full, self.readers_at_full));
        let modes = |(synchronous, count)| {
            self.journal_modes
                .iter()
                .map(move |mode| (Settings::new(*mode, synchronous).with_busy_timeout(timeout), count))
        };
        normal.chain(full).flat_map(modes).collect()
    }

    /// One run. `(start, width)` is its part of the experiment's bar.
    fn run_once(
        &self,
        settings: &Settings,
        readers: u64,
        round: u64,
        context: &mut Context<'_, Sample>,
        (start, width): (f64, f64),
    ) -> Result<(), MeasureError> {
        let name = case_name(settings, readers);
        let Some(database) = steps::open_case(context, &name, settings)? else { return Ok(()) };
        database.create_table()?;
        seed(&database, self.rows)?;
        let expected = self.inserts.max(1) as f64;
        let tell = |written: u64| context.tell(Instant::now(), || start + width * written as f64 / expected);
        let sample = self.measure(&database, settings, readers, context.cancel(), tell)?;
        context.check_cancelled()?;
        let checked = database.verify(&name, sample.writes);
        steps::conclude(context, &name, checked, Sample { round, readers, ..sample })?;
        database.remove()
    }

    fn measure(
        &self,
        database: &Database,
        settings: &Settings,
        readers: u64,
        cancel: &CancelFlag,
        tell: impl Fn(u64),
    ) -> Result<Sample, MeasureError> {
        let path = database.path();
        let writer_done = &AtomicBool::new(false);
        let written = &AtomicU64::new(0);
        let mut jobs: Vec<Job<'_, (Tally, f64)>> = Vec::new();
        for connection in steps::open_more(path, settings, 1)? {
            jobs.push(Box::new(move || {
                let _end = RaiseAtEnd(writer_done);
                write(&connection, self.inserts, cancel, written)
            }));
        }
        for connection in steps::open_more(path, settings, readers)? {
            jobs.push(Box::new(move || {
                read(&connection, || !writer_done.load(Ordering::Relaxed) && !cancel.is_raised())
            }));
        }
        let mut wal_peak_bytes = 0;
        let mut results = together(jobs, |_| {
            wal_peak_bytes = database.wal_bytes().max(wal_peak_bytes);
            tell(written.load(Ordering::Relaxed));
        })?
        .into_iter();
        // A WAL is not shortened while the database is open, so the last look sees the peak.
        wal_peak_bytes = database.wal_bytes().max(wal_peak_bytes);
        let (writing, write_seconds) = results.next().unwrap_or_default();
        let mut reading = Tally::new();
        results.for_each(|(tally, _)| reading.add(&tally));
        Ok(Sample { wal_peak_bytes, ..sample(&writing, write_seconds, &reading) })
    }
}

fn sample(writing: &Tally, write_seconds: f64, reading: &Tally) -> Sample {
    let mut both = writing.clone();
    both.add(reading);
    Sample {
        writes: writing.operations(),
        write_seconds,
        write_busy: writing.busy(),
        p99_write_us: writing.quantile_us(0.99),
        max_write_us: writing.max_us(),
        reads: reading.operations(),
        read_busy: reading.busy(),
        max_read_us: reading.max_us(),
        busy_codes: both.busy_codes().clone(),
        ..Sample::default()
    }
}

/// The table that is counted, filled in one transaction and written back, so that the WAL begins empty.
fn seed(database: &Database, rows: u64) -> Result<(), MeasureError> {
    let failed = "while filling the table that is read";
    let connection = database.connection();
    connection
        .execute_batch("CREATE TABLE counted (id INTEGER PRIMARY KEY, v TEXT)")
        .map_err(database.error(failed))?;
    connection
        .execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
             INSERT INTO counted (v) SELECT hex(randomblob(50)) FROM n",
            [rows],
        )
        .map_err(database.error(failed))?;
    database.checkpoint("TRUNCATE").map(|_| ())
}

fn write(
    database: &Database,
    inserts: u64,
    cancel: &CancelFlag,
    written: &AtomicU64,
) -> Result<(Tally, f64), MeasureError> {
    let failed = "while saving beside readers";
    let text = "x".repeat(TEXT_BYTES);
    let mut statement =
        database.connection().prepare("INSERT INTO t (v) VALUES (?1)").map_err(database.error(failed))?;
    let goes_on = |_, attempts| {
        written.store(attempts, Ordering::Relaxed);
        attempts < inserts && !cancel.is_raised()
    };
    let done = repeat(goes_on, || statement.execute([&text]).map(|_| ())).map_err(database.error(failed))?;
    Ok((done.tally, done.seconds))
}

fn read(database: &Database, goes_on: impl Fn() -> bool) -> Result<(Tally, f64), MeasureError> {
    let failed = "while reading beside a writer";
    let mut statement =
        database.connection().prepare("SELECT count(*) FROM counted").map_err(database.error(failed))?;
    let count = || statement.query_row([], |row| row.get::<_, i64>(0)).map(|_| ());
    let done = repeat(|_, _| goes_on(), count).map_err(database.error(failed))?;
    Ok((done.tally, done.seconds))
}

//! Does "database is locked" happen here, and what does WAL change? Writers insert and readers read one
//! database at the same time, each on a thread and a connection of its own, as fast as they can. At a
//! busy timeout of 0 each refusal is counted at once and the loop goes on, as in the published work.

mod telling;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::Path,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Experiment,
    inserts::Setting,
    parameters::{Cost, DriveSpeed, Knob, Preset},
    steps::{conclude, open_case, open_more},
};
use crate::{
    measure::{
        MeasureError,
        context::{CancelFlag, Context},
        database::{Database, JournalMode, Settings, Synchronous},
        outcome::{self, Case, Measure, Outcome, Ratio, not_negative},
        rounds::shuffled,
        tally::Tally,
    },
    section::Section,
};

/// Rows in the table before anyone reads.
const SEED_ROWS: u64 = 1_000;
/// The readers' places are random yet the same in every run.
const READER_SEED: u64 = 0x5EED;
const TEXT_BYTES: usize = 100;

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Contention {
    /// Writers at the same time.
    pub writers: u64,
    /// Readers at the same time.
    pub readers: u64,
    /// The length of each run, in milliseconds.
    pub milliseconds: u64,
    /// Runs of each case.
    pub rounds: u64,
    /// The busy timeouts compared, in milliseconds.
    pub busy_timeouts_ms: Vec<u64>,
    /// In which order the runs of a round come.
    pub order: Order,
}

/// In which order the runs of a round come.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Shuffled afresh in each round.
    Random,
    /// Forwards and backwards in turn, so that a steady drift meets both modes alike.
    Abba,
}

/// One run of one case.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// How long writers and readers worked, in seconds.
    pub seconds: f64,
    /// Inserts committed, of all writers.
    pub writes: u64,
    /// Inserts refused because the database was locked.
    pub write_busy: u64,
    /// Reads finished, of all readers.
    pub reads: u64,
    /// Reads refused because the database was locked.
    pub read_busy: u64,
    /// Half of the inserts took at most this long, in microseconds.
    pub p50_write_us: f64,
    /// 99 of 100 inserts took at most this long, in microseconds.
    pub p99_write_us: f64,
    /// The longest insert, in microseconds.
    pub max_write_us: f64,
    /// Half of the reads took at most this long, in microseconds.
    pub p50_read_us: f64,
    /// 99 of 100 reads took at most this long, in microseconds.
    pub p99_read_us: f64,
    /// The longest read, in microseconds.
    pub max_read_us: f64,
    /// All refusals by SQLite's extended result code.
    pub busy_codes: BTreeMap<String, u64>,
}

impl Sample {
    /// Inserts a second.
    pub fn writes_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.writes as f64 / self.seconds } else { 0.0 }
    }

    /// Reads a second.
    pub fn reads_per_second(&self) -> f64 {
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
            ("p50_write_us", self.p50_write_us),
            ("p99_write_us", self.p99_write_us),
            ("max_write_us", self.max_write_us),
            ("p50_read_us", self.p50_read_us),
            ("p99_read_us", self.p99_read_us),
            ("max_read_us", self.max_read_us),
        ])
    }

    fn measure(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::SavesPerSecond => Some(self.writes_per_second()),
            Measure::ReadsPerSecond => Some(self.reads_per_second()),
            Measure::RefusedSavesPerSecond => Some(self.write_busy as f64 / self.seconds),
            Measure::RefusedReadsPerSecond => Some(self.read_busy as f64 / self.seconds),
            _ => None,
        }
    }
}

impl Experiment for Contention {
    type Sample = Sample;
    const LEADS: bool = true;

    fn question(&self) -> &'static str {
        "Does \"database is locked\" happen here, and what does WAL change?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let published = Self {
            writers: 1,
            readers: 1,
            milliseconds: 5_000,
            rounds: 5,
            busy_timeouts_ms: vec![0, 5_000],
            order: Order::Random,
        };
        Some(match preset {
            Preset::Quick => Self { milliseconds: 1_500, rounds: 3, order: Order::Abba, ..published },
            Preset::Standard | Preset::Full | Preset::Custom => published,
        })
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        let mut knobs = vec![
            Knob { name: "writers", label: "writers", least: 1, most: 64, value: &mut self.writers },
            Knob { name: "readers", label: "readers", least: 0, most: 64, value: &mut self.readers },
            Knob {
                name: "milliseconds",
                label: "milliseconds in each run",
                least: 50,
                most: 3_600_000,
                value: &mut self.milliseconds,
            },
            Knob { name: "rounds", label: "runs of each setting", least: 1, most: 1_000, value: &mut self.rounds },
        ];
        // The first stays as published; the last is the one that a person asks about.
        if let Some(timeout) = self.busy_timeouts_ms.last_mut() {
            knobs.push(Knob {
                name: "busy_timeout_ms",
                label: "busy timeout in milliseconds",
                least: 0,
                most: 600_000,
                value: timeout,
            });
        }
        knobs
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let runs = self.cases().len() as f64 * self.rounds as f64;
        let run_seconds = self.milliseconds as f64 / 1e3;
        // WAL waits for one sync a commit, DELETE for four.
        let [wal, delete] = [1.0, 4.0].map(|syncs| run_seconds / drive.commit_seconds(syncs));
        let bytes = |mode| Setting::new(mode, Synchronous::Full).bytes_in_commit() as f64;
        Cost {
            seconds: runs * (run_seconds + 0.05 + 25.0 * drive.sync_seconds),
            written_bytes: (runs / 2.0 * (wal * bytes(JournalMode::Wal) + delete * bytes(JournalMode::Delete))) as u64,
            peak_bytes: (wal * 115.0) as u64 + 8_000_000,
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let cases = self.cases();
        let mut random = context.random();
        for settings in &cases {
            context.begin_case(&case_name(settings), settings.clone());
        }
        let total = cases.len() as f64 * self.rounds as f64;
        let mut done = 0.0;
        let mut last_round = Duration::ZERO;
        for round in 1..=self.rounds {
            // Whole rounds alone can be compared.
            if !context.has_time_for(last_round) {
                break;
            }
            let started = Instant::now();
            for settings in self.round_order(&cases, round, &mut random) {
                context.check_cancelled()?;
                context.step(self.words(&settings, round), done / total);
                self.run_once(&settings, round, context, (done / total, 1.0 / total))?;
                done += 1.0;
            }
            last_round = started.elapsed();
        }
        Ok(())
    }

    fn ratios(cases: &[Case<Sample>]) -> Vec<Ratio> {
        let with = |mode: JournalMode| {
            cases.iter().filter_map(move |case| {
                let settings = case.settings.as_ref().filter(|settings| settings.journal_mode == mode)?;
                Some((case, settings.busy_timeout_ms))
            })
        };
        let pairs = with(JournalMode::Wal).filter_map(|(wal, timeout)| {
            with(JournalMode::Delete).find(|(_, other)| *other == timeout).map(|(default, _)| (wal, default, timeout))
        });
        pairs
            .flat_map(|(wal, default, timeout)| {
                [
                    Ratio::paired(&format!("writes at timeout {timeout} ms"), wal, default, Sample::writes_per_second),
                    Ratio::paired(&format!("reads at timeout {timeout} ms"), wal, default, Sample::reads_per_second),
                ]
            })
            .flatten()
            .collect()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        vec![telling::section(self, outcome)]
    }
}

fn case_name(settings: &Settings) -> String {
    format!("{}/{}", settings.name(), settings.busy_timeout_ms)
}

impl Contention {
    fn cases(&self) -> Vec<Settings> {
        let mut timeouts = self.busy_timeouts_ms.clone();
        timeouts.dedup();
        timeouts
            .into_iter()
            .flat_map(|timeout| {
                let timeout = u32::try_from(timeout).unwrap_or(u32::MAX);
                [JournalMode::Delete, JournalMode::Wal]
                    .map(|mode| Settings::new(mode, Synchronous::Full).with_busy_timeout(timeout))
            })
            .collect()
    }

    fn round_order(&self, cases: &[Settings], round: u64, random: &mut Rng) -> Vec<Settings> {
        match self.order {
            Order::Random => shuffled(cases, random),
            Order::Abba if round.is_multiple_of(2) => cases.iter().rev().cloned().collect(),
            Order::Abba => cases.to_vec(),
        }
    }

    fn words(&self, settings: &Settings, round: u64) -> String {
        let patience = match settings.busy_timeout_ms {
            0 => "without waiting for a lock".to_owned(),
            ms => format!("waiting up to {} for a lock", crate::units::seconds(f64::from(ms) / 1e3)),
        };
        let mode = settings.journal_mode.to_string().to_uppercase();
        format!("Reading and saving at once with {mode}, {patience}, round {round} of {}", self.rounds)
    }

    /// One run. `(start, width)` is its part of the experiment's bar.
    fn run_once(
        &self,
        settings: &Settings,
        round: u64,
        context: &mut Context<'_, Sample>,
        (start, width): (f64, f64),
    ) -> Result<(), MeasureError> {
        let name = case_name(settings);
        let Some(database) = open_case(context, &name, settings)? else { return Ok(()) };
        database.create_table()?;
        database.fill(SEED_ROWS, TEXT_BYTES)?;
        let length = Duration::from_millis(self.milliseconds);
        let tell = |elapsed: Duration| {
            context.tell(Instant::now(), || start + width * elapsed.as_secs_f64() / length.as_secs_f64());
        };
        let measured = self.measure(database.path(), settings, length, context.cancel(), tell)?;
        context.check_cancelled()?;
        let checked = database.verify(&name, SEED_ROWS + measured.writes);
        conclude(context, &name, checked, Sample { round, ..measured })?;
        database.remove()
    }

    fn measure(
        &self,
        path: &Path,
        settings: &Settings,
        length: Duration,
        cancel: &CancelFlag,
        tell: impl Fn(Duration),
    ) -> Result<Sample, MeasureError> {
        let writers = open_more(path, settings, self.writers)?;
        let readers = open_more(path, settings, self.readers)?;
        let barrier = Barrier::new(writers.len() + readers.len() + 1);
        let shared = Shared { barrier: &barrier, length, cancel };
        thread::scope(|scope| {
            let start = |work: fn(Database, u64, Shared<'_>) -> Result<Worked, MeasureError>,
                         databases: Vec<Database>| {
                let threads = databases.into_iter().enumerate();
                threads
                    .map(|(index, database)| scope.spawn(move || work(database, index as u64, shared)))
                    .collect::<Vec<_>>()
            };
            let writers = start(write, writers);
            let readers = start(read, readers);
            barrier.wait();
            let started = Instant::now();
            while started.elapsed() < length && !cancel.is_raised() {
                thread::sleep(Duration::from_millis(50).min(length));
                tell(started.elapsed().min(length));
            }
            let (written, read) = (gather(writers)?, gather(readers)?);
            // Closing the connections is not part of the work.
            let ended = written.1.max(read.1).unwrap_or_else(Instant::now);
            Ok(sample(&written.0, &read.0, ended.duration_since(started).as_secs_f64()))
        })
    }
}

/// What all threads of a run share.
#[derive(Clone, Copy)]
struct Shared<'a> {
    barrier: &'a Barrier,
    length: Duration,
    cancel: &'a CancelFlag,
}

/// What a thread did and when its loop ended.
type Worked = (Tally, Instant);

fn write(database: Database, _index: u64, shared: Shared<'_>) -> Result<Worked, MeasureError> {
    let failed = "while saving rows beside a reader";
    let text = "x".repeat(TEXT_BYTES);
    let prepared = database.connection().prepare("INSERT INTO t (v) VALUES (?1)");
    shared.barrier.wait();
    let mut statement = prepared.map_err(database.error(failed))?;
    let worked = repeat(shared, || statement.execute([&text]).map(|_| ())).map_err(database.error(failed));
    drop(statement);
    database.close()?;
    worked
}

fn read(database: Database, index: u64, shared: Shared<'_>) -> Result<Worked, MeasureError> {
    let failed = "while reading beside a writer";
    let mut random = Rng::with_seed(READER_SEED + index);
    let prepared = database.connection().prepare("SELECT * FROM t WHERE id BETWEEN ?1 AND ?1 + 50");
    shared.barrier.wait();
    let mut statement = prepared.map_err(database.error(failed))?;
    let read = || {
        let first = random.u64(1..=SEED_ROWS);
        let mut rows = statement.query([first])?;
        while rows.next()?.is_some() {}
        Ok(())
    };
    let worked = repeat(shared, read).map_err(database.error(failed));
    drop(statement);
    database.close()?;
    worked
}

/// Repeats an operation until the time is over, counting what succeeded and what was refused.
fn repeat(shared: Shared<'_>, mut operation: impl FnMut() -> rusqlite::Result<()>) -> rusqlite::Result<Worked> {
    let mut tally = Tally::new();
    let started = Instant::now();
    let mut before = started;
    while before.duration_since(started) < shared.length && !shared.cancel.is_raised() {
        let result = operation();
        let now = Instant::now();
        match result {
            Ok(()) => tally.succeeded(now.duration_since(before)),
            Err(error) => tally.refused(error)?,
        }
        before = now;
    }
    Ok((tally, before))
}

/// What all threads of a kind did, and when the last of them ended.
fn gather(
    threads: Vec<thread::ScopedJoinHandle<'_, Result<Worked, MeasureError>>>,
) -> Result<(Tally, Option<Instant>), MeasureError> {
    let mut all = (Tally::new(), None);
    // Every thread is waited for, also after an error of another one.
    let results: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
    for result in results {
        let (tally, ended) = result
            .map_err(|_| MeasureError::Panicked { reason: "a thread of the contention test panicked".to_owned() })??;
        all.0.add(&tally);
        all.1 = all.1.max(Some(ended));
    }
    Ok(all)
}

fn sample(written: &Tally, read: &Tally, seconds: f64) -> Sample {
    let mut both = written.clone();
    both.add(read);
    Sample {
        round: 0,
        seconds,
        writes: written.operations(),
        write_busy: written.busy(),
        reads: read.operations(),
        read_busy: read.busy(),
        p50_write_us: written.quantile_us(0.5),
        p99_write_us: written.quantile_us(0.99),
        max_write_us: written.max_us(),
        p50_read_us: read.quantile_us(0.5),
        p99_read_us: read.quantile_us(0.99),
        max_read_us: read.max_us(),
        busy_codes: both.busy_codes().clone(),
    }
}

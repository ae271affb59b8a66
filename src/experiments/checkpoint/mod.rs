//! What does a checkpoint cost, and what stops it? A WAL is filled without automatic checkpoints, then
//! written back in each of SQLite's modes, each on its own fresh copy of that state, alone and beside a reader
//! that still looks at an old state. Then what a database remembers when it is opened again.

mod telling;

use std::{
    borrow::Cow,
    path::Path,
    time::{Duration, Instant},
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
        database::{self, Database, JournalMode, Settings, Synchronous, beside},
        outcome::{self, Case, Measure, Outcome, Ratio, not_negative},
        rounds::shuffled,
        together::watched,
    },
    section::Section,
};

/// The length of the text in each row, in bytes.
const TEXT_BYTES: usize = 200;
/// A page and its header in the WAL, in bytes.
const FRAME_BYTES: u64 = 4096 + 24;

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Checkpoint {
    /// Saves that fill the WAL, one transaction each.
    pub inserts: u64,
    /// How long a checkpoint may wait for a reader, in milliseconds.
    pub busy_timeout_ms: u64,
    /// Checkpoints of each mode.
    pub rounds: u64,
}

/// SQLite's checkpoint modes (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// As much as is possible without waiting for anybody.
    Passive,
    /// Everything, waiting for writers and old readers.
    Full,
    /// The same, and the next writer begins the WAL anew.
    Restart,
    /// The same, and the WAL file is emptied.
    Truncate,
}

impl Mode {
    /// As SQLite spells it: `PASSIVE`.
    pub fn sql(self) -> &'static str {
        match self {
            Self::Passive => "PASSIVE",
            Self::Full => "FULL",
            Self::Restart => "RESTART",
            Self::Truncate => "TRUNCATE",
        }
    }
}

const MODES: [Mode; 4] = [Mode::Passive, Mode::Full, Mode::Restart, Mode::Truncate];
/// The case about what a database remembers.
const MEMORY: &str = "reopened";

/// What was found: one checkpoint, or what a database remembered.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Sample {
    /// One checkpoint.
    Written(Written),
    /// One database closed and opened again.
    Reopened(Reopened),
}

/// One checkpoint.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Written {
    /// The round, from 1.
    pub round: u64,
    /// The mode asked for.
    pub mode: Mode,
    /// Whether a reader looked at an old state meanwhile.
    pub old_reader: bool,
    /// The size of the WAL before, in bytes.
    pub wal_bytes_before: u64,
    /// The first column of the answer: 1 where somebody was in the way.
    pub busy: i64,
    /// The second column: pages in the WAL.
    pub log_pages: i64,
    /// The third column: how many of them are in the database now.
    pub checkpointed_pages: i64,
    /// How long the checkpoint took, in seconds.
    pub seconds: f64,
    /// The size of the WAL after, in bytes.
    pub wal_bytes_after: u64,
}

/// One database closed and opened again.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Reopened {
    /// The round, from 1.
    pub round: u64,
    /// `PRAGMA journal_mode` of the new connection, after WAL was set by the one before.
    pub journal_mode: String,
    /// `PRAGMA synchronous` as the connection before had set it.
    pub synchronous_set: i64,
    /// `PRAGMA synchronous` of the new connection.
    pub synchronous: i64,
    /// Whether the `-wal` file is there while the database is open.
    pub wal_file_while_open: bool,
    /// Whether the `-shm` file is there while the database is open.
    pub shm_file_while_open: bool,
    /// What SQLite answered when asked to go back to DELETE.
    pub switched_to: String,
    /// Whether a `-wal` or `-shm` file is left after that.
    pub files_left: bool,
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        match self {
            Self::Written(written) => written.round,
            Self::Reopened(reopened) => reopened.round,
        }
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        match self {
            Self::Written(written) => not_negative(&[("seconds", written.seconds)]),
            Self::Reopened(_) => Ok(()),
        }
    }

    fn measure(&self, measure: Measure) -> Option<f64> {
        let Self::Written(written) = self else { return None };
        match measure {
            Measure::WalBytesBefore => Some(written.wal_bytes_before as f64),
            Measure::WalBytesAfter => Some(written.wal_bytes_after as f64),
            _ => None,
        }
    }
}

impl Experiment for Checkpoint {
    type Sample = Sample;

    fn question(&self) -> &'static str {
        "What does a checkpoint cost, and what stops it?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let full = Self { inserts: 3_000, busy_timeout_ms: 1_000, rounds: 5 };
        (preset == Preset::Full).then_some(full)
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        vec![
            Knob {
                name: "inserts",
                label: "saves before each checkpoint",
                least: 2,
                most: 10_000_000,
                value: &mut self.inserts,
            },
            Knob {
                name: "busy_timeout_ms",
                label: "busy timeout in milliseconds",
                least: 0,
                most: 600_000,
                value: &mut self.busy_timeout_ms,
            },
            Knob { name: "rounds", label: "checkpoints of each kind", least: 1, most: 1_000, value: &mut self.rounds },
        ]
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        // Saves with NORMAL wait for nothing; a checkpoint writes 12 MB, taken as 100 MB/s, and syncs twice.
        let wal_bytes = self.wal_bytes();
        let fill = drive.commit_seconds(0.0) * self.inserts as f64 + 20.0 * drive.sync_seconds;
        let each = fill + wal_bytes as f64 / 100e6;
        // Three of the modes wait for the old reader.
        let waits = 3.0 * self.busy_timeout_ms as f64 / 1e3;
        let runs = self.rounds as f64 * 2.0 * MODES.len() as f64;
        Cost {
            seconds: runs * each + self.rounds as f64 * (waits + each),
            written_bytes: (runs as u64).saturating_mul(2 * wal_bytes),
            peak_bytes: 2 * wal_bytes,
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let mut random = context.random();
        let kinds: Vec<(Mode, bool)> = MODES.into_iter().flat_map(|mode| [(mode, false), (mode, true)]).collect();
        for (mode, old_reader) in &kinds {
            context.begin_case(&case_name(*mode, *old_reader), self.settings());
        }
        let total = (self.rounds * (kinds.len() as u64 + 1)) as f64;
        let mut done = 0.0;
        for round in 1..=self.rounds {
            for (mode, old_reader) in shuffled(&kinds, &mut random) {
                context.check_cancelled()?;
                let beside = if old_reader { " beside an old reader" } else { "" };
                let words = format!("Writing the WAL back, {}{beside}, round {round} of {}", mode.sql(), self.rounds);
                context.step(words, done / total);
                self.write_back(mode, old_reader, round, context)?;
                done += 1.0;
            }
            context.check_cancelled()?;
            context.step("Opening a database again", done / total);
            self.reopen(round, context)?;
            done += 1.0;
        }
        Ok(())
    }

    /// The modes do different things, so none is faster than another in any useful sense.
    fn ratios(_cases: &[Case<Sample>]) -> Vec<Ratio> {
        Vec::new()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        telling::sections(self, outcome)
    }
}

fn case_name(mode: Mode, old_reader: bool) -> String {
    let mode = mode.sql().to_lowercase();
    if old_reader { format!("{mode}/old-reader") } else { mode }
}

impl Checkpoint {
    fn settings(&self) -> Settings {
        Settings { wal_autocheckpoint: Some(0), ..Settings::new(JournalMode::Wal, Synchronous::Normal) }
            .with_busy_timeout(u32::try_from(self.busy_timeout_ms).unwrap_or(u32::MAX))
    }

    /// About one page for each save.
    fn wal_bytes(&self) -> u64 {
        self.inserts.saturating_mul(FRAME_BYTES).saturating_add(1_000_000)
    }

    /// Fills a WAL and writes it back in this mode.
    fn write_back(
        &self,
        mode: Mode,
        old_reader: bool,
        round: u64,
        context: &mut Context<'_, Sample>,
    ) -> Result<(), MeasureError> {
        let name = case_name(mode, old_reader);
        let settings = self.settings();
        let Some(database) = steps::open_case(context, &name, &settings)? else { return Ok(()) };
        database.create_table()?;
        let reader = if old_reader { Some(begin_to_read(database.path(), &settings)?) } else { None };
        insert(&database, self.inserts, context.cancel())?;
        context.check_cancelled()?;
        let wal_bytes_before = database.wal_bytes();
        let (answer, seconds, database) = checkpoint(database, mode, reader, context.cancel())?;
        context.check_cancelled()?;
        let written = Written {
            round,
            mode,
            old_reader,
            wal_bytes_before,
            busy: answer.busy,
            log_pages: answer.log,
            checkpointed_pages: answer.checkpointed,
            seconds,
            wal_bytes_after: database.wal_bytes(),
        };
        steps::conclude(context, &name, database.verify(&name, self.inserts), Sample::Written(written))?;
        database.remove()
    }

    /// Sets WAL and NORMAL, closes, opens again, and goes back to DELETE.
    fn reopen(&self, round: u64, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let settings = Settings::new(JournalMode::Wal, Synchronous::Normal);
        let Some(database) = steps::open_case(context, MEMORY, &settings)? else { return Ok(()) };
        database.create_table()?;
        let path = database.path().to_owned();
        let synchronous_set = number(&database, "synchronous")?;
        database.close()?;
        let database = Database::reopen(&path)?;
        insert(&database, 1, context.cancel())?;
        let there = |ending| beside(&path, ending).exists();
        let reopened = Reopened {
            round,
            journal_mode: text(&database, "PRAGMA journal_mode")?,
            synchronous_set,
            synchronous: number(&database, "synchronous")?,
            wal_file_while_open: there("-wal"),
            shm_file_while_open: there("-shm"),
            switched_to: text(&database, "PRAGMA journal_mode = DELETE")?,
            files_left: there("-wal") || there("-shm"),
        };
        context.check_cancelled()?;
        steps::conclude(context, MEMORY, database.verify(MEMORY, 1), Sample::Reopened(reopened))?;
        database.remove()
    }
}

/// A connection inside a transaction that has read, so that it sees the database as it is now.
fn begin_to_read(path: &Path, settings: &Settings) -> Result<Database, MeasureError> {
    let reader = Database::open(path, settings).map_err(database::OpenError::into_measure_error)?;
    reader
        .connection()
        .execute_batch("BEGIN; SELECT count(*) FROM t")
        .map_err(reader.error("while starting to read"))?;
    Ok(reader)
}

fn insert(database: &Database, inserts: u64, cancel: &CancelFlag) -> Result<(), MeasureError> {
    let failed = "while filling the WAL";
    let text = "x".repeat(TEXT_BYTES);
    let mut statement =
        database.connection().prepare("INSERT INTO t (v) VALUES (?1)").map_err(database.error(failed))?;
    for _ in 0..inserts {
        if cancel.is_raised() {
            break;
        }
        statement.execute([&text]).map_err(database.error(failed))?;
    }
    Ok(())
}

/// A checkpoint, timed. It may wait for the reader, who goes when somebody presses Stop.
fn checkpoint(
    database: Database,
    mode: Mode,
    mut reader: Option<Database>,
    cancel: &CancelFlag,
) -> Result<(database::Checkpoint, f64, Database), MeasureError> {
    let work = move || {
        let started = Instant::now();
        let answer = database.checkpoint(mode.sql())?;
        Ok((answer, started.elapsed().as_secs_f64(), database))
    };
    watched(work, |_: Duration| {
        if cancel.is_raised() {
            reader = None;
        }
    })
}

fn number(database: &Database, pragma: &str) -> Result<i64, MeasureError> {
    database
        .connection()
        .pragma_query_value(None, pragma, |row| row.get(0))
        .map_err(database.error("while reading a setting back"))
}

fn text(database: &Database, sql: &str) -> Result<String, MeasureError> {
    database.connection().query_row(sql, [], |row| row.get(0)).map_err(database.error("while reading a setting back"))
}

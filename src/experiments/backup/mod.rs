//! Which backup of a database in use can be trusted? A WAL database is backed up in four ways while a
//! writer saves without a pause; each backup is opened, checked, and searched for rows that were committed
//! before it began. Files are copied by the second process of this program, because closing a copied file
//! here would drop SQLite's locks.

mod telling;

use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{
    Connection,
    backup::{Backup as OnlineBackup, StepResult},
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
        database::{Database, JournalMode, OpenError, Settings, Synchronous, beside, remove_files},
        helper::{Answer, Helper, Request, lock_code},
        outcome::{self, Case, Outcome, Ratio, not_negative},
        rounds::shuffled,
        together::{Job, RaiseAtEnd, together},
    },
    section::Section,
};

const TEXT_BYTES: usize = 100;
/// Commits that must be in the WAL before a backup begins: a few, so that there is something to miss.
const COMMITS_BEFORE: u64 = 50;
/// The online backup copies everything in one step: between two steps the writer would commit, and each commit
/// starts the backup anew (<https://sqlite.org/backup.html>).
const ALL_PAGES: i32 = -1;
/// How often a busy backup asks again.
const AGAIN_AFTER: Duration = Duration::from_millis(10);

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Backup {
    /// Rows in the database before the writer begins.
    pub rows: u64,
    /// Backups with each method.
    pub rounds: u64,
    /// The busy timeout of all connections, in milliseconds.
    pub busy_timeout_ms: u64,
    /// The program to start as the second process, where it is not this one: for tests.
    #[serde(skip)]
    pub helper_program: Option<PathBuf>,
}

/// How the backup is made.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The `.db` file alone is copied.
    CopyDatabase,
    /// The `.db`, `-wal` and `-shm` files are copied one after another.
    CopyAll,
    /// `VACUUM INTO`.
    VacuumInto,
    /// SQLite's online backup.
    Online,
}

/// All of them, in the order told.
pub const METHODS: [Method; 4] = [Method::CopyDatabase, Method::CopyAll, Method::VacuumInto, Method::Online];

impl Method {
    /// The name of the case.
    pub fn name(self) -> &'static str {
        match self {
            Self::CopyDatabase => "copy of .db",
            Self::CopyAll => "copy of .db, -wal and -shm",
            Self::VacuumInto => "vacuum into",
            Self::Online => "online backup",
        }
    }

    /// Whether the method copies files without SQLite's knowledge.
    pub fn copies_files(self) -> bool {
        matches!(self, Self::CopyDatabase | Self::CopyAll)
    }
}

/// One backup.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// Making the backup, in seconds.
    pub seconds: f64,
    /// The size of all its files, in bytes.
    pub bytes: u64,
    /// `ok`, or what `integrity_check` or opening the backup answered.
    pub integrity: String,
    /// Rows that were committed before the backup began.
    pub committed_before: u64,
    /// Those of them that cannot be read from the backup; all of them where it is too damaged to be read.
    pub missing_rows: u64,
    /// What the writer committed while the backup was made.
    pub commits_meanwhile: u64,
}

impl Sample {
    /// Whether the backup is whole and has all that was committed before it began.
    pub fn passed(&self) -> bool {
        self.integrity == "ok" && self.missing_rows == 0
    }

    /// The writer's commits a second meanwhile.
    pub fn commits_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.commits_meanwhile as f64 / self.seconds } else { 0.0 }
    }
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        if self.missing_rows > self.committed_before {
            return Err("missing_rows is more than committed_before".into());
        }
        not_negative(&[("seconds", self.seconds)])
    }
}

impl Experiment for Backup {
    type Sample = Sample;

    fn question(&self) -> &'static str {
        "Which backup of a database in use can be trusted?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let full = Self { rows: 100_000, rounds: 10, busy_timeout_ms: 5_000, helper_program: None };
        (preset == Preset::Full).then_some(full)
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        let knob = |name, label, least, most, value| Knob { name, label, least, most, value };
        vec![
            knob("rows", "rows in the database", 1, 10_000_000, &mut self.rows),
            knob("rounds", "backups with each method", 1, 1_000, &mut self.rounds),
            knob("busy_timeout_ms", "busy timeout in milliseconds", 0, 600_000, &mut self.busy_timeout_ms),
        ]
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let file = self.rows.saturating_mul(115).saturating_add(5_000_000);
        let runs = self.rounds as f64 * METHODS.len() as f64;
        Cost {
            seconds: runs * (self.rows as f64 * 3e-6 + file as f64 * 3.0 / 200e6 + 0.1 + 60.0 * drive.sync_seconds),
            written_bytes: file.saturating_mul(3 * METHODS.len() as u64).saturating_mul(self.rounds),
            peak_bytes: file.saturating_mul(4),
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let mut helper = Helper::start(self.helper_program.as_deref(), &context.folder());
        let mut random = context.random();
        for method in METHODS {
            context.begin_case(method.name(), self.settings());
        }
        let total = (self.rounds * METHODS.len() as u64) as f64;
        let mut done = 0.0;
        for round in 1..=self.rounds {
            for method in shuffled(&METHODS, &mut random) {
                context.check_cancelled()?;
                context.step(format!("Backing up: {}, {round} of {}", method.name(), self.rounds), done / total);
                if method.copies_files() && !helper.is_process() {
                    let why = "not tested, since a second process could not be started to copy the files".to_owned();
                    context.refuse_case(method.name(), self.settings(), why);
                } else {
                    self.back_up(method, round, &mut helper, context)?;
                }
                done += 1.0;
            }
        }
        Ok(())
    }

    /// The methods do different things, so none is faster than another in any useful sense.
    fn ratios(_cases: &[Case<Sample>]) -> Vec<Ratio> {
        Vec::new()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        vec![telling::section(self, outcome)]
    }
}

impl Backup {
    fn settings(&self) -> Settings {
        Settings::new(JournalMode::Wal, Synchronous::Normal)
            .with_busy_timeout(u32::try_from(self.busy_timeout_ms).unwrap_or(u32::MAX))
    }

    /// One backup under a writer of its own.
    fn back_up(
        &self,
        method: Method,
        round: u64,
        helper: &mut Helper,
        context: &mut Context<'_, Sample>,
    ) -> Result<(), MeasureError> {
        let name = method.name();
        let Some(database) = steps::open_case(context, name, &self.settings())? else { return Ok(()) };
        database.create_table()?;
        database.fill(self.rows, TEXT_BYTES)?;
        // What every copy should have is in the database, and only what the writer adds is in the WAL.
        database.checkpoint("TRUNCATE")?;
        let target = context.new_file();
        let made = self.beside_a_writer(method, &database, &target, helper, context.cancel());
        context.check_cancelled()?;
        let (mut sample, committed) = made?;
        sample.round = round;
        examine(&target, &mut sample);
        steps::conclude(context, name, database.verify(name, committed), sample)?;
        remove_files(&target)?;
        database.remove()
    }

    /// Makes the backup while a writer saves; returns too how many rows are committed in the end.
    fn beside_a_writer(
        &self,
        method: Method,
        database: &Database,
        target: &Path,
        helper: &mut Helper,
        cancel: &CancelFlag,
    ) -> Result<(Sample, u64), MeasureError> {
        let open = || Database::open(database.path(), &self.settings()).map_err(OpenError::into_measure_error);
        let (writer, source) = (open()?, open()?);
        let interrupt = source.connection().get_interrupt_handle();
        let committed = &AtomicU64::new(self.rows);
        let backup_done = &AtomicBool::new(false);
        let goes_on = || !backup_done.load(Ordering::Relaxed) && !cancel.is_raised();
        let jobs: Vec<Job<'_, Option<Sample>>> = vec![
            Box::new(move || {
                // Also where the writer fails, so that the backup does not wait for its commits for ever.
                let _end = RaiseAtEnd(backup_done);
                write(&writer, committed, goes_on).map(|()| None)
            }),
            Box::new(move || {
                let _end = RaiseAtEnd(backup_done);
                let first = committed.load(Ordering::Acquire) + COMMITS_BEFORE;
                while committed.load(Ordering::Acquire) < first && goes_on() {
                    thread::sleep(Duration::from_millis(1));
                }
                let committed_before = committed.load(Ordering::Acquire);
                let started = Instant::now();
                make(method, &source, target, helper, cancel)?;
                let seconds = started.elapsed().as_secs_f64();
                let commits_meanwhile = committed.load(Ordering::Acquire) - committed_before;
                Ok(Some(Sample { seconds, committed_before, commits_meanwhile, ..Sample::default() }))
            }),
        ];
        let stop = |_| {
            if cancel.is_raised() {
                interrupt.interrupt();
            }
        };
        let sample = together(jobs, stop)?.into_iter().flatten().next().unwrap_or_default();
        Ok((sample, committed.load(Ordering::Acquire)))
    }
}

/// Saves one row after another and counts what is committed.
fn write(database: &Database, committed: &AtomicU64, goes_on: impl Fn() -> bool) -> Result<(), MeasureError> {
    let failed = "while saving during a backup";
    let text = "x".repeat(TEXT_BYTES);
    let mut statement =
        database.connection().prepare("INSERT INTO t (v) VALUES (?1)").map_err(database.error(failed))?;
    while goes_on() {
        match statement.execute([&text]) {
            Ok(_) => {
                committed.fetch_add(1, Ordering::Release);
            }
            // The backup may hold the writer up for longer than it waits; that is the backup's cost.
            Err(error) if lock_code(&error).is_some() => {}
            Err(error) => return Err(database.error(failed)(error)),
        }
    }
    Ok(())
}

/// Makes the backup.
fn make(
    method: Method,
    source: &Database,
    target: &Path,
    helper: &mut Helper,
    cancel: &CancelFlag,
) -> Result<(), MeasureError> {
    match method {
        Method::CopyDatabase => copy(&[""], source.path(), target, helper, cancel),
        Method::CopyAll => copy(&["", "-wal", "-shm"], source.path(), target, helper, cancel),
        Method::VacuumInto => {
            let target = target.to_string_lossy();
            let vacuum = source.connection().execute("VACUUM INTO ?1", [&target]);
            vacuum.map(|_| ()).map_err(source.error("while making a backup with VACUUM INTO"))
        }
        Method::Online => online(source, target, cancel),
    }
}

/// Has the second process copy files one after the other.
fn copy(
    endings: &[&str],
    source: &Path,
    target: &Path,
    helper: &mut Helper,
    cancel: &CancelFlag,
) -> Result<(), MeasureError> {
    let name =
        |path: &Path, ending: &str| format!("{}{ending}", path.file_name().unwrap_or_default().to_string_lossy());
    let files = endings.iter().map(|ending| (name(source, ending), name(target, ending))).collect();
    match helper.ask(&Request::Copy { files }, || cancel.is_raised())? {
        Answer::Done => Ok(()),
        Answer::Locked(answer) | Answer::Failed(answer) => Err(MeasureError::Panicked { reason: answer }),
    }
}

fn online(source: &Database, target: &Path, cancel: &CancelFlag) -> Result<(), MeasureError> {
    let failed = "while making an online backup";
    let mut copy = Connection::open(target).map_err(source.error(failed))?;
    let backup = OnlineBackup::new(source.connection(), &mut copy).map_err(source.error(failed))?;
    while !cancel.is_raised() {
        match backup.step(ALL_PAGES).map_err(source.error(failed))? {
            StepResult::Done => break,
            _ => thread::sleep(AGAIN_AFTER),
        }
    }
    Ok(())
}

/// What `integrity_check` says, and how many of the first rows are there.
fn look_into(target: &Path, first_rows: u64) -> rusqlite::Result<(String, u64)> {
    let copy = Connection::open(target)?;
    let integrity = copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    let there = copy.query_row("SELECT count(*) FROM t WHERE id <= ?1", [first_rows], |row| row.get(0))?;
    Ok((integrity, there))
}

/// Opens the backup as somebody would who needs it, and notes what is there.
fn examine(target: &Path, sample: &mut Sample) {
    sample.bytes = ["", "-wal"]
        .iter()
        .filter_map(|ending| fs::metadata(beside(target, ending)).ok())
        .map(|facts| facts.len())
        .sum();
    let found = look_into(target, sample.committed_before);
    let (integrity, there) = found.unwrap_or_else(|error| (error.to_string(), 0));
    sample.integrity = integrity;
    sample.missing_rows = sample.committed_before.saturating_sub(there);
}

//! How many small saves a second, per setting? Single-row inserts, one transaction each, for every
//! journal mode and synchronous level of the plan, the cases interleaved in rounds.
//!
//! Two protocols measure the same work. Runs: a fixed number of inserts into a fresh database each
//! time, as published. Blocks: short timed blocks on databases that stay open, many rounds, until the
//! interval of the main ratio is narrow; this is how Quick answers within a minute.

mod blocks;
mod runs;
mod telling;

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use cpu_time::ProcessTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Experiment,
    parameters::{Cost, DriveSpeed, Knob, Preset},
};
use crate::{
    measure::{
        MeasureError,
        context::{CancelFlag, Context},
        database::{Database, JournalMode, Settings, Synchronous},
        outcome::{self, Case, Measure, Outcome, Ratio, not_negative},
        tally::Tally,
        vfs,
    },
    section::Section,
};

/// The length of the text in each row, in bytes.
pub const TEXT_BYTES: usize = 100;
/// The published work: this many inserts in each run.
const PUBLISHED_INSERTS: u64 = 10_000;
/// The published number of runs of each case.
const PUBLISHED_ROUNDS: u64 = 5;

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Inserts {
    /// How the work is cut.
    #[serde(flatten)]
    pub protocol: Protocol,
    /// The settings compared.
    pub cases: Vec<Setting>,
}

/// How the work is cut.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "protocol", rename_all = "snake_case")]
pub enum Protocol {
    /// A fresh database and a fixed number of inserts for each run.
    Runs {
        /// Inserts in each run.
        inserts: u64,
        /// Runs of each case.
        rounds: u64,
    },
    /// Timed blocks on databases that stay open.
    Blocks {
        /// The least rounds.
        rounds: u64,
        /// The most rounds.
        most_rounds: u64,
        /// The least length of a block, in milliseconds.
        block_ms: u64,
        /// When to stop though the interval is still wide, in seconds.
        seconds: u64,
    },
}

/// One setting to compare.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Setting {
    /// SQLite's journal mode.
    pub journal_mode: JournalMode,
    /// SQLite's synchronous level.
    pub synchronous: Synchronous,
    /// Whether macOS is asked to flush the drive's own cache; left out elsewhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fullfsync: bool,
}

impl Setting {
    pub(super) const fn new(journal_mode: JournalMode, synchronous: Synchronous) -> Self {
        Self { journal_mode, synchronous, fullfsync: false }
    }

    /// The settings of the connection.
    pub fn settings(self) -> Settings {
        let fullfsync = if self.fullfsync {
            Some(1)
        } else if cfg!(target_os = "macos") {
            Some(0)
        } else {
            None
        };
        Settings { fullfsync, ..Settings::new(self.journal_mode, self.synchronous) }
    }

    /// The name of the case.
    pub fn name(self) -> String {
        let name = self.settings().name();
        if self.fullfsync { format!("{name}/fullfsync") } else { name }
    }

    /// How many syncs one commit waits for on Linux, checkpoints included (docs/measuring.md).
    fn syncs_in_commit(self) -> f64 {
        use JournalMode::{Delete, Persist, Truncate, Wal};
        use Synchronous::{Extra, Full, Normal, Off};
        /// Three syncs of a checkpoint come once in about 950 one-page commits.
        const CHECKPOINT: f64 = 3.0 / 950.0;
        match (self.journal_mode, self.synchronous) {
            (_, Off) => 0.0,
            (Wal, Full | Extra) => 1.0 + CHECKPOINT,
            (Wal, Normal) => CHECKPOINT,
            (Delete, Extra) | (Truncate | Persist, Full | Extra) => 5.0,
            (Delete, Full) | (Persist, Normal) => 4.0,
            (Delete | Truncate, Normal) => 3.0,
        }
    }

    /// What one commit makes the system write, in bytes, checkpoints included: Linux's own count of whole pages on ext4
    /// (`write_bytes` in /proc/self/io), for Python's sqlite3 doing the same. A frame of the WAL lies across two pages,
    /// and both are written again after each sync.
    pub(super) fn bytes_in_commit(self) -> u64 {
        use JournalMode::{Delete, Persist, Truncate, Wal};
        use Synchronous::{Extra, Full, Normal, Off};
        match (self.journal_mode, self.synchronous) {
            (Wal, Off | Normal) => 4_600,
            (Wal, Full | Extra) => 8_700,
            (Delete | Truncate | Persist, Off) => 12_400,
            (Delete | Truncate, Normal) => 20_600,
            (Delete | Truncate, Full | Extra) | (Persist, Normal) => 24_700,
            (Persist, Full | Extra) => 28_800,
        }
    }
}

/// The four settings that the published work compares.
const PUBLISHED: [Setting; 4] = [
    Setting::new(JournalMode::Delete, Synchronous::Full),
    Setting::new(JournalMode::Delete, Synchronous::Normal),
    Setting::new(JournalMode::Wal, Synchronous::Full),
    Setting::new(JournalMode::Wal, Synchronous::Normal),
];

/// What the whole matrix has beside them.
const FURTHER: [Setting; 6] = [
    Setting::new(JournalMode::Delete, Synchronous::Extra),
    Setting::new(JournalMode::Wal, Synchronous::Extra),
    Setting::new(JournalMode::Truncate, Synchronous::Full),
    Setting::new(JournalMode::Persist, Synchronous::Full),
    Setting::new(JournalMode::Delete, Synchronous::Off),
    Setting::new(JournalMode::Wal, Synchronous::Off),
];

fn matrix() -> Vec<Setting> {
    let mut cases: Vec<Setting> = PUBLISHED.into_iter().chain(FURTHER).collect();
    if cfg!(target_os = "macos") {
        let full: Vec<Setting> = cases.iter().copied().filter(|case| case.synchronous == Synchronous::Full).collect();
        cases.extend(full.into_iter().map(|case| Setting { fullfsync: true, ..case }));
    }
    cases
}

/// One run or block of one case.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// Inserts committed.
    pub operations: u64,
    /// The insert loop alone, in seconds.
    pub seconds: f64,
    /// Closing the database, which checkpoints, in seconds; unknown where it stayed open.
    pub close_seconds: Option<f64>,
    /// Processor time of the whole process during the loop, in seconds.
    pub cpu_seconds: f64,
    /// Syncs that SQLite asked for during the loop.
    pub syncs: u64,
    /// Waiting inside them, in seconds.
    pub sync_seconds: f64,
    /// Half of the inserts took at most this long, in microseconds.
    pub p50_us: f64,
    /// 99 of 100 inserts took at most this long, in microseconds.
    pub p99_us: f64,
    /// The longest insert, in microseconds.
    pub max_us: f64,
}

impl Sample {
    /// Inserts a second.
    pub fn per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.operations as f64 / self.seconds } else { 0.0 }
    }
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        not_negative(&[
            ("seconds", self.seconds),
            ("close_seconds", self.close_seconds.unwrap_or(0.0)),
            ("cpu_seconds", self.cpu_seconds),
            ("sync_seconds", self.sync_seconds),
            ("p50_us", self.p50_us),
            ("p99_us", self.p99_us),
            ("max_us", self.max_us),
        ])
    }

    fn measure(&self, measure: Measure) -> Option<f64> {
        (measure == Measure::SavesPerSecond).then(|| self.per_second())
    }
}

impl Experiment for Inserts {
    type Sample = Sample;
    const LEADS: bool = true;

    fn question(&self) -> &'static str {
        "How many small saves a second?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let runs = Protocol::Runs { inserts: PUBLISHED_INSERTS, rounds: PUBLISHED_ROUNDS };
        Some(match preset {
            Preset::Quick => Self {
                protocol: Protocol::Blocks { rounds: 12, most_rounds: 120, block_ms: 100, seconds: 30 },
                cases: PUBLISHED.to_vec(),
            },
            Preset::Standard | Preset::Custom => Self { protocol: runs, cases: PUBLISHED.to_vec() },
            Preset::Full => Self { protocol: runs, cases: matrix() },
        })
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        match &mut self.protocol {
            Protocol::Runs { inserts, rounds } => vec![
                Knob { name: "inserts", label: "saves in each run", least: 1, most: 10_000_000, value: inserts },
                Knob { name: "rounds", label: "runs of each setting", least: 1, most: 1_000, value: rounds },
            ],
            Protocol::Blocks { rounds, most_rounds, block_ms, seconds } => vec![
                Knob { name: "rounds", label: "rounds at least", least: 1, most: 1_000, value: rounds },
                Knob { name: "most_rounds", label: "rounds at most", least: 1, most: 10_000, value: most_rounds },
                Knob { name: "block_ms", label: "milliseconds in each block", least: 1, most: 60_000, value: block_ms },
                Knob { name: "seconds", label: "seconds at most", least: 1, most: 86_400, value: seconds },
            ],
        }
    }

    fn set(&mut self, name: &str, value: u64) -> bool {
        if let (Protocol::Blocks { rounds, .. }, "inserts") = (&self.protocol, name) {
            // Asking for a number of saves asks for runs of that many.
            self.protocol = Protocol::Runs { inserts: value, rounds: (*rounds).min(PUBLISHED_ROUNDS) };
            return true;
        }
        super::set_knob(self, name, value)
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        match self.protocol {
            Protocol::Runs { inserts, rounds } => runs::cost(&self.cases, inserts, rounds, drive),
            Protocol::Blocks { rounds, most_rounds, block_ms, seconds } => {
                let limits = blocks::Limits { rounds, most_rounds, block_ms, seconds };
                blocks::cost(&self.cases, &limits, drive)
            }
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        match self.protocol {
            Protocol::Runs { inserts, rounds } => runs::run(&self.cases, inserts, rounds, context),
            Protocol::Blocks { rounds, most_rounds, block_ms, seconds } => {
                blocks::run(&self.cases, &blocks::Limits { rounds, most_rounds, block_ms, seconds }, context)
            }
        }
    }

    fn ratios(cases: &[Case<Sample>]) -> Vec<Ratio> {
        const COMPARISONS: [(&str, &str, &str); 6] = [
            ("journal mode at full", "wal/full", "delete/full"),
            ("journal mode at normal", "wal/normal", "delete/normal"),
            ("synchronous in wal", "wal/normal", "wal/full"),
            ("synchronous in delete", "delete/normal", "delete/full"),
            ("both", "wal/normal", "delete/full"),
            ("equal durability", "wal/full", "delete/extra"),
        ];
        let case = |name: &str| cases.iter().find(|case| case.name == name);
        COMPARISONS
            .iter()
            .filter_map(|(name, of, to)| Ratio::paired(name, case(of)?, case(to)?, Sample::per_second))
            .collect()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        telling::sections(outcome)
    }
}

/// When an insert loop ends.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After this many inserts.
    Inserts(u64),
    /// After this long and at least so many inserts.
    Time {
        /// How long at least.
        at_least: Duration,
        /// How many at least.
        inserts: u64,
        /// When to end though there are fewer inserts.
        at_most: Duration,
        /// How many end it though the time is shorter.
        enough: u64,
    },
}

/// The measured loop: inserts one row after the other, each its own transaction, until the end or the
/// cancel flag. `on_insert` is called after each with the time and the number done.
///
/// # Errors
/// SQLite's.
pub fn insert_loop(
    database: &Database,
    until: Until,
    cancel: &CancelFlag,
    mut on_insert: impl FnMut(Instant, u64),
) -> Result<Sample, MeasureError> {
    let text = "x".repeat(TEXT_BYTES);
    let failed = "while saving rows";
    let mut statement =
        database.connection().prepare("INSERT INTO t (v) VALUES (?1)").map_err(database.error(failed))?;
    // Bound once; a binding stays until it is replaced.
    statement.raw_bind_parameter(1, &text).map_err(database.error(failed))?;
    let mut tally = Tally::new();
    let syncs_before = vfs::syncs();
    let cpu_before = ProcessTime::now();
    let started = Instant::now();
    let mut before = started;
    while !cancel.is_raised() && !until.reached(tally.operations(), before.duration_since(started)) {
        statement.raw_execute().map_err(database.error(failed))?;
        let now = Instant::now();
        tally.succeeded(now.duration_since(before));
        on_insert(now, tally.operations());
        before = now;
    }
    let seconds = before.duration_since(started).as_secs_f64();
    let syncs = vfs::syncs().since(&syncs_before);
    Ok(Sample {
        round: 0,
        operations: tally.operations(),
        seconds,
        close_seconds: None,
        cpu_seconds: cpu_before.elapsed().as_secs_f64(),
        syncs: syncs.count(),
        sync_seconds: syncs.seconds(),
        p50_us: tally.quantile_us(0.5),
        p99_us: tally.quantile_us(0.99),
        max_us: tally.max_us(),
    })
}

impl Until {
    fn reached(self, inserts: u64, took: Duration) -> bool {
        match self {
            Self::Inserts(wanted) => inserts >= wanted,
            Self::Time { at_least, inserts: wanted, at_most, enough } => {
                took >= at_most || inserts >= enough || (took >= at_least && inserts >= wanted)
            }
        }
    }
}

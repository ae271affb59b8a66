//! How many app users could this drive serve? A task app's sync server as its database sees it: clients
//! that upload a few tasks in one transaction, download what is new since their cursor, or do one after the
//! other as two devices of one person do. Each client is a thread with its own connection; all connections
//! have the same profile of settings.

mod telling;
mod workload;

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

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
        context::Context,
        database::{Database, JournalMode, Settings, Synchronous},
        outcome::{self, Case, Measure, Outcome, Ratio, not_negative},
        rounds::shuffled,
        tally::Tally,
        together::{Job, shared_seconds, together},
    },
    section::{Dial, Section},
};
pub use telling::capacity_words;
use workload::{Worked, prepare, work};

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct SyncService {
    /// Clients at the same time, each with its own connection.
    pub clients: u64,
    /// People whose tasks each client uploads and downloads.
    pub users_per_client: u64,
    /// The length of each run, in milliseconds.
    pub milliseconds: u64,
    /// Runs of each workload with each journal mode.
    pub rounds: u64,
    /// The busy timeout of all connections, in milliseconds.
    pub busy_timeout_ms: u64,
    /// Minutes between two updates of a device, for the capacity. It changes nothing that is measured.
    pub minutes_between_updates: u64,
}

/// What the clients do.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// One transaction that saves 1 to 10 tasks and moves the person's cursor on.
    Upload,
    /// Up to 100 tasks behind a cursor.
    Download,
    /// An upload, then the download of another device.
    Cross,
}

const WORKLOADS: [Workload; 3] = [Workload::Upload, Workload::Download, Workload::Cross];

impl Workload {
    /// As it stands in the names of cases.
    pub fn name(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Download => "download",
            Self::Cross => "cross",
        }
    }
}

/// One run of a workload.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// What the clients did.
    pub workload: Workload,
    /// How long the clients worked, in seconds, such that requests / seconds is the sum of each client's own rate.
    pub seconds: f64,
    /// The requests by their kind: uploads, downloads or both.
    pub requests: BTreeMap<String, Requests>,
    /// The largest size of the WAL, in bytes; 0 without a WAL.
    pub wal_peak_bytes: u64,
    /// All refusals by SQLite's extended result code.
    pub busy_codes: BTreeMap<String, u64>,
}

/// The requests of one kind.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Requests {
    /// Answered.
    pub done: u64,
    /// Refused because the database was locked.
    pub failed: u64,
    /// The mean time of an answer, in microseconds.
    pub mean_us: f64,
    /// Half of the answers took at most this long, in microseconds.
    pub p50_us: f64,
    /// 95 of 100 took at most this long, in microseconds.
    pub p95_us: f64,
    /// 99 of 100 took at most this long, in microseconds.
    pub p99_us: f64,
    /// The longest one, in microseconds.
    pub max_us: f64,
}

impl Requests {
    fn of(tally: &Tally) -> Self {
        Self {
            done: tally.operations(),
            failed: tally.busy(),
            mean_us: tally.mean_us(),
            p50_us: tally.quantile_us(0.5),
            p95_us: tally.quantile_us(0.95),
            p99_us: tally.quantile_us(0.99),
            max_us: tally.max_us(),
        }
    }
}

impl SyncService {
    /// The knob of the interval, since the capacity is arithmetic on what was measured.
    fn updates_dial(&self) -> Option<Dial> {
        let mut params = self.clone();
        let knob = params.knobs().into_iter().find(|knob| knob.name == "minutes_between_updates")?;
        Some(Dial {
            experiment: "sync_service".to_owned(),
            name: knob.name.to_owned(),
            label: knob.label.to_owned(),
            least: knob.least,
            most: knob.most,
            value: *knob.value,
        })
    }
}

impl Sample {
    /// Requests answered, of all kinds.
    pub fn done(&self) -> u64 {
        self.requests.values().map(|requests| requests.done).sum()
    }

    /// Requests that failed, of all kinds.
    pub fn failed(&self) -> u64 {
        self.requests.values().map(|requests| requests.failed).sum()
    }

    /// Requests a second, of all kinds.
    pub fn per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.done() as f64 / self.seconds } else { 0.0 }
    }
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        not_negative(&[("seconds", self.seconds)])?;
        self.requests.values().try_for_each(|requests| {
            not_negative(&[
                ("mean_us", requests.mean_us),
                ("p50_us", requests.p50_us),
                ("p95_us", requests.p95_us),
                ("p99_us", requests.p99_us),
                ("max_us", requests.max_us),
            ])
        })
    }

    fn measure(&self, measure: Measure) -> Option<f64> {
        (measure == Measure::RequestsPerSecond).then(|| self.per_second())
    }
}

impl Experiment for SyncService {
    type Sample = Sample;

    fn question(&self) -> &'static str {
        "How many app users could this drive serve?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let full = Self {
            clients: 8,
            users_per_client: 1,
            milliseconds: 10_000,
            rounds: 3,
            busy_timeout_ms: 5_000,
            minutes_between_updates: 10,
        };
        (preset == Preset::Full).then_some(full)
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        let knob = |name, label, least, most, value| Knob { name, label, least, most, value };
        let updates = &mut self.minutes_between_updates;
        vec![
            knob("clients", "clients at the same time", 1, 64, &mut self.clients),
            knob("users_per_client", "people for each client", 1, 64, &mut self.users_per_client),
            knob("milliseconds", "milliseconds in each run", 50, 3_600_000, &mut self.milliseconds),
            knob("rounds", "runs of each workload", 1, 1_000, &mut self.rounds),
            knob("busy_timeout_ms", "busy timeout in milliseconds", 0, 600_000, &mut self.busy_timeout_ms),
            knob("minutes_between_updates", "minutes between a device's updates", 1, 100_000, updates),
        ]
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let runs = self.rounds as f64 * 2.0 * WORKLOADS.len() as f64;
        let seconds = self.milliseconds as f64 / 1e3;
        // WAL/NORMAL hardly waits for the drive: up to 15,000 uploads a second, each with three pages or more. While
        // one writer checkpoints the others go on, so the WAL may hold nearly all of them: 1.6 GB was seen after 10 s.
        let uploads = seconds / drive.commit_seconds(0.01).max(66e-6);
        Cost {
            seconds: runs * (seconds + 0.3 + 40.0 * drive.sync_seconds),
            written_bytes: (runs * uploads * 12_000.0) as u64,
            peak_bytes: (uploads * 14_000.0) as u64 + 20_000_000,
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let mut random = context.random();
        let cases: Vec<(JournalMode, Workload)> =
            WORKLOADS.into_iter().flat_map(|workload| MODES.map(|mode| (mode, workload))).collect();
        for (mode, workload) in &cases {
            context.begin_case(&case_name(*mode, *workload), self.settings(*mode));
        }
        let total = (self.rounds * cases.len() as u64) as f64;
        let mut done = 0.0;
        for round in 1..=self.rounds {
            for (mode, workload) in shuffled(&cases, &mut random) {
                context.check_cancelled()?;
                let words = format!(
                    "Serving {} clients, {} with {}, round {round} of {}",
                    self.clients,
                    workload.name(),
                    mode.to_string().to_uppercase(),
                    self.rounds
                );
                context.step(words, done / total);
                self.run_once(mode, workload, round, context)?;
                done += 1.0;
            }
        }
        Ok(())
    }

    fn ratios(cases: &[Case<Sample>]) -> Vec<Ratio> {
        let case = |mode, workload| cases.iter().find(|case| case.name == case_name(mode, workload));
        WORKLOADS
            .into_iter()
            .filter_map(|workload| {
                let (wal, default) = (case(JournalMode::Wal, workload)?, case(JournalMode::Delete, workload)?);
                Ratio::paired(workload.name(), wal, default, Sample::per_second)
            })
            .collect()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        telling::sections(self, outcome)
    }
}

const MODES: [JournalMode; 2] = [JournalMode::Delete, JournalMode::Wal];

/// `cross/wal`
fn case_name(mode: JournalMode, workload: Workload) -> String {
    format!("{}/{mode}", workload.name())
}

impl SyncService {
    /// The profile of every connection.
    fn settings(&self, mode: JournalMode) -> Settings {
        Settings {
            cache_size: Some(2_000),
            mmap_size: Some(128 << 20),
            temp_store: Some(2),
            ..Settings::new(mode, Synchronous::Normal)
        }
        .with_busy_timeout(u32::try_from(self.busy_timeout_ms).unwrap_or(u32::MAX))
    }

    fn run_once(
        &self,
        mode: JournalMode,
        workload: Workload,
        round: u64,
        context: &mut Context<'_, Sample>,
    ) -> Result<(), MeasureError> {
        let name = case_name(mode, workload);
        let settings = self.settings(mode);
        let Some(database) = steps::open_case(context, &name, &settings)? else { return Ok(()) };
        let users = self.clients * self.users_per_client;
        let seeded = prepare(&database, users)?;
        let length = Duration::from_millis(self.milliseconds);
        let cancel = context.cancel();
        let connections = steps::open_more(database.path(), &settings, self.clients)?;
        let jobs = connections.into_iter().zip(0_u64..).map(|(connection, client)| -> Job<'_, Worked> {
            let users = client * self.users_per_client + 1..=(client + 1) * self.users_per_client;
            Box::new(move || work(&connection, workload, users, length, cancel))
        });
        let worked = together(jobs.collect(), |_| {})?;
        context.check_cancelled()?;
        let uploaded: u64 = worked.iter().map(|client| client.tasks_uploaded).sum();
        let sample = sample(round, workload, &worked, database.wal_bytes());
        let checked = verify(&database, &name, seeded + uploaded);
        steps::conclude(context, &name, checked, sample)?;
        database.remove()
    }
}

/// The cursors count every task ever uploaded, so their sum must be what was committed.
fn verify(database: &Database, case: &str, uploaded: u64) -> Result<(), MeasureError> {
    database.verify_number(case, "uploads are there", "SELECT sum(cursor) FROM users", uploaded)
}

fn sample(round: u64, workload: Workload, worked: &[Worked], wal_peak_bytes: u64) -> Sample {
    let mut by_kind: BTreeMap<&'static str, Tally> = BTreeMap::new();
    let mut all = Tally::new();
    for (kind, tally) in worked.iter().flat_map(|client| &client.tallies) {
        by_kind.entry(kind).or_default().add(tally);
        all.add(tally);
    }
    Sample {
        round,
        workload,
        seconds: shared_seconds(worked.iter().map(|client| (client.done(), client.seconds))),
        requests: by_kind.into_iter().map(|(kind, tally)| (kind.to_owned(), Requests::of(&tally))).collect(),
        wal_peak_bytes,
        busy_codes: all.busy_codes().clone(),
    }
}

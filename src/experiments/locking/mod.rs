//! What does a blocked program see, and for how long? Two programs meet at one database: the holder, a
//! second process of this program, takes a lock; the contender, this process, runs into it. Each situation is
//! judged against what SQLite documents.

mod scenarios;
mod telling;

use std::{
    borrow::Cow,
    path::PathBuf,
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
        database::{Database, Settings, Synchronous},
        helper::{Helper, Request, lock_code, run_to_the_end},
        outcome::{self, Case, Outcome, Ratio, not_negative},
        together::watched,
    },
    section::Section,
};
use scenarios::{Act, OK, SCENARIOS, Scenario, WRITE};

/// Rows in the table before the two meet.
const SEED_ROWS: u64 = 100;
const TEXT_BYTES: usize = 100;
/// Making a database, meeting and checking it, in syncs.
const SYNCS: f64 = 30.0;

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Locking {
    /// The contender's busy timeout, in milliseconds.
    pub busy_timeout_ms: u64,
    /// After how long the holder lets go, where it does, in milliseconds.
    pub release_ms: u64,
    /// How often each situation is brought about.
    pub rounds: u64,
    /// The program to start as the second process, where it is not this one: for tests.
    #[serde(skip)]
    pub helper_program: Option<PathBuf>,
}

/// One meeting.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// What the contender did, up to the first refusal.
    pub steps: Vec<Step>,
    /// Whether the holder was a process of its own, not only another connection.
    pub two_processes: bool,
    /// Whether answers and waits were those that SQLite documents.
    pub as_documented: bool,
}

/// One statement of the contender.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Step {
    /// `begin`, `read`, `write` or `commit`.
    pub step: String,
    /// SQLite's extended result code by its name; `SQLITE_OK` where it succeeded.
    pub answer: String,
    /// How long the statement took, in seconds.
    pub wait_seconds: f64,
}

impl Sample {
    /// What the contender's last statement got and how long that took.
    pub fn last(&self) -> Option<&Step> {
        self.steps.last()
    }
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        if self.steps.is_empty() {
            return Err("steps is empty".into());
        }
        self.steps.iter().try_for_each(|step| not_negative(&[("wait_seconds", step.wait_seconds)]))
    }
}

impl Experiment for Locking {
    type Sample = Sample;

    fn question(&self) -> &'static str {
        "What does a blocked program see, and for how long?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let full = Self { busy_timeout_ms: 3_000, release_ms: 1_000, rounds: 1, helper_program: None };
        (preset == Preset::Full).then_some(full)
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        vec![
            Knob {
                name: "busy_timeout_ms",
                label: "busy timeout in milliseconds",
                least: 0,
                most: 600_000,
                value: &mut self.busy_timeout_ms,
            },
            Knob {
                name: "release_ms",
                label: "milliseconds until the other program finishes",
                least: 1,
                most: 600_000,
                value: &mut self.release_ms,
            },
            Knob {
                name: "rounds",
                label: "meetings in each situation",
                least: 1,
                most: 1_000,
                value: &mut self.rounds,
            },
        ]
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let waits: f64 = SCENARIOS.iter().map(|scenario| self.expected_seconds(scenario)).sum();
        let runs = SCENARIOS.len() as f64;
        Cost {
            seconds: self.rounds as f64 * (waits + runs * (0.02 + SYNCS * drive.sync_seconds)),
            written_bytes: self.rounds.saturating_mul(SCENARIOS.len() as u64 * 150_000),
            peak_bytes: 300_000,
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let mut holder = Helper::start(self.helper_program.as_deref(), &context.folder());
        let total: f64 = SCENARIOS.iter().map(|scenario| 0.1 + self.expected_seconds(scenario)).sum();
        let mut done = 0.0;
        for round in 1..=self.rounds {
            for scenario in &SCENARIOS {
                context.check_cancelled()?;
                context.step(scenario.words, done / (total * self.rounds as f64));
                self.meet(scenario, round, &mut holder, context)?;
                done += 0.1 + self.expected_seconds(scenario);
            }
        }
        Ok(())
    }

    /// Nothing here is faster or slower than something else.
    fn ratios(_cases: &[Case<Sample>]) -> Vec<Ratio> {
        Vec::new()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        vec![telling::section(self, outcome)]
    }
}

impl Locking {
    fn timeout(&self, scenario: &Scenario) -> Duration {
        Duration::from_millis(if scenario.patient { self.busy_timeout_ms } else { 0 })
    }

    fn expected_seconds(&self, scenario: &Scenario) -> f64 {
        scenario.expected_seconds(self.timeout(scenario), Duration::from_millis(self.release_ms))
    }

    /// Brings one situation about.
    fn meet(
        &self,
        scenario: &Scenario,
        round: u64,
        holder: &mut Helper,
        context: &mut Context<'_, Sample>,
    ) -> Result<(), MeasureError> {
        let timeout = self.timeout(scenario);
        let settings = Settings::new(scenario.journal_mode, Synchronous::Full)
            .with_busy_timeout(u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX));
        let Some(database) = steps::open_case(context, scenario.name, &settings)? else { return Ok(()) };
        database.create_table()?;
        database.fill(SEED_ROWS, TEXT_BYTES)?;
        let name = database.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        holder.must(&Request::Open { name, settings: settings.with_busy_timeout(0) })?;
        let release = scenario.released.then(|| Duration::from_millis(self.release_ms));
        let mut meeting = Meeting { holder, holding: false, release, steps: Vec::new(), rows: SEED_ROWS, pending: 0 };
        let contender = meeting.play(scenario.script, database, context.cancel());
        let database = meeting.part(contender?)?;
        let (steps, rows) = (meeting.steps, meeting.rows);
        context.check_cancelled()?;
        let sample = Sample {
            round,
            as_documented: scenario.is_as_documented(&steps, timeout, Duration::from_millis(self.release_ms)),
            steps,
            two_processes: holder.is_process(),
        };
        steps::conclude(context, scenario.name, database.verify(scenario.name, rows), sample)?;
        database.remove()
    }
}

/// Holder and contender at one database.
struct Meeting<'a> {
    holder: &'a mut Helper,
    /// Whether the holder is inside a transaction.
    holding: bool,
    /// After how long of the contender's waiting the holder lets go, where it does.
    release: Option<Duration>,
    steps: Vec<Step>,
    /// Rows that must be there in the end.
    rows: u64,
    /// Rows that the contender has written in a transaction that is still open.
    pending: u64,
}

impl Meeting<'_> {
    /// Plays the script up to the contender's first refusal.
    fn play(&mut self, script: &[Act], mut contender: Database, cancel: &CancelFlag) -> Result<Database, MeasureError> {
        for act in script {
            match *act {
                Act::Holder(sql) => self.hold(sql)?,
                Act::Contender(step, sql) => {
                    contender = self.contend(step, sql, contender, cancel)?;
                    if self.steps.last().is_some_and(|step| step.answer != OK) || cancel.is_raised() {
                        break;
                    }
                }
            }
        }
        Ok(contender)
    }

    fn hold(&mut self, sql: &str) -> Result<(), MeasureError> {
        self.holder.must(&Request::Run { sql: sql.to_owned() })?;
        self.holding |= sql.starts_with("BEGIN");
        if sql == WRITE && !self.holding {
            self.rows += 1;
        }
        Ok(())
    }

    /// The holder gives its lock up, without having changed anything.
    fn let_go(&mut self) -> Result<(), MeasureError> {
        if self.holding {
            self.holding = false;
            self.holder.must(&Request::Run { sql: "ROLLBACK".to_owned() })?;
        }
        Ok(())
    }

    /// Runs a statement of the contender, which may have to wait; when the time comes, or somebody presses
    /// Stop, the holder lets go and so ends the waiting.
    fn contend(
        &mut self,
        step: &str,
        sql: &'static str,
        contender: Database,
        cancel: &CancelFlag,
    ) -> Result<Database, MeasureError> {
        let release = self.release;
        let mut let_go = Ok(());
        let work = move || {
            let started = Instant::now();
            let result = run_to_the_end(&contender, sql);
            Ok((result, started.elapsed(), contender))
        };
        let (result, took, contender) = watched(work, |elapsed| {
            if self.holding && (release.is_some_and(|release| elapsed >= release) || cancel.is_raised()) {
                let_go = self.let_go();
            }
        })?;
        let_go?;
        let answer = match result {
            Ok(()) => OK.to_owned(),
            Err(error) => match lock_code(&error) {
                Some(code) => code,
                None => return Err(contender.error("while meeting another program's lock")(error)),
            },
        };
        self.pending += u64::from(answer == OK && sql == WRITE);
        if contender.connection().is_autocommit() {
            self.rows += std::mem::take(&mut self.pending);
        }
        self.steps.push(Step { step: step.to_owned(), answer, wait_seconds: took.as_secs_f64() });
        Ok(contender)
    }

    /// Both end their transactions, so that the data can be checked.
    fn part(&mut self, contender: Database) -> Result<Database, MeasureError> {
        let failed = "while ending a transaction";
        if !contender.connection().is_autocommit() {
            contender.connection().execute_batch("ROLLBACK").map_err(contender.error(failed))?;
        }
        self.let_go()?;
        self.holder.must(&Request::Close)?;
        Ok(contender)
    }
}

//! What happens with several writers? SQLite lets one write at a time, so they take turns: the total
//! hardly grows, and it can hide a writer that hardly ever gets its turn. Each writer's share is kept.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Experiment,
    drawing::{many, measured, middle, middle_cell, most_cell, point, refused_row, table, values},
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
        together::{Job, Loop, repeat, shared_seconds, together},
    },
    section::{Cell, Chart, ChartKind, Hue, Scale, Section, Series, Table, Unit},
    units,
};

/// The length of the text in each row, in bytes.
const TEXT_BYTES: usize = 100;

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Writers {
    /// The most writers: 1, 2, 4 and so on up to this many are compared.
    pub most_writers: u64,
    /// The length of each run, in milliseconds.
    pub milliseconds: u64,
    /// Runs of each case.
    pub rounds: u64,
    /// The busy timeout of all connections, in milliseconds.
    pub busy_timeout_ms: u64,
}

/// One run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// The round, from 1.
    pub round: u64,
    /// How long the writers worked, in seconds, such that commits / seconds is the sum of each writer's own rate.
    pub seconds: f64,
    /// Transactions committed by all writers together.
    pub commits: u64,
    /// Transactions committed by each of them.
    pub commits_by_writer: Vec<u64>,
    /// Transactions refused because the database was locked.
    pub busy: u64,
    /// Half of the transactions took at most this long, waiting included, in microseconds.
    pub p50_us: f64,
    /// 99 of 100 transactions took at most this long, waiting included, in microseconds.
    pub p99_us: f64,
    /// The longest one that was committed, waiting included, in microseconds.
    pub max_us: f64,
    /// All refusals by SQLite's extended result code.
    pub busy_codes: BTreeMap<String, u64>,
}

impl Sample {
    /// Commits a second of all writers.
    pub fn per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.commits as f64 / self.seconds } else { 0.0 }
    }

    /// What the writer with the fewest commits had, as a part of a fair share: 1 where all had the same.
    pub fn least_of_fair_share(&self) -> f64 {
        let least = self.commits_by_writer.iter().min().copied().unwrap_or_default();
        if self.commits == 0 { 0.0 } else { least as f64 * self.commits_by_writer.len() as f64 / self.commits as f64 }
    }

    fn most(&self) -> u64 {
        self.commits_by_writer.iter().max().copied().unwrap_or_default()
    }

    fn least(&self) -> u64 {
        self.commits_by_writer.iter().min().copied().unwrap_or_default()
    }
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        if self.commits_by_writer.iter().fold(0_u64, |sum, commits| sum.saturating_add(*commits)) != self.commits {
            return Err("commits_by_writer does not add up to commits".into());
        }
        not_negative(&[
            ("seconds", self.seconds),
            ("p50_us", self.p50_us),
            ("p99_us", self.p99_us),
            ("max_us", self.max_us),
        ])
    }
}

impl Experiment for Writers {
    type Sample = Sample;

    fn question(&self) -> &'static str {
        "What happens with several writers?"
    }

    fn preset(preset: Preset) -> Option<Self> {
        let full = Self { most_writers: 8, milliseconds: 5_000, rounds: 3, busy_timeout_ms: 5_000 };
        (preset == Preset::Full).then_some(full)
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        let knob = |name, label, least, most, value| Knob { name, label, least, most, value };
        vec![
            knob("most_writers", "writers at most", 1, 64, &mut self.most_writers),
            knob("milliseconds", "milliseconds in each run", 50, 3_600_000, &mut self.milliseconds),
            knob("rounds", "runs of each setting", 1, 1_000, &mut self.rounds),
            knob("busy_timeout_ms", "busy timeout in milliseconds", 0, 600_000, &mut self.busy_timeout_ms),
        ]
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let runs = self.rounds as f64 * self.cases().len() as f64;
        let seconds = self.milliseconds as f64 / 1e3;
        let commits = seconds / drive.commit_seconds(1.0);
        Cost {
            seconds: runs * (seconds + 30.0 * drive.sync_seconds + 0.05),
            written_bytes: (runs * commits * 10_000.0) as u64,
            peak_bytes: (commits * 4_400.0) as u64 + 8_000_000,
        }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let mut random = context.random();
        let cases = self.cases();
        for (settings, writers) in &cases {
            context.begin_case(&case_name(settings, *writers), settings.clone());
        }
        let total = (self.rounds * cases.len() as u64) as f64;
        let mut done = 0.0;
        for round in 1..=self.rounds {
            for (settings, writers) in shuffled(&cases, &mut random) {
                context.check_cancelled()?;
                let mode = settings.journal_mode.to_string().to_uppercase();
                let who = many(writers, "writer");
                context.step(format!("{who} with {mode}, round {round} of {}", self.rounds), done / total);
                self.run_once(&settings, writers, round, context)?;
                done += 1.0;
            }
        }
        Ok(())
    }

    fn ratios(cases: &[Case<Sample>]) -> Vec<Ratio> {
        let pairs = cases.iter().filter_map(|wal| {
            let writers = wal.name.strip_prefix("wal/full/")?;
            Some((wal, cases.iter().find(|case| case.name.strip_prefix("delete/full/") == Some(writers))?, writers))
        });
        pairs
            .filter_map(|(wal, default, writers)| {
                Ratio::paired(&format!("commits, {writers} writers"), wal, default, Sample::per_second)
            })
            .collect()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        vec![section(self, outcome)]
    }
}

/// `wal/full/4`
fn case_name(settings: &Settings, writers: u64) -> String {
    format!("{}/{writers}", settings.name())
}

impl Writers {
    fn cases(&self) -> Vec<(Settings, u64)> {
        let timeout = u32::try_from(self.busy_timeout_ms).unwrap_or(u32::MAX);
        let counts = (0..7).map(|power| 1 << power).filter(|count| *count <= self.most_writers);
        counts
            .flat_map(|count| {
                [JournalMode::Delete, JournalMode::Wal]
                    .map(|mode| (Settings::new(mode, Synchronous::Full).with_busy_timeout(timeout), count))
            })
            .collect()
    }

    fn run_once(
        &self,
        settings: &Settings,
        writers: u64,
        round: u64,
        context: &mut Context<'_, Sample>,
    ) -> Result<(), MeasureError> {
        let name = case_name(settings, writers);
        let Some(database) = steps::open_case(context, &name, settings)? else { return Ok(()) };
        database.create_table()?;
        let length = Duration::from_millis(self.milliseconds);
        let cancel = context.cancel();
        let connections = steps::open_more(database.path(), settings, writers)?;
        let jobs = connections
            .into_iter()
            .map(|connection| -> Job<'_, Loop> { Box::new(move || write(&connection, length, cancel)) });
        let sample = sample(round, &together(jobs.collect(), |_| {})?);
        context.check_cancelled()?;
        let checked = database.verify(&name, sample.commits);
        steps::conclude(context, &name, checked, sample)?;
        database.remove()
    }
}

/// One writer: BEGIN IMMEDIATE, one row, COMMIT, until the time is over.
fn write(database: &Database, length: Duration, cancel: &CancelFlag) -> Result<Loop, MeasureError> {
    let failed = "while several writers saved";
    let connection = database.connection();
    let text = "x".repeat(TEXT_BYTES);
    let prepare = |sql| connection.prepare(sql).map_err(database.error(failed));
    let mut begin = prepare("BEGIN IMMEDIATE")?;
    let mut insert = prepare("INSERT INTO t (v) VALUES (?1)")?;
    let mut commit = prepare("COMMIT")?;
    let mut rollback = prepare("ROLLBACK")?;
    let transaction = || {
        begin.execute([])?;
        let saved = insert.execute([&text]).and_then(|_| commit.execute([]));
        if saved.is_err() && !connection.is_autocommit() {
            rollback.execute([])?;
        }
        saved.map(|_| ())
    };
    repeat(|elapsed, _| elapsed < length && !cancel.is_raised(), transaction).map_err(database.error(failed))
}

fn sample(round: u64, loops: &[Loop]) -> Sample {
    let mut all = Tally::new();
    loops.iter().for_each(|writer| all.add(&writer.tally));
    Sample {
        round,
        seconds: shared_seconds(loops.iter().map(|writer| (writer.tally.operations(), writer.seconds))),
        commits: all.operations(),
        commits_by_writer: loops.iter().map(|writer| writer.tally.operations()).collect(),
        busy: all.busy(),
        p50_us: all.quantile_us(0.5),
        p99_us: all.quantile_us(0.99),
        max_us: all.max_us(),
        busy_codes: all.busy_codes().clone(),
    }
}

fn section(params: &Writers, outcome: &Outcome<Sample>) -> Section {
    Section {
        id: "writers".to_owned(),
        title: "What happens with several writers?".to_owned(),
        verdict: verdict(outcome),
        detail: Some(
            "SQLite lets one write at a time, and whoever waits asks again after a pause that grows to a tenth of a second. \
             The total says nothing about the one who waits longest."
                .to_owned(),
        ),
        work: Some(format!(
            "each writer saves one row at a time for {}, busy timeout {}",
            units::seconds(params.milliseconds as f64 / 1e3),
            units::seconds(params.busy_timeout_ms as f64 / 1e3)
        )),
        figures: Vec::new(),
        table: rows(outcome),
        chart: chart(outcome),
        dial: None,
    }
}

fn writers(case: &Case<Sample>) -> u64 {
    case.samples.first().map_or(0, |sample| sample.commits_by_writer.len() as u64)
}

fn verdict(outcome: &Outcome<Sample>) -> String {
    let of_mode =
        |mode: &str| measured(outcome).into_iter().filter(|case| case.name.starts_with(mode)).collect::<Vec<_>>();
    let wal = of_mode("wal");
    let cases = if wal.is_empty() { of_mode("delete") } else { wal };
    let (Some(first), Some(last)) = (cases.first(), cases.last()) else { return "Nothing was measured".to_owned() };
    let rate = |case: &Case<Sample>| middle(case, Sample::per_second).unwrap_or_default();
    if writers(last) < 2 {
        return format!("One writer alone saves {}", units::rate(rate(first)));
    }
    let unlucky = last.samples.iter().map(Sample::least_of_fair_share).fold(f64::INFINITY, f64::min);
    format!(
        "{} writers together save {} where one alone saves {}, and the unluckiest got {} of a fair share",
        units::sentence_case(&units::in_words(writers(last))),
        units::rate(rate(last)),
        units::number(rate(first)),
        units::percent(unlucky)
    )
}

fn rows(outcome: &Outcome<Sample>) -> Table {
    let columns = [
        "Setting",
        "saves a second, all",
        "writers",
        "most by one",
        "least by one",
        "of a fair share",
        "longest wait",
        "refused",
    ];
    let rows = outcome.cases.iter().map(|case| {
        refused_row(case, case_cell(case), columns.len()).unwrap_or_else(|| {
            vec![
                case_cell(case),
                middle_cell(case, Sample::per_second, Cell::PerSecond),
                Cell::Text(many(writers(case), "writer")),
                middle_cell(case, |sample| sample.most() as f64, Cell::Number),
                middle_cell(case, |sample| sample.least() as f64, Cell::Number),
                middle_cell(case, Sample::least_of_fair_share, Cell::Share),
                most_cell(case, |sample| sample.max_us / 1e6, Cell::Seconds),
                middle_cell(case, |sample| sample.busy as f64, Cell::Number),
            ]
        })
    });
    table(&columns, rows.collect())
}

fn chart(outcome: &Outcome<Sample>) -> Option<Chart> {
    let line = |mode: &str, hue| {
        let cases = measured(outcome).into_iter().filter(|case| case.name.starts_with(mode));
        let points: Vec<_> = cases.map(|case| point(writers(case) as f64, values(case, Sample::per_second))).collect();
        let mode = mode.to_uppercase();
        (!points.is_empty()).then(|| Series { name: mode.clone(), technical: format!("{mode}, FULL"), hue, points })
    };
    let series: Vec<_> = [line("delete", Hue::Rollback), line("wal", Hue::Wal)].into_iter().flatten().collect();
    (!series.is_empty()).then(|| Chart {
        kind: ChartKind::Curves,
        axis: "saves a second of all writers".to_owned(),
        x_axis: Some("writers at the same time".to_owned()),
        unit: Unit::PerSecond,
        scale: Scale::Linear,
        reference: None,
        series,
    })
}

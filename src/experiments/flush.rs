//! How fast can this drive make anything permanent? A preallocated page is overwritten and made durable
//! again and again, with each call that the system has for it, in turn. The result is the floor: a safe
//! save cannot be faster than one of these. The session estimates the time of everything else from it.

use std::{
    borrow::Cow,
    fs::{File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    path::Path,
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AnyOutcome, Experiment,
    parameters::{Cost, DriveSpeed, Knob, Preset},
};
use crate::{
    measure::{
        MeasureError,
        context::Context,
        outcome::{self, Case, Measure, Outcome, Ratio, not_negative},
        tally::Tally,
    },
    section::{Cell, Chart, ChartKind, Hue, Point, Scale, Section, Series, Table, Unit},
    units,
};

/// One page of the usual size.
const PAGE_BYTES: usize = 4096;
/// Pages in the file; one after the other is overwritten, as a log does.
const PAGES: u64 = 16;
/// It goes on for this many at least, and for the least time below.
const LEAST_OPERATIONS: u64 = 20;
const LEAST_TIME: Duration = Duration::from_secs(1);

/// From this share of the floor on, there is nothing left to gain for a save.
const NEAR_THE_FLOOR: f64 = 0.9;

/// The parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Flush {
    /// When to stop in any case, in seconds.
    pub most_seconds: u64,
}

/// The latencies of one call.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sample {
    /// Always 1: the calls take turns within one round.
    pub round: u64,
    /// Pages written and made durable.
    pub operations: u64,
    /// All of them together, in seconds.
    pub seconds: f64,
    /// The fastest, in microseconds.
    pub min_us: f64,
    /// A tenth took at most this long, in microseconds.
    pub p10_us: f64,
    /// Half took at most this long, in microseconds.
    pub p50_us: f64,
    /// Nine tenths took at most this long, in microseconds.
    pub p90_us: f64,
    /// 99 of 100 took at most this long, in microseconds.
    pub p99_us: f64,
    /// The longest, in microseconds.
    pub max_us: f64,
}

impl outcome::Sample for Sample {
    fn round(&self) -> u64 {
        self.round
    }

    fn check(&self) -> Result<(), Cow<'static, str>> {
        not_negative(&[
            ("seconds", self.seconds),
            ("min_us", self.min_us),
            ("p10_us", self.p10_us),
            ("p50_us", self.p50_us),
            ("p90_us", self.p90_us),
            ("p99_us", self.p99_us),
            ("max_us", self.max_us),
        ])
    }

    fn measure(&self, measure: Measure) -> Option<f64> {
        (measure == Measure::FlushesPerSecond && self.p50_us > 0.0).then(|| 1e6 / self.p50_us)
    }
}

/// A way to make a file's data durable.
type Call = (&'static str, fn(&File) -> io::Result<()>);

/// The calls this system has. `File::sync_all` is fsync on Linux, `FlushFileBuffers` on Windows and
/// `F_FULLFSYNC` on macOS (Rust's standard library documents each).
#[cfg(windows)]
const CALLS: &[Call] = &[("FlushFileBuffers", File::sync_all)];
#[cfg(target_os = "macos")]
const CALLS: &[Call] = &[("fsync", |file| Ok(rustix::fs::fsync(file)?)), ("F_FULLFSYNC", File::sync_all)];
#[cfg(not(any(windows, target_os = "macos")))]
const CALLS: &[Call] = &[("fsync", File::sync_all), ("fdatasync", File::sync_data)];

/// The call that SQLite makes on this system, as built here.
pub const SQLITES_CALL: &str = env!("COMMITMARK_SYNC_CALL");

impl Experiment for Flush {
    type Sample = Sample;
    const CASES_HAVE_SETTINGS: bool = false;

    fn question(&self) -> &'static str {
        "How fast can this drive make anything permanent?"
    }

    fn preset(_preset: Preset) -> Option<Self> {
        Some(Self { most_seconds: 3 })
    }

    fn knobs(&mut self) -> Vec<Knob<'_>> {
        vec![Knob {
            name: "most_seconds",
            label: "seconds at most",
            least: 1,
            most: 3_600,
            value: &mut self.most_seconds,
        }]
    }

    fn cost(&self, drive: &DriveSpeed) -> Cost {
        let operation = drive.commit_seconds(1.0) * CALLS.len() as f64;
        let wanted = (LEAST_OPERATIONS as f64 * operation).max(LEAST_TIME.as_secs_f64());
        let seconds = wanted.min(self.most_seconds as f64);
        let written = seconds / drive.commit_seconds(1.0) * PAGE_BYTES as f64;
        Cost { seconds, written_bytes: written as u64, peak_bytes: PAGES * PAGE_BYTES as u64 }
    }

    fn run(&self, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
        let path = context.folder().join("flush.bin");
        let io = |doing| {
            let path = path.clone();
            move |source| MeasureError::Io { doing, source, path }
        };
        context.step("Finding out how fast this drive makes anything permanent", 0.0);
        let mut file = preallocate(&path).map_err(io("while creating the test file"))?;
        let mut tallies: Vec<Tally> = CALLS.iter().map(|_| Tally::new()).collect();
        let started = Instant::now();
        let mut page = 0;
        while !self.is_enough(page, started.elapsed()) {
            context.check_cancelled()?;
            for ((_, call), tally) in CALLS.iter().zip(&mut tallies) {
                tally.succeeded(overwrite(&mut file, page, *call).map_err(io("while writing the test file"))?);
            }
            page += 1;
            context.tell(Instant::now(), || started.elapsed().as_secs_f64() / LEAST_TIME.as_secs_f64());
        }
        drop(file);
        std::fs::remove_file(&path).map_err(io("while removing the test file"))?;
        for ((name, _), tally) in CALLS.iter().zip(&tallies) {
            context.begin_case(name, None);
            context.record(name, sample(tally));
        }
        Ok(())
    }

    fn ratios(_cases: &[Case<Sample>]) -> Vec<Ratio> {
        // The calls do different things; their ratio decides nothing.
        Vec::new()
    }

    fn sections(&self, outcome: &Outcome<Sample>) -> Vec<Section> {
        vec![section(outcome)]
    }
}

impl Flush {
    fn is_enough(&self, operations: u64, took: Duration) -> bool {
        took >= Duration::from_secs(self.most_seconds) || (operations >= LEAST_OPERATIONS && took >= LEAST_TIME)
    }
}

/// The floor of a safe save: the median of the call that SQLite makes, in seconds. `None` where it was
/// not measured.
pub fn floor_seconds(outcome: &Outcome<Sample>) -> Option<f64> {
    let case = outcome.case(SQLITES_CALL).or_else(|| outcome.cases.last())?;
    case.samples.first().filter(|sample| sample.operations > 0).map(|sample| sample.p50_us / 1e6)
}

/// How near safe saves with WAL come to the floor, in a sentence. `None` where either was not measured.
pub fn beside_the_floor(outcomes: &[AnyOutcome]) -> Option<String> {
    let figure = |case, measure| outcomes.iter().find_map(|outcome| outcome.figure(case, measure));
    let floor = figure(SQLITES_CALL, Measure::FlushesPerSecond)?;
    let saves = figure("wal/full", Measure::SavesPerSecond)?;
    let most = units::number(floor);
    Some(if saves >= NEAR_THE_FLOOR * floor {
        format!("WAL, FULL is as fast as this drive makes a page permanent: {most} times a second.")
    } else {
        let share = units::percent(saves / floor);
        format!("WAL, FULL reaches {share} of the {most} times a second that this drive can make a page permanent.")
    })
}

fn preallocate(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
    file.write_all(&vec![0x5a; PAGE_BYTES * PAGES as usize])?;
    file.sync_all()?;
    Ok(file)
}

/// Overwrites a page and makes it durable; returns how long both took.
fn overwrite(file: &mut File, page: u64, call: fn(&File) -> io::Result<()>) -> io::Result<Duration> {
    let content = [page as u8; PAGE_BYTES];
    let started = Instant::now();
    file.seek(SeekFrom::Start(page % PAGES * PAGE_BYTES as u64))?;
    file.write_all(&content)?;
    call(file)?;
    Ok(started.elapsed())
}

fn sample(tally: &Tally) -> Sample {
    Sample {
        round: 1,
        operations: tally.operations(),
        seconds: tally.seconds(),
        min_us: tally.quantile_us(0.0),
        p10_us: tally.quantile_us(0.1),
        p50_us: tally.quantile_us(0.5),
        p90_us: tally.quantile_us(0.9),
        p99_us: tally.quantile_us(0.99),
        max_us: tally.max_us(),
    }
}

/// What a median latency says of a drive, in plain words (docs/measuring.md has the bounds' sources).
fn class(seconds: f64) -> &'static str {
    if seconds < 50e-6 {
        "so fast that nothing reaches a disk, unless the drive is protected against power loss"
    } else if seconds <= 5e-3 {
        "as fast as an SSD"
    } else {
        "as slow as a hard disk, or every flush goes all the way down"
    }
}

fn section(outcome: &Outcome<Sample>) -> Section {
    let verdict = match floor_seconds(outcome) {
        Some(seconds) => format!(
            "This drive needs {} to make a page permanent, {}: about {} safe saves a second at most",
            units::seconds(seconds),
            class(seconds),
            units::number(1.0 / seconds)
        ),
        None => "Nothing was measured".to_owned(),
    };
    let measured: Vec<(&Case<Sample>, &Sample)> =
        outcome.cases.iter().filter_map(|case| Some((case, case.samples.first()?))).collect();
    Section {
        id: "flush".to_owned(),
        title: "How fast can this drive make anything permanent?".to_owned(),
        verdict,
        detail: Some(format!("SQLite asks with {SQLITES_CALL} here.")),
        work: measured
            .first()
            .map(|(_, sample)| format!("{} pages of 4 KiB with each call", units::count(sample.operations))),
        figures: Vec::new(),
        table: table(&measured),
        chart: (!measured.is_empty()).then(|| chart(&measured)),
        dial: None,
    }
}

fn table(measured: &[(&Case<Sample>, &Sample)]) -> Table {
    let columns = ["Call", "a second (mean)", "fastest", "median", "p90", "p99", "longest"];
    let row = |(case, sample): &(&Case<Sample>, &Sample)| {
        let latencies = [sample.min_us, sample.p50_us, sample.p90_us, sample.p99_us, sample.max_us];
        let rate = if sample.seconds > 0.0 { sample.operations as f64 / sample.seconds } else { 0.0 };
        [Cell::Text(case.name.clone()), Cell::PerSecond(rate)]
            .into_iter()
            .chain(latencies.map(|us| Cell::Seconds(us / 1e6)))
            .collect()
    };
    Table { columns: columns.map(str::to_owned).to_vec(), rows: measured.iter().map(row).collect() }
}

fn chart(measured: &[(&Case<Sample>, &Sample)]) -> Chart {
    let series = |(case, sample): &(&Case<Sample>, &Sample)| Series {
        name: case.name.clone(),
        technical: "median, from the tenth to the ninetieth percentile".to_owned(),
        hue: Hue::Neutral,
        points: vec![Point {
            x: 0.0,
            median: sample.p50_us / 1e6,
            low: sample.p10_us / 1e6,
            high: sample.p90_us / 1e6,
            samples: Vec::new(),
        }],
    };
    Chart {
        kind: ChartKind::Medians,
        axis: "time to make a page permanent".to_owned(),
        x_axis: None,
        unit: Unit::Seconds,
        scale: Scale::Linear,
        reference: None,
        series: measured.iter().map(series).collect(),
    }
}

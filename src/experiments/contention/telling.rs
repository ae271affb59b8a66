//! How reading beside saving is told: the errors and what they turn into with a timeout, saves and
//! reads a second.

use super::{Contention, Sample};
use crate::{
    experiments::{
        drawing::{bars, many, measured, middle_cell, most_cell},
        telling::{case_cell, case_technical},
    },
    measure::{
        database::{JournalMode, Settings},
        outcome::{Case, Outcome},
    },
    section::{Cell, Figure, Section, Table, Unit},
    stats, units,
};

pub(super) fn section(params: &Contention, outcome: &Outcome<Sample>) -> Section {
    let measured = measured(outcome);
    let impatient = Pair::find(&measured, |timeout| timeout == 0);
    let patient = Pair::find(&measured, |timeout| timeout > 0);
    Section {
        id: "contention".to_owned(),
        title: "Reading while something is being saved".to_owned(),
        verdict: verdict(impatient.as_ref(), patient.as_ref(), &measured),
        detail: detail(patient.as_ref()),
        work: Some(work(params)),
        figures: impatient.iter().map(|pair| figure(pair, params)).collect(),
        table: table(outcome),
        chart: bars(outcome, "saves a second beside a reader", Unit::PerSecond, name, Sample::writes_per_second),
        dial: None,
    }
}

/// DELETE and WAL at the same busy timeout.
struct Pair<'a> {
    default: &'a Case<Sample>,
    wal: &'a Case<Sample>,
}

impl<'a> Pair<'a> {
    fn find(measured: &[&'a Case<Sample>], timeout: impl Fn(u32) -> bool) -> Option<Self> {
        let fits = |settings: &Settings, mode| settings.journal_mode == mode && timeout(settings.busy_timeout_ms);
        let find = |mode: JournalMode| {
            measured.iter().copied().find(|case| case.settings.as_ref().is_some_and(|settings| fits(settings, mode)))
        };
        Some(Self { default: find(JournalMode::Delete)?, wal: find(JournalMode::Wal)? })
    }
}

/// The median of a count over the runs of a case.
fn median(case: &Case<Sample>, count: fn(&Sample) -> u64) -> f64 {
    stats::median(&case.samples.iter().map(|sample| count(sample) as f64).collect::<Vec<_>>()).unwrap_or_default()
}

fn errors(sample: &Sample) -> u64 {
    sample.write_busy + sample.read_busy
}

fn verdict(impatient: Option<&Pair<'_>>, patient: Option<&Pair<'_>>, measured: &[&Case<Sample>]) -> String {
    if let Some(Pair { default, wal }) = impatient {
        let with_default = failures(default);
        let reads = more_reads(default, wal);
        return match (with_default, median(wal, errors)) {
            (None, 0.0) => {
                format!("Neither with the default nor with WAL was anything refused as \"database is locked\"{reads}")
            }
            (None, _) => format!("With WAL {}", failures(wal).unwrap_or_default()),
            (Some(default), 0.0) => {
                format!("With the default, {default}. With WAL {}{reads}", as_good_as_none(wal))
            }
            (Some(default), _) => {
                format!("With the default, {default}. With WAL, {}{reads}", failures(wal).unwrap_or_default())
            }
        };
    }
    if let Some(Pair { default, wal }) = patient {
        return match (failures(default), failures(wal)) {
            (None, None) => format!("With a busy timeout nothing failed{}", more_reads(default, wal)),
            (default, wal) => {
                let words = |failures: Option<String>| failures.unwrap_or_else(|| "nothing failed".to_owned());
                format!("With the default, {}. With WAL, {}", words(default), words(wal))
            }
        };
    }
    match measured.first() {
        Some(case) => format!("Only {} was measured, so there is nothing to compare", case_technical(case)),
        None => "Nothing was measured".to_owned(),
    }
}

/// In WAL nobody waits for anybody, but for an instant: a reader that comes while the log's index is being
/// written takes the writer's lock to look again (walIndexReadHdr in SQLite's wal.c), and a writer that does
/// not wait at all may be refused then. Most runs have none of that.
fn as_good_as_none(wal: &Case<Sample>) -> String {
    let (refused, runs) = wal
        .samples
        .iter()
        .map(errors)
        .filter(|errors| *errors > 0)
        .fold((0, 0), |(all, runs), errors| (all + errors, runs + 1));
    if runs == 0 {
        return "none did".to_owned();
    }
    let of = units::in_words(wal.samples.len() as u64);
    format!("as good as none did ({} in {} of {of} runs)", units::count(refused), units::in_words(runs))
}

/// "62 saves and 117 reads failed with "database is locked"", or `None` where none did.
fn failures(case: &Case<Sample>) -> Option<String> {
    let parts: Vec<String> =
        [("save", median(case, |sample| sample.write_busy)), ("read", median(case, |sample| sample.read_busy))]
            .into_iter()
            .filter(|(_, count)| *count > 0.0)
            .map(|(what, count)| format!("{} {what}{}", units::number(count), if count == 1.0 { "" } else { "s" }))
            .collect();
    (!parts.is_empty()).then(|| format!("{} failed with \"database is locked\"", parts.join(" and ")))
}

fn more_reads(default: &Case<Sample>, wal: &Case<Sample>) -> String {
    let (default, wal) = (median(default, |sample| sample.reads), median(wal, |sample| sample.reads));
    if default > 0.0 && wal / default >= 1.1 {
        format!(", and {} times as many reads finished", units::ratio(wal / default))
    } else {
        String::new()
    }
}

fn detail(patient: Option<&Pair<'_>>) -> Option<String> {
    let Pair { default, wal } = patient?;
    let timeout = units::seconds(f64::from(timeout_ms(default)) / 1e3);
    let left = |case: &Case<Sample>| case.samples.iter().map(errors).sum::<u64>();
    let longest = |case: &Case<Sample>| {
        let longest = case.samples.iter().map(|sample| sample.max_write_us.max(sample.max_read_us)).fold(0.0, f64::max);
        units::seconds(longest / 1e6)
    };
    let outcome = match (left(default), left(wal)) {
        (0, 0) => "the errors become waiting".to_owned(),
        (default, wal) => {
            format!("{} errors remain with the default and {} with WAL", units::count(default), units::count(wal))
        }
    };
    Some(format!(
        "With a busy timeout of {timeout} {outcome}: the longest wait was {} with the default and {} with WAL. Waiting is not throughput.",
        longest(default),
        longest(wal)
    ))
}

fn work(params: &Contention) -> String {
    format!(
        "{}, {}, {}",
        many(params.writers, "writer"),
        many(params.readers, "reader"),
        units::seconds(params.milliseconds as f64 / 1e3)
    )
}

fn figure(pair: &Pair<'_>, params: &Contention) -> Figure {
    Figure {
        value: format!(
            "{} to {}",
            units::number(median(pair.default, errors)),
            units::number(median(pair.wal, errors))
        ),
        label: format!(
            "\"database is locked\" errors in {}, default to WAL",
            units::seconds(params.milliseconds as f64 / 1e3)
        ),
    }
}

fn table(outcome: &Outcome<Sample>) -> Table {
    let columns = [
        "Setting",
        "waits for a lock",
        "saves a second",
        "reads a second",
        "failed saves",
        "failed reads",
        "p99 save",
        "longest save",
        "longest read",
        "attempts",
    ];
    Table { columns: columns.map(str::to_owned).to_vec(), rows: outcome.cases.iter().map(row).collect() }
}

fn timeout_ms(case: &Case<Sample>) -> u32 {
    case.settings.as_ref().map_or(0, |settings| settings.busy_timeout_ms)
}

fn waits(case: &Case<Sample>) -> String {
    match timeout_ms(case) {
        0 => "not at all".to_owned(),
        ms => format!("up to {}", units::seconds(f64::from(ms) / 1e3)),
    }
}

fn row(case: &Case<Sample>) -> Vec<Cell> {
    let seconds = |us: f64| Cell::Seconds(us / 1e6);
    let first = match &case.refused {
        Some(answer) => Cell::Text(answer.clone()),
        None => middle_cell(case, Sample::writes_per_second, Cell::PerSecond),
    };
    vec![
        case_cell(case),
        Cell::Text(waits(case)),
        first,
        middle_cell(case, Sample::reads_per_second, Cell::PerSecond),
        middle_cell(case, |sample| sample.write_busy as f64, Cell::Number),
        middle_cell(case, |sample| sample.read_busy as f64, Cell::Number),
        middle_cell(case, |sample| sample.p99_write_us, seconds),
        most_cell(case, |sample| sample.max_write_us, seconds),
        most_cell(case, |sample| sample.max_read_us, seconds),
        middle_cell(case, |sample| (sample.writes + errors(sample) + sample.reads) as f64, Cell::Number),
    ]
}

/// The setting with its patience, since a bar has no column for it.
fn name(case: &Case<Sample>) -> String {
    format!("{}, waits {}", case_technical(case), waits(case))
}

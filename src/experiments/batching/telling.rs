//! How grouping is told: where it stops paying, and where a transaction outgrows the WAL.

use super::{Batching, Sample};
use crate::{
    experiments::{
        drawing::{many, measured, middle, middle_cell, most_cell, point, refused_row, table, values},
        telling::{case_cell, case_hue, case_technical, plain_name},
    },
    measure::{
        database::WAL_LIMIT_BYTES,
        outcome::{Case, Outcome},
    },
    section::{Cell, Chart, ChartKind, Scale, Section, Series, Table, Unit},
    units,
};

/// The next size must bring at least so many times the speed for grouping to still pay.
const STILL_PAYS: f64 = 1.5;

pub(super) fn section(params: &Batching, outcome: &Outcome<Sample>) -> Section {
    Section {
        id: "batching".to_owned(),
        title: "What does grouping saves into one transaction buy?".to_owned(),
        verdict: verdict(outcome),
        detail: detail(outcome),
        work: Some(format!(
            "transactions for {} in each run, {} of each setting",
            units::seconds(params.milliseconds as f64 / 1e3),
            many(params.rounds, "run")
        )),
        figures: Vec::new(),
        table: rows(outcome),
        chart: chart(outcome),
        dial: None,
    }
}

fn size(case: &Case<Sample>) -> u64 {
    case.samples.first().map_or(0, |sample| sample.rows_per_transaction)
}

fn speed(case: &Case<Sample>) -> f64 {
    middle(case, Sample::rows_per_second).unwrap_or_default()
}

/// The measured cases of one setting, by the size of their transactions.
fn sizes<'a>(outcome: &'a Outcome<Sample>, setting: &str) -> Vec<&'a Case<Sample>> {
    let mut cases = measured(outcome);
    cases.retain(|case| case.name.rsplit_once('/').is_some_and(|(name, _)| name == setting));
    cases.sort_by_key(|case| size(case));
    cases
}

/// What grouping brings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// So many rows in one transaction are worth it; 1 where grouping buys little.
    pub rows: u64,
    /// How many times the speed of one row at a time they have.
    pub times: f64,
    /// Whether a larger transaction was measured and brought little more.
    pub is_enough: bool,
    /// The first size that alone takes more room than the WAL usually has, with the bytes it takes.
    pub outgrown: Option<(u64, u64)>,
}

/// Where grouping stops paying, with WAL or, where that was not measured, with the default. `None` without samples.
pub fn gain(outcome: &Outcome<Sample>) -> Option<Gain> {
    let with_wal = sizes(outcome, "wal/full");
    let cases = if with_wal.is_empty() { sizes(outcome, "delete/full") } else { with_wal };
    let first = cases.first()?;
    let best = cases.iter().max_by(|one, other| speed(one).total_cmp(&speed(other)))?;
    // Where the next size, ten times as large, brings less than half as much again, grouping has done its work.
    let enough = cases.windows(2).find_map(|pair| match pair {
        [smaller, larger] if speed(larger) < speed(smaller) * STILL_PAYS => Some(*smaller),
        _ => None,
    });
    let pays = enough.unwrap_or(best);
    Some(Gain {
        rows: if size(pays) <= size(first) { 1 } else { size(pays) },
        times: speed(pays) / speed(first).max(f64::MIN_POSITIVE),
        is_enough: enough.is_some(),
        outgrown: outgrown(outcome),
    })
}

fn outgrown(outcome: &Outcome<Sample>) -> Option<(u64, u64)> {
    let peak = |case: &Case<Sample>| case.samples.iter().map(|sample| sample.wal_peak_bytes).max().unwrap_or_default();
    let case = sizes(outcome, "wal/full").into_iter().find(|case| peak(case) > WAL_LIMIT_BYTES * 3 / 2)?;
    Some((size(case), peak(case)))
}

fn verdict(outcome: &Outcome<Sample>) -> String {
    match gain(outcome) {
        None => "Nothing was measured".to_owned(),
        Some(Gain { rows: 1, .. }) => "Grouping saves into one transaction buys little here".to_owned(),
        Some(Gain { rows, times, is_enough, .. }) => format!(
            "{} rows in one transaction are saved {} times as fast as one at a time{}",
            units::count(rows),
            units::ratio(times),
            if is_enough { ", and larger transactions bring little more" } else { "" }
        ),
    }
}

fn detail(outcome: &Outcome<Sample>) -> Option<String> {
    let (rows, peak) = outgrown(outcome)?;
    Some(format!(
        "A transaction of {} rows outgrows the WAL: its file reaches {} where {} are usual, and it keeps that size while the \
         database is open.",
        units::count(rows),
        units::bytes(peak),
        units::bytes(WAL_LIMIT_BYTES)
    ))
}

fn rows(outcome: &Outcome<Sample>) -> Table {
    let columns = [
        "Setting",
        "rows a second",
        "rows at a time",
        "a transaction takes",
        "longest transaction",
        "largest WAL",
        "checkpoint after",
    ];
    let rows = outcome.cases.iter().map(|case| {
        refused_row(case, case_cell(case), columns.len()).unwrap_or_else(|| {
            let has_wal = case.samples.iter().any(|sample| sample.checkpoint_seconds.is_some());
            let wal = |cell| if has_wal { cell } else { Cell::Missing };
            vec![
                case_cell(case),
                middle_cell(case, Sample::rows_per_second, Cell::PerSecond),
                Cell::Count(size(case)),
                middle_cell(case, Sample::transaction_seconds, Cell::Seconds),
                most_cell(case, |sample| sample.longest_seconds, Cell::Seconds),
                wal(most_cell(case, |sample| sample.wal_peak_bytes as f64, |bytes| Cell::Bytes(bytes as u64))),
                wal(middle_cell(case, |sample| sample.checkpoint_seconds.unwrap_or(0.0), Cell::Seconds)),
            ]
        })
    });
    table(&columns, rows.collect())
}

fn chart(outcome: &Outcome<Sample>) -> Option<Chart> {
    let line = |setting: &'static str| {
        let cases = sizes(outcome, setting);
        let first = cases.first()?;
        Some(Series {
            name: first.settings.as_ref().map_or(setting, plain_name).to_owned(),
            technical: case_technical(first),
            hue: case_hue(first),
            points: cases.iter().map(|case| point(size(case) as f64, values(case, Sample::rows_per_second))).collect(),
        })
    };
    let series: Vec<_> = ["delete/full", "wal/full", "wal/normal"].into_iter().filter_map(line).collect();
    (!series.is_empty()).then(|| Chart {
        kind: ChartKind::Curves,
        axis: "rows a second".to_owned(),
        x_axis: Some("rows in one transaction".to_owned()),
        unit: Unit::PerSecond,
        scale: Scale::Log,
        reference: None,
        series,
    })
}

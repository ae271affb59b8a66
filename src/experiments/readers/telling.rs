//! How readers beside a writer are told: what they cost the writer, and how large the WAL became.

use super::{Readers, Sample};
use crate::{
    experiments::{
        drawing::{many, measured, middle, middle_cell, most_cell, point, refused_row, table, total, values},
        telling::case_cell,
    },
    measure::{
        database::{WAL_LIMIT_BYTES, WAL_LIMIT_PAGES},
        outcome::{Case, Outcome},
    },
    section::{Cell, Chart, ChartKind, Hue, Scale, Section, Series, Table, Unit},
    units,
};

pub(super) fn section(params: &Readers, outcome: &Outcome<Sample>) -> Section {
    Section {
        id: "readers".to_owned(),
        title: "Do readers slow the writer?".to_owned(),
        verdict: verdict(params, outcome),
        detail: detail(outcome),
        work: Some(format!(
            "{} saves in each run while readers count {} rows, {} of each setting",
            units::count(params.inserts),
            units::count(params.rows),
            many(params.rounds, "run")
        )),
        figures: Vec::new(),
        table: rows(outcome),
        chart: chart(outcome),
        dial: None,
    }
}

/// The most readers that were measured with this journal mode at NORMAL.
fn busiest<'a>(outcome: &'a Outcome<Sample>, mode: &str) -> Option<&'a Case<Sample>> {
    let start = format!("{mode}/normal/");
    measured(outcome).into_iter().filter(|case| case.name.starts_with(&start)).max_by_key(|case| readers(case))
}

fn readers(case: &Case<Sample>) -> u64 {
    case.samples.first().map_or(0, |sample| sample.readers)
}

fn verdict(params: &Readers, outcome: &Outcome<Sample>) -> String {
    let (Some(default), Some(wal)) = (busiest(outcome, "delete"), busiest(outcome, "wal")) else {
        return "There is nothing to compare".to_owned();
    };
    let seconds = |case| middle(case, |sample: &Sample| sample.write_seconds).unwrap_or_default();
    let peak = wal.samples.iter().map(|sample| sample.wal_peak_bytes).max().unwrap_or_default();
    let grown = if peak > WAL_LIMIT_BYTES {
        format!("; its WAL grew to {}, past the usual {}", units::bytes(peak), units::bytes(WAL_LIMIT_BYTES))
    } else {
        String::new()
    };
    format!(
        "Beside {}, {} saves take {} with the default and {} with WAL{grown}",
        many(readers(wal), "reader"),
        units::count(params.inserts),
        units::seconds(seconds(default)),
        units::seconds(seconds(wal)),
    )
}

fn detail(outcome: &Outcome<Sample>) -> Option<String> {
    let busy = |case: &&Case<Sample>| total(case, |sample| sample.write_busy + sample.read_busy);
    let refused: u64 = measured(outcome).iter().map(busy).sum();
    let errors = match refused {
        0 => "Nothing was refused as \"database is locked\"".to_owned(),
        1 => "One attempt was refused as \"database is locked\"".to_owned(),
        count => format!("{} attempts were refused as \"database is locked\"", units::count(count)),
    };
    Some(format!(
        "{errors}. SQLite writes the WAL back once it holds {} pages, but begins it anew only when no reader looks at it.",
        units::count(WAL_LIMIT_PAGES)
    ))
}

fn rows(outcome: &Outcome<Sample>) -> Table {
    let columns = [
        "Setting",
        "time for the saves",
        "readers",
        "saves a second",
        "reads a second",
        "refused saves",
        "refused reads",
        "longest save",
        "largest WAL",
    ];
    let rows = outcome.cases.iter().map(|case| {
        refused_row(case, case_cell(case), columns.len()).unwrap_or_else(|| {
            vec![
                case_cell(case),
                middle_cell(case, |sample| sample.write_seconds, Cell::Seconds),
                Cell::Count(readers(case)),
                middle_cell(case, Sample::writes_per_second, Cell::PerSecond),
                middle_cell(case, Sample::reads_per_second, Cell::PerSecond),
                middle_cell(case, |sample| sample.write_busy as f64, Cell::Number),
                middle_cell(case, |sample| sample.read_busy as f64, Cell::Number),
                most_cell(case, |sample| sample.max_write_us / 1e6, Cell::Seconds),
                most_cell(case, |sample| sample.wal_peak_bytes as f64, |bytes| Cell::Bytes(bytes as u64)),
            ]
        })
    });
    table(&columns, rows.collect())
}

fn chart(outcome: &Outcome<Sample>) -> Option<Chart> {
    let line = |mode: &str, hue| {
        let start = format!("{mode}/normal/");
        let cases = measured(outcome).into_iter().filter(|case| case.name.starts_with(&start));
        let points: Vec<_> =
            cases.map(|case| point(readers(case) as f64, values(case, Sample::writes_per_second))).collect();
        let mode = mode.to_uppercase();
        (!points.is_empty()).then(|| Series { name: mode.clone(), technical: format!("{mode}, NORMAL"), hue, points })
    };
    let series: Vec<_> = [line("delete", Hue::Rollback), line("wal", Hue::Wal)].into_iter().flatten().collect();
    (!series.is_empty()).then(|| Chart {
        kind: ChartKind::Curves,
        axis: "saves a second".to_owned(),
        x_axis: Some("readers at the same time".to_owned()),
        unit: Unit::PerSecond,
        scale: Scale::Log,
        reference: None,
        series,
    })
}

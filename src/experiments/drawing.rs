//! From samples to cells, bars and curves: the steps that the tellings of several experiments share.

use super::telling::{case_hue, case_technical};
use crate::{
    measure::outcome::{Case, Outcome},
    section::{Cell, Chart, ChartKind, Point, Scale, Series, Table, Unit},
    stats, units,
};

/// The cases that have samples.
pub(super) fn measured<S>(outcome: &Outcome<S>) -> Vec<&Case<S>> {
    outcome.cases.iter().filter(|case| !case.samples.is_empty()).collect()
}

/// A number of every sample of a case.
pub(super) fn values<S>(case: &Case<S>, value: impl Fn(&S) -> f64) -> Vec<f64> {
    case.samples.iter().map(value).collect()
}

/// Its median; `None` without samples.
pub(super) fn middle<S>(case: &Case<S>, value: impl Fn(&S) -> f64) -> Option<f64> {
    stats::median(&values(case, value))
}

/// Its median as a cell.
pub(super) fn middle_cell<S>(case: &Case<S>, value: impl Fn(&S) -> f64, make: impl Fn(f64) -> Cell) -> Cell {
    middle(case, value).map_or(Cell::Missing, make)
}

/// The largest as a cell.
pub(super) fn most_cell<S>(case: &Case<S>, value: impl Fn(&S) -> f64, make: impl Fn(f64) -> Cell) -> Cell {
    values(case, value).into_iter().reduce(f64::max).map_or(Cell::Missing, make)
}

/// The sum of a count over all samples of a case.
pub(super) fn total<S>(case: &Case<S>, count: impl Fn(&S) -> u64) -> u64 {
    case.samples.iter().map(count).sum()
}

/// The median with its interval and the samples, at a place on the other axis.
pub(super) fn point(x: f64, samples: Vec<f64>) -> Point {
    let median = stats::median(&samples).unwrap_or_default();
    let interval = stats::median_interval(&samples);
    Point {
        x,
        median,
        low: interval.map_or(median, |interval| interval.low),
        high: interval.map_or(median, |interval| interval.high),
        samples,
    }
}

/// A chart of bars, one for each case measured. `name` gives the plain name of a case.
pub(super) fn bars<S>(
    outcome: &Outcome<S>,
    axis: &str,
    unit: Unit,
    name: impl Fn(&Case<S>) -> String,
    value: impl Fn(&S) -> f64 + Copy,
) -> Option<Chart> {
    let series: Vec<Series> = measured(outcome)
        .into_iter()
        .map(|case| Series {
            name: name(case),
            technical: case_technical(case),
            hue: case_hue(case),
            points: vec![point(0.0, values(case, value))],
        })
        .collect();
    let chart = Chart {
        kind: ChartKind::Medians,
        axis: axis.to_owned(),
        x_axis: None,
        unit,
        scale: Scale::Linear,
        reference: None,
        series,
    };
    (!chart.series.is_empty()).then_some(chart)
}

/// A table from its headings and rows.
pub(super) fn table(columns: &[&str], rows: Vec<Vec<Cell>>) -> Table {
    Table { columns: columns.iter().map(ToString::to_string).collect(), rows }
}

/// The row of a case that SQLite refused: its answer stands in the second cell, the rest is missing.
pub(super) fn refused_row<S>(case: &Case<S>, first: Cell, columns: usize) -> Option<Vec<Cell>> {
    let answer = case.refused.as_ref()?;
    let mut row = vec![first, Cell::Text(answer.clone())];
    row.resize(columns, Cell::Missing);
    Some(row)
}

/// "one reader", "four readers".
pub(super) fn many(count: u64, what: &str) -> String {
    format!("{} {what}{}", units::in_words(count), if count == 1 { "" } else { "s" })
}

/// The journal mode alone, as SQLite writes it: "WAL".
pub(super) fn mode_name<S>(case: &Case<S>) -> String {
    case.settings
        .as_ref()
        .map_or_else(|| case.name.clone(), |settings| settings.journal_mode.to_string().to_uppercase())
}

//! How the sync service is told: requests a second, waiting times by kind of request, and the arithmetic
//! from there to devices that this drive could serve.

use super::{MODES, Requests, Sample, SyncService, WORKLOADS, Workload, case_name};
use crate::{
    experiments::{
        drawing::{many, measured, middle, middle_cell, mode_name, point, refused_row, table},
        telling::{case_hue, case_technical, interval_words},
    },
    measure::{
        database::JournalMode,
        outcome::{Case, Outcome, Ratio},
    },
    section::{Cell, Chart, ChartKind, Figure, Scale, Section, Series, Table, Unit},
    stats, units,
};

/// A device's update is two requests: what it uploads and what it downloads.
const REQUESTS_IN_AN_UPDATE: f64 = 2.0;

pub(super) fn sections(params: &SyncService, outcome: &Outcome<Sample>) -> Vec<Section> {
    vec![capacity(params, outcome), requests(params, outcome)]
}

/// Devices that could be served when each updates once in so many minutes.
fn devices(requests_per_second: f64, minutes: u64) -> f64 {
    requests_per_second / REQUESTS_IN_AN_UPDATE * minutes as f64 * 60.0
}

/// The arithmetic in words: "245 requests a second / 2 = 122 devices a second; one update in 10 minutes =
/// 73,500 devices".
pub fn capacity_words(requests_per_second: f64, minutes: u64) -> String {
    format!(
        "{} requests a second / 2 = {} devices a second; one update in {} minute{} = {} devices",
        units::number(requests_per_second),
        units::number(requests_per_second / REQUESTS_IN_AN_UPDATE),
        units::count(minutes),
        if minutes == 1 { "" } else { "s" },
        units::number(devices(requests_per_second, minutes))
    )
}

fn cross_rate(outcome: &Outcome<Sample>, mode: JournalMode) -> Option<f64> {
    middle(outcome.case(&case_name(mode, Workload::Cross))?, Sample::per_second)
}

fn capacity(params: &SyncService, outcome: &Outcome<Sample>) -> Section {
    let minutes = params.minutes_between_updates;
    let rates = MODES.map(|mode| (mode, cross_rate(outcome, mode)));
    let best =
        rates.iter().filter_map(|(mode, rate)| Some((*mode, (*rate)?))).max_by(|one, other| one.1.total_cmp(&other.1));
    Section {
        id: "sync-service".to_owned(),
        title: "How many app users could this drive serve?".to_owned(),
        verdict: best.map_or_else(|| "Nothing was measured".to_owned(), |(mode, rate)| verdict(mode, rate, minutes)),
        detail: detail(outcome, best),
        work: Some(work(params)),
        figures: best
            .map(|(_, rate)| Figure {
                value: units::number(devices(rate, minutes)),
                label: format!("devices, each with an update in {} minutes", units::count(minutes)),
            })
            .into_iter()
            .collect(),
        table: capacity_rows(outcome, minutes),
        chart: None,
        dial: params.updates_dial(),
    }
}

fn verdict(mode: JournalMode, rate: f64, minutes: u64) -> String {
    let every =
        if minutes == 1 { "every minute".to_owned() } else { format!("every {} minutes", units::count(minutes)) };
    format!(
        "About {} devices that send and fetch something {every}, with {}",
        units::number(devices(rate, minutes)),
        mode.to_string().to_uppercase()
    )
}

fn detail(outcome: &Outcome<Sample>, best: Option<(JournalMode, f64)>) -> Option<String> {
    let (_, rate) = best?;
    let ratio =
        outcome.ratio(&case_name(JournalMode::Wal, Workload::Cross), &case_name(JournalMode::Delete, Workload::Cross));
    let compared =
        ratio.map_or_else(String::new, |ratio| format!(" WAL compared with the default: {}.", ratio_words(ratio)));
    Some(format!(
        "It counts the database alone: {} requests a second, two for each update. Network and program come on top.{compared}",
        units::number(rate)
    ))
}

/// "4.1 times, between 3.8 and 4.5 times, from 5 rounds"; one round alone has no interval.
fn ratio_words(ratio: &Ratio) -> String {
    let value = units::ratio(ratio.value);
    if ratio.rounds < 2 {
        return format!("{value} times, from 1 round");
    }
    format!("{value} times, {}", interval_words(ratio.low, ratio.high, ratio.confidence, ratio.rounds))
}

fn work(params: &SyncService) -> String {
    format!(
        "{}, {} each, {} in each run, {} of each workload",
        many(params.clients, "client"),
        if params.users_per_client == 1 {
            "one person".to_owned()
        } else {
            format!("{} people", units::count(params.users_per_client))
        },
        units::seconds(params.milliseconds as f64 / 1e3),
        many(params.rounds, "run")
    )
}

/// The capacity at other intervals too, so that nobody has to measure again for that.
fn capacity_rows(outcome: &Outcome<Sample>, minutes: u64) -> Table {
    let mut intervals = vec![1, 5, 10, 30, 60, minutes];
    intervals.sort_unstable();
    intervals.dedup();
    let [default, wal] = MODES.map(|mode| cross_rate(outcome, mode));
    let cell = |rate: Option<f64>, minutes| rate.map_or(Cell::Missing, |rate| Cell::Number(devices(rate, minutes)));
    let best = default.into_iter().chain(wal).reduce(f64::max);
    let row = |minutes: u64| {
        vec![
            Cell::Text(format!("every {} min", units::count(minutes))),
            cell(default, minutes),
            cell(wal, minutes),
            best.map_or(Cell::Missing, |rate| Cell::Text(capacity_words(rate, minutes))),
        ]
    };
    table(
        &["A device's update", "devices with DELETE", "devices with WAL", "how that comes about"],
        intervals.into_iter().map(row).collect(),
    )
}

fn requests(params: &SyncService, outcome: &Outcome<Sample>) -> Section {
    let ratios: Vec<String> = outcome
        .ratios
        .iter()
        .map(|ratio| format!("{}: {}", units::sentence_case(workload_words(&ratio.name)), ratio_words(ratio)))
        .collect();
    Section {
        id: "sync-service-requests".to_owned(),
        title: "What do the clients of a busy server wait for?".to_owned(),
        verdict: waits(outcome),
        detail: (!ratios.is_empty()).then(|| format!("WAL compared with the default. {}.", ratios.join("; "))),
        work: Some(work(params)),
        figures: Vec::new(),
        table: request_rows(outcome),
        chart: request_bars(outcome),
        dial: None,
    }
}

fn workload_words(name: &str) -> &str {
    match name {
        "upload" => "sending",
        "download" => "fetching",
        "cross" => "sending, then fetching",
        other => other,
    }
}

fn words(case: &Case<Sample>) -> String {
    let workload = case.name.split('/').next().unwrap_or_default();
    format!("{}, {}", units::sentence_case(workload_words(workload)), mode_name(case))
}

fn waits(outcome: &Outcome<Sample>) -> String {
    let p99 = |mode| {
        let case = outcome.case(&case_name(mode, Workload::Cross))?;
        stats::median(&of_kind(case, "upload", |requests| requests.p99_us / 1e6))
    };
    match (p99(JournalMode::Delete), p99(JournalMode::Wal)) {
        (Some(default), Some(wal)) => format!(
            "99 of 100 uploads are done within {} with the default and within {} with WAL",
            units::seconds(default),
            units::seconds(wal)
        ),
        _ if measured(outcome).is_empty() => "Nothing was measured".to_owned(),
        _ => "Only a part was measured, so there is nothing to compare".to_owned(),
    }
}

/// A number of the requests of one kind, of every sample that has such requests.
fn of_kind(case: &Case<Sample>, kind: &str, value: impl Fn(&Requests) -> f64) -> Vec<f64> {
    case.samples.iter().filter_map(|sample| sample.requests.get(kind).map(&value)).collect()
}

/// The cases in the order they are told.
fn told(outcome: &Outcome<Sample>) -> impl Iterator<Item = &Case<Sample>> {
    let names = WORKLOADS.iter().flat_map(|workload| MODES.map(|mode| case_name(mode, *workload)));
    names.filter_map(|name| outcome.case(&name))
}

/// The kinds of request that a case has.
fn kinds(case: &Case<Sample>) -> impl Iterator<Item = &'static str> {
    ["upload", "download"].into_iter().filter(|kind| !of_kind(case, kind, |_| 0.0).is_empty())
}

/// Requests of one kind a second, of every sample.
fn rates(case: &Case<Sample>, kind: &str) -> Vec<f64> {
    let rate = |sample: &Sample| Some(sample.requests.get(kind)?.done as f64 / sample.seconds);
    case.samples.iter().filter(|sample| sample.seconds > 0.0).filter_map(rate).collect()
}

/// One bar for each row of the table that has a number.
fn request_bars(outcome: &Outcome<Sample>) -> Option<Chart> {
    let bar = |case: &Case<Sample>, kind: &str| Series {
        name: format!("{}: {kind}", words(case)),
        technical: case_technical(case),
        hue: case_hue(case),
        points: vec![point(0.0, rates(case, kind))],
    };
    let series: Vec<Series> =
        told(outcome).flat_map(|case| kinds(case).map(|kind| bar(case, kind)).collect::<Vec<_>>()).collect();
    (!series.is_empty()).then(|| Chart {
        kind: ChartKind::Medians,
        axis: "requests a second".to_owned(),
        x_axis: None,
        unit: Unit::PerSecond,
        scale: Scale::Linear,
        reference: None,
        series,
    })
}

fn request_rows(outcome: &Outcome<Sample>) -> Table {
    let columns = [
        "Workload",
        "requests a second",
        "request",
        "answered",
        "failed",
        "average",
        "p50",
        "p95",
        "p99",
        "longest",
        "largest WAL",
    ];
    let mut rows = Vec::new();
    for case in told(outcome) {
        if let Some(row) = refused_row(case, Cell::Text(words(case)), columns.len()) {
            rows.push(row);
            continue;
        }
        rows.extend(kinds(case).map(|kind| request_row(case, kind)));
    }
    table(&columns, rows)
}

fn request_row(case: &Case<Sample>, kind: &str) -> Vec<Cell> {
    let middle = |value: fn(&Requests) -> f64, make: fn(f64) -> Cell| {
        stats::median(&of_kind(case, kind, value)).map_or(Cell::Missing, make)
    };
    vec![
        Cell::Text(words(case)),
        stats::median(&rates(case, kind)).map_or(Cell::Missing, Cell::PerSecond),
        Cell::Text(kind.to_owned()),
        middle(|requests| requests.done as f64, Cell::Number),
        middle(|requests| requests.failed as f64, Cell::Number),
        middle(|requests| requests.mean_us / 1e6, Cell::Seconds),
        middle(|requests| requests.p50_us / 1e6, Cell::Seconds),
        middle(|requests| requests.p95_us / 1e6, Cell::Seconds),
        middle(|requests| requests.p99_us / 1e6, Cell::Seconds),
        middle(|requests| requests.max_us / 1e6, Cell::Seconds),
        middle_cell(case, |sample| sample.wal_peak_bytes as f64, |bytes| Cell::Bytes(bytes as u64)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capacity_is_told_as_arithmetic() {
        // 245 / 2 = 122.5 devices a second; times 600 seconds are 73,500.
        assert_eq!(
            capacity_words(245.0, 10),
            "245 requests a second / 2 = 123 devices a second; one update in 10 minutes = 73,500 devices"
        );
    }
}

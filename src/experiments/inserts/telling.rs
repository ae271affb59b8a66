//! How the saves a second are told: the sentence, the table with a bar for each setting, and every
//! ratio that changes one thing at a time.

use super::Sample;
use crate::{
    experiments::{
        drawing::{bars, many, measured, middle, middle_cell, values},
        telling::{case_cell, case_technical, interval_words, plain_name, power_cut},
    },
    measure::outcome::{Case, Outcome, Ratio},
    section::{Cell, Chart, ChartKind, Figure, Hue, Point, Scale, Section, Series, Table, Unit},
    stats, units,
};

/// The case everything is compared with: SQLite's defaults.
const DEFAULT: &str = "delete/full";
/// The case that is as safe and usually faster.
const WAL: &str = "wal/full";
/// Ratios within a tenth of 1 make no difference that anyone would notice.
const NEAR_ONE: std::ops::Range<f64> = 0.9..1.1;

pub(super) fn sections(outcome: &Outcome<Sample>) -> Vec<Section> {
    let mut sections = vec![saves(outcome)];
    if !outcome.ratios.is_empty() {
        sections.push(one_at_a_time(outcome));
    }
    sections
}

fn saves(outcome: &Outcome<Sample>) -> Section {
    let measured = measured(outcome);
    let main = outcome.ratio(WAL, DEFAULT);
    Section {
        id: "inserts".to_owned(),
        title: "How many small saves a second?".to_owned(),
        verdict: verdict(outcome, main),
        detail: detail(outcome, main),
        work: work(&measured),
        figures: figures(outcome, main),
        table: table(outcome),
        chart: bars(outcome, "saves a second", Unit::PerSecond, plain, Sample::per_second),
        dial: None,
    }
}

fn verdict(outcome: &Outcome<Sample>, main: Option<&Ratio>) -> String {
    match main {
        Some(ratio) if NEAR_ONE.contains(&ratio.value) => {
            "Waiting for the drive is not what limits you here; WAL still lets readers and a writer work together"
                .to_owned()
        }
        Some(ratio) if ratio.value < 1.0 => {
            format!("On this drive, WAL makes each safe save slower: {} times as fast", units::ratio(ratio.value))
        }
        Some(ratio) => format!("On this drive, WAL makes each safe save {} times as fast", units::ratio(ratio.value)),
        None => match best(outcome) {
            Some((case, rate)) => {
                format!("{} saves a second with {}", units::number(rate), case_technical(case))
            }
            None => "No saves were measured".to_owned(),
        },
    }
}

fn best(outcome: &Outcome<Sample>) -> Option<(&Case<Sample>, f64)> {
    let case = outcome.case(WAL).filter(|case| !case.samples.is_empty());
    let case = case.or_else(|| outcome.cases.iter().find(|case| !case.samples.is_empty()))?;
    Some((case, rate(case)?))
}

fn plain(case: &Case<Sample>) -> String {
    case.settings.as_ref().map_or_else(|| case.name.clone(), |settings| plain_name(settings).to_owned())
}

fn rate(case: &Case<Sample>) -> Option<f64> {
    middle(case, Sample::per_second)
}

fn detail(outcome: &Outcome<Sample>, main: Option<&Ratio>) -> Option<String> {
    let ratio = main?;
    let interval = units::sentence_case(&interval_words(ratio.low, ratio.high, ratio.confidence, ratio.rounds));
    let waiting = outcome.case(WAL).and_then(waiting_share);
    Some(match waiting {
        Some(share) => format!("{interval}. Waiting for the drive is {} of a safe save here.", units::percent(share)),
        None => format!("{interval}."),
    })
}

/// The part of the time that went into waiting for the drive.
fn waiting_share(case: &Case<Sample>) -> Option<f64> {
    let (waiting, seconds) = case
        .samples
        .iter()
        .fold((0.0, 0.0), |(waiting, seconds), sample| (waiting + sample.sync_seconds, seconds + sample.seconds));
    (seconds > 0.0).then(|| waiting / seconds)
}

fn work(measured: &[&Case<Sample>]) -> Option<String> {
    let samples = || measured.iter().flat_map(|case| &case.samples);
    let most = samples().map(|sample| sample.operations).max()?;
    let least = samples().map(|sample| sample.operations).min()?;
    let rounds = samples().map(|sample| sample.round).max()?;
    Some(if most == least {
        format!("{} saves in each run, {} of each setting", units::count(most), many(rounds, "run"))
    } else {
        format!("short blocks of saves, {rounds} rounds")
    })
}

fn figures(outcome: &Outcome<Sample>, main: Option<&Ratio>) -> Vec<Figure> {
    let speed = |name: &str| outcome.case(name).and_then(rate);
    let mut figures = Vec::new();
    if let Some(wal) = speed(WAL) {
        let default =
            speed(DEFAULT).map_or_else(String::new, |rate| format!(" ({} with the default)", units::number(rate)));
        figures.push(Figure { value: units::rate(wal), label: format!("safe saves with WAL{default}") });
    }
    if let Some(ratio) = main {
        figures.push(Figure {
            value: format!("{} times", units::ratio(ratio.value)),
            label: "as fast as the safe default".to_owned(),
        });
    }
    figures
}

fn table(outcome: &Outcome<Sample>) -> Table {
    let columns = [
        "Setting",
        "a second",
        "between",
        "times",
        "p99",
        "waiting for the drive",
        "syncs a save",
        "closing",
        "A power cut can lose",
    ];
    let default = outcome.case(DEFAULT).and_then(rate);
    Table {
        columns: columns.map(str::to_owned).to_vec(),
        rows: outcome.cases.iter().map(|case| row(case, outcome, default)).collect(),
    }
}

fn row(case: &Case<Sample>, outcome: &Outcome<Sample>, default: Option<f64>) -> Vec<Cell> {
    let cell = |value: Option<f64>, make: fn(f64) -> Cell| value.map_or(Cell::Missing, make);
    let speeds = values(case, Sample::per_second);
    let times = match outcome.ratio(&case.name, DEFAULT) {
        Some(ratio) => Some(ratio.value),
        None => rate(case).zip(default).map(|(rate, default)| rate / default),
    };
    let closing: Vec<f64> = case.samples.iter().filter_map(|sample| sample.close_seconds).collect();
    let commits: u64 = case.samples.iter().map(|sample| sample.operations).sum();
    let syncs: u64 = case.samples.iter().map(|sample| sample.syncs).sum();
    vec![
        case_cell(case),
        match &case.refused {
            Some(answer) => Cell::Text(answer.clone()),
            None => cell(rate(case), Cell::PerSecond),
        },
        stats::median_interval(&speeds)
            .map_or(Cell::Missing, |interval| Cell::PerSecondRange(interval.low, interval.high)),
        cell(times, Cell::Times),
        middle_cell(case, |sample| sample.p99_us / 1e6, Cell::Seconds),
        cell(waiting_share(case), Cell::Share),
        cell((commits > 0).then(|| syncs as f64 / commits as f64), Cell::Number),
        cell(stats::median(&closing), Cell::Seconds),
        case.settings.as_ref().map_or(Cell::Missing, |settings| Cell::Text(power_cut(settings).to_owned())),
    ]
}

/// Less than this many times as fast is not worth a sentence.
const LEAST_STEP: f64 = 1.05;

fn one_at_a_time(outcome: &Outcome<Sample>) -> Section {
    let strongest = outcome
        .ratios
        .iter()
        .filter(|ratio| ratio.name != "both")
        .max_by(|one, other| one.value.total_cmp(&other.value));
    Section {
        id: "inserts-ratios".to_owned(),
        title: "What does each change do by itself?".to_owned(),
        verdict: strongest.map_or_else(String::new, |ratio| {
            if ratio.value < LEAST_STEP {
                return "No single step makes saves much faster here".to_owned();
            }
            format!("The largest single step is {}: {} times as fast", change(ratio), units::ratio(ratio.value))
        }),
        detail: Some(
            "Each ratio is taken inside a round, so a drive that changes speed changes both sides alike.".to_owned(),
        ),
        work: None,
        figures: Vec::new(),
        table: Table {
            columns: ["Change", "from", "to", "times", "between", "rounds"].map(str::to_owned).to_vec(),
            rows: outcome.ratios.iter().map(|ratio| ratio_row(ratio, outcome)).collect(),
        },
        chart: Some(Chart {
            kind: ChartKind::Ratios,
            axis: "times as fast".to_owned(),
            x_axis: None,
            unit: Unit::Times,
            scale: Scale::Log,
            reference: Some(1.0),
            series: outcome.ratios.iter().map(|ratio| ratio_series(ratio, outcome)).collect(),
        }),
        dial: None,
    }
}

/// What changes, in plain words.
fn change(ratio: &Ratio) -> String {
    match ratio.name.as_str() {
        "journal mode at full" => "WAL instead of DELETE, at FULL",
        "journal mode at normal" => "WAL instead of DELETE, at NORMAL",
        "synchronous in wal" => "NORMAL instead of FULL, in WAL",
        "synchronous in delete" => "NORMAL instead of FULL, in DELETE",
        "both" => "Both changes together",
        "equal durability" => "WAL, FULL instead of DELETE, EXTRA: equally safe",
        other => other,
    }
    .to_owned()
}

fn technical(name: &str, outcome: &Outcome<Sample>) -> String {
    outcome.case(name).map_or_else(|| name.to_owned(), case_technical)
}

fn ratio_row(ratio: &Ratio, outcome: &Outcome<Sample>) -> Vec<Cell> {
    vec![
        Cell::Text(change(ratio)),
        Cell::Text(technical(&ratio.to, outcome)),
        Cell::Text(technical(&ratio.of, outcome)),
        Cell::Times(ratio.value),
        Cell::TimesRange(ratio.low, ratio.high),
        Cell::Count(ratio.rounds),
    ]
}

fn ratio_series(ratio: &Ratio, outcome: &Outcome<Sample>) -> Series {
    let hue = if ratio.of.starts_with("wal") { Hue::Wal } else { Hue::Rollback };
    Series {
        name: change(ratio),
        technical: format!("{} to {}", technical(&ratio.to, outcome), technical(&ratio.of, outcome)),
        hue,
        points: vec![Point { x: 0.0, median: ratio.value, low: ratio.low, high: ratio.high, samples: Vec::new() }],
    }
}

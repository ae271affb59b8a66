//! How checkpoints are told: what they cost, who is in their way, and what a database remembers.

use super::{Checkpoint, MEMORY, MODES, Mode, Reopened, Sample, Written, case_name};
use crate::{
    experiments::drawing::{bars, measured, refused_row, table},
    measure::outcome::{Case, Outcome},
    section::{Cell, Section, Table, Unit},
    stats, units,
};

pub(super) fn sections(params: &Checkpoint, outcome: &Outcome<Sample>) -> Vec<Section> {
    let (memory, checkpoints): (Vec<_>, Vec<_>) = outcome.cases.iter().cloned().partition(|case| case.name == MEMORY);
    let part = |cases| Outcome { cases, ..outcome.clone() };
    vec![written_back(params, &part(checkpoints)), remembered(&part(memory))]
}

fn written(sample: &Sample) -> Option<&Written> {
    match sample {
        Sample::Written(written) => Some(written),
        Sample::Reopened(_) => None,
    }
}

fn reopened(sample: &Sample) -> Option<&Reopened> {
    match sample {
        Sample::Reopened(reopened) => Some(reopened),
        Sample::Written(_) => None,
    }
}

fn seconds(sample: &Sample) -> f64 {
    written(sample).map_or(0.0, |written| written.seconds)
}

fn written_back(params: &Checkpoint, outcome: &Outcome<Sample>) -> Section {
    Section {
        id: "checkpoint".to_owned(),
        title: "What does a checkpoint cost, and what stops it?".to_owned(),
        verdict: verdict(outcome),
        detail: Some(
            "A checkpoint moves what WAL has collected into the database. One reader that keeps an old transaction open \
             holds it back, and the WAL file grows for as long."
                .to_owned(),
        ),
        work: Some(format!(
            "{} saves before each checkpoint, {} of each kind, waiting up to {} for a reader",
            units::count(params.inserts),
            units::count(params.rounds),
            units::seconds(params.busy_timeout_ms as f64 / 1e3)
        )),
        figures: Vec::new(),
        table: rows(outcome),
        chart: bars(outcome, "seconds of a checkpoint", Unit::Seconds, words, seconds),
        dial: None,
    }
}

fn all(case: &Case<Sample>) -> impl Iterator<Item = &Written> {
    case.samples.iter().filter_map(written)
}

fn middle(outcome: &Outcome<Sample>, name: &str, value: impl Fn(&Written) -> f64) -> Option<f64> {
    stats::median(&all(outcome.case(name)?).map(value).collect::<Vec<_>>())
}

fn verdict(outcome: &Outcome<Sample>) -> String {
    let alone = case_name(Mode::Truncate, false);
    let Some((took, bytes)) =
        middle(outcome, &alone, |written| written.seconds)
            .zip(middle(outcome, &alone, |written| written.wal_bytes_before as f64))
    else {
        return if measured(outcome).is_empty() { "No checkpoint was made" } else { "Only a part was measured" }
            .to_owned();
    };
    let cost = format!("Writing a WAL of {} back takes {} here", units::bytes(bytes as u64), units::seconds(took));
    let stopped = MODES.iter().filter(|mode| {
        let held_back = |written: &Written| written.checkpointed_pages < written.log_pages;
        outcome.case(&case_name(**mode, true)).is_some_and(|case| all(case).any(held_back))
    });
    match stopped.count() {
        0 => cost,
        count if count == MODES.len() => format!("{cost}, and one old reader stops every kind of checkpoint"),
        count => format!("{cost}, and one old reader stops {} of the four kinds", units::in_words(count as u64)),
    }
}

fn words(case: &Case<Sample>) -> String {
    let mode = case.name.split('/').next().unwrap_or_default().to_uppercase();
    let alone = !case.name.contains("old-reader");
    format!("{mode}, {}", if alone { "nobody else there" } else { "an old reader there" })
}

fn rows(outcome: &Outcome<Sample>) -> Table {
    let columns = ["Checkpoint", "takes", "WAL before", "WAL after", "pages in WAL", "pages written back", "busy"];
    let rows = outcome.cases.iter().map(|case| {
        let first = Cell::Text(words(case));
        if let Some(row) = refused_row(case, first.clone(), columns.len()) {
            return row;
        }
        let middle = |value: fn(&Written) -> f64, make: fn(f64) -> Cell| {
            stats::median(&all(case).map(value).collect::<Vec<_>>()).map_or(Cell::Missing, make)
        };
        vec![
            first,
            middle(|written| written.seconds, Cell::Seconds),
            middle(|written| written.wal_bytes_before as f64, bytes),
            middle(|written| written.wal_bytes_after as f64, bytes),
            middle(|written| written.log_pages as f64, Cell::Number),
            middle(|written| written.checkpointed_pages as f64, Cell::Number),
            middle(|written| written.busy as f64, Cell::Number),
        ]
    });
    table(&columns, rows.collect())
}

fn bytes(bytes: f64) -> Cell {
    Cell::Bytes(bytes as u64)
}

fn remembered(outcome: &Outcome<Sample>) -> Section {
    let found = outcome.cases.iter().flat_map(|case| &case.samples).filter_map(reopened).next();
    Section {
        id: "checkpoint-memory".to_owned(),
        title: "Which settings does a database remember?".to_owned(),
        verdict: found.map_or_else(
            || {
                outcome
                    .cases
                    .iter()
                    .find_map(|case| case.refused.clone())
                    .unwrap_or_else(|| "Nothing was measured".to_owned())
            },
            memory_verdict,
        ),
        detail: Some("Whatever a file does not remember must be set each time that a program opens it.".to_owned()),
        work: Some("WAL and NORMAL set, closed, opened again, then back to DELETE".to_owned()),
        figures: Vec::new(),
        table: found.map_or_else(|| table(&["Setting", "found"], Vec::new()), memory_rows),
        chart: None,
        dial: None,
    }
}

fn memory_verdict(found: &Reopened) -> String {
    match (found.journal_mode == "wal", found.synchronous == found.synchronous_set) {
        (true, false) => {
            "The file remembers WAL; how much SQLite waits for the drive (synchronous) it does not".to_owned()
        }
        (true, true) => "The file remembers WAL, and synchronous is what SQLite was built with".to_owned(),
        (false, _) => format!("The file did not remember WAL: it came back as {}", found.journal_mode),
    }
}

fn memory_rows(found: &Reopened) -> Table {
    let yes = |there: bool| if there { "there" } else { "not there" }.to_owned();
    let level = |number: i64| {
        let name = usize::try_from(number).ok().and_then(|index| ["OFF", "NORMAL", "FULL", "EXTRA"].get(index));
        name.map_or_else(|| number.to_string(), ToString::to_string)
    };
    let rows = [
        ("journal_mode after opening again", found.journal_mode.to_uppercase()),
        ("synchronous that was set", level(found.synchronous_set)),
        ("synchronous after opening again", level(found.synchronous)),
        ("-wal file while open", yes(found.wal_file_while_open)),
        ("-shm file while open", yes(found.shm_file_while_open)),
        ("journal_mode after going back to DELETE", found.switched_to.to_uppercase()),
        ("-wal or -shm file after that", yes(found.files_left)),
    ];
    table(
        &["Setting", "found"],
        rows.map(|(name, value)| vec![Cell::Text(name.to_owned()), Cell::Text(value)]).to_vec(),
    )
}

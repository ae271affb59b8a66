//! How backups are told: which are whole, what they miss, and what they cost the writer.

use super::{Backup, METHODS, Method, Sample};
use crate::{
    experiments::drawing::{bars, many, measured, middle_cell, most_cell, refused_row, table, total},
    measure::outcome::{Case, Outcome},
    section::{Cell, Section, Table, Unit},
    units,
};

pub(super) fn section(params: &Backup, outcome: &Outcome<Sample>) -> Section {
    Section {
        id: "backup".to_owned(),
        title: "Which backup of a database in use can be trusted?".to_owned(),
        verdict: verdict(outcome),
        detail: detail(outcome),
        work: Some(format!(
            "{} rows, a writer that saves all the time, {} with each method",
            units::count(params.rows),
            many(params.rounds, "backup")
        )),
        figures: Vec::new(),
        table: rows(outcome),
        chart: bars(outcome, "seconds of a backup", Unit::Seconds, words, |sample| sample.seconds),
        dial: None,
    }
}

fn method(case: &Case<Sample>) -> Option<Method> {
    METHODS.into_iter().find(|method| method.name() == case.name)
}

fn copies_files(case: &Case<Sample>) -> bool {
    method(case).is_some_and(Method::copies_files)
}

fn passed(case: &Case<Sample>) -> usize {
    case.samples.iter().filter(|sample| sample.passed()).count()
}

/// Backups that are not whole.
fn damaged(case: &Case<Sample>) -> u64 {
    case.samples.iter().filter(|sample| sample.integrity != "ok").count() as u64
}

/// Committed rows that are missing in the backups that are whole.
fn missing(case: &Case<Sample>) -> u64 {
    total(case, |sample| if sample.integrity == "ok" { sample.missing_rows } else { 0 })
}

fn words(case: &Case<Sample>) -> String {
    match method(case) {
        Some(Method::CopyDatabase) => "Copying the .db file".to_owned(),
        Some(Method::CopyAll) => "Copying .db, -wal and -shm".to_owned(),
        Some(Method::VacuumInto) => "VACUUM INTO".to_owned(),
        Some(Method::Online) => "SQLite's online backup".to_owned(),
        None => case.name.clone(),
    }
}

fn verdict(outcome: &Outcome<Sample>) -> String {
    let (copies, by_sqlite): (Vec<_>, Vec<_>) = measured(outcome).into_iter().partition(|case| copies_files(case));
    let incomplete =
        |cases: &[&Case<Sample>]| cases.iter().map(|case| (case.samples.len() - passed(case)) as u64).sum::<u64>();
    if by_sqlite.is_empty() && copies.is_empty() {
        return "No backup was made".to_owned();
    }
    if incomplete(&by_sqlite) > 0 {
        let all: usize = by_sqlite.iter().map(|case| case.samples.len()).sum();
        return format!(
            "{} of {} backups that SQLite made were not complete; do not trust this drive with data",
            units::count(incomplete(&by_sqlite)),
            units::count(all as u64)
        );
    }
    let all_copies: usize = copies.iter().map(|case| case.samples.len()).sum();
    match (copies.is_empty(), incomplete(&copies)) {
        (true, _) => "Every backup that SQLite made was complete".to_owned(),
        (_, 0) => "Every backup that SQLite made was complete; copied files passed here and are still unsafe by design"
            .to_owned(),
        (_, lost) => format!(
            "Only SQLite's own backups can be trusted: {} of {} copies of the files were incomplete",
            units::count(lost),
            units::count(all_copies as u64)
        ),
    }
}

fn detail(outcome: &Outcome<Sample>) -> Option<String> {
    let copies = measured(outcome).into_iter().filter(|case| copies_files(case));
    let sentences: Vec<String> = copies
        .map(|case| {
            let (passed, all) = (passed(case) as u64, case.samples.len() as u64);
            let unsafe_words = if passed == all { ", and still unsafe by design" } else { "" };
            let lost = [(damaged(case), "damaged"), (missing(case), "committed rows missing")];
            let lost: Vec<String> = lost
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| format!("{} {what}", units::count(*count)))
                .collect();
            let lost = if lost.is_empty() { String::new() } else { format!(" ({})", lost.join(", ")) };
            format!(
                "{} passed {} of {} here{unsafe_words}{lost}.",
                words(case),
                units::count(passed),
                units::count(all)
            )
        })
        .collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn rows(outcome: &Outcome<Sample>) -> Table {
    let columns = [
        "Backup",
        "complete",
        "takes",
        "size",
        "committed rows missing",
        "damaged",
        "saves a second meanwhile",
        "safe by design",
    ];
    let rows = outcome.cases.iter().map(|case| {
        let first = Cell::Text(words(case));
        refused_row(case, first.clone(), columns.len()).unwrap_or_else(|| {
            vec![
                first,
                Cell::Text(format!("{} of {}", passed(case), case.samples.len())),
                middle_cell(case, |sample| sample.seconds, Cell::Seconds),
                most_cell(case, |sample| sample.bytes as f64, |bytes| Cell::Bytes(bytes as u64)),
                Cell::Count(missing(case)),
                Cell::Count(damaged(case)),
                middle_cell(case, Sample::commits_per_second, Cell::PerSecond),
                Cell::Text(if copies_files(case) { "no" } else { "yes" }.to_owned()),
            ]
        })
    });
    table(&columns, rows.collect())
}

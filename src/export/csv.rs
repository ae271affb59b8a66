//! One row for each raw sample of every experiment, for a spreadsheet or a database. Every row says by
//! itself which run, experiment, case and settings it belongs to; a column that an experiment does not
//! have is empty in its rows. docs/exports.md lists the columns.

use std::collections::{HashMap, HashSet};

use csv::{Terminator, WriterBuilder};
use serde_json::Value;
use thiserror::Error;

use crate::{report::Report, units};

/// With more columns than this, which no real result has, maps stay in one cell as JSON.
const MOST_COLUMNS: usize = 200;
/// The columns that say which run a row belongs to.
const RUN: [&str; 6] = ["result_id", "started_at", "preset", "drive", "file_system", "sqlite_version"];

/// The columns that most experiments have; they come next.
const SAMPLE: [&str; 6] = ["experiment", "case", "journal_mode", "synchronous", "busy_timeout_ms", "round"];

/// Why no table was made.
#[derive(Debug, Error)]
pub(super) enum CsvError {
    /// The result does not become JSON, which its cells are made from.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A row was not written.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// The end was not written.
    #[error("{0}")]
    End(String),
}

/// The name of a column and a cell of it.
type Fields = Vec<(String, String)>;

/// The table.
///
/// # Errors
/// Never for a result that was measured or opened.
pub(super) fn write(report: &Report) -> Result<Vec<u8>, CsvError> {
    let (mut spread, mut columns) = (true, columns(report, true)?);
    if columns.len() > MOST_COLUMNS {
        (spread, columns) = (false, self::columns(report, false)?);
    }
    let places: HashMap<&str, usize> =
        columns.iter().enumerate().map(|(place, column)| (column.as_str(), place)).collect();
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(columns.iter().map(|column| text(column)))?;
    each_row(report, spread, &mut |row| {
        let mut cells = vec![""; columns.len()];
        for (name, cell) in row {
            if let Some(place) = places.get(name.as_str()).and_then(|place| cells.get_mut(*place)) {
                *place = cell;
            }
        }
        Ok(writer.write_record(cells)?)
    })?;
    writer.into_inner().map_err(|error| CsvError::End(error.to_string()))
}

/// Every column in the order it first appears, those of the run first, also where there is no row.
fn columns(report: &Report, spread: bool) -> Result<Vec<String>, CsvError> {
    let mut columns: Vec<String> = RUN.into_iter().chain(SAMPLE).map(str::to_owned).collect();
    let mut seen: HashSet<String> = columns.iter().cloned().collect();
    each_row(report, spread, &mut |row| {
        for (name, _) in row {
            if seen.insert(name.clone()) {
                columns.push(name.clone());
            }
        }
        Ok(())
    })?;
    Ok(columns)
}

/// Hands over the rows one by one, for a large result has many.
fn each_row(
    report: &Report,
    spread: bool,
    take: &mut dyn FnMut(&Fields) -> Result<(), CsvError>,
) -> Result<(), CsvError> {
    let run = run(report);
    for outcome in &report.experiments {
        let value = serde_json::to_value(outcome)?;
        for case in value.get("cases").and_then(Value::as_array).into_iter().flatten() {
            let mut about = run.clone();
            about.push(("experiment".to_owned(), outcome.id().to_owned()));
            about.extend(settings(case));
            for sample in case.get("samples").and_then(Value::as_array).into_iter().flatten() {
                let mut row = about.clone();
                put(&mut row, "", sample, spread);
                take(&row)?;
            }
        }
    }
    Ok(())
}

/// What is the same in every row.
fn run(report: &Report) -> Fields {
    let facts = [
        report.id.to_string(),
        report.started_at.to_string(),
        report.preset_word().to_lowercase(),
        report.drive_words(),
        report.volume.file_system.clone().unwrap_or_default(),
        report.sqlite.version.clone(),
    ];
    RUN.into_iter().map(str::to_owned).zip(facts.iter().map(|fact| text(fact))).collect()
}

/// The case's name and settings. One that was refused has no samples, so no row says why.
fn settings(case: &Value) -> Fields {
    let mut fields = Fields::new();
    if let Some(name) = case.get("name") {
        put(&mut fields, "case", name, false);
    }
    let about = case.as_object().into_iter().flatten();
    for (key, value) in about.filter(|(key, _)| !["name", "samples", "refused"].contains(&key.as_str())) {
        put(&mut fields, key, value, false);
    }
    fields
}

/// Adds a value to a row. A map becomes one column for each of its entries (`requests.upload.done`), a
/// list stays in one cell as JSON.
fn put(row: &mut Fields, name: &str, value: &Value, spread: bool) {
    let cell = match value {
        Value::Object(fields) if spread || name.is_empty() => {
            for (key, value) in fields {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                put(row, &name, value, spread);
            }
            return;
        }
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(words) => text(words),
        Value::Array(_) | Value::Object(_) => text(&value.to_string()),
    };
    row.push((name.to_owned(), cell));
}

/// Words as a cell that no spreadsheet takes for a formula, also one that splits lines at semicolons: an
/// apostrophe stands before whatever could begin one. Numbers of the result never come through here.
fn text(words: &str) -> String {
    let words = units::harmless(words);
    let mut cell = String::with_capacity(words.len());
    let mut begins = true;
    for letter in words.chars() {
        if begins && starts_formula(letter) {
            cell.push('\'');
        }
        cell.push(letter);
        begins = letter == ';' || (begins && (letter.is_whitespace() || letter == '"'));
    }
    cell
}

/// The signs that begin a formula in Excel, LibreOffice or Google Sheets, also in their full width (OWASP,
/// "CSV Injection").
fn starts_formula(letter: char) -> bool {
    matches!(letter, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_of_words_begins_a_formula() {
        for (words, cell) in [
            ("=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1+1", " '=1+1"),
            ("-1", "'-1"),
            ("＝1", "'＝1"),
            ("a;=1", "a;'=1"),
            ("a;\"=1", "a;\"'=1"),
            ("wal/full", "wal/full"),
            ("copy of .db, -wal and -shm", "copy of .db, -wal and -shm"),
            ("3-2=1", "3-2=1"),
        ] {
            assert_eq!(text(words), cell);
        }
    }

    #[test]
    fn maps_become_columns_and_lists_stay_together() {
        let sample = serde_json::json!({"round": 1, "requests": {"upload": {"done": 2}}, "list": [1, 2], "none": null});
        let mut row = Fields::new();
        put(&mut row, "", &sample, true);
        let row: Vec<(&str, &str)> = row.iter().map(|(name, cell)| (name.as_str(), cell.as_str())).collect();
        for field in [("round", "1"), ("requests.upload.done", "2"), ("list", "[1,2]"), ("none", "")] {
            assert!(row.contains(&field), "{field:?} is not in {row:?}");
        }
    }
}

//! Opening a result file. Files come from strangers: size, form, version and every number are checked
//! before anything is shown, and what is wrong is said in one sentence. Summaries are made afresh from
//! the samples and must agree with those in the file. Characters that would act unseen are made visible in
//! every text, so that no front end has to think of it.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{FORMAT, FORMAT_VERSION, Report, limits::Limits};
use crate::units::harmless;

/// The largest file that is opened. A Full result is well below 2 MB; the rest is room for the future.
pub const MOST_BYTES: u64 = 50_000_000;
/// How far a summary may be from the one made afresh, relative to it: the rounding of decimal text.
const TOLERANCE: f64 = 1e-6;

/// Why a file was not opened.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The system could not read it.
    #[error("The file cannot be read ({source}). Check that it is there and that you may read it: {}", shown(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// No bytes.
    #[error("The file is empty. Ask for it again, or run the test again: {}", shown(.0))]
    Empty(PathBuf),
    /// Too many bytes.
    #[error("The file is too large to be a result ({} at most). Choose a file that CommitMark saved: {}",
        crate::units::bytes(MOST_BYTES), shown(.0))]
    TooLarge(PathBuf),
    /// Text that is cut off.
    #[error("The file ends too early, so a part of it is missing. Ask for it again: {}", shown(.0))]
    Truncated(PathBuf),
    /// Not JSON at all.
    #[error("The file is not JSON ({reason}). Choose a file that CommitMark saved: {}", shown(path))]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        reason: String,
    },
    /// More than a result can hold.
    #[error("The file cannot be a result: {reason}. Choose a file that CommitMark saved: {}", shown(path))]
    TooMuch {
        /// The file.
        path: PathBuf,
        /// What there is too much of.
        reason: String,
    },
    /// JSON of something else.
    #[error("The file is not a CommitMark result. Choose a file that CommitMark saved: {}", shown(.0))]
    OtherFormat(PathBuf),
    /// A format from the future.
    #[error(
        "The file has format {found}, and this CommitMark reads formats up to {FORMAT_VERSION}. Get a newer CommitMark to open it: {}",
        shown(path)
    )]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u64,
    },
    /// A field that is missing or of another type.
    #[error("The file is damaged or was changed by hand ({reason}). Ask for it again: {}", shown(path))]
    WrongField {
        /// The file.
        path: PathBuf,
        /// Which field, and what is wrong with it.
        reason: String,
    },
}

/// Opens a result file and checks it.
///
/// # Errors
/// One sentence for each thing that can be wrong with a file.
pub fn load(path: &Path) -> Result<Report, LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
    let facts = path.metadata().map_err(unreadable)?;
    if facts.is_dir() {
        return Err(unreadable(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    // Opening a pipe waits until somebody writes into it, which may be never.
    if !facts.is_file() {
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "it is no ordinary file")));
    }
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large, also where the size is not known.
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(LoadError::TooLarge(path.to_owned()));
    }
    parse(&bytes, path)
}

/// Reads a result from bytes; `path` is for messages only.
///
/// # Errors
/// As `load`.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Report, LoadError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(LoadError::Empty(path.to_owned()));
    }
    // Windows editors put a byte order mark before UTF-8.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut limits = Limits::default();
    let checked = limits.check(bytes).and_then(|()| serde_json::from_slice(bytes));
    let mut value: serde_json::Value = checked.map_err(|error| match limits.passed.take() {
        Some(reason) => LoadError::TooMuch { path: path.to_owned(), reason },
        None if error.is_eof() => LoadError::Truncated(path.to_owned()),
        None => LoadError::NotJson { path: path.to_owned(), reason: harmless(&error.to_string()).into_owned() },
    })?;
    if value.get("format").and_then(serde_json::Value::as_str) != Some(FORMAT) {
        return Err(LoadError::OtherFormat(path.to_owned()));
    }
    let wrong =
        |reason: String| LoadError::WrongField { path: path.to_owned(), reason: harmless(&reason).into_owned() };
    match value.get("format_version").and_then(serde_json::Value::as_u64) {
        Some(version) if version <= FORMAT_VERSION.into() && version > 0 => {}
        Some(found) if found > FORMAT_VERSION.into() => {
            return Err(LoadError::NewerFormat { path: path.to_owned(), found });
        }
        _ => return Err(wrong("format_version is not a number of at least 1".to_owned())),
    }
    make_harmless(&mut value);
    let report: Report = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    check(&report).map_err(wrong)?;
    Ok(report)
}

/// Makes characters visible that would act unseen, in every text and name.
fn make_harmless(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => {
            if let Cow::Owned(shown) = harmless(text) {
                *text = shown;
            }
        }
        serde_json::Value::Array(values) => values.iter_mut().for_each(make_harmless),
        serde_json::Value::Object(fields) => {
            if fields.keys().any(|name| matches!(harmless(name), Cow::Owned(_))) {
                let named = |(name, value): (String, _)| (harmless(&name).into_owned(), value);
                *fields = std::mem::take(fields).into_iter().map(named).collect();
            }
            fields.values_mut().for_each(make_harmless);
        }
        _ => {}
    }
}

/// A path for a sentence: file names come from strangers too.
fn shown(path: &Path) -> String {
    harmless(&path.display().to_string()).into_owned()
}

fn check(report: &Report) -> Result<(), String> {
    if !(report.wall_seconds.is_finite() && report.wall_seconds >= 0.0) {
        return Err("wall_seconds is not a duration".to_owned());
    }
    for outcome in &report.experiments {
        let id = outcome.id();
        outcome.check().map_err(|reason| format!("experiment {id}: {reason}"))?;
        let fresh = outcome.ratios_from_samples();
        if fresh.len() != outcome.ratios().len() {
            return Err(format!("experiment {id}: the ratios do not belong to the samples"));
        }
        for (made, stated) in fresh.iter().zip(outcome.ratios()) {
            let agrees = made.of == stated.of
                && made.to == stated.to
                && [(made.value, stated.value), (made.low, stated.low), (made.high, stated.high)]
                    .iter()
                    .all(|(made, stated)| (made - stated).abs() <= TOLERANCE * made.abs());
            if !agrees {
                return Err(format!(
                    "experiment {id}: the ratio of {} to {} does not follow from the samples",
                    stated.of, stated.to
                ));
            }
        }
    }
    Ok(())
}

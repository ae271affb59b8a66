//! Opening a result file. Files come from strangers: size, form, version and every number are checked
//! before anything is shown, and what is wrong is said in one sentence. Summaries are made afresh from
//! the samples and must agree with those in the file.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{FORMAT, FORMAT_VERSION, Report};

/// The largest file that is opened. A Full result is well below 2 MB; the rest is room for the future.
pub const MOST_BYTES: u64 = 50_000_000;
/// How far a summary may be from the one made afresh, relative to it: the rounding of decimal text.
const TOLERANCE: f64 = 1e-6;

/// Why a file was not opened.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The system could not read it.
    #[error("The file cannot be read ({source}). Check that it is there and that you may read it: {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// No bytes.
    #[error("The file is empty. Ask for it again, or run the test again: {}", .0.display())]
    Empty(PathBuf),
    /// Too many bytes.
    #[error("The file is too large to be a result ({} at most). Choose a file that CommitMark saved: {}",
        crate::units::bytes(MOST_BYTES), .0.display())]
    TooLarge(PathBuf),
    /// Text that is cut off.
    #[error("The file ends too early, so a part of it is missing. Ask for it again: {}", .0.display())]
    Truncated(PathBuf),
    /// Not JSON at all.
    #[error("The file is not JSON ({reason}). Choose a file that CommitMark saved: {}", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        reason: String,
    },
    /// JSON of something else.
    #[error("The file is not a CommitMark result. Choose a file that CommitMark saved: {}", .0.display())]
    OtherFormat(PathBuf),
    /// A format from the future.
    #[error("The file has format {found}, and this CommitMark reads formats up to {FORMAT_VERSION}. Get a newer CommitMark to open it: {}",
        path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u64,
    },
    /// A field that is missing or of another type.
    #[error("The file is damaged or was changed by hand ({reason}). Ask for it again: {}", path.display())]
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
    let file = File::open(path).map_err(unreadable)?;
    let facts = file.metadata().map_err(unreadable)?;
    if facts.is_dir() {
        return Err(unreadable(io::Error::from(io::ErrorKind::IsADirectory)));
    }
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
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|error| {
        if error.is_eof() {
            LoadError::Truncated(path.to_owned())
        } else {
            LoadError::NotJson { path: path.to_owned(), reason: error.to_string() }
        }
    })?;
    if value.get("format").and_then(serde_json::Value::as_str) != Some(FORMAT) {
        return Err(LoadError::OtherFormat(path.to_owned()));
    }
    let wrong = |reason: String| LoadError::WrongField { path: path.to_owned(), reason };
    match value.get("format_version").and_then(serde_json::Value::as_u64) {
        Some(version) if version <= FORMAT_VERSION.into() && version > 0 => {}
        Some(found) if found > FORMAT_VERSION.into() => {
            return Err(LoadError::NewerFormat { path: path.to_owned(), found });
        }
        _ => return Err(wrong("format_version is not a number of at least 1".to_owned())),
    }
    let report: Report = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    check(&report).map_err(wrong)?;
    Ok(report)
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

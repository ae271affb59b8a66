//! What every run of every experiment begins and ends with: a fresh database whose settings SQLite took,
//! and the check of the data before a sample counts.

use std::path::Path;

use crate::measure::{
    MeasureError,
    context::Context,
    database::{Database, OpenError, Settings},
    outcome::Sample,
};

/// Opens a fresh database for a case. `None` where SQLite does not take the settings: the case is then
/// recorded as refused, with SQLite's answer, and the experiment goes on with the rest.
///
/// # Errors
/// Anything but a refusal.
pub(super) fn open_case<S: Sample>(
    context: &mut Context<'_, S>,
    name: &str,
    settings: &Settings,
) -> Result<Option<Database>, MeasureError> {
    context.begin_case(name, settings.clone());
    match Database::open(&context.new_file(), settings) {
        Ok(database) => Ok(Some(database)),
        Err(OpenError::Refused(answer)) => {
            context.refuse_case(name, settings.clone(), answer);
            Ok(None)
        }
        Err(OpenError::Failed(error)) => Err(error),
    }
}

/// Opens further connections to a database that SQLite took with the same settings.
///
/// # Errors
/// SQLite's; a refusal too, for the first connection was not refused.
pub(super) fn open_more(path: &Path, settings: &Settings, count: u64) -> Result<Vec<Database>, MeasureError> {
    (0..count).map(|_| Database::open(path, settings).map_err(OpenError::into_measure_error)).collect()
}

/// Records a sample whose data was checked with this result; one whose data is wrong voids its case.
///
/// # Errors
/// The check could not be made.
pub(super) fn conclude<S: Sample>(
    context: &mut Context<'_, S>,
    name: &str,
    checked: Result<(), MeasureError>,
    sample: S,
) -> Result<(), MeasureError> {
    match checked {
        Ok(()) => context.record(name, sample),
        Err(MeasureError::WrongData { found, .. }) => context.void_case(name, found),
        Err(error) => return Err(error),
    }
    Ok(())
}

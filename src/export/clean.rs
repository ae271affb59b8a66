//! A result fit to leave: people are taken out of every text in it, except the person's own note. And
//! the same fit to be shown: what would act unseen is named.

use std::borrow::Cow;

use serde_json::Value;

use crate::{report::Report, system::privacy::Person, units};

/// The result without home folders, user names and server names in any text. The note stays as it is:
/// those are the person's own words.
///
/// # Errors
/// Never for a result that was measured or opened.
pub fn private(report: &Report) -> serde_json::Result<Report> {
    let person = Person::current();
    let cleaned = reworded(report, &|text| person.taken_out_of(text))?;
    Ok(Report { note: report.note.clone(), ..cleaned })
}

/// The result with every text as [`units::harmless`] shows it.
///
/// # Errors
/// Never for a result that was measured or opened.
pub(super) fn harmless(report: &Report) -> serde_json::Result<Report> {
    reworded(report, &|text| units::harmless(text))
}

fn reworded(report: &Report, reword: &dyn Fn(&str) -> Cow<'_, str>) -> serde_json::Result<Report> {
    let mut value = serde_json::to_value(report)?;
    reword_all(&mut value, reword);
    serde_json::from_value(value)
}

/// Names of fields have nothing to hide and stay; names in maps that a file chose are text like any other.
fn reword_all(value: &mut Value, reword: &dyn Fn(&str) -> Cow<'_, str>) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(other) = reword(text) {
                *text = other;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| reword_all(value, reword)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| reword_all(value, reword));
            if fields.keys().any(|name| matches!(reword(name), Cow::Owned(_))) {
                *fields = std::mem::take(fields)
                    .into_iter()
                    .map(|(name, value)| (reword(&name).into_owned(), value))
                    .collect();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

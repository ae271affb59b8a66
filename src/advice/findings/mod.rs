//! Findings: plain sentences with the numbers behind them. Each rule is one small function that looks at the
//! [`evidence`] and names its source; where a measurement is missing or noisy the finding says so and what
//! to run, and rests on SQLite's documentation alone. `advice` puts them together.

pub mod evidence;
pub mod care;
pub mod locks;
pub mod place;
pub mod speed;

#[cfg(test)]
pub(super) mod samples;

use super::settings::Choice;
use evidence::Evidence;

/// One thing to do, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    /// Stable and lower case, for tests and programs.
    pub id: &'static str,
    /// What to do, in a few words: "Use WAL".
    pub advice: String,
    /// Why, with the numbers of this drive where they were measured.
    pub reason: String,
    /// What it risks or costs; `None` where it costs nothing.
    pub risk: Option<String>,
    /// What the reason rests on.
    pub basis: Basis,
}

/// What a reason rests on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Basis {
    /// On numbers of this drive.
    Measured,
    /// On SQLite's documentation: nothing was measured, or what was measured decides nothing.
    Documented,
}

/// A reason before it is part of a finding.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Reason {
    words: String,
    basis: Basis,
}

impl Reason {
    fn measured(words: String) -> Self {
        Self { words, basis: Basis::Measured }
    }

    fn documented(words: impl Into<String>) -> Self {
        Self { words: words.into(), basis: Basis::Documented }
    }

    fn finding(self, id: &'static str, advice: impl Into<String>, risk: Option<&str>) -> Finding {
        let Self { words, basis } = self;
        Finding { id, advice: advice.into(), reason: words, risk: risk.map(str::to_owned), basis }
    }
}

/// Sentences as one text: a full stop after each, and none after one alone.
fn sentences(parts: &[&str]) -> String {
    match parts {
        [one] => (*one).to_owned(),
        several => several.iter().map(|part| format!("{part}.")).collect::<Vec<_>>().join(" "),
    }
}

/// What speaks against trusting this place or these numbers, the gravest first.
pub fn cautions(evidence: &Evidence<'_>) -> Vec<Finding> {
    [place::ignored_flushes, place::shared_file_system, place::in_memory, place::container_layer, place::noise]
        .into_iter()
        .filter_map(|rule| rule(evidence))
        .collect()
}

/// The settings of a choice, each with its reason.
pub fn settings(evidence: &Evidence<'_>, choice: &Choice) -> Vec<Finding> {
    vec![
        speed::journal_mode(evidence, choice),
        speed::synchronous(evidence, choice),
        locks::busy_timeout(evidence, choice),
        locks::immediate(evidence),
    ]
}

/// How to use a database beside its settings.
pub fn habits(evidence: &Evidence<'_>) -> Vec<Finding> {
    [speed::never_off, locks::one_writer, speed::batches, care::short_reads, care::backups, speed::nobody_writes]
        .into_iter()
        .map(|rule| rule(evidence))
        .collect()
}

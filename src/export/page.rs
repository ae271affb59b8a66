//! What a page about a result says, worked out once from the report: the words of the badge, the facts,
//! the warnings and the details. HTML, Markdown and the picture lay it out; the window shows the same
//! details.

use jiff::tz::TimeZone;

use super::clean;
use crate::{
    advice,
    experiments::AnyOutcome,
    report::{Report, Trust, compare::Comparison},
    section::{Figure, Section},
    system::facts,
    units,
};

/// A page is read by somebody else, of whom nobody knows what they can bear to lose.
const ACCEPT_LOSS: bool = false;

/// Names and their values.
pub type Facts = Vec<(String, String)>;

/// A result in words.
#[derive(Clone, Debug)]
pub struct Page {
    /// The sentence at the top.
    pub sentence: String,
    /// More about it.
    pub detail: Option<String>,
    /// "Steady", "Noisy: run again" or "Stopped early".
    pub badge: &'static str,
    /// Whether nothing speaks against the result.
    pub steady: bool,
    /// What speaks against it first.
    pub reason: Option<String>,
    /// The large figures.
    pub figures: Vec<Figure>,
    /// The findings, the main one first.
    pub sections: Vec<Section>,
    /// Drive, folder, date and preset.
    pub facts: Vec<String>,
    /// The drive in a few words.
    pub drive: String,
    /// When the run began, in UTC.
    pub date: String,
    /// What was run: "Standard".
    pub preset: &'static str,
    /// The person's own words.
    pub note: Option<String>,
    /// Every warning.
    pub warnings: Vec<String>,
    /// What is known about the machine.
    pub machine: Facts,
    /// What is known about the volume and the drive.
    pub volume: Facts,
    /// Settings read back, the build of SQLite, the program.
    pub details: Vec<(String, Vec<String>)>,
    /// The version of SQLite.
    pub sqlite: String,
    /// The version of CommitMark.
    pub version: String,
}

impl Page {
    /// Works out the page of a report. Nothing in it acts unseen.
    ///
    /// # Errors
    /// Never for a result that was measured or opened.
    pub(super) fn new(report: &Report) -> serde_json::Result<Self> {
        let report = clean::harmless(report)?;
        let sentence = report.sentence();
        let mut sections = report.sections();
        if !report.experiments.is_empty() {
            sections.extend(advice::sections(&report, ACCEPT_LOSS));
        }
        let main = sections.first().filter(|section| section.verdict == sentence);
        let (badge, reason) = match report.trust() {
            Trust::Steady => ("Steady", None),
            Trust::Noisy(reason) => ("Noisy: run again", Some(reason)),
            Trust::Incomplete(reason) => ("Stopped early", Some(reason)),
        };
        let date = report.started_at.to_zoned_datetime(TimeZone::UTC).strftime("%-d %b %Y, %H:%M UTC").to_string();
        let drive = report.drive_words();
        Ok(Self {
            detail: main.and_then(|section| section.detail.clone()),
            badge,
            steady: reason.is_none(),
            reason,
            figures: report.figures(),
            facts: [Some(drive.clone()), report.volume.path.clone(), Some(date.clone())]
                .into_iter()
                .flatten()
                .chain([report.preset_word().to_owned()])
                .collect(),
            drive,
            date,
            preset: report.preset_word(),
            note: report.note.clone(),
            warnings: report.all_warnings().into_iter().map(|warning| warning.message.clone()).collect(),
            machine: known(facts::of_machine(&report.machine)),
            volume: known(facts::of_volume(&report.volume)),
            details: details(&report),
            sqlite: report.sqlite.version.clone(),
            version: report.app.version.clone(),
            sentence,
            sections,
        })
    }

    /// The page of a comparison: its sentence, its sections, and what must be known as warnings.
    pub(super) fn of_comparison(comparison: &Comparison) -> Self {
        let warnings = comparison.cautions.iter().map(|caution| caution.message.clone()).collect();
        Self {
            sentence: format!("{} results beside each other", units::count(comparison.files.len() as u64)),
            detail: Some("All are compared with file 1".to_owned()),
            badge: "",
            steady: true,
            reason: None,
            figures: Vec::new(),
            sections: comparison.sections(),
            facts: Vec::new(),
            drive: String::new(),
            date: String::new(),
            preset: "",
            note: None,
            warnings,
            machine: Vec::new(),
            volume: Vec::new(),
            details: Vec::new(),
            sqlite: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// A section's detail, unless it stands at the top already.
    pub(super) fn detail_of<'a>(&self, section: &'a Section) -> Option<&'a str> {
        section.detail.as_deref().filter(|detail| self.detail.as_deref() != Some(*detail))
    }
}

fn known(facts: Vec<facts::Fact>) -> Facts {
    let value = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    facts.into_iter().map(|(name, fact)| (name.to_owned(), value(fact))).collect()
}

/// How it was measured, for those who want to know everything: a heading and its lines.
pub fn details(report: &Report) -> Vec<(String, Vec<String>)> {
    let mut details = Vec::new();
    let cases: Vec<String> = report.experiments.iter().flat_map(cases).collect();
    if !cases.is_empty() {
        details.push(("Settings as SQLite read them back".to_owned(), cases));
    }
    let sqlite = &report.sqlite;
    let mut build = vec![format!("SQLite {}", sqlite.version)];
    build.extend(sqlite.sync_call.as_ref().map(|call| format!("Waits for the drive with {call}")));
    build.extend((!sqlite.compile_options.is_empty()).then(|| sqlite.compile_options.join(", ")));
    details.push(("SQLite's build".to_owned(), build));
    let app = format!(
        "CommitMark {} for {}",
        report.app.version,
        report.app.target.as_deref().unwrap_or("an unknown system")
    );
    details.push(("Program".to_owned(), vec![app, format!("Took {}", units::seconds(report.wall_seconds))]));
    details
}

/// Each case with its settings, in the result file's own words: this is what the file holds, whatever
/// the experiment.
fn cases(outcome: &AnyOutcome) -> Vec<String> {
    let value = serde_json::to_value(outcome).unwrap_or_default();
    let cases = value.get("cases").and_then(|cases| cases.as_array()).cloned().unwrap_or_default();
    cases.iter().map(|case| case_line(outcome.id(), case)).collect()
}

fn case_line(experiment: &str, case: &serde_json::Value) -> String {
    let name = case.get("name").and_then(|name| name.as_str()).unwrap_or_default();
    let samples = case.get("samples").and_then(|samples| samples.as_array()).map_or(0, Vec::len);
    let settings: Vec<String> = case
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, value)| !["name", "samples"].contains(&key.as_str()) && !value.is_object() && !value.is_array())
        .map(|(key, value)| format!("{key} {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect();
    format!("{experiment} {name}: {}; {samples} raw samples", settings.join(", "))
}

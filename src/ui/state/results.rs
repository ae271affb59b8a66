//! The place Results: the report that is shown, ready to be drawn, and the list of earlier ones.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use jiff::{Timestamp, tz::TimeZone};

use super::Effect;
use crate::{
    report::{Report, Trust, history},
    section::{Figure, Section},
    session::End,
};

/// A report with all that its page says, worked out once.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The report.
    pub report: Report,
    /// The folder that was tested, where it was tested in this window.
    pub folder: Option<PathBuf>,
    /// The sentence at the top.
    pub sentence: String,
    /// The large figures.
    pub figures: Vec<Figure>,
    /// The findings.
    pub sections: Vec<Section>,
    /// Whether it can be built on.
    pub trust: Trust,
    /// Drive, folder, date and preset.
    pub facts: Vec<String>,
    /// What stands under Details: a heading and its lines.
    pub details: Vec<(String, Vec<String>)>,
    /// Why the run ended early, or what went wrong after it.
    pub errors: Vec<String>,
    /// What became of the temporary files and of the result, after a run.
    pub afterwards: Option<String>,
}

impl Shown {
    /// Works out the page of a report.
    pub fn new(report: Report) -> Self {
        let sentence = report.sentence();
        let mut sections = report.sections();
        // What the sentence is about comes first; what was measured before it, to understand it, comes last.
        let main = sections.iter().position(|section| section.verdict == sentence).unwrap_or_default();
        sections.rotate_left(main);
        Self {
            folder: None,
            sentence,
            figures: report.figures(),
            sections,
            trust: report.trust(),
            facts: facts(&report),
            details: details(&report),
            errors: Vec::new(),
            afterwards: None,
            report,
        }
    }

    fn of_end(end: End, folder: PathBuf) -> Self {
        let not_kept = match end.kept {
            Some(Err(sentence)) => Some(sentence),
            _ => None,
        };
        let afterwards = end.left_behind.is_none().then(|| "Temporary files removed".to_owned());
        let errors = end.error.into_iter().chain(end.left_behind).chain(not_kept).collect();
        Self { folder: Some(folder), errors, afterwards, ..Self::new(end.report) }
    }

    /// Tells the report for another value of a parameter that changes nothing measured. The file that is
    /// kept stays as it is; what is saved or copied from here on says the new value.
    fn turn(&mut self, experiment: &str, name: &str, value: u64) {
        let mut report = self.report.clone();
        for params in report.plan.experiments.iter_mut().filter(|params| params.id() == experiment) {
            params.set(name, value);
        }
        let fresh = Self::new(report);
        *self = Self {
            folder: self.folder.take(),
            errors: std::mem::take(&mut self.errors),
            afterwards: self.afterwards.take(),
            ..fresh
        };
    }

    /// More about the sentence at the top.
    pub fn detail(&self) -> Option<&str> {
        self.sections.first().filter(|section| section.verdict == self.sentence)?.detail.as_deref()
    }

    /// The page as text, with tables in Markdown, for the clipboard.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n", self.sentence, self.facts.join(" · "));
        for section in &self.sections {
            text.push_str(&format!("\n## {}\n{}\n", section.title, section.verdict));
            text.extend(section.detail.as_deref().map(|detail| format!("{detail}\n")));
            if !section.table.rows.is_empty() {
                let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
                text.push('\n');
                text.push_str(&line(section.table.columns.clone()));
                text.push_str(&line(vec!["---".to_owned(); section.table.columns.len()]));
                let rows = section.table.rows.iter();
                text.extend(rows.map(|row| line(row.iter().map(|cell| cell.text()).collect())));
            }
        }
        text
    }
}

/// An earlier result in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// The file.
    pub path: PathBuf,
    /// What is in it, or why it cannot be shown.
    pub summary: Result<Summary, String>,
}

/// What the list says about a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// When it was measured.
    pub when: String,
    /// On which drive.
    pub drive: String,
    /// What was found.
    pub sentence: String,
}

impl Earlier {
    /// The list's line for a kept result.
    pub fn new(entry: history::Entry) -> Self {
        let summary = entry.report.map_err(|error| error.to_string()).map(|report| Summary {
            when: when(report.started_at),
            drive: report.drive_words(),
            sentence: report.sentence(),
        });
        Self { path: entry.path, summary }
    }
}

/// The place.
#[derive(Debug, Default)]
pub struct Results {
    /// The report that is shown; `None` shows the list.
    pub shown: Option<Box<Shown>>,
    /// Earlier results, newest first; `None` until they are listed.
    pub earlier: Option<Vec<Earlier>>,
    /// What went wrong last, in a sentence.
    pub problem: Option<String>,
    /// What was done last, in a few words.
    pub said: Option<String>,
    /// The sections that are drawn on the scale their experiment did not choose.
    pub flipped: BTreeSet<String>,
}

impl Results {
    pub(super) fn ended(&mut self, end: End, folder: PathBuf) {
        self.close();
        self.shown = Some(Box::new(Shown::of_end(end, folder)));
    }

    pub(super) fn loaded(&mut self, path: PathBuf, shown: Result<Box<Shown>, String>) {
        match shown {
            Ok(shown) => {
                self.close();
                self.shown = Some(shown);
            }
            Err(sentence) => {
                tracing::info!("not opened ({sentence}): {}", path.display());
                self.said = None;
                self.problem = Some(sentence);
            }
        }
    }

    /// Shows the list.
    pub(super) fn close(&mut self) {
        self.shown = None;
        self.problem = None;
        self.said = None;
        self.flipped.clear();
    }

    pub(super) fn flip(&mut self, section: String) {
        if !self.flipped.remove(&section) {
            self.flipped.insert(section);
        }
    }

    pub(super) fn turn(&mut self, experiment: &str, name: &str, value: u64) {
        if let Some(shown) = &mut self.shown {
            shown.turn(experiment, name, value);
        }
    }

    pub(super) fn ask_for_place(&self) -> Vec<Effect> {
        self.shown.iter().map(|shown| Effect::AskForPlace(history::file_name(&shown.report))).collect()
    }

    pub(super) fn save_to(&mut self, path: Option<PathBuf>) -> Vec<Effect> {
        self.problem = None;
        self.said = None;
        let save = |(shown, path): (&Shown, PathBuf)| Effect::Save(Box::new(shown.report.clone()), with_ending(path));
        self.shown.as_deref().zip(path).map(save).into_iter().collect()
    }
}

/// A name typed without an ending gets the one of result files.
fn with_ending(path: PathBuf) -> PathBuf {
    if path.extension().is_some() { path } else { path.with_extension("commitmark.json") }
}

fn when(time: Timestamp) -> String {
    time.to_zoned_datetime(TimeZone::system()).strftime("%-d %b %Y, %H:%M").to_string()
}

fn facts(report: &Report) -> Vec<String> {
    let folder = report.volume.path.clone();
    [Some(report.drive_words()), folder, Some(when(report.started_at)), Some(report.preset_word().to_owned())]
        .into_iter()
        .flatten()
        .collect()
}

fn details(report: &Report) -> Vec<(String, Vec<String>)> {
    let mut details = Vec::new();
    let warnings: Vec<String> = report.all_warnings().into_iter().map(|warning| warning.message.clone()).collect();
    if !warnings.is_empty() {
        details.push(("Warnings".to_owned(), warnings));
    }
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
    details.push(("Program".to_owned(), vec![app, format!("Took {}", crate::units::seconds(report.wall_seconds))]));
    details
}

/// Each case with its settings, in the result file's own words: this is what the file holds, whatever
/// the experiment.
fn cases(outcome: &crate::experiments::AnyOutcome) -> Vec<String> {
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

/// A file's name for a sentence.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

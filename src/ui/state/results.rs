//! The place Results: the report that is shown, ready to be drawn, and the list of earlier ones.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use jiff::{Timestamp, tz::TimeZone};

use uuid::Uuid;

use super::{Clip, CopyAs, Effect, kept::Managed};
use crate::{
    export::{Format, page},
    report::{
        Report, Trust,
        history::{self, Kept},
    },
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
}

/// An earlier result in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// The file.
    pub path: PathBuf,
    /// When it was measured; when the file was written where that is not known.
    pub when: String,
    /// What is in it.
    pub line: Line,
}

/// What the list says about a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A result.
    Result {
        /// The run.
        run: Uuid,
        /// On which drive.
        drive: String,
        /// What was found.
        sentence: String,
        /// A person's own words.
        note: Option<String>,
    },
    /// Why it cannot be shown.
    Damaged(String),
    /// It is being opened.
    Unread,
}

impl Earlier {
    /// The list's line for a kept result.
    pub fn new(entry: history::Entry) -> Self {
        let line = match entry.kept {
            Kept::Result(brief) => Line::Result {
                run: brief.id,
                drive: format!("{}  ·  {}", brief.drive, brief.preset),
                sentence: brief.sentence,
                note: brief.note,
            },
            Kept::Damaged(sentence) => Line::Damaged(sentence),
            Kept::Unread => Line::Unread,
        };
        Self { path: entry.path, when: when(entry.at), line }
    }

    /// The run, where the file holds one.
    pub fn run(&self) -> Option<Uuid> {
        match &self.line {
            Line::Result { run, .. } => Some(*run),
            Line::Damaged(_) | Line::Unread => None,
        }
    }
}

/// The place.
#[derive(Debug, Default)]
pub struct Results {
    /// The report that is shown; `None` shows the list.
    pub shown: Option<Box<Shown>>,
    /// Earlier results, newest first; `None` until they are listed.
    pub earlier: Option<Vec<Earlier>>,
    /// The kept result whose note and name are being changed.
    pub managed: Option<Managed>,
    /// What went wrong last, in a sentence.
    pub problem: Option<String>,
    /// What was done last, in a few words.
    pub said: Option<String>,
    /// The sections that are drawn on the scale their experiment did not choose.
    pub flipped: BTreeSet<String>,
    /// The format that was asked for last.
    pub saving: Format,
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

    pub(super) fn ask_for_place(&mut self, format: Format) -> Vec<Effect> {
        self.saving = format;
        let ask = |shown: &Shown| {
            let name = history::file_name(&shown.report);
            let stem = name.strip_suffix(history::ENDING).unwrap_or(&name);
            Effect::AskForPlace(format, format!("{stem}{}", format.ending()))
        };
        self.shown.as_deref().map(ask).into_iter().collect()
    }

    /// The ending that the person chose decides the format; without one it is the format asked for.
    pub(super) fn save_to(&mut self, path: Option<PathBuf>) -> Vec<Effect> {
        self.problem = None;
        self.said = None;
        let save = |(shown, path): (&Shown, PathBuf)| {
            let format = Format::of_path(&path).unwrap_or(self.saving);
            Effect::Save(Box::new(shown.report.clone()), format, with_ending(path, format))
        };
        self.shown.as_deref().zip(path).map(save).into_iter().collect()
    }

    pub(super) fn make_copy(&mut self, kind: CopyAs) -> Vec<Effect> {
        self.problem = None;
        self.said = None;
        self.shown.iter().map(|shown| Effect::MakeCopy(Box::new(shown.report.clone()), kind)).collect()
    }

    pub(super) fn copy(&mut self, clip: Clip) -> Vec<Effect> {
        self.said = Some("Copied".to_owned());
        vec![match clip {
            Clip::Text(text) => Effect::Copy(text),
            Clip::Picture(picture) => Effect::CopyPicture(picture),
        }]
    }
}

/// A name typed without an ending gets that of the format.
fn with_ending(path: PathBuf, format: Format) -> PathBuf {
    if path.extension().is_some() { path } else { path.with_extension(format.ending().trim_start_matches('.')) }
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
    let warnings: Vec<String> = report.all_warnings().into_iter().map(|warning| warning.message.clone()).collect();
    let warnings = (!warnings.is_empty()).then(|| ("Warnings".to_owned(), warnings));
    warnings.into_iter().chain(page::details(report)).collect()
}

/// A file's name for a sentence.
pub fn file_name(path: &Path) -> String {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    crate::units::harmless(&name).into_owned()
}

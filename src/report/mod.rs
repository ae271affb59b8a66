//! The report: everything that is known about one run, as it stands in the result file. `session` fills
//! it, the files beside this one load, save and list it, and every front end tells it through sections.

pub mod compare;
pub mod history;
mod limits;
pub mod load;
pub mod save;
pub mod schema;
pub mod trust;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use crate::measure::outcome::{Ratio, WRONG_DATA, Warning};
use crate::{
    experiments::{AnyOutcome, flush, published},
    plan::{Plan, Preset},
    section::{Figure, Section},
    system::{conditions::Conditions, machine::Machine, volume::Volume},
};

/// What the file says it is.
pub const FORMAT: &str = "commitmark-result";
/// The newest format this program writes and reads.
pub const FORMAT_VERSION: u32 = 1;

/// One run on one folder: a whole result file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Report {
    /// Always `commitmark-result`.
    pub format: String,
    /// The version of the format, 1.
    pub format_version: u32,
    /// Unlike that of any other run.
    pub id: Uuid,
    /// How the run ended.
    pub status: Status,
    /// The program that measured.
    pub app: App,
    /// When the run began, in UTC.
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub started_at: Timestamp,
    /// From the start to the last saved case, in seconds.
    pub wall_seconds: f64,
    /// A person's own words about the run.
    #[serde(default)]
    pub note: Option<String>,
    /// The machine.
    #[serde(default)]
    pub machine: Machine,
    /// The folder's volume and drive.
    #[serde(default)]
    pub volume: Volume,
    /// The SQLite that was measured.
    pub sqlite: Sqlite,
    /// What was to be run.
    pub plan: Plan,
    /// What else the machine did meanwhile; absent while the run goes on.
    #[serde(default)]
    pub conditions: Option<Conditions>,
    /// What lessens the trust in the whole run.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// What was measured, in the order it ran.
    #[serde(default)]
    pub experiments: Vec<AnyOutcome>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything in the plan was measured.
    Complete,
    /// The person stopped it, or the program was ended before the plan was.
    Cancelled,
    /// An error stopped it; a warning of code `failed` says which.
    Failed,
}

/// The program that measured.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct App {
    /// CommitMark's version.
    pub version: String,
    /// The commit it was built from, where the build said so.
    #[serde(default)]
    pub commit: Option<String>,
    /// The target triple it was built for.
    #[serde(default)]
    pub target: Option<String>,
}

impl App {
    /// This program.
    pub fn current() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("COMMITMARK_COMMIT").map(str::to_owned),
            target: Some(env!("COMMITMARK_TARGET").to_owned()),
        }
    }
}

/// The SQLite that was measured.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Sqlite {
    /// Its version: `3.54.1`.
    pub version: String,
    /// Which check-in of its source.
    #[serde(default)]
    pub source_id: Option<String>,
    /// What it was built with.
    #[serde(default)]
    pub compile_options: Vec<String>,
    /// The system call it asks for permanence with: fdatasync, fsync or FlushFileBuffers.
    #[serde(default)]
    pub sync_call: Option<String>,
}

impl Sqlite {
    /// The SQLite built into this program. Its compile options are read from a database in memory; where
    /// that fails they are left out.
    pub fn current() -> Self {
        let (source_id, compile_options) = read_build().unwrap_or_default();
        Self {
            version: rusqlite::version().to_owned(),
            source_id,
            compile_options,
            sync_call: Some(env!("COMMITMARK_SYNC_CALL").to_owned()),
        }
    }
}

fn read_build() -> rusqlite::Result<(Option<String>, Vec<String>)> {
    let connection = rusqlite::Connection::open_in_memory()?;
    let source_id = connection.query_row("SELECT sqlite_source_id()", [], |row| row.get(0))?;
    let mut statement = connection.prepare("PRAGMA compile_options")?;
    let options = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok((Some(source_id), options))
}

/// Whether a result can be built on, for the badge beside the sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Trust {
    /// Nothing speaks against it.
    Steady,
    /// Something does; the first reason in words.
    Noisy(String),
    /// The run ended early or holds nothing to judge.
    Incomplete(String),
}

impl Report {
    /// A report at the start of a run, with nothing measured yet.
    pub fn new(plan: Plan, note: Option<String>, machine: Machine, volume: Volume) -> Self {
        Self {
            format: FORMAT.to_owned(),
            format_version: FORMAT_VERSION,
            id: Uuid::new_v4(),
            status: Status::Cancelled,
            app: App::current(),
            started_at: Timestamp::now(),
            wall_seconds: 0.0,
            note,
            machine,
            volume,
            sqlite: Sqlite::current(),
            plan,
            conditions: None,
            warnings: Vec::new(),
            experiments: Vec::new(),
        }
    }

    /// Puts an experiment's outcome in its place: a newer one of the same experiment replaces the older.
    pub fn put(&mut self, outcome: AnyOutcome) {
        match self.experiments.iter_mut().find(|known| known.id() == outcome.id()) {
            Some(known) => *known = outcome,
            None => self.experiments.push(outcome),
        }
    }

    /// How everything measured is told: what most people ask first, then the rest in the order it ran, then
    /// what others published.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections: Vec<Section> = self.telling().collect();
        if let Some(section) = sections.iter_mut().find(|section| section.id == "inserts") {
            section.detail = [section.detail.take(), flush::beside_the_floor(&self.experiments)]
                .into_iter()
                .flatten()
                .reduce(|detail, more| format!("{detail} {more}"));
        }
        sections.extend(published::section(&self.experiments));
        sections
    }

    /// The sections of what was measured, one after the other, each made when it is asked for.
    fn telling(&self) -> impl Iterator<Item = Section> {
        self.in_order().flat_map(|outcome| outcome.sections(&self.plan.experiments))
    }

    /// The outcomes in the order they are told.
    fn in_order(&self) -> impl Iterator<Item = &AnyOutcome> {
        let (leading, further): (Vec<_>, Vec<_>) = self.experiments.iter().partition(|outcome| outcome.leads());
        leading.into_iter().chain(further)
    }

    /// The sentence at the top.
    pub fn sentence(&self) -> String {
        self.telling().next().map_or_else(|| "Nothing was measured".to_owned(), |section| section.verdict)
    }

    /// The three figures at the top: each section's most important ones, in order.
    pub fn figures(&self) -> Vec<Figure> {
        self.sections().into_iter().flat_map(|section| section.figures).take(3).collect()
    }

    /// Every warning, of the run and of its experiments, the gravest first.
    pub fn all_warnings(&self) -> Vec<&Warning> {
        let all = self.warnings.iter().chain(self.experiments.iter().flat_map(AnyOutcome::warnings));
        let (gravest, others): (Vec<_>, Vec<_>) = all.partition(|warning| warning.code == WRONG_DATA);
        [gravest, others].concat()
    }

    /// Whether the result can be built on.
    pub fn trust(&self) -> Trust {
        match self.status {
            Status::Cancelled => Trust::Incomplete("Stopped before the end".to_owned()),
            Status::Failed => Trust::Incomplete("Ended by an error".to_owned()),
            Status::Complete => match self.all_warnings().first() {
                Some(warning) => Trust::Noisy(warning.message.clone()),
                None if self.experiments.iter().all(AnyOutcome::is_empty) => {
                    Trust::Noisy("Nothing was measured, so there is nothing to trust.".to_owned())
                }
                None => Trust::Steady,
            },
        }
    }

    /// The drive in a few words: "Lexar NM620 1 TB, NVMe SSD, NTFS".
    pub fn drive_words(&self) -> String {
        let volume = &self.volume;
        let words: Vec<&str> = [&volume.drive_model, &volume.kind, &volume.file_system]
            .into_iter()
            .filter_map(|fact| fact.as_deref())
            .collect();
        if words.is_empty() { "unknown drive".to_owned() } else { words.join(", ") }
    }

    /// The preset in a word: "Standard".
    pub fn preset_word(&self) -> &'static str {
        match self.plan.preset {
            Preset::Quick => "Quick",
            Preset::Standard => "Standard",
            Preset::Full => "Full",
            Preset::Custom => "Custom",
        }
    }
}

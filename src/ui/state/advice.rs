//! The place Advice: the answer to its question, what follows from it for the report at hand, and the
//! databases found in the chosen folder.

use std::path::{Path, PathBuf};

use super::Effect;
use crate::{
    advice::{
        self, Advice,
        databases::{
            Scan,
            outlook::{self, Outlook},
        },
        settings::{Framework, code},
    },
    measure::context::CancelFlag,
    report::Report,
    system::Volume,
};

/// The place.
#[derive(Debug)]
pub struct Advising {
    /// Whether losing the last second of saves in a power cut is acceptable. Not, until somebody says so.
    pub accept_loss: bool,
    /// What the code is for.
    pub framework: Framework,
    /// The newest kept result, for a window in which no result is shown.
    pub newest: Option<Box<Report>>,
    /// What is advised, worked out once for each change.
    pub advice: Advice,
    /// Whether anything was measured to build it on.
    pub is_measured: bool,
    /// The code to copy.
    pub code: String,
    /// "Copied", after it was.
    pub said: Option<String>,
    /// The look for databases.
    pub look: Look,
}

/// A look for databases.
#[derive(Debug, Default)]
pub enum Look {
    /// Nobody asked for it.
    #[default]
    No,
    /// It goes on.
    Looking {
        /// The folder.
        folder: PathBuf,
        /// Raised to end it.
        stop: CancelFlag,
    },
    /// It has ended.
    Done(Databases),
    /// It failed; a sentence.
    Failed(String),
}

/// What a look found, ready to be shown.
#[derive(Debug)]
pub struct Databases {
    /// What was found.
    pub scan: Scan,
    /// A line for each.
    pub lines: Vec<DatabaseLine>,
}

/// A database in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseLine {
    /// Its path below the folder.
    pub name: String,
    /// What would change for it.
    pub outlook: Outlook,
}

impl Default for Advising {
    fn default() -> Self {
        let framework = Framework::Sql;
        let advice = advice::advise(None, false);
        let code = code(framework, &advice.choice);
        Self {
            accept_loss: false,
            framework,
            newest: None,
            advice,
            is_measured: false,
            code,
            said: None,
            look: Look::No,
        }
    }
}

impl Advising {
    /// Works everything out again: from the report that is shown, or else from the newest kept one.
    /// `volume` is the chosen folder's.
    pub(super) fn refresh(&mut self, shown: Option<&Report>, volume: Option<&Volume>) {
        let report = shown.or(self.newest.as_deref());
        self.is_measured = report.is_some_and(|report| report.experiments.iter().any(|outcome| !outcome.is_empty()));
        self.advice = match (report, volume) {
            (None, Some(volume)) => advice::advise_place(volume, self.accept_loss),
            (report, _) => advice::advise(report, self.accept_loss),
        };
        self.code = code(self.framework, &self.advice.choice);
        self.said = None;
        // Numbers of one drive say nothing about databases on another.
        let of_folder = report.zip(volume).filter(|(report, volume)| outlook::is_same_drive(report, volume));
        let of_folder = of_folder.map(|(report, _)| report);
        let advice_there = match (of_folder, volume) {
            (Some(_), _) => self.advice.clone(),
            (None, Some(volume)) => advice::advise_place(volume, self.accept_loss),
            (None, None) => advice::advise(None, self.accept_loss),
        };
        if let Look::Done(databases) = &mut self.look {
            databases.lines = lines(&databases.scan, &advice_there, of_folder);
        }
    }

    /// Begins to look for databases, unless a look goes on.
    pub(super) fn look_in(&mut self, folder: Option<PathBuf>) -> Vec<Effect> {
        let Some(folder) = folder.filter(|_| !matches!(self.look, Look::Looking { .. })) else { return Vec::new() };
        let stop = CancelFlag::default();
        self.look = Look::Looking { folder: folder.clone(), stop: stop.clone() };
        vec![Effect::FindDatabases(folder, stop)]
    }

    pub(super) fn stop_looking(&self) {
        if let Look::Looking { stop, .. } = &self.look {
            stop.raise();
        }
    }

    /// Takes in what a look found. One in a folder that nobody waits for any more is dropped.
    pub(super) fn looked_in(&mut self, folder: &Path, result: Result<Scan, String>) {
        if matches!(&self.look, Look::Looking { folder: awaited, .. } if awaited == folder) {
            self.look = match result {
                Ok(scan) => Look::Done(Databases { scan, lines: Vec::new() }),
                Err(sentence) => Look::Failed(sentence),
            };
        }
    }

    /// A list of another folder makes way. A look that goes on is ended.
    pub(super) fn forget_other_folder(&mut self, folder: Option<&Path>) {
        let of_other = match &self.look {
            Look::Done(databases) => folder != Some(&databases.scan.folder),
            Look::Looking { folder: looking, .. } => folder != Some(looking),
            Look::Failed(_) => true,
            Look::No => false,
        };
        if of_other {
            self.stop_looking();
            self.look = Look::No;
        }
    }
}

fn lines(scan: &Scan, advice: &Advice, report: Option<&Report>) -> Vec<DatabaseLine> {
    let line = |found: &advice::databases::Found| DatabaseLine {
        name: found.path.strip_prefix(&scan.folder).unwrap_or(&found.path).display().to_string(),
        outlook: outlook::outlook(found, advice, report),
    };
    scan.databases.iter().map(line).collect()
}

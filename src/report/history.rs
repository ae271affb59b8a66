//! Every run is kept by itself in the user's data folder. `session` writes here after each case, the
//! window lists what is here. A damaged file is named, never deleted.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;

use super::{
    Report,
    load::{LoadError, load},
    save::{SaveError, save},
};

/// The ending of result files.
pub const ENDING: &str = ".commitmark.json";

/// The folder of kept results.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct History {
    folder: PathBuf,
}

/// A kept result, or why it cannot be shown.
#[derive(Debug)]
pub struct Entry {
    /// The file.
    pub path: PathBuf,
    /// What is in it.
    pub report: Result<Report, LoadError>,
}

impl History {
    /// The user's own history. `COMMITMARK_DATA` names another data folder, for portable use and tests.
    /// `None` where the system names no data folder.
    pub fn of_user() -> Option<Self> {
        data_folder().map(|folder| Self { folder: folder.join("results") })
    }

    /// A history in another folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where the files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a run: date and time first, so that names sort by age.
    pub fn path_of(&self, report: &Report) -> PathBuf {
        self.folder.join(file_name(report))
    }

    /// Keeps a run, replacing an earlier state of the same run.
    ///
    /// # Errors
    /// The system's, with the path.
    pub fn keep(&self, report: &Report) -> Result<PathBuf, SaveError> {
        let path = self.path_of(report);
        save(report, &path)?;
        Ok(path)
    }

    /// Every kept result, newest first. An empty list where there is no folder yet.
    ///
    /// # Errors
    /// The folder is there and cannot be read.
    pub fn list(&self) -> io::Result<Vec<Entry>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING)))
            .collect();
        paths.sort_unstable_by(|one, other| other.cmp(one));
        Ok(paths.into_iter().map(|path| Entry { report: load(&path), path }).collect())
    }
}

/// The folder for everything that CommitMark keeps for this user.
pub fn data_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("COMMITMARK_DATA").filter(|folder| !folder.is_empty()) {
        return Some(PathBuf::from(folder));
    }
    ProjectDirs::from("", "", "CommitMark").map(|folders| folders.data_local_dir().to_owned())
}

/// A good name for a report's file: `2026-11-30-180432-3f2a.commitmark.json`.
pub fn file_name(report: &Report) -> String {
    let id = report.id.simple().to_string();
    let start = id.get(..4).unwrap_or_default();
    format!("{}-{start}{ENDING}", report.started_at.strftime("%Y-%m-%d-%H%M%S"))
}

//! Every run is kept by itself in the user's data folder. `session` writes here after each case; the
//! window lists what is here, and a person may add a note, rename and delete. A damaged file is named,
//! never deleted.

mod index;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;
use jiff::Timestamp;
use thiserror::Error;

use super::{
    Report,
    load::{LoadError, parse},
    save::{SaveError, save, write_whole},
};
use crate::units::harmless;

pub use index::{Brief, Kept};

/// The ending of result files.
pub const ENDING: &str = ".commitmark.json";
/// The longest name of a kept result, in characters: with the ending it fits every file system.
const LONGEST_NAME: usize = 100;
/// The longest note, in characters.
pub const LONGEST_NOTE: usize = 2_000;
/// Names that Windows reserves for devices (Naming Files, Paths, and Namespaces, Microsoft).
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// The folder of kept results.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct History {
    folder: PathBuf,
}

/// A kept result as the list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The file.
    pub path: PathBuf,
    /// When it was measured; when the file was written where that is not known.
    pub at: Timestamp,
    /// What is in it, in brief.
    pub kept: Kept,
}

/// Why a kept result could not be changed.
#[derive(Debug, Error)]
pub enum ChangeError {
    /// It is not one of these results.
    #[error("Only kept results can be changed, and this is none. Open it and save it to keep it: {}", shown(.0))]
    NotKept(PathBuf),
    /// The name cannot be that of a file everywhere.
    #[error("The name \"{}\" cannot be used ({reason}). Choose another one", harmless(name))]
    BadName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// Another file has the name.
    #[error("There is a file of this name already. Choose another one: {}", shown(.0))]
    Taken(PathBuf),
    /// The file cannot be opened, so that it is left as it is.
    #[error(transparent)]
    Unreadable(#[from] LoadError),
    /// It could not be written.
    #[error(transparent)]
    NotSaved(#[from] SaveError),
    /// The system refused.
    #[error("The file could not be {deed} ({source}). Check that no other program has it open: {}", shown(path))]
    Refused {
        /// "renamed", "deleted".
        deed: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
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

    /// Every kept result, newest first; files that were not seen before are read. An empty list where
    /// there is no folder yet.
    ///
    /// # Errors
    /// The folder is there and cannot be read.
    pub fn list(&self) -> io::Result<Vec<Entry>> {
        index::list(&self.folder, true)
    }

    /// The same at once: files that were not seen before are named and not read.
    ///
    /// # Errors
    /// As `list`.
    pub fn glance(&self) -> io::Result<Vec<Entry>> {
        index::list(&self.folder, false)
    }

    /// Writes a person's own words into a kept result; none where they are empty.
    ///
    /// # Errors
    /// The file is no kept result, cannot be opened or cannot be written; it is then as it was.
    pub fn annotate(&self, path: &Path, note: &str) -> Result<(), ChangeError> {
        self.check_kept(path)?;
        let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
        let bytes = fs::read(path).map_err(unreadable)?;
        let note = Some(note.trim()).filter(|note| !note.is_empty());
        let note = note.map(|note| note.chars().take(LONGEST_NOTE).collect::<String>());
        let mut report = parse(&bytes, path)?;
        let failed = |source: io::Error| SaveError { path: path.to_owned(), source };
        // The report in the file's own words where it says all that the file says, and otherwise what the
        // file says: a newer version may have written more than this one knows.
        let mut value: serde_json::Value =
            serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes))
                .map_err(|error| failed(error.into()))?;
        if serde_json::to_value(&report).is_ok_and(|own| own == value) {
            report.note = note;
            return Ok(save(&report, path)?);
        }
        value["note"] = note.map_or(serde_json::Value::Null, serde_json::Value::String);
        let mut text = serde_json::to_vec_pretty(&value).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        write_whole(path, &text).map_err(failed)?;
        Ok(())
    }

    /// Gives a kept result's file another name, without its ending; returns where it is now. No other file
    /// is ever replaced.
    ///
    /// # Errors
    /// The file is no kept result, the name cannot be used or is taken, or the system refuses.
    pub fn rename(&self, path: &Path, name: &str) -> Result<PathBuf, ChangeError> {
        self.check_kept(path)?;
        let name = name.trim();
        check_name(name)?;
        let target = self.folder.join(format!("{name}{ENDING}"));
        if target == path {
            return Ok(target);
        }
        let refused = |source| ChangeError::Refused { deed: "renamed", path: path.to_owned(), source };
        // Taking the name first makes sure that nobody else has it, on every system.
        match fs::File::create_new(&target) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(ChangeError::Taken(target)),
            Err(error) => return Err(refused(error)),
        }
        if let Err(error) = fs::rename(path, &target) {
            // The name that was taken for nothing is given back.
            let _ = fs::remove_file(&target);
            return Err(refused(error));
        }
        Ok(target)
    }

    /// Deletes a kept result for good.
    ///
    /// # Errors
    /// The file is no kept result, or the system refuses.
    pub fn delete(&self, path: &Path) -> Result<(), ChangeError> {
        self.check_kept(path)?;
        fs::remove_file(path).map_err(|source| ChangeError::Refused { deed: "deleted", path: path.to_owned(), source })
    }

    /// Only files of this folder with the right ending are ever changed.
    fn check_kept(&self, path: &Path) -> Result<(), ChangeError> {
        let kept = path.parent() == Some(self.folder.as_path()) && has_ending(path);
        if kept { Ok(()) } else { Err(ChangeError::NotKept(path.to_owned())) }
    }
}

/// The name of a kept result's file without its ending.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_suffix(ENDING).map(str::to_owned).unwrap_or(name)
}

/// Whether a file's name is that of a result.
pub fn has_ending(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING))
}

/// Every result file in a folder, by name; other files are left out.
///
/// # Errors
/// The folder cannot be read.
pub fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| has_ending(path)).collect();
    files.sort_unstable();
    Ok(files)
}

fn check_name(name: &str) -> Result<(), ChangeError> {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let device = RESERVED.iter().any(|reserved| {
        stem.strip_prefix(reserved).is_some_and(|rest| {
            let numbered = matches!(*reserved, "com" | "lpt");
            if numbered { rest.chars().count() == 1 && rest.chars().all(char::is_numeric) } else { rest.is_empty() }
        })
    });
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.chars().count() > LONGEST_NAME {
        "it is longer than 100 characters"
    } else if name.starts_with('.') || name.ends_with('.') {
        "it begins or ends with a dot"
    } else if name.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|']) {
        "it holds one of / \\ : * ? \" < > |"
    } else if harmless(name) != name {
        "it holds characters that cannot be seen"
    } else if device {
        "Windows keeps it for a device"
    } else {
        return Ok(());
    };
    Err(ChangeError::BadName { name: name.to_owned(), reason })
}

fn shown(path: &Path) -> String {
    harmless(&path.display().to_string()).into_owned()
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

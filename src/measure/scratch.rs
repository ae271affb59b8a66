//! The temporary folder inside the chosen folder. It is hidden, has a random name, and holds a marker
//! file with this process's id under a lock that ends with the process. It is removed when dropped, so
//! also after an error, a cancel or a panic; what a killed process left is removed at the next start in
//! the same folder. Nothing without our marker is ever touched. Called by `session`.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process,
};

use thiserror::Error;

use crate::units;

/// How the names of our folders begin; a dot hides them on Linux and macOS.
const PREFIX: &str = ".commitmark-";
/// The marker's name in the folder.
const MARKER: &str = "commitmark-scratch";
/// How the marker's text begins. A folder whose marker says anything else is not ours.
const MARKER_TEXT: &str = "CommitMark test files; safe to delete when CommitMark is not running\nprocess ";
/// Room that must stay free beside twice the estimate, so that other programs do not fail.
const SPARE_BYTES: u64 = 512_000_000;

/// Why a folder cannot be tested. Found before anything of the test is written.
#[derive(Debug, Error)]
pub enum ScratchError {
    /// No such folder.
    #[error("There is no such folder. Choose one that exists: {}", .0.display())]
    Missing(PathBuf),
    /// A file, not a folder.
    #[error("This is a file, not a folder. Choose the folder it is in: {}", .0.display())]
    NotAFolder(PathBuf),
    /// Nothing can be written there.
    #[error("Nothing can be written to this folder ({source}). Choose one that you may write to: {}", folder.display())]
    NotWritable {
        /// The chosen folder.
        folder: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Too little room.
    #[error(
        "There is too little room on this drive: {} are free and the test wants {}, to be sure that nothing fills up. \
         Free some room or choose another drive: {}",
        units::bytes(*free_bytes), units::bytes(*wanted_bytes), folder.display()
    )]
    TooLittleRoom {
        /// The chosen folder.
        folder: PathBuf,
        /// What is free to this user, in bytes.
        free_bytes: u64,
        /// What must be free, in bytes.
        wanted_bytes: u64,
    },
    /// Something of ours could not be removed.
    #[error("The test's temporary files could not be removed ({source}). Delete this folder by hand: {}", folder.display())]
    NotRemoved {
        /// Our folder.
        folder: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

/// A temporary folder that is removed when the value goes.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Open and locked for as long as the folder is in use; `None` once removed.
    marker: Option<File>,
}

impl Scratch {
    /// Makes the folder inside `folder` and marks it. `peak_bytes` is the most the test will occupy,
    /// `free_bytes` what the volume has free, if known; twice the first and 512 MB more must be there.
    ///
    /// # Errors
    /// The folder is missing, is a file, is full or cannot be written.
    pub fn create(folder: &Path, peak_bytes: u64, free_bytes: Option<u64>) -> Result<Self, ScratchError> {
        check_folder(folder)?;
        check_room(folder, peak_bytes, free_bytes)?;
        let refused = |source| ScratchError::NotWritable { folder: folder.to_owned(), source };
        let path = tempfile::Builder::new().prefix(PREFIX).rand_bytes(12).tempdir_in(folder).map_err(refused)?.keep();
        match mark(&path) {
            Ok(marker) => Ok(Self { path, marker: Some(marker) }),
            Err(source) => {
                // The folder was made a moment ago and holds at most the marker that failed.
                let _ = fs::remove_dir_all(&path);
                Err(refused(source))
            }
        }
    }

    /// Where test files go.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder and all that is in it.
    ///
    /// # Errors
    /// Something could not be removed; the marker then stays, so that the next start tries again.
    pub fn remove(mut self) -> Result<(), ScratchError> {
        self.remove_now()
    }

    fn remove_now(&mut self) -> Result<(), ScratchError> {
        match self.marker.take() {
            Some(marker) => remove_marked(&self.path, marker)
                .map_err(|source| ScratchError::NotRemoved { folder: self.path.clone(), source }),
            None => Ok(()),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = self.remove_now() {
            tracing::warn!("{error}");
        }
    }
}

/// Whether tests can be run in this folder at all, without writing to it.
///
/// # Errors
/// The folder is missing or is a file.
pub fn check_folder(folder: &Path) -> Result<(), ScratchError> {
    match fs::metadata(folder) {
        Ok(facts) if facts.is_dir() => Ok(()),
        Ok(_) => Err(ScratchError::NotAFolder(folder.to_owned())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(ScratchError::Missing(folder.to_owned()))
        }
        Err(source) => Err(ScratchError::NotWritable { folder: folder.to_owned(), source }),
    }
}

/// Whether there is room for a test that occupies `peak_bytes` at most, where `free_bytes` are free: twice
/// as much and 512 MB more must be. What is not known is no reason to refuse.
///
/// # Errors
/// Too little room.
pub fn check_room(folder: &Path, peak_bytes: u64, free_bytes: Option<u64>) -> Result<(), ScratchError> {
    let wanted_bytes = peak_bytes.saturating_mul(2).saturating_add(SPARE_BYTES);
    match free_bytes.filter(|free| *free < wanted_bytes) {
        Some(free_bytes) => Err(ScratchError::TooLittleRoom { folder: folder.to_owned(), free_bytes, wanted_bytes }),
        None => Ok(()),
    }
}

/// Removes what killed processes of ours left in this folder, and returns what was removed. A folder
/// in use, without our marker or with another text in it stays as it is.
pub fn sweep(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .filter(|path| match abandoned_marker(path) {
            Some(marker) => remove_marked(path, marker)
                .inspect_err(|error| tracing::warn!("leftovers not removed ({error}): {}", path.display()))
                .is_ok(),
            None => false,
        })
        .collect()
}

/// The marker of a folder whose process is gone, locked by us now; `None` where it is alive or not ours.
fn abandoned_marker(path: &Path) -> Option<File> {
    let place = path.join(MARKER);
    // A link in the marker's place is not ours.
    if !fs::symlink_metadata(&place).ok()?.is_file() {
        return None;
    }
    let mut marker = OpenOptions::new().read(true).write(true).open(&place).ok()?;
    marker.try_lock().ok()?;
    let mut text = String::new();
    (&mut marker).take(1024).read_to_string(&mut text).ok()?;
    text.starts_with(MARKER_TEXT).then_some(marker)
}

fn mark(path: &Path) -> io::Result<File> {
    hide(path);
    let mut marker = OpenOptions::new().read(true).write(true).create_new(true).open(path.join(MARKER))?;
    // On a file system without locks (some network shares) nobody can tell a leftover from a folder in use, so there
    // leftovers stay.
    if let Err(error) = marker.try_lock() {
        tracing::warn!("the marker could not be locked ({error}): {}", path.display());
    }
    marker.write_all(format!("{MARKER_TEXT}{}\n", process::id()).as_bytes())?;
    Ok(marker)
}

/// Removes everything but the marker, then the marker, then the folder: whatever stops this half-way,
/// what is left is still marked.
fn remove_marked(path: &Path, marker: File) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_name() == MARKER {
            continue;
        }
        if entry.file_type()?.is_dir() { fs::remove_dir_all(entry.path())? } else { fs::remove_file(entry.path())? }
    }
    drop(marker);
    fs::remove_file(path.join(MARKER))?;
    fs::remove_dir(path)
}

#[cfg(windows)]
fn hide(path: &Path) {
    crate::system::drive::windows::hide(path);
}

#[cfg(not(windows))]
fn hide(_path: &Path) {
    // The leading dot hides it.
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn the_folder_goes_with_the_value_and_all_that_is_in_it() {
        let home = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(home.path(), 0, None).unwrap();
        fs::write(scratch.path().join("test.db"), "rows").unwrap();
        fs::create_dir(scratch.path().join("deeper")).unwrap();
        assert_eq!(names(home.path()).len(), 1);
        drop(scratch);
        assert!(names(home.path()).is_empty());
    }

    #[test]
    fn a_panic_removes_the_folder_too() {
        let home = tempfile::tempdir().unwrap();
        let result = std::panic::catch_unwind(|| {
            let _scratch = Scratch::create(home.path(), 0, None).unwrap();
            panic!("on purpose");
        });
        assert!(result.is_err());
        assert!(names(home.path()).is_empty());
    }

    #[test]
    fn a_sweep_leaves_a_folder_in_use_alone() {
        let home = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(home.path(), 0, None).unwrap();
        assert!(sweep(home.path()).is_empty());
        assert!(scratch.path().join(MARKER).exists());
    }

    #[test]
    fn a_sweep_removes_what_a_dead_process_left() {
        let home = tempfile::tempdir().unwrap();
        let left = home.path().join(format!("{PREFIX}abc"));
        fs::create_dir(&left).unwrap();
        fs::write(left.join(MARKER), format!("{MARKER_TEXT}4194305\n")).unwrap();
        fs::write(left.join("test-1.db-wal"), "rows").unwrap();
        assert_eq!(sweep(home.path()), [left]);
        assert!(names(home.path()).is_empty());
    }

    #[test]
    fn a_sweep_touches_nothing_without_our_marker() {
        let home = tempfile::tempdir().unwrap();
        for (name, marker) in [("no-marker", None), ("other-text", Some("somebody else's")), ("empty", Some(""))] {
            let folder = home.path().join(format!("{PREFIX}{name}"));
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("precious.db"), "rows").unwrap();
            if let Some(text) = marker {
                fs::write(folder.join(MARKER), text).unwrap();
            }
        }
        fs::create_dir(home.path().join("photos")).unwrap();
        fs::write(home.path().join("photos").join(MARKER), MARKER_TEXT).unwrap();
        assert!(sweep(home.path()).is_empty());
        assert_eq!(names(home.path()).len(), 4);
        assert!(home.path().join(format!("{PREFIX}other-text")).join("precious.db").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_sweep_follows_no_link() {
        let home = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("precious.db"), "rows").unwrap();
        fs::write(elsewhere.path().join(MARKER), MARKER_TEXT).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), home.path().join(format!("{PREFIX}link"))).unwrap();
        let inside = home.path().join(format!("{PREFIX}inside"));
        fs::create_dir(&inside).unwrap();
        fs::write(inside.join(MARKER), format!("{MARKER_TEXT}4194305\n")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), inside.join("link")).unwrap();
        assert_eq!(sweep(home.path()), [inside]);
        assert!(elsewhere.path().join("precious.db").exists());
    }

    #[test]
    fn too_little_room_is_said_before_anything_is_written() {
        let home = tempfile::tempdir().unwrap();
        let error = Scratch::create(home.path(), 100_000_000, Some(711_999_999)).unwrap_err();
        assert!(matches!(error, ScratchError::TooLittleRoom { wanted_bytes: 712_000_000, .. }), "{error}");
        assert!(names(home.path()).is_empty());
        assert!(Scratch::create(home.path(), 100_000_000, Some(712_000_000)).is_ok());
    }

    #[test]
    fn a_missing_folder_and_a_file_are_named() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("photo.jpg");
        fs::write(&file, "").unwrap();
        assert!(matches!(check_folder(&home.path().join("gone")), Err(ScratchError::Missing(_))));
        assert!(matches!(check_folder(&file), Err(ScratchError::NotAFolder(_))));
        assert!(matches!(check_folder(&file.join("below")), Err(ScratchError::Missing(_))));
    }
}

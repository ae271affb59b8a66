//! Writing a result file: first to a temporary file beside it, flushed, then renamed, so that a crash
//! leaves the old file or the new one and never half of one.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::Report;

/// Why a file was not saved.
#[derive(Debug, Error)]
#[error("The result could not be saved ({source}). Choose another place: {}", path.display())]
pub struct SaveError {
    /// Where it was to go.
    pub path: PathBuf,
    /// The system's answer.
    pub source: io::Error,
}

/// Saves a report as JSON, replacing what is there.
///
/// # Errors
/// The system's, with the path.
pub fn save(report: &Report, path: &Path) -> Result<(), SaveError> {
    let failed = |source| SaveError { path: path.to_owned(), source };
    let mut text = serde_json::to_vec_pretty(report).map_err(|error| failed(error.into()))?;
    text.push(b'\n');
    write_whole(path, &text).map_err(failed)
}

/// Writes a whole file or leaves what was there. Makes the folders on the way.
///
/// # Errors
/// The system's.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".commitmark-save-").permissions_like_new().tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Files made by `tempfile` are for their owner alone; a saved result is a document like any other.
trait PermissionsLikeNew {
    fn permissions_like_new(&mut self) -> &mut Self;
}

impl PermissionsLikeNew for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_like_new(&mut self) -> &mut Self {
        use std::os::unix::fs::PermissionsExt;
        // The umask still takes away what the person's settings forbid.
        self.permissions(fs::Permissions::from_mode(0o666))
    }

    #[cfg(not(unix))]
    fn permissions_like_new(&mut self) -> &mut Self {
        self
    }
}

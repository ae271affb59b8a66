//! The system's dialogs for folders and files. A dialog is made on the window's thread, as macOS wants
//! it, and waited for on another, so the window never stands still. Tests hand in answers of their own.

use std::{
    future::Future,
    path::{Path, PathBuf},
    pin::Pin,
    time::{Duration, Instant},
};

use rfd::AsyncFileDialog;

use super::state::Finding;
use crate::{export::Format, report::history::ENDING};

/// A dialog that is open: its answer comes when the person has decided.
pub type Open = Pin<Box<dyn Future<Output = Finding> + Send>>;

/// On Linux a dialog that nobody can show answers at once, just like a person who cancels. No person
/// is this fast.
const AT_ONCE: Duration = Duration::from_millis(200);

/// What can show dialogs.
pub trait Dialogs: Send + Sync {
    /// Asks for a folder, beginning at `start`.
    fn folder(&self, start: Option<&Path>) -> Open;
    /// Asks for result files to open.
    fn files(&self) -> Open;
    /// Asks where to save in a format, offering a name.
    fn place(&self, format: Format, name: &str) -> Open;
}

/// The system's own dialogs.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDialogs;

impl Dialogs for SystemDialogs {
    fn folder(&self, start: Option<&Path>) -> Open {
        let mut dialog = AsyncFileDialog::new().set_title("Choose the folder where your app keeps its data");
        if let Some(start) = start {
            dialog = dialog.set_directory(start);
        }
        let answer = dialog.pick_folder();
        Box::pin(async move {
            let asked = Instant::now();
            match answer.await {
                None if is_missing(asked) => Finding::NoDialog,
                folder => Finding::FolderChosen(folder.map(|folder| folder.path().to_owned())),
            }
        })
    }

    fn files(&self) -> Open {
        let answer = AsyncFileDialog::new().set_title("Open results").add_filter("Results", &["json"]).pick_files();
        Box::pin(async move {
            let asked = Instant::now();
            match answer.await {
                None if is_missing(asked) => Finding::NoDialog,
                files => {
                    Finding::FilesChosen(files.unwrap_or_default().iter().map(|file| file.path().to_owned()).collect())
                }
            }
        })
    }

    fn place(&self, format: Format, name: &str) -> Open {
        let mut dialog = AsyncFileDialog::new().set_title("Save the result");
        // The first is what a dialog begins with; another ending saves in another format.
        for format in [format].into_iter().chain(Format::ALL.into_iter().filter(|other| *other != format)) {
            dialog = dialog.add_filter(format.name(), &[format.extension()]);
        }
        let answer = dialog.set_file_name(name).save_file();
        Box::pin(async move {
            let asked = Instant::now();
            match answer.await {
                None if is_missing(asked) => Finding::NoDialog,
                place => Finding::PlaceChosen(place.map(|place| place.path().to_owned())),
            }
        })
    }
}

fn is_missing(asked: Instant) -> bool {
    cfg!(target_os = "linux") && asked.elapsed() < AT_ONCE
}

/// Answers given beforehand, for tests: no dialog is shown.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// The folder that is chosen.
    pub folder: Option<PathBuf>,
    /// The files that are opened.
    pub files: Vec<PathBuf>,
    /// Where the result is saved: a folder, to which the offered name is added.
    pub place: Option<PathBuf>,
}

impl Dialogs for Answers {
    fn folder(&self, _start: Option<&Path>) -> Open {
        let folder = self.folder.clone();
        Box::pin(async move { Finding::FolderChosen(folder) })
    }

    fn files(&self) -> Open {
        let files = self.files.clone();
        Box::pin(async move { Finding::FilesChosen(files) })
    }

    fn place(&self, _format: Format, name: &str) -> Open {
        let name = if name.is_empty() { format!("result{ENDING}") } else { name.to_owned() };
        let place = self.place.as_ref().map(|folder| folder.join(name));
        Box::pin(async move { Finding::PlaceChosen(place) })
    }
}

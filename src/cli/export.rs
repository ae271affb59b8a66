//! `commitmark export`: a result file as a page, a picture, a table or text. The options are those that
//! `run` has too.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{DONE, FAILED, WRONG_USAGE, complain};
use crate::{
    export::{self, Format},
    report::{Report, load::load},
};

/// Where to write which format.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Outputs {
    /// Write the result as a web page that opens without network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the raw samples as a table, one row for each
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the result as text with tables, for an issue tracker
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the result as a picture, for a forum post
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

impl Outputs {
    fn all(&self) -> impl Iterator<Item = (Format, &Path)> {
        [
            (Format::Html, &self.html),
            (Format::Csv, &self.csv),
            (Format::Markdown, &self.markdown),
            (Format::Png, &self.png),
        ]
        .into_iter()
        .filter_map(|(format, path)| Some((format, path.as_deref()?)))
    }

    /// Every file that will be written.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.all().map(|(_, path)| path)
    }

    /// Writes what was asked for; says what could not be written. Returns whether all was.
    pub(super) fn write(&self, report: &Report) -> bool {
        let mut whole = true;
        for (format, path) in self.all() {
            if let Err(error) = export::save(report, format, path) {
                complain(&error.to_string());
                whole = false;
            }
        }
        whole
    }
}

/// Why a file cannot be written, before the work for it is done.
///
/// # Errors
/// There is no such folder; a sentence.
pub(super) fn check_folder_of(file: &Path) -> Result<(), String> {
    if file.is_dir() {
        return Err(format!(
            "The result could not be saved, since this is a folder. Name a file in it: {}",
            file.display()
        ));
    }
    match file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => Err(format!(
            "The result could not be saved, since there is no such folder. Choose another place: {}",
            folder.display()
        )),
        None => Ok(()),
    }
}

#[derive(Args, Debug)]
pub(super) struct ExportArguments {
    /// The result file
    file: PathBuf,
    #[command(flatten)]
    outputs: Outputs,
}

/// Returns the exit code.
pub(super) fn export(arguments: &ExportArguments) -> u8 {
    if arguments.outputs.paths().next().is_none() {
        complain("Nothing to write. Name at least one file with --html, --csv, --markdown or --png");
        return WRONG_USAGE;
    }
    for path in arguments.outputs.paths() {
        if let Err(sentence) = check_folder_of(path) {
            complain(&sentence);
            return WRONG_USAGE;
        }
    }
    match load(&arguments.file) {
        Ok(report) if arguments.outputs.write(&report) => DONE,
        Ok(_) => FAILED,
        Err(error) => {
            complain(&error.to_string());
            FAILED
        }
    }
}

//! Everything a result can be saved as, made from the same sections that the window shows; no exporter
//! knows an experiment. The terminal's `export` and `run`, and the window's Save and Copy call it.
//!
//! Whatever leaves through here first has people taken out of it (`clean`), and what is for people has
//! nothing in it that acts unseen. Each exporter escapes text for its own format.

mod clean;
mod csv;
mod html;
pub mod look;
mod markdown;
pub mod page;
mod png;
pub mod scale;
pub mod svg;

use std::path::Path;

use thiserror::Error;

pub use clean::private;
pub use png::Picture;

use crate::report::{
    Report,
    compare::Comparison,
    history::ENDING,
    save::{SaveError, write_whole},
};

/// What a result can be saved as.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Format {
    /// The result file itself, which CommitMark opens again.
    #[default]
    Json,
    /// One page for a browser, with the result file in it.
    Html,
    /// A picture of the sentence and the main chart.
    Png,
    /// One row for each raw sample.
    Csv,
    /// Text with tables, for an issue tracker.
    Markdown,
}

impl Format {
    /// All of them, the most used first.
    pub const ALL: [Self; 5] = [Self::Json, Self::Html, Self::Png, Self::Csv, Self::Markdown];

    /// The ending of its files, with the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Json => ENDING,
            Self::Html => ".html",
            Self::Png => ".png",
            Self::Csv => ".csv",
            Self::Markdown => ".md",
        }
    }

    /// What follows the last dot in the name of its files.
    pub fn extension(self) -> &'static str {
        let ending = self.ending();
        ending.rsplit('.').next().unwrap_or(ending)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "Result file",
            Self::Html => "Web page",
            Self::Png => "Picture",
            Self::Csv => "Table of raw samples",
            Self::Markdown => "Text with tables",
        }
    }

    /// The format that the ending of a file's name stands for; `None` for an ending of something else.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        match extension.as_str() {
            "json" => Some(Self::Json),
            "html" | "htm" => Some(Self::Html),
            "png" => Some(Self::Png),
            "csv" => Some(Self::Csv),
            "md" | "markdown" => Some(Self::Markdown),
            _ => None,
        }
    }
}

/// Why there is no export.
#[derive(Debug, Error)]
pub enum ExportError {
    /// It could not be made.
    #[error("The {} could not be made ({reason}). Save the result as JSON instead, and please report this", format.name().to_lowercase())]
    NotMade {
        /// What was to be made.
        format: Format,
        /// What stood in the way.
        reason: String,
    },
    /// It could not be written.
    #[error(transparent)]
    NotSaved(#[from] SaveError),
}

/// A result in a format, as the bytes of a file.
///
/// # Errors
/// It cannot be made; the sentence says why.
pub fn write(report: &Report, format: Format) -> Result<Vec<u8>, ExportError> {
    let not_made = |reason: String| ExportError::NotMade { format, reason };
    let private = private(report).map_err(|error| not_made(error.to_string()))?;
    let page = || page::Page::new(&private).map_err(|error| not_made(error.to_string()));
    match format {
        Format::Json => json(&private).map_err(|error| not_made(error.to_string())),
        Format::Csv => csv::write(&private).map_err(|error| not_made(error.to_string())),
        Format::Html => html::write(&page()?, &private).map_err(|error| not_made(error.to_string())),
        Format::Markdown => Ok(markdown::write(&page()?).into_bytes()),
        Format::Png => png::draw(&page()?).and_then(|drawn| png::encode(&drawn)).map_err(not_made),
    }
}

/// Saves a result in a format, replacing what is there.
///
/// # Errors
/// It cannot be made or written; the sentence says why.
pub fn save(report: &Report, format: Format, path: &Path) -> Result<(), ExportError> {
    let bytes = write(report, format)?;
    write_whole(path, &bytes).map_err(|source| SaveError { path: path.to_owned(), source }.into())
}

/// Saves a comparison as one page for a browser, replacing what is there.
///
/// # Errors
/// The system's, with the path.
pub fn save_comparison(comparison: &Comparison, path: &Path) -> Result<(), SaveError> {
    let page = html::write_comparison(&page::Page::of_comparison(comparison), comparison);
    write_whole(path, &page).map_err(|source| SaveError { path: path.to_owned(), source })
}

/// The text with tables, for the clipboard.
///
/// # Errors
/// It cannot be made; the sentence says why.
pub fn text(report: &Report) -> Result<String, ExportError> {
    write(report, Format::Markdown).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The picture, for the clipboard.
///
/// # Errors
/// It cannot be made; the sentence says why.
pub fn picture(report: &Report) -> Result<Picture, ExportError> {
    let not_made = |reason: String| ExportError::NotMade { format: Format::Png, reason };
    let private = private(report).map_err(|error| not_made(error.to_string()))?;
    let page = page::Page::new(&private).map_err(|error| not_made(error.to_string()))?;
    png::draw(&page).map(|drawn| Picture::of(&drawn)).map_err(not_made)
}

fn json(report: &Report) -> serde_json::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(report)?;
    text.push(b'\n');
    Ok(text)
}

//! What the list of kept results says about each of them, kept beside them in one small file, so that ten
//! thousand are listed without opening ten thousand files. A file is opened again when its size or its time
//! has changed. Losing the index loses nothing: it is made afresh.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::SystemTime,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{ENDING, Entry};
use crate::report::{
    Report,
    load::{LoadError, load},
    save::write_whole,
};

/// The file's name; it begins with a dot and has not the ending of results, so that nobody takes it for one.
const FILE: &str = ".index.json";
/// Changes whenever a sentence or a field may: the program's version, and this number during development.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/1");
/// Fewer files than this are read by one thread.
const FEW: usize = 8;

/// What is known about a kept file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// A result.
    Result(Brief),
    /// Why it cannot be opened, in a sentence.
    Damaged(String),
    /// It was not opened yet.
    Unread,
}

/// A result in brief.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Brief {
    /// The run's id.
    pub id: Uuid,
    /// When the run began.
    pub started_at: Timestamp,
    /// The drive in a few words.
    pub drive: String,
    /// What was found.
    pub sentence: String,
    /// The preset in a word.
    pub preset: String,
    /// A person's own words.
    pub note: Option<String>,
}

impl Brief {
    /// A report in brief.
    pub fn of(report: &Report) -> Self {
        Self {
            id: report.id,
            started_at: report.started_at,
            drive: report.drive_words(),
            sentence: report.sentence(),
            preset: report.preset_word().to_owned(),
            note: report.note.clone(),
        }
    }
}

/// The file beside the results.
#[derive(Default, Deserialize, Serialize)]
struct Index {
    version: String,
    files: HashMap<String, Known>,
}

/// What was found in a file when it looked like this.
#[derive(Clone, Deserialize, Serialize)]
struct Known {
    bytes: u64,
    /// Since 1970, in nanoseconds.
    modified_ns: i64,
    kept: Kept,
    /// Whether the next try may find something else, though the file is the same.
    #[serde(skip)]
    passing: bool,
}

/// A file as the folder describes it.
struct Found {
    name: String,
    path: PathBuf,
    bytes: u64,
    modified_ns: i64,
}

/// Every result in the folder, newest first. With `read`, files that the index does not know are opened.
pub(super) fn list(folder: &Path, read: bool) -> io::Result<Vec<Entry>> {
    let found = match found(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut index = recall(folder);
    let before = index.files.len();
    let unknown: Vec<&Found> = found.iter().filter(|file| known(&index, file).is_none()).collect();
    let changed = read && !unknown.is_empty();
    if read {
        let opened = open_all(&unknown);
        index.files.extend(unknown.iter().zip(opened).map(|(file, (kept, passing))| {
            let known = Known { bytes: file.bytes, modified_ns: file.modified_ns, kept, passing };
            (file.name.clone(), known)
        }));
    }
    let mut entries: Vec<Entry> = found.iter().map(|file| entry(file, known(&index, file))).collect();
    entries.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| other.path.cmp(&one.path)));
    if changed || (read && before > found.len()) {
        remember(folder, index, &found);
    }
    Ok(entries)
}

fn found(folder: &Path) -> io::Result<Vec<Found>> {
    let files = fs::read_dir(folder)?.filter_map(|file| {
        let file = file.ok()?;
        let name = file.file_name().to_string_lossy().into_owned();
        if !name.ends_with(ENDING) {
            return None;
        }
        let facts = file.metadata().ok();
        Some(Found {
            path: file.path(),
            name,
            bytes: facts.as_ref().map_or(0, fs::Metadata::len),
            modified_ns: facts.and_then(|facts| facts.modified().ok()).map_or(0, since_1970),
        })
    });
    Ok(files.collect())
}

fn since_1970(time: SystemTime) -> i64 {
    Timestamp::try_from(time).ok().and_then(|time| i64::try_from(time.as_nanosecond()).ok()).unwrap_or_default()
}

fn known<'a>(index: &'a Index, file: &Found) -> Option<&'a Kept> {
    let known = index.files.get(&file.name)?;
    (known.bytes == file.bytes && known.modified_ns == file.modified_ns).then_some(&known.kept)
}

fn entry(file: &Found, kept: Option<&Kept>) -> Entry {
    let kept = kept.cloned().unwrap_or(Kept::Unread);
    let at = match &kept {
        Kept::Result(brief) => brief.started_at,
        Kept::Damaged(_) | Kept::Unread => Timestamp::from_nanosecond(file.modified_ns.into()).unwrap_or_default(),
    };
    Entry { path: file.path.clone(), at, kept }
}

/// Opens files, on as many threads as the machine has. Each comes with whether the answer may pass.
fn open_all(files: &[&Found]) -> Vec<(Kept, bool)> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = files.len().div_ceil(threads).max(FEW);
    thread::scope(|scope| {
        let parts: Vec<_> = files
            .chunks(share)
            .map(|part| (part, scope.spawn(|| part.iter().map(|file| open(&file.path)).collect::<Vec<_>>())))
            .collect();
        let joined = parts.into_iter().flat_map(|(part, thread)| {
            // A thread that panicked has read nothing; its files are tried again at the next list.
            thread.join().unwrap_or_else(|_| vec![(Kept::Unread, true); part.len()])
        });
        joined.collect()
    })
}

fn open(path: &Path) -> (Kept, bool) {
    match load(path) {
        Ok(report) => (Kept::Result(Brief::of(&report)), false),
        Err(error) => (Kept::Damaged(error.to_string()), matches!(error, LoadError::Unreadable { .. })),
    }
}

/// An index that is missing, damaged or of another version is an empty one.
fn recall(folder: &Path) -> Index {
    let index = fs::read(folder.join(FILE)).ok().and_then(|text| serde_json::from_slice::<Index>(&text).ok());
    index.filter(|index| index.version == VERSION).unwrap_or_default()
}

fn remember(folder: &Path, mut index: Index, found: &[Found]) {
    let names: HashSet<&str> = found.iter().map(|file| file.name.as_str()).collect();
    VERSION.clone_into(&mut index.version);
    index.files.retain(|name, known| names.contains(name.as_str()) && !known.passing);
    let written = serde_json::to_vec(&index).map_err(io::Error::from);
    if let Err(error) = written.and_then(|text| write_whole(&folder.join(FILE), &text)) {
        // A convenience: the next list takes longer.
        tracing::warn!("the index of results could not be written ({error}): {}", folder.display());
    }
}

//! The second process's side: walks the folder and reads the first 100 bytes of each file. It only reads:
//! no SQLite opens a file here, so no `-wal` or `-shm` file comes into being.

use std::{
    fs::{File, Metadata},
    io::{self, Read, Write},
    path::Path,
    time::{Duration, Instant},
};

use walkdir::{DirEntry, WalkDir};

use super::{Ended, Found, GREETING, Journal, Line};
use crate::{measure::database::beside, units};

/// How deep below the folder: an app's databases are in its data folder or a few levels below it, and whole
/// drives are not searched.
const DEEPEST: usize = 6;
/// Files looked at, at most: a photo library has as many, and reading so many headers takes seconds.
const MOST_FILES: u64 = 50_000;
/// Databases told, at most: nobody reads a longer list.
const MOST_DATABASES: usize = 200;
/// How long at most: a person waits for it.
const LONGEST: Duration = Duration::from_secs(20);
/// The smallest database is one page of 512 bytes (<https://sqlite.org/fileformat2.html>, 1.3.2).
const SMALLEST_BYTES: u64 = 512;

/// The database header (<https://sqlite.org/fileformat2.html>, 1.3).
const HEADER_BYTES: u64 = 100;
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Looks through the folder and writes what is found, line by line. This is all that the second process does.
///
/// # Errors
/// A line could not be written: whoever asked is gone.
pub fn serve(folder: &Path, mut output: impl Write) -> io::Result<()> {
    let mut say = |line: &str| {
        writeln!(output, "{line}")?;
        output.flush()
    };
    say(GREETING)?;
    let mut tell = |line: &Line| say(&serde_json::to_string(line)?);
    let limits = Limits { deepest: DEEPEST, files: MOST_FILES, databases: MOST_DATABASES, longest: LONGEST };
    let (ended, unreadable) = walk(folder, &limits, |found| tell(&Line::Database(found)))?;
    tell(&Line::Done { ended, unreadable })
}

/// Where a walk ends though there is more.
#[derive(Clone, Copy, Debug)]
struct Limits {
    deepest: usize,
    files: u64,
    databases: usize,
    longest: Duration,
}

/// Walks the folder: links are not followed, and another drive mounted inside it is not entered.
fn walk(folder: &Path, limits: &Limits, mut tell: impl FnMut(Found) -> io::Result<()>) -> io::Result<(Ended, u64)> {
    let started = Instant::now();
    let (mut files, mut databases, mut unreadable, mut cut_off) = (0_u64, 0_usize, 0_u64, false);
    let entries = WalkDir::new(folder).max_depth(limits.deepest).follow_links(false).same_file_system(true);
    for entry in entries {
        if let Some(limit) = limits.reached(files, databases, started.elapsed()) {
            return Ok((Ended::Limit(limit), unreadable));
        }
        let Ok(entry) = entry else {
            unreadable += 1;
            continue;
        };
        cut_off |= entry.depth() == limits.deepest && entry.file_type().is_dir();
        if !entry.file_type().is_file() {
            continue;
        }
        files += 1;
        match look(&entry) {
            Ok(Some(found)) => {
                databases += 1;
                tell(found)?;
            }
            Ok(None) => {}
            Err(_) => unreadable += 1,
        }
    }
    let deep =
        format!("Folders more than {} levels down were left out; choose one of them to look there", limits.deepest);
    Ok((if cut_off { Ended::Limit(deep) } else { Ended::Complete }, unreadable))
}

impl Limits {
    /// Which limit is reached, in a sentence.
    fn reached(&self, files: u64, databases: usize, elapsed: Duration) -> Option<String> {
        let what = if files >= self.files {
            format!("{} files were looked at", units::count(self.files))
        } else if databases >= self.databases {
            format!("{} databases were found", units::count(self.databases as u64))
        } else if elapsed >= self.longest {
            format!("{} were over", units::seconds(self.longest.as_secs_f64()))
        } else {
            return None;
        };
        Some(format!("{what} before the end, so there may be more. Choose a folder nearer to your app's data"))
    }
}

/// What a file is; `None` for everything that is no database.
fn look(entry: &DirEntry) -> io::Result<Option<Found>> {
    let facts = entry.metadata().map_err(io::Error::from)?;
    if facts.len() < SMALLEST_BYTES || is_elsewhere(&facts) {
        return Ok(None);
    }
    let mut header = Vec::new();
    File::open(entry.path())?.take(HEADER_BYTES).read_to_end(&mut header)?;
    Ok(parse(&header).map(|(journal, page_bytes)| Found {
        path: entry.path().to_owned(),
        journal,
        page_bytes,
        bytes: facts.len(),
        wal_bytes: std::fs::metadata(beside(entry.path(), "-wal")).ok().map(|wal| wal.len()),
    }))
}

/// Journal and page size from a header; `None` where it is no database's.
fn parse(header: &[u8]) -> Option<(Journal, u32)> {
    let (magic, rest) = header.split_at_checked(MAGIC.len())?;
    let [high, low, write_version, read_version, ..] = *rest else { return None };
    if magic != MAGIC {
        return None;
    }
    let page_bytes = match u16::from_be_bytes([high, low]) {
        1 => 65_536,
        size if size.is_power_of_two() && size >= 512 => u32::from(size),
        _ => return None,
    };
    let journal = match (write_version, read_version) {
        (1, 1) => Journal::Rollback,
        (2, 2) => Journal::Wal,
        _ => Journal::Other,
    };
    Some((journal, page_bytes))
}

/// Whether the file's contents are with a cloud service: reading would fetch them.
#[cfg(windows)]
fn is_elsewhere(facts: &Metadata) -> bool {
    use std::os::windows::fs::MetadataExt;
    /// FILE_ATTRIBUTE_OFFLINE, FILE_ATTRIBUTE_RECALL_ON_OPEN and FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS.
    const RECALLED: u32 = 0x1000 | 0x0004_0000 | 0x0040_0000;
    facts.file_attributes() & RECALLED != 0
}

/// Whether the file's contents are with a cloud service: reading would fetch them.
#[cfg(target_os = "macos")]
fn is_elsewhere(facts: &Metadata) -> bool {
    use std::os::macos::fs::MetadataExt;
    /// SF_DATALESS of sys/stat.h.
    const DATALESS: u32 = 0x4000_0000;
    facts.st_flags() & DATALESS != 0
}

#[cfg(not(any(windows, target_os = "macos")))]
fn is_elsewhere(_facts: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(page_size: [u8; 2], versions: [u8; 2]) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        header.extend(page_size);
        header.extend(versions);
        header.resize(100, 0);
        header
    }

    #[test]
    fn a_header_is_read_as_the_file_format_says() {
        assert_eq!(parse(&header([0x10, 0], [1, 1])), Some((Journal::Rollback, 4_096)));
        assert_eq!(parse(&header([0x02, 0], [2, 2])), Some((Journal::Wal, 512)));
        assert_eq!(parse(&header([0, 1], [2, 2])), Some((Journal::Wal, 65_536)));
        assert_eq!(parse(&header([0x10, 0], [3, 3])), Some((Journal::Other, 4_096)));
    }

    #[test]
    fn what_is_no_database_is_none() {
        assert_eq!(parse(b""), None);
        assert_eq!(parse(b"SQLite format 3\0"), None);
        assert_eq!(parse(&header([0x01, 0], [1, 1])), None, "256 is too small for a page");
        assert_eq!(parse(&header([0x10, 1], [1, 1])), None, "4,097 is no power of two");
        let mut other = header([0x10, 0], [1, 1]);
        other[0] = b's';
        assert_eq!(parse(&other), None);
    }

    fn walked(folder: &Path, limits: &Limits) -> (Vec<Found>, Ended, u64) {
        let mut found = Vec::new();
        let (ended, unreadable) = walk(folder, limits, |database| {
            found.push(database);
            Ok(())
        })
        .unwrap();
        (found, ended, unreadable)
    }

    fn databases(folder: &Path, count: usize) {
        let mut bytes = header([0x10, 0], [1, 1]);
        bytes.resize(4_096, 0);
        for number in 0..count {
            std::fs::write(folder.join(format!("{number}.db")), &bytes).unwrap();
        }
    }

    const LIMITS: Limits = Limits { deepest: 2, files: 3, databases: 3, longest: Duration::from_secs(60) };

    #[test]
    fn each_limit_ends_the_walk_and_is_said() {
        let folder = tempfile::tempdir().unwrap();
        databases(folder.path(), 3);
        assert_eq!(walked(folder.path(), &LIMITS).1, Ended::Complete);
        for (limits, words) in [
            (Limits { files: 2, ..LIMITS }, "2 files were looked at"),
            (Limits { databases: 2, ..LIMITS }, "2 databases were found"),
            (Limits { longest: Duration::ZERO, ..LIMITS }, "were over"),
        ] {
            let (_, ended, _) = walked(folder.path(), &limits);
            assert!(matches!(&ended, Ended::Limit(sentence) if sentence.contains(words)), "{ended:?}");
        }
    }

    #[test]
    fn folders_too_deep_are_left_out_and_that_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let (near, deep) = (folder.path().join("a"), folder.path().join("a/b"));
        std::fs::create_dir_all(&deep).unwrap();
        databases(&near, 1);
        databases(&deep, 1);
        let (found, ended, _) = walked(folder.path(), &LIMITS);
        assert_eq!(found.len(), 1);
        assert!(matches!(&ended, Ended::Limit(sentence) if sentence.contains("2 levels down")), "{ended:?}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        databases(other.path(), 1);
        std::os::unix::fs::symlink(other.path(), folder.path().join("folder")).unwrap();
        std::os::unix::fs::symlink(other.path().join("0.db"), folder.path().join("file.db")).unwrap();
        assert_eq!(walked(folder.path(), &LIMITS), (Vec::new(), Ended::Complete, 0));
    }
}

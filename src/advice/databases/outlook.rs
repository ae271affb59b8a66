//! What would change for a database that was found, from its header and from what was measured on its drive.

use super::{Found, Journal};
use crate::{
    advice::{
        Advice,
        findings::{evidence::Evidence, speed},
    },
    measure::database::{JournalMode, WAL_LIMIT_PAGES},
    report::Report,
    system::Volume,
    units,
};

/// A page in the WAL has a header of 24 bytes, and the file one of 32
/// (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
const FRAME_HEADER_BYTES: u64 = 24;
const WAL_HEADER_BYTES: u64 = 32;

/// What would change for one database.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Outlook {
    /// In a word or two, for the end of the line.
    pub verdict: Verdict,
    /// "412 MB, rollback journal, pages of 4,096 bytes"
    pub facts: String,
    /// What would change, in sentences.
    pub words: String,
}

/// Whether a database would gain from WAL.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// It would.
    WouldGain,
    /// It uses WAL already.
    AlreadySet,
    /// It uses WAL, and something about that wants a look.
    LookAtIt,
    /// WAL is not advised here.
    StaysAsItIs,
}

impl Verdict {
    /// "would gain"
    pub fn words(self) -> &'static str {
        match self {
            Self::WouldGain => "would gain",
            Self::AlreadySet => "already set",
            Self::LookAtIt => "look at its WAL",
            Self::StaysAsItIs => "stays as it is",
        }
    }
}

/// Whether a report was measured on the drive with this volume: numbers of another drive say nothing.
pub fn is_same_drive(report: &Report, volume: &Volume) -> bool {
    let (measured, here) = (&report.volume, volume);
    measured.mount_point.is_some()
        && measured.mount_point == here.mount_point
        && measured.file_system == here.file_system
        && measured.total_bytes == here.total_bytes
}

/// What would change for a database. `report` is one of the same drive, `advice` the advice from it; both may
/// be general.
pub fn outlook(found: &Found, advice: &Advice, report: Option<&Report>) -> Outlook {
    let (verdict, words) = match found.journal {
        Journal::Wal => of_wal(found),
        Journal::Rollback if advice.choice.journal_mode == JournalMode::Wal => {
            (Verdict::WouldGain, of_rollback(found, report))
        }
        Journal::Rollback => (Verdict::StaysAsItIs, "WAL is not advised on this drive".to_owned()),
        Journal::Other => {
            (Verdict::StaysAsItIs, "Written by another form of SQLite, so nothing is said about it".to_owned())
        }
    };
    Outlook { verdict, facts: facts(found), words }
}

fn facts(found: &Found) -> String {
    let journal = match found.journal {
        Journal::Rollback => "rollback journal",
        Journal::Wal => "WAL",
        Journal::Other => "unknown journal",
    };
    let pages = format!("pages of {} bytes", units::count(u64::from(found.page_bytes)));
    let wal = found.wal_bytes.filter(|bytes| *bytes > 0).map(|bytes| format!("-wal of {}", units::bytes(bytes)));
    [Some(units::bytes(found.bytes)), Some(journal.to_owned()), Some(pages), wal]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

/// A WAL larger than the automatic checkpoint lets it grow, by half again: some reader kept it from being
/// written back, or one transaction was larger. <https://sqlite.org/wal.html> (6)
fn of_wal(found: &Found) -> (Verdict, String) {
    let usual = WAL_LIMIT_PAGES * (u64::from(found.page_bytes) + FRAME_HEADER_BYTES) + WAL_HEADER_BYTES;
    match found.wal_bytes {
        Some(bytes) if bytes > usual / 2 * 3 => (
            Verdict::LookAtIt,
            format!(
                "Its -wal file holds {} where {} are usual: look for a reader that keeps a transaction open, or for very large transactions.",
                units::bytes(bytes),
                units::bytes(usual)
            ),
        ),
        _ => (
            Verdict::AlreadySet,
            "It keeps WAL by itself; the other settings are set by each program that opens it".to_owned(),
        ),
    }
}

/// WAL on a database with a rollback journal. <https://sqlite.org/wal.html> (1 and 3.3)
fn of_rollback(found: &Found, report: Option<&Report>) -> String {
    let gain = match speed::measured_gain(&Evidence::new(report)) {
        Some(times) => format!("With WAL each safe save would be {} times as fast", units::ratio(times)),
        None => "With WAL readers and a writer would no longer wait for each other".to_owned(),
    };
    format!(
        "{gain}. Every program that uses it must run on this computer. Its pages of {} bytes stay as they are.",
        units::count(u64::from(found.page_bytes))
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::advice::{
        advise,
        findings::samples::{report, saves},
    };

    fn found(journal: Journal, page_bytes: u32, wal_bytes: Option<u64>) -> Found {
        Found { path: PathBuf::from("library.db"), journal, page_bytes, bytes: 412_000_000, wal_bytes }
    }

    fn of(found: &Found, report: Option<&Report>) -> Outlook {
        outlook(found, &advise(report, false), report)
    }

    #[test]
    fn a_rollback_journal_would_gain_what_was_measured() {
        let measured = report(vec![saves(100.0, 410.0)]);
        let outlook = of(&found(Journal::Rollback, 4_096, None), Some(&measured));
        assert_eq!(outlook.verdict, Verdict::WouldGain);
        assert!(outlook.words.starts_with("With WAL each safe save would be 4.1 times as fast"), "{}", outlook.words);
        assert!(outlook.words.contains("pages of 4,096 bytes stay"));
        assert_eq!(outlook.facts, "412 MB, rollback journal, pages of 4,096 bytes");
    }

    #[test]
    fn without_a_measured_gain_no_number_is_promised() {
        for report in [None, Some(report(vec![saves(100.0, 103.0)]))] {
            let outlook = of(&found(Journal::Rollback, 4_096, None), report.as_ref());
            assert!(outlook.words.starts_with("With WAL readers and a writer"), "{}", outlook.words);
        }
    }

    #[test]
    fn on_a_network_share_a_rollback_journal_stays() {
        let mut shared = report(vec![saves(100.0, 410.0)]);
        shared.volume.network = Some(true);
        assert_eq!(of(&found(Journal::Rollback, 4_096, None), Some(&shared)).verdict, Verdict::StaysAsItIs);
    }

    #[test]
    fn a_wal_half_as_large_again_as_a_thousand_pages_wants_a_look() {
        // 1,000 frames of 4,096 + 24 bytes and the header of 32: 4,120,032 bytes, half as much again 6,180,048.
        let verdict = |bytes| of(&found(Journal::Wal, 4_096, Some(bytes)), None).verdict;
        assert_eq!(verdict(6_180_048), Verdict::AlreadySet);
        assert_eq!(verdict(6_180_049), Verdict::LookAtIt);
        // Larger pages make a larger usual WAL: 1,000 frames of 65,536 + 24.
        assert_eq!(of(&found(Journal::Wal, 65_536, Some(60_000_000)), None).verdict, Verdict::AlreadySet);
        assert_eq!(of(&found(Journal::Wal, 4_096, None), None).verdict, Verdict::AlreadySet);
    }

    #[test]
    fn numbers_of_another_drive_are_not_used() {
        let mut measured = report(vec![saves(100.0, 410.0)]);
        measured.volume.mount_point = Some("/".to_owned());
        measured.volume.file_system = Some("ext4".to_owned());
        measured.volume.total_bytes = Some(1_000);
        assert!(is_same_drive(&measured, &measured.volume.clone()));
        let other = Volume { total_bytes: Some(2_000), ..measured.volume.clone() };
        assert!(!is_same_drive(&measured, &other));
        assert!(!is_same_drive(&measured, &Volume::default()));
        measured.volume.mount_point = None;
        assert!(!is_same_drive(&measured, &measured.volume.clone()), "an unknown place is never the same");
    }
}

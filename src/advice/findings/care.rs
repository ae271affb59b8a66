//! Rules about what keeps a database well: short read transactions, automatic checkpoints, and backups.

use super::{
    Finding, Reason,
    evidence::{Evidence, outcome},
    sentences,
};
use crate::{
    experiments::{
        backup::{self, METHODS},
        checkpoint,
    },
    measure::outcome::Outcome,
    units,
};

/// How many checkpoints were made beside an old reader, and how many of them it held back.
struct HeldBack {
    held_back: u64,
    all: u64,
    wal_bytes: u64,
}

fn held_back(outcome: &Outcome<checkpoint::Sample>) -> Option<HeldBack> {
    let written = outcome.cases.iter().flat_map(|case| &case.samples).filter_map(|sample| match sample {
        checkpoint::Sample::Written(written) if written.old_reader => Some(written),
        _ => None,
    });
    let written: Vec<_> = written.collect();
    let held = written.iter().filter(|written| written.checkpointed_pages < written.log_pages).count();
    Some(HeldBack {
        held_back: held as u64,
        all: written.len() as u64,
        wal_bytes: written.iter().map(|written| written.wal_bytes_before).max()?,
    })
}

/// Short read transactions and automatic checkpoints left on: a reader with an old transaction keeps the WAL
/// from being written back, and it grows. <https://sqlite.org/wal.html> (6),
/// <https://sqlite.org/pragma.html#pragma_wal_autocheckpoint>
pub(super) fn short_reads(evidence: &Evidence<'_>) -> Finding {
    const WHY: &str = "While one reader keeps an old transaction open, the WAL cannot be written back and grows";
    let reason = match outcome!(evidence, Checkpoint).and_then(held_back) {
        Some(HeldBack { held_back: 0, all, .. }) => Reason::documented(sentences(&[
            WHY,
            &format!("None of {} checkpoints was held back here", units::count(all)),
        ])),
        Some(HeldBack { held_back, all, wal_bytes }) => Reason::measured(format!(
            "One reader with an old transaction held back {} of {} checkpoints here, with a WAL of {}",
            units::count(held_back),
            units::count(all),
            units::bytes(wal_bytes)
        )),
        None => Reason::documented(sentences(&[WHY, "This was not measured: run Full"])),
    };
    reason.finding("short_reads", "Keep read transactions short and automatic checkpoints on", None)
}

/// Passed and made, of the backups that SQLite made or of copies of files.
fn passed(outcome: &Outcome<backup::Sample>, copies: bool) -> (u64, u64) {
    let of_kind =
        |name: &str| METHODS.into_iter().any(|method| method.name() == name && method.copies_files() == copies);
    let samples = outcome.cases.iter().filter(|case| of_kind(&case.name)).flat_map(|case| &case.samples);
    samples.fold((0, 0), |(passed, all), sample| (passed + u64::from(sample.passed()), all + 1))
}

/// Back up with the backup API or VACUUM INTO: a copy of the files of a database in use can miss what was
/// committed, or be damaged. <https://sqlite.org/backup.html>, <https://sqlite.org/lang_vacuum.html>,
/// <https://sqlite.org/howtocorrupt.html> (1.2)
pub(super) fn backups(evidence: &Evidence<'_>) -> Finding {
    const WHY: &str = "A copy of the files of a database in use can miss what was saved, or be damaged";
    let made = outcome!(evidence, Backup).map(|outcome| (passed(outcome, false), passed(outcome, true)));
    let reason = match made {
        None | Some(((_, 0), (_, 0))) => Reason::documented(sentences(&[WHY, "This was not measured: run Full"])),
        Some(((own, all_own), _)) if own < all_own => Reason::measured(sentences(&[
            &format!(
                "{} of {} backups that SQLite itself made were not complete here",
                units::count(all_own - own),
                units::count(all_own)
            ),
            "Do not trust this drive with data before you know why",
        ])),
        Some((_, (copied, all_copies))) if copied < all_copies => Reason::measured(format!(
            "{} of {} copies of the files were not complete here; every backup that SQLite made was",
            units::count(all_copies - copied),
            units::count(all_copies)
        )),
        Some((_, (_, 0))) => Reason::measured("Every backup that SQLite made was complete here".to_owned()),
        Some((_, (_, all_copies))) => Reason::measured(format!(
            "Copies of the files passed {} of {} times here, and are still unsafe by design",
            units::count(all_copies),
            units::count(all_copies)
        )),
    };
    reason.finding("backups", "Back up with VACUUM INTO or the backup API, not by copying files", None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::findings::{
        Basis,
        samples::{backup, checkpoint, report},
    };

    #[test]
    fn one_checkpoint_held_back_speaks_for_short_reads_and_none_does_not() {
        let finding = |checkpointed| {
            let report = report(vec![checkpoint(3_000, checkpointed, 12_400_000)]);
            short_reads(&Evidence::new(Some(&report)))
        };
        let held = finding(2_999);
        assert_eq!(held.basis, Basis::Measured);
        assert!(held.reason.contains("held back 1 of 1 checkpoints here, with a WAL of 12 MB"), "{}", held.reason);
        let free = finding(3_000);
        assert_eq!(free.basis, Basis::Documented);
        assert!(free.reason.contains("None of 1 checkpoints"), "{}", free.reason);
        assert!(short_reads(&Evidence::new(None)).reason.contains("run Full"));
    }

    #[test]
    fn backups_are_told_by_what_passed() {
        let reason = |copies: &[u64], own: &[u64]| {
            let report = report(vec![backup(copies, own)]);
            backups(&Evidence::new(Some(&report))).reason
        };
        // Committed rows that are missing, for each backup.
        assert_eq!(
            reason(&[0, 5, 0], &[0, 0]),
            "1 of 3 copies of the files were not complete here; every backup that SQLite made was"
        );
        assert!(reason(&[0, 0], &[0, 0]).contains("passed 2 of 2 times here, and are still unsafe by design"));
        assert!(reason(&[0, 0], &[0, 1]).starts_with("1 of 2 backups that SQLite itself made were not complete"));
        assert!(reason(&[], &[0]).starts_with("Every backup that SQLite made"));
        assert!(backups(&Evidence::new(None)).reason.contains("run Full"));
    }
}

//! Rules about the place: network shares, folders shared by a host, containers, memory, drives that ignore
//! flushes, and measurements too noisy to be used.

use super::{
    Basis, Finding, Reason,
    evidence::{Evidence, outcome},
    sentences, speed,
};
use crate::{measure::database::JournalMode, system::Caution};

/// Whether WAL is advised: not on a file system of another computer, not where SQLite refused it, and not
/// where it was measured to cost speed and to bring nothing.
pub fn allows_wal(evidence: &Evidence<'_>) -> bool {
    remote(evidence).is_none() && refusal(evidence).is_none() && !speed::wal_only_costs(evidence)
}

/// Why WAL is not advised.
pub(super) fn why_no_wal(evidence: &Evidence<'_>) -> Reason {
    if let Some(caution) = remote(evidence) {
        let place = if caution == Caution::HostShare { "a folder shared by another system" } else { "a network share" };
        return Reason::measured(format!(
            "This folder is on {place}{}, where WAL can damage a database without an error",
            file_system(evidence)
        ));
    }
    if let Some(answer) = refusal(evidence) {
        return Reason::measured(format!("SQLite did not take WAL here: {answer}"));
    }
    Reason::measured("WAL makes each safe save slower here, and nobody was refused without it".to_owned())
}

/// A network share, or a folder that a host computer or a container's bind mount brings in (9p, virtiofs).
fn remote(evidence: &Evidence<'_>) -> Option<Caution> {
    evidence.place().into_iter().find(|caution| matches!(caution, Caution::NetworkShare | Caution::HostShare))
}

/// What SQLite answered instead of taking WAL.
fn refusal<'a>(evidence: &Evidence<'a>) -> Option<&'a str> {
    let refused = |name: &str, settings: Option<JournalMode>, answer: &'a Option<String>| {
        answer.as_deref().filter(|_| name.starts_with("wal") || settings == Some(JournalMode::Wal))
    };
    let mode =
        |settings: &Option<crate::measure::database::Settings>| settings.as_ref().map(|known| known.journal_mode);
    let saves = outcome!(evidence, Inserts)
        .and_then(|saves| saves.cases.iter().find_map(|case| refused(&case.name, mode(&case.settings), &case.refused)));
    saves.or_else(|| {
        outcome!(evidence, Contention)?
            .cases
            .iter()
            .find_map(|case| refused(&case.name, mode(&case.settings), &case.refused))
    })
}

/// " (nfs4)"
fn file_system(evidence: &Evidence<'_>) -> String {
    let name = evidence.volume().and_then(|volume| volume.file_system.as_deref());
    name.map_or_else(String::new, |name| format!(" ({name})"))
}

/// A drive, or something before it, that ignores flushes: a power cut can then damage any database.
/// <https://sqlite.org/howtocorrupt.html> (3.1), <https://sqlite.org/atomiccommit.html> (9.2)
pub(super) fn ignored_flushes(evidence: &Evidence<'_>) -> Option<Finding> {
    let switched_off = evidence.place().contains(&Caution::SyncsSwitchedOff);
    let words = match evidence.warning("syncs_missing") {
        Some(warning) => warning.message.clone(),
        None if switched_off => Caution::SyncsSwitchedOff.message(),
        None => return None,
    };
    Some(Reason::measured(words).finding("ignored_flushes", "Keep nothing here that a power cut must not take", None))
}

/// Not on a network file system, nor on one that a host shares with a virtual machine or a container: WAL
/// needs memory that all programs share, and locks there are often broken.
/// <https://sqlite.org/useovernet.html>, <https://sqlite.org/wal.html> (1), <https://sqlite.org/howtocorrupt.html> (2.1)
pub(super) fn shared_file_system(evidence: &Evidence<'_>) -> Option<Finding> {
    let caution = remote(evidence)?;
    let (advice, remedy) = match caution {
        Caution::HostShare => (
            "Keep the database off this shared folder",
            "Use a folder on a drive of its own, such as a container volume",
        ),
        _ => ("Keep the database off this network share", "Use a drive of the computer that runs the app"),
    };
    let why = format!(
        "WAL needs all programs on one computer, and locks cannot be relied on over this file system{}",
        file_system(evidence)
    );
    Some(Reason::measured(sentences(&[&why, remedy])).finding("shared_file_system", advice, None))
}

/// In memory nothing survives, and its speed says nothing about a drive.
/// <https://www.kernel.org/doc/html/latest/filesystems/tmpfs.html>
pub(super) fn in_memory(evidence: &Evidence<'_>) -> Option<Finding> {
    let why = "This folder is in memory: what is saved here is gone when the computer restarts, and the speeds say nothing about a drive";
    evidence.place().contains(&Caution::Memory).then(|| {
        Reason::measured(why.to_owned()).finding("in_memory", "Test a folder on the drive that your app uses", None)
    })
}

/// A container's own layer goes away with the container.
/// <https://docs.docker.com/engine/storage/drivers/overlayfs-driver/>
pub(super) fn container_layer(evidence: &Evidence<'_>) -> Option<Finding> {
    let name = evidence.volume()?.file_system.as_deref()?;
    let is_layer = ["overlay", "overlayfs", "fuse-overlayfs", "fuse.fuse-overlayfs", "aufs"].contains(&name);
    let why =
        format!("This folder is in a layer of a container or a live system ({name}), which goes when that is removed");
    is_layer.then(|| Reason::measured(why).finding("container_layer", "Keep the database in a volume of its own", None))
}

/// A noisy measurement decides nothing. Where its speeds say nothing in any case, noise is not worth a word.
/// <https://doi.org/10.1145/3030207.3030229>
pub(super) fn noise(evidence: &Evidence<'_>) -> Option<Finding> {
    let warning = evidence.noise().filter(|_| evidence.spoiled().is_none())?;
    let reason = Reason { words: warning.message.clone(), basis: Basis::Documented };
    Some(reason.finding("noise", "Run the test again, since its speeds decide nothing", None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        advice::{
            advise,
            findings::samples::{report, saves, with_refused_wal},
        },
        measure::database::Synchronous,
        report::{Report, Warning},
    };

    fn on(file_system: &str, network: bool) -> Report {
        let mut report = report(vec![saves(100.0, 400.0)]);
        report.volume.file_system = Some(file_system.to_owned());
        report.volume.network = Some(network);
        report
    }

    #[test]
    fn wal_is_advised_on_a_drive_of_this_computer_and_never_on_another_computers() {
        for (file_system, network, mode, caution) in [
            ("ext4", false, JournalMode::Wal, None),
            ("NTFS", false, JournalMode::Wal, None),
            ("nfs4", true, JournalMode::Delete, Some("network share")),
            ("cifs", true, JournalMode::Delete, Some("network share")),
            ("9p", true, JournalMode::Delete, Some("shared folder")),
            ("virtiofs", true, JournalMode::Delete, Some("shared folder")),
        ] {
            let report = on(file_system, network);
            let advice = advise(Some(&report), true);
            assert_eq!(advice.choice.journal_mode, mode, "{file_system}");
            let said = advice.cautions.iter().find(|finding| finding.id == "shared_file_system");
            assert_eq!(said.is_some(), caution.is_some(), "{file_system}");
            if let (Some(said), Some(words)) = (said, caution) {
                assert!(said.advice.contains(words) && said.reason.contains(file_system), "{said:?}");
                // Without WAL, NORMAL is not worth its risk, whatever the answer to the question.
                assert_eq!(advice.choice.synchronous, Synchronous::Full);
                assert!(advice.settings[0].reason.contains("can damage a database without an error"));
            }
        }
    }

    #[test]
    fn where_sqlite_refused_wal_the_rollback_journal_stays() {
        let report = report(vec![with_refused_wal("journal_mode is delete")]);
        let advice = advise(Some(&report), false);
        assert_eq!(advice.choice.journal_mode, JournalMode::Delete);
        assert!(advice.settings[0].reason.contains("journal_mode is delete"), "{}", advice.settings[0].reason);
    }

    #[test]
    fn a_drive_that_ignores_flushes_comes_first() {
        let mut report = on("ext4", false);
        assert!(ignored_flushes(&Evidence::new(Some(&report))).is_none());
        report.warnings = vec![
            Warning::new("other_load", "Busy."),
            Warning::new("syncs_missing", "This drive claims to make data permanent in 3 µs, which no drive can."),
        ];
        let advice = advise(Some(&report), false);
        assert_eq!(advice.cautions[0].id, "ignored_flushes");
        assert!(advice.cautions.iter().all(|finding| finding.id != "noise"), "{:?}", advice.cautions);
        assert!(advice.settings[1].risk.as_ref().unwrap().contains("the whole database"));
        assert!(advice.cautions[0].reason.contains("3 µs"));
        report.warnings.clear();
        report.volume.mount_options = Some("rw,barrier=0".to_owned());
        assert!(ignored_flushes(&Evidence::new(Some(&report))).unwrap().reason.contains("no barriers"));
    }

    #[test]
    fn memory_and_a_containers_layer_are_named_and_a_drive_is_not() {
        let mut report = on("tmpfs", false);
        assert!(in_memory(&Evidence::new(Some(&report))).is_none());
        report.volume.memory = Some(true);
        assert!(in_memory(&Evidence::new(Some(&report))).is_some());
        let layer = |name| container_layer(&Evidence::new(Some(&on(name, false))));
        assert!(layer("overlay").unwrap().reason.contains("overlay"));
        assert!(layer("ext4").is_none());
    }

    #[test]
    fn a_noisy_measurement_says_why_and_gives_no_numbers() {
        let mut report = on("ext4", false);
        assert!(noise(&Evidence::new(Some(&report))).is_none());
        report.warnings = vec![Warning::new("slept", "The computer slept for 12 s during the run.")];
        let advice = advise(Some(&report), false);
        assert!(advice.cautions.iter().any(|finding| finding.id == "noise" && finding.reason.contains("12 s")));
        assert_eq!(advice.settings[0].basis, Basis::Documented);
        assert!(!advice.settings[0].reason.contains("4 times"), "{}", advice.settings[0].reason);
    }
}

//! Rules about speed: WAL for many small saves, what NORMAL buys, why OFF is never right, grouping, and
//! databases that nobody writes.

use super::{
    Basis, Finding, Reason,
    evidence::{Evidence, Known, Speed, outcome},
    locks, place, sentences,
};
use crate::{
    advice::settings::Choice,
    experiments::{batching, inserts, telling::power_cut},
    measure::{
        database::{JournalMode, Settings, Synchronous},
        outcome::Ratio,
    },
    system::Caution,
    units,
};

const QUICK: &str = "Quick";
const FULL: &str = "Full";

/// WAL's speed for safe saves beside the default's.
fn safe_saves(evidence: &Evidence<'_>) -> Known<(Ratio, Speed)> {
    evidence.ratio(
        outcome!(evidence, Inserts),
        ("wal/full", "delete/full"),
        ("How fast safe saves are with WAL and without", QUICK),
    )
}

/// What NORMAL buys in WAL.
fn normal(evidence: &Evidence<'_>) -> Known<(Ratio, Speed)> {
    evidence.ratio(outcome!(evidence, Inserts), ("wal/normal", "wal/full"), ("What NORMAL would buy", QUICK))
}

/// Whether NORMAL was measured to be no faster than FULL, so that it would risk saves for nothing.
pub fn normal_buys_nothing(evidence: &Evidence<'_>) -> bool {
    normal(evidence).yes().is_some_and(|(_, speed)| *speed != Speed::Faster)
}

/// Whether WAL makes safe saves slower here and readers and a writer get along without it.
pub fn wal_only_costs(evidence: &Evidence<'_>) -> bool {
    let slower = safe_saves(evidence).yes().is_some_and(|(_, speed)| *speed == Speed::Slower);
    slower && locks::nobody_was_refused(evidence)
}

/// How many times as fast each safe save is with WAL, where that was measured to be a gain.
pub fn measured_gain(evidence: &Evidence<'_>) -> Option<f64> {
    safe_saves(evidence).yes().filter(|(_, speed)| *speed == Speed::Faster).map(|(ratio, _)| ratio.value)
}

/// "4.1 times as fast (between 3.9 and 4.4)", without the range where it says no more than the value.
fn as_fast(ratio: &Ratio) -> String {
    let (value, low, high) = (units::ratio(ratio.value), units::ratio(ratio.low), units::ratio(ratio.high));
    if low == high {
        format!("{value} times as fast")
    } else {
        format!("{value} times as fast (between {low} and {high})")
    }
}

/// Many small saves: WAL syncs once a commit where a rollback journal syncs three or four times. Near 1,
/// something else than the drive limits saves. <https://sqlite.org/wal.html> (1 and 2.3)
fn small_saves(evidence: &Evidence<'_>) -> Reason {
    let known = safe_saves(evidence);
    match &known {
        Known::Yes((ratio, Speed::Faster)) => {
            Reason::measured(format!("On this drive each safe save with it is {}", as_fast(ratio)))
        }
        Known::Yes((ratio, Speed::Same)) => Reason::measured(format!(
            "Waiting for the drive is not what limits safe saves here: with WAL they are {}",
            as_fast(ratio)
        )),
        Known::Yes((ratio, Speed::Slower)) => {
            Reason::measured(format!("On this drive each safe save with it is slower: {}", as_fast(ratio)))
        }
        Known::Undecided(why) | Known::Missing(why) => Reason::documented(why.as_str()),
    }
}

/// WAL, with what it does for readers and for small saves; or why not.
/// <https://sqlite.org/wal.html>
pub(super) fn journal_mode(evidence: &Evidence<'_>, choice: &Choice) -> Finding {
    if choice.journal_mode != JournalMode::Wal {
        let risk = "Readers and a writer wait for each other";
        let advice = "Keep the rollback journal (journal_mode DELETE)";
        return place::why_no_wal(evidence).finding("journal_mode", advice, Some(risk));
    }
    let (together, saves) = (locks::together(evidence), small_saves(evidence));
    let basis =
        if [together.basis, saves.basis].contains(&Basis::Measured) { Basis::Measured } else { Basis::Documented };
    Reason { words: sentences(&[&together.words, &saves.words]), basis }.finding(
        "journal_mode",
        "Use WAL (journal_mode WAL)",
        Some("All programs that use the database must run on this computer, and its -wal file belongs to it like the database itself"),
    )
}

/// FULL, or NORMAL where losing the last saves is acceptable, with what that buys here.
/// <https://sqlite.org/pragma.html#pragma_synchronous>
pub(super) fn synchronous(evidence: &Evidence<'_>, choice: &Choice) -> Finding {
    let risk = format!("In a power cut, {}", power_cut_takes(evidence, choice));
    let (reason, advice) = match (choice.journal_mode, choice.synchronous) {
        (JournalMode::Wal, Synchronous::Normal) => (normal_taken(evidence), "Set synchronous to NORMAL"),
        (JournalMode::Wal, _) => (normal_left(evidence), "Keep synchronous FULL"),
        _ => (
            Reason::documented(
                "Without WAL, NORMAL saves little waiting and may damage a database on an old file system when the power fails",
            ),
            "Keep synchronous FULL",
        ),
    };
    reason.finding("synchronous", advice, Some(&risk))
}

/// What a power cut can take, the place considered.
fn power_cut_takes(evidence: &Evidence<'_>, choice: &Choice) -> String {
    let place = evidence.place();
    if place.contains(&Caution::Memory) {
        return "everything, since this folder is in memory".to_owned();
    }
    if evidence.spoiled().is_some() {
        return "the whole database, since flushes do not reach the drive here".to_owned();
    }
    let words = power_cut(&Settings::new(choice.journal_mode, choice.synchronous));
    let promise = if choice.synchronous == Synchronous::Full { ", if the drive keeps its promise" } else { "" };
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    format!("{first}{}{promise}", letters.as_str())
}

fn normal_taken(evidence: &Evidence<'_>) -> Reason {
    match normal(evidence) {
        Known::Yes((ratio, _)) => Reason::measured(format!(
            "Compared with FULL, saves are {} here, since they no longer wait for the drive one by one",
            as_fast(&ratio)
        )),
        Known::Undecided(why) | Known::Missing(why) => {
            Reason::documented(sentences(&["Saves no longer wait for the drive one by one", &why]))
        }
    }
}

fn normal_left(evidence: &Evidence<'_>) -> Reason {
    match normal(evidence) {
        Known::Yes((ratio, Speed::Faster)) => Reason::measured(format!(
            "With NORMAL saves would be {}, and a power cut may take the last ones",
            as_fast(&ratio)
        )),
        Known::Yes((ratio, _)) => Reason::measured(format!(
            "NORMAL buys nothing here: saves would be {}, and a power cut may take the last ones",
            as_fast(&ratio)
        )),
        Known::Undecided(why) | Known::Missing(why) => {
            Reason::documented(sentences(&["A save is on the drive before the next one begins", &why]))
        }
    }
}

/// OFF never: a power cut may damage the database itself.
/// <https://sqlite.org/pragma.html#pragma_synchronous>, <https://sqlite.org/howtocorrupt.html> (3.2)
pub(super) fn never_off(evidence: &Evidence<'_>) -> Finding {
    const DAMAGE: &str = "A power cut or a crash of the system can then damage the whole database";
    let cases = outcome!(evidence, Inserts).and_then(|saves| Some((saves.case("wal/off")?, saves.case("wal/normal")?)));
    let ratio = cases.and_then(|(off, normal)| Ratio::paired("off in wal", off, normal, inserts::Sample::per_second));
    let reason = match evidence.compared(ratio, ("This", FULL)) {
        Known::Yes((ratio, Speed::Faster)) => Reason::measured(sentences(&[
            DAMAGE,
            &format!("Compared with NORMAL, saves would be {} here", as_fast(&ratio)),
        ])),
        Known::Yes((ratio, _)) => Reason::measured(sentences(&[
            DAMAGE,
            &format!("Nor does it help here: compared with NORMAL, saves are {}", as_fast(&ratio)),
        ])),
        Known::Undecided(why) | Known::Missing(why) => Reason::documented(sentences(&[DAMAGE, &why])),
    };
    reason.finding("never_off", "Never set synchronous to OFF", None)
}

/// Moderate batches: each transaction waits for the drive once, however many rows it has, and a very large
/// one outgrows the WAL. <https://sqlite.org/faq.html#q19>, <https://sqlite.org/wal.html> (6)
pub(super) fn batches(evidence: &Evidence<'_>) -> Finding {
    let gain = outcome!(evidence, Batching).and_then(batching::gain);
    let (advice, reason) = match evidence.quiet(gain, ("This", FULL)) {
        Known::Yes(batching::Gain { rows: 1, .. }) => (
            "Group saves only where they belong together",
            Reason::measured(
                "Several rows in one transaction are saved hardly faster than one at a time here".to_owned(),
            ),
        ),
        Known::Yes(gain) => ("Put saves that belong together into one transaction", Reason::measured(of_gain(&gain))),
        Known::Undecided(why) | Known::Missing(why) => (
            "Put saves that belong together into one transaction",
            Reason::documented(sentences(&[
                "A transaction waits for the drive once, however many rows it saves",
                &why,
            ])),
        ),
    };
    reason.finding("batches", advice, Some("While it is open, others cannot save, so keep it moderate"))
}

fn of_gain(gain: &batching::Gain) -> String {
    let first = format!(
        "{} rows in one transaction are saved {} times as fast as one at a time here{}",
        units::count(gain.rows),
        units::ratio(gain.times),
        if gain.is_enough { ", and larger ones bring little more" } else { "" }
    );
    match gain.outgrown {
        Some((rows, bytes)) => {
            let second = format!("With {} rows the WAL grows to {}", units::count(rows), units::bytes(bytes));
            sentences(&[&first, &second])
        }
        None => first,
    }
}

/// Nothing to gain where nobody writes: reads alone are as fast either way, WAL a per cent or two slower.
/// <https://sqlite.org/wal.html> (1)
pub(super) fn nobody_writes(evidence: &Evidence<'_>) -> Finding {
    let known = evidence.ratio(outcome!(evidence, ReadOnly), ("wal/full", "delete/full"), ("This", FULL));
    let reason = match known {
        Known::Yes((ratio, Speed::Same)) => {
            Reason::measured(format!("With WAL reads alone are {} here, so there is nothing to gain", as_fast(&ratio)))
        }
        Known::Yes((ratio, Speed::Faster)) => Reason::measured(sentences(&[
            &format!("With WAL reads alone are {} here", as_fast(&ratio)),
            "SQLite's documentation expects no gain, so measure with your own data",
        ])),
        Known::Yes((ratio, Speed::Slower)) => {
            Reason::measured(format!("With WAL reads alone are slower here: {}", as_fast(&ratio)))
        }
        Known::Undecided(why) | Known::Missing(why) => {
            Reason::documented(sentences(&["WAL makes saves faster, not reads alone", &why]))
        }
    };
    reason.finding("nobody_writes", "Leave a database that is only read as it is", None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{
        advise,
        findings::samples::{batching, contention, inserts_at, read_only, report, saves},
    };

    const FULL_WAL: Choice =
        Choice { journal_mode: JournalMode::Wal, synchronous: Synchronous::Full, busy_timeout_ms: 5_000 };
    const NORMAL_WAL: Choice = Choice { synchronous: Synchronous::Normal, ..FULL_WAL };

    #[test]
    fn a_ratio_above_1_1_is_named_as_wals_gain_and_one_within_a_tenth_as_none() {
        for (wal, words, basis) in [
            (112.0, "On this drive each safe save with it is 1.1 times as fast", Basis::Measured),
            (109.0, "Waiting for the drive is not what limits safe saves here", Basis::Measured),
            (91.0, "Waiting for the drive is not what limits safe saves here", Basis::Measured),
            (88.0, "each safe save with it is slower: 0.88 times as fast", Basis::Measured),
        ] {
            let report = report(vec![saves(100.0, wal)]);
            let reason = small_saves(&Evidence::new(Some(&report)));
            assert!(reason.words.contains(words), "{wal}: {}", reason.words);
            assert_eq!(reason.basis, basis);
        }
    }

    #[test]
    fn without_a_measurement_the_reason_says_what_to_run() {
        let reason = small_saves(&Evidence::new(None));
        assert_eq!(reason.basis, Basis::Documented);
        assert!(reason.words.ends_with("was not measured: run Quick"), "{}", reason.words);
    }

    #[test]
    fn normal_is_taken_only_where_loss_is_acceptable_and_it_buys_something() {
        let fast = report(vec![inserts_at(&[("delete/full", 100.0), ("wal/full", 400.0), ("wal/normal", 8_000.0)], 5)]);
        let even = report(vec![inserts_at(&[("delete/full", 100.0), ("wal/full", 400.0), ("wal/normal", 404.0)], 5)]);
        let synchronous = |report, accept| advise(Some(report), accept).choice.synchronous;
        assert_eq!(synchronous(&fast, false), Synchronous::Full);
        assert_eq!(synchronous(&fast, true), Synchronous::Normal);
        assert_eq!(synchronous(&even, true), Synchronous::Full);
        assert_eq!(advise(None, true).choice.synchronous, Synchronous::Normal);
        assert_eq!(advise(None, false).choice.synchronous, Synchronous::Full);
    }

    #[test]
    fn what_normal_buys_and_risks_stands_with_either_answer() {
        let report = report(vec![inserts_at(&[("wal/full", 400.0), ("wal/normal", 8_000.0)], 5)]);
        let evidence = Evidence::new(Some(&report));
        let kept = synchronous(&evidence, &FULL_WAL);
        assert!(kept.reason.contains("With NORMAL saves would be 20 times as fast"), "{}", kept.reason);
        assert_eq!(
            kept.risk.as_deref(),
            Some("In a power cut, nothing that was saved, if the drive keeps its promise")
        );
        let taken = synchronous(&evidence, &NORMAL_WAL);
        assert!(taken.reason.contains("Compared with FULL, saves are 20 times as fast here"), "{}", taken.reason);
        assert_eq!(taken.risk.as_deref(), Some("In a power cut, the last saves, never the database"));
    }

    #[test]
    fn off_is_never_advised_however_fast_it_is() {
        let report = report(vec![inserts_at(&[("wal/full", 400.0), ("wal/normal", 500.0), ("wal/off", 50_000.0)], 5)]);
        for accept in [false, true] {
            assert_ne!(advise(Some(&report), accept).choice.synchronous, Synchronous::Off);
        }
        let finding = never_off(&Evidence::new(Some(&report)));
        assert!(
            finding.reason.contains("Compared with NORMAL, saves would be 100 times as fast"),
            "{}",
            finding.reason
        );
        assert!(finding.reason.starts_with("A power cut"));
        let unmeasured = never_off(&Evidence::new(None));
        assert!(unmeasured.reason.ends_with("was not measured: run Full."), "{}", unmeasured.reason);
    }

    #[test]
    fn wal_is_left_out_only_where_it_is_slower_and_nobody_was_refused() {
        let mode = |experiments| advise(Some(&report(experiments)), false).choice.journal_mode;
        let calm = contention((0, 0), (0, 0), 5);
        let refused = contention((60, 117), (0, 0), 5);
        assert_eq!(mode(vec![saves(100.0, 80.0), calm.clone()]), JournalMode::Delete);
        assert_eq!(mode(vec![saves(100.0, 80.0), refused]), JournalMode::Wal);
        assert_eq!(mode(vec![saves(100.0, 100.0), calm]), JournalMode::Wal);
        assert_eq!(mode(vec![saves(100.0, 80.0)]), JournalMode::Wal);
    }

    #[test]
    fn grouping_is_advised_where_the_next_size_brings_half_as_much_again() {
        let gains = report(vec![batching(&[(1, 100.0), (10, 900.0), (100, 1_200.0)])]);
        let finding = batches(&Evidence::new(Some(&gains)));
        assert!(
            finding
                .reason
                .contains("10 rows in one transaction are saved 9 times as fast as one at a time here, and larger"),
            "{}",
            finding.reason
        );
        let little = report(vec![batching(&[(1, 100.0), (10, 149.0), (100, 160.0)])]);
        assert!(batches(&Evidence::new(Some(&little))).reason.contains("hardly faster"));
        assert!(batches(&Evidence::new(None)).reason.contains("run Full"));
    }

    #[test]
    fn a_database_nobody_writes_gains_nothing() {
        for (wal, words) in
            [(99.0, "nothing to gain"), (80.0, "reads alone are slower here"), (130.0, "expects no gain")]
        {
            let report = report(vec![read_only(100.0, wal)]);
            let finding = nobody_writes(&Evidence::new(Some(&report)));
            assert!(finding.reason.contains(words), "{wal}: {}", finding.reason);
        }
        assert!(nobody_writes(&Evidence::new(None)).reason.contains("run Full"));
    }
}

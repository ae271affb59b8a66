//! Rules about programs that use one database at the same time: readers beside a writer, waiting for a
//! lock, announcing a save, and one writer at a time.

use super::{
    Finding, Reason,
    evidence::{Evidence, Known, missing, outcome},
    sentences,
};
use crate::{
    advice::settings::Choice,
    experiments::{contention, locking, writers},
    measure::{
        database::JournalMode,
        outcome::{Case, Outcome},
    },
    stats, units,
};

/// What a busy timeout should be where nothing measured asks for more: people wait for seconds, and a save
/// that waits so long has met something broken.
const USUAL_TIMEOUT_MS: u32 = 5_000;
/// Nobody waits for a minute.
const LONGEST_TIMEOUT_MS: u32 = 60_000;
/// Errors were fewer in each of at least so many rounds: by chance that happens in one of 20 cases.
const LEAST_ROUNDS: usize = 3;
/// A writer that gets less than this part of its fair share starves.
const STARVED: f64 = 0.5;
/// What was refused after less than this part of its busy timeout did not wait for it.
const AT_ONCE: f64 = 0.5;

const CONTENTION: (&str, &str) = ("Contention", "Standard");

/// The case of contention with this journal mode and a busy timeout that fits.
fn contention_case(
    outcome: &Outcome<contention::Sample>,
    mode: JournalMode,
    fits: fn(u32) -> bool,
) -> Option<&Case<contention::Sample>> {
    outcome.cases.iter().filter(|case| !case.samples.is_empty()).find(|case| {
        case.settings.as_ref().is_some_and(|settings| settings.journal_mode == mode && fits(settings.busy_timeout_ms))
    })
}

fn refusals(case: &Case<contention::Sample>) -> Vec<f64> {
    case.samples.iter().map(|sample| sample.write_busy.saturating_add(sample.read_busy) as f64).collect()
}

/// "Database is locked" errors without a busy timeout, in the median run: with the default and with WAL.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Refusals {
    default: f64,
    wal: f64,
    /// Some runs with WAL had a few, though most had none.
    some_with_wal: bool,
}

/// Counts decide where each round of one mode had fewer than any of the other, or where there were none at
/// all. Unlike speeds they do not hang on how busy the computer was otherwise.
fn refusals_compared(evidence: &Evidence<'_>) -> Known<Refusals> {
    let (what, run) = CONTENTION;
    let pair = outcome!(evidence, Contention).and_then(|outcome| {
        let case = |mode| contention_case(outcome, mode, |timeout| timeout == 0);
        Some((refusals(case(JournalMode::Delete)?), refusals(case(JournalMode::Wal)?)))
    });
    let Some((default, wal)) = pair else { return missing(what, run) };
    let least = |counts: &[f64]| counts.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |counts: &[f64]| counts.iter().copied().fold(0.0, f64::max);
    let apart = least(&default) > most(&wal) || least(&wal) > most(&default);
    let none = most(&default) == 0.0 && most(&wal) == 0.0;
    if default.len().min(wal.len()) < LEAST_ROUNDS || !(apart || none) {
        return Known::Undecided(format!("{what} was measured, but too few rounds agree: run {run}"));
    }
    let middle = |counts: &[f64]| stats::median(counts).unwrap_or_default();
    Known::Yes(Refusals { default: middle(&default), wal: middle(&wal), some_with_wal: most(&wal) > 0.0 })
}

/// Whether contention was measured and the default refused nothing.
pub(super) fn nobody_was_refused(evidence: &Evidence<'_>) -> bool {
    refusals_compared(evidence).yes().is_some_and(|found| found.default == 0.0)
}

/// A reader and a writer at the same time: with WAL neither blocks the other.
/// <https://sqlite.org/wal.html> (2.2), <https://sqlite.org/lockingv3.html> (3)
pub(super) fn together(evidence: &Evidence<'_>) -> Reason {
    match refusals_compared(evidence) {
        Known::Yes(Refusals { default, wal, some_with_wal }) if default > wal => Reason::measured(format!(
            "{} \"database is locked\" errors became {} here while one program read and another saved, neither waiting for the other",
            units::number(default),
            if wal == 0.0 && some_with_wal { "as good as none".to_owned() } else { units::number(wal) }
        )),
        Known::Yes(Refusals { default: 0.0, wal: 0.0, .. }) => Reason::measured(
            "A reader and a writer did not get in each other's way here, with or without it".to_owned(),
        ),
        Known::Yes(Refusals { default, wal, .. }) => Reason::measured(format!(
            "It did not lessen \"database is locked\" errors here: {} with the default, {} with WAL",
            units::number(default),
            units::number(wal)
        )),
        Known::Undecided(why) | Known::Missing(why) => Reason::documented(
            sentences(&["Readers and a writer work at the same time with it", &why]).trim_end_matches('.'),
        ),
    }
}

/// What became of the errors with a busy timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    timeout_ms: u32,
    errors: f64,
    longest_seconds: f64,
}

fn waiting(evidence: &Evidence<'_>, mode: JournalMode) -> Option<Waiting> {
    let case = contention_case(outcome!(evidence, Contention)?, mode, |timeout| timeout > 0)?;
    let longest = case.samples.iter().map(|sample| sample.max_write_us.max(sample.max_read_us)).fold(0.0, f64::max);
    Some(Waiting {
        timeout_ms: case.settings.as_ref()?.busy_timeout_ms,
        errors: refusals(case).iter().sum(),
        longest_seconds: longest / 1e6,
    })
}

/// The busy timeout to set: the usual one, or twice the tested one where errors remained with that or
/// somebody waited for more than half of it. A noisy run, or one without a drive, decides nothing.
/// <https://sqlite.org/pragma.html#pragma_busy_timeout>
pub fn busy_timeout_ms(evidence: &Evidence<'_>, mode: JournalMode) -> u32 {
    match evidence.quiet(waiting(evidence, mode), CONTENTION) {
        Known::Yes(found) => {
            let waited_long = found.longest_seconds * 1e3 > f64::from(found.timeout_ms) / 2.0;
            let needed = if found.errors > 0.0 || waited_long { found.timeout_ms.saturating_mul(2) } else { 0 };
            needed.clamp(USUAL_TIMEOUT_MS, LONGEST_TIMEOUT_MS)
        }
        Known::Undecided(_) | Known::Missing(_) => USUAL_TIMEOUT_MS,
    }
}

/// A busy timeout on every connection, since none is in the file: with it conflicts become waiting.
/// <https://sqlite.org/pragma.html#pragma_busy_timeout>, <https://sqlite.org/c3ref/busy_timeout.html>
pub(super) fn busy_timeout(evidence: &Evidence<'_>, choice: &Choice) -> Finding {
    const WHY: &str = "With it a program that meets a lock waits for its turn instead of failing";
    let timeout = units::seconds(f64::from(choice.busy_timeout_ms) / 1e3);
    let reason = match evidence.quiet(waiting(evidence, choice.journal_mode), CONTENTION) {
        Known::Yes(Waiting { timeout_ms, errors, longest_seconds }) => {
            let tested = units::seconds(f64::from(timeout_ms) / 1e3);
            let left = match errors {
                0.0 => "no error was left".to_owned(),
                1.0 => "one error was left".to_owned(),
                errors => format!("{} errors were left", units::number(errors)),
            };
            let longest = units::seconds(longest_seconds);
            let found = format!("With {tested} {left} here, and the longest wait was {longest}");
            Reason::measured(sentences(&[WHY, &found]))
        }
        Known::Undecided(why) | Known::Missing(why) => Reason::documented(sentences(&[WHY, &why])),
    };
    let risk = format!("A save may take up to {timeout}, and other code of that thread waits with it");
    reason.finding("busy_timeout", format!("Set a busy timeout of {timeout} on every connection"), Some(&risk))
}

/// BEGIN IMMEDIATE for transactions that write: one that reads first and writes later can be refused at once,
/// whatever the busy timeout. <https://sqlite.org/lang_transaction.html> (2.2),
/// <https://sqlite.org/rescode.html#busy_snapshot>
pub(super) fn immediate(evidence: &Evidence<'_>) -> Finding {
    let found = outcome!(evidence, Locking).and_then(|outcome| {
        ["snapshot/deferred", "upgrade/held", "upgrade/both"].iter().find_map(|name| upgrade(outcome.case(name)?))
    });
    let reason = match found {
        Some(Upgrade { refused: true, wait_seconds, timeout_seconds }) => Reason::measured(format!(
            "A transaction that read first and saved later was refused after {} here, in spite of a busy timeout of {}",
            units::seconds(wait_seconds),
            units::seconds(timeout_seconds)
        )),
        Some(_) => Reason::documented(
            "A transaction that reads first and saves later can be refused at once, in spite of the busy timeout. In the test here it was not.",
        ),
        None => Reason::documented(sentences(&[
            "A transaction that reads first and saves later can be refused at once, in spite of the busy timeout",
            "This was not measured: run Full",
        ])),
    };
    let risk = "One that reads only must not begin so, or it keeps others from saving";
    reason.finding("immediate", "Begin transactions that save with BEGIN IMMEDIATE", Some(risk))
}

/// What a transaction got that read first and wrote later.
struct Upgrade {
    refused: bool,
    wait_seconds: f64,
    timeout_seconds: f64,
}

fn upgrade(case: &Case<locking::Sample>) -> Option<Upgrade> {
    let timeout_seconds = f64::from(case.settings.as_ref()?.busy_timeout_ms) / 1e3;
    let last = case.samples.iter().map(locking::Sample::last).collect::<Option<Vec<_>>>()?;
    let waits: Vec<f64> = last.iter().map(|step| step.wait_seconds).collect();
    let wait_seconds = stats::median(&waits)?;
    let busy = last.iter().all(|step| step.answer.starts_with("SQLITE_BUSY"));
    Some(Upgrade { refused: busy && wait_seconds < timeout_seconds * AT_ONCE, wait_seconds, timeout_seconds })
}

/// One writing connection: writers take turns, and SQLite's waiting is not fair.
/// <https://sqlite.org/wal.html> (2.2), <https://sqlite.org/whentouse.html>
pub(super) fn one_writer(evidence: &Evidence<'_>) -> Finding {
    const WHY: &str = "Only one connection can save at a time; further ones wait, and nobody says for how long";
    let crowd = outcome!(evidence, Writers).and_then(crowd);
    let reason = match evidence.quiet(crowd, ("This", "Full")) {
        Known::Yes(Crowd { writers, least_share, longest_seconds }) if least_share < STARVED => {
            Reason::measured(format!(
                "Of {} writers one got only {} of its share here, and the longest wait was {}",
                units::in_words(writers),
                units::percent(least_share),
                units::seconds(longest_seconds)
            ))
        }
        Known::Yes(Crowd { writers, least_share, longest_seconds }) => Reason::measured(format!(
            "{} writers shared their turns here, the least with {} of its share; still only one saves at a time, and the longest wait was {}",
            units::sentence_case(&units::in_words(writers)),
            units::percent(least_share),
            units::seconds(longest_seconds)
        )),
        Known::Undecided(why) | Known::Missing(why) => Reason::documented(sentences(&[WHY, &why])),
    };
    reason.finding("one_writer", "Let one connection do all the saving", None)
}

/// The most writers that were measured together in WAL.
struct Crowd {
    writers: u64,
    least_share: f64,
    longest_seconds: f64,
}

fn crowd(outcome: &Outcome<writers::Sample>) -> Option<Crowd> {
    let several = outcome.cases.iter().filter_map(|case| {
        let writers = case.samples.first()?.commits_by_writer.len() as u64;
        (writers > 1 && case.name.starts_with("wal/")).then_some((writers, case))
    });
    let (writers, case) = several.max_by_key(|(writers, _)| *writers)?;
    let shares: Vec<f64> = case.samples.iter().map(writers::Sample::least_of_fair_share).collect();
    let longest = case.samples.iter().map(|sample| sample.max_us).fold(0.0, f64::max);
    Some(Crowd { writers, least_share: stats::median(&shares)?, longest_seconds: longest / 1e6 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::findings::{
        Basis,
        samples::{contention, contention_waiting, locking, report, writers},
    };
    use crate::report::{Report, Warning};

    fn reason(report: &Report) -> Reason {
        together(&Evidence::new(Some(report)))
    }

    #[test]
    fn errors_that_wal_takes_away_are_counted() {
        let found = reason(&report(vec![contention((62, 117), (0, 0), 5)]));
        assert_eq!(
            found.words,
            "179 \"database is locked\" errors became 0 here while one program read and another saved, neither waiting for the other"
        );
        assert_eq!(found.basis, Basis::Measured);
    }

    #[test]
    fn counts_decide_from_three_rounds_that_all_agree() {
        assert_eq!(reason(&report(vec![contention((62, 117), (0, 0), 3)])).basis, Basis::Measured);
        assert_eq!(reason(&report(vec![contention((62, 117), (0, 0), 2)])).basis, Basis::Documented);
        // One round of WAL with as many errors as one of the default.
        let mut mixed = contention((2, 3), (0, 0), 5);
        let crate::experiments::AnyOutcome::Contention(outcome) = &mut mixed else { panic!("contention") };
        outcome.cases[1].samples[4].read_busy = 5;
        let found = reason(&report(vec![mixed]));
        assert_eq!(found.basis, Basis::Documented);
        assert!(found.words.contains("too few rounds agree"), "{}", found.words);
    }

    #[test]
    fn no_errors_anywhere_and_more_errors_with_wal_are_said_as_they_are() {
        assert!(reason(&report(vec![contention((0, 0), (0, 0), 5)])).words.contains("did not get in each other's way"));
        assert!(reason(&report(vec![contention((0, 1), (4, 4), 5)])).words.contains("did not lessen"));
    }

    #[test]
    fn without_contention_the_reason_says_what_to_run() {
        let words = reason(&report(Vec::new())).words;
        assert!(words.ends_with("Contention was not measured: run Standard"), "{words}");
    }

    #[test]
    fn a_longer_timeout_is_advised_only_where_waits_came_near_or_errors_were_left() {
        let advised = |errors, longest_seconds| {
            let report = report(vec![contention_waiting(5_000, errors, longest_seconds)]);
            busy_timeout_ms(&Evidence::new(Some(&report)), JournalMode::Wal)
        };
        assert_eq!(advised(0, 2.5), 5_000);
        assert_eq!(advised(0, 2.6), 10_000);
        assert_eq!(advised(1, 0.1), 10_000);
        assert_eq!(busy_timeout_ms(&Evidence::new(None), JournalMode::Wal), 5_000);
    }

    #[test]
    fn the_timeout_stays_between_5_seconds_and_a_minute_and_noise_changes_nothing() {
        let mut slow = report(vec![contention_waiting(100, 3, 0.1)]);
        let advised = |report: &Report| busy_timeout_ms(&Evidence::new(Some(report)), JournalMode::Wal);
        assert_eq!(advised(&slow), 5_000);
        slow = report(vec![contention_waiting(50_000, 3, 50.0)]);
        assert_eq!(advised(&slow), 60_000);
        slow.warnings = vec![Warning::new("other_load", "Busy.")];
        assert_eq!(advised(&slow), 5_000);
    }

    #[test]
    fn a_busy_timeout_names_the_errors_left_and_the_longest_wait() {
        let choice = Choice {
            journal_mode: JournalMode::Wal,
            synchronous: crate::measure::database::Synchronous::Full,
            busy_timeout_ms: 5_000,
        };
        let calm = report(vec![contention_waiting(5_000, 0, 0.031)]);
        let finding = busy_timeout(&Evidence::new(Some(&calm)), &choice);
        assert!(
            finding.reason.contains("no error was left here, and the longest wait was 31 ms"),
            "{}",
            finding.reason
        );
        assert_eq!(finding.advice, "Set a busy timeout of 5 s on every connection");
        let failing = report(vec![contention_waiting(5_000, 2, 5.0)]);
        assert!(busy_timeout(&Evidence::new(Some(&failing)), &choice).reason.contains("errors were left"));
        assert!(busy_timeout(&Evidence::new(None), &choice).reason.contains("run Standard"));
    }

    #[test]
    fn a_refusal_in_less_than_half_the_timeout_speaks_for_begin_immediate() {
        let finding = |answer, wait| {
            let report = report(vec![locking("snapshot/deferred", answer, wait, 3_000)]);
            immediate(&Evidence::new(Some(&report)))
        };
        let found = finding("SQLITE_BUSY_SNAPSHOT", 0.002);
        assert_eq!(found.basis, Basis::Measured);
        assert!(
            found.reason.contains("refused after 2 ms here, in spite of a busy timeout of 3 s"),
            "{}",
            found.reason
        );
        assert_eq!(finding("SQLITE_BUSY", 1.49).basis, Basis::Measured);
        assert_eq!(finding("SQLITE_BUSY", 1.51).basis, Basis::Documented);
        assert_eq!(finding("SQLITE_OK", 0.002).basis, Basis::Documented);
        assert!(immediate(&Evidence::new(None)).reason.contains("run Full"));
    }

    #[test]
    fn a_writer_with_less_than_half_its_share_starves() {
        let finding = |commits: [u64; 4]| {
            let report = report(vec![writers(&commits)]);
            one_writer(&Evidence::new(Some(&report))).reason
        };
        // A fair share of 400 commits is 100 each.
        assert!(finding([49, 117, 117, 117]).starts_with("Of four writers one got only 49 % of its share here"));
        assert!(finding([51, 116, 116, 117]).starts_with("Four writers shared their turns here"));
        assert!(one_writer(&Evidence::new(None)).reason.contains("run Full"));
    }
}

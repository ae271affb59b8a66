//! The situations: what the holder and the contender do, step by step, and what SQLite documents to
//! come of it. Sources: <https://sqlite.org/lockingv3.html>, <https://sqlite.org/c3ref/busy_handler.html>,
//! <https://sqlite.org/rescode.html#busy_snapshot>, <https://sqlite.org/isolation.html>.

use std::time::Duration;

use super::Step;
use crate::measure::database::JournalMode;

pub(super) const READ: &str = "SELECT count(*) FROM t";
pub(super) const WRITE: &str = "INSERT INTO t (v) VALUES ('x')";
const IMMEDIATE: &str = "BEGIN IMMEDIATE";
const DEFERRED: &str = "BEGIN DEFERRED";
const EXCLUSIVE: &str = "BEGIN EXCLUSIVE";

/// SQLite's answer where nothing is in the way.
pub(super) const OK: &str = "SQLITE_OK";
const BUSY: &str = "SQLITE_BUSY";
const BUSY_SNAPSHOT: &str = "SQLITE_BUSY_SNAPSHOT";

/// "At once" on a busy computer: SQLite itself takes microseconds, a slow commit some tenths of a second.
const AT_ONCE: Duration = Duration::from_millis(600);
/// A commit that had to wait may come so much later: the busy handler sleeps up to 100 ms at a time, and then the
/// commit itself takes its time.
const LATE: Duration = Duration::from_secs(1);

/// One step of a script.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// By the holder.
    Holder(&'static str),
    /// By the contender, timed: what it is, and the statement.
    Contender(&'static str, &'static str),
}

/// What SQLite documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Documented {
    /// Every step succeeds without waiting.
    Succeeds,
    /// The last step succeeds as soon as the holder lets go, or is locked where the timeout is shorter.
    SucceedsOnceReleased,
    /// The last step waits for the whole timeout and is then locked.
    LockedAfterTimeout,
    /// The last step is locked at once, with this code, whatever the timeout.
    LockedAtOnce(&'static str),
}

/// One situation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scenario {
    /// The case's name.
    pub(super) name: &'static str,
    /// In plain words.
    pub(super) words: &'static str,
    pub(super) journal_mode: JournalMode,
    /// Whether the contender has the tested busy timeout; otherwise it has none.
    pub(super) patient: bool,
    pub(super) script: &'static [Act],
    /// Whether the holder lets go while the contender waits.
    pub(super) released: bool,
    pub(super) documented: Documented,
}

use Act::{Contender, Holder};
use Documented::{LockedAfterTimeout, LockedAtOnce, Succeeds, SucceedsOnceReleased};
use JournalMode::{Delete, Wal};

/// All of them, in the order told.
pub(super) const SCENARIOS: [Scenario; 12] = [
    Scenario {
        name: "write/no-timeout",
        words: "Saving while another program saves, without waiting",
        journal_mode: Delete,
        patient: false,
        script: &[Holder(IMMEDIATE), Holder(WRITE), Contender("write", WRITE)],
        released: false,
        documented: LockedAtOnce(BUSY),
    },
    Scenario {
        name: "write/timeout",
        words: "Saving while another program saves, with a busy timeout",
        journal_mode: Delete,
        patient: true,
        script: &[Holder(IMMEDIATE), Holder(WRITE), Contender("write", WRITE)],
        released: false,
        documented: LockedAfterTimeout,
    },
    Scenario {
        name: "write/released",
        words: "Saving while another program saves and then finishes",
        journal_mode: Delete,
        patient: true,
        script: &[Holder(IMMEDIATE), Holder(WRITE), Contender("write", WRITE)],
        released: true,
        documented: SucceedsOnceReleased,
    },
    Scenario {
        // The contender's shared lock and the holder's reserved one would wait for each other for ever, so
        // SQLite does not call the busy handler (c3ref/busy_handler).
        name: "upgrade/held",
        words: "Reading first and saving later in one transaction, while another program saves",
        journal_mode: Delete,
        patient: true,
        script: &[Holder(IMMEDIATE), Contender("begin", DEFERRED), Contender("read", READ), Contender("write", WRITE)],
        released: false,
        documented: LockedAtOnce(BUSY),
    },
    Scenario {
        name: "immediate/held",
        words: "Announcing the save at the start (BEGIN IMMEDIATE), while another program saves",
        journal_mode: Delete,
        patient: true,
        script: &[Holder(IMMEDIATE), Contender("begin", IMMEDIATE)],
        released: false,
        documented: LockedAfterTimeout,
    },
    Scenario {
        name: "immediate/released",
        words: "Announcing the save at the start, while another program saves and then finishes",
        journal_mode: Delete,
        patient: true,
        script: &[Holder(IMMEDIATE), Contender("begin", IMMEDIATE)],
        released: true,
        documented: SucceedsOnceReleased,
    },
    Scenario {
        name: "snapshot/deferred",
        words: "Reading first and saving later in one transaction, another program having saved in between",
        journal_mode: Wal,
        patient: true,
        script: &[Contender("begin", DEFERRED), Contender("read", READ), Holder(WRITE), Contender("write", WRITE)],
        released: false,
        documented: LockedAtOnce(BUSY_SNAPSHOT),
    },
    Scenario {
        name: "snapshot/immediate",
        words: "Announcing the save at the start, another program having saved before",
        journal_mode: Wal,
        patient: true,
        script: &[
            Holder(WRITE),
            Contender("begin", IMMEDIATE),
            Contender("read", READ),
            Contender("write", WRITE),
            Contender("commit", "COMMIT"),
        ],
        released: false,
        documented: Succeeds,
    },
    Scenario {
        name: "read/wal",
        words: "Reading while another program saves",
        journal_mode: Wal,
        patient: true,
        script: &[Holder(IMMEDIATE), Holder(WRITE), Contender("read", READ)],
        released: false,
        documented: Succeeds,
    },
    Scenario {
        name: "read/exclusive",
        words: "Reading while another program holds the whole file",
        journal_mode: Delete,
        patient: true,
        script: &[Holder(EXCLUSIVE), Contender("read", READ)],
        released: false,
        documented: LockedAfterTimeout,
    },
    Scenario {
        name: "read/exclusive-released",
        words: "Reading while another program holds the whole file and then lets go",
        journal_mode: Delete,
        patient: true,
        script: &[Holder(EXCLUSIVE), Contender("read", READ)],
        released: true,
        documented: SucceedsOnceReleased,
    },
    Scenario {
        name: "upgrade/both",
        words: "Two programs that both read first and save later in one transaction",
        journal_mode: Delete,
        patient: true,
        script: &[
            Holder(DEFERRED),
            Holder(READ),
            Contender("begin", DEFERRED),
            Contender("read", READ),
            Holder(WRITE),
            Contender("write", WRITE),
        ],
        released: false,
        documented: LockedAtOnce(BUSY),
    },
];

impl Scenario {
    /// Whether the steps went as SQLite documents, the contender having this timeout and the holder
    /// letting go after `release`.
    pub(super) fn is_as_documented(&self, steps: &[Step], timeout: Duration, release: Duration) -> bool {
        let Some((last, before)) = steps.split_last() else { return false };
        let quick = |step: &Step| step.wait_seconds < AT_ONCE.as_secs_f64();
        let contends = |act: &&Act| matches!(act, Contender(..));
        // The step that is refused is the last one of the script, never an earlier one.
        let complete = steps.len() == self.script.iter().filter(contends).count();
        let locked_after_timeout = last.answer == BUSY && is_about(last.wait_seconds, timeout);
        complete
            && before.iter().all(|step| step.answer == OK && quick(step))
            && match self.documented {
                Succeeds => last.answer == OK && quick(last),
                SucceedsOnceReleased if release < timeout => {
                    last.answer == OK
                        && last.wait_seconds >= release.as_secs_f64() * 0.9
                        && last.wait_seconds <= (release + LATE).as_secs_f64()
                }
                SucceedsOnceReleased | LockedAfterTimeout => locked_after_timeout,
                LockedAtOnce(code) => {
                    last.answer == code && quick(last) && (timeout.is_zero() || !locked_after_timeout)
                }
            }
    }

    /// How long the contender waits, in seconds.
    pub(super) fn expected_seconds(&self, timeout: Duration, release: Duration) -> f64 {
        match self.documented {
            Succeeds | LockedAtOnce(_) => 0.0,
            LockedAfterTimeout => timeout.as_secs_f64(),
            SucceedsOnceReleased => release.min(timeout).as_secs_f64(),
        }
    }
}

/// Within a tenth, or within what counts as at once for short timeouts.
fn is_about(seconds: f64, timeout: Duration) -> bool {
    let expected = timeout.as_secs_f64();
    seconds >= expected * 0.9 && seconds <= (expected * 1.1).max(expected + 0.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(answer: &str, wait_seconds: f64) -> Step {
        Step { step: "write".to_owned(), answer: answer.to_owned(), wait_seconds }
    }

    fn judged(name: &str, steps: &[Step]) -> bool {
        let scenario = SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap();
        scenario.is_as_documented(steps, Duration::from_secs(3), Duration::from_secs(1))
    }

    #[test]
    fn answers_and_waits_other_than_documented_are_seen() {
        assert!(judged("write/timeout", &[step(BUSY, 3.05)]));
        assert!(!judged("write/timeout", &[step(BUSY, 3.5)]) && !judged("write/timeout", &[step(BUSY, 0.0)]));
        assert!(!judged("write/timeout", &[step(OK, 3.0)]) && !judged("write/timeout", &[]));
        assert!(judged("write/released", &[step(OK, 1.1)]) && !judged("write/released", &[step(OK, 0.2)]));
        let snapshot = |code| [step(OK, 0.0), step(OK, 0.0), step(code, 0.0)];
        assert!(judged("snapshot/deferred", &snapshot(BUSY_SNAPSHOT)) && !judged("snapshot/deferred", &snapshot(BUSY)));
        assert!(!judged("snapshot/deferred", &[step(OK, 0.0), step(BUSY_SNAPSHOT, 0.0)]));
    }

    #[test]
    fn no_two_cases_have_the_same_name() {
        let names: std::collections::BTreeSet<_> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
        assert_eq!(names.len(), SCENARIOS.len());
    }
}

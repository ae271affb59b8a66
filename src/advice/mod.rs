//! From numbers to a decision: which settings are right on this drive, why, and what they risk. `findings`
//! reads a report and says so in plain sentences; `settings` turns the decision into code to copy;
//! `databases` looks which databases in a folder would gain. Called by the Advice screen, by
//! `commitmark settings` and, through [`sections`], by the exports.

pub mod databases;
pub mod findings;
pub mod settings;

use crate::{
    measure::database::{JournalMode, Synchronous},
    report::Report,
    section::{Cell, Section, Table},
    system::Volume,
};
use findings::{Finding, evidence::Evidence};
use settings::Choice;

/// What a person is told to do on one drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Where the numbers come from, in a sentence: which drive, or that nothing was measured.
    pub source: String,
    /// What speaks against trusting this place or these numbers; the gravest first, often none.
    pub cautions: Vec<Finding>,
    /// What the code to copy sets.
    pub choice: Choice,
    /// The settings, each with its reason and what it risks.
    pub settings: Vec<Finding>,
    /// How to use the database beside its settings.
    pub habits: Vec<Finding>,
}

impl Advice {
    /// The settings as one line: "WAL, FULL, busy timeout 5 s".
    pub fn in_short(&self) -> String {
        let Choice { journal_mode, synchronous, busy_timeout_ms } = &self.choice;
        format!(
            "{}, {}, busy timeout {}",
            journal_mode.to_string().to_uppercase(),
            synchronous.to_string().to_uppercase(),
            crate::units::seconds(f64::from(*busy_timeout_ms) / 1e3)
        )
    }

    /// The settings as SQL, for every connection: "PRAGMA journal_mode = wal; ...".
    fn sql(&self) -> String {
        let Choice { journal_mode, synchronous, busy_timeout_ms } = &self.choice;
        format!(
            "PRAGMA journal_mode = {journal_mode}; PRAGMA synchronous = {synchronous}; PRAGMA busy_timeout = {busy_timeout_ms};"
        )
    }
}

/// Advice for the drive of a report, or general advice without one. `accept_loss` is the answer to "If the
/// power fails, losing the last second of saves is: not acceptable | acceptable".
pub fn advise(report: Option<&Report>, accept_loss: bool) -> Advice {
    advise_from(&Evidence::new(report), accept_loss)
}

/// Advice for a place where nothing was measured, from what is known about its volume alone.
pub fn advise_place(volume: &Volume, accept_loss: bool) -> Advice {
    advise_from(&Evidence::of_place(volume), accept_loss)
}

fn advise_from(evidence: &Evidence<'_>, accept_loss: bool) -> Advice {
    let choice = choose(evidence, accept_loss);
    Advice {
        source: evidence.source(),
        cautions: findings::cautions(evidence),
        settings: findings::settings(evidence, &choice),
        habits: findings::habits(evidence),
        choice,
    }
}

/// WAL where it is safe and SQLite takes it; NORMAL only with WAL, where it buys something, and for who
/// accepts the loss: under a rollback journal it may damage a database on an old file system
/// (<https://sqlite.org/pragma.html#pragma_synchronous>). OFF never.
fn choose(evidence: &Evidence<'_>, accept_loss: bool) -> Choice {
    let journal_mode = if findings::place::allows_wal(evidence) { JournalMode::Wal } else { JournalMode::Delete };
    let takes_normal =
        accept_loss && journal_mode == JournalMode::Wal && !findings::speed::normal_buys_nothing(evidence);
    let synchronous = if takes_normal { Synchronous::Normal } else { Synchronous::Full };
    Choice { journal_mode, synchronous, busy_timeout_ms: findings::locks::busy_timeout_ms(evidence, journal_mode) }
}

/// The advice as sections, for every front end and exporter: the settings with reason and risk, and the
/// findings beside them.
pub fn sections(report: &Report, accept_loss: bool) -> Vec<Section> {
    let advice = advise(Some(report), accept_loss);
    let answer = if accept_loss { "acceptable" } else { "not acceptable" };
    let settings = Section {
        id: "advice-settings".to_owned(),
        title: "Which settings are right on this drive?".to_owned(),
        verdict: advice.in_short(),
        detail: Some(format!(
            "{}. If the power fails, losing the last second of saves is taken to be {answer}. In SQL: {}",
            advice.source,
            advice.sql()
        )),
        work: None,
        figures: Vec::new(),
        table: table(&["Setting", "why", "what it risks"], &advice.settings),
        chart: None,
        dial: None,
    };
    let others: Vec<Finding> = advice.cautions.iter().chain(&advice.habits).cloned().collect();
    let findings = Section {
        id: "advice-findings".to_owned(),
        title: "What else matters here?".to_owned(),
        verdict: others.first().map_or_else(String::new, |finding| finding.advice.clone()),
        detail: None,
        work: None,
        figures: Vec::new(),
        table: table(&["Finding", "why", "what it risks"], &others),
        chart: None,
        dial: None,
    };
    vec![settings, findings]
}

fn table(columns: &[&str], findings: &[Finding]) -> Table {
    let row = |finding: &Finding| {
        vec![
            Cell::Text(finding.advice.clone()),
            Cell::Text(finding.reason.clone()),
            finding.risk.clone().map_or(Cell::Missing, Cell::Text),
        ]
    };
    Table { columns: columns.iter().map(ToString::to_string).collect(), rows: findings.iter().map(row).collect() }
}

//! How the meetings are told: what the blocked program got, after how long, and whether SQLite says so.

use super::{
    Locking, Sample,
    scenarios::{Documented, OK, SCENARIOS, Scenario},
};
use crate::{
    experiments::drawing::{bars, many, middle, middle_cell, refused_row, table},
    measure::outcome::{Case, Outcome},
    section::{Cell, Section, Table, Unit},
    units,
};

pub(super) fn section(params: &Locking, outcome: &Outcome<Sample>) -> Section {
    let last_wait = |sample: &Sample| sample.last().map_or(0.0, |step| step.wait_seconds);
    Section {
        id: "locking".to_owned(),
        title: "What does a blocked program see, and for how long?".to_owned(),
        verdict: verdict(params, outcome),
        detail: detail(params, outcome),
        work: work(params, outcome),
        figures: Vec::new(),
        table: rows(outcome),
        chart: bars(outcome, "time until the answer", Unit::Seconds, |case| words(case).to_owned(), last_wait),
        dial: None,
    }
}

fn scenario(case: &Case<Sample>) -> Option<&'static Scenario> {
    SCENARIOS.iter().find(|scenario| scenario.name == case.name)
}

fn words(case: &Case<Sample>) -> &str {
    scenario(case).map_or(case.name.as_str(), |scenario| scenario.words)
}

fn is_as_documented(case: &Case<Sample>) -> bool {
    case.samples.iter().all(|sample| sample.as_documented)
}

fn verdict(params: &Locking, outcome: &Outcome<Sample>) -> String {
    let measured = || outcome.cases.iter().filter(|case| !case.samples.is_empty());
    let (as_documented, all) = (measured().filter(|case| is_as_documented(case)).count(), measured().count());
    if all == 0 {
        return "No situation was brought about".to_owned();
    }
    if as_documented < all {
        let (other, all) = (units::in_words((all - as_documented) as u64), units::in_words(all as u64));
        return format!("In {other} of {all} situations this computer did something else than SQLite documents");
    }
    let patience = units::seconds(params.busy_timeout_ms as f64 / 1e3);
    let at_once = measured()
        .filter_map(scenario)
        .filter(|scenario| scenario.patient && matches!(scenario.documented, Documented::LockedAtOnce(_)))
        .count();
    match (params.busy_timeout_ms, at_once) {
        (0, _) => "A blocked program gets \"database is locked\" at once, since it was told not to wait".to_owned(),
        (_, 0) => format!("A blocked program waits up to {patience} and then gets \"database is locked\""),
        (_, at_once) => format!(
            "A blocked program gets its turn when the other one is done, or \"database is locked\" after {patience}; but in {} \
             situations it gets that at once",
            units::in_words(at_once as u64)
        ),
    }
}

fn detail(params: &Locking, outcome: &Outcome<Sample>) -> Option<String> {
    let measured = outcome.cases.iter().any(|case| !case.samples.is_empty());
    (measured && params.busy_timeout_ms > 0).then(|| {
        "A transaction that reads first and saves later is refused at once where waiting could not help. Announcing the save \
         at the start with BEGIN IMMEDIATE makes it wait like the others, before any work is wasted."
            .to_owned()
    })
}

fn work(params: &Locking, outcome: &Outcome<Sample>) -> Option<String> {
    let one_process = outcome.cases.iter().flat_map(|case| &case.samples).any(|sample| !sample.two_processes);
    let who = if one_process {
        "two connections of one process, since a second process could not be started"
    } else {
        "two processes"
    };
    Some(format!(
        "{who}, {} each, busy timeout {}",
        many(params.rounds, "meeting"),
        units::seconds(params.busy_timeout_ms as f64 / 1e3)
    ))
}

fn rows(outcome: &Outcome<Sample>) -> Table {
    let columns = ["Situation", "what it got", "after", "journal mode", "may wait", "as documented"];
    let rows = outcome.cases.iter().map(|case| {
        let first = Cell::Text(words(case).to_owned());
        refused_row(case, first.clone(), columns.len()).unwrap_or_else(|| row(case, first))
    });
    table(&columns, rows.collect())
}

fn row(case: &Case<Sample>, first: Cell) -> Vec<Cell> {
    let got = case.samples.first().and_then(Sample::last).map_or(Cell::Missing, |step| {
        let result = if step.answer == OK { "done" } else { step.answer.as_str() };
        Cell::Text(format!("{}: {result}", step.step))
    });
    let last_wait = |sample: &Sample| sample.last().map_or(0.0, |step| step.wait_seconds);
    let verdict = middle(case, last_wait)
        .map_or(Cell::Missing, |_| Cell::Text(if is_as_documented(case) { "yes" } else { "no" }.to_owned()));
    let settings = case.settings.as_ref();
    vec![
        first,
        got,
        middle_cell(case, last_wait, Cell::Seconds),
        settings.map_or(Cell::Missing, |settings| Cell::Text(settings.journal_mode.to_string().to_uppercase())),
        settings.map_or(Cell::Missing, |settings| Cell::Seconds(f64::from(settings.busy_timeout_ms) / 1e3)),
        verdict,
    ]
}

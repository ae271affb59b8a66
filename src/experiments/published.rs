//! What others published, from assets/published.json, told beside the same work measured here. Their
//! harness stands with each figure, since a ratio travels from machine to machine better than a speed.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{AnyOutcome, drawing::table};
use crate::{
    measure::outcome::Measure,
    section::{Cell, Section},
    stats, units,
};

/// Everything that somebody published about one machine.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Published {
    /// The machine, as far as it was named.
    pub name: String,
    /// What it was measured with.
    pub harness: String,
    /// The file system, where it is known.
    pub file_system: Option<String>,
    /// How the drive is attached, where it is known.
    pub bus: Option<String>,
    /// The drive's model, where it is known.
    pub drive_model: Option<String>,
    /// What was measured.
    pub experiments: Vec<PublishedExperiment>,
}

/// The published figures of one experiment.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct PublishedExperiment {
    /// The experiment's id here.
    pub id: String,
    /// What was done, briefly.
    pub work: String,
    /// The figures.
    pub figures: Vec<PublishedFigure>,
}

/// One published figure, with all of its runs.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct PublishedFigure {
    /// The case of the same work here.
    pub case: String,
    /// The setting, or what changes, for people.
    pub setting: String,
    /// What was measured.
    pub measure: Measure,
    /// The case that a ratio compares with.
    #[serde(default)]
    pub to: Option<String>,
    /// Operations in each run, or in all of them.
    #[serde(default)]
    counts: Vec<f64>,
    /// Seconds of each run, or of all of them.
    #[serde(default)]
    seconds: Vec<f64>,
    /// The figure itself, where no runs were published.
    #[serde(default)]
    values: Vec<f64>,
}

impl PublishedFigure {
    /// The figure of each run, in the unit of its measure. One count for many times, or the other way
    /// round, belongs to all of them.
    pub fn values(&self) -> Vec<f64> {
        let of_run = |list: &[f64], run: usize| list.get(run).or(list.first()).copied();
        let rates = (0..self.counts.len().max(self.seconds.len()))
            .filter_map(|run| Some(of_run(&self.counts, run)? / of_run(&self.seconds, run)?));
        rates.chain(self.values.iter().copied()).collect()
    }

    /// The median of the runs.
    pub fn median(&self) -> Option<f64> {
        stats::median(&self.values())
    }
}

#[derive(Deserialize)]
struct File {
    results: Vec<Published>,
}

static ALL: LazyLock<Vec<Published>> = LazyLock::new(|| {
    // The file is part of the program; a test reads it, so that it cannot be empty here.
    serde_json::from_str::<File>(include_str!("../../assets/published.json"))
        .map(|file| file.results)
        .unwrap_or_default()
});

/// Every published result.
pub fn all() -> &'static [Published] {
    &ALL
}

/// A published figure beside ours.
struct Beside<'a> {
    published: &'a Published,
    work: &'a str,
    figure: &'a PublishedFigure,
    theirs: f64,
    ours: f64,
}

/// What others measured where the work is the same as here; `None` where nobody did.
pub fn section(outcomes: &[AnyOutcome]) -> Option<Section> {
    let pairs: Vec<Beside<'_>> = outcomes.iter().flat_map(beside).collect();
    let columns = ["Setting", "what", "elsewhere", "here", "what was done there", "measured with", "where"];
    (!pairs.is_empty()).then(|| Section {
        id: "published".to_owned(),
        title: "What did others measure?".to_owned(),
        verdict: verdict(&pairs),
        detail: Some(
            "These are other machines and other programs: their ratios say more about yours than their speeds."
                .to_owned(),
        ),
        work: None,
        figures: Vec::new(),
        table: table(&columns, pairs.iter().map(row).collect()),
        chart: None,
        dial: None,
    })
}

fn beside(outcome: &AnyOutcome) -> impl Iterator<Item = Beside<'static>> {
    let figures = all().iter().flat_map(|published| {
        let experiments = published.experiments.iter().filter(|experiment| experiment.id == outcome.id());
        experiments
            .flat_map(move |experiment| experiment.figures.iter().map(move |figure| (published, experiment, figure)))
    });
    figures.filter_map(|(published, experiment, figure)| {
        let ours = match &figure.to {
            Some(to) => outcome.ratios().iter().find(|ratio| ratio.of == figure.case && ratio.to == *to)?.value,
            None => outcome.figure(&figure.case, figure.measure)?,
        };
        let theirs = figure.median()?;
        // Nothing on both sides compares nothing.
        (ours > 0.0 || theirs > 0.0).then_some(Beside { published, work: &experiment.work, figure, theirs, ours })
    })
}

fn verdict(pairs: &[Beside<'_>]) -> String {
    match pairs.iter().find(|pair| pair.figure.measure == Measure::Times) {
        Some(pair) => format!(
            "{}: {} times as fast elsewhere, {} times here",
            pair.figure.setting,
            units::ratio(pair.theirs),
            units::ratio(pair.ours)
        ),
        None => format!("{} published figures are of work that was done here too", units::count(pairs.len() as u64)),
    }
}

fn row(pair: &Beside<'_>) -> Vec<Cell> {
    let cell = |value: f64| match pair.figure.measure {
        Measure::Times => Cell::Times(value),
        Measure::LargestWalBytes | Measure::WalBytesBefore | Measure::WalBytesAfter => Cell::Bytes(value as u64),
        _ => Cell::PerSecond(value),
    };
    vec![
        Cell::Text(pair.figure.setting.clone()),
        Cell::Text(pair.figure.measure.words().to_owned()),
        cell(pair.theirs),
        cell(pair.ours),
        Cell::Text(pair.work.to_owned()),
        Cell::Text(pair.published.harness.clone()),
        Cell::Text(pair.published.name.clone()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::IDS;

    #[test]
    fn every_published_figure_has_a_value_and_belongs_to_an_experiment() {
        assert!(!all().is_empty());
        for experiment in all().iter().flat_map(|published| &published.experiments) {
            assert!(IDS.contains(&experiment.id.as_str()), "{}", experiment.id);
            for figure in &experiment.figures {
                assert!(figure.median().is_some_and(f64::is_finite), "{figure:?}");
                assert_eq!(figure.to.is_some(), figure.measure == Measure::Times, "{figure:?}");
            }
        }
    }

    #[test]
    fn published_seconds_become_saves_a_second() {
        let figure = all().iter().flat_map(|published| &published.experiments).flat_map(|of| &of.figures);
        let figure = figure.clone().find(|figure| figure.case == "wal/full" && figure.to.is_none()).unwrap();
        // 10,000 saves in 13.77, 15.39, 14.56, 15.79 and 14.19 s: the median run took 14.56 s.
        assert!((figure.median().unwrap() - 10_000.0 / 14.56).abs() < 1e-9);
    }
}

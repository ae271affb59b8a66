//! Published figures as charts of their own: each is the figure of a case, and a report has the same figure
//! or it has not. They stand beside each other and make no ratio, since another program measured.

use super::Part;
use crate::{
    experiments::published::{self, Published, PublishedFigure},
    measure::outcome::Measure,
    report::Report,
    section::{Chart, ChartKind, Hue, Point, Scale, Series, Unit},
    stats,
};

/// What somebody published.
pub(super) fn of_published(published: &Published) -> Vec<Part> {
    let mut parts = Vec::new();
    for experiment in &published.experiments {
        for figure in &experiment.figures {
            add(&mut parts, &experiment.id, figure, figure.values());
        }
    }
    parts
}

/// The figures of a report that somebody published for another machine.
pub(super) fn of_report(report: &Report) -> Vec<Part> {
    let mut parts = Vec::new();
    for experiment in published::all().iter().flat_map(|published| &published.experiments) {
        let Some(outcome) = report.experiments.iter().find(|outcome| outcome.id() == experiment.id) else { continue };
        for figure in &experiment.figures {
            let value = match &figure.to {
                Some(to) => {
                    let ratio = outcome.ratios().iter().find(|ratio| ratio.of == figure.case && ratio.to == *to);
                    ratio.map(|ratio| ratio.value)
                }
                None => outcome.figure(&figure.case, figure.measure),
            };
            add(&mut parts, &experiment.id, figure, value.into_iter().collect());
        }
    }
    parts
}

/// Puts a figure into the chart of its experiment and measure, once.
fn add(parts: &mut Vec<Part>, experiment: &str, figure: &PublishedFigure, values: Vec<f64>) {
    let Some(median) = stats::median(&values).filter(|median| median.is_finite()) else { return };
    let id = format!("published-{experiment}-{}", figure.measure.words().replace(' ', "-"));
    let place = parts.iter().position(|part| part.id == id).unwrap_or_else(|| {
        parts.push(part(id, figure.measure));
        parts.len() - 1
    });
    let Some(part) = parts.get_mut(place) else { return };
    let technical = figure.to.as_ref().map_or_else(|| figure.case.clone(), |to| format!("{} to {to}", figure.case));
    if part.chart.series.iter().any(|series| series.technical == technical) {
        return;
    }
    let interval = stats::median_interval(&values);
    let point = Point {
        x: 0.0,
        median,
        low: interval.map_or(median, |interval| interval.low),
        high: interval.map_or(median, |interval| interval.high),
        samples: values,
    };
    part.chart.series.push(Series { name: technical.clone(), technical, hue: Hue::Neutral, points: vec![point] });
}

fn part(id: String, measure: Measure) -> Part {
    let unit = match measure {
        Measure::Times => Unit::Times,
        Measure::LargestWalBytes | Measure::WalBytesBefore | Measure::WalBytesAfter => Unit::Bytes,
        _ => Unit::PerSecond,
    };
    let words = measure.words();
    Part {
        id,
        title: format!("What did others publish? ({words})"),
        work: None,
        parameters: None,
        chart: Chart {
            kind: ChartKind::Medians,
            axis: words.to_owned(),
            x_axis: None,
            unit,
            scale: Scale::Linear,
            reference: None,
            series: Vec::new(),
        },
    }
}

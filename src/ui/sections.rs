//! Draws one finding, whatever experiment it came from: title, verdict, chart, table. The same code
//! serves the running test, the results and whatever shows sections later.

use std::collections::BTreeSet;

use eframe::egui::{DragValue, Label, Ui};

use super::{
    bars::{BarScale, WIDE_SPAN},
    charts,
    state::Action,
    tables::{self, Bars},
    theme::{self, GRID},
    widgets::{card_ui, secondary_ui, sides_ui},
};
use crate::{
    section::{Chart, ChartKind, Dial, Scale, Section, Unit},
    units::sentence_case,
};

/// The ids of the sections that are drawn on the scale their experiment did not choose.
pub type Flipped = BTreeSet<String>;

/// What is on the page already, so that no card repeats it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told<'a> {
    /// The sentence at the top of the page.
    pub sentence: &'a str,
    /// Its detail.
    pub detail: &'a str,
}

/// Draws a section as a card. Returns what the person asked for: the other scale, or another value.
pub fn section_ui(ui: &mut Ui, section: &Section, flipped: &Flipped, told: Told<'_>) -> Option<Action> {
    ui.push_id(&section.id, |ui| {
        card_ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            heading_ui(ui, section);
            if section.verdict != told.sentence {
                ui.add(Label::new(theme::prose(section.verdict.as_str())).wrap());
            }
            if let Some(detail) = section.detail.as_deref().filter(|detail| *detail != told.detail) {
                secondary_ui(ui, detail);
            }
            let turned = section.dial.as_ref().and_then(|dial| dial_ui(ui, dial));
            ui.add_space(GRID / 2.0);
            let flip = contents_ui(ui, section, flipped).then(|| Action::FlipScale(section.id.clone()));
            turned.or(flip)
        })
    })
    .inner
}

fn dial_ui(ui: &mut Ui, dial: &Dial) -> Option<Action> {
    ui.horizontal(|ui| {
        let mut value = dial.value;
        let label = ui.label(sentence_case(&dial.label));
        // Told afresh once the number is whole, and not for each digit.
        let field = DragValue::new(&mut value).range(dial.least..=dial.most).update_while_editing(false);
        let changed = ui.add(field).labelled_by(label.id).changed();
        changed.then(|| Action::Turn { experiment: dial.experiment.clone(), name: dial.name.clone(), value })
    })
    .inner
}

/// Draws chart and table alone, for a page that has its own words.
pub fn contents_ui(ui: &mut Ui, section: &Section, flipped: &Flipped) -> bool {
    let Some(chart) = &section.chart else { return tables::table_ui(ui, &section.table, None) };
    match chart.kind {
        ChartKind::Medians => {
            let bars = Bars { chart, scale: scale_of(chart, flipped.contains(&section.id)) };
            return tables::table_ui(ui, &section.table, Some(bars));
        }
        ChartKind::Ratios => charts::ratios_ui(ui, &section.id, chart),
        ChartKind::Curves => charts::curves_ui(ui, &section.id, chart),
    }
    ui.add_space(GRID / 2.0);
    tables::table_ui(ui, &section.table, None)
}

fn scale_of(chart: &Chart, flipped: bool) -> BarScale {
    // Where everything fits on one linear scale there is nothing to switch.
    let log = chart.span() > WIDE_SPAN && ((chart.scale == Scale::Log) != flipped);
    if log { BarScale::log(chart) } else { BarScale::linear(chart) }
}

/// What the marks of a chart of medians mean. Of times, the shorter is the better one.
fn legend(chart: &Chart) -> &'static str {
    let single = chart.series.iter().flat_map(|series| &series.points).all(|point| point.samples.is_empty());
    match (chart.unit == Unit::Seconds, single) {
        (true, true) => "line: median   shorter is better",
        (true, false) => "dots: each run   line: median   shorter is better",
        (false, true) => "line: median   longer is better",
        (false, false) => "dots: each run   line: median   longer is better",
    }
}

fn heading_ui(ui: &mut Ui, section: &Section) {
    let medians = section.chart.as_ref().filter(|chart| chart.kind == ChartKind::Medians);
    let legend = medians.map(legend);
    let heading = |ui: &mut Ui| {
        ui.add(Label::new(theme::title(section.title.as_str())).wrap());
        if let (Some(work), true) = (&section.work, legend.is_some()) {
            secondary_ui(ui, work);
        }
    };
    match legend.or(section.work.as_deref()) {
        Some(aside) => sides_ui(ui, 280.0, heading, |ui| {
            let words = theme::secondary(ui, aside);
            ui.add(Label::new(words).wrap());
        }),
        None => heading(ui),
    }
}

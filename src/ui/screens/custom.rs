//! Custom on the screen Test: which experiments, and their numbers.

use eframe::egui::{Checkbox, DragValue, Grid, Label, Ui, vec2};

use super::super::{
    state::{Action, Setup, setup::Choosable},
    theme::{self, GRID},
    widgets::card_ui,
};
use crate::{plan::Knob, units};

/// Room for a field and its words, in points.
const FIELD: f32 = 260.0;

/// Shows a check box for each experiment, with the question it answers, and a field for each number.
pub fn custom_ui(ui: &mut Ui, setup: &Setup) -> Option<Action> {
    card_ui(ui, |ui| {
        let mut action = None;
        for (index, choosable) in setup.custom.iter().enumerate() {
            if index > 0 {
                ui.add_space(GRID / 2.0);
            }
            action = action.or(experiment_ui(ui, choosable));
        }
        action
    })
}

fn experiment_ui(ui: &mut Ui, choosable: &Choosable) -> Option<Action> {
    let mut parameters = choosable.parameters.clone();
    let experiment = parameters.id();
    let mut ticked = choosable.ticked;
    let question = parameters.question();
    let mut action = None;
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 24.0;
        if ui.add(Checkbox::new(&mut ticked, theme::medium(question))).changed() {
            action = Some(Action::Tick(experiment));
        }
    });
    if !choosable.ticked {
        return action;
    }
    ui.indent(experiment, |ui| {
        let columns = ((ui.available_width() / FIELD) as usize).clamp(1, 3);
        Grid::new(experiment).spacing(vec2(2.0 * GRID, GRID / 2.0)).show(ui, |ui| {
            for (index, knob) in parameters.knobs().into_iter().enumerate() {
                if index > 0 && index.is_multiple_of(columns) {
                    ui.end_row();
                }
                action = knob_ui(ui, experiment, knob).or(action.take());
            }
        });
    });
    action
}

fn knob_ui(ui: &mut Ui, experiment: &'static str, knob: Knob<'_>) -> Option<Action> {
    let before = *knob.value;
    ui.horizontal(|ui| {
        let field = DragValue::new(knob.value)
            .range(knob.least..=knob.most)
            .speed((before as f64 / 50.0).max(0.2))
            .update_while_editing(false)
            .custom_formatter(|value, _| units::count(value as u64))
            .custom_parser(|text| text.replace([',', ' '], "").parse().ok())
            .min_size(vec2(76.0, 32.0));
        let limits = format!("from {} to {}", units::count(knob.least), units::count(knob.most));
        ui.add(field).accessible_name(knob.label).on_hover_text(limits);
        let label = theme::secondary(ui, knob.label);
        ui.add(Label::new(label).extend());
    });
    (*knob.value != before).then_some(Action::SetKnob { experiment, name: knob.name, value: *knob.value })
}

//! Custom on the screen Test: which experiments, and their numbers.

use eframe::egui::{Checkbox, DragValue, Label, Ui, vec2};

use super::super::{
    state::{Action, Setup, setup::Choosable},
    theme::{self, GRID},
    widgets::card_ui,
};
use crate::units;

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
        ui.horizontal_wrapped(|ui| {
            for knob in parameters.knobs() {
                let before = *knob.value;
                ui.horizontal(|ui| {
                    let field = DragValue::new(knob.value)
                        .range(knob.least..=knob.most)
                        .speed((before as f64 / 50.0).max(0.2))
                        .update_while_editing(false)
                        .min_size(vec2(72.0, 32.0));
                    let limits = format!("from {} to {}", units::count(knob.least), units::count(knob.most));
                    ui.add(field).accessible_name(knob.label).on_hover_text(limits);
                    let label = theme::secondary(ui, knob.label);
                    ui.add(Label::new(label).extend());
                    ui.add_space(GRID);
                });
                if *knob.value != before {
                    action = Some(Action::SetKnob { experiment, name: knob.name, value: *knob.value });
                }
            }
        });
    });
    action
}

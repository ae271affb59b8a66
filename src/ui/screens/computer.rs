//! The place This computer: the machine and the drive of the chosen folder, as a result would hold them.

use eframe::egui::{Label, RichText, TextStyle, Ui, vec2};

use super::super::{
    state::{Action, State},
    theme::{self, GRID, Palette},
    widgets::{button_ui, card_ui, secondary_ui, sides_ui},
};
use crate::{
    report::Sqlite,
    system::facts::{self, Fact},
};

/// The width of the names, in points.
const NAMES: f32 = 150.0;

/// Shows the facts.
pub fn computer_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    let machine = state.machine.as_ref().map(|machine| facts::of_machine(machine));
    let volume = state.setup.looked.as_ref().map(|looked| facts::of_volume(&looked.volume));
    let mut action = None;
    sides_ui(
        ui,
        90.0,
        |ui| {
            ui.add(Label::new(theme::sentence("This computer")).wrap());
        },
        |ui| {
            if button_ui(ui, "Copy").clicked() {
                action = Some(Action::Copy(text(machine.iter().chain(&volume))));
            }
        },
    );
    match &machine {
        Some(facts) => facts_ui(ui, "Machine", facts),
        None => {
            secondary_ui(ui, "Reading the facts");
        }
    }
    match &volume {
        Some(facts) => facts_ui(ui, "Drive of the chosen folder", facts),
        None => card_ui(ui, |ui| {
            ui.label(theme::title("Drive of the chosen folder"));
            secondary_ui(ui, "Choose a folder under Test to see its drive here");
        }),
    }
    secondary_ui(ui, "Nothing here names you, this computer or your network. Unknown facts stay unknown");
    action
}

fn facts_ui(ui: &mut Ui, title: &str, facts: &[Fact]) {
    let palette = Palette::of(ui);
    card_ui(ui, |ui| {
        ui.label(theme::title(title));
        ui.spacing_mut().item_spacing.y = GRID / 2.0;
        for (name, value) in facts {
            let width = ui.available_width();
            ui.horizontal_top(|ui| {
                ui.allocate_ui(vec2(NAMES, 18.0), |ui| {
                    ui.set_min_width(NAMES);
                    ui.label(RichText::new(*name).text_style(TextStyle::Body).color(palette.dim));
                });
                ui.allocate_ui(vec2((width - NAMES - GRID).max(60.0), 18.0), |ui| {
                    let text = match value {
                        Some(value) => RichText::new(value),
                        None => RichText::new("unknown").color(palette.dim),
                    };
                    ui.add(Label::new(text).wrap().selectable(true));
                });
            });
        }
    });
}

fn text<'a>(facts: impl Iterator<Item = &'a Vec<Fact>>) -> String {
    let line = |(name, value): &Fact| format!("{name}: {}\n", value.as_deref().unwrap_or("unknown"));
    let mut text: String = facts.flatten().map(line).collect();
    text.push_str(&format!("SQLite: {}\n", Sqlite::current().version));
    text
}

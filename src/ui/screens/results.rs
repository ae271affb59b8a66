//! The place Results: a result from top to bottom, and what can be done with it.

use eframe::egui::{
    Align, CollapsingHeader, Frame, Label, Layout, Margin, RichText, TextStyle, TextWrapMode, Ui, WidgetText, vec2,
};

use super::{
    super::{
        sections::{self, Told},
        state::{Action, CopyAs, Results, Shown, State},
        theme::{self, GRID, Palette},
        widgets::{Grave, badge_ui, button_ui, card_ui, link_ui, menu_ui, notice_ui, secondary_ui, sides_ui},
    },
    list::list_ui,
};
use crate::{export::Format, report::Trust, section::Figure};

/// Shows the result or, where none is chosen, the list of earlier ones.
pub fn results_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    let results = &state.results;
    if let Some(problem) = &results.problem {
        notice_ui(ui, Grave::Error, problem);
    }
    match &results.shown {
        Some(shown) => shown_ui(ui, results, shown),
        None => list_ui(ui, results),
    }
}

fn shown_ui(ui: &mut Ui, results: &Results, shown: &Shown) -> Option<Action> {
    ui.spacing_mut().item_spacing = vec2(14.0, 14.0);
    for error in &shown.errors {
        notice_ui(ui, Grave::Error, error);
    }
    heading_ui(ui, shown);
    figures_ui(ui, shown);
    let told = Told { sentence: &shown.sentence, detail: shown.detail().unwrap_or_default() };
    let mut action = None;
    for section in &shown.sections {
        action = sections::section_ui(ui, section, &results.flipped, told).or(action);
    }
    details_ui(ui, shown);
    action
}

fn heading_ui(ui: &mut Ui, shown: &Shown) {
    let palette = Palette::of(ui);
    let (badge, ink, ground, reason) = match &shown.trust {
        Trust::Steady => ("Steady", palette.good, palette.good_tint, None),
        Trust::Noisy(reason) => ("Noisy: run again", palette.warning, palette.warning_tint, Some(reason)),
        Trust::Incomplete(reason) => ("Stopped early", palette.warning, palette.warning_tint, Some(reason)),
    };
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = vec2(8.0, 4.0);
        ui.spacing_mut().interact_size.y = 24.0;
        sides_ui(
            ui,
            130.0,
            |ui| {
                secondary_ui(ui, &shown.facts.join("  ·  "));
            },
            |ui| badge_ui(ui, badge, ink, ground),
        );
        ui.add(Label::new(theme::sentence(shown.sentence.as_str())).wrap());
        if let Some(detail) = shown.detail() {
            ui.add(Label::new(theme::prose(detail).color(palette.dim)).wrap());
        }
        // An error says more than that there was one.
        if let Some(reason) = reason.filter(|_| shown.errors.is_empty()) {
            ui.add(Label::new(theme::prose(reason.as_str()).color(palette.warning)).wrap());
        }
        if let Some(note) = &shown.report.note {
            secondary_ui(ui, note);
        }
    });
}

fn figures_ui(ui: &mut Ui, shown: &Shown) {
    if shown.figures.is_empty() {
        return;
    }
    let columns = if ui.available_width() < 480.0 { 1 } else { shown.figures.len() };
    let width = (ui.available_width() - 14.0 * (columns as f32 - 1.0)) / columns as f32 - 40.0;
    let least = shown.figures.iter().map(|figure| figure_height(ui, figure, width)).fold(0.0, f32::max);
    ui.columns(columns, |columns| {
        let many = columns.len();
        for (index, figure) in shown.figures.iter().enumerate() {
            let Some(column) = columns.get_mut(index % many) else { continue };
            // The layout of columns would spread the words of a line.
            column.with_layout(Layout::top_down(Align::Min), |ui| {
                card_ui(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = 4.0;
                    if many > 1 {
                        ui.set_min_height(least);
                    }
                    ui.add(Label::new(theme::figure(figure.value.as_str())).wrap());
                    secondary_ui(ui, &figure.label);
                });
            });
        }
    });
}

/// What a figure's card needs, so that neighbours are equal.
fn figure_height(ui: &Ui, figure: &Figure, width: f32) -> f32 {
    let height = |text: RichText| {
        let wrap = Some(TextWrapMode::Wrap);
        WidgetText::from(text).into_galley(ui, wrap, width, TextStyle::Body).size().y
    };
    height(theme::figure(figure.value.as_str())) + 4.0 + height(theme::secondary(ui, figure.label.as_str()))
}

fn details_ui(ui: &mut Ui, shown: &Shown) {
    card_ui(ui, |ui| {
        CollapsingHeader::new(theme::title("Details")).id_salt("details").show_unindented(ui, |ui| {
            for (title, lines) in &shown.details {
                ui.add_space(GRID / 2.0);
                ui.label(theme::medium(title.as_str()));
                for line in lines {
                    let line = theme::secondary(ui, line.as_str());
                    ui.add(Label::new(line).wrap().selectable(true));
                }
            }
        });
    });
}

/// The buttons, and what became of the last one.
pub fn deeds_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    ui.spacing_mut().item_spacing = vec2(12.0, GRID);
    if ui.available_width() < 600.0 {
        return ui
            .vertical(|ui| {
                let list = ui.horizontal(|ui| list_link_ui(ui, state).or(said_ui(ui, state))).inner;
                ui.horizontal_wrapped(|ui| buttons_ui(ui, state)).inner.or(list)
            })
            .inner;
    }
    ui.horizontal(|ui| {
        let list = list_link_ui(ui, state);
        let layout = Layout::right_to_left(Align::Center);
        let pressed = ui.with_layout(layout, |ui| {
            let pressed = buttons_ui(ui, state);
            said_ui(ui, state);
            pressed
        });
        pressed.inner.or(list)
    })
    .inner
}

fn list_link_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    state.results.shown.as_ref()?;
    link_ui(ui, "All results").clicked().then_some(Action::ShowList)
}

fn said_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    let after = state.results.shown.as_ref().and_then(|shown| shown.afterwards.as_ref());
    if let Some(said) = state.results.said.as_ref().or(after) {
        let said = theme::secondary(ui, said.as_str());
        ui.add(Label::new(said).truncate());
    }
    None
}

/// The most used first; in a layout from the right it stands at the edge.
fn buttons_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    let mut action = None;
    match &state.results.shown {
        Some(_) => {
            if state.run.is_none() && button_ui(ui, "Run again").clicked() {
                action = Some(Action::RunAgain);
            }
            action = save_ui(ui).or(copy_ui(ui)).or(action);
        }
        None => {
            if button_ui(ui, "Open...").clicked() {
                action = Some(Action::OpenFiles);
            }
        }
    }
    if state.history.is_some() && button_ui(ui, "Open folder").clicked() {
        action = Some(Action::RevealResults);
    }
    action
}

/// What every saved file holds, for whoever is about to send one.
const INCLUDED: &str = "Holds the measurements, settings, machine and drive, the time, and the tested folder with ~ for your home. \
    No user name, host name, home path or serial number. A note is saved as you wrote it.";

/// Save..., with the formats below it.
fn save_ui(ui: &mut Ui) -> Option<Action> {
    menu_ui(ui, "Save...", |ui| {
        let mut action = None;
        for format in Format::ALL {
            if ui.button(format!("{} ({})", format.name(), format.ending())).clicked() {
                action = Some(Action::Save(format));
            }
        }
        // A menu would spread the words of a line.
        ui.with_layout(Layout::top_down(Align::Min), |ui| {
            Frame::new().inner_margin(Margin::symmetric(12, 8)).show(ui, |ui| secondary_ui(ui, INCLUDED));
        });
        action
    })
}

/// Copy, with what can be copied below it.
fn copy_ui(ui: &mut Ui) -> Option<Action> {
    menu_ui(ui, "Copy", |ui| {
        let text = ui.button("Text with tables (Markdown)").clicked().then_some(CopyAs::Text);
        let picture = ui.button("As a picture").clicked().then_some(CopyAs::Picture);
        text.or(picture).map(Action::CopyResult)
    })
}

//! The screen while a test is running: one bar, the step in words, what was measured so far, and Stop.

use std::collections::BTreeSet;

use eframe::egui::{Label, Rect, Role, Sense, Ui, WidgetInfo, vec2};

use super::super::{
    sections,
    state::{Action, Phase, Run},
    theme::{self, GRID, Palette},
    widgets::{button_ui, card_ui, secondary_ui, sides_ui},
};
use crate::{section::Section, units};

/// Shows the run.
pub fn running_ui(ui: &mut Ui, run: &Run, flipped: &BTreeSet<String>) -> Option<Action> {
    let stopping = run.phase == Phase::Stopping;
    ui.spacing_mut().item_spacing.y = 10.0;
    let place = [Some(run.folder.display().to_string()), run.drive.clone()];
    secondary_ui(ui, &place.into_iter().flatten().collect::<Vec<_>>().join("  ·  "));
    let words = if stopping { "Stopping and removing the temporary files" } else { run.step.as_str() };
    ui.add(Label::new(theme::sentence(words)).wrap());
    bar_ui(ui, run.share);
    let mut action = None;
    sides_ui(
        ui,
        100.0,
        |ui| {
            let palette = Palette::of(ui);
            ui.add_space(10.0);
            ui.colored_label(palette.dim, time_left(run));
        },
        |ui| {
            ui.add_enabled_ui(!stopping, |ui| {
                if button_ui(ui, "Stop").clicked() {
                    action = Some(Action::Stop);
                }
            });
        },
    );
    // One picture is enough to watch; the rest is told when all is measured.
    if let Some(section) = run.sections.first()
        && so_far_ui(ui, section, flipped)
    {
        action = Some(Action::FlipScale(section.id.clone()));
    }
    let sleep = if run.stays_awake {
        "The computer stays awake until the test ends."
    } else {
        "Keep the computer awake until the test ends: the system was asked to, and refused."
    };
    let pace = "The window repaints twice a second so that it does not disturb the measurement.";
    secondary_ui(ui, &format!("{pace} {sleep}"));
    action
}

fn so_far_ui(ui: &mut Ui, section: &Section, flipped: &BTreeSet<String>) -> bool {
    ui.push_id(&section.id, |ui| {
        card_ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            ui.add(Label::new(theme::title(format!("So far: {}", lower_first(&section.verdict)))).wrap());
            if let Some(detail) = &section.detail {
                secondary_ui(ui, detail);
            }
            ui.add_space(GRID / 2.0);
            sections::contents_ui(ui, section, flipped)
        })
    })
    .inner
}

/// "On this drive" becomes "on this drive"; "WAL" stays.
fn lower_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(letters).collect(),
        _ => sentence.to_owned(),
    }
}

fn time_left(run: &Run) -> String {
    match run.seconds_left {
        Some(seconds) => {
            let about = units::about(seconds);
            let mut letters = about.chars();
            let first: String = letters.next().map(|letter| letter.to_uppercase().collect()).unwrap_or_default();
            format!("{first}{} left", letters.as_str())
        }
        None => "Estimating the time".to_owned(),
    }
}

fn bar_ui(ui: &mut Ui, share: f64) {
    let palette = Palette::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 10.0), Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, "Progress of the whole test");
        info.value = Some(share);
        info
    });
    ui.painter().rect_filled(rect, 5.0, palette.track);
    let done = Rect::from_min_size(rect.min, vec2((rect.width() * share as f32).max(10.0), rect.height()));
    ui.painter().rect_filled(done, 5.0, palette.wal);
}

//! The rows of drives on the screen Test.

use eframe::egui::{Label, Rect, RichText, TextWrapMode, Ui, UiBuilder, pos2, vec2};

use super::super::{
    state::{Action, Setup},
    theme::{self, Palette},
    widgets::{Choice, choice_ui, secondary_ui},
};
use crate::{system::ListedVolume, units};

/// The height of a row, in points.
const ROW: f32 = 56.0;
/// A row narrower than this shows its facts in the second line.
const WIDE: f32 = 560.0;

/// Shows the drives; choosing one puts its folder into the path field.
pub fn drives_ui(ui: &mut Ui, setup: &Setup) -> Option<Action> {
    let Some(drives) = &setup.drives else {
        secondary_ui(ui, "Looking for drives");
        return None;
    };
    let mut action = None;
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 7.0;
        for drive in drives {
            let choice = Choice {
                name: &spoken(drive),
                selected: is_chosen(setup, drive),
                enabled: drive.refusal.is_none(),
                least_height: ROW,
            };
            if choice_ui(ui, choice, |ui| row_ui(ui, drive)).clicked() {
                action = Some(Action::PickFolder(drive.folder.clone()));
            }
        }
    });
    action
}

/// The drive of the folder in the path field, once that is known.
fn is_chosen(setup: &Setup, drive: &ListedVolume) -> bool {
    match &setup.looked {
        Some(looked) => {
            looked.problem.is_none()
                && looked.volume.mount_point.is_some()
                && looked.volume.mount_point == drive.volume.mount_point
        }
        None => setup.folder().as_deref() == Some(drive.folder.as_path()),
    }
}

fn kind(drive: &ListedVolume) -> &str {
    drive.volume.kind.as_deref().unwrap_or("unknown drive")
}

fn free(drive: &ListedVolume) -> String {
    drive.volume.free_bytes.map_or_else(String::new, |bytes| format!("{} free", units::bytes(bytes)))
}

fn spoken(drive: &ListedVolume) -> String {
    let refusal = drive.refusal.map(|refusal| format!("cannot be tested: {refusal}"));
    let parts = [
        Some(drive.name.clone()),
        Some(kind(drive).to_owned()),
        drive.volume.drive_model.clone(),
        Some(free(drive)),
        refusal,
    ];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn row_ui(ui: &mut Ui, drive: &ListedVolume) {
    let width = ui.available_width();
    let (_, rect) = ui.allocate_space(vec2(width, ROW - 20.0));
    let volume = &drive.volume;
    let reason = drive.refusal.map(|refusal| refusal.words().to_owned()).unwrap_or_default();
    let mut row = ui.new_child(UiBuilder::new().max_rect(rect));
    let facts =
        [volume.drive_model.clone().unwrap_or_default(), volume.file_system.clone().unwrap_or_default(), free(drive)];
    if width < WIDE {
        let second = [kind(drive).to_owned(), facts[1].clone(), facts[2].clone()];
        let second: Vec<String> = second.into_iter().filter(|fact| !fact.is_empty()).collect();
        lines_ui(&mut row, rect, &drive.name, &second.join("  ·  "));
    } else {
        let first = Rect::from_min_size(rect.min, vec2(width * 0.24, rect.height()));
        lines_ui(&mut row, first, &drive.name, kind(drive));
        for (fact, (from, to)) in facts.iter().zip([(0.25, 0.51), (0.52, 0.63), (0.64, 0.82)]) {
            let place = Rect::from_min_max(
                pos2(rect.left() + width * from, rect.center().y - 8.0),
                pos2(rect.left() + width * to, rect.center().y + 8.0),
            );
            fact_ui(&mut row, place, fact, false);
        }
    }
    let place = Rect::from_min_max(
        pos2(rect.left() + width * 0.6, rect.center().y - 8.0),
        pos2(rect.right(), rect.center().y + 8.0),
    );
    fact_ui(&mut row, place, &reason, true);
}

fn lines_ui(ui: &mut Ui, rect: Rect, name: &str, below: &str) {
    let mut lines = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("lines"));
    lines.spacing_mut().item_spacing.y = 2.0;
    lines.style_mut().wrap_mode = Some(TextWrapMode::Truncate);
    lines.add(Label::new(theme::strong(name)));
    let below = theme::secondary(&lines, below);
    lines.add(Label::new(below));
}

fn fact_ui(ui: &mut Ui, rect: Rect, text: &str, right: bool) {
    if text.is_empty() {
        return;
    }
    let text = RichText::new(text).size(12.5).color(Palette::of(ui).dim);
    let layout = if right {
        eframe::egui::Layout::right_to_left(eframe::egui::Align::Center)
    } else {
        eframe::egui::Layout::left_to_right(eframe::egui::Align::Center)
    };
    let mut place = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout).id_salt(rect.left() as i64));
    place.add(Label::new(text).truncate());
}

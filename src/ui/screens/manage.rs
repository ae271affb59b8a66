//! The note and the name of a kept result, and the question before it is deleted.

use eframe::egui::{Frame, Id, Label, Margin, Modal, Stroke, TextEdit, Ui, vec2};

use super::super::{
    state::{Action, KeptAction, Managed},
    theme::{self, CARD_RADIUS, CONTROL_HEIGHT, GRID, Palette},
    widgets::{Grave, button_ui, notice_ui, secondary_ui},
};

/// Shows the result in hand.
pub fn manage_ui(ui: &mut Ui, managed: &Managed) -> Option<Action> {
    let palette = Palette::of(ui);
    let frame = Frame::new()
        .fill(palette.card)
        .stroke(Stroke::new(1.0, palette.line))
        .corner_radius(CARD_RADIUS)
        .inner_margin(Margin::same(20));
    let width = (ui.content_rect().width() - 80.0).clamp(200.0, 480.0);
    let id = if managed.deleting { "delete" } else { "manage" };
    let modal = Modal::new(Id::unique(id)).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(width);
        ui.add(Label::new(theme::title(if managed.deleting { "Delete this result?" } else { "Kept result" })).wrap());
        ui.add(Label::new(theme::prose(managed.sentence.as_str())).wrap());
        secondary_ui(ui, &managed.facts);
        if let Some(problem) = &managed.problem {
            notice_ui(ui, Grave::Error, problem);
        }
        if managed.deleting { deleting_ui(ui) } else { changing_ui(ui, managed) }
    });
    let left = modal.should_close();
    modal.inner.or(left.then_some(KeptAction::Leave)).map(Action::Kept)
}

fn deleting_ui(ui: &mut Ui) -> Option<KeptAction> {
    ui.add(Label::new("Its file is removed from this computer and cannot be brought back").wrap());
    ui.add_space(GRID);
    ui.horizontal_wrapped(|ui| {
        let delete = button_ui(ui, "Delete").clicked().then_some(KeptAction::Delete);
        delete.or(button_ui(ui, "Keep it").clicked().then_some(KeptAction::Leave))
    })
    .inner
}

fn changing_ui(ui: &mut Ui, managed: &Managed) -> Option<KeptAction> {
    let mut action = None;
    ui.add_space(GRID / 2.0);
    ui.label(theme::medium("Note"));
    let mut note = managed.note.clone();
    let field = TextEdit::multiline(&mut note).desired_rows(3).desired_width(f32::INFINITY).margin(vec2(10.0, 8.0));
    if ui.add(field.hint_text("Your own words, kept in the file")).accessible_name("Note").changed() {
        action = Some(KeptAction::EditNote(note));
    }
    ui.label(theme::medium("Name of the file"));
    let mut name = managed.name.clone();
    let field = TextEdit::singleline(&mut name).desired_width(f32::INFINITY).margin(vec2(10.0, 8.0));
    if ui.add(field.min_size(vec2(0.0, CONTROL_HEIGHT))).accessible_name("Name of the file").changed() {
        action = Some(KeptAction::EditName(name));
    }
    secondary_ui(ui, "It ends with .commitmark.json. No other file is ever replaced");
    ui.add_space(GRID);
    let pressed = ui.horizontal_wrapped(|ui| {
        let buttons = [
            ("Keep changes", KeptAction::Save),
            ("Show file", KeptAction::Reveal),
            ("Delete...", KeptAction::AskToDelete),
            ("Cancel", KeptAction::Leave),
        ];
        buttons.into_iter().filter_map(|(name, action)| button_ui(ui, name).clicked().then_some(action)).last()
    });
    pressed.inner.or(action)
}

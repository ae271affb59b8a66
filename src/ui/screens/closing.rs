//! The one question that the window asks: whether to stop the test and close.

use eframe::egui::{Frame, Id, Label, Margin, Modal, Stroke, Ui};

use super::super::{
    state::Action,
    theme::{self, CARD_RADIUS, Palette},
    widgets::button_ui,
};

/// Asks.
pub fn closing_ui(ui: &mut Ui) -> Option<Action> {
    let palette = Palette::of(ui);
    let frame = Frame::new()
        .fill(palette.card)
        .stroke(Stroke::new(1.0, palette.line))
        .corner_radius(CARD_RADIUS)
        .inner_margin(Margin::same(20));
    let width = (ui.content_rect().width() - 80.0).clamp(200.0, 380.0);
    let modal = Modal::new(Id::unique("closing")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(width);
        ui.add(Label::new(theme::title("A test is running")).wrap());
        ui.add(Label::new("Closing stops it and removes its files. What was measured is kept").wrap());
        ui.add_space(8.0);
        ui.horizontal_wrapped(|ui| {
            let stop = button_ui(ui, "Stop and close").clicked().then_some(Action::ConfirmClose);
            let keep = button_ui(ui, "Keep measuring").clicked().then_some(Action::KeepOpen);
            stop.or(keep)
        })
        .inner
    });
    let left = modal.should_close();
    modal.inner.or(left.then_some(Action::KeepOpen))
}

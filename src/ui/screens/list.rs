//! The list of earlier results, newest first. Only the rows that can be seen are drawn, so that ten
//! thousand scroll like ten.

use eframe::egui::{Align, Label, Layout, Ui, UiBuilder};

use super::super::{
    state::{
        Action, Earlier, KeptAction, Results,
        results::{Line, file_name},
    },
    theme::{self, Palette},
    widgets::{Choice, button_ui, choice_ui, rows_ui, secondary_ui},
};

/// The height of a row, in points.
const ROW: f32 = 60.0;
/// Room for the button at the right of a row, in points.
const BUTTON: f32 = 104.0;

/// Shows the list.
pub fn list_ui(ui: &mut Ui, results: &Results) -> Option<Action> {
    ui.add(Label::new(theme::sentence("Earlier results")).wrap());
    let Some(earlier) = &results.earlier else {
        secondary_ui(ui, "Looking for results");
        return None;
    };
    let words = if earlier.is_empty() {
        "Nothing is kept yet. After a test its result stands here by itself; a file from someone else opens with Open... or when it is dropped here"
    } else {
        "Each test is kept by itself. A file from someone else opens with Open... or when it is dropped here"
    };
    secondary_ui(ui, words);
    let mut action = None;
    rows_ui(ui, ROW, earlier.len(), |ui, index| {
        if let Some(earlier) = earlier.get(index) {
            // Two runs within a minute may read alike, so the file tells them apart.
            action = action.take().or(ui.push_id(&earlier.path, |ui| row_ui(ui, earlier)).inner);
        }
    });
    action
}

fn row_ui(ui: &mut Ui, earlier: &Earlier) -> Option<Action> {
    let open = || Action::ShowEarlier(earlier.path.clone());
    match &earlier.line {
        Line::Result { drive, sentence, note, .. } => {
            let rect = ui.max_rect();
            let mut left = rect;
            left.max.x -= BUTTON + 8.0;
            let below = match note {
                Some(note) => format!("{}  ·  {drive}  ·  {}", earlier.when, crate::units::harmless(note)),
                None => format!("{}  ·  {drive}", earlier.when),
            };
            let mut card = ui.new_child(UiBuilder::new().max_rect(left).id_salt("open"));
            let opened = card_ui(&mut card, sentence, &below).then(open);
            let mut right = rect;
            right.min.x = rect.max.x - BUTTON;
            right.min.y += (ROW - theme::CONTROL_HEIGHT) / 2.0;
            let layout = Layout::right_to_left(Align::Min);
            let mut button = ui.new_child(UiBuilder::new().max_rect(right).layout(layout).id_salt("manage"));
            let manage = button.push_id(&earlier.path, |ui| button_ui(ui, "Manage...")).inner;
            let managed = manage.clicked().then(|| Action::Kept(KeptAction::Manage(earlier.path.clone())));
            opened.or(managed)
        }
        Line::Unread => {
            card_ui(ui, &file_name(&earlier.path), "Being opened");
            None
        }
        Line::Damaged(sentence) => {
            damaged_ui(ui, &file_name(&earlier.path), sentence);
            None
        }
    }
}

fn card_ui(ui: &mut Ui, first: &str, second: &str) -> bool {
    let name = format!("{first}, {second}");
    let choice = Choice { name: &name, selected: false, enabled: true, least_height: ROW };
    let response = choice_ui(ui, choice, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.add(Label::new(theme::strong(first)).truncate());
        let second = theme::secondary(ui, second);
        ui.add(Label::new(second).truncate());
    });
    // A row that the keyboard comes to is shown, and the rows beyond it exist from then on.
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    response.clicked()
}

fn damaged_ui(ui: &mut Ui, name: &str, sentence: &str) {
    let palette = Palette::of(ui);
    let choice = Choice { name, selected: false, enabled: true, least_height: ROW };
    choice_ui(ui, choice, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.add(Label::new(theme::strong(name)).truncate());
        let said = theme::secondary(ui, sentence).color(palette.error);
        ui.add(Label::new(said).truncate());
    })
    .on_hover_text(sentence);
}

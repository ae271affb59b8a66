//! The list of earlier results, newest first.

use eframe::egui::{Label, Ui};

use super::super::{
    state::{
        Action, Earlier, Results,
        results::{Summary, file_name},
    },
    theme::{self, Palette},
    widgets::{Choice, card_ui, choice_ui, secondary_ui},
};

/// Shows the list.
pub fn list_ui(ui: &mut Ui, results: &Results) -> Option<Action> {
    ui.add(Label::new(theme::sentence("Earlier results")).wrap());
    let Some(earlier) = &results.earlier else {
        secondary_ui(ui, "Nothing is kept yet. After a test its result stands here by itself");
        return None;
    };
    let words = if earlier.is_empty() {
        "Nothing is kept yet. After a test its result stands here by itself; a file from someone else opens with Open... or when it is dropped here"
    } else {
        "Each test is kept by itself. A file from someone else opens with Open... or when it is dropped here"
    };
    secondary_ui(ui, words);
    let mut action = None;
    for earlier in earlier {
        if entry_ui(ui, earlier) {
            action = Some(Action::ShowEarlier(earlier.path.clone()));
        }
    }
    action
}

fn entry_ui(ui: &mut Ui, earlier: &Earlier) -> bool {
    // Two runs within a minute may read alike, so the file tells them apart.
    ui.push_id(&earlier.path, |ui| match &earlier.summary {
        Ok(summary) => summary_ui(ui, summary),
        Err(sentence) => {
            damaged_ui(ui, &file_name(&earlier.path), sentence);
            false
        }
    })
    .inner
}

fn summary_ui(ui: &mut Ui, summary: &Summary) -> bool {
    let name = format!("{}, {}, {}", summary.when, summary.drive, summary.sentence);
    let choice = Choice { name: &name, selected: false, enabled: true, least_height: 56.0 };
    let response = choice_ui(ui, choice, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.add(Label::new(theme::strong(summary.sentence.as_str())).wrap());
        secondary_ui(ui, &format!("{}  ·  {}", summary.when, summary.drive));
    });
    response.clicked()
}

fn damaged_ui(ui: &mut Ui, name: &str, sentence: &str) {
    card_ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.add(Label::new(theme::strong(name)).wrap());
        let color = Palette::of(ui).error;
        ui.add(Label::new(theme::secondary(ui, sentence).color(color)).wrap().selectable(true));
    });
}

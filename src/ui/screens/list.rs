//! The list of earlier results, newest first.

use eframe::egui::{Label, RichText, TextStyle, Ui};

use super::super::{
    state::{Action, Earlier, Results, results::file_name},
    theme::{self, Palette},
    widgets::{Choice, choice_ui, secondary_ui},
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
    let name = match &earlier.summary {
        Ok(summary) => format!("{}, {}, {}", summary.when, summary.drive, summary.sentence),
        Err(_) => format!("Damaged file {}", file_name(&earlier.path)),
    };
    // Two runs within a minute may read alike.
    ui.push_id(&earlier.path, |ui| {
        let choice = Choice { name: &name, selected: false, enabled: earlier.summary.is_ok(), least_height: 56.0 };
        choice_ui(ui, choice, |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            match &earlier.summary {
                Ok(summary) => {
                    ui.add(Label::new(theme::strong(summary.sentence.as_str())).wrap());
                    secondary_ui(ui, &format!("{}  ·  {}", summary.when, summary.drive));
                }
                Err(sentence) => {
                    ui.add(Label::new(theme::strong(file_name(&earlier.path))).wrap());
                    let palette = Palette::of(ui);
                    ui.add(
                        Label::new(RichText::new(sentence).text_style(TextStyle::Small).color(palette.error)).wrap(),
                    );
                }
            }
        })
        .clicked()
    })
    .inner
}

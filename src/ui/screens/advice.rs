//! The place Advice: one question, the settings that follow with their reasons and risks, code to copy, and
//! the databases in the chosen folder.

use eframe::egui::{
    Align, ComboBox, Label, Layout, RichText, Role, ScrollArea, TextStyle, Ui, WidgetInfo, style::ScrollStyle, vec2,
};

use super::super::{
    state::{
        Action, Advising, Place, State,
        advice::{DatabaseLine, Databases, Look},
    },
    theme::{self, GRID, Palette},
    widgets::{Grave, button_ui, card_ui, link_ui, notice_ui, option_ui, secondary_ui, sides_ui},
};
use crate::advice::{databases::outlook::Verdict, findings::Finding, settings::Framework};

/// Below this width everything is in one column, in points.
const TWO_COLUMNS: f32 = 640.0;
/// The left column's part of the width, as on the other screens' cards.
const LEFT: f32 = 0.54;
const GAP: f32 = 14.0;

/// Shows the advice.
pub fn advice_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    let advising = &state.advice;
    ui.spacing_mut().item_spacing = vec2(GAP, GAP);
    let heading = if advising.is_measured { "Settings for this drive" } else { "Settings in general" };
    ui.add(Label::new(theme::sentence(heading)).wrap());
    let answered = question_ui(ui, advising);
    let gone = source_ui(ui, advising);
    for caution in &advising.advice.cautions {
        notice_ui(ui, Grave::Warning, &format!("{}. {}", caution.advice, caution.reason));
    }
    let acted = columns_ui(ui, state);
    answered.or(gone).or(acted)
}

fn question_ui(ui: &mut Ui, advising: &Advising) -> Option<Action> {
    let mut action = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(12.0, GRID);
        ui.label("If the power fails, losing the last second of saves is");
        for (name, accept) in [("not acceptable", false), ("acceptable", true)] {
            if option_ui(ui, name, advising.accept_loss == accept) {
                action = Some(Action::AcceptLoss(accept));
            }
        }
    });
    action
}

/// Where the numbers come from, or that there are none and what to do about it.
fn source_ui(ui: &mut Ui, advising: &Advising) -> Option<Action> {
    if advising.is_measured {
        secondary_ui(ui, &advising.advice.source);
        return None;
    }
    let mut action = None;
    card_ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        let words = "Nothing was measured here, so these settings rest on SQLite's documentation alone. A test shows what they do on your drive";
        ui.add(Label::new(theme::prose(words)).wrap());
        if link_ui(ui, "Run a test").clicked() {
            action = Some(Action::Go(Place::Test));
        }
    });
    action
}

fn columns_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    let advising = &state.advice;
    let width = ui.available_width();
    if width < TWO_COLUMNS {
        findings_ui(ui, "The settings", &advising.advice.settings);
        let copied = code_ui(ui, advising);
        findings_ui(ui, "Beside the settings", &advising.advice.habits);
        return copied.or(databases_ui(ui, state));
    }
    let left = ((width - GAP) * LEFT).round();
    ui.horizontal_top(|ui| {
        ui.allocate_ui_with_layout(vec2(left, 0.0), Layout::top_down(Align::Min), |ui| {
            findings_ui(ui, "The settings", &advising.advice.settings);
            findings_ui(ui, "Beside the settings", &advising.advice.habits);
        });
        let right = vec2(width - GAP - left, 0.0);
        ui.allocate_ui_with_layout(right, Layout::top_down(Align::Min), |ui| {
            let copied = code_ui(ui, advising);
            copied.or(databases_ui(ui, state))
        })
        .inner
    })
    .inner
}

fn findings_ui(ui: &mut Ui, title: &str, findings: &[Finding]) {
    card_ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 3.0;
        ui.add(Label::new(theme::title(title)).wrap());
        for finding in findings {
            hairline_ui(ui);
            ui.add(Label::new(theme::strong(finding.advice.as_str())).wrap());
            secondary_ui(ui, &finding.reason);
            if let Some(risk) = &finding.risk {
                secondary_ui(ui, &format!("What it risks: {risk}"));
            }
        }
    });
}

fn hairline_ui(ui: &mut Ui) {
    ui.add_space(5.0);
    ui.separator();
    ui.add_space(3.0);
}

fn code_ui(ui: &mut Ui, advising: &Advising) -> Option<Action> {
    let (mut picked, mut copied) = (None, false);
    card_ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = GRID;
        sides_ui(
            ui,
            80.0,
            |ui| picked = framework_ui(ui, advising.framework),
            |ui| copied = button_ui(ui, "Copy").clicked(),
        );
        if let Some(said) = &advising.said {
            secondary_ui(ui, said);
        }
        // A bar that is always there says that there is more to the right.
        ui.spacing_mut().scroll = ScrollStyle { bar_width: 6.0, foreground_color: true, ..ScrollStyle::solid() };
        ui.spacing_mut().scroll.fade.strength = 0.0;
        let dim = Palette::of(ui).dim;
        ui.visuals_mut().widgets.inactive.fg_stroke.color = dim;
        ScrollArea::horizontal().id_salt("code").show(ui, |ui| {
            let code = RichText::new(advising.code.trim_end()).text_style(TextStyle::Monospace).size(12.5);
            ui.add(Label::new(code).extend().selectable(true));
        });
    });
    picked.map(Action::ChooseFramework).or(copied.then_some(Action::CopyCode))
}

fn framework_ui(ui: &mut Ui, chosen: Framework) -> Option<Framework> {
    let mut picked = chosen;
    let picker = ComboBox::from_id_salt("framework").selected_text(theme::strong(chosen.name())).width(190.0);
    let shown = picker.height(420.0).show_ui(ui, |ui| {
        for framework in Framework::ALL {
            ui.selectable_value(&mut picked, framework, framework.name());
        }
    });
    let name = format!("Code for: {}", chosen.name());
    shown.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, &name));
    (picked != chosen).then_some(picked)
}

fn databases_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    card_ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = GRID / 2.0;
        ui.add(Label::new(theme::title("Databases in this folder")).wrap());
        let Some(folder) = state.setup.folder() else {
            secondary_ui(ui, "Choose a folder under Test to see the databases in it");
            return None;
        };
        secondary_ui(ui, &folder.display().to_string());
        let action = match &state.advice.look {
            Look::No => {
                secondary_ui(
                    ui,
                    "Finds SQLite databases by the first 100 bytes of each file. Nothing is opened in SQLite or written",
                );
                None
            }
            Look::Looking { .. } => {
                secondary_ui(ui, "Looking for databases");
                return button_ui(ui, "Stop looking").clicked().then_some(Action::StopLooking);
            }
            Look::Done(databases) => {
                found_ui(ui, databases);
                None
            }
            Look::Failed(sentence) => {
                notice_ui(ui, Grave::Error, sentence);
                None
            }
        };
        let again = if matches!(state.advice.look, Look::No) { "Look for databases" } else { "Look again" };
        ui.add_space(GRID / 2.0);
        action.or(button_ui(ui, again).clicked().then_some(Action::LookForDatabases))
    })
}

fn found_ui(ui: &mut Ui, databases: &Databases) {
    ui.add(Label::new(theme::prose(databases.scan.summary())).wrap());
    if let Some(sentence) = databases.scan.incomplete() {
        secondary_ui(ui, &sentence);
    }
    for line in &databases.lines {
        line_ui(ui, line);
    }
}

fn line_ui(ui: &mut Ui, line: &DatabaseLine) {
    let palette = Palette::of(ui);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.spacing_mut().interact_size.y = 18.0;
        hairline_ui(ui);
        let color = match line.outlook.verdict {
            Verdict::WouldGain => palette.ink,
            Verdict::LookAtIt => palette.warning,
            Verdict::AlreadySet | Verdict::StaysAsItIs => palette.dim,
        };
        sides_ui(
            ui,
            100.0,
            |ui| {
                ui.add(Label::new(line.name.as_str()).wrap());
            },
            |ui| {
                let words = RichText::new(line.outlook.verdict.words()).text_style(TextStyle::Small).color(color);
                ui.add(Label::new(words).extend());
            },
        );
        secondary_ui(ui, &line.outlook.facts);
        secondary_ui(ui, &line.outlook.words);
    });
}

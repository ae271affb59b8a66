//! The screen Test before a run: the folder, its drive, what to run, and the one button.

use eframe::egui::{Align2, Button, Frame, Label, Margin, Response, RichText, TextEdit, Ui, vec2};

use super::{
    super::{
        state::{Action, Setup},
        theme::{self, CONTROL_HEIGHT, GRID, Palette},
        widgets::{Choice, Grave, left_choice_ui, link_ui, notice_ui, primary_button_ui, secondary_ui, sides_ui},
    },
    custom::custom_ui,
    drives::drives_ui,
};
use crate::{
    experiments::IDS,
    plan::{Plan, Preset},
    units,
};

/// Shows what is set up.
pub fn test_ui(ui: &mut Ui, setup: &Setup) -> Option<Action> {
    ui.add(Label::new(theme::sentence("Where does your app keep its data?")).wrap());
    let typed = folder_ui(ui, setup);
    let recent = recent_ui(ui, setup);
    let drive = drives_ui(ui, setup);
    about_folder_ui(ui, setup);
    ui.add_space(GRID / 2.0);
    ui.label(theme::title("What to run"));
    let preset = presets_ui(ui, setup);
    let custom = if setup.preset == Preset::Custom { custom_ui(ui, setup) } else { None };
    ui.add_space(GRID);
    let start = start_ui(ui, setup);
    typed.or(recent).or(drive).or(preset).or(custom).or(start)
}

fn folder_ui(ui: &mut Ui, setup: &Setup) -> Option<Action> {
    let mut text = setup.text.clone();
    let mut action = None;
    let button_width = 136.0;
    let width = ui.available_width();
    let field_width = if width < 420.0 { width } else { width - button_width - GRID };
    ui.horizontal_wrapped(|ui| {
        let field = field_ui(ui, &mut text, field_width);
        if field.changed() {
            action = Some(Action::EditFolder(text.clone()));
        }
        if ui.add(Button::new("Choose folder...").min_size(vec2(button_width, CONTROL_HEIGHT))).clicked() {
            action = Some(Action::ChooseFolder);
        }
    });
    if let Some(note) = &setup.dialog_note {
        notice_ui(ui, Grave::Warning, note);
    }
    action
}

fn field_ui(ui: &mut Ui, text: &mut String, width: f32) -> Response {
    let palette = Palette::of(ui);
    let hint = RichText::new("Type or paste a folder, or drop it on this window").color(palette.dim);
    let edit = TextEdit::singleline(text).hint_text(hint).margin(Margin::symmetric(12, 8)).align(Align2::LEFT_CENTER);
    let height = CONTROL_HEIGHT;
    ui.add(edit.desired_width(width).min_size(vec2(width, height))).accessible_name("Folder to test")
}

fn recent_ui(ui: &mut Ui, setup: &Setup) -> Option<Action> {
    let here = setup.folder();
    let others: Vec<_> = setup.recent.iter().filter(|folder| Some(*folder) != here.as_ref()).collect();
    if others.is_empty() {
        return None;
    }
    let mut action = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().interact_size.y = 18.0;
        let words = theme::secondary(ui, "Used last:");
        ui.label(words);
        for folder in others {
            if link_ui(ui, &folder.display().to_string()).clicked() {
                action = Some(Action::PickFolder(folder.clone()));
            }
        }
    });
    action
}

/// What is known about the folder, and what speaks against it.
fn about_folder_ui(ui: &mut Ui, setup: &Setup) {
    let Some(looked) = &setup.looked else { return };
    if let Some(problem) = &looked.problem {
        notice_ui(ui, Grave::Error, problem);
        return;
    }
    let volume = &looked.volume;
    let free = volume.free_bytes.map(|bytes| format!("{} free", units::bytes(bytes)));
    let cache = volume.write_cache.map(|cache| format!("write cache: {}", cache.name()));
    let known = [volume.drive_model.clone(), volume.kind.clone(), volume.file_system.clone(), free, cache];
    let known: Vec<String> = known.into_iter().flatten().collect();
    let line = if known.is_empty() { "Nothing is known about this drive".to_owned() } else { known.join("  ·  ") };
    secondary_ui(ui, &line);
    for caution in &looked.cautions {
        notice_ui(ui, Grave::Warning, caution);
    }
}

fn presets_ui(ui: &mut Ui, setup: &Setup) -> Option<Action> {
    let presets = Setup::presets();
    let columns = match ui.available_width() {
        width if width < 420.0 => 1,
        width if width < 640.0 => 2,
        _ => presets.len(),
    };
    let mut action = None;
    ui.columns(columns, |columns| {
        let many = columns.len();
        for (index, preset) in presets.into_iter().enumerate() {
            let Some(column) = columns.get_mut(index % many) else { continue };
            let (name, words) = preset_words(setup, preset);
            let spoken = format!("{name}: {words}");
            let choice = Choice {
                name: &spoken,
                selected: setup.preset == preset,
                enabled: true,
                least_height: if many > 2 { 96.0 } else { 78.0 },
            };
            let response = left_choice_ui(column, choice, |ui| {
                ui.spacing_mut().item_spacing.y = 3.0;
                ui.add(Label::new(theme::strong(name)).wrap());
                secondary_ui(ui, &words);
            });
            if response.clicked() {
                action = Some(Action::ChoosePreset(preset));
            }
        }
    });
    action
}

fn preset_words(setup: &Setup, preset: Preset) -> (&'static str, String) {
    let takes = |plan: &Plan| units::about(plan.cost(&setup.speed()).seconds);
    let plan = setup.plan_of(preset);
    match preset {
        Preset::Quick => ("Quick", format!("the answer, {}", takes(&plan))),
        Preset::Standard => ("Standard", format!("10,000 saves five times, as published; {} here", takes(&plan))),
        Preset::Full => ("Full", format!("every experiment and setting; {} here", takes(&plan))),
        Preset::Custom if IDS.len() == 1 => ("Custom...", "choose the numbers".to_owned()),
        Preset::Custom => ("Custom...", "choose experiments and numbers".to_owned()),
    }
}

fn start_ui(ui: &mut Ui, setup: &Setup) -> Option<Action> {
    let plan_error = setup.plan().check().err().map(|error| error.to_string());
    let words = match (&plan_error, setup.folder()) {
        (Some(_), _) => String::new(),
        (None, None) => "Choose a folder first. Nothing is written before you press Start test".to_owned(),
        (None, Some(folder)) => setup.plan().review(&folder.display().to_string(), &setup.speed()),
    };
    if let Some(error) = &plan_error {
        notice_ui(ui, Grave::Error, error);
    }
    let mut action = None;
    sides_ui(
        ui,
        150.0,
        |ui| {
            let palette = Palette::of(ui);
            let text = theme::prose(words).color(palette.dim);
            Frame::new().inner_margin(Margin::symmetric(0, 10)).show(ui, |ui| ui.add(Label::new(text).wrap()));
        },
        |ui| {
            if primary_button_ui(ui, setup.is_ready(), "Start test").clicked() {
                action = Some(Action::Start);
            }
        },
    );
    action
}

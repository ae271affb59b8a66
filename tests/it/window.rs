//! The window, driven as a person drives it, with real runs on a real folder. No display, GPU or
//! driver is needed: nothing is painted.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use commitmark::{
    experiments::{IDS, Parameters},
    plan::{Plan, Preset},
    report::{Status, history::History, load::load},
    ui::{
        app::{CommitMarkApp, Options},
        dialogs::Answers,
        state::{Earlier, Finding, Place, results::Line},
    },
};
use eframe::egui::{self, Key, Modifiers, Role, Vec2};
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use tempfile::TempDir;

/// Generous, for machines that are busy with something else; no test waits so long where all is well.
const DEADLINE: Duration = Duration::from_secs(120);

/// A window with a home of its own.
struct Desk {
    home: TempDir,
    harness: Harness<'static, CommitMarkApp>,
}

impl Desk {
    fn new(plan: Option<Plan>, change: impl FnOnce(&Path, &mut Options)) -> Self {
        let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for folder in ["data", "saved"] {
            std::fs::create_dir(home.path().join(folder)).unwrap();
        }
        let mut options = Options {
            history: Some(History::in_folder(home.path().join("history"))),
            memory: Some(home.path().join("folders.json")),
            folder: None,
            plan,
            dialogs: Arc::new(Answers { place: Some(home.path().join("saved")), ..Answers::default() }),
            files: Vec::new(),
        };
        change(home.path(), &mut options);
        let harness = Harness::builder()
            .with_size(Vec2::new(1080.0, 1600.0))
            .with_max_steps(30)
            .build_eframe(move |creation| CommitMarkApp::new(creation, options));
        Self { home, harness }
    }

    fn folder(&self) -> PathBuf {
        self.home.path().join("data")
    }

    fn files_in_folder(&self) -> usize {
        std::fs::read_dir(self.folder()).unwrap().count()
    }

    /// Steps until the window shows what is waited for.
    fn wait_for(&mut self, what: &str, mut seen: impl FnMut(&Harness<'static, CommitMarkApp>) -> bool) {
        let start = Instant::now();
        loop {
            self.harness.step();
            if seen(&self.harness) {
                return;
            }
            assert!(
                start.elapsed() < DEADLINE,
                "waited in vain for {what}; the run is {:?}",
                self.harness.state().state().run
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn wait_for_label(&mut self, label: &str) {
        self.wait_for(label, |harness| harness.query_all_by_label_contains(label).next().is_some());
    }

    fn shows(&self, label: &str) -> bool {
        self.harness.query_all_by_label_contains(label).next().is_some()
    }

    fn press(&mut self, button: &str) {
        self.harness.get_by_role_and_label(Role::Button, button).click();
        self.harness.step();
        self.harness.step();
    }

    fn type_folder(&mut self, folder: &str) {
        let field = self.harness.get_by_role_and_label(Role::TextInput, "Folder to test");
        field.focus();
        self.harness.step();
        self.harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
        self.harness.step();
        self.harness.get_by_role_and_label(Role::TextInput, "Folder to test").type_text(folder);
        self.harness.step();
    }

    fn start_enabled(&self) -> bool {
        !self.harness.get_by_role_and_label(Role::Button, "Start test").accesskit_node().is_disabled()
    }

    fn wait_until_ready(&mut self) {
        self.wait_for("Start test to be enabled", |harness| {
            let start = harness.query_by_role_and_label(Role::Button, "Start test");
            start.is_some_and(|start| !start.accesskit_node().is_disabled())
        });
    }
}

/// Both experiments, as small as they go and still telling something.
fn small_plan() -> Plan {
    let mut plan = Plan::new(Preset::Custom);
    for (name, value) in [("inserts", 30), ("rounds", 2), ("milliseconds", 100)] {
        plan.set(name, value);
    }
    plan.check().unwrap();
    plan
}

/// A run that would take minutes, to be stopped.
fn long_plan() -> Plan {
    let mut plan = Plan::only(Preset::Custom, &["inserts"]).unwrap();
    plan.set("inserts", 200);
    plan.set("rounds", 1_000);
    plan
}

#[test]
fn from_a_typed_folder_to_a_saved_file() {
    let mut desk = Desk::new(Some(small_plan()), |_, _| {});
    desk.type_folder(&desk.folder().display().to_string());
    desk.wait_until_ready();
    assert!(desk.shows("removes its files afterwards"));
    desk.press("Start test");
    desk.wait_for_label("Temporary files removed");
    assert!(desk.shows("How many small saves a second?"));
    assert!(desk.shows("Reading while something is being saved"));
    assert_eq!(desk.files_in_folder(), 0);

    desk.press("Save...");
    assert!(desk.shows("No user name, host name, home path or serial number"));
    desk.press("Result file (.commitmark.json)");
    desk.wait_for_label("Saved: ");
    let saved: Vec<PathBuf> =
        std::fs::read_dir(desk.home.path().join("saved")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(saved.len(), 1);
    let report = load(&saved[0]).unwrap();
    assert_eq!(report.status, Status::Complete);
    assert_eq!(report.experiments.len(), report.plan.experiments.len());
    assert!(desk.shows(&report.sentence()));

    desk.press("All results");
    desk.wait_for_label("Earlier results");
    desk.wait_for("the kept result", |harness| harness.query_all_by_role(Role::RadioButton).next().is_some());
}

#[test]
fn a_result_is_saved_in_every_format_and_copied_as_text_and_picture() {
    let mut desk = Desk::new(None, |home, options| {
        let file = home.join("a.commitmark.json");
        std::fs::write(&file, crate::exports::real_text()).unwrap();
        options.files = vec![file];
    });
    desk.wait_for_label("How many small saves a second?");
    for (choice, ending) in [
        ("Web page (.html)", "html"),
        ("Picture (.png)", "png"),
        ("Table of raw samples (.csv)", "csv"),
        ("Text with tables (.md)", "md"),
    ] {
        desk.press("Save...");
        desk.press(choice);
        let saved = desk.home.path().join("saved");
        desk.wait_for(choice, |_| {
            let files = std::fs::read_dir(&saved).unwrap().map(|entry| entry.unwrap().path());
            files.filter(|file| file.extension().is_some_and(|found| found == ending)).count() == 1
        });
    }
    for (choice, is_it) in
        [("Text with tables (Markdown)", is_text as fn(&egui::OutputCommand) -> bool), ("As a picture", is_picture)]
    {
        desk.press("Copy");
        // What a step puts on the clipboard is gone after the next, so no step may go unseen.
        desk.harness.get_by_role_and_label(Role::Button, choice).click();
        desk.wait_for(choice, |harness| harness.output().platform_output.commands.iter().any(is_it));
    }
    assert!(desk.shows("Copied"));
}

#[test]
fn the_keyboard_opens_save_and_reaches_every_format() {
    let mut desk = Desk::new(None, |home, options| {
        let file = home.join("a.commitmark.json");
        std::fs::write(&file, crate::exports::real_text()).unwrap();
        options.files = vec![file];
    });
    desk.wait_for_label("How many small saves a second?");
    let mut focused_after_tab = move || {
        desk.harness.key_press(Key::Tab);
        desk.harness.run_steps(2);
        let focused = desk.harness.root().children_recursive().find(|node| node.is_focused());
        let name = focused.and_then(|node| node.accesskit_node().label()).unwrap_or_default();
        if name == "Save..." {
            desk.harness.key_press(Key::Enter);
            desk.harness.run_steps(2);
        }
        name
    };
    let reached: Vec<String> = std::iter::repeat_with(&mut focused_after_tab).take(20).collect();
    let save = reached.iter().position(|name| name == "Save...").unwrap();
    assert_eq!(
        &reached[save + 1..save + 6],
        [
            "Result file (.commitmark.json)",
            "Web page (.html)",
            "Picture (.png)",
            "Table of raw samples (.csv)",
            "Text with tables (.md)"
        ]
    );
}

fn is_text(command: &egui::OutputCommand) -> bool {
    matches!(command, egui::OutputCommand::CopyText(text) if text.starts_with("## "))
}

fn is_picture(command: &egui::OutputCommand) -> bool {
    matches!(command, egui::OutputCommand::CopyImage(image) if image.width() == 1200)
}

#[test]
fn custom_numbers_are_set_by_hand_and_reach_the_result() {
    let mut desk = Desk::new(None, |home, options| options.folder = Some(home.join("data")));
    desk.wait_until_ready();
    let custom = desk
        .harness
        .query_all_by_role(Role::RadioButton)
        .find(|card| card.accesskit_node().label().is_some_and(|label| label.starts_with("Custom")));
    custom.expect("a card named Custom").click();
    desk.harness.step();
    desk.harness.step();
    for other in IDS.iter().filter(|id| **id != "inserts") {
        let Some(parameters) = Parameters::preset(other, Preset::Custom) else { continue };
        desk.harness.get_by_role_and_label(Role::CheckBox, parameters.question()).click();
        desk.harness.step();
        desk.harness.step();
    }
    desk.harness.get_by_role_and_label(Role::SpinButton, "saves in each run").set_value_accesskit(25.0);
    desk.harness.step();
    desk.harness.get_by_role_and_label(Role::SpinButton, "runs of each setting").set_value_accesskit(3.0);
    desk.harness.step();
    desk.harness.step();
    desk.press("Start test");
    desk.wait_for_label("Temporary files removed");
    let kept = History::in_folder(desk.home.path().join("history")).list().unwrap();
    let report = load(&kept[0].path).unwrap();
    assert_eq!(report.plan.experiments.len(), 1);
    let inserts = report.experiments.iter().find(|outcome| outcome.id() == "inserts").unwrap();
    let value = serde_json::to_value(inserts).unwrap();
    for case in value["cases"].as_array().unwrap() {
        let samples = case["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 3);
        assert!(samples.iter().all(|sample| sample["operations"] == 25));
    }
}

#[test]
fn a_bad_path_shows_its_sentence_and_start_is_disabled() {
    let mut desk = Desk::new(None, |_, _| {});
    let gone = desk.home.path().join("gone").display().to_string();
    desk.type_folder(&gone);
    desk.wait_for_label("There is no such folder. Choose one that exists: ");
    assert!(!desk.start_enabled());

    let file = desk.home.path().join("photo.jpg");
    std::fs::write(&file, "no folder").unwrap();
    desk.type_folder(&file.display().to_string());
    desk.wait_for_label("This is a file, not a folder. Choose the folder it is in: ");
    assert!(!desk.start_enabled());
}

#[test]
fn stop_leaves_no_file_and_shows_what_was_measured() {
    let mut desk = Desk::new(Some(long_plan()), |home, options| options.folder = Some(home.join("data")));
    desk.wait_until_ready();
    desk.press("Start test");
    desk.wait_for("a first measurement", |harness| {
        harness.state().state().run.as_ref().is_some_and(|run| !run.sections.is_empty())
    });
    assert!(desk.files_in_folder() > 0);
    desk.press("Stop");
    desk.wait_for_label("Temporary files removed");
    assert!(desk.shows("Stopped early"));
    assert!(desk.shows("How many small saves a second?"));
    assert_eq!(desk.files_in_folder(), 0);
}

#[test]
fn closing_during_a_run_asks_once_and_keeps_what_was_measured() {
    let mut desk = Desk::new(Some(long_plan()), |home, options| options.folder = Some(home.join("data")));
    desk.wait_until_ready();
    desk.press("Start test");
    desk.wait_for("a first measurement", |harness| {
        harness.state().state().run.as_ref().is_some_and(|run| !run.sections.is_empty())
    });
    let viewport = desk.harness.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default();
    viewport.events.push(egui::ViewportEvent::Close);
    desk.harness.step();
    desk.wait_for_label("A test is running");
    desk.press("Stop and close");
    desk.wait_for("the run to end", |harness| harness.state().state().run.is_none());
    assert_eq!(desk.files_in_folder(), 0);
    let kept = History::in_folder(desk.home.path().join("history")).list().unwrap();
    assert_eq!(load(&kept[0].path).unwrap().status, Status::Cancelled);
}

#[test]
fn a_damaged_file_shows_one_sentence_and_is_not_touched() {
    let mut desk = Desk::new(None, |home, options| {
        let damaged = home.join("damaged.commitmark.json");
        std::fs::write(&damaged, "{\"format\": \"commitmark-result\", ").unwrap();
        options.files = vec![damaged];
    });
    desk.wait_for_label("The file ends too early, so a part of it is missing. Ask for it again: ");
    assert!(desk.home.path().join("damaged.commitmark.json").exists());
}

#[test]
fn a_damaged_kept_result_is_named_in_the_list() {
    let mut desk = Desk::new(None, |home, _| {
        std::fs::create_dir(home.join("history")).unwrap();
        std::fs::write(home.join("history/2026-01-01-000000-abcd.commitmark.json"), "").unwrap();
    });
    desk.harness.get_by_role_and_label(Role::Tab, "Results").click();
    desk.wait_for_label("The file is empty");
    assert!(desk.shows("2026-01-01-000000-abcd.commitmark.json"));
}

#[test]
fn the_folder_used_last_is_there_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(None, |home, options| {
        let memory = serde_json::to_string(&[folder.path()]).unwrap();
        std::fs::write(home.join("folders.json"), memory).unwrap();
        options.folder = None;
    });
    desk.wait_until_ready();
    let path = folder.path().display().to_string();
    assert_eq!(desk.harness.get_by_role_and_label(Role::TextInput, "Folder to test").value(), Some(path));
}

#[test]
fn the_keyboard_reaches_every_control_of_the_first_screen() {
    let mut desk = Desk::new(None, |home, options| options.folder = Some(home.join("data")));
    desk.wait_until_ready();
    let mut reached = std::collections::BTreeSet::new();
    for _ in 0..40 {
        desk.harness.key_press(Key::Tab);
        desk.harness.step();
        desk.harness.step();
        let focused = desk.harness.root().children_recursive().find(|node| node.is_focused());
        reached.extend(focused.and_then(|node| node.accesskit_node().label()));
    }
    for control in ["Test", "Results", "This computer", "Folder to test", "Choose folder...", "Start test"] {
        assert!(reached.contains(control), "{control} is not among {reached:?}");
    }
    for card in ["Quick", "Standard", "Custom"] {
        assert!(reached.iter().any(|name| name.starts_with(card)), "{card} is not among {reached:?}");
    }
}

#[test]
fn this_computer_shows_the_machine_and_what_is_unknown() {
    let mut desk = Desk::new(None, |home, options| options.folder = Some(home.join("data")));
    desk.wait_until_ready();
    desk.harness.get_by_role_and_label(Role::Tab, "This computer").click();
    desk.wait_for_label("Logical cores");
    assert!(desk.shows("File system"));
    desk.press("Copy");
}

#[test]
fn a_kept_result_is_given_a_note_and_a_name_and_is_deleted_after_a_question() {
    let mut desk = Desk::new(None, |home, _| keep_golden(home, 1));
    desk.harness.get_by_role_and_label(Role::Tab, "Results").click();
    desk.wait_for_label("Manage...");
    desk.press("Manage...");
    desk.wait_for_label("Kept result");
    for (name, text) in [("Note", "before the new cable"), ("Name of the file", "laptop")] {
        text_field(&desk.harness, name).focus();
        desk.harness.step();
        desk.harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
        desk.harness.step();
        text_field(&desk.harness, name).type_text(text);
        desk.harness.step();
        desk.harness.step();
    }
    desk.press("Keep changes");
    desk.wait_for_label("before the new cable");
    let path = desk.home.path().join("history/laptop.commitmark.json");
    assert_eq!(load(&path).unwrap().note.as_deref(), Some("before the new cable"));

    for answer in ["Keep it", "Delete"] {
        desk.press("Manage...");
        desk.wait_for_label("Kept result");
        desk.press("Delete...");
        desk.wait_for_label("Delete this result?");
        assert!(path.exists());
        desk.press(answer);
        desk.harness.step();
    }
    desk.wait_for_label("Nothing is kept yet");
    assert!(!path.exists());
}

#[test]
fn of_ten_thousand_kept_results_only_those_that_are_seen_are_drawn() {
    let mut desk = Desk::new(None, |_, options| options.history = None);
    let state = desk.harness.state_mut().state_mut();
    let earlier = (0..10_000).map(|at| Earlier {
        path: PathBuf::from(format!("/results/{at}.commitmark.json")),
        when: "30 Nov 2026, 18:04".to_owned(),
        line: Line::Result {
            run: Default::default(),
            drive: "NVMe SSD".to_owned(),
            sentence: format!("Result {at}"),
            note: None,
        },
    });
    state.find(Finding::History(Ok(earlier.collect())));
    state.place = Place::Results;
    desk.harness.step();
    desk.harness.step();
    let drawn = desk.harness.query_all_by_label("Manage...").count();
    assert!((10..60).contains(&drawn), "{drawn} rows are drawn");
    assert!(desk.shows("Result 0") && !desk.shows("Result 9999"));
}

#[test]
fn several_files_at_the_start_are_compared_with_each_other() {
    let mut desk = Desk::new(None, |home, options| {
        keep_golden(home, 2);
        options.files = vec![home.join("history")];
        options.files.push(home.join("history/1.commitmark.json"));
    });
    desk.wait_for("the comparison", |harness| harness.state().state().compare.told.is_some());
    desk.harness.step();
    assert!(desk.shows("2 results"));
    assert!(desk.shows("How many small saves a second?"));
    let ticks = desk.harness.query_all_by_role(Role::CheckBox).count();
    assert_eq!(ticks, 3, "one for each file and one for the published results");
    desk.harness.get_by_role_and_label(Role::CheckBox, "Published results").click();
    desk.wait_for("the published results", |harness| harness.state().state().compare.files.len() > 2);
    desk.wait_for_label("must not be compared with file 1: another program measured");
}

/// A field of one line or many, beside the label of the same name.
fn text_field<'a>(harness: &'a Harness<'static, CommitMarkApp>, name: &'a str) -> egui_kittest::Node<'a> {
    let mut named = harness.query_all_by_label(name);
    let fields = [Role::TextInput, Role::MultilineTextInput];
    named.find(|node| fields.contains(&node.accesskit_node().role())).expect("a field of this name")
}

/// Puts golden files into the history, each as a run of its own.
fn keep_golden(home: &Path, count: u128) {
    let golden = include_bytes!("../data/golden/standard.commitmark.json");
    let mut report = commitmark::report::load::parse(golden, Path::new("golden")).unwrap();
    for at in 0..count {
        report.id = uuid::Uuid::from_u128(at);
        commitmark::report::save::save(&report, &home.join(format!("history/{at}.commitmark.json"))).unwrap();
    }
}

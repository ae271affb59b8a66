//! Every transition of the window's state.

use std::path::PathBuf;

use super::*;
use crate::{
    experiments::IDS,
    export::Format,
    plan::{Plan, Preset},
    report::{Report, Status, Trust},
    session::End,
    system::{ListedVolume, Refusal},
};

fn report() -> Report {
    Report::new(Plan::new(Preset::Quick), None, Default::default(), Default::default())
}

fn ready(folder: &str) -> State {
    let mut state = State::default();
    state.act(Action::EditFolder(folder.to_owned()));
    state.find(Finding::Folder(Box::new(Looked { folder: PathBuf::from(folder), ..Looked::default() })));
    state
}

fn running() -> (State, Uuid) {
    let mut state = ready("/data");
    let effects = state.act(Action::Start);
    let request = effects
        .iter()
        .find_map(|effect| if let Effect::Start(request) = effect { Some(request.clone()) } else { None });
    let run = Uuid::new_v4();
    state.started(run, &request.unwrap());
    (state, run)
}

fn end(run: Uuid) -> Event {
    let end = End { report: report(), error: None, kept: None, left_behind: None };
    Event::Ended { run, end: Box::new(end) }
}

fn progress(run: Uuid, share: f64) -> Event {
    Event::Progressed { run, step: format!("at {share}"), share, seconds_left: 10.0 }
}

#[test]
fn a_run_goes_from_the_folder_to_its_result() {
    let (mut state, run) = running();
    assert_eq!((state.place, state.run.as_ref().unwrap().phase), (Place::Test, Phase::Running));
    state.hear(Event::Started { run, report: Box::new(report()), stays_awake: false });
    assert!(!state.run.as_ref().unwrap().stays_awake);
    state.hear(progress(run, 0.5));
    assert_eq!(state.run.as_ref().unwrap().step, "at 0.5");
    assert!(matches!(state.act(Action::Stop)[..], [Effect::Cancel]));
    assert_eq!(state.run.as_ref().unwrap().phase, Phase::Stopping);
    state.hear(end(run));
    assert!(state.run.is_none());
    assert_eq!(state.place, Place::Results);
    let shown = state.results.shown.as_ref().unwrap();
    assert_eq!(shown.afterwards.as_deref(), Some("Temporary files removed"));
    assert_eq!(shown.folder.as_deref(), Some(std::path::Path::new("/data")));
}

#[test]
fn events_of_another_run_are_dropped() {
    let (mut state, run) = running();
    let other = Uuid::new_v4();
    state.hear(progress(other, 0.9));
    assert!(state.hear(end(other)).is_empty());
    assert_eq!(state.run.as_ref().map(|run| (run.id, run.share)), Some((run, 0.0)));
}

#[test]
fn progress_never_moves_back() {
    let (mut state, run) = running();
    for (told, shown) in [(0.2, 0.2), (0.1, 0.2), (f64::NAN, 0.2), (7.0, 1.0)] {
        state.hear(progress(run, told));
        assert_eq!(state.run.as_ref().unwrap().share, shown);
    }
}

#[test]
fn nothing_starts_twice_or_without_a_good_folder() {
    let starts = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Start(_)));
    let (mut state, _) = running();
    assert!(!starts(&state.act(Action::Start)));

    assert!(!starts(&State::default().act(Action::Start)));

    let mut state = State::default();
    state.act(Action::EditFolder("/gone".to_owned()));
    let looked = Looked {
        folder: PathBuf::from("/gone"),
        problem: Some("There is no such folder".to_owned()),
        ..Looked::default()
    };
    state.find(Finding::Folder(Box::new(looked)));
    assert_eq!(state.setup.problem().as_deref(), Some("There is no such folder"));
    assert!(!state.setup.is_ready());
    assert!(!starts(&state.act(Action::Start)));
}

#[test]
fn facts_about_a_folder_that_is_no_longer_in_the_field_are_dropped() {
    let mut state = ready("/one");
    assert!(state.setup.is_ready());
    let effects = state.act(Action::EditFolder("/two".to_owned()));
    assert!(matches!(&effects[..], [Effect::LookAt(folder)] if folder.as_path() == std::path::Path::new("/two")));
    assert!(!state.setup.is_ready());
    state.find(Finding::Folder(Box::new(Looked { folder: PathBuf::from("/one"), ..Looked::default() })));
    assert!(state.setup.looked.is_none());
}

#[test]
fn a_path_may_come_with_quotes_and_spaces_around_it() {
    let mut state = State::default();
    state.act(Action::EditFolder("  \"/my data\" ".to_owned()));
    assert_eq!(state.setup.folder(), Some(PathBuf::from("/my data")));
    state.act(Action::EditFolder("   ".to_owned()));
    assert_eq!(state.setup.folder(), None);
}

#[test]
fn the_folders_used_last_are_remembered_newest_first_and_once() {
    let mut state = State::default();
    let effects = state.find(Finding::Remembered(vec![PathBuf::from("/a"), PathBuf::from("/b")]));
    assert!(matches!(&effects[..], [Effect::LookAt(_)]));
    assert_eq!(state.setup.text, "/a");
    state.act(Action::EditFolder("/b".to_owned()));
    let effects = state.act(Action::Start);
    let Some(Effect::Remember(folders)) = effects.first() else { panic!("{effects:?}") };
    assert_eq!(folders, &[PathBuf::from("/b"), PathBuf::from("/a")]);
}

#[test]
fn the_first_drive_is_suggested_until_something_better_is_known() {
    let row = |folder: &str, refusal| ListedVolume {
        name: folder.to_owned(),
        folder: PathBuf::from(folder),
        volume: Default::default(),
        refusal,
    };
    let drives = vec![row("/full", Some(Refusal::Full)), row("/home", None)];
    let mut state = State::default();
    assert!(matches!(&state.find(Finding::Drives(drives.clone()))[..], [Effect::LookAt(_)]));
    assert_eq!(state.setup.text, "/home");
    state.find(Finding::Remembered(vec![PathBuf::from("/a")]));
    assert_eq!(state.setup.text, "/a");
    state.act(Action::EditFolder(String::new()));
    assert!(state.find(Finding::Drives(drives)).is_empty());
    assert_eq!(state.setup.text, "");
}

#[test]
fn a_typed_path_is_not_replaced_by_a_remembered_one() {
    let mut state = State::default();
    state.act(Action::EditFolder("/typed".to_owned()));
    state.find(Finding::Remembered(vec![PathBuf::from("/a")]));
    assert_eq!(state.setup.text, "/typed");
}

#[test]
fn custom_runs_what_is_ticked_with_the_numbers_set() {
    let mut state = ready("/data");
    state.act(Action::ChoosePreset(Preset::Custom));
    state.act(Action::SetKnob { experiment: "inserts", name: "inserts", value: 7 });
    for other in IDS.iter().filter(|id| **id != "inserts") {
        if state.setup.custom.iter().any(|choosable| choosable.ticked && choosable.parameters.id() == *other) {
            state.act(Action::Tick(other));
        }
    }
    let plan = state.setup.plan();
    assert_eq!(plan.preset, Preset::Custom);
    assert_eq!(plan.experiments.len(), 1);
    let mut parameters = plan.experiments[0].clone();
    assert!(parameters.knobs().iter().any(|knob| knob.name == "inserts" && *knob.value == 7));
    state.act(Action::Tick("inserts"));
    assert!(state.setup.problem().unwrap().contains("no experiment"));
    assert!(!state.setup.is_ready());
}

#[test]
fn a_number_outside_its_limits_keeps_the_test_from_starting() {
    let mut state = ready("/data");
    state.act(Action::ChoosePreset(Preset::Custom));
    state.act(Action::SetKnob { experiment: "inserts", name: "inserts", value: 0 });
    assert!(!state.setup.is_ready());
}

#[test]
fn a_file_that_cannot_be_opened_shows_its_sentence_and_keeps_what_was_shown() {
    let mut state = State::default();
    let path = PathBuf::from("/results/one.json");
    state.find(Finding::Loaded { path: path.clone(), shown: Ok(Box::new(Shown::new(report()))) });
    assert_eq!(state.place, Place::Results);
    state.find(Finding::Loaded { path, shown: Err("The file is empty".to_owned()) });
    assert_eq!(state.results.problem.as_deref(), Some("The file is empty"));
    assert!(state.results.shown.is_some());
}

#[test]
fn an_error_is_shown_with_what_was_measured() {
    let (mut state, run) = running();
    let mut report = report();
    report.status = Status::Failed;
    let end = End {
        report,
        error: Some("The drive became full".to_owned()),
        kept: Some(Err("The result could not be saved".to_owned())),
        left_behind: Some("The test's temporary files could not be removed".to_owned()),
    };
    state.hear(Event::Ended { run, end: Box::new(end) });
    let shown = state.results.shown.as_ref().unwrap();
    assert_eq!(
        shown.errors,
        ["The drive became full", "The test's temporary files could not be removed", "The result could not be saved"]
    );
    assert_eq!(shown.afterwards, None);
    assert!(matches!(shown.trust, Trust::Incomplete(_)));
}

#[test]
fn closing_asks_once_then_stops_and_closes_after_the_end() {
    let mut state = State::default();
    assert!(matches!(state.act(Action::Close)[..], [Effect::Close]));

    let (mut state, run) = running();
    assert!(state.act(Action::Close).is_empty());
    assert_eq!(state.closing, Closing::Asked);
    state.act(Action::KeepOpen);
    assert_eq!(state.closing, Closing::No);
    state.act(Action::Close);
    assert!(matches!(state.act(Action::ConfirmClose)[..], [Effect::Cancel]));
    let effects = state.hear(end(run));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Close)));
}

#[test]
fn a_second_press_on_the_close_button_is_an_answer() {
    let (mut state, _) = running();
    state.act(Action::Close);
    assert!(matches!(state.act(Action::Close)[..], [Effect::Cancel]));
    assert_eq!(state.closing, Closing::AfterTheRun);
}

#[test]
fn a_session_that_vanishes_is_said() {
    let (mut state, _) = running();
    state.lost();
    assert!(state.run.is_none());
    assert!(state.results.problem.is_some());
}

#[test]
fn dropped_files_are_opened_and_a_dropped_folder_is_chosen() {
    let mut state = State { place: Place::Computer, ..State::default() };
    let effects = state.find(Finding::Dropped { folders: vec![PathBuf::from("/data")], files: Vec::new() });
    assert!(matches!(&effects[..], [Effect::LookAt(_)]));
    assert_eq!((state.place, state.setup.text.as_str()), (Place::Test, "/data"));
    let effects = state.find(Finding::Dropped { folders: Vec::new(), files: vec![PathBuf::from("/one.json")] });
    assert!(matches!(&effects[..], [Effect::Load(_)]));
}

#[test]
fn where_there_is_no_dialog_the_path_can_be_typed() {
    let mut state = State::default();
    state.find(Finding::NoDialog);
    assert!(state.setup.dialog_note.as_deref().unwrap().contains("Type or paste the path"));
}

#[test]
fn a_result_is_saved_where_the_person_says_and_a_missing_ending_is_added() {
    let mut state = State::default();
    assert!(state.act(Action::Save(Format::Json)).is_empty());
    state.find(Finding::Loaded { path: PathBuf::new(), shown: Ok(Box::new(Shown::new(report()))) });
    for (asked, offered, chosen, format, saved) in [
        (Format::Json, ".commitmark.json", "/home/mine", Format::Json, "/home/mine.commitmark.json"),
        (Format::Html, ".html", "/home/mine", Format::Html, "/home/mine.html"),
        (Format::Png, ".png", "/home/mine.csv", Format::Csv, "/home/mine.csv"),
        (Format::Csv, ".csv", "/home/mine.JSON", Format::Json, "/home/mine.JSON"),
        (Format::Markdown, ".md", "/home/mine.txt", Format::Markdown, "/home/mine.txt"),
    ] {
        let effects = state.act(Action::Save(asked));
        let [Effect::AskForPlace(dialog, name)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(*dialog, asked);
        assert!(name.ends_with(offered) && !name.trim_end_matches(offered).contains(".json"), "{name}");
        let effects = state.find(Finding::PlaceChosen(Some(PathBuf::from(chosen))));
        let [Effect::Save(_, written, path)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!((*written, path.as_path()), (format, std::path::Path::new(saved)));
        assert!(state.find(Finding::PlaceChosen(None)).is_empty());
    }
}

#[test]
fn a_copy_is_made_elsewhere_and_then_reaches_the_clipboard() {
    let mut state = State::default();
    assert!(state.act(Action::CopyResult(CopyAs::Text)).is_empty());
    state.find(Finding::Loaded { path: PathBuf::new(), shown: Ok(Box::new(Shown::new(report()))) });
    assert!(matches!(&state.act(Action::CopyResult(CopyAs::Picture))[..], [Effect::MakeCopy(_, CopyAs::Picture)]));
    assert_eq!(state.results.said, None);
    let effects = state.find(Finding::Copyable(Ok(Clip::Text("## Title".to_owned()))));
    assert!(matches!(&effects[..], [Effect::Copy(text)] if text == "## Title"));
    assert_eq!(state.results.said.as_deref(), Some("Copied"));
    state.find(Finding::Copyable(Err("The picture could not be made".to_owned())));
    assert_eq!(state.results.problem.as_deref(), Some("The picture could not be made"));
}

#[test]
fn a_result_from_a_file_is_run_again_only_after_a_folder_is_chosen() {
    let mut state = State::default();
    state.find(Finding::Loaded { path: PathBuf::new(), shown: Ok(Box::new(Shown::new(report()))) });
    assert!(state.act(Action::RunAgain).is_empty());
    assert_eq!((state.place, state.setup.preset), (Place::Test, Preset::Quick));

    let (mut state, run) = running();
    state.hear(end(run));
    let effects = state.act(Action::RunAgain);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Start(request) if request.folder.ends_with("data"))));
}

#[test]
fn too_little_room_is_said_before_start() {
    let mut state = State::default();
    state.act(Action::EditFolder("/full".to_owned()));
    let volume = crate::system::Volume { free_bytes: Some(300_000_000), ..Default::default() };
    let looked = Looked { folder: PathBuf::from("/full"), volume, ..Looked::default() };
    state.find(Finding::Folder(Box::new(looked)));
    let problem = state.setup.problem().unwrap();
    assert!(problem.contains("too little room") && problem.ends_with("/full"), "{problem}");
    assert!(!state.setup.is_ready());
    assert!(state.act(Action::Start).is_empty());
}

/// 100 requests a second of clients that send and then fetch.
fn sync_service() -> Report {
    let mut report = Report { plan: Plan::only(Preset::Full, &["sync_service"]).unwrap(), ..report() };
    let requests = serde_json::json!({
        "done": 500, "failed": 0, "mean_us": 10.0, "p50_us": 10.0, "p95_us": 10.0, "p99_us": 10.0, "max_us": 10.0
    });
    let sample = serde_json::json!({
        "round": 1, "workload": "cross", "seconds": 10.0, "requests": {"upload": requests, "download": requests},
        "wal_peak_bytes": 0, "busy_codes": {}
    });
    let settings = serde_json::json!({
        "name": "cross/wal", "journal_mode": "wal", "synchronous": "normal", "busy_timeout_ms": 5000, "samples": [sample]
    });
    let outcome = serde_json::json!({"id": "sync_service", "wall_seconds": 10.0, "cases": [settings]});
    report.put(serde_json::from_value(outcome).unwrap());
    report
}

#[test]
fn a_dial_tells_the_same_measurement_for_another_value() {
    let mut state = State::default();
    state.find(Finding::Loaded { path: PathBuf::from("/a"), shown: Ok(Box::new(Shown::new(sync_service()))) });
    let capacity = |state: &State| {
        let shown = state.results.shown.as_ref().unwrap();
        shown.sections.iter().find(|section| section.dial.is_some()).unwrap().clone()
    };
    let before = capacity(&state);
    // 100 requests a second / 2, times 600 seconds.
    assert!(before.verdict.contains("30,000 devices"), "{}", before.verdict);
    let dial = before.dial.unwrap();
    let measured = state.results.shown.as_ref().unwrap().report.experiments.clone();
    state.act(Action::Turn { experiment: dial.experiment, name: dial.name, value: 60 });
    let after = capacity(&state);
    assert!(after.verdict.contains("180,000 devices"), "{}", after.verdict);
    assert_eq!(after.dial.unwrap().value, 60);
    assert_eq!(state.results.shown.as_ref().unwrap().report.experiments, measured);
}

#[test]
fn advice_takes_the_answer_and_the_framework_and_starts_with_the_safe_ones() {
    use crate::{advice::settings::Framework, measure::database::Synchronous};
    let mut state = State::default();
    state.act(Action::Go(Place::Advice));
    assert_eq!(state.advice.advice.choice.synchronous, Synchronous::Full);
    assert!(!state.advice.is_measured);
    state.act(Action::AcceptLoss(true));
    assert_eq!(state.advice.advice.choice.synchronous, Synchronous::Normal);
    let sql = state.advice.code.clone();
    state.act(Action::ChooseFramework(Framework::Python));
    assert_ne!(state.advice.code, sql);
    let effects = state.act(Action::CopyCode);
    assert!(matches!(&effects[..], [Effect::Copy(text)] if *text == state.advice.code));
}

#[test]
fn advice_asks_for_the_newest_result_only_where_none_is_shown() {
    let asks = |effects: Vec<Effect>| effects.iter().any(|effect| matches!(effect, Effect::FindNewest));
    let mut state = State { history: Some(History::in_folder("/history")), ..State::default() };
    assert!(asks(state.act(Action::Go(Place::Advice))));
    let shown = Box::new(Shown::new(report()));
    state.find(Finding::Loaded { path: PathBuf::from("a"), shown: Ok(shown) });
    assert!(!asks(state.act(Action::Go(Place::Advice))));
}

#[test]
fn a_look_for_databases_can_be_stopped_and_one_of_another_folder_is_dropped() {
    use super::advice::Look;
    use crate::advice::databases::{Ended, Scan};
    let mut state = ready("/data");
    state.act(Action::Go(Place::Advice));
    let effects = state.act(Action::LookForDatabases);
    let [Effect::FindDatabases(folder, stop)] = &effects[..] else { panic!("{effects:?}") };
    assert!(state.act(Action::LookForDatabases).is_empty(), "one look at a time");
    state.act(Action::StopLooking);
    assert!(stop.is_raised());
    let scan = |folder: &str| Scan {
        folder: PathBuf::from(folder),
        databases: Vec::new(),
        ended: Ended::Stopped,
        unreadable: 0,
    };
    let other = PathBuf::from("/other");
    state.find(Finding::Databases { folder: other, result: Ok(scan("/other")) });
    assert!(matches!(state.advice.look, Look::Looking { .. }));
    state.find(Finding::Databases { folder: folder.clone(), result: Ok(scan("/data")) });
    assert!(matches!(state.advice.look, Look::Done(_)));
    state.act(Action::EditFolder("/elsewhere".to_owned()));
    state.act(Action::Go(Place::Advice));
    assert!(matches!(state.advice.look, Look::No));
}

#[test]
fn leaving_the_folder_ends_a_look_that_goes_on() {
    let mut state = ready("/data");
    let effects = state.act(Action::LookForDatabases);
    let [Effect::FindDatabases(_, stop)] = &effects[..] else { panic!("{effects:?}") };
    state.act(Action::EditFolder("/elsewhere".to_owned()));
    state.act(Action::Go(Place::Advice));
    assert!(stop.is_raised());
}

fn earlier(name: &str, note: Option<&str>) -> Earlier {
    Earlier {
        path: PathBuf::from(format!("/results/{name}.commitmark.json")),
        when: "30 Nov 2026, 18:04".to_owned(),
        line: results::Line::Result {
            run: Uuid::new_v4(),
            drive: "NVMe SSD".to_owned(),
            sentence: "WAL is faster".to_owned(),
            note: note.map(str::to_owned),
        },
    }
}

#[test]
fn a_kept_result_gets_a_note_and_a_name_and_only_what_changed_is_written() {
    let mut state = State::default();
    state.find(Finding::History(Ok(vec![earlier("one", Some("old note")), earlier("two", None)])));
    let path = PathBuf::from("/results/one.commitmark.json");
    let act = |state: &mut State, action| state.act(Action::Kept(action));
    act(&mut state, KeptAction::Manage(path.clone()));
    let managed = state.results.managed.clone().unwrap();
    assert_eq!((managed.note.as_str(), managed.name.as_str()), ("old note", "one"));
    // Nothing changed, so nothing is written.
    assert!(act(&mut state, KeptAction::Save).is_empty());
    assert!(state.results.managed.is_none());

    act(&mut state, KeptAction::Manage(path.clone()));
    act(&mut state, KeptAction::EditNote("new note".to_owned()));
    let effects = act(&mut state, KeptAction::Save);
    assert!(matches!(&effects[..], [Effect::ChangeKept { path: changed, note: Some(note), name: None }]
        if *changed == path && note == "new note"));
    state.find(Finding::Changed(Err("The disk is full".to_owned())));
    assert_eq!(state.results.managed.as_ref().unwrap().problem.as_deref(), Some("The disk is full"));
    assert!(matches!(state.find(Finding::Changed(Ok("Changed")))[..], [Effect::ListHistory]));
    assert!(state.results.managed.is_none());
}

#[test]
fn a_kept_result_is_deleted_only_after_a_question() {
    let mut state = State::default();
    state.find(Finding::History(Ok(vec![earlier("one", None)])));
    let path = PathBuf::from("/results/one.commitmark.json");
    assert!(state.act(Action::Kept(KeptAction::Delete)).is_empty(), "nothing is in hand");
    state.act(Action::Kept(KeptAction::Manage(path.clone())));
    assert!(state.act(Action::Kept(KeptAction::AskToDelete)).is_empty());
    assert!(state.results.managed.as_ref().unwrap().deleting);
    state.act(Action::Kept(KeptAction::Leave));
    assert!(state.results.managed.is_none());
    state.act(Action::Kept(KeptAction::Manage(path.clone())));
    state.act(Action::Kept(KeptAction::AskToDelete));
    let effects = state.act(Action::Kept(KeptAction::Delete));
    assert!(matches!(&effects[..], [Effect::DeleteKept(deleted)] if *deleted == path));
}

#[test]
fn a_run_that_goes_on_is_not_changed() {
    let (mut state, run) = running();
    let mut going = earlier("going", None);
    if let results::Line::Result { run: id, .. } = &mut going.line {
        *id = run;
    }
    let path = going.path.clone();
    state.find(Finding::History(Ok(vec![going])));
    state.act(Action::Kept(KeptAction::Manage(path)));
    assert!(state.results.managed.is_none());
}

fn subject(drive: &str, system: &str) -> std::sync::Arc<crate::report::compare::Subject> {
    let mut report = report();
    report.volume.drive_model = Some(drive.to_owned());
    report.machine.os = Some(system.to_owned());
    std::sync::Arc::new(crate::report::compare::Subject::of(&report))
}

fn gathered(subjects: &[(&str, &str)]) -> Finding {
    let read = subjects.iter().map(|(drive, system)| (PathBuf::from(drive), Ok(subject(drive, system))));
    Finding::Gathered(read.collect())
}

fn compared(effects: &[Effect]) -> usize {
    let subjects = |effect: &Effect| if let Effect::Compare { subjects, .. } = effect { subjects.len() } else { 0 };
    effects.iter().map(subjects).sum()
}

#[test]
fn several_files_are_compared_and_one_is_shown() {
    let mut state = State::default();
    let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    assert!(matches!(&state.find(Finding::FilesChosen(paths(&["/a"])))[..], [Effect::Load(_)]));
    let effects = state.find(Finding::FilesChosen(paths(&["/a", "/b"])));
    assert!(matches!(&effects[..], [Effect::Gather(files)] if files.len() == 2));
    assert_eq!(state.place, Place::Compare);
    // In this place a folder is one of results.
    let effects = state.find(Finding::Dropped { folders: paths(&["/results"]), files: Vec::new() });
    assert!(matches!(&effects[..], [Effect::Gather(files)] if files[..] == paths(&["/results"])[..]));
    assert_eq!(state.place, Place::Compare);
}

#[test]
fn a_few_results_are_compared_at_once_and_of_many_the_first_two() {
    let mut state = State::default();
    state.find(Finding::Gathering(3));
    assert_eq!(state.compare.reading, 3);
    assert_eq!(compared(&state.find(gathered(&[("A", "Linux"), ("B", "Windows"), ("C", "Linux")]))), 3);
    assert_eq!((state.compare.reading, state.compare.files.len()), (0, 3));

    let mut state = State::default();
    let many = vec![("A", "Linux"); 1_000];
    assert_eq!(compared(&state.find(gathered(&many))), 2);
    for index in 2..20 {
        state.act(Action::Compare(CompareAction::Tick(index)));
    }
    assert_eq!(state.compare.ticked, (0..16).collect::<Vec<_>>(), "no more than can be told apart");
    state.act(Action::Compare(CompareAction::MakeFirst(5)));
    assert_eq!(state.compare.ticked, [5, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
}

#[test]
fn a_comparison_that_is_no_longer_wanted_is_dropped() {
    use crate::report::compare::compare;
    let mut state = State::default();
    let asked_of = |effects: &[Effect]| {
        effects.iter().find_map(|effect| if let Effect::Compare { asked, .. } = effect { Some(*asked) } else { None })
    };
    let first = asked_of(&state.find(gathered(&[("A", "Linux"), ("B", "Linux"), ("C", "Linux")]))).unwrap();
    let second = asked_of(&state.act(Action::Compare(CompareAction::Tick(2)))).unwrap();
    let told = || Box::new(compare::Told::new(compare(&[])));
    state.find(Finding::Compared { asked: first, told: told() });
    assert!(state.compare.told.is_none());
    state.find(Finding::Compared { asked: second, told: told() });
    assert!(state.compare.told.is_some());
    // With one alone there is nothing to compare.
    assert!(state.act(Action::Compare(CompareAction::Tick(1))).is_empty());
    assert!(state.compare.told.is_none());
}

#[test]
fn results_are_sorted_and_filtered_and_the_same_run_is_taken_once() {
    use compare::Column;
    let mut state = State::default();
    let (one, two) = (subject("Zebra", "Linux"), subject("apple", "Windows"));
    let read = [&one, &two, &one].map(|subject| (PathBuf::from("/x"), Ok(std::sync::Arc::clone(subject))));
    state.find(Finding::Gathered(read.to_vec()));
    assert_eq!(state.compare.files.len(), 2);
    assert_eq!(state.compare.shown, [0, 1]);
    state.act(Action::Compare(CompareAction::SortBy(Column::Drive)));
    assert_eq!(state.compare.shown, [1, 0]);
    state.act(Action::Compare(CompareAction::SortBy(Column::Drive)));
    assert_eq!(state.compare.shown, [0, 1]);
    state.act(Action::Compare(CompareAction::Filter(Column::System, Some("Windows".to_owned()))));
    assert_eq!(state.compare.shown, [1]);
    state.act(Action::Compare(CompareAction::Filter(Column::System, None)));
    assert_eq!(state.compare.shown.len(), 2);
    state.act(Action::Compare(CompareAction::Clear));
    assert!(state.compare.files.is_empty() && state.compare.ticked.is_empty());
}

#[test]
fn files_that_cannot_be_opened_are_named_and_the_others_compared() {
    let mut state = State::default();
    let bad = (0..5).map(|at| (PathBuf::from("/bad"), Err(format!("File {at} is empty"))));
    let good =
        [("A", "Linux"), ("B", "Linux")].map(|(drive, system)| (PathBuf::from(drive), Ok(subject(drive, system))));
    assert_eq!(compared(&state.find(Finding::Gathered(bad.chain(good).collect()))), 2);
    assert_eq!(state.compare.problems, ["File 0 is empty", "File 1 is empty", "File 2 is empty"]);
    assert_eq!(state.compare.more_problems(), 2);
}

#[test]
fn published_results_come_and_go() {
    let mut state = State::default();
    state.find(gathered(&[("A", "Linux"), ("B", "Linux")]));
    assert!(matches!(state.act(Action::Compare(CompareAction::SwitchPublished))[..], [Effect::GatherPublished]));
    let published = crate::report::compare::Subject::all_published().into_iter().map(std::sync::Arc::new).collect();
    state.find(Finding::Published(published));
    assert!(state.compare.files.len() > 2);
    assert_eq!(compared(&state.act(Action::Compare(CompareAction::SwitchPublished))), 2);
    assert_eq!((state.compare.files.len(), &state.compare.ticked[..]), (2, &[0, 1][..]));
}

//! Pictures of every screen, for people to look at: `COMMITMARK_PICTURES=folder cargo test --test it
//! pictures -- --ignored`. They need a Vulkan driver (lavapipe will do), so no other test depends on them.

use std::{path::PathBuf, sync::Arc};

use commitmark::{
    advice::{
        databases::{Ended, Found, Journal, Scan},
        settings::Framework,
    },
    experiments::{AnyOutcome, Experiment, contention, inserts},
    measure::{
        database::{JournalMode, Settings, Synchronous},
        outcome::{Case, Outcome},
    },
    plan::{Plan, Preset},
    report::{
        Report, Status, Warning,
        compare::{Subject, compare},
        history::History,
        save::save,
    },
    session::{End, Event, Request},
    system::{ListedVolume, Refusal, Volume},
    ui::{
        app::{CommitMarkApp, Options},
        dialogs::Answers,
        state::{Action, CompareAction, Effect, Finding, KeptAction, Looked, Place, Shown, State, compare::Told},
    },
};
use eframe::egui::{Theme, Vec2};
use egui_kittest::Harness;

const SIZES: [(&str, Vec2, f32); 4] = [
    ("full", Vec2::new(1080.0, 760.0), 1.0),
    ("small", Vec2::new(720.0, 560.0), 1.0),
    ("zoomed", Vec2::new(540.0, 380.0), 2.0),
    ("small-zoomed", Vec2::new(360.0, 280.0), 2.0),
];

fn samples(median: f64, spread: f64) -> impl Iterator<Item = (u64, f64)> {
    [0.0, -1.0, 0.6, -0.4, 0.9].into_iter().zip(1..).map(move |(at, round)| (round, median * (1.0 + spread * at)))
}

fn insert_case(mode: JournalMode, synchronous: Synchronous, rate: f64, spread: f64) -> Case<inserts::Sample> {
    let settings = Settings::new(mode, synchronous);
    let samples = samples(rate, spread).map(|(round, rate)| {
        let seconds = 10_000.0 / rate;
        inserts::Sample {
            round,
            operations: 10_000,
            seconds,
            close_seconds: Some(0.02),
            cpu_seconds: seconds * 0.04,
            syncs: 10_000,
            sync_seconds: seconds * 0.96,
            p50_us: 1e6 / rate,
            p99_us: 1.7e6 / rate,
            max_us: 5e6 / rate,
        }
    });
    Case { name: settings.name(), settings: Some(settings), refused: None, samples: samples.collect() }
}

fn contention_case(
    mode: JournalMode,
    timeout: u32,
    writes: f64,
    reads: f64,
    busy: (u64, u64),
) -> Case<contention::Sample> {
    let settings = Settings::new(mode, Synchronous::Full).with_busy_timeout(timeout);
    let samples = samples(1.0, 0.08).map(|(round, factor)| contention::Sample {
        round,
        seconds: 5.0,
        writes: (writes * factor) as u64,
        write_busy: busy.0,
        reads: (reads * factor) as u64,
        read_busy: busy.1,
        p50_write_us: 1_200.0,
        p99_write_us: 8_300.0,
        max_write_us: 31_000.0,
        p50_read_us: 40.0,
        p99_read_us: 160.0,
        max_read_us: 2_100.0,
        ..contention::Sample::default()
    });
    Case {
        name: format!("{}/{timeout}", settings.name()),
        settings: Some(settings),
        refused: None,
        samples: samples.collect(),
    }
}

fn volume() -> Volume {
    Volume {
        path: Some("D:\\Apps".to_owned()),
        mount_point: Some("D:\\".to_owned()),
        file_system: Some("NTFS".to_owned()),
        free_bytes: Some(640_000_000_000),
        total_bytes: Some(1_000_000_000_000),
        kind: Some("NVMe SSD".to_owned()),
        drive_model: Some("Lexar NM620 1 TB".to_owned()),
        removable: Some(false),
        ..Volume::default()
    }
}

/// The published medians with a spread of samples around them.
pub(crate) fn published() -> Report {
    use JournalMode::{Delete, Wal};
    use Synchronous::{Full, Normal};
    let mut report = Report::new(Plan::new(Preset::Standard), None, commitmark::system::machine::read(), volume());
    report.status = Status::Complete;
    report.wall_seconds = 662.0;
    let cases = vec![
        insert_case(Delete, Full, 166.0, 0.04),
        insert_case(Delete, Normal, 218.0, 0.03),
        insert_case(Wal, Full, 687.0, 0.05),
        insert_case(Wal, Normal, 18_200.0, 0.06),
    ];
    let ratios = inserts::Inserts::ratios(&cases);
    report.put(AnyOutcome::Inserts(Outcome { wall_seconds: 500.0, cases, ratios, warnings: Vec::new() }));
    let cases = vec![
        contention_case(Delete, 0, 700.0, 480.0, (62, 117)),
        contention_case(Wal, 0, 3_100.0, 65_000.0, (0, 0)),
        contention_case(Delete, 5_000, 640.0, 510.0, (0, 0)),
        contention_case(Wal, 5_000, 3_050.0, 64_000.0, (0, 0)),
    ];
    let ratios = contention::Contention::ratios(&cases);
    report.put(AnyOutcome::Contention(Outcome { wall_seconds: 100.0, cases, ratios, warnings: Vec::new() }));
    report
}

fn drives() -> Vec<ListedVolume> {
    let row = |name: &str, kind: &str, model: Option<&str>, file_system: &str, free: u64, refusal| ListedVolume {
        name: name.to_owned(),
        folder: PathBuf::from(name),
        volume: Volume {
            mount_point: Some(format!("{}\\", &name[..2])),
            kind: Some(kind.to_owned()),
            drive_model: model.map(str::to_owned),
            file_system: Some(file_system.to_owned()),
            free_bytes: Some(free),
            ..Volume::default()
        },
        refusal,
    };
    vec![
        row("C: Windows", "NVMe SSD", Some("Lexar SSD NM620 1TB"), "NTFS", 212_000_000_000, None),
        row("D: Data", "NVMe SSD", Some("Samsung SSD 980 PRO 2TB"), "NTFS", 640_000_000_000, None),
        row("E: Backup", "USB hard disk", Some("WD Elements 25A3"), "exFAT", 1_200_000_000_000, None),
        row("Z: media on nas", "network share", None, "SMB", 4_100_000_000_000, None),
        row("F: Install", "USB stick", None, "UDF", 0, Some(Refusal::ReadOnly)),
    ]
}

fn setup_state() -> State {
    let mut state = State::default();
    state.act(Action::EditFolder("D:\\Apps\\PhotoLibrary".to_owned()));
    state.find(Finding::Drives(drives()));
    state.find(Finding::Folder(Box::new(Looked {
        folder: PathBuf::from("D:\\Apps\\PhotoLibrary"),
        problem: None,
        volume: volume(),
        cautions: vec![
            "This folder is kept in step by OneDrive, which opens files while they are being written. Choose another folder on this drive for a fair result".to_owned(),
        ],
    })));
    state
}

fn custom_state() -> State {
    let mut state = setup_state();
    state.act(Action::ChoosePreset(Preset::Custom));
    state
}

fn failed_setup_state() -> State {
    let mut state = setup_state();
    state.act(Action::EditFolder("D:\\Gone".to_owned()));
    state.find(Finding::Folder(Box::new(Looked {
        folder: PathBuf::from("D:\\Gone"),
        problem: Some("There is no such folder. Choose one that exists: D:\\Gone".to_owned()),
        ..Looked::default()
    })));
    state
}

fn running_state() -> State {
    let mut state = setup_state();
    let report = published();
    let run = report.id;
    let request = Request {
        folder: PathBuf::from("D:\\Apps\\PhotoLibrary"),
        plan: report.plan.clone(),
        note: None,
        history: None,
    };
    state.started(run, &request);
    state.hear(Event::Started { run, report: Box::new(report.clone()), stays_awake: true });
    let step = "Saving 10,000 rows with the safe default, round 3 of 5".to_owned();
    state.hear(Event::Progressed { run, step, share: 0.46, seconds_left: 340.0 });
    state.hear(Event::Measured { run, outcome: Box::new(report.experiments[0].clone()) });
    state
}

fn closing_state() -> State {
    let mut state = running_state();
    state.act(Action::Close);
    state
}

fn results_state() -> State {
    let mut state = running_state();
    let report = published();
    let run = state.run.as_ref().unwrap().id;
    let end = End { report, error: None, kept: None, left_behind: None };
    state.hear(Event::Ended { run, end: Box::new(end) });
    state
}

/// Every experiment, from a real run.
fn full_state() -> State {
    let golden = include_bytes!("../data/golden/full.commitmark.json");
    let report = commitmark::report::load::parse(golden, std::path::Path::new("golden")).unwrap();
    let mut state = setup_state();
    state.act(Action::Go(Place::Results));
    let shown = Ok(Box::new(Shown::new(report)));
    state.find(Finding::Loaded { path: PathBuf::from("golden"), shown });
    state
}

fn log_scale_state() -> State {
    let mut state = results_state();
    state.act(Action::FlipScale("inserts".to_owned()));
    state.act(Action::FlipScale("contention".to_owned()));
    state
}

fn stopped_state() -> State {
    let mut state = running_state();
    let mut report = published();
    report.status = Status::Failed;
    report.experiments.truncate(1);
    let error =
        "The drive became full. Free some room and run again; it happened while saving rows: D:\\Apps\\test-3.db"
            .to_owned();
    report.warnings.insert(0, Warning::new("failed", error.clone()));
    let run = state.run.as_ref().unwrap().id;
    let end = End { report, error: Some(error), kept: None, left_behind: None };
    state.hear(Event::Ended { run, end: Box::new(end) });
    state
}

fn list_state() -> State {
    let folder = tempfile::tempdir().unwrap();
    let history = History::in_folder(folder.path());
    for (at, model) in ["Lexar NM620 1 TB", "Samsung SSD 980 PRO 2TB", "WD Elements 25A3"].into_iter().enumerate() {
        let mut report = published();
        report.volume.drive_model = Some(model.to_owned());
        report.started_at -= jiff::SignedDuration::from_hours(at as i64 * 31);
        save(&report, &history.path_of(&report)).unwrap();
    }
    std::fs::write(folder.path().join("2026-01-01-000000-abcd.commitmark.json"), "{\"format\":").unwrap();
    let mut state = setup_state();
    state.act(Action::Go(Place::Results));
    let entries = history.list().unwrap().into_iter().map(commitmark::ui::state::Earlier::new).collect();
    state.find(Finding::History(Ok(entries)));
    state
}

fn manage_state() -> State {
    let mut state = list_state();
    let kept = state.results.earlier.as_ref().unwrap().iter().find(|earlier| earlier.run().is_some()).unwrap();
    let path = kept.path.clone();
    state.act(Action::Kept(KeptAction::Manage(path)));
    state
}

fn deleting_state() -> State {
    let mut state = manage_state();
    state.act(Action::Kept(KeptAction::AskToDelete));
    state
}

fn empty_compare_state() -> State {
    let mut state = setup_state();
    state.act(Action::Go(Place::Compare));
    state
}

/// Three drives, one of them measured with another SQLite.
fn compare_state() -> State {
    let mut state = empty_compare_state();
    let reports =
        [("Lexar NM620 1 TB", "3.54.1"), ("Samsung SSD 980 PRO 2TB", "3.54.1"), ("WD Elements 25A3", "3.49.1")]
            .into_iter()
            .enumerate()
            .map(|(at, (model, sqlite))| {
                let mut report = published();
                report.volume.drive_model = Some(model.to_owned());
                report.sqlite.version = sqlite.to_owned();
                report.started_at -= jiff::SignedDuration::from_hours(at as i64 * 31);
                let mut value = serde_json::to_value(&report.experiments).unwrap();
                for case in value[0]["cases"].as_array_mut().unwrap() {
                    for sample in case["samples"].as_array_mut().unwrap() {
                        sample["seconds"] = (sample["seconds"].as_f64().unwrap() / (1.0 + at as f64 * 0.4)).into();
                    }
                }
                report.experiments = serde_json::from_value(value).unwrap();
                (PathBuf::from(model), Ok(Arc::new(Subject::of(&report))))
            });
    let effects = state.find(Finding::Gathered(reports.collect()));
    told(&mut state, effects);
    state
}

/// The published results too.
fn published_state() -> State {
    let mut state = compare_state();
    state.act(Action::Compare(CompareAction::SwitchPublished));
    let published = Subject::all_published().into_iter().map(Arc::new).collect();
    let effects = state.find(Finding::Published(published));
    told(&mut state, effects);
    state
}

fn told(state: &mut State, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::Compare { asked, subjects } = effect {
            let subjects: Vec<&Subject> = subjects.iter().map(AsRef::as_ref).collect();
            state.find(Finding::Compared { asked, told: Box::new(Told::new(compare(&subjects))) });
        }
    }
}

fn computer_state() -> State {
    let mut state = setup_state();
    state.find(Finding::Machine(Box::new(commitmark::system::machine::read())));
    state.act(Action::Go(Place::Computer));
    state
}

fn advice_state() -> State {
    let mut state = results_state();
    let mut looked = setup_state();
    std::mem::swap(&mut state.setup, &mut looked.setup);
    state.act(Action::Go(Place::Advice));
    state
}

fn advice_without_result_state() -> State {
    let mut state = setup_state();
    state.act(Action::Go(Place::Advice));
    state
}

fn cautious_advice_state() -> State {
    let mut state = setup_state();
    let mut report = published();
    report.volume.network = Some(true);
    report.volume.file_system = Some("SMB".to_owned());
    report
        .warnings
        .push(Warning::new("slept", "The computer slept for 12 s during the run. Run again and keep it awake."));
    let shown = Box::new(Shown::new(report));
    state.find(Finding::Loaded { path: PathBuf::from("share.commitmark.json"), shown: Ok(shown) });
    state.act(Action::Go(Place::Advice));
    state
}

fn databases_state() -> State {
    let mut state = advice_state();
    state.act(Action::AcceptLoss(true));
    state.act(Action::ChooseFramework(Framework::Python));
    state.act(Action::LookForDatabases);
    let folder = PathBuf::from("D:\\Apps\\PhotoLibrary");
    let found = |name: &str, journal, bytes, wal_bytes| Found {
        path: folder.join(name),
        journal,
        page_bytes: 4_096,
        bytes,
        wal_bytes,
    };
    let databases = vec![
        found("library.db", Journal::Rollback, 412_000_000, None),
        found("thumbs.db", Journal::Wal, 1_900_000_000, Some(0)),
        found("log.db", Journal::Wal, 6_200_000, Some(94_000_000)),
    ];
    let scan = Scan { folder: folder.clone(), databases, ended: Ended::Complete, unreadable: 0 };
    state.find(Finding::Databases { folder, result: Ok(scan) });
    state
}

fn harness(state: State, theme: Theme, size: Vec2, zoom: f32) -> Harness<'static, CommitMarkApp> {
    let options = Options {
        history: Some(History::in_folder("/nowhere")),
        memory: None,
        folder: None,
        plan: None,
        dialogs: Arc::new(Answers::default()),
        files: Vec::new(),
    };
    let mut harness = Harness::builder()
        .with_size(size)
        .with_pixels_per_point(zoom)
        .with_theme(theme)
        .with_render_cursor(false)
        .with_max_steps(20)
        .build_eframe(move |creation| CommitMarkApp::showing(creation, options, state));
    harness.run_steps(6);
    harness
}

#[test]
#[ignore = "writes pictures; needs a Vulkan driver"]
fn every_screen_in_light_and_dark_and_at_every_size() {
    let folder = PathBuf::from(std::env::var_os("COMMITMARK_PICTURES").expect("COMMITMARK_PICTURES names a folder"));
    std::fs::create_dir_all(&folder).unwrap();
    let only = std::env::var("COMMITMARK_PICTURE").unwrap_or_default();
    type Screen = (&'static str, fn() -> State);
    let screens: [Screen; 22] = [
        ("test", setup_state),
        ("custom", custom_state),
        ("bad-folder", failed_setup_state),
        ("running", running_state),
        ("closing", closing_state),
        ("results", results_state),
        ("log-scale", log_scale_state),
        ("stopped", stopped_state),
        ("list", list_state),
        ("manage", manage_state),
        ("deleting", deleting_state),
        ("compare", compare_state),
        ("compare-empty", empty_compare_state),
        ("compare-published", published_state),
        ("computer", computer_state),
        ("long", results_state),
        ("long-full", full_state),
        ("advice", advice_state),
        ("general-advice", advice_without_result_state),
        ("cautious-advice", cautious_advice_state),
        ("databases", databases_state),
        ("long-databases", databases_state),
    ];
    for (screen, state) in screens.into_iter().filter(|(screen, _)| screen.contains(&only)) {
        for (theme_name, theme) in [("light", Theme::Light), ("dark", Theme::Dark)] {
            for (size_name, mut size, zoom) in SIZES {
                if screen.starts_with("long") {
                    if size_name == "small-zoomed" {
                        continue;
                    }
                    // Everything that is otherwise scrolled to.
                    size.y = if screen == "long-full" { 7_000.0 } else { 2_600.0 };
                }
                let mut harness = harness(state(), theme, size, zoom);
                let picture = harness.render().unwrap();
                picture.save(folder.join(format!("{screen}-{theme_name}-{size_name}.png"))).unwrap();
            }
        }
    }
}

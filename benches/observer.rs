//! What the window costs what it measures: the same saves with the window open on its running test, and
//! without any window, in turns of random order. Prints for WAL/NORMAL and WAL/FULL the saves a second of
//! both and the paired ratio with its interval; the goal is within two per cent where the machine has a GPU
//! or two free cores. It needs a screen (or `xvfb-run`), and tests the folder named last, or the user's own.
//!
//!     cargo bench --bench observer -- [FOLDER]
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::panic, reason = "a bench prints and may panic")]

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    time::Instant,
};

use commitmark::{
    experiments::{Parameters, inserts::Protocol},
    measure::{
        database::{JournalMode, Synchronous},
        outcome::Measure,
    },
    plan::{Plan, Preset},
    report::Report,
    session::{self, Event, Request},
    stats,
    ui::{
        app::{CommitMarkApp, Options},
        dialogs::SystemDialogs,
    },
};
use eframe::egui;

/// Turns of each.
const ROUNDS: usize = 15;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    // `cargo test --benches` only asks whether it starts, and opens no window.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = arguments.last().map_or_else(|| session::default_folder().unwrap(), PathBuf::from);
    let mut random = fastrand::Rng::with_seed(1);
    // About four seconds of saves in each turn on an SSD.
    for (synchronous, inserts) in [(Synchronous::Normal, 400_000), (Synchronous::Full, 20_000)] {
        let plan = plan(synchronous, inserts);
        let (mut with, mut without, mut frames) = (Vec::new(), Vec::new(), Vec::new());
        // The first turn of each warms up and is thrown away.
        for round in 0..=ROUNDS {
            let window_first = random.bool();
            let mut one = None;
            if !window_first {
                one = Some(without_window(&folder, &plan));
            }
            let (watched, painted_a_second) = with_window(&folder, &plan);
            let bare = one.unwrap_or_else(|| without_window(&folder, &plan));
            if round > 0 {
                let case = format!("wal/{synchronous}");
                with.push(saves_per_second(&watched, &case));
                without.push(saves_per_second(&bare, &case));
                frames.push(painted_a_second);
            }
        }
        let ratio = stats::paired_ratio(&with, &without).unwrap();
        println!(
            "WAL/{}: {:.0} saves a second with the window, {:.0} without; ratio {:.3} ({:.3} to {:.3}), {} rounds; {:.1} paints a second",
            synchronous.to_string().to_uppercase(),
            stats::median(&with).unwrap(),
            stats::median(&without).unwrap(),
            ratio.value,
            ratio.interval.low,
            ratio.interval.high,
            ratio.rounds,
            stats::median(&frames).unwrap(),
        );
    }
}

fn plan(synchronous: Synchronous, inserts: u64) -> Plan {
    let mut plan = Plan::only(Preset::Standard, &["inserts"]).unwrap();
    for params in &mut plan.experiments {
        let Parameters::Inserts(params) = params else { panic!("only inserts were asked for") };
        params.protocol = Protocol::Runs { inserts, rounds: 1 };
        params.cases.retain(|case| case.journal_mode == JournalMode::Wal && case.synchronous == synchronous);
    }
    plan
}

fn saves_per_second(report: &Report, case: &str) -> f64 {
    report.experiments.iter().find_map(|outcome| outcome.figure(case, Measure::SavesPerSecond)).unwrap()
}

fn without_window(folder: &Path, plan: &Plan) -> Report {
    let request = Request { folder: folder.to_owned(), plan: plan.clone(), note: None, history: None };
    let session = session::start(request, || {});
    let ended = session.events().iter().find_map(|event| match event {
        Event::Ended { end, .. } => Some(end.report),
        _ => None,
    });
    ended.unwrap()
}

/// Returns the report, and how often the window was painted a second while it was measuring: one divided by
/// the median time from one paint to the next, so that the first layout of the page does not count.
fn with_window(folder: &Path, plan: &Plan) -> (Report, f64) {
    let (sender, reports) = mpsc::channel();
    let painted: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let options = Options {
        history: None,
        memory: None,
        folder: Some(folder.to_owned()),
        plan: Some(plan.clone()),
        dialogs: Arc::new(SystemDialogs),
        files: Vec::new(),
    };
    let native = eframe::NativeOptions {
        renderer: if cfg!(target_os = "linux") { eframe::Renderer::Glow } else { eframe::Renderer::Wgpu },
        viewport: egui::ViewportBuilder::default().with_inner_size([1080.0, 760.0]),
        persist_window: false,
        ..eframe::NativeOptions::default()
    };
    let paints = Arc::clone(&painted);
    eframe::run_native(
        "CommitMark observer",
        native,
        Box::new(move |creation| {
            let app = CommitMarkApp::new(creation, options);
            Ok(Box::new(Watched { app, started: false, painted: paints, sender }))
        }),
    )
    .unwrap();
    let report = reports.recv().unwrap();
    let painted = painted.lock().unwrap();
    let gaps: Vec<f64> = painted.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect();
    (report, stats::median(&gaps).map_or(0.0, |gap| 1.0 / gap))
}

/// The window with somebody in front of it, who presses Enter once and closes it when the result is there.
struct Watched {
    app: CommitMarkApp,
    started: bool,
    painted: Arc<Mutex<Vec<Instant>>>,
    sender: mpsc::Sender<Report>,
}

impl eframe::App for Watched {
    fn raw_input_hook(&mut self, context: &egui::Context, input: &mut egui::RawInput) {
        if self.started {
            return;
        }
        if self.app.state().setup.is_ready() {
            self.started = true;
            input.events.push(egui::Event::Key {
                key: egui::Key::Enter,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: egui::Modifiers::NONE,
            });
        } else {
            context.request_repaint();
        }
    }

    fn logic(&mut self, context: &egui::Context, frame: &mut eframe::Frame) {
        self.app.logic(context, frame);
        if let Some(shown) = &self.app.state().results.shown {
            // The window may be painted once more before it is gone.
            let _ = self.sender.send(shown.report.clone());
            context.send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        if self.app.state().run.is_some() {
            self.painted.lock().unwrap().push(Instant::now());
        }
        self.app.ui(ui, frame);
    }
}

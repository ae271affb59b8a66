//! Runs a plan on its own thread. Whoever starts a session, the window or the terminal, gets a channel of
//! events and a way to cancel; the session knows neither of them and only calls a wake function after
//! each event. The report is kept after each case, so an error, a cancel or a crash loses nothing; a
//! panic of an experiment becomes an event like any other end.

mod bar;

use std::{
    any::Any,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use uuid::Uuid;

use crate::{
    experiments::{AnyOutcome, Parameters, flush},
    measure::{
        MeasureError,
        context::{Bench, CancelFlag},
        progress::Progress,
        scratch::{self, Scratch},
        vfs,
    },
    plan::{DriveSpeed, Plan, Preset, expected_speed},
    report::{Report, Status, Warning, history::History, trust},
    system::{self, conditions::Watch, machine, privacy::Person, volume},
};
use bar::Bar;

/// What is to be done, and where.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder whose drive is tested.
    pub folder: PathBuf,
    /// What is to be run.
    pub plan: Plan,
    /// A person's own words, kept with the result.
    pub note: Option<String>,
    /// Where the result is kept; `None` keeps it nowhere.
    pub history: Option<History>,
}

/// Everything that crosses from the session's thread: facts, each with the run's id. Events of a run
/// that nobody watches any more are dropped by their id.
#[derive(Clone, Debug)]
pub enum Event {
    /// The folder was found fit and the facts were read; measuring begins.
    Started {
        /// The run.
        run: Uuid,
        /// The report with the facts and nothing measured.
        report: Box<Report>,
        /// The system agreed not to sleep until the run ends.
        stays_awake: bool,
    },
    /// A step was begun, or a part of one is done.
    Progressed {
        /// The run.
        run: Uuid,
        /// The step in words.
        step: String,
        /// Of the whole plan, from 0 to 1; never less than before.
        share: f64,
        /// An estimate of what is left, in seconds.
        seconds_left: f64,
    },
    /// An experiment has more samples than before.
    Measured {
        /// The run.
        run: Uuid,
        /// All that the experiment has so far.
        outcome: Box<AnyOutcome>,
    },
    /// The run is over and its temporary files are dealt with.
    Ended {
        /// The run.
        run: Uuid,
        /// How it ended and what was measured.
        end: Box<End>,
    },
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct End {
    /// The report; empty of experiments where nothing was measured.
    pub report: Report,
    /// Why it ended early, in a sentence; `None` after a complete or cancelled run.
    pub error: Option<String>,
    /// Where the result is kept, or why it is not, where it was to be kept.
    pub kept: Option<Result<PathBuf, String>>,
    /// Why temporary files are left, in a sentence; `None` where all are removed.
    pub left_behind: Option<String>,
}

impl Event {
    /// The run the event belongs to.
    pub fn run(&self) -> Uuid {
        match self {
            Self::Started { run, .. }
            | Self::Progressed { run, .. }
            | Self::Measured { run, .. }
            | Self::Ended { run, .. } => *run,
        }
    }
}

/// A running plan.
#[derive(Debug)]
pub struct Session {
    run: Uuid,
    events: Receiver<Event>,
    cancel: CancelFlag,
    thread: Option<JoinHandle<()>>,
}

impl Session {
    /// The run's id, which its report and all its events carry.
    pub fn run(&self) -> Uuid {
        self.run
    }

    /// What has happened since the last look, oldest first. `Ended` is the last event.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// A flag that stops the run when raised; noticed before the next commit.
    pub fn cancel_flag(&self) -> CancelFlag {
        self.cancel.clone()
    }

    /// Asks the run to stop. The event `Ended` follows within 200 ms and one commit.
    pub fn cancel(&self) {
        self.cancel.raise();
    }

    /// Waits until the thread is gone.
    pub fn join(mut self) {
        self.join_now();
    }

    fn join_now(&mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the session was told as an event; nothing is left to say.
            let _ = thread.join();
        }
    }
}

impl Drop for Session {
    /// A session that nobody holds stops, cleans up and keeps what was measured before the value is gone.
    fn drop(&mut self) {
        self.cancel();
        self.join_now();
    }
}

/// Starts a plan on a thread of its own. `wake` is called after each event, from that thread.
pub fn start(request: Request, wake: impl Fn() + Send + 'static) -> Session {
    let (sender, events) = mpsc::channel();
    let cancel = CancelFlag::default();
    let report = Report::new(request.plan.clone(), request.note.clone(), Default::default(), Default::default());
    let run = report.id;
    let mut conductor = Conductor {
        told: Told { run, sender, wake: Box::new(wake) },
        request,
        cancel: cancel.clone(),
        report,
        kept_at: Instant::now(),
        started: Instant::now(),
        kept: None,
    };
    let thread = thread::spawn(move || conductor.conduct());
    Session { run, events, cancel, thread: Some(thread) }
}

/// How often the report is kept during a run at most, so that keeping it does not disturb short blocks.
const KEEP_EVERY: Duration = Duration::from_secs(2);

/// The voice of a session.
struct Told {
    run: Uuid,
    sender: Sender<Event>,
    wake: Box<dyn Fn() + Send>,
}

impl Told {
    fn send(&self, event: Event) {
        // Nobody listens any more: the run still ends in order.
        if self.sender.send(event).is_ok() {
            (self.wake)();
        }
    }
}

struct Conductor {
    request: Request,
    told: Told,
    cancel: CancelFlag,
    report: Report,
    started: Instant,
    kept_at: Instant,
    kept: Option<Result<PathBuf, String>>,
}

impl Conductor {
    fn conduct(&mut self) {
        let (error, left_behind) = match panic::catch_unwind(AssertUnwindSafe(|| self.prepare_and_measure())) {
            Ok(ends) => ends,
            Err(payload) => (Some(panic_sentence(payload.as_ref())), None),
        };
        self.report.wall_seconds = self.started.elapsed().as_secs_f64();
        self.report.warnings.extend(trust::warnings(&self.report));
        if let Some(message) = &error {
            self.report.status = Status::Failed;
            // The report may be sent to others; the sentence on the screen names the place in full.
            let message = Person::current().taken_out_of(message);
            self.report.warnings.insert(0, Warning::new("failed", message));
        }
        if !self.report.experiments.is_empty() {
            self.keep();
        }
        let end = End { report: self.report.clone(), error, kept: self.kept.clone(), left_behind };
        self.told.send(Event::Ended { run: self.told.run, end: Box::new(end) });
    }

    /// Returns why it ended early and why temporary files are left, each where it is so.
    fn prepare_and_measure(&mut self) -> (Option<String>, Option<String>) {
        if let Err(error) = self.request.plan.check() {
            return (Some(error.to_string()), None);
        }
        let folder = self.request.folder.clone();
        if let Err(error) = scratch::check_folder(&folder) {
            return (Some(error.to_string()), None);
        }
        for removed in scratch::sweep(&folder) {
            tracing::info!("removed what an ended run had left: {}", removed.display());
        }
        self.report.machine = machine::read();
        self.report.volume = volume::read(&folder);
        let cautions = system::cautions(&self.report.volume, &folder);
        self.report.warnings = cautions.iter().map(|caution| Warning::new(caution.code(), caution.message())).collect();
        self.report.warnings.extend(vfs::chosen().map(|name| other_vfs(&name.to_string_lossy())));
        let drive = expected_speed(&self.report.volume);
        let peak_bytes = self.request.plan.cost(&drive).peak_bytes;
        let scratch = match Scratch::create(&folder, peak_bytes, self.report.volume.free_bytes) {
            Ok(scratch) => scratch,
            Err(error) => return (Some(error.to_string()), None),
        };
        let awake = keep_awake();
        self.told.send(Event::Started {
            run: self.told.run,
            report: Box::new(self.report.clone()),
            stays_awake: awake.is_some(),
        });
        let watch = Watch::begin(&folder);
        let measured = panic::catch_unwind(AssertUnwindSafe(|| self.measure(&scratch, &drive)));
        self.report.conditions = Some(watch.end());
        drop(awake);
        let left_behind = scratch.remove().err().map(|error| error.to_string());
        let error = match measured {
            Ok(Ok(())) => {
                self.report.status = Status::Complete;
                None
            }
            Ok(Err(MeasureError::Cancelled)) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(payload) => Some(panic_sentence(payload.as_ref())),
        };
        (error, left_behind)
    }

    fn measure(&mut self, scratch: &Scratch, drive: &DriveSpeed) -> Result<(), MeasureError> {
        let plan = self.request.plan.clone();
        let cancel = self.cancel.clone();
        let seconds = |drive: DriveSpeed| move |params: &Parameters| params.cost(&drive).seconds;
        let mut bar = Bar::new(plan.experiments.iter().map(seconds(*drive)));
        for (index, params) in plan.experiments.iter().enumerate() {
            if cancel.is_raised() {
                return Err(MeasureError::Cancelled);
            }
            self.measure_one(params, scratch, &cancel, &bar)?;
            bar.next();
            if let Some(sync_seconds) = self.measured_floor(params) {
                let left = plan.experiments.iter().skip(index + 1);
                bar.expect(left.map(seconds(DriveSpeed { sync_seconds })));
            }
        }
        Ok(())
    }

    fn measure_one(
        &mut self,
        params: &Parameters,
        scratch: &Scratch,
        cancel: &CancelFlag,
        bar: &Bar,
    ) -> Result<(), MeasureError> {
        let run = self.told.run;
        let sender = self.told.sender.clone();
        // Progress is told from inside the experiment while `self` is lent to the notebook, so the two
        // go through parts that do not overlap.
        let Self { report, told, request, started, kept_at, kept, .. } = self;
        let on_progress = |progress: Progress| {
            let share = bar.share(progress.share);
            let seconds_left = bar.seconds_left(share);
            if sender.send(Event::Progressed { run, step: progress.step, share, seconds_left }).is_ok() {
                (told.wake)();
            }
        };
        let bench = Bench {
            scratch,
            cancel,
            on_progress: &on_progress,
            deadline: deadline(request.plan.preset, *started),
            seed: run.as_u64_pair().0,
        };
        let mut publish = |outcome: AnyOutcome| {
            report.put(outcome.clone());
            report.wall_seconds = started.elapsed().as_secs_f64();
            if kept_at.elapsed() >= KEEP_EVERY {
                *kept = keep(request, report);
                *kept_at = Instant::now();
            }
            told.send(Event::Measured { run, outcome: Box::new(outcome) });
        };
        let (outcome, result) = params.run(&bench, &mut publish);
        if !outcome.is_empty() {
            self.report.put(outcome);
            self.report.wall_seconds = self.started.elapsed().as_secs_f64();
            self.keep();
        }
        result
    }

    /// What one sync takes, in seconds, where this experiment has just found out.
    fn measured_floor(&self, params: &Parameters) -> Option<f64> {
        match self.report.experiments.last()? {
            AnyOutcome::Flush(outcome) if params.id() == "flush" => flush::floor_seconds(outcome),
            _ => None,
        }
    }

    fn keep(&mut self) {
        self.kept = keep(&self.request, &self.report);
        self.kept_at = Instant::now();
    }
}

/// Keeps the report where the request says, and says in a sentence why that failed.
fn keep(request: &Request, report: &Report) -> Option<Result<PathBuf, String>> {
    let history = request.history.as_ref()?;
    Some(history.keep(report).map_err(|error| {
        tracing::warn!("{error}");
        error.to_string()
    }))
}

/// Quick promises an answer within a minute, its saved file included.
fn deadline(preset: Preset, started: Instant) -> Option<Instant> {
    const QUICK: Duration = Duration::from_secs(58);
    (preset == Preset::Quick).then(|| started + QUICK)
}

/// Numbers that were measured through another layer than other programs use.
fn other_vfs(name: &str) -> Warning {
    let message = format!(
        "SQLite was told to use {name} here, which other programs do not. Unset COMMITMARK_SQLITE_VFS to measure what they see."
    );
    Warning::new("other_vfs", message)
}

fn keep_awake() -> Option<keepawake::KeepAwake> {
    keepawake::Builder::default()
        .idle(true)
        .sleep(true)
        .reason("Measuring how fast SQLite commits")
        .app_name("CommitMark")
        .app_reverse_domain("io.github.commitmark")
        .create()
        .inspect_err(|error| tracing::info!("the computer cannot be kept awake: {error}"))
        .ok()
}

fn panic_sentence(payload: &(dyn Any + Send)) -> String {
    let reason = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned());
    format!("CommitMark made a mistake and stopped this run: {reason}. What was measured is kept; please report this")
}

/// Where a test runs when nobody names a folder: in the user's data folder, or the nearest folder above it
/// that is there. Never the system's temporary folder, which is often in memory. `None` where the system
/// names no such folder.
pub fn default_folder() -> Option<PathBuf> {
    let folders = directories::BaseDirs::new()?;
    folders.data_local_dir().ancestors().find(|folder| folder.is_dir()).map(Path::to_owned)
}

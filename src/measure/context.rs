//! What an experiment is handed: a place for its files, a way to tell how far it is, a flag that says
//! stop, and a notebook for its cases. `session` makes the bench; each experiment sees it through a
//! context of its own.

use std::{
    cell::Cell,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    MeasureError,
    database::Settings,
    outcome::{Case, Outcome, Ratio, Sample, WRONG_DATA, Warning},
    progress::Progress,
    scratch::Scratch,
};

/// A flag that any thread may raise to stop a run. It is looked at before every commit.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Asks the run to stop.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What all experiments of a run share.
pub struct Bench<'a> {
    /// Where test files go.
    pub scratch: &'a Scratch,
    /// Raised when the person presses Stop.
    pub cancel: &'a CancelFlag,
    /// Called with each step.
    pub on_progress: &'a dyn Fn(Progress),
    /// When a plan that promises an answer in time must be done; `None` where it takes what it takes.
    pub deadline: Option<Instant>,
    /// Start of the random order of rounds; the same seed gives the same order.
    pub seed: u64,
}

/// How often a step inside a block is told, at most. The window repaints twice a second.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// One experiment's view of the bench, and its notebook.
pub struct Context<'a, S> {
    bench: &'a Bench<'a>,
    started: Instant,
    ratios: fn(&[Case<S>]) -> Vec<Ratio>,
    on_change: &'a mut dyn FnMut(&Outcome<S>),
    outcome: Outcome<S>,
    step: String,
    told: Cell<Instant>,
    files: u64,
}

impl<'a, S: Sample> Context<'a, S> {
    /// A context with an empty notebook. `ratios` is called after every sample, then `on_change`.
    pub fn new(
        bench: &'a Bench<'a>,
        started: Instant,
        ratios: fn(&[Case<S>]) -> Vec<Ratio>,
        on_change: &'a mut dyn FnMut(&Outcome<S>),
    ) -> Self {
        let outcome = Outcome { wall_seconds: 0.0, cases: Vec::new(), ratios: Vec::new(), warnings: Vec::new() };
        Self { bench, started, ratios, on_change, outcome, step: String::new(), told: Cell::new(started), files: 0 }
    }

    /// The flag, for the experiment's own threads.
    pub fn cancel(&self) -> &'a CancelFlag {
        self.bench.cancel
    }

    /// Stops here if the person asked.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn check_cancelled(&self) -> Result<(), MeasureError> {
        if self.bench.cancel.is_raised() { Err(MeasureError::Cancelled) } else { Ok(()) }
    }

    /// Whether something that takes this long can still be done before the deadline.
    pub fn has_time_for(&self, length: Duration) -> bool {
        self.bench.deadline.is_none_or(|deadline| Instant::now() + length <= deadline)
    }

    /// A random number generator for the order of things, the same for the same seed.
    pub fn random(&self) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.bench.seed)
    }

    /// The folder for test files.
    pub fn folder(&self) -> PathBuf {
        self.bench.scratch.path().to_owned()
    }

    /// A path for a new database, unlike any before.
    pub fn new_file(&mut self) -> PathBuf {
        self.files += 1;
        self.bench.scratch.path().join(format!("test-{}.db", self.files))
    }

    /// Begins a step, in words, with the share of the experiment that is done (0 to 1).
    pub fn step(&mut self, words: impl Into<String>, share: f64) {
        self.step = words.into();
        self.told.set(Instant::now());
        (self.bench.on_progress)(Progress { step: self.step.clone(), share });
    }

    /// Tells the share done inside a step; may be called often, tells at most four times a second.
    pub fn tell(&self, now: Instant, share: impl FnOnce() -> f64) {
        if now.duration_since(self.told.get()) >= TELL_EVERY {
            self.told.set(now);
            (self.bench.on_progress)(Progress { step: self.step.clone(), share: share() });
        }
    }

    /// Opens a page in the notebook for a case, with its settings as read back, if it has any.
    pub fn begin_case(&mut self, name: &str, settings: impl Into<Option<Settings>>) {
        let settings = settings.into();
        if self.outcome.case(name).is_none() {
            self.outcome.cases.push(Case { name: name.to_owned(), settings, refused: None, samples: Vec::new() });
        }
    }

    /// Notes that SQLite did not take a case's settings, and what it answered.
    pub fn refuse_case(&mut self, name: &str, asked: Settings, answer: String) {
        self.begin_case(name, asked);
        if let Some(case) = self.outcome.cases.iter_mut().find(|case| case.name == name) {
            case.refused = Some(answer);
        }
        self.publish();
    }

    /// Notes a sample of a case that was begun, and tells everyone who watches.
    pub fn record(&mut self, name: &str, sample: S) {
        if let Some(case) = self.outcome.cases.iter_mut().find(|case| case.name == name) {
            // A case that was voided stays so: what its database gives later cannot be trusted either.
            if case.refused.is_none() {
                case.samples.push(sample);
            }
        }
        self.outcome.ratios = (self.ratios)(&self.outcome.cases);
        self.publish();
    }

    /// Voids a case whose data read back wrong: its samples are taken out of the comparison, and a warning says so before
    /// any other.
    pub fn void_case(&mut self, name: &str, found: String) {
        let message = format!(
            "The data of {name} read back wrong ({found}), so it was taken out. Something on the way to this drive changes or loses data: do not keep a database there until it is found."
        );
        self.outcome.warnings.retain(|warning| warning.code != WRONG_DATA);
        self.outcome.warnings.insert(0, Warning::new(WRONG_DATA, message));
        if let Some(case) = self.outcome.cases.iter_mut().find(|case| case.name == name) {
            case.samples.clear();
            case.refused = Some(found);
        }
        self.outcome.ratios = (self.ratios)(&self.outcome.cases);
        self.publish();
    }

    /// Adds a warning, once for each code.
    pub fn warn(&mut self, warning: Warning) {
        if self.outcome.warnings.iter().all(|known| known.code != warning.code) {
            self.outcome.warnings.push(warning);
            self.publish();
        }
    }

    /// What was measured so far.
    pub fn outcome(&self) -> &Outcome<S> {
        &self.outcome
    }

    /// Closes the notebook.
    pub fn finish(mut self) -> Outcome<S> {
        self.outcome.wall_seconds = self.started.elapsed().as_secs_f64();
        self.outcome
    }

    fn publish(&mut self) {
        self.outcome.wall_seconds = self.started.elapsed().as_secs_f64();
        (self.on_change)(&self.outcome);
    }
}

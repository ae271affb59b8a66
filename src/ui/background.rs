//! Everything that touches the disk or the system, on threads of its own. `app` hands work in; what is
//! found out comes back through a channel, and the window is woken, at most twice a second while a test
//! is running.

use std::{
    future::Future,
    io,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    task::{Context as TaskContext, Poll, Wake as TaskWake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use eframe::egui;

use super::{
    dialogs::Open,
    state::{Clip, CopyAs, Earlier, Finding, Looked, Shown},
};
use crate::{
    advice::databases,
    export::{self, Format},
    measure::{context::CancelFlag, scratch::check_folder},
    report::{Report, history::History, load::load, save::write_whole},
    system::{self, machine, volume},
};

/// Repainting costs the processor time that is being measured.
const WHILE_MEASURING: Duration = Duration::from_millis(500);
/// A person who types is not followed letter by letter.
const TYPING: Duration = Duration::from_millis(120);

/// Wakes the window. Cheap to clone; may be called from any thread as often as it pleases.
#[derive(Clone, Debug)]
pub struct Wake {
    context: egui::Context,
    measuring: Arc<AtomicBool>,
    painted: Arc<Mutex<Instant>>,
}

impl Wake {
    /// A way to wake this window.
    pub fn new(context: egui::Context) -> Self {
        Self { context, measuring: Arc::default(), painted: Arc::new(Mutex::new(Instant::now())) }
    }

    /// Whether a test is running, and repaints are to be few.
    pub fn set_measuring(&self, measuring: bool) {
        self.measuring.store(measuring, Ordering::Relaxed);
    }

    /// The window was painted just now.
    pub fn note_paint(&self) {
        *self.painted.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Asks for a repaint: now, or while a test is running half a second after the last.
    pub fn wake(&self) {
        if self.measuring.load(Ordering::Relaxed) {
            let since = self.painted.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
            // A delay of zero would make egui paint twice.
            let delay = WHILE_MEASURING.saturating_sub(since).max(Duration::from_millis(1));
            self.context.request_repaint_after(delay);
        } else {
            self.context.request_repaint();
        }
    }
}

/// The threads' way back.
#[derive(Debug)]
pub struct Background {
    sender: Sender<Finding>,
    findings: Receiver<Finding>,
    wake: Wake,
    /// Counts looks at folders, so that only the newest is worth its work.
    looks: Arc<AtomicU64>,
}

impl Background {
    /// No work yet.
    pub fn new(wake: Wake) -> Self {
        let (sender, findings) = mpsc::channel();
        Self { sender, findings, wake, looks: Arc::default() }
    }

    /// What was found out since the last look.
    pub fn findings(&self) -> &Receiver<Finding> {
        &self.findings
    }

    fn spawn(&self, work: impl FnOnce() -> Option<Finding> + Send + 'static) {
        let (sender, wake) = (self.sender.clone(), self.wake.clone());
        thread::spawn(move || {
            if let Some(finding) = work()
                && sender.send(finding).is_ok()
            {
                wake.wake();
            }
        });
    }

    /// Waits for a dialog's answer.
    pub fn await_dialog(&self, dialog: Open) {
        self.spawn(move || Some(block_on(dialog)));
    }

    /// Lists the drives.
    pub fn list_drives(&self) {
        self.spawn(|| Some(Finding::Drives(system::list())));
    }

    /// Reads facts about the machine.
    pub fn read_machine(&self) {
        self.spawn(|| Some(Finding::Machine(Box::new(machine::read()))));
    }

    /// Reads facts about a folder, unless another one is asked for meanwhile.
    pub fn look_at(&self, folder: PathBuf) {
        let looks = Arc::clone(&self.looks);
        let this = looks.fetch_add(1, Ordering::Relaxed) + 1;
        self.spawn(move || {
            thread::sleep(TYPING);
            let newest = looks.load(Ordering::Relaxed) == this;
            newest.then(|| Finding::Folder(Box::new(look(folder))))
        });
    }

    /// Lists the earlier results.
    pub fn list_history(&self, history: History) {
        self.spawn(move || {
            let entries = history.list().map_err(|error| {
                format!(
                    "Your earlier results cannot be listed ({error}). Check this folder: {}",
                    history.folder().display()
                )
            });
            Some(Finding::History(entries.map(|entries| entries.into_iter().map(Earlier::new).collect())))
        });
    }

    /// Opens the newest kept result that holds a measurement.
    pub fn find_newest(&self, history: History) {
        self.spawn(move || {
            // Where the list cannot be read the place Results says so.
            let entries = history.list().ok()?;
            let mut reports = entries.into_iter().filter_map(|entry| entry.report.ok());
            let newest = reports.find(|report| report.experiments.iter().any(|outcome| !outcome.is_empty()))?;
            Some(Finding::Newest(Box::new(newest)))
        });
    }

    /// Looks for databases with the given program, or with this one.
    pub fn find_databases(&self, program: Option<PathBuf>, folder: PathBuf, stop: CancelFlag) {
        self.spawn(move || {
            let result = databases::scan(program.as_deref(), &folder, &stop).map_err(|error| error.to_string());
            Some(Finding::Databases { folder, result })
        });
    }

    /// Opens a result file.
    pub fn load(&self, path: PathBuf) {
        self.spawn(move || {
            let shown = load(&path).map(|report| Box::new(Shown::new(report))).map_err(|error| error.to_string());
            Some(Finding::Loaded { path, shown })
        });
    }

    /// Makes of a result what the clipboard can take.
    pub fn make_copy(&self, report: Box<Report>, kind: CopyAs) {
        self.spawn(move || {
            let clip = match kind {
                CopyAs::Text => export::text(&report).map(Clip::Text),
                CopyAs::Picture => export::picture(&report).map(|picture| Clip::Picture(Box::new(picture))),
            };
            Some(Finding::Copyable(clip.map_err(|error| error.to_string())))
        });
    }

    /// Saves a result in a format.
    pub fn save(&self, report: Box<Report>, format: Format, path: PathBuf) {
        self.spawn(move || {
            Some(Finding::Saved(match export::save(&report, format, &path) {
                Ok(()) => Ok(path),
                Err(error) => Err(error.to_string()),
            }))
        });
    }

    /// Finds out which of the dropped paths are folders.
    pub fn sort(&self, paths: Vec<PathBuf>) {
        self.spawn(move || {
            let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| path.is_dir());
            Some(Finding::Dropped { folder: folders.into_iter().next(), files })
        });
    }

    /// Shows a folder in the system's file manager.
    pub fn reveal(&self, folder: PathBuf) {
        self.spawn(move || {
            let error = reveal(&folder).err()?;
            Some(Finding::Failed(format!(
                "The folder could not be shown ({error}). Open it with your file manager: {}",
                folder.display()
            )))
        });
    }

    /// Reads the folders used last.
    pub fn recall(&self, file: PathBuf) {
        self.spawn(move || match recall(&file) {
            Ok(folders) => Some(Finding::Remembered(folders)),
            Err(error) => {
                tracing::info!("the folders used last are not known ({error}): {}", file.display());
                Some(Finding::Remembered(Vec::new()))
            }
        });
    }

    /// Writes the folders used last.
    pub fn remember(&self, file: PathBuf, folders: Vec<PathBuf>) {
        self.spawn(move || {
            let written = serde_json::to_vec_pretty(&folders).map_err(io::Error::from);
            if let Err(error) = written.and_then(|text| write_whole(&file, &text)) {
                // A convenience: the next start has no folder filled in.
                tracing::warn!("the folders used last could not be written ({error}): {}", file.display());
            }
            None
        });
    }
}

fn look(folder: PathBuf) -> Looked {
    let problem = check_folder(&folder).err().map(|error| error.to_string());
    let volume = volume::read(&folder);
    let refused = problem.is_none().then(|| system::refusal(&folder, &volume)).flatten();
    let problem = problem.or_else(|| {
        refused
            .map(|refusal| format!("This folder cannot be tested: {refusal}. Choose another one: {}", folder.display()))
    });
    let cautions = system::cautions(&volume, &folder).into_iter().map(system::Caution::message).collect();
    Looked { folder, problem, volume, cautions }
}

fn recall(file: &Path) -> io::Result<Vec<PathBuf>> {
    let folders: Vec<PathBuf> = match std::fs::read(file) {
        Ok(text) => serde_json::from_slice(&text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    // A folder on a stick that is gone is no use.
    Ok(folders.into_iter().filter(|folder| folder.is_dir()).collect())
}

fn reveal(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let program = if cfg!(windows) {
        "explorer"
    } else if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let status = Command::new(program).arg(folder).status()?;
    // Explorer answers 1 also when it has opened the folder.
    if status.success() || cfg!(windows) {
        Ok(())
    } else {
        Err(io::Error::other(format!("{program} ended with {status}")))
    }
}

/// Waits for a future on this thread.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl TaskWake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = TaskContext::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => thread::park(),
        }
    }
}

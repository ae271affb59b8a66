//! Everything that touches the disk or the system, on threads of its own. `app` hands work in; what is
//! found out comes back through a channel, and the window is woken, at most twice a second while a test
//! is running.

use std::{
    future::Future,
    io,
    path::{Path, PathBuf},
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
    state::{Clip, CopyAs, Earlier, Finding, Looked, Shown, compare::Told, results::Line},
};
use crate::{
    advice::databases,
    export::{self, Format},
    measure::{context::CancelFlag, scratch::check_folder},
    report::{
        Report,
        compare::{Subject, compare},
        history::{self, ChangeError, History},
        load::load,
        save::write_whole,
    },
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

    /// For work that finds out more than one thing.
    fn spawn_many(&self, work: impl FnOnce(&(dyn Fn(Finding) + Sync)) + Send + 'static) {
        let (sender, wake) = (Mutex::new(self.sender.clone()), self.wake.clone());
        thread::spawn(move || {
            work(&|finding| {
                if sender.lock().unwrap_or_else(PoisonError::into_inner).send(finding).is_ok() {
                    wake.wake();
                }
            });
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

    /// Lists the earlier results: at once what is known, and again when the new ones were read.
    pub fn list_history(&self, history: History) {
        let told = |entries: io::Result<Vec<history::Entry>>, history: &History| {
            let told = entries.map(|entries| entries.into_iter().map(Earlier::new).collect::<Vec<_>>());
            told.map_err(|error| {
                format!(
                    "Your earlier results cannot be listed ({error}). Check this folder: {}",
                    history.folder().display()
                )
            })
        };
        self.spawn_many(move |tell| {
            let glance = told(history.glance(), &history);
            let unread = |earlier: &Vec<Earlier>| earlier.iter().any(|earlier| earlier.line == Line::Unread);
            let more = glance.as_ref().is_ok_and(unread);
            tell(Finding::History(glance));
            if more {
                tell(Finding::History(told(history.list(), &history)));
            }
        });
    }

    /// Changes the note of a kept result, its name or both.
    pub fn change_kept(&self, history: History, path: PathBuf, note: Option<String>, name: Option<String>) {
        self.spawn(move || {
            let change = || -> Result<(), ChangeError> {
                if let Some(note) = note {
                    history.annotate(&path, &note)?;
                }
                if let Some(name) = name {
                    history.rename(&path, &name)?;
                }
                Ok(())
            };
            Some(Finding::Changed(change().map(|()| "Changed").map_err(|error| error.to_string())))
        });
    }

    /// Deletes a kept result.
    pub fn delete_kept(&self, history: History, path: PathBuf) {
        self.spawn(move || {
            Some(Finding::Changed(history.delete(&path).map(|()| "Deleted").map_err(|error| error.to_string())))
        });
    }

    /// Reads results to be compared, also all of a folder's.
    pub fn gather(&self, paths: Vec<PathBuf>) {
        self.spawn_many(move |tell| {
            let mut files = Vec::new();
            for path in paths {
                if !path.is_dir() {
                    files.push(path);
                    continue;
                }
                match history::files_in(&path) {
                    Ok(found) if found.is_empty() => tell(Finding::NotGathered(format!(
                        "No results are in this folder. Choose files that end with {}: {}",
                        history::ENDING,
                        path.display()
                    ))),
                    Ok(found) => files.extend(found),
                    Err(error) => tell(Finding::NotGathered(format!(
                        "The folder cannot be read ({error}). Check that you may read it: {}",
                        path.display()
                    ))),
                }
            }
            read_subjects(files, tell);
        });
    }

    /// Reads the newest kept results to be compared.
    pub fn gather_kept(&self, history: History, most: usize) {
        self.spawn_many(move |tell| match history.glance() {
            Ok(entries) => read_subjects(entries.into_iter().take(most).map(|entry| entry.path).collect(), tell),
            Err(error) => tell(Finding::NotGathered(format!(
                "Your earlier results cannot be listed ({error}). Check this folder: {}",
                history.folder().display()
            ))),
        });
    }

    /// Reads the published results.
    pub fn gather_published(&self) {
        self.spawn(|| Some(Finding::Published(Subject::all_published().into_iter().map(Arc::new).collect())));
    }

    /// Compares results.
    pub fn compare(&self, asked: u64, subjects: Vec<Arc<Subject>>) {
        self.spawn(move || {
            let subjects: Vec<&Subject> = subjects.iter().map(AsRef::as_ref).collect();
            Some(Finding::Compared { asked, told: Box::new(Told::new(compare(&subjects))) })
        });
    }

    /// Opens the newest kept result that holds a measurement.
    pub fn find_newest(&self, history: History) {
        self.spawn(move || {
            // Where the list cannot be read the place Results says so.
            let entries = history.list().ok()?;
            let mut reports = entries.into_iter().filter_map(|entry| load(&entry.path).ok());
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
            Some(Finding::Dropped { folders, files })
        });
    }

    /// Shows a folder, or a file in its folder, in the system's file manager.
    pub fn reveal(&self, path: PathBuf) {
        self.spawn(move || {
            let error = reveal(&path).err()?;
            Some(Finding::Failed(format!(
                "The file manager could not be opened ({error}). Open it yourself and look here: {}",
                path.display()
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

fn reveal(path: &Path) -> io::Result<()> {
    let shown = if path.is_file() {
        opener::reveal(path)
    } else {
        std::fs::create_dir_all(path)?;
        opener::open(path)
    };
    shown.map_err(io::Error::other)
}

/// Reads files on as many threads as the machine has, and tells of them in parts, so that the first are
/// seen while the last are read.
fn read_subjects(files: Vec<PathBuf>, tell: &(dyn Fn(Finding) + Sync)) {
    /// So many files are told of at once.
    const PART: usize = 50;
    tell(Finding::Gathering(files.len()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = files.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        for files in files.chunks(share) {
            scope.spawn(move || {
                for part in files.chunks(PART) {
                    let read = part.iter().map(|path| (path.clone(), subject(path))).collect();
                    tell(Finding::Gathered(read));
                }
            });
        }
    });
}

fn subject(path: &Path) -> Result<Arc<Subject>, String> {
    load(path).map(|report| Arc::new(Subject::of(&report))).map_err(|error| error.to_string())
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

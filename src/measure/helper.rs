//! The second process of the experiments about locks and backups. The program starts itself again as
//! `commitmark __helper FOLDER`; that process opens a test database, runs statements and copies files on
//! request, one JSON line each way over its stdin and stdout. It ends when its stdin closes, so also when the
//! parent is killed. Files of a live database are copied there and never in this process, because closing
//! such a file drops the locks that SQLite holds here (<https://sqlite.org/howtocorrupt.html>, 2.2).
//!
//! Where the program cannot be started again, the same requests are answered by a second connection in this
//! process, and the experiment says so; files are not copied then.

use std::{
    fs,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{
    MeasureError,
    database::{Database, OpenError, Settings},
    tally::code_name,
};

/// The hidden command that makes the program a helper.
pub const COMMAND: &str = "__helper";
/// The helper's first line: what was started is this program, in this version of the protocol.
const GREETING: &str = "commitmark helper 1";
/// How long a start may take; a virus scanner may look at the program first.
const START_WITHIN: Duration = Duration::from_secs(10);
/// How long a helper may take to end by itself before it is killed.
const END_WITHIN: Duration = Duration::from_secs(2);
/// How often somebody who waits for an answer looks whether to give up.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What the helper is asked to do. Files are named inside the folder that the helper was started for.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Open this database with these settings; one that was open before is closed.
    Open {
        /// The database's name.
        name: String,
        /// The connection's settings.
        settings: Settings,
    },
    /// Run a statement to its last row.
    Run {
        /// SQL.
        sql: String,
    },
    /// Copy files, one after the other; one that is not there is left out. Only while no database is open.
    Copy {
        /// From and to.
        files: Vec<(String, String)>,
    },
    /// Close the database.
    Close,
}

/// What the helper answers.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Done.
    Done,
    /// The database was locked; the name of SQLite's extended result code.
    Locked(String),
    /// Anything else, in words.
    Failed(String),
}

/// Answers requests until the input ends. This is all that the helper process does.
///
/// # Errors
/// Reading a line or writing one failed, or a line was no request: the parent is gone or was never one.
pub fn serve(folder: &Path, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut server = Server { folder: folder.to_owned(), database: None };
    writeln!(output, "{GREETING}")?;
    output.flush()?;
    for line in input.lines() {
        let answer = server.answer(serde_json::from_str(&line?)?, true);
        writeln!(output, "{}", serde_json::to_string(&answer)?)?;
        output.flush()?;
    }
    Ok(())
}

/// The side that does what is asked.
#[derive(Debug)]
struct Server {
    folder: PathBuf,
    database: Option<Database>,
}

impl Server {
    /// `own_process`: whether this process has no connection to the database but the server's own.
    fn answer(&mut self, request: Request, own_process: bool) -> Answer {
        match request {
            Request::Open { name, settings } => {
                self.database = None;
                match Database::open(&self.folder.join(name), &settings) {
                    Ok(database) => {
                        self.database = Some(database);
                        Answer::Done
                    }
                    Err(OpenError::Refused(answer)) => Answer::Failed(answer),
                    Err(OpenError::Failed(error)) => Answer::Failed(error.to_string()),
                }
            }
            Request::Run { sql } => match &self.database {
                Some(database) => outcome(run_to_the_end(database, &sql)),
                None => Answer::Failed("no database is open".to_owned()),
            },
            Request::Copy { files } if own_process && self.database.is_none() => self.copy(&files),
            Request::Copy { .. } => {
                Answer::Failed("files of a database in use are not copied in its process".to_owned())
            }
            Request::Close => {
                self.database = None;
                Answer::Done
            }
        }
    }

    fn copy(&self, files: &[(String, String)]) -> Answer {
        for (from, to) in files {
            match fs::copy(self.folder.join(from), self.folder.join(to)) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                // Windows hands out no byte that another program has locked, and a writer locks some in there. Whoever
                // opens the copy makes this file anew.
                Err(error) if from.ends_with("-shm") && is_lock_violation(&error) => {}
                Err(error) => return Answer::Failed(format!("{from} could not be copied: {error}")),
            }
        }
        Answer::Done
    }
}

fn is_lock_violation(error: &io::Error) -> bool {
    const ERROR_LOCK_VIOLATION: i32 = 33;
    cfg!(windows) && error.raw_os_error() == Some(ERROR_LOCK_VIOLATION)
}

/// Runs one statement and reads all its rows.
///
/// # Errors
/// SQLite's.
pub fn run_to_the_end(database: &Database, sql: &str) -> rusqlite::Result<()> {
    let mut statement = database.connection().prepare(sql)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

fn outcome(result: rusqlite::Result<()>) -> Answer {
    match result {
        Ok(()) => Answer::Done,
        Err(error) => match lock_code(&error) {
            Some(code) => Answer::Locked(code),
            None => Answer::Failed(error.to_string()),
        },
    }
}

/// The name of the extended result code where the database was locked, `None` for any other error.
pub fn lock_code(error: &rusqlite::Error) -> Option<String> {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    let answer = error.sqlite_error()?;
    matches!(answer.code, DatabaseBusy | DatabaseLocked).then(|| code_name(answer.extended_code))
}

/// The helper as an experiment holds it. It ends with the value.
#[derive(Debug)]
pub struct Helper(Place);

#[derive(Debug)]
enum Place {
    Process(Process),
    Here(Server),
}

impl Helper {
    /// Starts the helper for a folder; `program` is the program to start, by default this one. Where that
    /// fails, the helper is a connection in this process.
    pub fn start(program: Option<&Path>, folder: &Path) -> Self {
        let started = match program {
            Some(program) => Process::start(program, folder),
            None => std::env::current_exe().and_then(|program| Process::start(&program, folder)),
        };
        Self(match started {
            Ok(process) => Place::Process(process),
            Err(error) => {
                tracing::warn!("no second process, a second connection stands in: {error}");
                Place::Here(Server { folder: folder.to_owned(), database: None })
            }
        })
    }

    /// Whether the helper is a process of its own.
    pub fn is_process(&self) -> bool {
        matches!(self.0, Place::Process(_))
    }

    /// Asks and waits for the answer. `gives_up` is looked at every 50 ms; once it says so, the helper is
    /// ended together with what it does.
    ///
    /// # Errors
    /// Given up, or the helper is gone.
    pub fn ask(&mut self, request: &Request, gives_up: impl Fn() -> bool) -> Result<Answer, MeasureError> {
        match &mut self.0 {
            Place::Process(process) => process.ask(request, gives_up),
            Place::Here(server) => Ok(server.answer(request.clone(), false)),
        }
    }

    /// Asks for something that is done at once and cannot fail.
    ///
    /// # Errors
    /// It failed all the same, or the helper is gone.
    pub fn must(&mut self, request: &Request) -> Result<(), MeasureError> {
        match self.ask(request, || false)? {
            Answer::Done => Ok(()),
            Answer::Locked(answer) | Answer::Failed(answer) => Err(broken(&format!("{answer} after {request:?}"))),
        }
    }
}

fn broken(what: &str) -> MeasureError {
    MeasureError::Panicked { reason: format!("the second process: {what}") }
}

/// A helper in a process of its own. A thread reads its lines, so that waiting for one can end early.
#[derive(Debug)]
struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    fn start(program: &Path, folder: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg(COMMAND).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        no_console(&mut command);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines().map_while(Result::ok));
            for line in lines {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let process = Self { child, stdin, lines };
        match process.lines.recv_timeout(START_WITHIN) {
            Ok(line) if line == GREETING => Ok(process),
            _ => Err(io::Error::other(format!("{} did not answer as a helper", program.display()))),
        }
    }

    fn ask(&mut self, request: &Request, gives_up: impl Fn() -> bool) -> Result<Answer, MeasureError> {
        let line = serde_json::to_string(request).map_err(|error| broken(&error.to_string()))?;
        let stdin = self.stdin.as_mut().ok_or_else(|| broken("it was ended"))?;
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).map_err(|error| broken(&error.to_string()))?;
        loop {
            match self.lines.recv_timeout(LOOK_EVERY) {
                Ok(line) => return serde_json::from_str(&line).map_err(|error| broken(&error.to_string())),
                Err(RecvTimeoutError::Disconnected) => return Err(broken("it ended without an answer")),
                Err(RecvTimeoutError::Timeout) if gives_up() => {
                    self.end(Duration::ZERO);
                    return Err(MeasureError::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Closes its input, which ends it, and kills it where that takes longer than `patience`.
    fn end(&mut self, patience: Duration) {
        self.stdin = None;
        let asked = Instant::now();
        while asked.elapsed() < patience {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        // Both fail only where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end(END_WITHIN);
    }
}

/// Windows would open a console window for a console program that is started from a window.
#[cfg(windows)]
pub(crate) fn no_console(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    /// CREATE_NO_WINDOW of the Windows API.
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(windows))]
pub(crate) fn no_console(_command: &mut Command) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::database::{JournalMode, Synchronous};

    #[test]
    fn requests_are_answered_line_by_line_until_the_input_ends() {
        let home = tempfile::tempdir().unwrap();
        let settings = Settings::new(JournalMode::Delete, Synchronous::Full);
        let requests = [
            Request::Run { sql: "SELECT 1".to_owned() },
            Request::Open { name: "a.db".to_owned(), settings },
            Request::Run { sql: "CREATE TABLE t (id)".to_owned() },
            Request::Close,
            Request::Copy { files: vec![("a.db".to_owned(), "b.db".to_owned()), ("none".to_owned(), "c".to_owned())] },
        ];
        let input: String = requests.iter().map(|request| serde_json::to_string(request).unwrap() + "\n").collect();
        let mut output = Vec::new();
        serve(home.path(), input.as_bytes(), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        let answers: Vec<&str> = output.lines().collect();
        assert_eq!(answers[0], GREETING);
        assert!(answers[1].contains("no database is open"));
        assert_eq!(answers[2..], ["\"done\""; 4]);
        assert!(home.path().join("b.db").is_file() && !home.path().join("c").exists());
    }

    #[test]
    fn a_program_that_is_no_helper_is_replaced_by_a_connection_that_copies_nothing() {
        let home = tempfile::tempdir().unwrap();
        let mut helper = Helper::start(Some(&home.path().join("no such program")), home.path());
        assert!(!helper.is_process());
        let copy = Request::Copy { files: vec![("a".to_owned(), "b".to_owned())] };
        assert!(matches!(helper.ask(&copy, || false).unwrap(), Answer::Failed(_)));
    }
}

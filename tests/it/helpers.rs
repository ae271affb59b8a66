//! Small plans that run the real work in seconds, and a way to watch a run to its end.

use std::{fs, path::Path, time::Duration};

use commitmark::{
    plan::{Plan, Preset},
    report::history::History,
    session::{self, End, Event, Request, Session},
};
use tempfile::TempDir;

/// A folder on the disk this project is on; the system's temporary folder may be in memory.
pub fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// The published work, cut down to a second or two.
pub fn small_plan(names: &[&str]) -> Plan {
    let mut plan = Plan::only(Preset::Standard, names).unwrap();
    for (name, value) in [("inserts", 20), ("rounds", 2), ("milliseconds", 200)] {
        plan.set(name, value);
    }
    plan
}

pub fn request(folder: &Path, plan: Plan, history: Option<&Path>) -> Request {
    Request { folder: folder.to_owned(), plan, note: None, history: history.map(History::in_folder) }
}

/// Waits for the end of a run.
pub fn end_of(session: &Session) -> End {
    loop {
        match session.events().recv_timeout(Duration::from_secs(120)).expect("a run ends with an event") {
            Event::Ended { end, .. } => return *end,
            _ => continue,
        }
    }
}

/// Runs a plan to its end.
pub fn run(folder: &Path, plan: Plan) -> End {
    end_of(&session::start(request(folder, plan, None), || {}))
}

/// The names in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

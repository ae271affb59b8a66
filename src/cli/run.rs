//! `commitmark run`: measures and prints.

use std::{
    io::{IsTerminal, stderr},
    path::PathBuf,
    time::Duration,
};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{
    DONE, FAILED, INTERRUPTED, WRONG_USAGE, complain,
    export::{Outputs, check_folder_of},
    print, text,
};
use crate::{
    export::{self, Format},
    plan::{Plan, PlanError, Preset, expected_speed},
    report::{Status, history::History},
    session::{self, End, Event, Request, Session},
    system::{self, volume},
    units,
};

#[derive(Args, Debug)]
pub(super) struct RunArguments {
    /// The folder to test; without it, one on the drive of your data folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// What to run
    #[arg(long, value_enum, default_value_t)]
    preset: Preset,
    /// Only these experiments
    #[arg(long, value_name = "ID,ID...", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Saves in each run, where an experiment has such a number
    #[arg(long, value_name = "N")]
    inserts: Option<u64>,
    /// Rounds, where an experiment has such a number
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,
    /// Seconds of each run, where an experiment has such a number
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    /// The busy timeout in milliseconds, where an experiment has one
    #[arg(long, value_name = "MS")]
    busy_timeout: Option<u64>,
    /// Any other number of an experiment; a name that none has prints the names there are
    #[arg(long = "set", value_name = "NAME=N")]
    set: Vec<String>,
    /// Save the result to this file too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
    /// Words of your own to keep with the result
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// No progress on stderr
    #[arg(long)]
    quiet: bool,
}

/// Returns the exit code.
pub(super) fn run(arguments: RunArguments) -> u8 {
    let plan = match plan(&arguments) {
        Ok(plan) => plan,
        Err(sentence) => {
            complain(&sentence);
            return WRONG_USAGE;
        }
    };
    for file in arguments.json.as_deref().into_iter().chain(arguments.outputs.paths()) {
        if let Err(sentence) = check_folder_of(file) {
            complain(&sentence);
            return WRONG_USAGE;
        }
    }
    let Some(folder) = arguments.dir.clone().or_else(session::default_folder) else {
        complain("This system names no data folder. Name the folder to test with --dir");
        return WRONG_USAGE;
    };
    let volume = volume::read(&folder);
    // Where nothing can be written, the session says why.
    if !arguments.quiet && folder.is_dir() && system::refusal(&folder, &volume).is_none() {
        let speed = expected_speed(&volume);
        complain(&plan.review(&folder.display().to_string(), &speed));
    }
    let history = History::of_user();
    let request = Request { folder, plan, note: arguments.note.clone(), history };
    let session = session::start(request, || {});
    let cancel = session.cancel_flag();
    if let Err(error) = ctrlc::set_handler(move || cancel.raise()) {
        complain(&format!("Ctrl-C will end this without cleaning up: {error}"));
    }
    match watch(&session, arguments.quiet) {
        Some(end) => finish(&end, &arguments),
        None => {
            complain("The measuring thread ended without a word. Please report this");
            FAILED
        }
    }
}

fn plan(arguments: &RunArguments) -> Result<Plan, String> {
    let mut plan = match &arguments.only {
        Some(names) => Plan::only(arguments.preset, names).map_err(|error| error.to_string())?,
        None => Plan::new(arguments.preset),
    };
    for (option, name, value) in [
        ("--inserts", "inserts", arguments.inserts),
        ("--rounds", "rounds", arguments.rounds),
        ("--seconds", "seconds", arguments.seconds),
        ("--busy-timeout", "busy_timeout_ms", arguments.busy_timeout),
    ] {
        if let Some(value) = value
            && !plan.set(name, value)
        {
            return Err(format!(
                "No experiment of this plan has the number {option}. Leave it out, or choose others with --only"
            ));
        }
    }
    for assignment in &arguments.set {
        let number = assignment.split_once('=').and_then(|(name, value)| Some((name, value.parse().ok()?)));
        let Some((name, value)) = number else {
            return Err(format!(
                "A number is set with its name, as in --set readers=4. This cannot be read: {assignment}"
            ));
        };
        if !plan.set(name, value) {
            return Err(format!("No experiment of this plan has such a number. There are {}: {name}", plan.numbers()));
        }
    }
    plan.check().map_err(|error: PlanError| error.to_string())?;
    Ok(plan)
}

/// Shows progress until the run has ended.
fn watch(session: &Session, quiet: bool) -> Option<End> {
    let bar = progress_bar(quiet);
    let lines = !quiet && !stderr().is_terminal();
    let mut last_step = String::new();
    for event in session.events() {
        match event {
            Event::Progressed { step, share, seconds_left, .. } => {
                bar.set_position((share * 1000.0) as u64);
                bar.set_message(format!("{step}, {} left", units::about(seconds_left)));
                if lines && step != last_step {
                    complain(&format!("{} {step}", units::percent(share)));
                }
                last_step = step;
            }
            Event::Ended { end, .. } => {
                bar.finish_and_clear();
                return Some(*end);
            }
            Event::Started { .. } | Event::Measured { .. } => {}
        }
    }
    None
}

fn progress_bar(quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(2) };
    let bar = ProgressBar::with_draw_target(Some(1000), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent} % {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// Prints and saves what was measured; returns the exit code.
fn finish(end: &End, arguments: &RunArguments) -> u8 {
    let mut code = match end.report.status {
        Status::Complete => DONE,
        Status::Cancelled => INTERRUPTED,
        Status::Failed => FAILED,
    };
    let measured = !end.report.experiments.is_empty();
    if measured {
        print(&text::report(&end.report));
    }
    if let Some(error) = &end.error {
        complain(error);
    }
    if code == INTERRUPTED {
        complain("Stopped before the end");
    }
    match &end.left_behind {
        Some(sentence) => complain(sentence),
        None if !arguments.quiet && measured => complain("Temporary files removed"),
        None => {}
    }
    match &end.kept {
        Some(Ok(path)) if !arguments.quiet => complain(&format!("The result is kept in {}", path.display())),
        Some(Err(sentence)) => complain(sentence),
        _ => {}
    }
    if let Some(path) = arguments.json.as_ref().filter(|_| measured)
        && let Err(error) = export::save(&end.report, Format::Json, path)
    {
        complain(&error.to_string());
        code = code.max(FAILED);
    }
    if measured && !arguments.outputs.write(&end.report) {
        code = code.max(FAILED);
    }
    code
}

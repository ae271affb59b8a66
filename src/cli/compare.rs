//! `commitmark compare`: the same numbers of several results beside each other.

use std::path::PathBuf;

use clap::Args;

use super::{DONE, FAILED, WRONG_USAGE, complain, print, text};
use crate::{
    export,
    report::{
        compare::{Comparison, Subject, compare},
        history::files_in,
        load::load,
    },
};

#[derive(Args, Debug)]
pub(super) struct CompareArguments {
    /// Result files, or folders of them; all are compared with the first
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Put the published results beside them
    #[arg(long)]
    published: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Save it as a page for a browser too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Returns the exit code. A file that cannot be opened is named, and the others are compared.
pub(super) fn run(arguments: &CompareArguments) -> u8 {
    let (mut subjects, mut code) = open(&arguments.files);
    if arguments.published {
        subjects.extend(Subject::all_published());
    }
    if subjects.len() < 2 {
        if code == DONE {
            complain("One result alone cannot be compared. Name at least two files, or add --published");
            code = WRONG_USAGE;
        }
        return code;
    }
    let comparison = compare(&subjects.iter().collect::<Vec<_>>());
    if let Some(path) = &arguments.html
        && let Err(error) = export::save_comparison(&comparison, path)
    {
        complain(&error.to_string());
        code = FAILED;
    }
    if !arguments.json {
        print(&telling(&comparison));
        return code;
    }
    match serde_json::to_string_pretty(&comparison) {
        Ok(json) => {
            print(&json);
            code
        }
        Err(error) => {
            complain(&format!("The comparison could not be written as JSON ({error}). Please report this"));
            FAILED
        }
    }
}

fn open(paths: &[PathBuf]) -> (Vec<Subject>, u8) {
    let mut subjects = Vec::new();
    let mut code = DONE;
    let mut fail = |sentence: String| {
        complain(&sentence);
        code = FAILED;
    };
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        match files_in(path) {
            Ok(found) => files.extend(found),
            Err(error) => {
                fail(format!("The folder cannot be read ({error}). Check that you may read it: {}", path.display()))
            }
        }
    }
    for file in files {
        match load(&file) {
            // A comparison is made to be shown to others.
            Ok(report) => match export::private(&report) {
                Ok(report) => subjects.push(Subject::of(&report)),
                Err(error) => {
                    fail(format!("The file cannot be compared ({error}). Please report this: {}", file.display()))
                }
            },
            Err(error) => fail(error.to_string()),
        }
    }
    (subjects, code)
}

/// The files, what must be known about them, and the numbers.
fn telling(comparison: &Comparison) -> String {
    let mut parts = vec![comparison.files.iter().map(file_line).collect::<Vec<_>>().join("\n")];
    let cautions: Vec<String> = comparison.cautions.iter().map(|caution| caution.message.clone()).collect();
    if !cautions.is_empty() {
        parts.push(cautions.join("\n"));
    }
    parts.extend(comparison.sections().iter().map(text::section));
    parts.join("\n\n")
}

fn file_line(file: &crate::report::compare::File) -> String {
    let origin = &file.origin;
    let facts = [
        origin.file_system.clone(),
        origin.bus.clone(),
        origin.os.clone(),
        origin.sqlite.as_ref().map(|version| format!("SQLite {version}")),
        origin.sync_call.clone(),
        Some(origin.harness.clone()),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    format!("File {}  {}: {}", file.number, file.name, facts.join(", "))
}

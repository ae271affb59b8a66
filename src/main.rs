//! CommitMark: opens the window, or does in the terminal what the command line asks for.

use std::process::ExitCode;

use clap::Parser;
use commitmark::cli::{self, Arguments, Task};

fn main() -> ExitCode {
    match cli::run(Arguments::parse()) {
        Task::Done(code) => code,
        Task::Window { .. } => ExitCode::FAILURE,
    }
}

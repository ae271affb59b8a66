//! CommitMark: opens the window, or does in the terminal what the command line asks for.

use std::process::ExitCode;

use clap::Parser;
use commitmark::{
    cli::{self, Arguments, Task},
    ui::launch,
};

fn main() -> ExitCode {
    match cli::run(Arguments::parse()) {
        Task::Done(code) => code,
        // Where no window can be opened, a message has been shown and printed.
        Task::Window { files, renderer } => match launch::open(files, renderer) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
    }
}

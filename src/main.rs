//! CommitMark: opens the window, or does in the terminal what the command line asks for.
#![cfg_attr(windows, windows_subsystem = "windows")]

use std::process::ExitCode;

use commitmark::{
    cli::{self, Task},
    ui::launch,
};

fn main() -> ExitCode {
    match cli::run(cli::read()) {
        Task::Done(code) => code,
        // Where no window can be opened, a message has been shown and printed.
        Task::Window { files, renderer } => match launch::open(files, renderer) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
    }
}

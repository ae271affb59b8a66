//! The terminal. Parses the command line, runs a plan like the window does, and prints what the window
//! shows: results to stdout, progress and messages to stderr.

mod compare;
mod export;
mod console;
mod info;
mod run;
mod schema;
mod settings;
mod text;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand, ValueEnum};

use crate::{advice::databases, measure::helper, units::harmless};

/// Measured.
const DONE: u8 = 0;
/// Something failed; a sentence on stderr says what.
const FAILED: u8 = 1;
/// The command line asks for something that cannot be; clap uses the same code.
const WRONG_USAGE: u8 = 2;
/// Ended by Ctrl-C, as shells count it: 128 and SIGINT's 2.
const INTERRUPTED: u8 = 130;

/// Measures how fast SQLite commits on your drive, what WAL changes there, and which settings are right.
///
/// Without a command the window opens, on the result files named, if any.
#[derive(Debug, Parser)]
#[command(name = "commitmark", version, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// Result files to open in the window
    files: Vec<PathBuf>,
    /// Which graphics interface draws the window; without it each is tried
    #[arg(long, value_enum)]
    renderer: Option<Renderer>,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The graphics interfaces that the window can be drawn with.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Renderer {
    /// OpenGL
    Glow,
    /// Vulkan, DirectX 12 or Metal
    Wgpu,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure a folder's drive and print the result
    Run(run::RunArguments),
    /// Print what is known about this machine and a folder's drive
    Info(info::InfoArguments),
    /// Write a result file as a web page, a table, text or a picture
    Export(export::ExportArguments),
    /// Print settings to copy for your framework
    Settings(settings::SettingsArguments),
    /// Compare results: the same numbers of several files beside each other
    Compare(compare::CompareArguments),
    /// Print the JSON Schema of the result file
    Schema,
    /// The second process of the experiments about locks and backups
    #[command(name = helper::COMMAND, hide = true)]
    Helper {
        /// The folder of the test databases
        folder: PathBuf,
    },
    /// The second process that looks for databases
    #[command(name = databases::COMMAND, hide = true)]
    Databases {
        /// The folder to look in
        folder: PathBuf,
    },
}

/// What the command line asks for.
#[derive(Debug)]
pub enum Task {
    /// Open the window on these files.
    Window {
        /// Result files to show.
        files: Vec<PathBuf>,
        /// What to draw with, where the person says so.
        renderer: Option<Renderer>,
    },
    /// Everything was done in the terminal; end with this code.
    Done(ExitCode),
}

/// Reads the command line. Help, the version and wrong usage are printed and end the program.
pub fn read() -> Arguments {
    let arguments = Arguments::try_parse();
    // A window lives on when the terminal is closed; a second process talks to another CommitMark alone.
    let silent = matches!(
        &arguments,
        Ok(Arguments { command: None | Some(Command::Helper { .. } | Command::Databases { .. }), .. })
    );
    if !silent {
        console::join();
    }
    arguments.unwrap_or_else(|error| error.exit())
}

/// Does what the command line asks for, except opening the window, which is the caller's.
pub fn run(arguments: Arguments) -> Task {
    match arguments.command {
        None => Task::Window { files: arguments.files, renderer: arguments.renderer },
        Some(Command::Run(arguments)) => Task::Done(run::run(arguments).into()),
        Some(Command::Info(arguments)) => Task::Done(info::info(arguments).into()),
        Some(Command::Export(arguments)) => Task::Done(export::export(&arguments).into()),
        Some(Command::Settings(arguments)) => Task::Done(settings::settings(arguments).into()),
        Some(Command::Compare(arguments)) => Task::Done(compare::run(&arguments).into()),
        Some(Command::Schema) => Task::Done(schema::run().into()),
        Some(Command::Helper { folder }) => Task::Done(help(&folder).into()),
        Some(Command::Databases { folder }) => Task::Done(look(&folder).into()),
    }
}

/// Is the second process of another CommitMark until that one closes the pipe.
fn help(folder: &Path) -> u8 {
    match helper::serve(folder, io::stdin().lock(), io::stdout()) {
        Ok(()) => DONE,
        Err(_) => FAILED,
    }
}

/// Looks for databases for another CommitMark.
fn look(folder: &Path) -> u8 {
    match databases::looking::serve(folder, io::stdout()) {
        Ok(()) => DONE,
        Err(_) => FAILED,
    }
}

/// Prints a sentence to stderr, with the program's name as other terminal programs do.
pub fn complain(sentence: &str) {
    // Where stderr is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "commitmark: {}", harmless(sentence));
}

/// Prints to stdout; a reader that went away (`commitmark run | head`) is no failure.
fn print(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

//! `commitmark info`: the machine, the volume and the drive, as they would stand in a result.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{DONE, FAILED, complain, print, text};
use crate::{
    measure::scratch::check_folder,
    report::Sqlite,
    section::{Cell, Table},
    session, system,
    system::{Machine, Volume, facts, machine, volume},
};

#[derive(Args, Debug)]
pub(super) struct InfoArguments {
    /// The folder whose drive is described; without it, one on the drive of your data folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// As JSON, with the field names of the result file
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Facts {
    machine: Machine,
    volume: Volume,
    sqlite: Sqlite,
}

/// Returns the exit code.
pub(super) fn info(arguments: InfoArguments) -> u8 {
    let Some(folder) = arguments.dir.or_else(session::default_folder) else {
        complain("This system names no data folder. Name a folder with --dir");
        return FAILED;
    };
    if let Err(error) = check_folder(&folder) {
        complain(&error.to_string());
        return FAILED;
    }
    let known = Facts { machine: machine::read(), volume: volume::read(&folder), sqlite: Sqlite::current() };
    if arguments.json {
        match serde_json::to_string_pretty(&known) {
            Ok(json) => print(&json),
            Err(error) => {
                complain(&format!("The facts could not be written as JSON ({error}). Please report this"));
                return FAILED;
            }
        }
    } else {
        print(&text::table(&Table {
            columns: ["Fact", "Value"].map(str::to_owned).to_vec(),
            rows: facts::of_machine(&known.machine)
                .into_iter()
                .chain(facts::of_volume(&known.volume))
                .map(|(name, value)| {
                    vec![Cell::Text(name.to_owned()), Cell::Text(value.unwrap_or_else(|| "unknown".to_owned()))]
                })
                .chain([vec![Cell::Text("SQLite".to_owned()), Cell::Text(known.sqlite.version.clone())]])
                .collect(),
        }));
        for caution in system::cautions(&known.volume, &folder) {
            print(&caution.message());
        }
    }
    DONE
}

//! What moves the window's state, and what it asks for in return: plain values, so that tests can write
//! them down.

use std::{path::PathBuf, sync::Arc};

use super::{CompareAction, Earlier, KeptAction, Looked, Place, Shown, compare::Told};
use crate::{
    advice::{databases::Scan, settings::Framework},
    export::{Format, Picture},
    measure::context::CancelFlag,
    plan::Preset,
    report::{Report, compare::Subject},
    session::Request,
    system::{ListedVolume, Machine},
};

/// What a person did.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Chose a place in the rail.
    Go(Place),
    /// Typed or pasted into the path field.
    EditFolder(String),
    /// Chose a drive's row or a remembered folder.
    PickFolder(PathBuf),
    /// Asked for the folder dialog.
    ChooseFolder,
    /// Dropped files or folders on the window.
    Drop(Vec<PathBuf>),
    /// Chose what to run.
    ChoosePreset(Preset),
    /// Ticked or unticked an experiment of Custom.
    Tick(&'static str),
    /// Set a number of Custom.
    SetKnob {
        /// The experiment's id.
        experiment: &'static str,
        /// The number's name.
        name: &'static str,
        /// The number.
        value: u64,
    },
    /// Start test.
    Start,
    /// Stop.
    Stop,
    /// Run again with the plan and folder of the result shown.
    RunAgain,
    /// Asked for the dialog that opens result files.
    OpenFiles,
    /// Chose one of the earlier results.
    ShowEarlier(PathBuf),
    /// Back to the list.
    ShowList,
    /// Save... in this format.
    Save(Format),
    /// Copy this text.
    Copy(String),
    /// Copy the result shown.
    CopyResult(CopyAs),
    /// Show the folder of kept results in the system's file manager.
    RevealResults,
    /// Draw a section on the other scale.
    FlipScale(String),
    /// Tell the result shown for another value of a section's dial.
    Turn {
        /// The experiment's id.
        experiment: String,
        /// The parameter's name.
        name: String,
        /// The value.
        value: u64,
    },
    /// Answered whether losing the last second of saves is acceptable.
    AcceptLoss(bool),
    /// Chose what the code to copy is for.
    ChooseFramework(Framework),
    /// Copy the code.
    CopyCode,
    /// Look for databases in the chosen folder.
    LookForDatabases,
    /// Stop looking.
    StopLooking,
    /// Did something with a kept result.
    Kept(KeptAction),
    /// Did something in the place Compare.
    Compare(CompareAction),
    /// The window's close button.
    Close,
    /// "Stop and close".
    ConfirmClose,
    /// "Keep measuring".
    KeepOpen,
}

/// What the clipboard can take of a result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CopyAs {
    /// Text with tables.
    Text,
    /// The picture.
    Picture,
}

/// What is ready for the clipboard.
#[derive(Clone, Debug, PartialEq)]
pub enum Clip {
    /// Text with tables.
    Text(String),
    /// The picture.
    Picture(Box<Picture>),
}

/// What a background thread found out.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The drives of this computer.
    Drives(Vec<ListedVolume>),
    /// Facts about the machine.
    Machine(Box<Machine>),
    /// Facts about the folder in the path field, or why it cannot be tested.
    Folder(Box<Looked>),
    /// The folders used last, newest first.
    Remembered(Vec<PathBuf>),
    /// The earlier results, newest first, or why they cannot be listed.
    History(Result<Vec<Earlier>, String>),
    /// The answer of a folder dialog.
    FolderChosen(Answer),
    /// The answer of the dialog that opens files.
    FilesChosen(Vec<PathBuf>),
    /// The answer of the dialog that saves.
    PlaceChosen(Answer),
    /// No dialog could be shown.
    NoDialog,
    /// What was dropped: the folders, and the files.
    Dropped {
        /// Folders.
        folders: Vec<PathBuf>,
        /// Files.
        files: Vec<PathBuf>,
    },
    /// A result file was opened, or why not.
    Loaded {
        /// The file.
        path: PathBuf,
        /// What is in it, ready to be shown.
        shown: Result<Box<Shown>, String>,
    },
    /// A result was saved, or why not.
    Saved(Result<PathBuf, String>),
    /// What was to be copied is ready, or why it could not be made.
    Copyable(Result<Clip, String>),
    /// The newest kept result.
    Newest(Box<Report>),
    /// What was found in a folder, or why nothing could be.
    Databases {
        /// The folder.
        folder: PathBuf,
        /// The databases, or a sentence.
        result: Result<Scan, String>,
    },
    /// A kept result was changed, in a few words, or why not.
    Changed(Result<&'static str, String>),
    /// So many files are going to be read, to be compared.
    Gathering(usize),
    /// Some of them were read.
    Gathered(Vec<Gathered>),
    /// The published results.
    Published(Vec<Arc<Subject>>),
    /// A comparison was made.
    Compared {
        /// Which.
        asked: u64,
        /// What it tells.
        told: Box<Told>,
    },
    /// Files to be compared could not be found; a sentence.
    NotGathered(String),
    /// Something asked of the system failed; a sentence.
    Failed(String),
}

/// A file that was read to be compared, or why it could not be opened.
pub type Gathered = (PathBuf, Result<Arc<Subject>, String>);

/// A path chosen in a dialog; `None` where the person chose nothing.
pub type Answer = Option<PathBuf>;

/// Work that a change of state asks for.
#[derive(Clone, Debug)]
pub enum Effect {
    /// List the drives.
    ListDrives,
    /// Read facts about this folder.
    LookAt(PathBuf),
    /// Write the list of folders used last.
    Remember(Vec<PathBuf>),
    /// List the earlier results.
    ListHistory,
    /// Show the folder dialog, beginning here.
    AskForFolder(Option<PathBuf>),
    /// Show the dialog that opens files.
    AskForFiles,
    /// Show the dialog that saves in this format, with this name.
    AskForPlace(Format, String),
    /// Find out which of these are folders.
    Sort(Vec<PathBuf>),
    /// Open a result file.
    Load(PathBuf),
    /// Save a result in a format.
    Save(Box<Report>, Format, PathBuf),
    /// Make of a result what the clipboard can take.
    MakeCopy(Box<Report>, CopyAs),
    /// Put text on the clipboard.
    Copy(String),
    /// Put a picture on the clipboard.
    CopyPicture(Box<Picture>),
    /// Open the newest kept result for the place Advice.
    FindNewest,
    /// Look for databases in this folder until the flag is raised.
    FindDatabases(PathBuf, CancelFlag),
    /// Show a folder, or a file in its folder, in the file manager.
    Reveal(PathBuf),
    /// Give a kept result another note, another name or both.
    ChangeKept {
        /// The file.
        path: PathBuf,
        /// The new note.
        note: Option<String>,
        /// The new name, without the ending.
        name: Option<String>,
    },
    /// Delete a kept result.
    DeleteKept(PathBuf),
    /// Read results to be compared, also those in folders.
    Gather(Vec<PathBuf>),
    /// Read so many of the kept results to be compared, the newest.
    GatherKept(usize),
    /// Read the published results.
    GatherPublished,
    /// Compare these.
    Compare {
        /// Which comparison, so that late ones are dropped.
        asked: u64,
        /// What is compared, the first with the others.
        subjects: Vec<Arc<Subject>>,
    },
    /// Start a session, then call [`State::started`].
    Start(Box<Request>),
    /// Ask the session to stop.
    Cancel,
    /// Close the window now.
    Close,
}

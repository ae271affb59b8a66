//! What the window knows, and how that changes: by what the person does ([`Action`]), by what background
//! threads find out ([`Finding`]), and by what a session tells ([`Event`]). Each change returns the work
//! it asks for ([`Effect`]), which `app` has done elsewhere. There is no egui here and no I/O, so every
//! transition is tested as it is.

pub mod advice;
pub mod compare;
pub mod kept;
pub mod messages;
pub mod results;
pub mod run;
pub mod setup;

use std::path::PathBuf;

use uuid::Uuid;

pub use self::{
    advice::Advising,
    compare::{Compare, CompareAction},
    kept::{KeptAction, Managed},
    messages::{Action, Answer, Clip, CopyAs, Effect, Finding},
    results::{Earlier, Results, Shown},
    run::{Phase, Run},
    setup::{Looked, Setup},
};
use crate::{
    report::history::History,
    session::{Event, Request},
    system::Machine,
};

/// The places in the rail. A new one is one more variant and its screen.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Place {
    /// Choose a folder and measure.
    #[default]
    Test,
    /// The result of now and earlier ones.
    Results,
    /// Results beside each other.
    Compare,
    /// Which settings are right, and why.
    Advice,
    /// What is known about this computer.
    Computer,
}

impl Place {
    /// All of them, from top to bottom.
    pub const ALL: [Self; 5] = [Self::Test, Self::Results, Self::Compare, Self::Advice, Self::Computer];

    /// Its name in the rail.
    pub fn name(self) -> &'static str {
        match self {
            Self::Test => "Test",
            Self::Results => "Results",
            Self::Compare => "Compare",
            Self::Advice => "Advice",
            Self::Computer => "This computer",
        }
    }
}

/// Whether the window is about to close.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Closing {
    /// No.
    #[default]
    No,
    /// The person is being asked, since a test is running.
    Asked,
    /// As soon as the test has ended.
    AfterTheRun,
}

/// Everything the window knows.
#[derive(Debug, Default)]
pub struct State {
    /// The place shown.
    pub place: Place,
    /// The screen Test before a run.
    pub setup: Setup,
    /// The run, while there is one.
    pub run: Option<Run>,
    /// The place Results.
    pub results: Results,
    /// The place Advice.
    pub advice: Advising,
    /// The place Compare.
    pub compare: Compare,
    /// The machine, once read.
    pub machine: Option<Box<Machine>>,
    /// Whether the window is about to close.
    pub closing: Closing,
    /// Where results are kept.
    pub history: Option<History>,
}

impl State {
    /// What a person did changes what the window knows.
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Go(place) => self.go(place),
            Action::EditFolder(text) => self.setup.edit(text),
            Action::PickFolder(folder) => self.setup.pick(&folder),
            Action::ChooseFolder => vec![Effect::AskForFolder(self.setup.folder())],
            Action::Drop(paths) => vec![Effect::Sort(paths)],
            Action::ChoosePreset(preset) => {
                self.setup.preset = preset;
                Vec::new()
            }
            Action::Tick(experiment) => {
                self.setup.tick(experiment);
                Vec::new()
            }
            Action::SetKnob { experiment, name, value } => {
                self.setup.set(experiment, name, value);
                Vec::new()
            }
            Action::Start => self.start(),
            Action::Stop => self.stop(),
            Action::RunAgain => self.run_again(),
            Action::OpenFiles => vec![Effect::AskForFiles],
            Action::ShowEarlier(path) => vec![Effect::Load(path)],
            Action::ShowList => {
                self.results.close();
                vec![Effect::ListHistory]
            }
            Action::Save(format) => self.results.ask_for_place(format),
            Action::Copy(text) => {
                self.results.said = Some("Copied".to_owned());
                vec![Effect::Copy(text)]
            }
            Action::CopyResult(kind) => self.results.make_copy(kind),
            Action::RevealResults => {
                self.history.iter().map(|history| Effect::Reveal(history.folder().to_owned())).collect()
            }
            Action::FlipScale(section) => {
                self.results.flip(section);
                Vec::new()
            }
            Action::Turn { experiment, name, value } => {
                self.results.turn(&experiment, &name, value);
                Vec::new()
            }
            Action::AcceptLoss(accept_loss) => {
                self.advice.accept_loss = accept_loss;
                self.advise()
            }
            Action::ChooseFramework(framework) => {
                self.advice.framework = framework;
                self.advise()
            }
            Action::CopyCode => {
                self.advice.said = Some("Copied".to_owned());
                vec![Effect::Copy(self.advice.code.clone())]
            }
            Action::LookForDatabases => self.advice.look_in(self.setup.folder()),
            Action::StopLooking => {
                self.advice.stop_looking();
                Vec::new()
            }
            Action::Kept(action) => self.results.handle(action, self.run.as_ref().map(|run| run.id)),
            Action::Compare(action) => self.compare.handle(action),
            Action::Close => self.close(),
            Action::ConfirmClose => {
                self.closing = Closing::AfterTheRun;
                self.stop()
            }
            Action::KeepOpen => {
                self.closing = Closing::No;
                Vec::new()
            }
        }
    }

    /// What a background thread found out changes what the window knows.
    pub fn find(&mut self, finding: Finding) -> Vec<Effect> {
        match finding {
            Finding::Drives(drives) => return self.setup.listed(drives),
            Finding::Machine(machine) => self.machine = Some(machine),
            Finding::Folder(looked) => {
                self.setup.looked_at(*looked);
                return self.advise();
            }
            Finding::Newest(report) => {
                self.advice.newest = Some(report);
                return self.advise();
            }
            Finding::Databases { folder, result } => {
                self.advice.looked_in(&folder, result);
                return self.advise();
            }
            Finding::Remembered(folders) => return self.setup.remembered(folders),
            Finding::History(Ok(earlier)) => self.results.earlier = Some(earlier),
            Finding::History(Err(sentence)) | Finding::Failed(sentence) => self.results.problem = Some(sentence),
            Finding::FolderChosen(folder) => {
                self.setup.dialog_note = None;
                return folder.map_or_else(Vec::new, |folder| self.setup.pick(&folder));
            }
            Finding::FilesChosen(paths) => return self.open(paths),
            Finding::PlaceChosen(path) => return self.results.save_to(path),
            Finding::NoDialog => self.no_dialog(),
            Finding::Dropped { folders, files } => return self.dropped(folders, files),
            Finding::Loaded { path, shown } => {
                self.place = Place::Results;
                self.results.loaded(path, shown);
            }
            Finding::Saved(Ok(path)) => self.results.said = Some(format!("Saved: {}", path.display())),
            Finding::Copyable(Ok(clip)) => return self.results.copy(clip),
            Finding::Saved(Err(sentence)) | Finding::Copyable(Err(sentence)) => self.results.problem = Some(sentence),
            Finding::Changed(done) => return self.results.changed(done),
            Finding::Gathering(files) => self.compare.expect(files),
            Finding::Gathered(read) => return self.compare.gathered(read),
            Finding::Published(subjects) => return self.compare.add_published(subjects),
            Finding::Compared { asked, told } => self.compare.compared(asked, *told),
            Finding::NotGathered(sentence) => self.compare.problem(sentence),
        }
        Vec::new()
    }

    /// What the session tells changes what the window knows. Events of other runs are dropped.
    pub fn hear(&mut self, event: Event) -> Vec<Effect> {
        let Some(run) = self.run.as_mut().filter(|run| run.id == event.run()) else { return Vec::new() };
        match event {
            Event::Started { report, stays_awake, .. } => run.begin(&report, stays_awake),
            Event::Progressed { step, share, seconds_left, .. } => run.progress(step, share, seconds_left),
            Event::Measured { outcome, .. } => run.measured(*outcome),
            Event::Ended { end, .. } => {
                let folder = run.folder.clone();
                self.run = None;
                self.place = Place::Results;
                self.results.ended(*end, folder);
                let mut effects = vec![Effect::ListHistory, Effect::ListDrives];
                effects.extend(self.setup.folder().map(Effect::LookAt));
                effects.extend((self.closing == Closing::AfterTheRun).then_some(Effect::Close));
                self.closing = Closing::No;
                return effects;
            }
        }
        Vec::new()
    }

    /// A session was started.
    pub fn started(&mut self, id: Uuid, request: &Request) {
        self.run = Some(Run::new(id, request));
        self.place = Place::Test;
    }

    /// The session is gone without its last word.
    pub fn lost(&mut self) -> Vec<Effect> {
        let closing = self.closing == Closing::AfterTheRun;
        if self.run.take().is_some() {
            self.place = Place::Results;
            self.results.problem =
                Some("The measuring part of CommitMark ended without a word. Run again; if it happens again, please report it".to_owned());
        }
        if closing { vec![Effect::Close] } else { vec![Effect::ListHistory] }
    }

    fn go(&mut self, place: Place) -> Vec<Effect> {
        self.place = place;
        match place {
            Place::Results => vec![Effect::ListHistory],
            Place::Advice => self.open_advice(),
            Place::Test | Place::Compare | Place::Computer => Vec::new(),
        }
    }

    /// Advice is about the result shown or, where none is, about the newest kept one.
    fn open_advice(&mut self) -> Vec<Effect> {
        self.advice.forget_other_folder(self.setup.folder().as_deref());
        self.advise();
        let needs_one = self.results.shown.is_none() && self.history.is_some();
        if needs_one { vec![Effect::FindNewest] } else { Vec::new() }
    }

    fn advise(&mut self) -> Vec<Effect> {
        let shown = self.results.shown.as_ref().map(|shown| &shown.report);
        self.advice.refresh(shown, self.setup.looked.as_ref().map(|looked| &looked.volume));
        Vec::new()
    }

    fn start(&mut self) -> Vec<Effect> {
        match self.setup.request(self.history.clone()) {
            Some(request) if self.run.is_none() => {
                let mut effects = vec![Effect::Remember(self.setup.remember(&request.folder))];
                effects.push(Effect::Start(Box::new(request)));
                effects
            }
            _ => Vec::new(),
        }
    }

    fn stop(&mut self) -> Vec<Effect> {
        match &mut self.run {
            Some(run) => {
                run.phase = Phase::Stopping;
                vec![Effect::Cancel]
            }
            None => Vec::new(),
        }
    }

    /// The same plan in the same folder. A result from a file has no folder here: the person chooses one.
    fn run_again(&mut self) -> Vec<Effect> {
        let Some(shown) = &self.results.shown else { return Vec::new() };
        self.setup.adopt(&shown.report.plan);
        self.place = Place::Test;
        let Some(folder) = shown.folder.clone() else { return Vec::new() };
        let mut effects = self.setup.pick(&folder);
        effects.extend(self.start());
        effects
    }

    fn close(&mut self) -> Vec<Effect> {
        match (&self.run, self.closing) {
            (None, _) => vec![Effect::Close],
            (Some(_), Closing::No) => {
                self.closing = Closing::Asked;
                Vec::new()
            }
            // Asked once is enough.
            (Some(_), _) => self.act(Action::ConfirmClose),
        }
    }

    /// One file is shown, many are compared; in the place Compare one is added to the others.
    pub fn open(&mut self, mut files: Vec<PathBuf>) -> Vec<Effect> {
        if files.len() == 1 && self.place != Place::Compare {
            return files.pop().map(Effect::Load).into_iter().collect();
        }
        if files.is_empty() {
            return Vec::new();
        }
        self.place = Place::Compare;
        self.compare.gather(files)
    }

    fn dropped(&mut self, folders: Vec<PathBuf>, files: Vec<PathBuf>) -> Vec<Effect> {
        if self.place == Place::Compare {
            return self.open(folders.into_iter().chain(files).collect());
        }
        let mut effects = self.open(files);
        if let Some(folder) = folders.into_iter().next() {
            if effects.is_empty() && self.run.is_none() {
                self.place = Place::Test;
            }
            effects.extend(self.setup.pick(&folder));
        }
        effects
    }

    fn no_dialog(&mut self) {
        match self.place {
            Place::Test => {
                self.setup.dialog_note = Some(
                    "No folder dialog is available here. Type or paste the path, or drop the folder on this window"
                        .to_owned(),
                );
            }
            Place::Compare => self.compare.problem(
                "No file dialog is available here. Drop result files or folders on this window to compare them"
                    .to_owned(),
            ),
            Place::Results | Place::Advice | Place::Computer => {
                self.results.problem = Some(
                    "No file dialog is available here. Drop a result file on this window to open it, or find your results with Open folder"
                        .to_owned(),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests;

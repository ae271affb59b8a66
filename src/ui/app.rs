//! The window's loop: takes in what the session and the background threads say, shows the place the
//! person chose, and has the work done that a change of state asks for.

use std::{path::PathBuf, sync::Arc, sync::mpsc::TryRecvError};

use eframe::egui::{self, CentralPanel, ColorImage, Frame, Key, Margin, Panel, ScrollArea, Ui, ViewportCommand};

use super::{
    background::{Background, Wake},
    dialogs::{Dialogs, SystemDialogs},
    screens::{advice, closing, compare, computer, manage, rail, results, running, test},
    state::{Action, Closing, Effect, Place, State},
    theme::{self, Palette},
};
use crate::{
    plan::Plan,
    report::history::{History, data_folder},
    session::{self, Session},
};

/// Below this width the rail lies above the screen, in points.
const NARROW: f32 = 660.0;
/// Lines longer than this are hard to read, in points.
const WIDEST: f32 = 1040.0;

/// What a window is opened with.
#[derive(Clone)]
pub struct Options {
    /// Where results are kept; `None` keeps none.
    pub history: Option<History>,
    /// The file that holds the folders used last; `None` remembers none.
    pub memory: Option<PathBuf>,
    /// The folder in the path field at the start.
    pub folder: Option<PathBuf>,
    /// What Custom holds at the start, and that it is chosen.
    pub plan: Option<Plan>,
    /// What shows dialogs.
    pub dialogs: Arc<dyn Dialogs>,
    /// Result files to show at the start.
    pub files: Vec<PathBuf>,
}

impl Options {
    /// The user's own history, folders and dialogs.
    pub fn of_user(files: Vec<PathBuf>) -> Self {
        Self {
            history: History::of_user(),
            memory: data_folder().map(|folder| folder.join("folders.json")),
            folder: None,
            plan: None,
            dialogs: Arc::new(SystemDialogs),
            files,
        }
    }
}

/// The window.
pub struct CommitMarkApp {
    state: State,
    session: Option<Session>,
    background: Background,
    wake: Wake,
    dialogs: Arc<dyn Dialogs>,
    memory: Option<PathBuf>,
    /// The program that looks for databases, where it is not this one.
    looker: Option<PathBuf>,
    waiting: Option<Waiting>,
}

/// What is begun after the first frame.
struct Waiting {
    drawn: bool,
    folder: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl CommitMarkApp {
    /// A window with these options. Work in the background begins once the first frame is drawn, which it would
    /// delay.
    pub fn new(creation: &eframe::CreationContext<'_>, options: Options) -> Self {
        let mut app = Self::idle(creation, options.dialogs, options.memory);
        app.state.history = options.history;
        if let Some(plan) = &options.plan {
            app.state.setup.adopt(plan);
        }
        app.waiting = Some(Waiting { drawn: false, folder: options.folder, files: options.files });
        app
    }

    fn begin(&mut self, context: &egui::Context, waiting: Waiting) {
        self.background.read_machine();
        self.perform(context, vec![Effect::ListDrives, Effect::ListHistory]);
        match (waiting.folder, &self.memory) {
            (Some(folder), _) => self.act(context, Action::PickFolder(folder)),
            (None, Some(memory)) => self.background.recall(memory.clone()),
            (None, None) => {}
        }
        let effects = self.state.open(waiting.files);
        self.perform(context, effects);
    }

    /// A window that shows a given state, for pictures. Nothing is read in the background.
    pub fn showing(creation: &eframe::CreationContext<'_>, options: Options, state: State) -> Self {
        let mut app = Self::idle(creation, options.dialogs, options.memory);
        app.state = State { history: options.history, ..state };
        app
    }

    fn idle(creation: &eframe::CreationContext<'_>, dialogs: Arc<dyn Dialogs>, memory: Option<PathBuf>) -> Self {
        theme::install(&creation.egui_ctx);
        let wake = Wake::new(creation.egui_ctx.clone());
        let background = Background::new(wake.clone());
        Self { state: State::default(), session: None, background, wake, dialogs, memory, looker: None, waiting: None }
    }

    /// The same with another program that looks for databases, for tests, whose own program cannot.
    pub fn with_looker(self, program: PathBuf) -> Self {
        Self { looker: Some(program), ..self }
    }

    /// What the window knows, for tests.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The same to be changed, for tests.
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    fn act(&mut self, context: &egui::Context, action: Action) {
        let effects = self.state.act(action);
        self.perform(context, effects);
    }

    fn perform(&mut self, context: &egui::Context, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::ListDrives => self.background.list_drives(),
                Effect::LookAt(folder) => self.background.look_at(folder),
                Effect::Remember(folders) => {
                    if let Some(memory) = &self.memory {
                        self.background.remember(memory.clone(), folders);
                    }
                }
                Effect::ListHistory => self.with_history(Background::list_history),
                Effect::AskForFolder(start) => self.background.await_dialog(self.dialogs.folder(start.as_deref())),
                Effect::AskForFiles => self.background.await_dialog(self.dialogs.files()),
                Effect::AskForPlace(format, name) => {
                    self.background.await_dialog(self.dialogs.place(format, &name));
                }
                Effect::Sort(paths) => self.background.sort(paths),
                Effect::Load(path) => self.background.load(path),
                Effect::Save(report, format, path) => self.background.save(report, format, path),
                Effect::MakeCopy(report, kind) => self.background.make_copy(report, kind),
                Effect::Copy(text) => context.copy_text(text),
                Effect::CopyPicture(picture) => {
                    let size = [picture.width, picture.height];
                    context.copy_image(ColorImage::from_rgba_unmultiplied(size, &picture.rgba));
                }
                Effect::FindNewest => {
                    self.with_history(Background::find_newest);
                }
                Effect::FindDatabases(folder, stop) => {
                    self.background.find_databases(self.looker.clone(), folder, stop);
                }
                Effect::Reveal(path) => self.background.reveal(path),
                Effect::ChangeKept { path, note, name } => {
                    self.with_history(|background, history| background.change_kept(history, path, note, name));
                }
                Effect::DeleteKept(path) => {
                    self.with_history(|background, history| background.delete_kept(history, path));
                }
                Effect::Gather(paths) => self.background.gather(paths),
                Effect::GatherKept(most) => {
                    self.with_history(|background, history| background.gather_kept(history, most));
                }
                Effect::GatherPublished => self.background.gather_published(),
                Effect::Compare { asked, subjects } => self.background.compare(asked, subjects),
                Effect::Start(request) => {
                    let wake = self.wake.clone();
                    let session = session::start((*request).clone(), move || wake.wake());
                    self.state.started(session.run(), &request);
                    self.session = Some(session);
                }
                Effect::Cancel => {
                    if let Some(session) = &self.session {
                        session.cancel();
                    }
                }
                Effect::Close => context.send_viewport_cmd(ViewportCommand::Close),
            }
        }
    }

    fn with_history(&self, work: impl FnOnce(&Background, History)) {
        if let Some(history) = &self.state.history {
            work(&self.background, history.clone());
        }
    }

    fn take_in(&mut self, context: &egui::Context) {
        while let Ok(finding) = self.background.findings().try_recv() {
            let effects = self.state.find(finding);
            self.perform(context, effects);
        }
        while let Some(session) = &self.session {
            let effects = match session.events().try_recv() {
                Ok(event) => self.state.hear(event),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => self.state.lost(),
            };
            if self.state.run.is_none() {
                self.session = None;
            }
            self.perform(context, effects);
        }
        self.wake.set_measuring(self.state.run.is_some());
    }

    fn hear_window(&mut self, context: &egui::Context) {
        let (asked_to_close, dropped) = context.input(|input| {
            let dropped: Vec<PathBuf> = input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect();
            (input.viewport().close_requested(), dropped)
        });
        #[cfg(target_os = "macos")]
        let dropped = [dropped, super::documents::take(context)].concat();
        if asked_to_close && self.state.run.is_some() {
            context.send_viewport_cmd(ViewportCommand::CancelClose);
            self.act(context, Action::Close);
        }
        if !dropped.is_empty() {
            self.act(context, Action::Drop(dropped));
        }
    }

    fn screen_ui(&self, ui: &mut Ui) -> Option<Action> {
        match (self.state.place, &self.state.run) {
            (Place::Test, Some(run)) => running::running_ui(ui, run, &self.state.results.flipped),
            (Place::Test, None) => test::test_ui(ui, &self.state.setup),
            (Place::Results, _) => results::results_ui(ui, &self.state),
            (Place::Compare, _) => compare::compare_ui(ui, &self.state),
            (Place::Advice, _) => advice::advice_ui(ui, &self.state),
            (Place::Computer, _) => computer::computer_ui(ui, &self.state),
        }
    }
}

impl eframe::App for CommitMarkApp {
    fn logic(&mut self, context: &egui::Context, _frame: &mut eframe::Frame) {
        if let Some(waiting) = self.waiting.take_if(|waiting| waiting.drawn) {
            self.begin(context, waiting);
        }
        self.take_in(context);
        self.hear_window(context);
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.wake.note_paint();
        if let Some(waiting) = &mut self.waiting {
            waiting.drawn = true;
            ui.ctx().request_repaint();
        }
        let narrow = ui.available_width() < NARROW;
        let gone = self.places_ui(ui, narrow);
        let margin = if narrow { 16 } else { 28 };
        // On a low window the buttons scroll with the page.
        let fixed = self.state.place == Place::Results && ui.available_height() > 420.0;
        let done = if fixed { self.footer_ui(ui, margin) } else { None };
        let acted = self.body_ui(ui, margin, !fixed);
        let asked = (self.state.closing == Closing::Asked).then(|| closing::closing_ui(ui)).flatten();
        let managed = self.state.results.managed.as_ref().and_then(|managed| manage::manage_ui(ui, managed));
        let entered = self.enter(ui);
        let context = ui.ctx().clone();
        for action in [gone, done, acted, asked, managed, entered].into_iter().flatten() {
            self.act(&context, action);
        }
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        Palette::of_visuals(visuals).ground.to_normalized_gamma_f32()
    }
}

impl CommitMarkApp {
    fn places_ui(&self, ui: &mut Ui, narrow: bool) -> Option<Action> {
        let frame = Frame::new().fill(Palette::of(ui).card);
        let place = self.state.place;
        if narrow {
            let panel = Panel::top("places").frame(frame.inner_margin(Margin::symmetric(12, 8)));
            panel.show(ui, |ui| rail::bar_ui(ui, place)).inner
        } else {
            let frame = frame.inner_margin(Margin { left: 12, right: 12, top: 12, bottom: 18 });
            let panel = Panel::left("places").resizable(false).exact_size(176.0).frame(frame);
            panel.show(ui, |ui| rail::rail_ui(ui, place)).inner
        }
    }

    fn footer_ui(&self, ui: &mut Ui, margin: i8) -> Option<Action> {
        let frame = Frame::new().fill(Palette::of(ui).ground);
        let frame = frame.inner_margin(Margin { left: margin, right: margin, top: 8, bottom: 12 });
        let panel = Panel::bottom("deeds").frame(frame).show_separator_line(false);
        panel.show(ui, |ui| results::deeds_ui(ui, &self.state)).inner
    }

    fn body_ui(&self, ui: &mut Ui, margin: i8, with_deeds: bool) -> Option<Action> {
        let page = Frame::new().inner_margin(Margin { left: margin, right: margin, top: 22, bottom: 16 });
        let area = ScrollArea::vertical().id_salt(self.state.place.name()).auto_shrink(false);
        let panel = CentralPanel::default().frame(Frame::new().fill(Palette::of(ui).ground));
        let contents = |ui: &mut Ui| {
            ui.set_width(ui.available_width().min(WIDEST));
            let action = self.screen_ui(ui);
            let deeds = with_deeds && self.state.place == Place::Results;
            action.or(if deeds { results::deeds_ui(ui, &self.state) } else { None })
        };
        panel.show(ui, |ui| area.show(ui, |ui| page.show(ui, contents).inner).inner).inner
    }

    /// Enter starts the test where nothing else has the keyboard.
    fn enter(&self, ui: &Ui) -> Option<Action> {
        let free = ui.memory(|memory| memory.focused().is_none());
        let pressed = ui.input(|input| input.key_pressed(Key::Enter));
        let ready = self.state.place == Place::Test && self.state.run.is_none() && self.state.setup.is_ready();
        (free && pressed && ready).then_some(Action::Start)
    }
}

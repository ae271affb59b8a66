//! The screen Test before a run: which folder, what is known about it, and what to run there.

use std::path::{Path, PathBuf};

use super::Effect;
use crate::{
    experiments::{IDS, Parameters},
    measure::scratch::check_room,
    plan::{DriveSpeed, Plan, Preset, expected_speed},
    report::history::History,
    session::Request,
    system::{ListedVolume, Volume},
};

/// So many folders are remembered.
const REMEMBERED: usize = 4;

/// What was found out about a folder.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// The folder.
    pub folder: PathBuf,
    /// Why it cannot be tested, in a sentence.
    pub problem: Option<String>,
    /// Its volume and drive.
    pub volume: Volume,
    /// What would spoil a test there, in sentences.
    pub cautions: Vec<String>,
}

/// An experiment that Custom may run.
#[derive(Clone, Debug)]
pub struct Choosable {
    /// Whether it is ticked.
    pub ticked: bool,
    /// With the numbers as set.
    pub parameters: Parameters,
}

/// What is set up.
#[derive(Debug)]
pub struct Setup {
    /// The text of the path field.
    pub text: String,
    /// The path that was filled in though nobody asked; it makes way for a better one.
    pub suggested: String,
    /// About the folder in the path field; `None` until it was looked at.
    pub looked: Option<Looked>,
    /// The drives of this computer; `None` until they are listed.
    pub drives: Option<Vec<ListedVolume>>,
    /// The folders used last, newest first.
    pub recent: Vec<PathBuf>,
    /// What to run.
    pub preset: Preset,
    /// The experiments of Custom.
    pub custom: Vec<Choosable>,
    /// Why there is no dialog.
    pub dialog_note: Option<String>,
}

impl Default for Setup {
    fn default() -> Self {
        let experiments = IDS.iter().filter_map(|id| {
            let standard = Parameters::preset(id, Preset::Custom);
            let ticked = standard.is_some();
            Some(Choosable { ticked, parameters: standard.or_else(|| Parameters::preset(id, Preset::Full))? })
        });
        Self {
            text: String::new(),
            suggested: String::new(),
            looked: None,
            drives: None,
            recent: Vec::new(),
            preset: Preset::default(),
            custom: experiments.collect(),
            dialog_note: None,
        }
    }
}

impl Setup {
    /// The folder in the path field; `None` where the field is empty.
    pub fn folder(&self) -> Option<PathBuf> {
        // Windows' "Copy as path" puts quotes around it.
        let text = self.text.trim().trim_matches('"');
        if text.is_empty() {
            return None;
        }
        let home = || directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned());
        let below_home = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\']));
        match below_home.and_then(|rest| Some((rest, home()?))) {
            Some((rest, home)) => Some(home.join(rest.trim_start_matches(['/', '\\']))),
            None => Some(PathBuf::from(text)),
        }
    }

    pub(super) fn edit(&mut self, text: String) -> Vec<Effect> {
        self.text = text;
        self.looked = None;
        self.folder().map(Effect::LookAt).into_iter().collect()
    }

    pub(super) fn pick(&mut self, folder: &Path) -> Vec<Effect> {
        self.edit(folder.display().to_string())
    }

    /// Takes the facts in, unless the field holds another folder by now.
    pub(super) fn looked_at(&mut self, looked: Looked) {
        if self.folder().as_deref() == Some(looked.folder.as_path()) {
            self.looked = Some(looked);
        }
    }

    /// Takes the drives in. At the start the first, which holds the user's data, is suggested.
    pub(super) fn listed(&mut self, drives: Vec<ListedVolume>) -> Vec<Effect> {
        let first = drives.iter().find(|drive| drive.refusal.is_none()).map(|drive| drive.folder.clone());
        let at_the_start = self.drives.replace(drives).is_none() && self.text.is_empty();
        match first.filter(|_| at_the_start) {
            Some(folder) => {
                let effects = self.pick(&folder);
                self.suggested.clone_from(&self.text);
                effects
            }
            None => Vec::new(),
        }
    }

    /// Takes the remembered folders in; the newest fills a field that nobody has touched.
    pub(super) fn remembered(&mut self, folders: Vec<PathBuf>) -> Vec<Effect> {
        self.recent = folders;
        match self.recent.first().cloned() {
            Some(newest) if self.text.is_empty() || self.text == self.suggested => self.pick(&newest),
            _ => Vec::new(),
        }
    }

    /// The remembered folders after one more use.
    pub(super) fn remember(&mut self, folder: &Path) -> Vec<PathBuf> {
        self.recent.retain(|known| known != folder);
        self.recent.insert(0, folder.to_owned());
        self.recent.truncate(REMEMBERED);
        self.recent.clone()
    }

    pub(super) fn tick(&mut self, experiment: &str) {
        if let Some(choosable) = self.custom.iter_mut().find(|choosable| choosable.parameters.id() == experiment) {
            choosable.ticked = !choosable.ticked;
        }
    }

    pub(super) fn set(&mut self, experiment: &str, name: &str, value: u64) {
        if let Some(choosable) = self.custom.iter_mut().find(|choosable| choosable.parameters.id() == experiment) {
            choosable.parameters.set(name, value);
        }
    }

    /// Makes a plan the one to run, for a result that is run again.
    pub fn adopt(&mut self, plan: &Plan) {
        self.preset = plan.preset;
        if Plan::new(plan.preset) == *plan {
            return;
        }
        self.preset = Preset::Custom;
        for choosable in &mut self.custom {
            let id = choosable.parameters.id();
            let chosen = plan.experiments.iter().find(|parameters| parameters.id() == id);
            choosable.ticked = chosen.is_some();
            if let Some(parameters) = chosen {
                choosable.parameters = parameters.clone();
            }
        }
    }

    /// The presets worth offering: Full only where it is more than Standard.
    pub fn presets() -> Vec<Preset> {
        let standard = Plan::new(Preset::Standard).experiments;
        [Preset::Quick, Preset::Standard, Preset::Full, Preset::Custom]
            .into_iter()
            .filter(|preset| *preset != Preset::Full || Plan::new(Preset::Full).experiments != standard)
            .collect()
    }

    /// The plan of a preset as it is set up here.
    pub fn plan_of(&self, preset: Preset) -> Plan {
        if preset == Preset::Custom {
            let ticked = self.custom.iter().filter(|choosable| choosable.ticked);
            Plan { preset, experiments: ticked.map(|choosable| choosable.parameters.clone()).collect() }
        } else {
            Plan::new(preset)
        }
    }

    /// What would run now.
    pub fn plan(&self) -> Plan {
        self.plan_of(self.preset)
    }

    /// How fast the chosen drive usually is.
    pub fn speed(&self) -> DriveSpeed {
        self.looked.as_ref().map_or_else(|| expected_speed(&Volume::default()), |looked| expected_speed(&looked.volume))
    }

    /// Why the test cannot start, in a sentence; `None` where it can or where that is not known yet.
    pub fn problem(&self) -> Option<String> {
        let of_folder = self.looked.as_ref().and_then(|looked| looked.problem.clone());
        of_folder
            .or_else(|| self.plan().check().err().map(|error| error.to_string()))
            .or_else(|| self.too_little_room())
    }

    fn too_little_room(&self) -> Option<String> {
        let looked = self.looked.as_ref()?;
        let peak_bytes = self.plan().cost(&self.speed()).peak_bytes;
        check_room(&looked.folder, peak_bytes, looked.volume.free_bytes).err().map(|error| error.to_string())
    }

    /// Whether the test can start.
    pub fn is_ready(&self) -> bool {
        self.looked.is_some() && self.problem().is_none()
    }

    pub(super) fn request(&self, history: Option<History>) -> Option<Request> {
        let folder = self.folder()?;
        let plan = self.plan();
        plan.check().ok()?;
        // A folder that was not looked at yet is checked by the session before anything is written.
        let refused = self.looked.is_some() && self.problem().is_some();
        (!refused).then_some(Request { folder, plan, note: None, history })
    }
}

//! One kept result in the person's hands: its note, its name, and whether it is to be deleted. The
//! questions are asked over the list of results.

use std::path::PathBuf;

use uuid::Uuid;

use super::{
    Effect, Results,
    results::{Earlier, Line},
};
use crate::report::history::{LONGEST_NOTE, name_of};

/// What a person does with a kept result.
#[derive(Clone, Debug, PartialEq)]
pub enum KeptAction {
    /// Chose "Manage..." beside a result.
    Manage(PathBuf),
    /// Typed a note.
    EditNote(String),
    /// Typed a name.
    EditName(String),
    /// Keep note and name.
    Save,
    /// Delete..., which asks.
    AskToDelete,
    /// Delete, for good.
    Delete,
    /// Show the file in the system's file manager.
    Reveal,
    /// Leave everything as it is.
    Leave,
}

/// The result in hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Managed {
    /// The file.
    pub path: PathBuf,
    /// What the list says about it.
    pub sentence: String,
    /// When and on which drive.
    pub facts: String,
    /// The note as it stands in the field.
    pub note: String,
    /// The name as it stands in the field, without the ending.
    pub name: String,
    /// Whether the person is asked about deleting it.
    pub deleting: bool,
    /// What went wrong last, in a sentence.
    pub problem: Option<String>,
    note_before: String,
}

impl Managed {
    fn new(earlier: &Earlier) -> Option<Self> {
        let Line::Result { drive, sentence, note, .. } = &earlier.line else { return None };
        let note = note.clone().unwrap_or_default();
        Some(Self {
            path: earlier.path.clone(),
            sentence: sentence.clone(),
            facts: format!("{}  ·  {drive}", earlier.when),
            note_before: note.clone(),
            note,
            name: name_of(&earlier.path),
            deleting: false,
            problem: None,
        })
    }

    /// The changes asked for; nothing where there are none.
    fn changes(&self) -> Option<Effect> {
        let note = (self.note != self.note_before).then(|| self.note.clone());
        let name = (self.name.trim() != name_of(&self.path)).then(|| self.name.clone());
        let asked = note.is_some() || name.is_some();
        asked.then(|| Effect::ChangeKept { path: self.path.clone(), note, name })
    }
}

impl Results {
    /// A run that is going on writes its own file, which is left alone until its end.
    pub(super) fn handle(&mut self, action: KeptAction, running: Option<Uuid>) -> Vec<Effect> {
        match action {
            KeptAction::Manage(path) => {
                let earlier = self.earlier.iter().flatten().find(|earlier| earlier.path == path);
                let idle = earlier.filter(|earlier| earlier.run().is_none_or(|run| Some(run) != running));
                self.managed = idle.and_then(Managed::new);
                return Vec::new();
            }
            KeptAction::Leave => {
                self.managed = None;
                return Vec::new();
            }
            _ => {}
        }
        let Some(managed) = &mut self.managed else { return Vec::new() };
        match action {
            KeptAction::EditNote(note) => managed.note = note.chars().take(LONGEST_NOTE).collect(),
            KeptAction::EditName(name) => managed.name = name,
            KeptAction::AskToDelete => managed.deleting = true,
            KeptAction::Delete => return vec![Effect::DeleteKept(managed.path.clone())],
            KeptAction::Reveal => return vec![Effect::Reveal(managed.path.clone())],
            KeptAction::Save => match managed.changes() {
                Some(effect) => return vec![effect],
                None => self.managed = None,
            },
            KeptAction::Manage(_) | KeptAction::Leave => {}
        }
        Vec::new()
    }

    /// A kept result was changed, or why not.
    pub(super) fn changed(&mut self, done: Result<&'static str, String>) -> Vec<Effect> {
        match (done, &mut self.managed) {
            (Ok(said), _) => {
                self.managed = None;
                self.said = Some(said.to_owned());
            }
            (Err(sentence), Some(managed)) => {
                managed.problem = Some(sentence);
                managed.deleting = false;
            }
            (Err(sentence), None) => self.problem = Some(sentence),
        }
        vec![Effect::ListHistory]
    }
}

//! The place Compare: which results are there, which of them are compared, and how they are sorted and
//! filtered. Reading files and comparing are done elsewhere; what is here is ready to be drawn.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use super::Effect;
use crate::{
    report::compare::{Caution, Comparison, MOST_DRAWN, Origin, Subject},
    section::{Hue, Section},
};

/// So many kept results are taken at once, the newest.
pub const MOST_KEPT: usize = 1_000;
/// So many sentences about files that cannot be opened are shown.
const MOST_PROBLEMS: usize = 3;

/// What a person does in the place Compare.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareAction {
    /// Asked for the dialog that opens files.
    AskForFiles,
    /// Add all kept results.
    AddKept,
    /// Add files, or the results in folders.
    Add(Vec<PathBuf>),
    /// Show or hide the published results.
    SwitchPublished,
    /// Compare this one or no longer.
    Tick(usize),
    /// Compare the others with this one.
    MakeFirst(usize),
    /// Sort by this, or the other way round.
    SortBy(Column),
    /// Only those that have this; all where it is `None`.
    Filter(Column, Option<String>),
    /// Take all away.
    Clear,
    /// Draw a section on the other scale.
    FlipScale(String),
}

/// What results are sorted and filtered by.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Column {
    /// The name: drive and date.
    Name,
    /// The drive.
    Drive,
    /// The file system.
    FileSystem,
    /// The bus.
    Bus,
    /// The operating system.
    System,
    /// Saves a second with the default settings.
    Number,
}

impl Column {
    /// Those that results can be filtered by.
    pub const FILTERS: [Self; 4] = [Self::Drive, Self::FileSystem, Self::Bus, Self::System];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "Result",
            Self::Drive => "Drive",
            Self::FileSystem => "File system",
            Self::Bus => "Bus",
            Self::System => "System",
            Self::Number => "Safe default",
        }
    }
}

/// A result that can be compared.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The file; `None` for published results.
    pub path: Option<PathBuf>,
    /// What it offers.
    pub subject: Arc<Subject>,
}

impl Listed {
    /// A fact as text, empty where it is unknown.
    pub fn fact(&self, column: Column) -> String {
        let Origin { drive, file_system, bus, os, .. } = &self.subject.origin;
        let fact = match column {
            Column::Name => return self.subject.name.clone(),
            Column::Number => return self.default_saves(),
            Column::Drive => drive,
            Column::FileSystem => file_system,
            Column::Bus => bus,
            Column::System => os,
        };
        fact.clone().unwrap_or_default()
    }

    fn default_saves(&self) -> String {
        self.subject.default_saves().map_or_else(String::new, crate::units::rate)
    }
}

/// A comparison, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// What must be known.
    pub cautions: Vec<Caution>,
    /// The findings.
    pub sections: Vec<Section>,
}

impl Told {
    /// Tells a comparison.
    pub fn new(comparison: Comparison) -> Self {
        Self { sections: comparison.sections(), cautions: comparison.cautions }
    }
}

/// The place.
#[derive(Debug, Default)]
pub struct Compare {
    /// All results, in the order they came.
    pub files: Vec<Listed>,
    /// Which are shown, sorted and filtered: places in `files`.
    pub shown: Vec<usize>,
    /// Which are compared: places in `files`. The others are compared with the first.
    pub ticked: Vec<usize>,
    /// What the list is sorted by, and whether from the largest.
    pub sorted: Option<(Column, bool)>,
    /// What the list is filtered by.
    pub filters: Vec<(Column, String)>,
    /// The choices of each filter.
    pub choices: Vec<(Column, BTreeSet<String>)>,
    /// The comparison of those ticked.
    pub told: Option<Told>,
    /// How many files are still being read.
    pub reading: usize,
    /// Why files could not be opened, in sentences.
    pub problems: Vec<String>,
    /// Whether the published results are among them.
    pub published: bool,
    /// The sections that are drawn on the scale their experiment did not choose.
    pub flipped: BTreeSet<String>,
    unopened: usize,
    /// Counts comparisons, so that only the newest is shown.
    asked: u64,
}

impl Compare {
    /// The colour and shape of a result that is compared.
    pub fn hue(&self, index: usize) -> Option<Hue> {
        let place = self.ticked.iter().position(|ticked| *ticked == index)?;
        u8::try_from(place).ok().map(Hue::Nth)
    }

    pub(super) fn handle(&mut self, action: CompareAction) -> Vec<Effect> {
        match action {
            CompareAction::AskForFiles => return vec![Effect::AskForFiles],
            CompareAction::AddKept => return vec![Effect::GatherKept(MOST_KEPT)],
            CompareAction::Add(paths) => return self.gather(paths),
            CompareAction::SwitchPublished => return self.switch_published(),
            CompareAction::Tick(index) => return self.tick(index),
            CompareAction::MakeFirst(index) => {
                self.ticked.retain(|ticked| *ticked != index);
                self.ticked.insert(0, index);
                self.ticked.truncate(MOST_DRAWN);
                return self.compare();
            }
            CompareAction::SortBy(column) => {
                let from_largest = matches!(self.sorted, Some((known, false)) if known == column);
                self.sorted = Some((column, from_largest));
            }
            CompareAction::Filter(column, value) => {
                self.filters.retain(|(known, _)| *known != column);
                self.filters.extend(value.map(|value| (column, value)));
            }
            CompareAction::Clear => {
                let asked = self.asked;
                *self = Self { asked, ..Self::default() };
            }
            CompareAction::FlipScale(section) => {
                if !self.flipped.remove(&section) {
                    self.flipped.insert(section);
                }
            }
        }
        self.arrange();
        Vec::new()
    }

    /// Asks for files, or for the results in folders.
    pub(super) fn gather(&mut self, paths: Vec<PathBuf>) -> Vec<Effect> {
        self.problems.clear();
        self.unopened = 0;
        vec![Effect::Gather(paths)]
    }

    /// So many files are going to be read.
    pub(super) fn expect(&mut self, files: usize) {
        self.reading += files;
    }

    /// Some of them were read.
    pub(super) fn gathered(&mut self, read: Vec<(PathBuf, Result<Arc<Subject>, String>)>) -> Vec<Effect> {
        self.reading = self.reading.saturating_sub(read.len());
        for (path, subject) in read {
            match subject {
                Ok(subject) if self.has(&subject) => {}
                Ok(subject) => self.files.push(Listed { path: Some(path), subject }),
                Err(sentence) => self.problem(sentence),
            }
        }
        self.arrange();
        self.tick_some()
    }

    /// A comparison was made; one that is no longer wanted is dropped.
    pub(super) fn compared(&mut self, asked: u64, told: Told) {
        if asked == self.asked {
            self.told = Some(told);
        }
    }

    /// "and 12 more files" beside the problems that are shown.
    pub fn more_problems(&self) -> usize {
        self.unopened.saturating_sub(self.problems.len())
    }

    pub(super) fn problem(&mut self, sentence: String) {
        self.unopened += 1;
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(sentence);
        }
    }

    fn has(&self, subject: &Subject) -> bool {
        let run = &subject.origin.run;
        run.is_some() && self.files.iter().any(|listed| listed.subject.origin.run == *run)
    }

    /// A few files are all compared at once; of many only the first two, until the person chooses.
    fn tick_some(&mut self) -> Vec<Effect> {
        let wanted = if self.files.len() <= MOST_DRAWN { self.files.len() } else { 2.max(self.ticked.len()) };
        let more: Vec<usize> = (0..self.files.len()).filter(|index| !self.ticked.contains(index)).collect();
        let missing = wanted.saturating_sub(self.ticked.len());
        if missing == 0 {
            return Vec::new();
        }
        self.ticked.extend(more.into_iter().take(missing));
        self.compare()
    }

    fn tick(&mut self, index: usize) -> Vec<Effect> {
        match self.ticked.iter().position(|ticked| *ticked == index) {
            Some(place) => {
                self.ticked.remove(place);
            }
            None if self.ticked.len() >= MOST_DRAWN || index >= self.files.len() => return Vec::new(),
            None => self.ticked.push(index),
        }
        self.compare()
    }

    fn switch_published(&mut self) -> Vec<Effect> {
        self.published = !self.published;
        if self.published {
            return vec![Effect::GatherPublished];
        }
        let kept: Vec<usize> = (0..self.files.len()).filter(|index| self.is_file(*index)).collect();
        let place_of = |index: &usize| kept.iter().position(|kept| kept == index);
        self.ticked = self.ticked.iter().filter_map(place_of).collect();
        self.files.retain(|listed| listed.path.is_some());
        self.arrange();
        self.compare()
    }

    fn is_file(&self, index: usize) -> bool {
        self.files.get(index).is_some_and(|listed| listed.path.is_some())
    }

    /// The published results were read.
    pub(super) fn add_published(&mut self, subjects: Vec<Arc<Subject>>) -> Vec<Effect> {
        if !self.published {
            return Vec::new();
        }
        let own = self.files.len();
        self.files.extend(subjects.into_iter().map(|subject| Listed { path: None, subject }));
        self.arrange();
        // Who switches them on wants to see them.
        self.ticked.extend(own..self.files.len());
        self.ticked.truncate(MOST_DRAWN);
        self.compare()
    }

    fn compare(&mut self) -> Vec<Effect> {
        self.asked += 1;
        let subjects: Vec<Arc<Subject>> = self
            .ticked
            .iter()
            .filter_map(|index| self.files.get(*index).map(|listed| Arc::clone(&listed.subject)))
            .collect();
        if subjects.len() < 2 {
            self.told = None;
            return Vec::new();
        }
        vec![Effect::Compare { asked: self.asked, subjects }]
    }

    /// Sorts and filters what is shown, and collects what can be filtered by.
    fn arrange(&mut self) {
        self.choices = Column::FILTERS
            .into_iter()
            .map(|column| {
                (column, self.files.iter().map(|listed| listed.fact(column)).filter(|fact| !fact.is_empty()).collect())
            })
            .collect();
        let files = &self.files;
        let passes = |index: &usize| {
            files
                .get(*index)
                .is_some_and(|listed| self.filters.iter().all(|(column, value)| listed.fact(*column) == *value))
        };
        let mut shown: Vec<usize> = (0..files.len()).filter(passes).collect();
        if let Some((column, from_largest)) = self.sorted {
            if column == Column::Number {
                let number = |index: &usize| {
                    files.get(*index).and_then(|listed| listed.subject.default_saves()).unwrap_or_default()
                };
                shown.sort_by(|one, other| number(one).total_cmp(&number(other)));
            } else {
                shown.sort_by_cached_key(|index| files.get(*index).map(|listed| listed.fact(column).to_lowercase()));
            }
            if from_largest {
                shown.reverse();
            }
        }
        self.shown = shown;
    }
}

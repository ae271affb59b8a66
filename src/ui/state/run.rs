//! A run while it lasts: the bar, the words, and what was measured so far.

use std::path::PathBuf;

use uuid::Uuid;

use crate::{experiments::AnyOutcome, plan::Plan, report::Report, section::Section, session::Request};

/// How a run is doing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Phase {
    /// It measures.
    Running,
    /// It was asked to stop and tidies up.
    Stopping,
}

/// A run.
#[derive(Debug)]
pub struct Run {
    /// Which one; events of others are dropped.
    pub id: Uuid,
    /// The folder that is tested.
    pub folder: PathBuf,
    /// What is run.
    pub plan: Plan,
    /// How it is doing.
    pub phase: Phase,
    /// The drive in a few words, once it is known.
    pub drive: Option<String>,
    /// The system keeps itself awake until the run ends.
    pub stays_awake: bool,
    /// The step in words.
    pub step: String,
    /// Of the whole plan, from 0 to 1; never less than before.
    pub share: f64,
    /// An estimate of what is left, in seconds; `None` before the first step.
    pub seconds_left: Option<f64>,
    /// What was measured so far, ready to be drawn.
    pub sections: Vec<Section>,
    outcomes: Vec<AnyOutcome>,
}

impl Run {
    pub(super) fn new(id: Uuid, request: &Request) -> Self {
        Self {
            id,
            folder: request.folder.clone(),
            plan: request.plan.clone(),
            phase: Phase::Running,
            drive: None,
            stays_awake: true,
            step: "Getting ready".to_owned(),
            share: 0.0,
            seconds_left: None,
            sections: Vec::new(),
            outcomes: Vec::new(),
        }
    }

    pub(super) fn begin(&mut self, report: &Report, stays_awake: bool) {
        self.stays_awake = stays_awake;
        self.drive = Some(report.drive_words());
    }

    pub(super) fn progress(&mut self, step: String, share: f64, seconds_left: f64) {
        self.step = step;
        self.share = self.share.max(share.clamp(0.0, 1.0));
        self.seconds_left = Some(seconds_left.max(0.0));
    }

    pub(super) fn measured(&mut self, outcome: AnyOutcome) {
        match self.outcomes.iter_mut().find(|known| known.id() == outcome.id()) {
            Some(known) => *known = outcome,
            None => self.outcomes.push(outcome),
        }
        // The newest experiment's first section is the one to watch.
        let newest = self.outcomes.last();
        self.sections = newest.map(|outcome| outcome.sections(&self.plan.experiments)).unwrap_or_default();
    }
}

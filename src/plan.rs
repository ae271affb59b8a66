//! What is to be run: experiments with their parameters, made from a preset and changed by hand. The
//! window and the terminal make plans; `session` runs them; the result file records them. Here too is
//! the estimate of time and bytes that a person sees before anything is written.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use crate::experiments::parameters::{Cost, DriveSpeed, Knob, Preset};
use crate::{
    experiments::{IDS, Parameters},
    system::volume::Volume,
    units,
};

/// A plan: which experiments, with which parameters.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Plan {
    /// Where the parameters came from.
    pub preset: Preset,
    /// In the order they run.
    pub experiments: Vec<Parameters>,
}

/// Why a plan cannot be run.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PlanError {
    /// No such experiment.
    #[error("There is no experiment named \"{name}\". Choose from: {}", IDS.join(", "))]
    UnknownExperiment {
        /// What was asked for.
        name: String,
    },
    /// Nothing chosen.
    #[error("The plan holds no experiment. Choose at least one")]
    Empty,
    /// A number outside its limits.
    #[error("{experiment}: {label} is {}, which is outside {} to {}. Choose a number between them",
        units::count(*value), units::count(*least), units::count(*most))]
    OutOfRange {
        /// The experiment's id.
        experiment: &'static str,
        /// The number in plain words.
        label: &'static str,
        /// What was asked for.
        value: u64,
        /// The least that is allowed.
        least: u64,
        /// The most that is allowed.
        most: u64,
    },
}

impl Plan {
    /// The plan of a preset. `Custom` starts as Standard.
    pub fn new(preset: Preset) -> Self {
        Self { preset, experiments: IDS.iter().filter_map(|id| Parameters::preset(id, preset)).collect() }
    }

    /// Only these experiments, in the registry's order. One that the preset leaves out comes with its
    /// parameters of Full.
    ///
    /// # Errors
    /// An unknown name, or no name at all.
    pub fn only(preset: Preset, names: &[impl AsRef<str>]) -> Result<Self, PlanError> {
        if let Some(name) = names.iter().find(|name| !IDS.contains(&name.as_ref())) {
            return Err(PlanError::UnknownExperiment { name: name.as_ref().to_owned() });
        }
        let chosen = IDS.iter().filter(|id| names.iter().any(|name| name.as_ref() == **id));
        let experiments: Vec<_> = chosen
            .filter_map(|id| Parameters::preset(id, preset).or_else(|| Parameters::preset(id, Preset::Full)))
            .collect();
        let plan = Self { preset, experiments };
        if plan.experiments.is_empty() { Err(PlanError::Empty) } else { Ok(plan) }
    }

    /// Sets a number in every experiment that has it; `Custom` from then on. Returns whether any had it.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        let mut found = false;
        for params in &mut self.experiments {
            found |= params.set(name, value);
        }
        if found {
            self.preset = Preset::Custom;
        }
        found
    }

    /// The names of all numbers that can be set, for a person who looks for one.
    pub fn numbers(&self) -> String {
        let mut experiments = self.experiments.clone();
        let names: BTreeSet<&str> =
            experiments.iter_mut().flat_map(|params| params.knobs()).map(|knob| knob.name).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    }

    /// Checks every number against its limits.
    ///
    /// # Errors
    /// The first number outside its limits, or an empty plan.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.experiments.is_empty() {
            return Err(PlanError::Empty);
        }
        for params in &self.experiments {
            let experiment = params.id();
            for Knob { label, least, most, value, .. } in params.clone().knobs() {
                if !(least..=most).contains(value) {
                    return Err(PlanError::OutOfRange { experiment, label, value: *value, least, most });
                }
            }
        }
        Ok(())
    }

    /// What the whole plan will take on a drive of this speed. What lasts a given time writes more on a faster drive, and
    /// nobody is to be surprised by that, so the bytes are those of a drive that is far faster than its kind, though not
    /// faster than 0.1 ms a sync.
    pub fn cost(&self, drive: &DriveSpeed) -> Cost {
        const FASTER: f64 = 20.0;
        const FASTEST_SECONDS: f64 = 100e-6;
        let fast =
            DriveSpeed { sync_seconds: (drive.sync_seconds / FASTER).max(FASTEST_SECONDS).min(drive.sync_seconds) };
        let sum = |drive| self.experiments.iter().fold(Cost::default(), |cost, params| cost + params.cost(drive));
        Cost { seconds: sum(drive).seconds, ..sum(&fast) }
    }

    /// The line a person reads before pressing Start: "Writes about 240 MB to D:\Apps, takes about
    /// 1 minute, removes its files afterwards".
    pub fn review(&self, folder: &str, drive: &DriveSpeed) -> String {
        let cost = self.cost(drive);
        format!(
            "Writes about {} to {folder}, takes {}, removes its files afterwards",
            units::bytes(cost.written_bytes),
            units::about(cost.seconds)
        )
    }
}

/// What a drive's speed usually is, from its kind, until it is measured. One sync: memory 5 µs, NVMe
/// 0.5 ms, other SSDs 1.5 ms, hard disks 12 ms (one turn of a 5,400 rpm disk), USB sticks and cards
/// 10 ms, network 5 ms, anything else 2 ms.
pub fn expected_speed(volume: &Volume) -> DriveSpeed {
    let kind = volume.kind.as_deref().unwrap_or_default().to_lowercase();
    let sync_seconds = if volume.memory == Some(true) {
        5e-6
    } else if volume.network == Some(true) {
        5e-3
    } else if kind.contains("hard disk") {
        12e-3
    } else if kind.contains("nvme") {
        0.5e-3
    } else if kind.contains("usb") || kind.contains("card") {
        10e-3
    } else if kind.contains("ssd") {
        1.5e-3
    } else {
        2e-3
    };
    DriveSpeed { sync_seconds }
}

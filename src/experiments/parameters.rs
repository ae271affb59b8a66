//! The words in which experiments state what they will do before they do it: presets, numbers a person
//! may set, and the cost in time and bytes. `plan` adds them up, the window and the terminal show them.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A ready-made plan.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// The answer within a minute.
    #[default]
    Quick,
    /// The work as published: 10,000 saves five times for each setting.
    Standard,
    /// Every experiment.
    Full,
    /// Chosen by hand.
    #[value(skip)]
    Custom,
}

/// A number that a person may set, with its limits. The name is the same in the window, in the
/// terminal and in the result file's plan.
#[derive(Debug)]
pub struct Knob<'a> {
    /// In snake_case: `inserts`, `rounds`, `seconds`, `busy_timeout_ms`.
    pub name: &'static str,
    /// In plain words, with the unit: "saves in each run".
    pub label: &'static str,
    /// The least value that makes sense.
    pub least: u64,
    /// The largest value that makes sense.
    pub most: u64,
    /// The number itself.
    pub value: &'a mut u64,
}

/// What an experiment will take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Wall time in seconds.
    pub seconds: f64,
    /// Bytes written to the drive in all.
    pub written_bytes: u64,
    /// The most bytes its files occupy at any moment.
    pub peak_bytes: u64,
}

impl std::ops::Add for Cost {
    type Output = Self;

    /// One after the other: times and writes add up, and the larger peak counts.
    fn add(self, other: Self) -> Self {
        Self {
            seconds: self.seconds + other.seconds,
            written_bytes: self.written_bytes.saturating_add(other.written_bytes),
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
        }
    }
}

/// How fast a drive makes things permanent: the base of every estimate of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveSpeed {
    /// One sync of a written page, in seconds.
    pub sync_seconds: f64,
}

impl DriveSpeed {
    /// A commit of one row by SQLite's own work, without waiting for the drive, in seconds. Measured on
    /// tmpfs; between 8 and 25 microseconds on computers of the last ten years.
    const COMMIT_CPU_SECONDS: f64 = 20e-6;

    /// The time of one commit that waits for this many syncs, in seconds.
    pub fn commit_seconds(&self, syncs: f64) -> f64 {
        Self::COMMIT_CPU_SECONDS + syncs * self.sync_seconds
    }
}

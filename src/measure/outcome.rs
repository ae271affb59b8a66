//! What an experiment hands back: cases with their raw samples, the ratios between them, and warnings.
//! Plain data that goes into the result file as it is; experiments fill it, `report/` keeps it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::database::Settings;
use crate::stats;

/// A record of one measurement.
pub trait Sample: Clone + Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    /// The round it belongs to, from 1.
    fn round(&self) -> u64;

    /// Why the record cannot be true, or `Ok`. Files are untrusted.
    ///
    /// # Errors
    /// Names the field.
    fn check(&self) -> Result<(), Cow<'static, str>>;

    /// What it says of a measure that other work is told by too; `None` where it says nothing.
    fn measure(&self, _measure: Measure) -> Option<f64> {
        None
    }
}

/// What the samples of several experiments can be asked for, and published figures are of.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Pages made permanent a second.
    FlushesPerSecond,
    /// Transactions committed a second.
    SavesPerSecond,
    /// Reads finished a second.
    ReadsPerSecond,
    /// Commits refused because the database was locked, a second.
    RefusedSavesPerSecond,
    /// Reads refused because the database was locked, a second.
    RefusedReadsPerSecond,
    /// Requests answered a second.
    RequestsPerSecond,
    /// The largest size of the WAL, in bytes.
    LargestWalBytes,
    /// The size of the WAL before a checkpoint, in bytes.
    WalBytesBefore,
    /// The size of the WAL after a checkpoint, in bytes.
    WalBytesAfter,
    /// A ratio of speeds; it is of two cases, so no sample has it.
    Times,
}

impl Measure {
    /// For the cell of a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::FlushesPerSecond => "flushes a second",
            Self::SavesPerSecond => "saves a second",
            Self::ReadsPerSecond => "reads a second",
            Self::RefusedSavesPerSecond => "\"database is locked\" on saving, a second",
            Self::RefusedReadsPerSecond => "\"database is locked\" on reading, a second",
            Self::RequestsPerSecond => "requests a second",
            Self::LargestWalBytes => "largest WAL",
            Self::WalBytesBefore => "WAL before the checkpoint",
            Self::WalBytesAfter => "WAL after the checkpoint",
            Self::Times => "times as fast",
        }
    }
}

/// What an experiment measured.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Outcome<S> {
    /// From the start of the experiment to its end, set-up included, in seconds.
    pub wall_seconds: f64,
    /// One entry for each setting compared.
    pub cases: Vec<Case<S>>,
    /// Comparisons between cases, made from the samples.
    #[serde(default)]
    pub ratios: Vec<Ratio>,
    /// What lessens the trust in these numbers.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

impl<S> Outcome<S> {
    /// The case of this name.
    pub fn case(&self, name: &str) -> Option<&Case<S>> {
        self.cases.iter().find(|case| case.name == name)
    }

    /// The ratio of these two cases.
    pub fn ratio(&self, of: &str, to: &str) -> Option<&Ratio> {
        self.ratios.iter().find(|ratio| ratio.of == of && ratio.to == to)
    }
}

impl<S: Sample> Outcome<S> {
    /// The median of a measure over the samples of a case; `None` where there is none.
    pub fn figure(&self, case: &str, measure: Measure) -> Option<f64> {
        let values: Vec<f64> = self.case(case)?.samples.iter().filter_map(|sample| sample.measure(measure)).collect();
        stats::median(&values)
    }
}

/// One setting with its samples.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Case<S> {
    /// Unique in its experiment: `wal/full`.
    pub name: String,
    /// The settings as SQLite answered when they were read back; absent where a case has none, such as a
    /// bare system call.
    #[serde(flatten)]
    pub settings: Option<Settings>,
    /// What SQLite answered instead, where it did not take the settings; then there are no samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Every sample, in the order measured.
    pub samples: Vec<S>,
}

/// How many times the speed of one case another has.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Ratio {
    /// What changes between the two, in plain words: "journal mode at full".
    pub name: String,
    /// The case whose speed is asked.
    pub of: String,
    /// The case it is compared with.
    pub to: String,
    /// The median of the ratios taken in each round.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// The confidence of the interval, from 0 to 1.
    pub confidence: f64,
    /// How many rounds held both cases.
    pub rounds: u64,
}

impl Ratio {
    /// The paired ratio of two cases' speeds (a second); rounds that only one of them has are left
    /// out. `None` where no round holds both.
    pub fn paired<S: Sample>(name: &str, of: &Case<S>, to: &Case<S>, speed: impl Fn(&S) -> f64) -> Option<Self> {
        let (of_speeds, to_speeds): (Vec<f64>, Vec<f64>) = of
            .samples
            .iter()
            .filter_map(|sample| {
                let other = to.samples.iter().find(|other| other.round() == sample.round())?;
                Some((speed(sample), speed(other)))
            })
            .unzip();
        let ratio = stats::paired_ratio(&of_speeds, &to_speeds)?;
        Some(Self {
            name: name.to_owned(),
            of: of.name.clone(),
            to: to.name.clone(),
            value: ratio.value,
            low: ratio.interval.low,
            high: ratio.interval.high,
            confidence: ratio.interval.confidence,
            rounds: ratio.rounds as u64,
        })
    }

    /// Half the interval's width relative to the value: 0.05 means give or take 5 per cent.
    pub fn half_width(&self) -> f64 {
        ((self.high / self.low).ln() / 2.0).exp_m1()
    }
}

/// Why a number deserves less trust, and what to do about it.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Warning {
    /// Stable and lower case, for programs: `noisy`.
    pub code: String,
    /// One or two sentences for people: what is wrong, what to do.
    pub message: String,
}

/// The code of the gravest warning: what was saved did not read back as it was.
pub const WRONG_DATA: &str = "wrong_data";

impl Warning {
    /// A warning from its code and its sentence.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }
}

/// For `Sample::check`: every number named must be finite and not negative.
///
/// # Errors
/// Names the first field that is not.
pub fn not_negative(fields: &[(&'static str, f64)]) -> Result<(), Cow<'static, str>> {
    match fields.iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
        Some((name, _)) => Err(format!("{name} is not a number of at least 0").into()),
        None => Ok(()),
    }
}

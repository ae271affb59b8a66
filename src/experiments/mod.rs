//! The registry of experiments. Each experiment is one module with its parameters, its work, the
//! samples it yields and the sections that tell them; a new one is one new file and one line in the
//! `registry!` below. `plan` names parameters, `session` runs them, `report` keeps outcomes, and every
//! front end draws the sections.

pub mod backup;
pub mod batching;
pub mod checkpoint;
pub mod contention;
mod drawing;
pub mod flush;
pub mod inserts;
pub mod locking;
pub mod parameters;
pub mod published;
pub mod read_only;
pub mod readers;
pub mod snapshot;
mod steps;
pub mod sync_service;
pub(crate) mod telling;
pub mod writers;

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    measure::{
        MeasureError,
        context::{Bench, Context},
        outcome::{Case, Measure, Outcome, Ratio, Sample, Warning},
    },
    section::Section,
};
use parameters::{Cost, DriveSpeed, Knob, Preset};

/// What every experiment provides. The value itself holds the parameters.
pub trait Experiment: Clone + Serialize + DeserializeOwned + JsonSchema {
    /// What one case records each time it is measured, units in the field names.
    type Sample: Sample;

    /// Whether a result begins with it: what most people ask comes first, whatever ran first.
    const LEADS: bool = false;

    /// Whether each case is a connection with settings; a file without them is then damaged.
    const CASES_HAVE_SETTINGS: bool = true;

    /// The question it answers, in plain words.
    fn question(&self) -> &'static str;

    /// The parameters for a preset, or `None` where the preset leaves the experiment out.
    fn preset(preset: Preset) -> Option<Self>;

    /// The numbers a person may set, with their limits.
    fn knobs(&mut self) -> Vec<Knob<'_>>;

    /// Sets one of these numbers by its name; returns whether the experiment has it.
    fn set(&mut self, name: &str, value: u64) -> bool {
        set_knob(self, name, value)
    }

    /// What it will take on a drive of this speed.
    fn cost(&self, drive: &DriveSpeed) -> Cost;

    /// Does the work. Publishes each finished case through the context, so that an error later loses nothing.
    ///
    /// # Errors
    /// What stopped it: cancelled, the drive, SQLite, or a failed check of the data.
    fn run(&self, context: &mut Context<'_, Self::Sample>) -> Result<(), MeasureError>;

    /// Every comparison the samples allow, one variable at a time. Called again when a file is
    /// opened, so it depends on nothing but the cases.
    fn ratios(cases: &[Case<Self::Sample>]) -> Vec<Ratio>;

    /// How the outcome is told.
    fn sections(&self, outcome: &Outcome<Self::Sample>) -> Vec<Section>;
}

/// Lists every experiment once; the two enums and all that must know each of them follow from it.
macro_rules! registry {
    ($($id:literal $Variant:ident($module:ident::$Params:ident)),+ $(,)?) => {
        /// The parameters of any experiment, tagged with its id.
        #[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
        #[serde(tag = "id")]
        pub enum Parameters {
            $(
                #[doc = concat!("Of the experiment `", $id, "`.")]
                #[serde(rename = $id)]
                $Variant($module::$Params),
            )+
        }

        /// The outcome of any experiment, tagged with its id.
        #[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
        #[serde(tag = "id")]
        pub enum AnyOutcome {
            $(
                #[doc = concat!("Of the experiment `", $id, "`.")]
                #[serde(rename = $id)]
                $Variant(Outcome<<$module::$Params as Experiment>::Sample>),
            )+
        }

        /// The ids of all experiments, in the order they run.
        pub const IDS: &[&str] = &[$($id),+];

        impl Parameters {
            /// The parameters of an experiment for a preset, or `None` for an unknown id or where the
            /// preset leaves it out.
            pub fn preset(id: &str, preset: Preset) -> Option<Self> {
                match id {
                    $($id => $module::$Params::preset(preset).map(Self::$Variant),)+
                    _ => None,
                }
            }

            /// The experiment's id.
            pub fn id(&self) -> &'static str {
                match self { $(Self::$Variant(_) => $id,)+ }
            }

            /// The question it answers, in plain words.
            pub fn question(&self) -> &'static str {
                match self { $(Self::$Variant(params) => params.question(),)+ }
            }

            /// The numbers a person may set, with their limits.
            pub fn knobs(&mut self) -> Vec<Knob<'_>> {
                match self { $(Self::$Variant(params) => params.knobs(),)+ }
            }

            /// Sets one of these numbers by its name; returns whether the experiment has it.
            pub fn set(&mut self, name: &str, value: u64) -> bool {
                match self { $(Self::$Variant(params) => params.set(name, value),)+ }
            }

            /// What it will take on a drive of this speed.
            pub fn cost(&self, drive: &DriveSpeed) -> Cost {
                match self { $(Self::$Variant(params) => params.cost(drive),)+ }
            }

            /// Does the work and hands every state of the outcome to `publish`; what was measured is
            /// returned beside the error that stopped it, if one did.
            pub fn run(&self, bench: &Bench<'_>, publish: &mut dyn FnMut(AnyOutcome)) -> (AnyOutcome, Result<(), MeasureError>) {
                match self {
                    $(Self::$Variant(params) => {
                        let mut on_change = |outcome: &Outcome<_>| publish(AnyOutcome::$Variant(outcome.clone()));
                        let (outcome, result) = conduct(params, bench, &mut on_change);
                        (AnyOutcome::$Variant(outcome), result)
                    })+
                }
            }
        }

        impl AnyOutcome {
            /// The experiment's id.
            pub fn id(&self) -> &'static str {
                match self { $(Self::$Variant(_) => $id,)+ }
            }

            /// How the outcome is told, given the parameters it was measured with (the preset Standard
            /// stands in where a file does not name them).
            pub fn sections(&self, plan: &[Parameters]) -> Vec<Section> {
                match self {
                    $(Self::$Variant(outcome) => plan
                        .iter()
                        .find_map(|params| if let Parameters::$Variant(params) = params { Some(params.clone()) } else { None })
                        .or_else(|| $module::$Params::preset(Preset::Full))
                        .map(|params| params.sections(outcome))
                        .unwrap_or_default(),)+
                }
            }

            /// The median of a measure over the samples of a case; `None` where there is none.
            pub fn figure(&self, case: &str, measure: Measure) -> Option<f64> {
                match self { $(Self::$Variant(outcome) => outcome.figure(case, measure),)+ }
            }

            /// Whether a result begins with it.
            pub fn leads(&self) -> bool {
                match self { $(Self::$Variant(_) => $module::$Params::LEADS,)+ }
            }

            /// Whether nothing was measured, nor found to be impossible.
            pub fn is_empty(&self) -> bool {
                match self {
                    $(Self::$Variant(outcome) => {
                        outcome.cases.iter().all(|case| case.samples.is_empty() && case.refused.is_none())
                    })+
                }
            }

            /// The ratios that the file or the run holds.
            pub fn ratios(&self) -> &[Ratio] {
                match self { $(Self::$Variant(outcome) => &outcome.ratios,)+ }
            }

            /// The ratios made afresh from the samples.
            pub fn ratios_from_samples(&self) -> Vec<Ratio> {
                match self { $(Self::$Variant(outcome) => $module::$Params::ratios(&outcome.cases),)+ }
            }

            /// What lessens the trust in these numbers.
            pub fn warnings(&self) -> &[Warning] {
                match self { $(Self::$Variant(outcome) => &outcome.warnings,)+ }
            }

            /// Why the record cannot be true, or `Ok`. Files are untrusted.
            ///
            /// # Errors
            /// Names the case and the field.
            pub fn check(&self) -> Result<(), String> {
                match self { $(Self::$Variant(outcome) => check::<$module::$Params>(outcome),)+ }
            }
        }
    };
}

registry! {
    "flush" Flush(flush::Flush),
    "inserts" Inserts(inserts::Inserts),
    "contention" Contention(contention::Contention),
    "readers" Readers(readers::Readers),
    "writers" Writers(writers::Writers),
    "batching" Batching(batching::Batching),
    "sync_service" SyncService(sync_service::SyncService),
    "locking" Locking(locking::Locking),
    "snapshot" Snapshot(snapshot::Snapshot),
    "checkpoint" Checkpoint(checkpoint::Checkpoint),
    "backup" Backup(backup::Backup),
    "read_only" ReadOnly(read_only::ReadOnly),
}

/// Sets the knob of this name; returns whether there is one. Seconds also reach a knob that counts
/// milliseconds.
fn set_knob<E: Experiment>(params: &mut E, name: &str, value: u64) -> bool {
    for knob in params.knobs() {
        let value = match (knob.name, name) {
            (own, asked) if own == asked => value,
            ("milliseconds", "seconds") => value.saturating_mul(1_000),
            _ => continue,
        };
        *knob.value = value;
        return true;
    }
    false
}

/// Runs one experiment from its first step to its ratios.
fn conduct<E: Experiment>(
    params: &E,
    bench: &Bench<'_>,
    on_change: &mut dyn FnMut(&Outcome<E::Sample>),
) -> (Outcome<E::Sample>, Result<(), MeasureError>) {
    let started = Instant::now();
    let mut context = Context::new(bench, started, E::ratios, on_change);
    let result = params.run(&mut context);
    (context.finish(), result)
}

fn check<E: Experiment>(outcome: &Outcome<E::Sample>) -> Result<(), String> {
    if !(outcome.wall_seconds.is_finite() && outcome.wall_seconds >= 0.0) {
        return Err("wall_seconds is not a duration".to_owned());
    }
    let mut names = std::collections::BTreeSet::new();
    for case in &outcome.cases {
        if !names.insert(&case.name) {
            return Err(format!("the case {} stands there twice", case.name));
        }
        if E::CASES_HAVE_SETTINGS && case.settings.is_none() {
            return Err(format!(
                "case {}: journal_mode, synchronous and busy_timeout_ms are not as SQLite has them",
                case.name
            ));
        }
        for sample in &case.samples {
            sample.check().map_err(|field| format!("case {}: {field}", case.name))?;
        }
    }
    Ok(())
}

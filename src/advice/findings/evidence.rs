//! What a report proves. Numbers reach a rule only through here, so that a missing or noisy measurement
//! cannot decide anything: a rule gets what is known, why nothing is, or that nothing was measured.

use crate::{
    experiments::AnyOutcome,
    measure::outcome::{Outcome, Ratio, Sample},
    report::{Report, Warning},
    system::{Caution, Volume, cautions_of_volume},
    units,
};

/// Warnings that say the rounds were disturbed or too few: their ratios decide nothing. A drive that became
/// faster or slower meanwhile (`drifted`) is not among them, since both sides of each round saw it alike.
const NOISE: [&str; 8] =
    ["few_rounds", "wide_interval", "uneven_rounds", "far_out", "power_changed", "slept", "other_writes", "other_load"];
/// Fewer rounds reach no useful confidence: five runs' least and largest are a 93.75 % interval.
const LEAST_ROUNDS: u64 = 5;
/// Ratios within a tenth of 1 make no difference that anyone would notice.
const NEAR_ONE: (f64, f64) = (0.9, 1.1);

/// What is known about something.
#[derive(Clone, Debug, PartialEq)]
pub enum Known<T> {
    /// It was measured and decides.
    Yes(T),
    /// It was measured and decides nothing; why, as a part of a sentence.
    Undecided(String),
    /// It was not measured; what to run, as a part of a sentence.
    Missing(String),
}

impl<T> Known<T> {
    /// The value, where it decides.
    pub fn yes(&self) -> Option<&T> {
        match self {
            Self::Yes(value) => Some(value),
            Self::Undecided(_) | Self::Missing(_) => None,
        }
    }

    /// Why there is no value, as a part of a sentence.
    pub fn why_not(&self) -> Option<&str> {
        match self {
            Self::Yes(_) => None,
            Self::Undecided(why) | Self::Missing(why) => Some(why),
        }
    }

    /// The value turned into another.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Known<U> {
        match self {
            Self::Yes(value) => Known::Yes(make(value)),
            Self::Undecided(why) => Known::Undecided(why),
            Self::Missing(why) => Known::Missing(why),
        }
    }
}

/// What a ratio says, its whole interval considered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Speed {
    /// Faster by more than a tenth.
    Faster,
    /// Within a tenth.
    Same,
    /// Slower by more than a tenth.
    Slower,
}

/// A report, or none, as the rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    report: Option<&'a Report>,
    volume: Option<&'a Volume>,
}

/// Looks for the outcome of one experiment in a report.
macro_rules! outcome {
    ($evidence:expr, $Variant:ident) => {
        $evidence.report().and_then(|report| {
            report.experiments.iter().find_map(|outcome| match outcome {
                crate::experiments::AnyOutcome::$Variant(outcome) => Some(outcome),
                _ => None,
            })
        })
    };
}
pub(super) use outcome;

impl<'a> Evidence<'a> {
    /// What a report proves; without one, nothing.
    pub fn new(report: Option<&'a Report>) -> Self {
        let measured = |report: &&Report| report.experiments.iter().any(|outcome| !AnyOutcome::is_empty(outcome));
        Self { report: report.filter(measured), volume: report.map(|report| &report.volume) }
    }

    /// What the facts about a volume prove, where nothing was measured.
    pub fn of_place(volume: &'a Volume) -> Self {
        Self { report: None, volume: Some(volume) }
    }

    /// The volume, where it is known.
    pub(super) fn volume(&self) -> Option<&'a Volume> {
        self.volume
    }

    /// The report, where it holds a measurement.
    pub(super) fn report(&self) -> Option<&'a Report> {
        self.report
    }

    /// Which drive the numbers are of, in a sentence without a full stop.
    pub fn source(&self) -> String {
        match self.report {
            Some(report) => {
                let place = report.volume.path.as_deref().map_or_else(String::new, |path| format!(", {path}"));
                let day = report.started_at.strftime("%-d %b %Y");
                format!("Measured on {}{place}, {day}", report.drive_words())
            }
            None => "Nothing was measured here, so this is general advice".to_owned(),
        }
    }

    /// What about the place spoils a database or these numbers.
    pub(super) fn place(&self) -> Vec<Caution> {
        self.volume.map_or_else(Vec::new, cautions_of_volume)
    }

    /// The warning with this code.
    pub(super) fn warning(&self, code: &str) -> Option<&'a Warning> {
        self.report?.all_warnings().into_iter().find(|warning| warning.code == code)
    }

    /// Why the speeds of saves say nothing about a drive, as a part of a sentence.
    pub(super) fn spoiled(&self) -> Option<&'static str> {
        let place = self.place();
        if place.contains(&Caution::Memory) {
            return Some("this folder is in memory, so its speeds say nothing about a drive");
        }
        let unflushed = place.contains(&Caution::SyncsSwitchedOff) || self.warning("syncs_missing").is_some();
        unflushed.then_some("flushes do not reach the drive here, so the speed of saves says nothing")
    }

    /// The first warning that says the measurement was disturbed.
    pub(super) fn noise(&self) -> Option<&'a Warning> {
        self.report?.all_warnings().into_iter().find(|warning| NOISE.contains(&warning.code.as_str()))
    }

    /// A comparison of the report with what it says, where it decides. `what` is its plain name at the start
    /// of a sentence, `run` what measures it.
    pub(super) fn ratio<S: Sample>(
        &self,
        outcome: Option<&Outcome<S>>,
        (of, to): (&str, &str),
        named: (&str, &str),
    ) -> Known<(Ratio, Speed)> {
        self.compared(outcome.and_then(|outcome| outcome.ratio(of, to)).cloned(), named)
    }

    /// The same for a comparison that the report does not make by itself.
    pub(super) fn compared(&self, ratio: Option<Ratio>, (what, run): (&str, &str)) -> Known<(Ratio, Speed)> {
        let few = ratio.as_ref().is_some_and(|ratio| ratio.rounds < LEAST_ROUNDS);
        let ratio = match self.quiet(ratio, (what, run)) {
            Known::Yes(_) if few => return noisy(what),
            Known::Yes(ratio) => ratio,
            Known::Undecided(why) => return Known::Undecided(why),
            Known::Missing(why) => return Known::Missing(why),
        };
        match speed(&ratio) {
            Some(speed) => Known::Yes((ratio, speed)),
            None => Known::Undecided(format!(
                "{what} was measured, but between {} and {} times decides nothing: run again",
                units::ratio(ratio.low),
                units::ratio(ratio.high)
            )),
        }
    }

    /// A number that only a quiet run on a real drive gives, such as how long something took.
    pub(super) fn quiet<T>(&self, value: Option<T>, (what, run): (&str, &str)) -> Known<T> {
        match (value, self.spoiled()) {
            (None, _) => missing(what, run),
            (Some(_), Some(why)) => Known::Undecided(format!("{what} was measured, but {why}")),
            (Some(_), None) if self.noise().is_some() => noisy(what),
            (Some(value), None) => Known::Yes(value),
        }
    }
}

fn noisy<T>(what: &str) -> Known<T> {
    Known::Undecided(format!("{what} was measured, but too noisily to decide anything: run again"))
}

/// "Contention was not measured: run Standard"
pub(super) fn missing<T>(what: &str, run: &str) -> Known<T> {
    Known::Missing(format!("{what} was not measured: run {run}"))
}

/// What a ratio says, or `None` where its interval reaches over a bound.
fn speed(ratio: &Ratio) -> Option<Speed> {
    let (low, high) = NEAR_ONE;
    if ratio.low > high {
        Some(Speed::Faster)
    } else if ratio.high < low {
        Some(Speed::Slower)
    } else if ratio.low >= low && ratio.high <= high {
        Some(Speed::Same)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::findings::samples::{inserts_at, ratio, report, saves};

    #[test]
    fn a_ratio_speaks_only_where_its_whole_interval_is_on_one_side() {
        for (low, high, expected) in [
            (1.11, 1.3, Some(Speed::Faster)),
            (1.1, 1.3, None),
            (0.9, 1.1, Some(Speed::Same)),
            (0.89, 1.1, None),
            (0.5, 0.89, Some(Speed::Slower)),
            (0.5, 0.9, None),
            (0.5, 2.0, None),
        ] {
            assert_eq!(speed(&ratio(low, high, 9)), expected, "{low} to {high}");
        }
    }

    fn main_ratio(report: &Report) -> Known<Speed> {
        let evidence = Evidence::new(Some(report));
        let inserts = outcome!(evidence, Inserts);
        evidence.ratio(inserts, ("wal/full", "delete/full"), ("X", "Quick")).map(|(_, speed)| speed)
    }

    #[test]
    fn each_kind_of_noise_keeps_a_ratio_from_deciding() {
        let mut report = report(vec![inserts_at(&[("delete/full", 100.0), ("wal/full", 400.0)], 5)]);
        assert_eq!(main_ratio(&report), Known::Yes(Speed::Faster));
        for code in NOISE {
            report.warnings = vec![Warning::new(code, "Disturbed.")];
            assert!(matches!(main_ratio(&report), Known::Undecided(why) if why.contains("too noisily")), "{code}");
        }
        for harmless in ["drifted", "not_the_drive"] {
            report.warnings = vec![Warning::new(harmless, "Not noise.")];
            assert_eq!(main_ratio(&report), Known::Yes(Speed::Faster), "{harmless}");
        }
    }

    #[test]
    fn four_rounds_decide_nothing_and_five_do() {
        let of_rounds = |rounds| report(vec![inserts_at(&[("delete/full", 100.0), ("wal/full", 400.0)], rounds)]);
        assert!(matches!(main_ratio(&of_rounds(4)), Known::Undecided(_)));
        assert_eq!(main_ratio(&of_rounds(5)), Known::Yes(Speed::Faster));
    }

    #[test]
    fn speeds_from_memory_or_without_flushes_decide_nothing() {
        let mut report = report(vec![saves(100.0, 400.0)]);
        report.volume.memory = Some(true);
        assert!(matches!(main_ratio(&report), Known::Undecided(why) if why.contains("in memory")));
        report.volume.memory = Some(false);
        assert_eq!(main_ratio(&report), Known::Yes(Speed::Faster));
        report.warnings = vec![Warning::new("syncs_missing", "Swallowed.")];
        assert!(matches!(main_ratio(&report), Known::Undecided(why) if why.contains("flushes")));
        report.warnings.clear();
        report.volume.mount_options = Some("rw,nobarrier".to_owned());
        assert!(matches!(main_ratio(&report), Known::Undecided(why) if why.contains("flushes")));
    }

    #[test]
    fn what_is_missing_says_what_to_run() {
        let report = report(vec![saves(100.0, 400.0)]);
        let evidence = Evidence::new(Some(&report));
        let known = evidence.ratio(outcome!(evidence, ReadOnly), ("wal/full", "delete/full"), ("Reading", "Full"));
        assert_eq!(known, Known::Missing("Reading was not measured: run Full".to_owned()));
    }

    #[test]
    fn an_empty_report_is_no_evidence() {
        let empty = report(Vec::new());
        assert!(Evidence::new(Some(&empty)).report().is_none());
        assert!(Evidence::new(Some(&empty)).source().starts_with("Nothing was measured here"));
    }
}

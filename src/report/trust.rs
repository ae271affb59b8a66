//! When a result cannot be trusted, and what to do then. Each rule looks at what was measured and at
//! what else the machine did, and yields a warning with a stable code. `session` puts them into the
//! report at the end of a run. docs/measuring.md lists them.

use super::{Report, Warning};
use crate::{
    experiments::{AnyOutcome, flush, inserts},
    measure::{
        database::Synchronous,
        outcome::{Case, Outcome, Ratio},
    },
    stats,
    system::conditions::Conditions,
    units,
};

/// An interval wider than this, as a part of the ratio on either side, decides little.
const WIDE: f64 = 0.10;
/// Rounds whose ratios spread more than this (90th to 10th percentile) were not alike.
const UNEVEN: f64 = 2.5;
/// Fewer rounds reach no useful confidence, and say nothing about how uneven they are.
const FEW_ROUNDS: usize = 5;
/// A sync that became this much slower or faster between the halves of a run drifted.
const DRIFT: f64 = 0.25;
/// A safe save that waits less than this part of its time for the drive is limited by something else.
const LITTLE_WAITING: f64 = 0.5;
/// No drive makes a page permanent faster than this, in seconds: a transfer over PCIe takes as long.
const IMPOSSIBLE_SECONDS: f64 = 8e-6;
/// A safe save faster than this part of the drive's floor cannot have waited for it.
const BELOW_FLOOR: f64 = 0.5;
/// What other programs may write without being noticed, in bytes a second, and in all.
const OTHERS_BYTES_A_SECOND: f64 = 1e6;
const OTHERS_BYTES: u64 = 20_000_000;
/// The part of the processor that others may use without being noticed.
const OTHERS_CPU: f64 = 0.25;
/// A wall clock that ran ahead by more than this slept.
const SLEPT_SECONDS: f64 = 5.0;

/// Everything that speaks against a report, the gravest first.
pub fn warnings(report: &Report) -> Vec<Warning> {
    let saves = report.experiments.iter().find_map(|outcome| match outcome {
        AnyOutcome::Inserts(outcome) => Some(outcome),
        _ => None,
    });
    let floor = report.experiments.iter().find_map(|outcome| match outcome {
        AnyOutcome::Flush(outcome) => flush::floor_seconds(outcome),
        _ => None,
    });
    let in_memory = report.volume.memory == Some(true);
    let mut found = Vec::new();
    if !in_memory {
        found.extend(below_the_floor(saves, floor));
    }
    if let Some(saves) = saves {
        found.extend(
            [few_rounds(saves), wide_interval(saves), uneven_rounds(saves), drifted(saves), far_out(saves)]
                .into_iter()
                .flatten(),
        );
        if !in_memory {
            found.extend(not_the_drive(saves));
        }
    }
    if let Some(conditions) = &report.conditions {
        found.extend(of_conditions(conditions, report.wall_seconds));
    }
    found
}

/// The ratio the top of a result is about, or the first there is.
fn main_ratio(saves: &Outcome<inserts::Sample>) -> Option<&Ratio> {
    saves.ratio("wal/full", "delete/full").or_else(|| saves.ratios.first())
}

fn few_rounds(saves: &Outcome<inserts::Sample>) -> Option<Warning> {
    let rounds = main_ratio(saves)?.rounds;
    (rounds < FEW_ROUNDS as u64).then(|| {
        let count = if rounds == 1 { "One round says".to_owned() } else { format!("{rounds} rounds say") };
        Warning::new(
            "few_rounds",
            format!("{count} little about how sure the ratios are. Run more rounds, five at least."),
        )
    })
}

fn wide_interval(saves: &Outcome<inserts::Sample>) -> Option<Warning> {
    let ratio = main_ratio(saves)?;
    let few = if ratio.rounds < 6 { "Run more rounds" } else { "Close other programs and run again" };
    (ratio.half_width() > WIDE).then(|| {
        Warning::new(
            "wide_interval",
            format!(
                "The main ratio is only known to lie between {} and {}. {few}.",
                units::ratio(ratio.low),
                units::ratio(ratio.high)
            ),
        )
    })
}

fn uneven_rounds(saves: &Outcome<inserts::Sample>) -> Option<Warning> {
    let ratio = main_ratio(saves)?;
    let ratios = per_round(saves.case(&ratio.of)?, saves.case(&ratio.to)?);
    let spread = stats::spread(&ratios).filter(|_| ratios.len() >= FEW_ROUNDS)?;
    (spread > UNEVEN).then(|| {
        Warning::new(
            "uneven_rounds",
            format!(
                "The rounds were not alike: their ratios spread {} times. Close other programs and run again.",
                units::ratio(spread)
            ),
        )
    })
}

fn per_round(of: &Case<inserts::Sample>, to: &Case<inserts::Sample>) -> Vec<f64> {
    of.samples
        .iter()
        .filter_map(|sample| {
            let other = to.samples.iter().find(|other| other.round == sample.round)?;
            let ratio = sample.per_second() / other.per_second();
            ratio.is_finite().then_some(ratio)
        })
        .collect()
}

/// How long one sync took in each round of the safe setting that syncs once a save.
fn drifted(saves: &Outcome<inserts::Sample>) -> Option<Warning> {
    let syncs = |case: &Case<inserts::Sample>| -> Vec<f64> {
        let counted = case.samples.iter().filter(|sample| sample.syncs > 0);
        counted.map(|sample| sample.sync_seconds / sample.syncs as f64).collect()
    };
    let case = saves.case("wal/full").or_else(|| saves.case("delete/full"))?;
    let drift = stats::drift(&syncs(case))?;
    (!(1.0 / (1.0 + DRIFT)..=1.0 + DRIFT).contains(&drift)).then(|| {
        let (way, times) = if drift > 1.0 { ("slower", drift) } else { ("faster", 1.0 / drift) };
        Warning::new(
            "drifted",
            format!(
                "The drive became {} times {way} during the run. The ratios hold, the saves a second may not; run again when it has settled.",
                units::ratio(times)
            ),
        )
    })
}

fn far_out(saves: &Outcome<inserts::Sample>) -> Option<Warning> {
    let safe = saves.cases.iter().filter(|case| ["wal/full", "delete/full"].contains(&case.name.as_str()));
    let (outliers, samples) = safe.fold((0, 0), |(outliers, samples), case| {
        let speeds: Vec<f64> = case.samples.iter().map(inserts::Sample::per_second).collect();
        (outliers + stats::far_out(&speeds), samples + speeds.len())
    });
    // One in a hundred comes by chance on any disk.
    (outliers * 50 > samples).then(|| {
        Warning::new(
            "far_out",
            format!(
                "{} of {samples} blocks {} far from the others, so something disturbed them. They are kept in the result; close other programs and run again.",
                units::sentence_case(&units::in_words(outliers as u64)),
                if outliers == 1 { "was" } else { "were" }
            ),
        )
    })
}

fn not_the_drive(saves: &Outcome<inserts::Sample>) -> Option<Warning> {
    let full = saves
        .cases
        .iter()
        .filter(|case| case.settings.as_ref().is_some_and(|settings| settings.synchronous == Synchronous::Full));
    let waiting = full.filter_map(|case| {
        let (waited, seconds) = case
            .samples
            .iter()
            .fold((0.0, 0.0), |(waited, seconds), sample| (waited + sample.sync_seconds, seconds + sample.seconds));
        (seconds > 0.0).then(|| (case, waited / seconds))
    });
    let (case, share) = waiting.min_by(|(_, one), (_, other)| one.total_cmp(other))?;
    (share < LITTLE_WAITING).then(|| {
        Warning::new(
            "not_the_drive",
            format!(
                "Only {} of a save with {} is waiting for the drive: the processor, the file system or a virus scanner limits it. Exclude the folder from scanning and run again to see which.",
                units::percent(share),
                case.name.replace('/', ", ").to_uppercase()
            ),
        )
    })
}

/// Saves that are faster than the floor allows. Where SQLite's own syncs took no time either, nothing waits for
/// the drive; where they took the time of a real one, the drive was slower only while its floor was measured.
fn below_the_floor(saves: Option<&Outcome<inserts::Sample>>, floor: Option<f64>) -> Option<Warning> {
    let floor = floor?;
    let wal = saves.and_then(|saves| saves.case("wal/full"));
    let save =
        wal.and_then(|case| stats::median(&case.samples.iter().map(|sample| sample.p50_us / 1e6).collect::<Vec<_>>()));
    let fact = match save {
        _ if floor < IMPOSSIBLE_SECONDS => {
            format!("This drive claims to make data permanent in {}, which no drive can", units::seconds(floor))
        }
        Some(save) if save < floor * BELOW_FLOOR => {
            let fact = format!(
                "Saves take {}, less than the {} that this drive needed to make anything permanent",
                units::seconds(save),
                units::seconds(floor)
            );
            if wal.and_then(seconds_of_a_sync).is_some_and(|sync| sync >= IMPOSSIBLE_SECONDS) {
                let advice = "the drive was slower at that moment, or something else kept it busy. Close other programs and run again.";
                return Some(Warning::new("floor_moved", format!("{fact}: {advice}")));
            }
            fact
        }
        _ => return None,
    };
    Some(Warning::new(
        "syncs_missing",
        format!(
            "{fact}: something swallows the flushes, and a power cut can damage any database here. Do not trust these numbers or this drive with data before you know why."
        ),
    ))
}

/// What SQLite waited for the drive each time it asked; `None` where it never did.
fn seconds_of_a_sync(case: &Case<inserts::Sample>) -> Option<f64> {
    let syncs: u64 = case.samples.iter().map(|sample| sample.syncs).sum();
    let waited: f64 = case.samples.iter().map(|sample| sample.sync_seconds).sum();
    (syncs > 0).then(|| waited / syncs as f64)
}

fn of_conditions(conditions: &Conditions, wall_seconds: f64) -> Vec<Warning> {
    let mut found = Vec::new();
    if let (Some(before), Some(after)) = (conditions.power_before, conditions.power_after)
        && before != after
    {
        found.push(Warning::new(
            "power_changed",
            "The power source changed during the run, and with it the speed. Run again without touching the plug.",
        ));
    }
    if conditions.clock_jump_seconds.abs() > SLEPT_SECONDS {
        found.push(Warning::new(
            "slept",
            format!(
                "The computer slept, or its clock was set, for {} during the run. Run again and keep it awake.",
                units::seconds(conditions.clock_jump_seconds.abs())
            ),
        ));
    }
    if let Some(bytes) = others_bytes(conditions)
        .filter(|bytes| *bytes > OTHERS_BYTES && *bytes as f64 > OTHERS_BYTES_A_SECOND * wall_seconds)
    {
        found.push(Warning::new(
            "other_writes",
            format!("Other programs wrote {} meanwhile. Close them and run again.", units::bytes(bytes)),
        ));
    }
    if let Some(load) = conditions.other_cpu_load.filter(|load| *load > OTHERS_CPU) {
        found.push(Warning::new(
            "other_load",
            format!("Other programs kept {} of the processor busy. Close them and run again.", units::percent(load)),
        ));
    }
    found
}

/// What others wrote to the tested drive: no more than the drive took beside our own writes, and no more
/// than other programs wrote anywhere. The file system's own journal is in neither.
fn others_bytes(conditions: &Conditions) -> Option<u64> {
    let anywhere = conditions.other_written_bytes?;
    let there = conditions.drive_written_bytes.map(|all| all.saturating_sub(conditions.own_written_bytes.unwrap_or(0)));
    Some(there.map_or(anywhere, |there| there.min(anywhere)))
}

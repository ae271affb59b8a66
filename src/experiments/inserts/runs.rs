//! The published protocol: a fresh database and a fixed number of inserts for each run, the runs of all
//! cases interleaved.

use std::time::Instant;

use super::{Sample, Setting, Until, insert_loop};
use crate::{
    experiments::{
        parameters::{Cost, DriveSpeed},
        steps::{conclude, open_case},
        telling::plain_name,
    },
    measure::{MeasureError, context::Context, database::Database, rounds::shuffled},
    units,
};

/// Making a database, checking it and removing it, in syncs.
const SETUP_SYNCS: f64 = 12.0;

/// What the runs take.
pub(super) fn cost(cases: &[Setting], inserts: u64, rounds: u64, drive: &DriveSpeed) -> Cost {
    let each = |case: &Setting| seconds(*case, inserts, drive);
    let written = |case: &Setting| case.bytes_in_commit().saturating_mul(inserts);
    Cost {
        seconds: cases.iter().map(each).sum::<f64>() * rounds as f64,
        written_bytes: cases.iter().map(written).fold(0_u64, u64::saturating_add).saturating_mul(rounds),
        // 100 bytes of text take about 115 in the file; a WAL stays near 1,000 pages of 4 KiB.
        peak_bytes: inserts.saturating_mul(115).saturating_add(8_000_000),
    }
}

fn seconds(case: Setting, inserts: u64, drive: &DriveSpeed) -> f64 {
    drive.commit_seconds(case.syncs_in_commit()) * inserts as f64 + SETUP_SYNCS * drive.sync_seconds
}

pub(super) fn run(
    cases: &[Setting],
    inserts: u64,
    rounds: u64,
    context: &mut Context<'_, Sample>,
) -> Result<(), MeasureError> {
    let mut random = context.random();
    // The bar moves by expected time, not by number of runs: the slow settings take most of it.
    let drive = DriveSpeed { sync_seconds: 1e-3 };
    let total: f64 = cases.iter().map(|case| seconds(*case, inserts, &drive)).sum::<f64>() * rounds as f64;
    let mut done = 0.0;
    for case in cases {
        context.begin_case(&case.name(), case.settings());
    }
    for round in 1..=rounds {
        for case in shuffled(cases, &mut random) {
            context.check_cancelled()?;
            let expected = seconds(case, inserts, &drive);
            let words = format!(
                "Saving {} rows: {}, round {round} of {rounds}",
                units::count(inserts),
                plain_name(&case.settings()).to_lowercase()
            );
            context.step(words, done / total);
            run_once(case, inserts, round, context, (done / total, expected / total))?;
            done += expected;
        }
    }
    Ok(())
}

/// One run. `(start, width)` is its part of the experiment's bar.
fn run_once(
    case: Setting,
    inserts: u64,
    round: u64,
    context: &mut Context<'_, Sample>,
    (start, width): (f64, f64),
) -> Result<(), MeasureError> {
    let name = case.name();
    let Some(database) = open_case(context, &name, &case.settings())? else { return Ok(()) };
    let path = database.path().to_owned();
    database.create_table()?;
    let tell = |now: Instant, inserted: u64| context.tell(now, || start + width * inserted as f64 / inserts as f64);
    let mut sample = insert_loop(&database, Until::Inserts(inserts), context.cancel(), tell)?;
    // A run that was cut short is no sample of the published work.
    context.check_cancelled()?;
    let closing = Instant::now();
    database.close()?;
    sample.close_seconds = Some(closing.elapsed().as_secs_f64());
    sample.round = round;
    let database = Database::reopen(&path)?;
    let checked = database.verify(&name, sample.operations);
    conclude(context, &name, checked, sample)?;
    database.remove()
}

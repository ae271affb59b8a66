//! The quick protocol: one database for each case, all open, short timed blocks in rounds of random
//! order, until the interval of the main ratio is narrow (docs/measuring.md says why each number).

use std::time::{Duration, Instant};

use super::{Inserts, Sample, Setting, TEXT_BYTES, Until, insert_loop};
use crate::{
    experiments::{
        Experiment,
        parameters::{Cost, DriveSpeed},
        steps::open_case,
        telling::plain_name,
    },
    measure::{
        MeasureError,
        context::Context,
        database::{Database, JournalMode, Synchronous},
        rounds::shuffled,
    },
};

/// When the blocks end.
pub(super) struct Limits {
    /// The least rounds.
    pub(super) rounds: u64,
    /// The most rounds.
    pub(super) most_rounds: u64,
    /// The least length of a block, in milliseconds.
    pub(super) block_ms: u64,
    /// When to stop in any case, in seconds.
    pub(super) seconds: u64,
}

/// Rows that grow a database to about 2,000 pages, so that its tree has its usual depth.
const SEED_ROWS: u64 = 70_000;
/// A block holds at least this many commits, also on a hard disk.
const LEAST_COMMITS: u64 = 5;
/// WAL/NORMAL waits for the drive at checkpoints alone; a block holds three of them.
const LEAST_COMMITS_WITHOUT_SYNC: u64 = 3_000;
/// Four checkpoints.
const ENOUGH_COMMITS_WITHOUT_SYNC: u64 = 4_000;
/// No block is longer than this.
const LONGEST_BLOCK: Duration = Duration::from_secs(1);
/// How often the interval is looked at: seldom, since each look is a chance to stop by luck.
const LOOK_EVERY_ROUNDS: u64 = 4;
/// Enough for a drive's fast cache to hold; once so much is written, in bytes, the least rounds suffice.
const MOST_BYTES: u64 = 800_000_000;
/// Good enough: the ratio is known to within five per cent.
const NARROW: f64 = 0.05;
/// Making a database ready, in seconds without waiting for the drive, and in syncs.
const SETUP_SECONDS: f64 = 0.2;
const SETUP_SYNCS: f64 = 20.0;

/// What the blocks take at most.
pub(super) fn cost(cases: &[Setting], limits: &Limits, drive: &DriveSpeed) -> Cost {
    let block_seconds = limits.block_ms as f64 / 1e3;
    let block = |case: &Setting| {
        let commit = drive.commit_seconds(case.syncs_in_commit());
        let commits = (block_seconds / commit).max(least_commits(*case) as f64).min(enough_commits(*case) as f64);
        (commits * commit, commits * case.bytes_in_commit() as f64)
    };
    let (round_seconds, round_bytes) = cases
        .iter()
        .map(block)
        .fold((0.0, 0.0), |(seconds, bytes), (more_seconds, more_bytes)| (seconds + more_seconds, bytes + more_bytes));
    // The bytes of a round are reckoned for a faster drive than the seconds are (`Plan::cost`), so both limits count.
    let by_bytes = (MOST_BYTES as f64 / round_bytes).ceil().max(limits.rounds as f64);
    let rounds = (limits.seconds as f64 / round_seconds).min(limits.most_rounds as f64).min(by_bytes).max(1.0);
    let setup = cases.len() as f64 * (SETUP_SECONDS + SETUP_SYNCS * drive.sync_seconds);
    let seeds = cases.len() as u64 * 2 * SEED_ROWS * 115;
    Cost {
        seconds: rounds * round_seconds + setup,
        written_bytes: seeds + (rounds * round_bytes) as u64,
        peak_bytes: seeds * 2 + (rounds * round_bytes / 30.0) as u64,
    }
}

fn least_commits(case: Setting) -> u64 {
    if waits_at_checkpoints_alone(case) { LEAST_COMMITS_WITHOUT_SYNC } else { LEAST_COMMITS }
}

/// Where nothing but checkpoints waits for the drive, a block of 100 ms would write most of all that is written.
fn enough_commits(case: Setting) -> u64 {
    if waits_at_checkpoints_alone(case) { ENOUGH_COMMITS_WITHOUT_SYNC } else { u64::MAX }
}

fn waits_at_checkpoints_alone(case: Setting) -> bool {
    case.journal_mode == JournalMode::Wal && case.synchronous == Synchronous::Normal
}

/// An open database of one case.
struct Bed {
    case: Setting,
    database: Database,
    rows: u64,
}

pub(super) fn run(cases: &[Setting], limits: &Limits, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
    let beds = cases.iter().map(|case| make_bed(*case, context)).collect::<Result<Vec<_>, _>>()?;
    let mut beds: Vec<Bed> = beds.into_iter().flatten().collect();
    let measured = run_rounds(&mut beds, limits, context);
    // Also after a cancel: what is kept must have been checked.
    let checked = beds.into_iter().try_for_each(|bed| check_and_remove(bed, context));
    measured.and(checked)
}

fn check_and_remove(bed: Bed, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
    let name = bed.case.name();
    match bed.database.verify(&name, bed.rows) {
        Err(MeasureError::WrongData { found, .. }) => context.void_case(&name, found),
        other => other?,
    }
    bed.database.remove()
}

fn make_bed(case: Setting, context: &mut Context<'_, Sample>) -> Result<Option<Bed>, MeasureError> {
    context.check_cancelled()?;
    context.step(format!("Preparing a database: {}", plain_name(&case.settings()).to_lowercase()), 0.0);
    let Some(database) = open_case(context, &case.name(), &case.settings())? else { return Ok(None) };
    database.create_table()?;
    // One large transaction also takes a WAL through a checkpoint, so that its file is reused from
    // then on: growing and reusing are different work.
    database.fill(SEED_ROWS, TEXT_BYTES)?;
    Ok(Some(Bed { case, database, rows: SEED_ROWS }))
}

fn run_rounds(beds: &mut [Bed], limits: &Limits, context: &mut Context<'_, Sample>) -> Result<(), MeasureError> {
    let mut random = context.random();
    let mut order: Vec<usize> = (0..beds.len()).collect();
    // Round 0 warms everything up and is thrown away.
    for index in &order {
        if let Some(bed) = beds.get_mut(*index) {
            block(bed, limits, context)?;
        }
    }
    let started = Instant::now();
    let mut written_bytes = 0;
    for round in 1..=limits.most_rounds {
        context.check_cancelled()?;
        let share =
            (started.elapsed().as_secs_f64() / limits.seconds as f64).max(round as f64 / limits.most_rounds as f64);
        context.step(round_words(round, limits.rounds), share.min(1.0));
        order = shuffled(&order, &mut random);
        for index in &order {
            if let Some(bed) = beds.get_mut(*index) {
                let sample = Sample { round, ..block(bed, limits, context)? };
                written_bytes += sample.operations * bed.case.bytes_in_commit();
                context.record(&bed.case.name(), sample);
            }
        }
        let late = started.elapsed() >= Duration::from_secs(limits.seconds);
        let narrow = round.is_multiple_of(LOOK_EVERY_ROUNDS) && is_narrow(context);
        let enough = round >= limits.rounds && (narrow || written_bytes >= MOST_BYTES);
        if late || enough {
            break;
        }
    }
    Ok(())
}

fn round_words(round: u64, least: u64) -> String {
    if round <= least {
        format!("Saving rows with each setting, round {round} of at least {least}")
    } else {
        format!("Saving rows with each setting, round {round}")
    }
}

/// One block: long enough, with enough commits, yet never longer than a second.
fn block(bed: &mut Bed, limits: &Limits, context: &Context<'_, Sample>) -> Result<Sample, MeasureError> {
    let at_least = Duration::from_millis(limits.block_ms);
    let until = Until::Time {
        at_least,
        inserts: least_commits(bed.case),
        at_most: LONGEST_BLOCK.max(at_least),
        enough: enough_commits(bed.case),
    };
    let sample = insert_loop(&bed.database, until, context.cancel(), |_, _| {})?;
    bed.rows += sample.operations;
    if matches!(bed.case.synchronous, Synchronous::Off | Synchronous::Normal) {
        // What this block left unwritten would slow the next one, of another setting.
        bed.database.flush()?;
    }
    // A block that was cut short is no sample.
    context.check_cancelled()?;
    Ok(sample)
}

fn is_narrow(context: &Context<'_, Sample>) -> bool {
    let ratios = Inserts::ratios(&context.outcome().cases);
    ratios.first().is_some_and(|ratio| ratio.half_width() <= NARROW)
}

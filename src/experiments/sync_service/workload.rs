//! The database of a task app's sync server and what its clients ask of it.

use std::{
    collections::BTreeMap,
    ops::RangeInclusive,
    time::{Duration, Instant},
};

use fastrand::Rng;
use rusqlite::{Connection, params};

use super::Workload;
use crate::measure::{MeasureError, context::CancelFlag, database::Database, tally::Tally};

/// Tasks that each person has before anything is measured.
const SEED_TASKS: u64 = 200;
/// Ids of a person's tasks are drawn from so many, so that uploads change tasks as well as add some.
const TASKS_OF_A_USER: u64 = 1_000;
/// The most tasks in one upload.
const MOST_TASKS: u64 = 10;
/// A device asks for what is new behind a cursor at most so far back, which is a page of 100 tasks.
const PAGE: u64 = 100;
/// What clients do is random yet the same in every run.
const CLIENT_SEED: u64 = 0x5EED;

const SCHEMA: &str = "
    CREATE TABLE users (id INTEGER PRIMARY KEY, cursor INTEGER NOT NULL);
    CREATE TABLE tasks (
        id INTEGER PRIMARY KEY, user INTEGER NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
        done INTEGER NOT NULL, cursor INTEGER NOT NULL, deleted INTEGER NOT NULL
    );
    CREATE INDEX tasks_by_cursor ON tasks (user, cursor)";
const UPSERT: &str = "
    INSERT INTO tasks (id, user, title, body, done, cursor, deleted) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)
    ON CONFLICT (id) DO UPDATE SET title = excluded.title, body = excluded.body, done = excluded.done,
        cursor = excluded.cursor, deleted = excluded.deleted";
const CURSOR: &str = "SELECT cursor FROM users WHERE id = ?1";
const ADVANCE: &str = "UPDATE users SET cursor = ?2 WHERE id = ?1";
const CHANGES: &str = "
    SELECT id, title, body, done, cursor, deleted FROM tasks WHERE user = ?1 AND cursor > ?2
    ORDER BY cursor LIMIT 100";

/// What one client did.
#[derive(Debug)]
pub(super) struct Worked {
    /// By the kind of request.
    pub(super) tallies: BTreeMap<&'static str, Tally>,
    /// Tasks in the uploads that were committed.
    pub(super) tasks_uploaded: u64,
    /// How long the client worked, in seconds.
    pub(super) seconds: f64,
}

impl Worked {
    /// Requests of every kind that were answered.
    pub(super) fn done(&self) -> u64 {
        self.tallies.values().map(Tally::operations).sum()
    }
}

/// Makes the tables with their first tasks; returns how many these are.
///
/// # Errors
/// SQLite's.
pub(super) fn prepare(database: &Database, users: u64) -> Result<u64, MeasureError> {
    let fill = || {
        let connection = database.connection();
        connection.execute_batch(SCHEMA)?;
        let transaction = connection.unchecked_transaction()?;
        let mut random = Rng::with_seed(CLIENT_SEED);
        for user in 1..=users {
            connection.execute("INSERT INTO users (id, cursor) VALUES (?1, 0)", [user])?;
            for _ in 0..SEED_TASKS / MOST_TASKS {
                save_tasks(connection, user, MOST_TASKS, &mut random)?;
            }
        }
        transaction.commit()
    };
    fill().map_err(database.error("while preparing the tasks"))?;
    Ok(users * (SEED_TASKS / MOST_TASKS) * MOST_TASKS)
}

/// One client, from the start to the end of the time.
///
/// # Errors
/// SQLite's; being refused because of a lock is counted instead.
pub(super) fn work(
    database: &Database,
    workload: Workload,
    users: RangeInclusive<u64>,
    length: Duration,
    cancel: &CancelFlag,
) -> Result<Worked, MeasureError> {
    let connection = database.connection();
    let mut random = Rng::with_seed(CLIENT_SEED + users.start());
    let mut worked = Worked { tallies: BTreeMap::new(), tasks_uploaded: 0, seconds: 0.0 };
    let started = Instant::now();
    while started.elapsed() < length && !cancel.is_raised() {
        let user = random.u64(users.clone());
        serve(connection, workload, user, &mut random, &mut worked)
            .map_err(database.error("while serving a client"))?;
    }
    worked.seconds = started.elapsed().as_secs_f64();
    Ok(worked)
}

/// One turn of a client: an upload, a download, or one after the other.
fn serve(
    connection: &Connection,
    workload: Workload,
    user: u64,
    random: &mut Rng,
    worked: &mut Worked,
) -> rusqlite::Result<()> {
    if workload != Workload::Download {
        let tasks = random.u64(1..=MOST_TASKS);
        if timed(&mut worked.tallies, "upload", || upload(connection, user, tasks, random))? {
            worked.tasks_uploaded += tasks;
        }
    }
    if workload != Workload::Upload {
        timed(&mut worked.tallies, "download", || download(connection, user, random))?;
    }
    Ok(())
}

/// Counts a request; returns whether it was answered.
fn timed(
    tallies: &mut BTreeMap<&'static str, Tally>,
    kind: &'static str,
    request: impl FnOnce() -> rusqlite::Result<()>,
) -> rusqlite::Result<bool> {
    let started = Instant::now();
    let result = request();
    let took = started.elapsed();
    let tally = tallies.entry(kind).or_default();
    match result {
        Ok(()) => tally.succeeded(took),
        Err(error) => {
            tally.refused(error)?;
            return Ok(false);
        }
    }
    Ok(true)
}

/// One transaction that saves tasks and moves the person's cursor on.
fn upload(connection: &Connection, user: u64, tasks: u64, random: &mut Rng) -> rusqlite::Result<()> {
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let saved = save_tasks(connection, user, tasks, random)
        .and_then(|()| connection.prepare_cached("COMMIT")?.execute([]).map(|_| ()));
    if saved.is_err() && !connection.is_autocommit() {
        connection.prepare_cached("ROLLBACK")?.execute([])?;
    }
    saved
}

fn save_tasks(connection: &Connection, user: u64, tasks: u64, random: &mut Rng) -> rusqlite::Result<()> {
    let cursor: u64 = connection.prepare_cached(CURSOR)?.query_row([user], |row| row.get(0))?;
    let mut upsert = connection.prepare_cached(UPSERT)?;
    for number in 1..=tasks {
        let id = user * TASKS_OF_A_USER + random.u64(0..TASKS_OF_A_USER);
        let (title, body) = ("Water the plants ".repeat(2), "On the balcony and in the kitchen. ".repeat(4));
        upsert.execute(params![id, user, title, body, random.bool(), cursor + number])?;
    }
    connection.prepare_cached(ADVANCE)?.execute([user, cursor + tasks]).map(|_| ())
}

/// What is new behind a cursor that a device had some time ago.
fn download(connection: &Connection, user: u64, random: &mut Rng) -> rusqlite::Result<()> {
    let cursor: u64 = connection.prepare_cached(CURSOR)?.query_row([user], |row| row.get(0))?;
    let seen = cursor.saturating_sub(random.u64(1..=PAGE));
    let mut changes = connection.prepare_cached(CHANGES)?;
    let mut rows = changes.query([user, seen])?;
    while let Some(row) = rows.next()? {
        // A server would send the text, so it is read.
        let _body = row.get_ref(2)?.as_str()?.len();
    }
    Ok(())
}

//! Work that happens at the same time: each job on its own thread, all started together, while the
//! calling thread watches. Experiments use it for readers beside writers, and for a connection that waits for
//! a lock while somebody must stay able to let go of it.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{MeasureError, tally::Tally};

/// How often the calling thread looks. Short enough for a cancel, and seldom enough to disturb nothing.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A piece of work for a thread of its own.
pub type Job<'a, T> = Box<dyn FnOnce() -> Result<T, MeasureError> + Send + 'a>;

/// Starts all jobs at the same moment and waits for all of them; `watch` is called every 10 ms
/// with the time since the start. The results are in the order of the jobs.
///
/// # Errors
/// The first job's error, after all have ended.
pub fn together<T: Send>(jobs: Vec<Job<'_, T>>, mut watch: impl FnMut(Duration)) -> Result<Vec<T>, MeasureError> {
    let barrier = &Barrier::new(jobs.len() + 1);
    let start = |job: Job<'_, T>| {
        barrier.wait();
        job()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = jobs.into_iter().map(|job| scope.spawn(move || start(job))).collect();
        barrier.wait();
        let started = Instant::now();
        while threads.iter().any(|thread| !thread.is_finished()) {
            watch(started.elapsed());
            thread::sleep(LOOK_EVERY);
        }
        let ended: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
        ended
            .into_iter()
            .map(|result| {
                result.map_err(|_| MeasureError::Panicked { reason: "a thread of the test panicked".to_owned() })?
            })
            .collect()
    })
}

/// Does one piece of work on a thread of its own while `watch` is called every 10 ms: for work that may
/// wait for a lock that `watch` can let go of.
///
/// # Errors
/// The work's own.
pub fn watched<'a, T: Send>(
    work: impl FnOnce() -> Result<T, MeasureError> + Send + 'a,
    watch: impl FnMut(Duration),
) -> Result<T, MeasureError> {
    let mut results = together(vec![Box::new(work) as Job<'a, T>], watch)?;
    results.pop().ok_or_else(|| MeasureError::Panicked { reason: "a thread ended without its result".to_owned() })
}

/// What a loop achieved and how long it ran.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Operations, refusals and latencies.
    pub tally: Tally,
    /// From the start of the first operation to the end of the last, in seconds.
    pub seconds: f64,
}

/// The seconds that make operations / seconds the sum of each thread's own rate, given the operations and seconds of each.
/// Whoever waits for a lock beyond the end would otherwise stretch the time of all the others, who have gone.
pub fn shared_seconds(threads: impl Iterator<Item = (u64, f64)> + Clone) -> f64 {
    let longest = threads.clone().map(|(_, seconds)| seconds).fold(0.0, f64::max);
    let operations: u64 = threads.clone().map(|(operations, _)| operations).sum();
    let rate: f64 =
        threads.filter(|(_, seconds)| *seconds > 0.0).map(|(operations, seconds)| operations as f64 / seconds).sum();
    if rate > 0.0 { operations as f64 / rate } else { longest }
}

/// Repeats an operation for as long as `goes_on` says so, which is given the time and the number of
/// attempts so far. What was refused because of a lock is counted, and the loop goes on.
///
/// # Errors
/// Any other error of SQLite's.
pub fn repeat(
    mut goes_on: impl FnMut(Duration, u64) -> bool,
    mut operation: impl FnMut() -> rusqlite::Result<()>,
) -> rusqlite::Result<Loop> {
    let mut tally = Tally::new();
    let mut attempts = 0;
    let started = Instant::now();
    let mut before = started;
    while goes_on(before.duration_since(started), attempts) {
        let result = operation();
        let now = Instant::now();
        match result {
            Ok(()) => tally.succeeded(now.duration_since(before)),
            Err(error) => tally.refused(error)?,
        }
        before = now;
        attempts += 1;
    }
    Ok(Loop { tally, seconds: before.duration_since(started).as_secs_f64() })
}

/// Raises a flag when it goes, so also after an error: those who work beside must not wait for ever.
#[derive(Debug)]
pub struct RaiseAtEnd<'a>(pub &'a AtomicBool);

impl Drop for RaiseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_beyond_the_end_does_not_stretch_the_time_of_the_others() {
        // 1,000 in one second beside one that was done after six: 1,000.17 a second, not 167.
        let seconds = shared_seconds([(1_000, 1.0), (1, 6.0)].into_iter());
        assert!((1_001.0 / seconds - (1_000.0 + 1.0 / 6.0)).abs() < 1e-9);
        assert_eq!(shared_seconds([(0, 2.0), (0, 3.0)].into_iter()), 3.0);
        assert_eq!(shared_seconds(std::iter::empty()), 0.0);
    }

    #[test]
    fn all_jobs_run_at_the_same_time_and_results_keep_their_order() {
        // Each waits for the other, so one after the other would never end.
        let meeting = Barrier::new(2);
        let job = |number: u64| -> Job<'_, u64> {
            let meeting = &meeting;
            Box::new(move || {
                meeting.wait();
                Ok(number)
            })
        };
        assert_eq!(together(vec![job(1), job(2)], |_| {}).unwrap(), [1, 2]);
    }

    #[test]
    fn an_error_of_one_job_comes_after_the_end_of_the_others() {
        let done = AtomicBool::new(false);
        let jobs: Vec<Job<'_, ()>> = vec![
            Box::new(|| Err(MeasureError::Cancelled)),
            Box::new(|| {
                thread::sleep(Duration::from_millis(50));
                done.store(true, Ordering::Relaxed);
                Ok(())
            }),
        ];
        assert!(matches!(together(jobs, |_| {}), Err(MeasureError::Cancelled)));
        assert!(done.load(Ordering::Relaxed));
    }
}

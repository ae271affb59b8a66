//! Counts what a loop achieved: operations that succeeded, errors by SQLite's extended result code,
//! and how long each operation took. Every loop of every experiment keeps one.

use std::{collections::BTreeMap, time::Duration};

use hdrhistogram::Histogram;
use rusqlite::ErrorCode;

/// What one thread's loop did.
#[derive(Clone, Debug)]
pub struct Tally {
    operations: u64,
    seconds: f64,
    busy: BTreeMap<String, u64>,
    latencies_ns: Histogram<u64>,
}

/// Three digits: a latency is kept to within 0.1 %.
const SIGNIFICANT_DIGITS: u8 = 3;
/// An hour: longer waits are counted as one. The range is reserved at once, so that recording never
/// allocates.
const LONGEST_NS: u64 = 3_600_000_000_000;

impl Tally {
    /// An empty tally.
    ///
    /// # Panics
    /// Never: the histogram is given constants that it accepts.
    pub fn new() -> Self {
        #[expect(clippy::expect_used, reason = "the bounds and digits are constants that the histogram accepts")]
        let latencies_ns = Histogram::new_with_max(LONGEST_NS, SIGNIFICANT_DIGITS).expect("constants it accepts");
        Self { operations: 0, seconds: 0.0, busy: BTreeMap::new(), latencies_ns }
    }

    /// Counts an operation that succeeded.
    pub fn succeeded(&mut self, took: Duration) {
        self.operations += 1;
        self.seconds += took.as_secs_f64();
        self.latencies_ns.saturating_record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Counts an operation that was refused because the database was locked.
    ///
    /// # Errors
    /// Any other error is handed back.
    pub fn refused(&mut self, error: rusqlite::Error) -> Result<(), rusqlite::Error> {
        match error.sqlite_error() {
            Some(answer) if matches!(answer.code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                *self.busy.entry(code_name(answer.extended_code)).or_default() += 1;
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// How many operations succeeded.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// How long the operations that succeeded took together, in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// How many were refused, by the name of SQLite's extended result code.
    pub fn busy_codes(&self) -> &BTreeMap<String, u64> {
        &self.busy
    }

    /// How many were refused in all.
    pub fn busy(&self) -> u64 {
        self.busy.values().sum()
    }

    /// The latency below which this part (0 to 1) of the operations stayed, in microseconds; 0 where
    /// none succeeded. Within 0.1 %.
    pub fn quantile_us(&self, part: f64) -> f64 {
        if self.operations == 0 { 0.0 } else { self.latencies_ns.value_at_quantile(part) as f64 / 1e3 }
    }

    /// The mean latency, in microseconds; 0 where none succeeded. Within 0.1 %.
    pub fn mean_us(&self) -> f64 {
        if self.operations == 0 { 0.0 } else { self.latencies_ns.mean() / 1e3 }
    }

    /// The longest latency, in microseconds; 0 where none succeeded. Within 0.1 %.
    pub fn max_us(&self) -> f64 {
        if self.operations == 0 { 0.0 } else { self.latencies_ns.max() as f64 / 1e3 }
    }

    /// Adds what another thread's loop did.
    pub fn add(&mut self, other: &Self) {
        self.operations += other.operations;
        self.seconds += other.seconds;
        for (code, count) in &other.busy {
            *self.busy.entry(code.clone()).or_default() += count;
        }
        // Both grow as they must, so adding cannot fail for want of range.
        let _ = self.latencies_ns.add(&other.latencies_ns);
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

/// The name SQLite's documentation gives an extended result code (<https://sqlite.org/rescode.html>).
pub fn code_name(extended_code: i32) -> String {
    use rusqlite::ffi;
    match extended_code {
        ffi::SQLITE_BUSY => "SQLITE_BUSY".to_owned(),
        ffi::SQLITE_BUSY_RECOVERY => "SQLITE_BUSY_RECOVERY".to_owned(),
        ffi::SQLITE_BUSY_SNAPSHOT => "SQLITE_BUSY_SNAPSHOT".to_owned(),
        ffi::SQLITE_BUSY_TIMEOUT => "SQLITE_BUSY_TIMEOUT".to_owned(),
        ffi::SQLITE_LOCKED => "SQLITE_LOCKED".to_owned(),
        ffi::SQLITE_LOCKED_SHAREDCACHE => "SQLITE_LOCKED_SHAREDCACHE".to_owned(),
        other => format!("SQLite result code {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_come_back_within_a_tenth_of_a_per_cent() {
        let mut tally = Tally::new();
        for milliseconds in 1..=100 {
            tally.succeeded(Duration::from_millis(milliseconds));
        }
        // The median of 1 to 100 by nearest rank is 50, the 99th percentile 99.
        for (measured, expected) in
            [(tally.quantile_us(0.5), 50e3), (tally.quantile_us(0.99), 99e3), (tally.max_us(), 100e3)]
        {
            assert!((measured / expected - 1.0).abs() <= 0.001, "{measured} for {expected}");
        }
    }

    #[test]
    fn an_empty_tally_has_no_latencies() {
        assert_eq!((Tally::new().quantile_us(0.99), Tally::new().max_us()), (0.0, 0.0));
    }

    #[test]
    fn refusals_are_counted_by_code_and_other_errors_handed_back() {
        let failure = |code| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        let mut tally = Tally::new();
        // 5 is SQLITE_BUSY, 517 SQLITE_BUSY_SNAPSHOT, 10 SQLITE_IOERR (sqlite.org/rescode.html).
        for code in [5, 517, 517] {
            tally.refused(failure(code)).unwrap();
        }
        assert!(tally.refused(failure(10)).is_err());
        assert_eq!(tally.busy(), 3);
        assert_eq!(tally.busy_codes().get("SQLITE_BUSY_SNAPSHOT"), Some(&2));
    }
}

//! The one bar of a whole plan: it only moves forward, and its estimate of the time left follows what
//! the drive turned out to be.

use std::time::Instant;

/// Where a plan stands.
pub(super) struct Bar {
    /// The share that was done when the costs below were last set.
    base: f64,
    /// Expected seconds of the experiments from then on.
    costs: Vec<f64>,
    /// How many of these are done.
    done: usize,
    /// When the costs were last set.
    since: Instant,
}

/// An experiment that costs nothing still moves the bar a little.
const LEAST_SECONDS: f64 = 0.001;

impl Bar {
    /// A bar at its start, with the expected seconds of each experiment.
    pub(super) fn new(costs: impl Iterator<Item = f64>) -> Self {
        Self { base: 0.0, costs: costs.map(|cost| cost.max(LEAST_SECONDS)).collect(), done: 0, since: Instant::now() }
    }

    /// The share of the plan, given the share of the current experiment.
    pub(super) fn share(&self, share: f64) -> f64 {
        let total: f64 = self.costs.iter().sum();
        let past = self.past(share);
        if total > 0.0 { (self.base + (1.0 - self.base) * past / total).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// What is left in seconds: by the estimate at first, by the pace once a tenth is done.
    pub(super) fn seconds_left(&self, share: f64) -> f64 {
        let total: f64 = self.costs.iter().sum();
        let past = self.past(share);
        let by_estimate = total - past;
        let part = past / total.max(LEAST_SECONDS);
        let by_pace = if part > 0.0 { self.since.elapsed().as_secs_f64() / part * (1.0 - part) } else { by_estimate };
        let trust = (part * 10.0).min(1.0);
        by_estimate * (1.0 - trust) + by_pace * trust
    }

    /// The current experiment is done.
    pub(super) fn next(&mut self) {
        self.done += 1;
    }

    /// New expected seconds for the experiments that are left.
    pub(super) fn expect(&mut self, costs: impl Iterator<Item = f64>) {
        let base = self.share(0.0);
        *self = Self { base, ..Self::new(costs) };
    }

    fn past(&self, share: f64) -> f64 {
        let done: f64 = self.costs.iter().take(self.done).sum();
        done + self.costs.get(self.done).map_or(0.0, |cost| cost * share.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_expected_seconds() {
        let mut bar = Bar::new([1.0, 3.0].into_iter());
        assert_eq!(bar.share(0.5), 0.125);
        bar.next();
        assert_eq!(bar.share(0.0), 0.25);
        assert_eq!(bar.share(1.0), 1.0);
    }

    #[test]
    fn a_new_estimate_never_moves_the_bar_back() {
        let mut bar = Bar::new([1.0, 3.0, 6.0].into_iter());
        bar.next();
        let before = bar.share(0.0);
        bar.expect([300.0, 600.0].into_iter());
        assert!((bar.share(0.0) - before).abs() < 1e-12);
        assert!((bar.share(1.0) - (before + (1.0 - before) / 3.0)).abs() < 1e-12);
    }

    #[test]
    fn an_empty_plan_is_done() {
        assert_eq!(Bar::new(std::iter::empty()).share(0.0), 1.0);
    }
}

//! What an experiment tells while it runs. The session turns it into the one bar of the whole plan.

/// A step in words with the share of the experiment that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// "Saving 10,000 rows with the safe default, round 3 of 5"
    pub step: String,
    /// From 0 to 1, of this experiment alone.
    pub share: f64,
}

//! The arithmetic that turns samples into a number with an interval. Pure functions over slices;
//! experiments call them to tell their outcome, `report/` to check a file's summaries.
//!
//! Centre: the median. Interval: order statistics of the median, which assume nothing about the shape
//! of the noise (Hahn and Meeker, Statistical Intervals, 1991, chapter 5). Ratios of things measured in
//! the same round: the median of the paired log ratios, so that a drive that changes speed half-way
//! changes both sides alike (Abedi and Brecht 2017, doi 10.1145/3030207.3030229). No sample is dropped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal};

/// The confidence that intervals aim for. Few samples reach less, and the interval says so.
pub const CONFIDENCE: f64 = 0.95;

/// Fewer samples on either side give the ratio of two runs no interval worth showing.
const FEWEST_UNPAIRED: usize = 5;

/// A range that holds the true median with the given confidence, in the unit of the samples.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The confidence reached, from 0 to 1: 0.9375 for the least and largest of five.
    pub confidence: f64,
}

/// How many times the speed of `to` the thing `of` has, from rounds that held both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedRatio {
    /// The median of the per-round ratios.
    pub value: f64,
    /// The interval of that median.
    pub interval: Interval,
    /// How many rounds held both.
    pub rounds: usize,
}

impl PairedRatio {
    /// Half the interval's width, relative to the value: 0.05 means give or take 5 per cent. Taken on
    /// the log scale, where the interval was made.
    pub fn half_width(&self) -> f64 {
        ((self.interval.high / self.interval.low).ln() / 2.0).exp_m1()
    }
}

/// The middle value, or the mean of the two middle ones; `None` for no samples.
pub fn median(samples: &[f64]) -> Option<f64> {
    quantile(samples, 0.5)
}

/// The value below which the given part (0 to 1) of the samples lies, interpolated linearly between
/// the neighbouring samples (type 7 of Hyndman and Fan 1996); `None` for no samples.
pub fn quantile(samples: &[f64], part: f64) -> Option<f64> {
    let sorted = sorted(samples);
    let last = sorted.len().checked_sub(1)?;
    let place = part.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let low = *sorted.get(below)?;
    let high = *sorted.get((below + 1).min(last))?;
    Some(low + (high - low) * (place - below as f64))
}

/// The distribution-free interval of the median: the narrowest symmetric pair of order statistics that
/// reaches 95 %, or the least and the largest sample where too few samples reach it. `None` for none.
pub fn median_interval(samples: &[f64]) -> Option<Interval> {
    let sorted = sorted(samples);
    let count = sorted.len();
    if count == 0 {
        return None;
    }
    // The number of samples below the true median is Binomial(n, 1/2). With `cut` samples left off at
    // each end the interval misses it when that number is at most `cut`, or at least n - cut.
    let binomial = Binomial::new(0.5, count as u64).ok()?;
    // Rounded, since the distribution function is only exact to about 15 digits.
    let coverage = |cut: usize| ((1.0 - 2.0 * binomial.cdf(cut as u64)) * 1e9).round() / 1e9;
    let mut cut = 0;
    while cut + 1 < count.div_ceil(2) && coverage(cut + 1) >= CONFIDENCE {
        cut += 1;
    }
    Some(Interval { low: *sorted.get(cut)?, high: *sorted.get(count - 1 - cut)?, confidence: coverage(cut).max(0.0) })
}

/// How many times the speed of `to` the thing `of` has. Both slices hold speeds (a second), one entry
/// a round, in the same order. `None` where no round holds two speeds above zero.
pub fn paired_ratio(of: &[f64], to: &[f64]) -> Option<PairedRatio> {
    let logs: Vec<f64> =
        of.iter().zip(to).filter(|(of, to)| **of > 0.0 && **to > 0.0).map(|(of, to)| (of / to).ln()).collect();
    let interval = median_interval(&logs)?;
    Some(PairedRatio {
        value: median(&logs)?.exp(),
        interval: Interval { low: interval.low.exp(), high: interval.high.exp(), ..interval },
        rounds: logs.len(),
    })
}

/// The ratio of two medians, for samples that were not taken in rounds, such as published ones.
/// `None` without samples or where the divisor is zero.
pub fn ratio_of_medians(of: &[f64], to: &[f64]) -> Option<f64> {
    let ratio = median(of)? / median(to)?;
    ratio.is_finite().then_some(ratio)
}

/// The interval of [`ratio_of_medians`] for two runs that shared no rounds, at 95 %: Bonett and Price,
/// Confidence intervals for ratios of means and medians, 2020 (doi 10.3102/1076998620934125). It assumes
/// neither a shape of the noise nor the same noise on both sides: each side's uncertainty is read off its
/// own order statistics on the log scale. In simulated runs it holds the truth in 95 of 100 over all shapes
/// of noise, and in 90 at least, with five samples of the flattest. What differs between two days on one drive is not in it.
/// `None` where a side has fewer than five samples, or one that is not above zero.
pub fn unpaired_interval(of: &[f64], to: &[f64]) -> Option<Interval> {
    let ratio = ratio_of_medians(of, to)?;
    let normal = Normal::standard();
    let error = log_median_error(of, &normal)?.hypot(log_median_error(to, &normal)?);
    let reach = (normal.inverse_cdf(f64::midpoint(1.0, CONFIDENCE)) * error).exp();
    Some(Interval { low: ratio / reach, high: ratio * reach, confidence: CONFIDENCE })
}

/// The standard error of the log of a median: how far apart two order statistics lie around it, measured
/// by how far apart they lie in a normal distribution.
fn log_median_error(samples: &[f64], normal: &Normal) -> Option<f64> {
    let sorted = sorted(samples);
    let count = sorted.len();
    if count < FEWEST_UNPAIRED || sorted.first().is_none_or(|least| *least <= 0.0) {
        return None;
    }
    // The rank from either end, as the paper's authors compute it: n/2 - sqrt(n), at least the first.
    let rank = (count as f64 / 2.0 - (count as f64).sqrt()).round().max(1.0) as usize;
    let below = Binomial::new(0.5, count as u64).ok()?.cdf(rank as u64 - 1);
    let (low, high) = (*sorted.get(rank - 1)?, *sorted.get(count - rank)?);
    let error = (high / low).ln() / (2.0 * normal.inverse_cdf(1.0 - below));
    error.is_finite().then_some(error)
}

/// The samples' 90th percentile divided by their 10th: how far apart the rounds are. `None` for none.
pub fn spread(samples: &[f64]) -> Option<f64> {
    let ratio = quantile(samples, 0.9)? / quantile(samples, 0.1)?;
    ratio.is_finite().then_some(ratio)
}

/// The median of the second half divided by that of the first: 1 where nothing drifted. `None` for
/// fewer than four samples.
pub fn drift(samples: &[f64]) -> Option<f64> {
    if samples.len() < 4 {
        return None;
    }
    let (first, second) = samples.split_at(samples.len() / 2);
    ratio_of_medians(second, first)
}

/// How many samples lie more than three interquartile ranges outside the quartiles (Tukey's far out).
/// They are counted, never dropped.
pub fn far_out(samples: &[f64]) -> usize {
    let (Some(lower), Some(upper)) = (quantile(samples, 0.25), quantile(samples, 0.75)) else {
        return 0;
    };
    let reach = 3.0 * (upper - lower);
    samples.iter().filter(|sample| **sample < lower - reach || **sample > upper + reach).count()
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds of five runs each, from tests/data/published.json.
    const DELETE_FULL: [f64; 5] = [66.41, 60.13, 60.75, 58.47, 59.96];
    const WAL_FULL: [f64; 5] = [13.77, 15.39, 14.56, 15.79, 14.19];

    #[test]
    fn medians_are_the_middle() {
        assert_eq!(median(&DELETE_FULL), Some(60.13));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile([66.41, 60.13, 60.75, 58.47, 59.96], [0.1, 0.25, 0.9])
        for (part, expected) in [(0.1, 59.066), (0.25, 59.96), (0.9, 64.146)] {
            assert!((quantile(&DELETE_FULL, part).unwrap() - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn five_runs_give_least_and_largest_at_93_75_per_cent() {
        let interval = median_interval(&DELETE_FULL).unwrap();
        assert_eq!((interval.low, interval.high), (58.47, 66.41));
        assert!((interval.confidence - 0.9375).abs() < 1e-12);
    }

    #[test]
    fn ranks_are_those_of_the_sign_test_tables() {
        // Ranks of the 95 % interval of the median, Conover, Practical Nonparametric Statistics, table A3:
        // (n, lower rank, upper rank).
        for (count, lower, upper) in [(6, 1, 6), (8, 1, 8), (9, 2, 8), (12, 3, 10), (20, 6, 15), (30, 10, 21)] {
            let samples: Vec<f64> = (1..=count).map(f64::from).collect();
            let interval = median_interval(&samples).unwrap();
            assert_eq!((interval.low, interval.high), (f64::from(lower), f64::from(upper)), "n = {count}");
            assert!(interval.confidence >= 0.95);
        }
    }

    #[test]
    fn one_sample_has_no_confidence() {
        assert_eq!(median_interval(&[3.0]).unwrap().confidence, 0.0);
        assert_eq!(median_interval(&[]), None);
    }

    #[test]
    fn a_paired_ratio_is_the_median_of_the_rounds() {
        // 1/66.41 : 1/13.77 and so on, as speeds: the five ratios are 4.823, 3.907, 4.172, 3.703, 4.225.
        let speeds = |seconds: &[f64]| seconds.iter().map(|seconds| 1.0 / seconds).collect::<Vec<_>>();
        let ratio = paired_ratio(&speeds(&WAL_FULL), &speeds(&DELETE_FULL)).unwrap();
        assert!((ratio.value - 60.75 / 14.56).abs() < 1e-9);
        assert!((ratio.interval.low - 58.47 / 15.79).abs() < 1e-9);
        assert!((ratio.interval.high - 66.41 / 13.77).abs() < 1e-9);
        assert_eq!(ratio.rounds, 5);
    }

    #[test]
    fn a_drive_that_changes_speed_half_way_does_not_change_the_ratio() {
        let default = [100.0, 100.0, 100.0, 2000.0, 2000.0, 2000.0];
        let wal = default.map(|speed| speed * 5.0);
        let ratio = paired_ratio(&wal, &default).unwrap();
        assert!((ratio.value - 5.0).abs() < 1e-9 && (ratio.half_width()).abs() < 1e-9);
    }

    #[test]
    fn rounds_without_a_speed_are_left_out_of_a_ratio() {
        assert_eq!(paired_ratio(&[10.0, 0.0, 20.0], &[5.0, 5.0, 0.0]).unwrap().rounds, 1);
        assert!(paired_ratio(&[0.0], &[1.0]).is_none());
    }

    #[test]
    fn the_interval_of_two_runs_is_that_of_its_authors() {
        // The example of ci.ratio.median2 in Bonett's R package statpsych, and what it should return.
        let to = [32.0, 39.0, 26.0, 35.0, 43.0, 27.0, 40.0, 37.0, 34.0, 29.0, 49.0, 42.0, 40.0];
        let of = [36.0, 44.0, 47.0, 42.0, 49.0, 39.0, 46.0, 31.0, 33.0, 48.0];
        assert!((ratio_of_medians(&of, &to).unwrap() - 1.162_162).abs() < 1e-6);
        let interval = unpaired_interval(&of, &to).unwrap();
        assert!((interval.low - 0.927_667).abs() < 1e-6, "{interval:?}");
        assert!((interval.high - 1.455_933).abs() < 1e-6, "{interval:?}");
    }

    #[test]
    fn too_few_samples_or_zeros_give_two_runs_no_interval() {
        let five = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert!(unpaired_interval(&five, &five).is_some());
        assert_eq!(unpaired_interval(&five, &five[..4]), None);
        assert_eq!(unpaired_interval(&five, &[0.0, 2.0, 3.0, 4.0, 5.0]), None);
        // Samples all alike leave nothing uncertain.
        let interval = unpaired_interval(&five.map(|_| 8.0), &five.map(|_| 2.0)).unwrap();
        assert_eq!((interval.low, interval.high), (4.0, 4.0));
    }

    #[test]
    fn noise_measures_see_what_they_are_for() {
        assert_eq!(drift(&[4.0, 4.0, 0.2, 0.2]), Some(0.05));
        assert_eq!(drift(&[1.0, 2.0, 3.0]), None);
        assert_eq!(far_out(&[1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 9.0]), 1);
        assert_eq!(far_out(&[1.0, 2.0, 3.0, 4.0]), 0);
        assert!((spread(&[1.0, 1.0, 1.0, 1.0]).unwrap() - 1.0).abs() < 1e-12);
    }
}

//! The statistics against simulated disks: noise as real disks have it, with a known truth.

use commitmark::stats;
use fastrand::Rng;
use proptest::prelude::*;

/// A standard normal number, by the method of Box and Muller (1958).
fn normal(random: &mut Rng) -> f64 {
    let (one, two) = (1.0 - random.f64(), random.f64());
    (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * two).cos()
}

/// What a disk does over the rounds of a run, as a factor of its speed: it drifts slowly, and in some
/// runs it jumps to another regime and stays there.
fn regime(rounds: usize, random: &mut Rng) -> Vec<f64> {
    let drift = normal(random) * 0.3;
    let jump = (random.usize(..rounds), if random.bool() { 1.0 + 10.0 * random.f64() } else { 1.0 });
    (0..rounds)
        .map(|round| {
            let slope = (drift * round as f64 / rounds as f64).exp();
            if round >= jump.0 { slope * jump.1 } else { slope }
        })
        .collect()
}

/// Speeds of two cases over the rounds; `of` is `ratio` times as fast as `to`. Each block has log-normal
/// noise of its own.
fn rounds(count: usize, ratio: f64, noise: f64, random: &mut Rng) -> (Vec<f64>, Vec<f64>) {
    let regime = regime(count, random);
    let block = |speed: f64, random: &mut Rng| speed * (normal(random) * noise).exp();
    let of = regime.iter().map(|factor| block(500.0 * ratio * factor, random)).collect();
    let to = regime.iter().map(|factor| block(500.0 * factor, random)).collect();
    (of, to)
}

/// The part of simulated runs whose interval holds the true ratio.
fn coverage(runs: usize, rounds_each: usize, ratio: f64) -> f64 {
    let mut random = Rng::with_seed(20_261_130);
    let held = (0..runs).filter(|_| {
        let noise = 0.05 + 0.3 * random.f64();
        let (of, to) = rounds(rounds_each, ratio, noise, &mut random);
        let interval = stats::paired_ratio(&of, &to).unwrap().interval;
        (interval.low..=interval.high).contains(&ratio)
    });
    held.count() as f64 / runs as f64
}

#[test]
fn the_interval_holds_the_true_ratio_as_often_as_it_says() {
    for rounds_each in [12, 20, 40, 80] {
        for ratio in [1.0, 4.1, 109.0] {
            let share = coverage(2_000, rounds_each, ratio);
            assert!((0.93..=0.985).contains(&share), "{share} of runs with {rounds_each} rounds at {ratio}");
        }
    }
}

#[test]
fn two_equal_cases_hold_one_in_93_of_100_at_least() {
    let share = coverage(3_000, 24, 1.0);
    assert!(share >= 0.93, "{share}");
}

#[test]
fn five_rounds_hold_the_truth_as_often_as_they_say() {
    // 93.75 % in theory; give or take three standard errors of 4,000 runs.
    let share = coverage(4_000, 5, 4.1);
    assert!((share - 0.9375).abs() < 3.0 * (0.9375 * 0.0625 / 4_000.0_f64).sqrt(), "{share}");
}

/// Stopping as soon as the interval is narrow gives luck a chance; Quick looks every four rounds.
#[test]
fn stopping_by_the_interval_keeps_its_promise() {
    let mut random = Rng::with_seed(7);
    let runs = 2_000;
    let held = (0..runs).filter(|_| {
        let noise = 0.05 + 0.3 * random.f64();
        let (of, to) = rounds(120, 4.1, noise, &mut random);
        let stop = (12..=120)
            .step_by(4)
            .find(|count| stats::paired_ratio(&of[..*count], &to[..*count]).unwrap().half_width() <= 0.05);
        let count = stop.unwrap_or(120);
        let interval = stats::paired_ratio(&of[..count], &to[..count]).unwrap().interval;
        (interval.low..=interval.high).contains(&4.1)
    });
    let share = held.count() as f64 / f64::from(runs);
    assert!((0.93..=0.985).contains(&share), "{share}");
}

/// One sample of a disk whose true median is 1: even noise, noise with rare large jumps, a disk that is
/// anywhere between two speeds, and a quiet one.
fn lone_sample(disk: usize, random: &mut Rng) -> f64 {
    let noise = normal(random);
    let log = match disk {
        0 => 0.2 * noise,
        1 if random.u32(..10) == 0 => 0.8 * noise,
        1 => 0.1 * noise,
        2 => (random.f64() - 0.5) * 1.6 + 0.02 * noise,
        _ => 0.03 * noise,
    };
    log.exp()
}

/// The part of 2,000 pairs of runs whose interval holds the true ratio, for disks that need not be alike.
fn unpaired_coverage(disks: (usize, usize), samples: (usize, usize), random: &mut Rng) -> f64 {
    let held = (0..2_000).filter(|_| {
        let of: Vec<f64> = (0..samples.0).map(|_| 4.1 * lone_sample(disks.0, random)).collect();
        let to: Vec<f64> = (0..samples.1).map(|_| lone_sample(disks.1, random)).collect();
        let interval = stats::unpaired_interval(&of, &to).unwrap();
        (interval.low..=interval.high).contains(&4.1)
    });
    held.count() as f64 / 2_000.0
}

#[test]
fn the_interval_of_two_runs_holds_the_true_ratio_whatever_the_noise() {
    let mut random = Rng::with_seed(45);
    for samples in [(5, 5), (5, 40), (8, 12), (40, 40)] {
        let pairs = (0..4).flat_map(|of| (0..4).map(move |to| (of, to)));
        let shares: Vec<f64> = pairs.map(|disks| unpaired_coverage(disks, samples, &mut random)).collect();
        // 95 % over all shapes of noise. Five samples of a flat distribution hold it in 90 of 100 runs, the
        // least of all; give or take three standard errors of 2,000 runs.
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!((0.93..=0.975).contains(&mean), "{mean} with {samples:?}");
        assert!(shares.iter().all(|share| *share >= 0.88), "{shares:?} with {samples:?}");
    }
}

/// The median by sorting a copy, written without looking at the other one.
fn plain_median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|one, other| one.partial_cmp(other).unwrap());
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

proptest! {
    #[test]
    fn the_median_is_the_middle_and_inside_its_interval(samples in prop::collection::vec(0.001_f64..1e9, 1..200)) {
        let median = stats::median(&samples).unwrap();
        prop_assert!((median - plain_median(&samples)).abs() <= 1e-9 * median.abs());
        let interval = stats::median_interval(&samples).unwrap();
        prop_assert!(interval.low <= median && median <= interval.high);
        prop_assert!((0.0..1.0).contains(&interval.confidence));
    }

    #[test]
    fn a_ratio_turned_round_is_its_inverse(pairs in prop::collection::vec((0.001_f64..1e6, 0.001_f64..1e6), 1..100)) {
        let (of, to): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let there = stats::paired_ratio(&of, &to).unwrap();
        let back = stats::paired_ratio(&to, &of).unwrap();
        prop_assert!((there.value * back.value - 1.0).abs() < 1e-9);
        prop_assert!((there.interval.low * back.interval.high - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_order_of_samples_does_not_matter(samples in prop::collection::vec(0.001_f64..1e9, 1..100), seed: u64) {
        let mut shuffled = samples.clone();
        Rng::with_seed(seed).shuffle(&mut shuffled);
        prop_assert_eq!(stats::median_interval(&samples), stats::median_interval(&shuffled));
    }
}

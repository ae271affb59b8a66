//! How the values of a chart become distances: linear from zero, or by powers of ten, with ticks that a
//! person would choose. The window and the pictures share it, so both show the same.

use crate::section::{Chart, Point};

/// Where the values of a chart span more than this, a linear scale cannot show all of them.
pub const WIDE_SPAN: f64 = 30.0;

/// How values become distances along a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BarScale {
    /// From zero to this value; larger ones are named in words.
    Linear {
        /// The value at the right end.
        most: f64,
    },
    /// By powers of ten.
    Log {
        /// The power at the left end.
        from: i32,
        /// The power at the right end.
        to: i32,
    },
}

impl BarScale {
    /// The linear scale that shows as many of the medians as fit beside the smallest.
    pub fn linear(chart: &Chart) -> Self {
        let least =
            points(chart).map(|point| point.median).filter(|median| *median > 0.0).fold(f64::INFINITY, f64::min);
        let shown = points(chart).filter(|point| point.median <= least * WIDE_SPAN);
        let most =
            shown.flat_map(|point| point.samples.iter().copied().chain([point.median, point.high])).fold(0.0, f64::max);
        // A little air, so that the largest mark is not cut.
        Self::Linear { most: if most > 0.0 { most * 1.03 } else { 1.0 } }
    }

    /// The log scale that shows every value above zero.
    pub fn log(chart: &Chart) -> Self {
        let values =
            points(chart).flat_map(|point| point.samples.iter().copied().chain([point.median, point.low, point.high]));
        let (least, most) = values
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
        if most <= 0.0 {
            return Self::Log { from: 0, to: 1 };
        }
        let from = least.log10().floor() as i32;
        Self::Log { from, to: (most.log10().ceil() as i32).max(from + 1) }
    }

    /// How far along the row a value is, from 0 to 1; `None` where it is off the scale.
    pub fn share(self, value: f64) -> Option<f32> {
        let share = match self {
            Self::Linear { most } => value / most,
            Self::Log { .. } if value <= 0.0 => return None,
            Self::Log { from, to } => (value.log10() - f64::from(from)) / f64::from(to - from),
        };
        (-0.001..=1.001).contains(&share).then_some(share as f32)
    }
}

/// Every point of a chart.
pub fn points(chart: &Chart) -> impl Iterator<Item = &Point> {
    chart.series.iter().flat_map(|series| &series.points)
}

/// Whether values above zero span so much that only a log scale shows all of them.
pub fn is_wide(values: impl Iterator<Item = f64>) -> bool {
    let (least, most) =
        values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    least > 0.0 && most / least > WIDE_SPAN
}

/// The logarithms of the least and the largest value drawn, with some air.
pub fn log_bounds(chart: &Chart) -> (f64, f64) {
    let values =
        points(chart).flat_map(|point| point.samples.iter().copied().chain([point.low, point.median, point.high]));
    let (least, most) = values
        .chain(chart.reference)
        .filter(|value| *value > 0.0)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(value.log10()), most.max(value.log10()))
        });
    if !(least.is_finite() && most.is_finite()) {
        return (-1.0, 1.0);
    }
    let air = ((most - least) * 0.06).max(0.08);
    (least - air, most + air)
}

/// The logarithms of 1, 2 and 5 of each power of ten between two logarithms; of each power alone where
/// there are many.
pub fn log_ticks((from, to): (f64, f64)) -> Vec<f64> {
    let digits: &[f64] = if to - from > 4.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    (from.floor() as i32..=to.ceil() as i32)
        .flat_map(|power| digits.iter().map(move |digit| f64::from(power) + digit.log10()))
        .filter(|value| (from..=to).contains(value))
        .collect()
}

/// The same, but no more than this many: whole powers of ten alone, and of those each second or third.
pub fn few_log_ticks(bounds: (f64, f64), most: usize) -> Vec<f64> {
    let mut ticks = log_ticks(bounds);
    if ticks.len() > most {
        ticks.retain(|log| (log - log.round()).abs() < 1e-9);
    }
    let every = ticks.len().div_ceil(most.max(1)).max(1);
    ticks.into_iter().step_by(every).collect()
}

/// Four to seven round numbers from zero to a value or just below it.
pub fn linear_ticks(most: f64) -> Vec<f64> {
    if !(most.is_finite() && most > 0.0) {
        return vec![0.0];
    }
    let power = 10_f64.powf((most / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| most / step <= 6.0);
    let step = step.unwrap_or(most);
    (0..=(most / step).floor() as u32).map(|index| f64::from(index) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::{ChartKind, Hue, Scale, Series, Unit};

    fn chart(medians: &[f64]) -> Chart {
        let series = medians.iter().map(|median| Series {
            name: String::new(),
            technical: String::new(),
            hue: Hue::Wal,
            points: vec![Point {
                median: *median,
                low: *median,
                high: *median,
                samples: vec![*median],
                ..Point::default()
            }],
        });
        Chart {
            kind: ChartKind::Medians,
            axis: "saves a second".to_owned(),
            x_axis: None,
            unit: Unit::PerSecond,
            scale: Scale::Linear,
            reference: None,
            series: series.collect(),
        }
    }

    #[test]
    fn linear_bars_start_at_zero() {
        let scale = BarScale::linear(&chart(&[166.0, 687.0]));
        assert_eq!(scale.share(0.0), Some(0.0));
        let ratio = scale.share(687.0).unwrap() / scale.share(166.0).unwrap();
        assert!((ratio - 687.0 / 166.0).abs() < 1e-4, "{ratio}");
    }

    #[test]
    fn a_value_beyond_thirty_times_the_least_is_off_the_linear_scale() {
        let scale = BarScale::linear(&chart(&[166.0, 218.0, 687.0, 18_200.0]));
        assert!(scale.share(687.0).is_some());
        assert_eq!(scale.share(18_200.0), None);
    }

    #[test]
    fn a_log_scale_shows_everything_between_whole_powers_of_ten() {
        let scale = BarScale::log(&chart(&[166.0, 218.0, 687.0, 18_200.0]));
        assert_eq!(scale, BarScale::Log { from: 2, to: 5 });
        assert_eq!(scale.share(1_000.0), Some(1.0 / 3.0));
        assert_eq!(scale.share(0.0), None);
    }

    #[test]
    fn a_chart_of_zeros_has_a_scale() {
        assert_eq!(BarScale::linear(&chart(&[0.0])), BarScale::Linear { most: 1.0 });
        assert_eq!(BarScale::log(&chart(&[0.0])), BarScale::Log { from: 0, to: 1 });
    }

    #[test]
    fn log_ticks_stand_at_one_two_and_five() {
        let marks: Vec<f64> =
            log_ticks((-0.5, 1.1)).iter().map(|mark| (10_f64.powf(*mark) * 10.0).round() / 10.0).collect();
        assert_eq!(marks, [0.5, 1.0, 2.0, 5.0, 10.0]);
    }

    #[test]
    fn few_log_ticks_are_whole_powers() {
        assert_eq!(few_log_ticks((0.0, 3.1), 8), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(few_log_ticks((0.0, 12.0), 8), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        assert_eq!(few_log_ticks((0.0, 1.0), 8).len(), 4);
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(linear_ticks(687.0), [0.0, 200.0, 400.0, 600.0]);
        assert_eq!(linear_ticks(5.0), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(linear_ticks(0.0), [0.0]);
        assert_eq!(linear_ticks(f64::INFINITY), [0.0]);
    }
}

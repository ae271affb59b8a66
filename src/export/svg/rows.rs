//! Charts with one row a series: medians as bars from zero, or marks by powers of ten, and ratios around
//! a line at 1. Each row has its name at the left, or above where there is little room, and its number at
//! the right.

use super::{
    super::scale::{BarScale, few_log_ticks, log_bounds},
    Anchor, Canvas, Drawing, Ink, Style, bar_scale,
};
use crate::section::{Chart, Point, Series, Unit};

/// A chart narrower than this, in units of its text, has the names above the rows.
const NARROW: f64 = 40.0;
/// No more labels than this on an axis.
const MOST_LABELS: usize = 8;

/// Stands for a value that a linear scale cannot show beside the others.
const OFF_SCALE: &str = "off this scale →";
/// More marks than this in one row, which no real result has, cannot be told apart: some are left out.
const MOST_MARKS: usize = 2_000;

/// Where things are in a chart of rows.
struct Layout<'a> {
    style: &'a Style<'a>,
    /// The ends of the bars' strip.
    left: f64,
    right: f64,
    /// The first row's top.
    top: f64,
    row: f64,
    /// The strip's middle below the row's top.
    middle: f64,
    narrow: bool,
}

impl<'a> Layout<'a> {
    fn new(chart: &Chart, style: &'a Style<'a>) -> Self {
        let (text, small) = (style.text, small(style));
        let narrow = style.width < NARROW * text;
        let names = chart.series.iter().map(|series| {
            style
                .width_of(&series.name, text * 1.05)
                .max(style.width_of(shown_technical(series).unwrap_or_default(), small))
        });
        let values = chart.series.iter().filter_map(|series| series.points.first());
        let values =
            values.map(|point| style.width_of(&chart.unit.text(point.median), text * 1.1)).fold(text * 3.0, f64::max);
        let left = if narrow { 0.0 } else { (names.fold(text * 8.0, f64::max) + text).min(style.width * 0.42) };
        let two_lines = chart.series.iter().any(|series| shown_technical(series).is_some());
        let right = if narrow { style.width } else { style.width - values - text };
        let (row, middle) = match (narrow, two_lines) {
            (false, true) => (text * 3.2, text * 1.6),
            (false, false) => (text * 2.5, text * 1.25),
            (true, true) => (text * 5.1, text * 4.1),
            (true, false) => (text * 3.8, text * 2.8),
        };
        Self { style, left, right, top: small * 1.9, row, middle, narrow }
    }

    fn at(&self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    fn top_of(&self, row: usize) -> f64 {
        self.top + row as f64 * self.row
    }

    fn bottom(&self, rows: usize) -> f64 {
        self.top_of(rows)
    }
}

/// Draws medians: a bar from zero to the median, a whisker, a mark for every sample.
pub(super) fn medians(chart: &Chart, style: &Style<'_>) -> Drawing {
    let layout = Layout::new(chart, style);
    let scale = bar_scale(chart, style.log);
    let mut canvas = Canvas::default();
    heading(&mut canvas, &layout, chart);
    let bottom = layout.bottom(chart.series.len());
    let mut height = bottom + style.text * 0.3;
    if let BarScale::Log { from, to } = scale {
        let ticks: Vec<(f64, String)> = (from..=to)
            .map(|power| (f64::from(power - from) / f64::from(to - from), chart.unit.text(10_f64.powi(power))))
            .collect();
        height = axis(&mut canvas, &layout, chart, &ticks, bottom);
    }
    for (row, series) in chart.series.iter().enumerate() {
        name(&mut canvas, &layout, chart.unit, row, series);
        if let Some(point) = series.points.first() {
            bar(&mut canvas, &layout, scale, row, series, point);
        }
    }
    Drawing { elements: canvas.elements, width: style.width, height }
}

fn bar(canvas: &mut Canvas, layout: &Layout<'_>, scale: BarScale, row: usize, series: &Series, point: &Point) {
    let paint = layout.style.paint;
    let unit = layout.style.text / 14.0;
    let y = layout.top_of(row) + layout.middle;
    let thickness = 12.0 * unit;
    let width = layout.right - layout.left;
    let Some(median) = scale.share(point.median).map(f64::from) else {
        let ink = Ink { size: small(layout.style), weight: 400, color: &paint.dim };
        let track = width - layout.style.width_of(OFF_SCALE, ink.size) - ink.size;
        canvas.rect((layout.left, y - thickness / 2.0), (track, thickness), 3.0 * unit, &paint.track);
        canvas.text((layout.right, y + ink.size * 0.36), Anchor::End, ink, OFF_SCALE);
        return;
    };
    if matches!(scale, BarScale::Linear { .. }) {
        canvas.rect((layout.left, y - thickness / 2.0), (width, thickness), 3.0 * unit, &paint.track);
        canvas.rect((layout.left, y - thickness / 2.0), (median * width, thickness), 3.0 * unit, paint.bar(series.hue));
    }
    let color = paint.hue(series.hue);
    let marks: Vec<(f64, f64)> = point
        .samples
        .iter()
        .enumerate()
        .step_by(stride(&point.samples))
        // Samples alike would hide each other: they stand on five levels in turn.
        .filter_map(|(index, sample)| {
            let level = ((index * 2) % 5) as f64 - 2.0;
            scale.share(*sample).map(|share| (layout.at(share.into()), y + level * 1.6 * unit))
        })
        .collect();
    canvas.marks(series.hue, &marks, 2.6 * unit, color, 0.6);
    let end = |value: f64| scale.share(value).map_or(if value > point.median { 1.0 } else { 0.0 }, f64::from);
    canvas.line((layout.at(end(point.low)), y), (layout.at(end(point.high)), y), color, 2.0 * unit, "");
    let median = layout.at(median);
    canvas.line((median, y - 8.0 * unit), (median, y + 8.0 * unit), color, 2.5 * unit, "");
}

/// Draws ratios: a mark and a whisker each, on a log axis with a line at the reference.
pub(super) fn ratios(chart: &Chart, style: &Style<'_>) -> Drawing {
    let layout = Layout::new(chart, style);
    let (from, to) = log_bounds(chart);
    let place = |log: f64| ((log - from) / (to - from)).clamp(0.0, 1.0);
    let share = |value: f64| if value > 0.0 { place(value.log10()) } else { 0.0 };
    let mut canvas = Canvas::default();
    let paint = style.paint;
    heading(&mut canvas, &layout, chart);
    let bottom = layout.bottom(chart.series.len());
    let ticks: Vec<(f64, String)> = few_log_ticks((from, to), MOST_LABELS)
        .into_iter()
        .map(|log| (place(log), chart.unit.text(10_f64.powf(log))))
        .collect();
    let height = axis(&mut canvas, &layout, chart, &ticks, bottom);
    if let Some(reference) = chart.reference.filter(|reference| *reference > 0.0) {
        let x = layout.at(share(reference));
        upright(&mut canvas, &layout, x, chart.series.len(), (&paint.dim, 1.5, "5 4"));
    }
    let unit = style.text / 14.0;
    for (row, series) in chart.series.iter().enumerate() {
        name(&mut canvas, &layout, chart.unit, row, series);
        let y = layout.top_of(row) + layout.middle;
        let color = paint.hue(series.hue);
        for point in &series.points {
            let samples: Vec<(f64, f64)> = point
                .samples
                .iter()
                .step_by(stride(&point.samples))
                .filter(|sample| **sample > 0.0)
                .map(|sample| (layout.at(share(*sample)), y))
                .collect();
            canvas.marks(series.hue, &samples, 2.5 * unit, color, 0.5);
            let (low, high) = (layout.at(share(point.low)), layout.at(share(point.high)));
            canvas.line((low, y), (high, y), color, 2.0 * unit, "");
            for end in [low, high] {
                canvas.line((end, y - 4.5 * unit), (end, y + 4.5 * unit), color, 2.0 * unit, "");
            }
            canvas.marks(series.hue, &[(layout.at(share(point.median)), y)], 5.5 * unit, color, 1.0);
        }
    }
    Drawing { elements: canvas.elements, width: style.width, height }
}

/// Each how many-th sample gets a mark: each one, unless there are far too many.
fn stride(samples: &[f64]) -> usize {
    samples.len().div_ceil(MOST_MARKS).max(1)
}

/// The name of the value axis and what the marks mean, above the rows.
fn heading(canvas: &mut Canvas, layout: &Layout<'_>, chart: &Chart) {
    let style = layout.style;
    let ink = Ink { size: small(layout.style), weight: 400, color: &layout.style.paint.dim };
    let y = ink.size;
    let room = layout.right - layout.left;
    let ratios = chart.reference.is_some();
    let single = chart.series.iter().flat_map(|series| &series.points).all(|point| point.samples.is_empty());
    let mut words = vec![chart.axis.as_str()];
    words.push(if ratios { "mark: median, whisker: interval" } else { "line: median, whisker: interval" });
    if !single {
        words.push("dots: each run");
    }
    words.push(match (ratios, chart.unit) {
        (true, _) => "dashed: the same speed",
        (false, Unit::Seconds) => "shorter is better",
        (false, _) => "longer is better",
    });
    while words.len() > 1 && style.width_of(&words.join("  ·  "), ink.size) > room {
        words.pop();
    }
    let words = style.fitted(&words.join("  ·  "), ink.size, room);
    canvas.text((layout.left, y), Anchor::Start, ink, &words);
}

/// A row's name and number.
fn name(canvas: &mut Canvas, layout: &Layout<'_>, unit: Unit, row: usize, series: &Series) {
    let (style, top) = (layout.style, layout.top_of(row));
    let strong = Ink { size: style.text, weight: 600, color: &style.paint.ink };
    let dim = Ink { size: small(style), weight: 400, color: &style.paint.dim };
    let value = series.points.first().map(|point| unit.text(point.median)).unwrap_or_default();
    let technical = shown_technical(series);
    let room = if layout.narrow {
        style.width - style.width_of(&value, style.text * 1.1) - style.text
    } else {
        layout.left - style.text
    };
    if row > 0 {
        canvas.line((0.0, top), (style.width, top), &style.paint.line, 1.0, "");
    }
    let first = match (layout.narrow, technical) {
        (true, _) => top + style.text * 1.5,
        (false, Some(_)) => top + layout.middle - style.text * 0.2,
        (false, None) => top + layout.middle + style.text * 0.36,
    };
    canvas.text((0.0, first), Anchor::Start, strong, &style.fitted(&series.name, style.text * 1.05, room));
    if let Some(technical) = technical {
        canvas.text((0.0, first + style.text * 1.2), Anchor::Start, dim, &style.fitted(technical, dim.size, room));
    }
    let y = if layout.narrow { first } else { top + layout.middle + style.text * 0.36 };
    canvas.text((style.width, y), Anchor::End, strong, &value);
}

/// Lines and labels of an axis below the rows; returns the drawing's height. Labels that would touch are
/// left out.
fn axis(canvas: &mut Canvas, layout: &Layout<'_>, chart: &Chart, ticks: &[(f64, String)], bottom: f64) -> f64 {
    let style = layout.style;
    let paint = layout.style.paint;
    let ink = Ink { size: small(layout.style), weight: 400, color: &paint.dim };
    let every = ticks.len().div_ceil(MOST_LABELS).max(1);
    let mut free_from = f64::NEG_INFINITY;
    for (share, label) in ticks.iter().step_by(every) {
        let x = layout.at(*share);
        upright(canvas, layout, x, chart.series.len(), (&paint.line, 1.0, ""));
        let half = style.width_of(label, ink.size) / 2.0;
        let center = x.clamp(layout.left + half, (layout.style.width - half).max(layout.left + half));
        if center - half >= free_from {
            canvas.text((center, bottom + ink.size * 1.4), Anchor::Middle, ink, label);
            free_from = center + half + ink.size * 0.8;
        }
    }
    let words = style.fitted(&format!("{}, log scale", chart.axis), ink.size, layout.style.width - layout.left);
    canvas.text((layout.left, bottom + ink.size * 2.9), Anchor::Start, ink, &words);
    bottom + ink.size * 3.4
}

/// A line through all rows; where the names stand above the strips, through the strips alone.
fn upright(canvas: &mut Canvas, layout: &Layout<'_>, x: f64, rows: usize, (color, width, dashes): (&str, f64, &str)) {
    if !layout.narrow {
        canvas.line((x, layout.top), (x, layout.bottom(rows)), color, width, dashes);
        return;
    }
    let half = layout.style.text * 0.75;
    for row in 0..rows {
        let y = layout.top_of(row) + layout.middle;
        canvas.line((x, y - half), (x, y + half), color, width, dashes);
    }
}

/// SQLite's terms, where they say more than the name.
fn shown_technical(series: &Series) -> Option<&str> {
    let technical = series.technical.as_str();
    (!series.name.contains(technical)).then_some(technical)
}

fn small(style: &Style<'_>) -> f64 {
    style.text * 12.5 / 14.0
}

//! Curves: one line a series over another axis. Series of one family differ in their dashes and in
//! whether their marks are filled.

use super::{
    super::scale::{few_log_ticks, is_wide, linear_ticks, log_bounds, points},
    Anchor, Canvas, Drawing, Ink, Style,
};
use crate::{
    section::{Chart, Hue, Scale, Series},
    units,
};

/// The dashes of the first, second and further series of a family.
const DASHES: [&str; 3] = ["", "7 4", "2 4"];
/// No more ticks than this on an axis.
const MOST_TICKS: usize = 8;

/// One axis: a value, or its logarithm, to a place.
#[derive(Clone, Copy, Debug)]
struct Axis {
    log: bool,
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn scaled(self, value: f64) -> f64 {
        match self.log {
            true if value > 0.0 => value.log10(),
            true => self.from,
            false => value,
        }
    }

    fn at(self, value: f64) -> f64 {
        let span = self.to - self.from;
        let share = if span > 0.0 { ((self.scaled(value) - self.from) / span).clamp(0.0, 1.0) } else { 0.5 };
        self.start + share * (self.end - self.start)
    }
}

/// Draws curves.
pub(super) fn curves(chart: &Chart, style: &Style<'_>) -> Drawing {
    let mut canvas = Canvas::default();
    let small = style.text * 12.5 / 14.0;
    let ink = Ink { size: small, weight: 400, color: &style.paint.dim };
    let top = legend(&mut canvas, chart, style) + small * 1.8;
    let height = (style.width * 0.34).clamp(style.text * 15.0, style.text * 22.0);
    let (y_ticks, y) = y_axis(chart, (top + height, top));
    let labels = y_ticks.iter().map(|tick| style.width_of(&chart.unit.text(*tick), small)).fold(0.0, f64::max);
    let (x_ticks, x) = x_axis(chart, (labels + small, style.width - style.text * 1.5));
    canvas.text((0.0, top - small * 0.9), Anchor::Start, ink, &axis_name(chart));
    for tick in y_ticks {
        let place = y.at(tick);
        canvas.line((x.start, place), (style.width, place), &style.paint.line, 1.0, "");
        canvas.text((labels, place + small * 0.36), Anchor::End, ink, &chart.unit.text(tick));
    }
    let mut free_from = f64::NEG_INFINITY;
    for tick in x_ticks {
        let label = units::number(tick);
        let half = style.width_of(&label, small) / 2.0;
        let center = x.at(tick).min(style.width - half);
        if center - half >= free_from {
            canvas.text((center, y.start + small * 1.6), Anchor::Middle, ink, &label);
            free_from = center + half + small * 0.6;
        }
    }
    if let Some(name) = &chart.x_axis {
        let name = style.fitted(name, small, x.end - x.start);
        canvas.text(((x.start + x.end) / 2.0, y.start + small * 3.2), Anchor::Middle, ink, &name);
    }
    if let Some(reference) = chart.reference {
        canvas.line((x.start, y.at(reference)), (style.width, y.at(reference)), &style.paint.dim, 1.5, "5 4");
    }
    for (series, turn) in chart.series.iter().zip(turns(&chart.series)) {
        curve(&mut canvas, style, series, turn, (x, y));
    }
    Drawing { elements: canvas.elements, width: style.width, height: y.start + small * 3.8 }
}

fn curve(canvas: &mut Canvas, style: &Style<'_>, series: &Series, turn: usize, (x, y): (Axis, Axis)) {
    let color = style.paint.hue(series.hue);
    for pair in series.points.windows(2) {
        let [one, next] = pair else { continue };
        let (from, to) = ((x.at(one.x), y.at(one.median)), (x.at(next.x), y.at(next.median)));
        canvas.line(from, to, color, 2.0, DASHES[turn.min(DASHES.len() - 1)]);
    }
    for point in &series.points {
        let place = x.at(point.x);
        if point.high > point.low {
            canvas.line((place, y.at(point.low)), (place, y.at(point.high)), color, 1.5, "");
        }
        mark(canvas, style, series.hue, turn, (place, y.at(point.median)));
    }
}

fn mark(canvas: &mut Canvas, style: &Style<'_>, hue: Hue, turn: usize, at: (f64, f64)) {
    let color = style.paint.hue(hue);
    let fill = if turn == 0 { color } else { style.paint.card.as_str() };
    canvas.bold_mark(hue, at, 4.0 * style.text / 14.0, fill, color);
}

/// Names the series, in as many lines as they need; returns where it ends.
fn legend(canvas: &mut Canvas, chart: &Chart, style: &Style<'_>) -> f64 {
    let (text, line) = (style.text, style.text * 1.6);
    let ink = Ink { size: text * 12.5 / 14.0, weight: 400, color: &style.paint.ink };
    let (mut x, mut y) = (0.0, text);
    for (series, turn) in chart.series.iter().zip(turns(&chart.series)) {
        let name = match series.technical.as_str() {
            "" => series.name.clone(),
            technical if series.name.contains(technical) => series.name.clone(),
            technical => format!("{} ({technical})", series.name),
        };
        let name = style.fitted(&name, ink.size, style.width - text * 3.0);
        let width = text * 2.6 + style.width_of(&name, ink.size);
        if x > 0.0 && x + width > style.width {
            (x, y) = (0.0, y + line);
        }
        let middle = y - text * 0.32;
        let color = style.paint.hue(series.hue);
        canvas.line((x, middle), (x + text * 2.0, middle), color, 2.0, DASHES[turn.min(DASHES.len() - 1)]);
        mark(canvas, style, series.hue, turn, (x + text, middle));
        canvas.text((x + text * 2.5, y), Anchor::Start, ink, &name);
        x += width + text * 1.5;
    }
    y + text
}

/// How many series of the same family come before each.
fn turns(series: &[Series]) -> Vec<usize> {
    let earlier = |index: usize, hue: Hue| series.iter().take(index).filter(|other| other.hue == hue).count();
    series.iter().enumerate().map(|(index, series)| earlier(index, series.hue)).collect()
}

fn axis_name(chart: &Chart) -> String {
    if chart.scale == Scale::Log { format!("{}, log scale", chart.axis) } else { chart.axis.clone() }
}

/// From the bottom to the top.
fn y_axis(chart: &Chart, (start, end): (f64, f64)) -> (Vec<f64>, Axis) {
    if chart.scale == Scale::Log {
        let (from, to) = log_bounds(chart);
        let ticks = few_log_ticks((from, to), MOST_TICKS).into_iter().map(|log| 10_f64.powf(log));
        return (ticks.collect(), Axis { log: true, from, to, start, end });
    }
    let values = points(chart).flat_map(|point| [point.median, point.high]).chain(chart.reference);
    let most = values.fold(0.0, f64::max);
    let most = if most > 0.0 { most * 1.05 } else { 1.0 };
    (linear_ticks(most), Axis { log: false, from: 0.0, to: most, start, end })
}

/// From the left to the right. Where few values were measured, these are the ticks.
fn x_axis(chart: &Chart, (start, end): (f64, f64)) -> (Vec<f64>, Axis) {
    let mut values: Vec<f64> = points(chart).map(|point| point.x).filter(|x| x.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let log = is_wide(values.iter().copied());
    let ends = values.first().copied().zip(values.last().copied());
    let (from, to) = ends.map_or((0.0, 1.0), |(from, to)| if log { (from.log10(), to.log10()) } else { (from, to) });
    let ticks = match (values.len() <= MOST_TICKS, log) {
        (true, _) => values,
        (false, true) => few_log_ticks((from, to), MOST_TICKS).into_iter().map(|log| 10_f64.powf(log)).collect(),
        (false, false) => linear_ticks(to).into_iter().filter(|tick| *tick >= from).collect(),
    };
    (ticks, Axis { log, from, to, start, end })
}

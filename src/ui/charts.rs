//! Draws the charts that are no rows of a table: ratios around a line at 1 on a log axis, and curves.
//! egui_plot has neither a log axis nor whiskers, so values are drawn as their logarithms under ticks of
//! our own, and whiskers are lines. Wheel and drag do nothing: these are pictures. The table below each
//! is its accessible form. Called by `sections`.

use eframe::egui::{Color32, RichText, Sense, Ui};
use egui_plot::{
    AxisHints, GridMark, HLine, Legend, Line, LineStyle, MarkerShape, Plot, PlotPoints, PlotUi, Points, VLine,
};

use super::theme::{self, Palette};
use crate::{
    export::scale::{is_wide, log_bounds, log_ticks},
    section::{Chart, Hue, Scale, Unit},
};

/// The height of one row of a chart of ratios, in points.
const ROW: f32 = 34.0;
/// Room for the ticks and the name of an axis, in points.
const AXIS: f32 = 44.0;
/// The shapes of files that are compared, as `bars` has them.
const FILES: [MarkerShape; 8] = [
    MarkerShape::Circle,
    MarkerShape::Diamond,
    MarkerShape::Square,
    MarkerShape::Up,
    MarkerShape::Down,
    MarkerShape::Left,
    MarkerShape::Right,
    MarkerShape::Cross,
];

/// Draws ratios: one row a series, a mark and a whisker.
pub fn ratios_ui(ui: &mut Ui, id: &str, chart: &Chart) {
    let palette = Palette::of(ui);
    let (from, to) = log_bounds(chart);
    let rows = chart.series.len();
    let names: Vec<String> = chart.series.iter().map(|series| series.name.clone()).collect();
    let y_axis = AxisHints::new_y()
        .formatter(move |mark, _| row_name(&names, mark.value))
        .tick_label_font(theme::small_font())
        .tick_label_color(palette.ink)
        .label_spacing(8.0..=10.0);
    let unit = chart.unit;
    plot(ui, id, ROW * rows as f32 + AXIS)
        .custom_x_axes(vec![log_axis(AxisHints::new_x(), chart, palette)])
        .custom_y_axes(vec![y_axis])
        .x_grid_spacer(|input| log_marks(input.bounds))
        .y_grid_spacer(move |_| (0..rows).map(|row| GridMark { value: -(row as f64), step_size: 1.0 }).collect())
        .label_formatter(move |_| None)
        .default_x_bounds(from, to)
        .default_y_bounds(-(rows as f64) + 0.4, 0.6)
        .show(ui, |plot| {
            if let Some(reference) = chart.reference.filter(|reference| *reference > 0.0) {
                let line = VLine::new(unit.text(reference), reference.log10()).color(palette.dim).width(1.5);
                plot.vline(line.style(LineStyle::dashed_loose()).allow_hover(false));
            }
            for (row, series) in chart.series.iter().enumerate() {
                let color = palette.hue(series.hue);
                for point in &series.points {
                    let y = -(row as f64);
                    whisker(plot, [[log(point.low), y], [log(point.high), y]], color);
                    for end in [point.low, point.high] {
                        whisker(plot, [[log(end), y - 0.13], [log(end), y + 0.13]], color);
                    }
                    let samples: Vec<[f64; 2]> =
                        point.samples.iter().filter(|sample| **sample > 0.0).map(|sample| [log(*sample), y]).collect();
                    marks(plot, &series.name, samples, series.hue, 2.5, color.gamma_multiply(0.6));
                    marks(plot, &series.name, vec![[log(point.median), y]], series.hue, 5.5, color);
                }
            }
        });
}

/// Draws curves: one line a series over the other axis.
pub fn curves_ui(ui: &mut Ui, id: &str, chart: &Chart) {
    let palette = Palette::of(ui);
    let log_y = chart.scale == Scale::Log;
    let logs_x = is_wide(chart.series.iter().flat_map(|series| &series.points).map(|point| point.x));
    let at = move |x: f64, y: f64| [if logs_x { log(x) } else { x }, if log_y { log(y) } else { y }];
    let mut y_axis = AxisHints::new_y().tick_label_font(theme::small_font()).tick_label_color(palette.dim);
    y_axis = if log_y { log_axis(y_axis, chart, palette) } else { linear_axis(y_axis, chart) };
    let mut x_axis = AxisHints::new_x().tick_label_font(theme::small_font()).tick_label_color(palette.dim);
    if let Some(name) = &chart.x_axis {
        x_axis = x_axis.label(axis_name(name, palette));
    }
    if logs_x {
        x_axis = x_axis.formatter(|mark, _| crate::units::number(10_f64.powf(mark.value)));
    }
    let mut plot = plot(ui, id, 240.0)
        .custom_x_axes(vec![x_axis])
        .custom_y_axes(vec![y_axis])
        .legend(Legend::default().follow_insertion_order(true))
        .label_formatter(|_| None);
    if log_y {
        plot = plot.y_grid_spacer(|input| log_marks(input.bounds));
    } else {
        plot = plot.include_y(0.0);
    }
    if logs_x {
        plot = plot.x_grid_spacer(|input| log_marks(input.bounds));
    }
    plot.show(ui, |plot| {
        if let Some(reference) = chart.reference {
            plot.hline(HLine::new("", at(1.0, reference)[1]).color(palette.dim).allow_hover(false));
        }
        for series in &chart.series {
            let color = palette.hue(series.hue);
            let line: Vec<[f64; 2]> = series.points.iter().map(|point| at(point.x, point.median)).collect();
            plot.line(
                Line::new(&series.name, PlotPoints::from(line.clone())).color(color).width(2.0).allow_hover(false),
            );
            marks(plot, &series.name, line, series.hue, 4.0, color);
            for point in &series.points {
                whisker(plot, [at(point.x, point.low), at(point.x, point.high)], color);
            }
        }
    });
}

fn plot<'a>(ui: &Ui, id: &str, height: f32) -> Plot<'a> {
    Plot::new(("chart", id))
        .height(height)
        .width(ui.available_width())
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .allow_axis_zoom_drag(false)
        .show_crosshair(false)
        .show_background(false)
        .grid_color(Palette::of(ui).line)
        .sense(Sense::hover())
}

fn whisker(plot: &mut PlotUi<'_>, ends: [[f64; 2]; 2], color: Color32) {
    plot.line(Line::new("", PlotPoints::from(ends.to_vec())).color(color).width(2.0).allow_hover(false));
}

fn marks(plot: &mut PlotUi<'_>, name: &str, at: Vec<[f64; 2]>, hue: Hue, radius: f32, color: Color32) {
    let shape = match hue {
        Hue::Wal => MarkerShape::Circle,
        Hue::Rollback => MarkerShape::Diamond,
        Hue::Nth(index) => FILES[usize::from(index) % FILES.len()],
        Hue::Neutral => MarkerShape::Square,
    };
    plot.points(
        Points::new(name, PlotPoints::from(at))
            .shape(shape)
            .radius(radius)
            .color(color)
            .filled(true)
            .allow_hover(false),
    );
}

fn log_axis<'a>(axis: AxisHints<'a>, chart: &Chart, palette: &Palette) -> AxisHints<'a> {
    let unit = chart.unit;
    axis.label(axis_name(&format!("{}, log scale", chart.axis), palette))
        .tick_label_font(theme::small_font())
        .tick_label_color(palette.dim)
        .formatter(move |mark, _| tick(unit, 10_f64.powf(mark.value)))
        .label_spacing(24.0..=40.0)
}

fn linear_axis<'a>(axis: AxisHints<'a>, chart: &Chart) -> AxisHints<'a> {
    let unit = chart.unit;
    axis.label(RichText::new(chart.axis.clone()).size(12.5)).formatter(move |mark, _| tick(unit, mark.value))
}

fn axis_name(name: &str, palette: &Palette) -> RichText {
    RichText::new(name).size(12.5).color(palette.dim)
}

fn tick(unit: Unit, value: f64) -> String {
    unit.text(value)
}

fn row_name(names: &[String], value: f64) -> String {
    let row = (-value).round();
    if (row + value).abs() > 0.01 || row < 0.0 {
        return String::new();
    }
    names.get(row as usize).cloned().unwrap_or_default()
}

/// Zero and less have no logarithm; they stand at the far left.
fn log(value: f64) -> f64 {
    if value > 0.0 { value.log10() } else { -12.0 }
}

/// The marks of a log axis.
fn log_marks(bounds: (f64, f64)) -> Vec<GridMark> {
    log_ticks(bounds).into_iter().map(|value| GridMark { value, step_size: 1.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_at_their_own_height_only() {
        let names = ["first".to_owned(), "second".to_owned()];
        assert_eq!(row_name(&names, 0.0), "first");
        assert_eq!(row_name(&names, -1.0), "second");
        assert_eq!(row_name(&names, -0.5), "");
        assert_eq!(row_name(&names, -2.0), "");
        assert_eq!(row_name(&names, 1.0), "");
    }
}

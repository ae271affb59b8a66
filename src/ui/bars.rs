//! The small picture in a table row: a bar from zero to the median, a whisker for the interval, a mark
//! for every sample and a line at the median; on a log scale marks and whiskers without the bar. Each
//! family of settings has its colour and its shape. Called by `tables`.

use eframe::egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, Ui, UiBuilder, Vec2, pos2, vec2};

use super::{
    theme::{self, Palette},
    widgets::link_ui,
};
pub use crate::export::scale::{BarScale, WIDE_SPAN};
use crate::{
    section::{Chart, Hue, Series, Unit},
    units,
};

/// The thickness of a bar, in points.
const THICKNESS: f32 = 12.0;

/// Draws one series into `rect`. Returns whether the person asked for the other scale.
pub fn bar_ui(ui: &mut Ui, rect: Rect, unit: Unit, series: &Series, scale: BarScale) -> bool {
    let palette = Palette::of(ui);
    let Some(point) = series.points.first().filter(|point| !point.samples.is_empty() || point.median > 0.0) else {
        return false;
    };
    let strip = Rect::from_center_size(rect.center(), vec2(rect.width(), THICKNESS));
    let Some(median) = scale.share(point.median) else { return off_scale_ui(ui, rect, unit, point.median) };
    let painter = ui.painter().with_clip_rect(rect.expand2(vec2(4.0, 0.0)).intersect(ui.clip_rect()));
    let place = |share: f32| strip.left() + share * strip.width();
    match scale {
        BarScale::Linear { .. } => {
            painter.rect_filled(strip, 3.0, palette.track);
            let bar = Rect::from_min_max(strip.min, pos2(place(median), strip.bottom()));
            painter.rect_filled(bar, 3.0, palette.hue_tint(series.hue));
        }
        BarScale::Log { from, to } => {
            for power in from..=to {
                let x = place((power - from) as f32 / (to - from) as f32);
                painter.vline(x, rect.y_range(), Stroke::new(1.0, palette.line));
            }
        }
    }
    let color = palette.hue(series.hue);
    let y = strip.center().y;
    for (index, sample) in point.samples.iter().enumerate() {
        if let Some(share) = scale.share(*sample) {
            // Samples alike would hide each other: they stand on five levels in turn.
            let level = ((index * 2) % 5) as f32 - 2.0;
            mark(&painter, pos2(place(share), y + level * 1.6), 2.6, series.hue, color.gamma_multiply(0.65));
        }
    }
    let end = |value: f64| scale.share(value).unwrap_or(if value > point.median { 1.0 } else { 0.0 });
    painter.hline(place(end(point.low))..=place(end(point.high)), y, Stroke::new(2.0, color));
    painter.vline(place(median), (y - 8.0)..=(y + 8.0), Stroke::new(2.5, color));
    false
}

/// One sample: a circle for WAL, a diamond for rollback journals, a shape of its own for each file of a
/// comparison, a square for the rest.
pub fn mark(painter: &Painter, center: Pos2, radius: f32, hue: Hue, color: Color32) {
    let triangle = |top: Vec2| {
        let corners = [top, -top.rot90() - top, top.rot90() - top].map(|arm| center + arm * radius * 1.1);
        Shape::convex_polygon(corners.to_vec(), color, Stroke::NONE)
    };
    match hue {
        Hue::Wal | Hue::Nth(0) => {
            painter.circle_filled(center, radius, color);
        }
        Hue::Rollback | Hue::Nth(1) => {
            let arm = radius * 1.3;
            let corners = [Vec2::UP, Vec2::RIGHT, Vec2::DOWN, Vec2::LEFT].map(|side| center + side * arm);
            painter.add(Shape::convex_polygon(corners.to_vec(), color, Stroke::NONE));
        }
        Hue::Nth(3) => drop(painter.add(triangle(Vec2::UP))),
        Hue::Nth(4) => drop(painter.add(triangle(Vec2::DOWN))),
        Hue::Nth(5) => drop(painter.add(triangle(Vec2::LEFT))),
        Hue::Nth(6) => drop(painter.add(triangle(Vec2::RIGHT))),
        Hue::Nth(7..) => {
            let stroke = Stroke::new(radius * 0.7, color);
            for arm in [Vec2::new(radius, radius), Vec2::new(radius, -radius)] {
                painter.line_segment([center - arm, center + arm], stroke);
            }
        }
        Hue::Nth(2) | Hue::Neutral => {
            painter.rect_filled(Rect::from_center_size(center, Vec2::splat(radius * 1.8)), 0.0, color);
        }
    }
}

/// A value that the linear scale cannot show, in words, and the way to see it.
fn off_scale_ui(ui: &mut Ui, rect: Rect, unit: Unit, value: f64) -> bool {
    let mut row = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("off-scale"));
    row.set_clip_rect(rect.intersect(ui.clip_rect()));
    row.spacing_mut().item_spacing.y = 2.0;
    row.spacing_mut().interact_size.y = 18.0;
    let words = theme::secondary(&row, format!("off this scale: {}", with_unit(unit, value)));
    // Two lines where the bar is short.
    let one_line = rect.width() > 330.0;
    let height = if one_line { 18.0 } else { 36.0 };
    row.add_space(((rect.height() - height) / 2.0).max(0.0));
    if one_line {
        row.horizontal(|ui| {
            ui.label(words);
            link_ui(ui, "show on a log scale").clicked()
        })
        .inner
    } else {
        row.label(words);
        link_ui(&mut row, "show on a log scale").clicked()
    }
}

/// The labels under the rows of a log scale, and the way back. Nothing for a linear scale, whose rows
/// carry their numbers.
pub fn ticks_ui(ui: &mut Ui, area: Rect, chart: &Chart, scale: BarScale) -> bool {
    let BarScale::Log { from, to } = scale else { return false };
    let palette = Palette::of(ui);
    let (_, whole) = ui.allocate_space(vec2(ui.available_width(), 40.0));
    for power in from..=to {
        let x = area.left() + (power - from) as f32 / (to - from) as f32 * area.width();
        let align = if power == from {
            Align2::LEFT_TOP
        } else if power == to {
            Align2::RIGHT_TOP
        } else {
            Align2::CENTER_TOP
        };
        let text = chart.unit.text(10_f64.powi(power));
        ui.painter().text(pos2(x, whole.top() + 4.0), align, text, theme::small_font(), palette.dim);
    }
    let below = Rect::from_min_max(
        pos2(area.left(), whole.top() + 21.0),
        pos2(area.left() + area.width().max(200.0), whole.bottom()),
    );
    let mut row = ui.new_child(UiBuilder::new().max_rect(below).id_salt("ticks"));
    row.spacing_mut().interact_size.y = 18.0;
    row.horizontal(|ui| {
        let axis = theme::secondary(ui, format!("{}, log scale", chart.axis));
        ui.label(axis);
        link_ui(ui, "show from zero").clicked()
    })
    .inner
}

/// A value with its unit, for a sentence.
pub fn with_unit(unit: Unit, value: f64) -> String {
    match unit {
        Unit::PerSecond => units::rate(value),
        Unit::Times => format!("{} times", units::ratio(value)),
        Unit::Seconds | Unit::Bytes | Unit::Count => unit.text(value),
    }
}

//! Draws a section's table, with a bar in each row where the section has a chart of medians. Columns
//! take what their text needs; where the window is too narrow for that, each row becomes a block of
//! "heading: value" pairs, so nothing is cut off. Called by `sections`.

use std::sync::Arc;

use eframe::egui::{
    Align, CollapsingHeader, Color32, FontFamily, FontId, Galley, Label, Rect, Stroke, TextFormat, Ui, UiBuilder, pos2,
    text::LayoutJob, vec2,
};

use super::{
    bars::{BarScale, bar_ui, ticks_ui},
    theme::{self, GRID, Palette},
};
use crate::section::{Cell, Chart, Series, Table, Unit};

/// Between columns, in points.
const GAP: f32 = 14.0;
/// Left and right of a row, in points.
const INSET: f32 = 6.0;
/// Above and below the text of a row, in points.
const ROW_MARGIN: f32 = 8.0;
/// A bar of this length shows differences well.
const GOOD_BAR: f32 = 300.0;
/// Less than this is no bar.
const LEAST_BAR: f32 = 130.0;
/// A text column is wrapped below its natural width, but not below this.
const LEAST_TEXT: f32 = 112.0;
/// Text wider than this is wrapped beside bars, which need the room more.
const MOST_TEXT: f32 = 156.0;
/// A heading narrower than this stays on one line.
const SHORT_HEADING: f32 = 64.0;

/// The bars of a table's rows.
#[derive(Clone, Copy, Debug)]
pub struct Bars<'a> {
    /// One series a row.
    pub chart: &'a Chart,
    /// How values become distances.
    pub scale: BarScale,
}

/// Draws the table. Returns whether the person asked for the other scale.
pub fn table_ui(ui: &mut Ui, table: &Table, bars: Option<Bars<'_>>) -> bool {
    let Some(bars) = bars else { return whole_ui(ui, table, None) };
    let chosen = choose(ui, table, bars.chart);
    if chosen.len() == table.columns.len() {
        return whole_ui(ui, table, Some(bars));
    }
    let asked = whole_ui(ui, &only(table, &chosen), Some(bars));
    ui.add_space(GRID / 2.0);
    ui.push_id("all", |ui| {
        CollapsingHeader::new("All numbers").show_unindented(ui, |ui| whole_ui(ui, table, None));
    });
    asked
}

fn whole_ui(ui: &mut Ui, table: &Table, bars: Option<Bars<'_>>) -> bool {
    match Columns::fit(ui, table, bars.is_some()) {
        Some(columns) => wide_ui(ui, table, &columns, bars),
        None => narrow_ui(ui, table, bars),
    }
}

/// The column whose numbers the bars show.
fn main_column(table: &Table, chart: &Chart) -> Option<usize> {
    let shows = |cell: &Cell| {
        matches!(
            (chart.unit, cell),
            (Unit::PerSecond, Cell::PerSecond(_))
                | (Unit::Times, Cell::Times(_))
                | (Unit::Seconds, Cell::Seconds(_))
                | (Unit::Bytes, Cell::Bytes(_))
                | (Unit::Count, Cell::Count(_) | Cell::Number(_))
        )
    };
    (0..table.columns.len()).find(|column| table.rows.iter().any(|row| row.get(*column).is_some_and(shows)))
}

/// The columns that fit beside a bar of a good length, the most telling first: the setting, the number
/// of the bar, ratios, words, counts, then the rest. All others are a click away.
fn choose(ui: &Ui, table: &Table, chart: &Chart) -> Vec<usize> {
    let main = main_column(table, chart);
    let rank = |column: usize| {
        let cells = || table.rows.iter().filter_map(|row| row.get(column));
        match () {
            () if column == 0 => 0,
            () if Some(column) == main => 1,
            () if cells().any(|cell| matches!(cell, Cell::Times(_))) => 2,
            () if cells().any(|cell| matches!(cell, Cell::Text(_))) => 3,
            () if cells().any(|cell| matches!(cell, Cell::Count(_) | Cell::Number(_) | Cell::TimesRange(..))) => 4,
            () if cells().any(|cell| matches!(cell, Cell::PerSecond(_))) => 5,
            () => 6,
        }
    };
    let mut order: Vec<usize> = (0..table.columns.len()).collect();
    order.sort_by_key(|column| rank(*column));
    let mut room = ui.available_width() - 2.0 * INSET - GOOD_BAR;
    let mut chosen = Vec::new();
    for column in order {
        let natural = natural_width(ui, table, column);
        let wanted = if is_number(table, column) { natural } else { natural.min(MOST_TEXT) } + GAP;
        // The first few stay in any case; a window too narrow for them shows blocks.
        if rank(column) <= 3 || wanted <= room {
            chosen.push(column);
            room -= wanted;
        }
    }
    chosen.sort_unstable();
    chosen
}

fn only(table: &Table, columns: &[usize]) -> Table {
    let pick = |row: &Vec<Cell>| columns.iter().filter_map(|column| row.get(*column).cloned()).collect();
    Table {
        columns: columns.iter().filter_map(|column| table.columns.get(*column).cloned()).collect(),
        rows: table.rows.iter().map(pick).collect(),
    }
}

/// The series of each row: they stand in the same order, and a row without a number has none.
fn series_of<'a>(table: &Table, bars: Option<Bars<'a>>) -> Vec<Option<&'a Series>> {
    let Some(bars) = bars else { return vec![None; table.rows.len()] };
    let main = main_column(table, bars.chart);
    let mut series = bars.chart.series.iter();
    let has_number = |row: &Vec<Cell>| main.and_then(|main| row.get(main)).is_some_and(Cell::is_number);
    table.rows.iter().map(|row| if has_number(row) { series.next() } else { None }).collect()
}

/// Where the columns are, from the left edge of the table.
struct Columns {
    width: f32,
    /// The left edge and the width of each column of the table.
    cells: Vec<(f32, f32)>,
    /// The same for the bar, which stands after the first column.
    bar: Option<(f32, f32)>,
}

impl Columns {
    fn fit(ui: &Ui, table: &Table, with_bar: bool) -> Option<Self> {
        let width = ui.available_width();
        let natural: Vec<f32> = (0..table.columns.len()).map(|column| natural_width(ui, table, column)).collect();
        let least = |(column, natural): (usize, &f32)| {
            if is_number(table, column) { *natural } else { natural.min(LEAST_TEXT) }
        };
        let mut widths: Vec<f32> = natural.iter().enumerate().map(least).collect();
        let gaps = GAP * (natural.len() + usize::from(with_bar)).saturating_sub(1) as f32;
        let bar_least = if with_bar { LEAST_BAR } else { 0.0 };
        let mut spare = width - 2.0 * INSET - gaps - widths.iter().sum::<f32>() - bar_least;
        if spare < 0.0 {
            return None;
        }
        let most = if with_bar { MOST_TEXT } else { f32::INFINITY };
        for (given, wanted) in widths.iter_mut().zip(&natural) {
            let more = (wanted.min(most) - *given).clamp(0.0, spare);
            *given += more;
            spare -= more;
        }
        if !with_bar && let Some(first) = widths.first_mut() {
            *first += spare;
        }
        Some(Self::placed(width, &widths, with_bar.then_some(bar_least + spare)))
    }

    fn placed(width: f32, widths: &[f32], bar_width: Option<f32>) -> Self {
        let mut left = INSET;
        let mut columns = Self { width, cells: Vec::new(), bar: None };
        for (column, width) in widths.iter().enumerate() {
            columns.cells.push((left, *width));
            left += width + GAP;
            if let (0, Some(bar_width)) = (column, bar_width) {
                columns.bar = Some((left, bar_width));
                left += bar_width + GAP;
            }
        }
        columns
    }
}

fn wide_ui(ui: &mut Ui, table: &Table, columns: &Columns, bars: Option<Bars<'_>>) -> bool {
    let palette = Palette::of(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    let headings: Vec<Arc<Galley>> = table
        .columns
        .iter()
        .zip(&columns.cells)
        .enumerate()
        .map(|(column, (heading, (_, width)))| {
            let mut job = text_job(heading, theme::small_font(), palette.dim);
            job.halign = if is_number(table, column) { Align::RIGHT } else { Align::LEFT };
            galley(ui, job, *width)
        })
        .collect();
    row_ui(ui, table, columns, ("row", table.rows.len()), &headings, |_, _| false);
    let mut asked = false;
    for (index, (row, series)) in table.rows.iter().zip(series_of(table, bars)).enumerate() {
        hairline(ui, columns.width);
        let cells: Vec<Arc<Galley>> = row
            .iter()
            .zip(&columns.cells)
            .enumerate()
            .map(|(column, (cell, (_, width)))| {
                let main = cell.is_number() && first_number(row) == Some(column);
                galley(ui, cell_job(ui, cell, main), *width)
            })
            .collect();
        asked |= row_ui(ui, table, columns, ("row", index), &cells, |ui, rect| {
            bars.zip(series).is_some_and(|(bars, series)| bar_ui(ui, rect, bars.chart.unit, series, bars.scale))
        });
    }
    if let (Some(bars), Some((left, width))) = (bars, columns.bar) {
        let top = ui.cursor().min;
        asked |= ticks_ui(ui, Rect::from_min_size(pos2(top.x + left, top.y), vec2(width, 0.0)), bars.chart, bars.scale);
    }
    asked
}

/// One row: texts at their columns, centred in height, and the bar between them.
fn row_ui(
    ui: &mut Ui,
    table: &Table,
    columns: &Columns,
    id: (&str, usize),
    cells: &[Arc<Galley>],
    add_bar: impl FnOnce(&mut Ui, Rect) -> bool,
) -> bool {
    let height = cells.iter().map(|galley| galley.size().y).fold(16.0, f32::max) + 2.0 * ROW_MARGIN;
    let (_, rect) = ui.allocate_space(vec2(columns.width, height));
    let mut row = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(id));
    for (column, (galley, (left, width))) in cells.iter().zip(&columns.cells).enumerate() {
        let size = galley.size();
        let shift = if is_number(table, column) { width - size.x } else { 0.0 };
        let corner = pos2(rect.left() + left + shift, rect.center().y - size.y / 2.0);
        row.place(Rect::from_min_size(corner, size), Label::new(galley.clone()));
    }
    match columns.bar {
        Some((left, width)) => {
            let bar = Rect::from_min_size(pos2(rect.left() + left, rect.top()), vec2(width, height));
            add_bar(&mut row, bar)
        }
        None => false,
    }
}

fn narrow_ui(ui: &mut Ui, table: &Table, bars: Option<Bars<'_>>) -> bool {
    let palette = Palette::of(ui);
    let width = ui.available_width();
    let mut asked = false;
    for (row, series) in table.rows.iter().zip(series_of(table, bars)) {
        hairline(ui, width);
        if let Some(first) = row.first() {
            let words = galley(ui, cell_job(ui, first, false), width);
            ui.add(Label::new(words));
        }
        if let Some((bars, series)) = bars.zip(series) {
            let (_, rect) = ui.allocate_space(vec2(width, 28.0));
            asked |= bar_ui(ui, rect, bars.chart.unit, series, bars.scale);
        }
        let pairs = galley(ui, pairs_job(palette, &table.columns, row), width);
        ui.add(Label::new(pairs));
        ui.add_space(GRID / 2.0);
    }
    if let Some(bars) = bars {
        let area = ui.available_rect_before_wrap();
        asked |= ticks_ui(ui, area, bars.chart, bars.scale);
    }
    asked
}

/// "heading: value" for each cell but the first.
fn pairs_job(palette: &Palette, columns: &[String], row: &[Cell]) -> LayoutJob {
    let format = |color| TextFormat { line_height: Some(18.0), ..TextFormat::simple(theme::small_font(), color) };
    let mut job = LayoutJob::default();
    for (index, (heading, cell)) in columns.iter().zip(row).enumerate().skip(1) {
        let space = if index > 1 { 2.0 * GRID } else { 0.0 };
        job.append(&format!("{heading}: "), space, format(palette.dim));
        // A value stays on one line with itself: 4.1 to 4.2.
        job.append(&cell.text().replace(" to ", "\u{a0}to\u{a0}"), 0.0, format(palette.ink));
    }
    job
}

fn hairline(ui: &mut Ui, width: f32) {
    let (_, rect) = ui.allocate_space(vec2(width, 1.0));
    ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(1.0, Palette::of(ui).line));
}

fn is_number(table: &Table, column: usize) -> bool {
    table.rows.iter().any(|row| row.get(column).is_some_and(Cell::is_number))
}

fn first_number(row: &[Cell]) -> Option<usize> {
    row.iter().position(Cell::is_number)
}

fn natural_width(ui: &Ui, table: &Table, column: usize) -> f32 {
    let width = |job| galley(ui, job, f32::INFINITY).size().x;
    let small = |text: &str| width(text_job(text, theme::small_font(), Color32::PLACEHOLDER));
    let heading = table.columns.get(column).map_or("", String::as_str);
    // A long heading may wrap between its words.
    let word = heading.split_whitespace().map(small).fold(0.0, f32::max);
    let cells = table.rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell_job(ui, cell, true)));
    // Half a point more, so that rounding never wraps what fits.
    cells.fold(small(heading).min(SHORT_HEADING).max(word), f32::max) + 0.5
}

fn galley(ui: &Ui, mut job: LayoutJob, width: f32) -> Arc<Galley> {
    job.wrap.max_width = width;
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

fn text_job(text: &str, font: FontId, color: Color32) -> LayoutJob {
    LayoutJob::simple(text.to_owned(), font, color, f32::INFINITY)
}

fn strong_font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("strong".into()))
}

fn cell_job(ui: &Ui, cell: &Cell, strong: bool) -> LayoutJob {
    let palette = Palette::of(ui);
    match cell {
        Cell::Setting { plain, technical, .. } => {
            let mut job = LayoutJob::default();
            job.append(plain, 0.0, TextFormat::simple(strong_font(14.0), palette.ink));
            job.append("\n", 0.0, TextFormat::simple(theme::small_font(), palette.dim));
            job.append(technical, 0.0, TextFormat::simple(theme::small_font(), palette.dim));
            job
        }
        Cell::Text(text) => text_job(text, theme::small_font(), palette.ink),
        Cell::Missing => text_job(&cell.text(), theme::small_font(), palette.dim),
        number if strong => text_job(&number.text(), strong_font(14.0), palette.ink),
        number => text_job(&number.text(), FontId::new(14.0, FontFamily::Proportional), palette.ink),
    }
}

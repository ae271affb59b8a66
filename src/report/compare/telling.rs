//! A comparison as sections, so that every front end draws it like any other result: rows by setting, in
//! each setting one row a file, and one colour a file.

use super::{Comparison, File, MOST_DRAWN, Question, Row, Value};
use crate::section::{Cell, Chart, ChartKind, Hue, Point, Section, Series, Table, Unit};

/// So many colours and shapes can be told apart.
const LOOKS: usize = 8;

impl Comparison {
    /// One section for each question.
    pub fn sections(&self) -> Vec<Section> {
        self.questions.iter().map(|question| section(question, &self.files)).collect()
    }
}

impl File {
    /// Its number and its name, as charts and tables call it.
    pub fn label(&self) -> String {
        format!("{}  {}", self.number, self.name)
    }

    /// Its colour and shape.
    pub fn hue(&self) -> Hue {
        hue(self.number)
    }
}

fn hue(number: usize) -> Hue {
    u8::try_from(number - 1).map_or(Hue::Neutral, Hue::Nth)
}

fn section(question: &Question, files: &[File]) -> Section {
    let ratios = question.rows.iter().flat_map(|row| &row.values).any(|value| value.times_first.is_some());
    let drawn = files.len() <= MOST_DRAWN && (question.kind != ChartKind::Curves || are_apart(question));
    let mut detail = Vec::new();
    if ratios {
        detail.push("The ratio to file 1 is that of the medians. Its 95 % interval covers the noise inside the runs, not what differs between two days; fewer than five rounds give none.".to_owned());
    }
    if !drawn {
        detail.push("There are too many files for a chart.".to_owned());
    }
    Section {
        id: format!("compare-{}", question.id),
        title: question.title.clone(),
        verdict: verdict(question, files),
        detail: (!detail.is_empty()).then(|| detail.join(" ")),
        work: None,
        figures: Vec::new(),
        table: table(question, files, ratios),
        chart: drawn.then(|| chart(question, files)),
        dial: None,
    }
}

/// Whether each curve has a colour and a shape of its own. Bars stand beside their words and need none.
fn are_apart(question: &Question) -> bool {
    question.rows.iter().flat_map(|row| &row.values).all(|value| value.file <= LOOKS)
}

/// The setting that most files have, from the least to the most.
fn verdict(question: &Question, files: &[File]) -> String {
    let most = question.rows.iter().map(|row| row.values.len()).max().unwrap_or_default();
    let Some(row) = question.rows.iter().find(|row| row.values.len() == most && most > 0) else {
        return "Nothing was measured".to_owned();
    };
    let by_median = |one: &&Value, other: &&Value| one.median.total_cmp(&other.median);
    let (Some(least), Some(greatest)) = (row.values.iter().min_by(by_median), row.values.iter().max_by(by_median))
    else {
        return "Nothing was measured".to_owned();
    };
    let said = |value: &Value| format!("{} in file {}", question.unit.text(value.median), value.file);
    let setting = setting(question, row);
    if least.file == greatest.file {
        let whose = files.iter().find(|file| file.number == least.file).map_or("", |file| &file.name);
        return format!("{setting}: {}, which alone has it ({whose})", said(least));
    }
    format!("{setting}: from {} to {}, {}", said(least), said(greatest), question.axis)
}

/// The setting in words, with its place on the other axis.
fn setting(question: &Question, row: &Row) -> String {
    let mut words = if row.technical.is_empty() || row.name.contains(&row.technical) {
        row.name.clone()
    } else {
        format!("{}, {}", row.name, row.technical)
    };
    if let (Some(x), Some(axis)) = (row.x, &question.x_axis) {
        words.push_str(&format!(", {axis}: {}", crate::units::number(x)));
    }
    words
}

fn table(question: &Question, files: &[File], ratios: bool) -> Table {
    let mut columns = vec!["File and setting".to_owned(), question.axis.clone(), "between".to_owned()];
    if ratios {
        columns.extend(["times file 1", "interval"].map(str::to_owned));
    }
    let rows = question.rows.iter().flat_map(|row| row.values.iter().map(move |value| (row, value)));
    Table {
        columns,
        rows: rows
            .map(|(row, value)| {
                let mut cells = vec![file_cell(question, files, row, value), cell(question.unit, value.median)];
                cells.push(range_cell(question.unit, value.low, value.high));
                if ratios {
                    let times = value.times_first;
                    let interval = times.and_then(|times| times.interval);
                    cells.push(times.map_or(Cell::Missing, |times| Cell::Times(times.value)));
                    cells.push(interval.map_or(Cell::Missing, |range| Cell::TimesRange(range.low, range.high)));
                }
                cells
            })
            .collect(),
    }
}

fn file_cell(question: &Question, files: &[File], row: &Row, value: &Value) -> Cell {
    let label = files.iter().find(|file| file.number == value.file).map_or_else(String::new, File::label);
    Cell::Setting { plain: label, technical: setting(question, row), hue: hue(value.file) }
}

fn cell(unit: Unit, value: f64) -> Cell {
    match unit {
        Unit::PerSecond => Cell::PerSecond(value),
        Unit::Times => Cell::Times(value),
        Unit::Seconds => Cell::Seconds(value),
        Unit::Bytes => Cell::Bytes(value.max(0.0) as u64),
        Unit::Count => Cell::Number(value),
    }
}

fn range_cell(unit: Unit, low: f64, high: f64) -> Cell {
    match unit {
        Unit::PerSecond => Cell::PerSecondRange(low, high),
        Unit::Times => Cell::TimesRange(low, high),
        Unit::Seconds | Unit::Bytes | Unit::Count => Cell::Text(format!("{} to {}", unit.text(low), unit.text(high))),
    }
}

fn chart(question: &Question, files: &[File]) -> Chart {
    let series = match question.kind {
        ChartKind::Curves => files.iter().filter_map(|file| curve(question, file)).collect(),
        ChartKind::Medians | ChartKind::Ratios => question
            .rows
            .iter()
            .flat_map(|row| row.values.iter().map(move |value| (row, value)))
            .map(|(row, value)| Series {
                name: format!("{}  {}", value.file, setting(question, row)),
                technical: String::new(),
                hue: hue(value.file),
                points: vec![point(0.0, value)],
            })
            .collect(),
    };
    Chart {
        kind: question.kind,
        axis: question.axis.clone(),
        x_axis: question.x_axis.clone(),
        unit: question.unit,
        scale: question.scale,
        reference: (question.kind == ChartKind::Ratios).then_some(1.0),
        series,
    }
}

fn curve(question: &Question, file: &File) -> Option<Series> {
    let of_file = |row: &Row| row.values.iter().find(|value| value.file == file.number).cloned();
    let points: Vec<Point> =
        question.rows.iter().filter_map(|row| Some(point(row.x.unwrap_or_default(), &of_file(row)?))).collect();
    (!points.is_empty()).then(|| Series { name: file.label(), technical: String::new(), hue: file.hue(), points })
}

fn point(x: f64, value: &Value) -> Point {
    Point { x, median: value.median, low: value.low, high: value.high, samples: value.samples.clone() }
}

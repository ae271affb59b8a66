//! What a result looks like before anyone draws it: a title that is a question, one verdict sentence,
//! a table of typed cells and at most one chart. Experiments make sections; the window, the terminal
//! and the exporters draw them, and none of them knows which experiment a section came from.

use crate::units;

/// One finding of an experiment, complete: words, numbers and picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Unique within a report, lower case, for anchors and tests (`inserts`, `inserts-ratios`).
    pub id: String,
    /// The question in plain words, as a heading.
    pub title: String,
    /// The answer in one sentence, without a full stop.
    pub verdict: String,
    /// More about the answer, in whole sentences: the interval, what to keep in mind.
    pub detail: Option<String>,
    /// What was done, briefly: "one writer, one reader, 5 s".
    pub work: Option<String>,
    /// Figures large enough for the top of the page, most important first.
    pub figures: Vec<Figure>,
    /// All the numbers of the chart and more; the accessible form of the chart.
    pub table: Table,
    /// The picture, where one helps.
    pub chart: Option<Chart>,
    /// A number that a person may turn to see the same measurement told for another value.
    pub dial: Option<Dial>,
}

/// A parameter that changes only how a result is told: nothing is measured again for another value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Dial {
    /// The id of the experiment it belongs to.
    pub experiment: String,
    /// Its name among the experiment's parameters.
    pub name: String,
    /// In plain words, with the unit.
    pub label: String,
    /// The least value that makes sense.
    pub least: u64,
    /// The largest value that makes sense.
    pub most: u64,
    /// The value that this telling is for.
    pub value: u64,
}

/// A number to be read from across the room: "687 a second", "safe saves with WAL".
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The number with its unit.
    pub value: String,
    /// What it is, in plain words.
    pub label: String,
}

/// Rows of typed cells under named columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Column headings; each row has as many cells.
    pub columns: Vec<String>,
    /// The rows in reading order.
    pub rows: Vec<Vec<Cell>>,
}

/// One value of a table, with its unit in the variant's name.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Plain words.
    Text(String),
    /// A setting: the plain name first, SQLite's terms second.
    Setting {
        /// "Safe and faster"
        plain: String,
        /// "WAL, FULL"
        technical: String,
        /// Which colour and shape stand for it.
        hue: Hue,
    },
    /// How many.
    Count(u64),
    /// A plain number that the heading names.
    Number(f64),
    /// Operations a second.
    PerSecond(f64),
    /// How many times as fast; 1 means the same.
    Times(f64),
    /// The bounds of an interval of a ratio.
    TimesRange(f64, f64),
    /// The bounds of an interval of operations a second.
    PerSecondRange(f64, f64),
    /// A duration in seconds.
    Seconds(f64),
    /// A size in bytes.
    Bytes(u64),
    /// A part of one, shown in per cent.
    Share(f64),
    /// Not measured, or not known.
    Missing,
}

impl Cell {
    /// The cell as a person reads it; a setting is on one line, a missing value is a dash.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Setting { plain, technical, .. } => format!("{plain} ({technical})"),
            Self::Count(count) => units::count(*count),
            Self::Number(number) | Self::PerSecond(number) => units::number(*number),
            Self::Times(ratio) => units::ratio(*ratio),
            Self::TimesRange(low, high) => format!("{} to {}", units::ratio(*low), units::ratio(*high)),
            Self::PerSecondRange(low, high) => format!("{} to {}", units::number(*low), units::number(*high)),
            Self::Seconds(seconds) => units::seconds(*seconds),
            Self::Bytes(bytes) => units::bytes(*bytes),
            Self::Share(share) => units::percent(*share),
            Self::Missing => "–".to_owned(),
        }
    }

    /// Whether the cell is a number, to be aligned to the right.
    pub fn is_number(&self) -> bool {
        !matches!(self, Self::Text(_) | Self::Setting { .. } | Self::Missing)
    }
}

/// Which family a thing belongs to. A front end gives each a colour and a shape, so that colour alone
/// never carries the meaning.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Hue {
    /// WAL.
    Wal,
    /// The rollback journals: DELETE, TRUNCATE, PERSIST.
    Rollback,
    /// One of several files that are compared, counted from 0.
    Nth(u8),
    /// Anything else.
    #[default]
    Neutral,
}

/// Named series of medians with their intervals and every single sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// How the points are laid out.
    pub kind: ChartKind,
    /// The name of the value axis, with its unit: "saves a second".
    pub axis: String,
    /// The name of the other axis of a curve: "rows in a transaction".
    pub x_axis: Option<String>,
    /// The unit of the values.
    pub unit: Unit,
    /// The scale that suits the values; the window offers both where values span much.
    pub scale: Scale,
    /// A value worth a line: 1 in a chart of ratios.
    pub reference: Option<f64>,
    /// For medians and ratios in the order of the table's rows, without those that have no number.
    pub series: Vec<Series>,
}

/// The layout of a chart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ChartKind {
    /// One row a series: a bar from zero to the median, a whisker, a dot for every sample.
    Medians,
    /// One row a series: a dot and a whisker on a log axis around a line at 1.
    Ratios,
    /// One line a series over the other axis.
    Curves,
}

/// The unit of a chart's values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unit {
    /// Operations a second.
    PerSecond,
    /// A ratio of speeds.
    Times,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A plain count.
    Count,
}

impl Unit {
    /// A value of this unit as a person reads it, for ticks and labels.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::PerSecond | Self::Count => units::number(value),
            Self::Times => units::ratio(value),
            Self::Seconds => units::seconds(value),
            Self::Bytes => units::bytes(value.max(0.0) as u64),
        }
    }
}

/// How values become distances.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scale {
    /// From zero, in proportion.
    Linear,
    /// By powers of ten; for dots, never for bars.
    Log,
}

/// One setting, or one thing compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The plain name.
    pub name: String,
    /// SQLite's terms for it.
    pub technical: String,
    /// Its colour and shape.
    pub hue: Hue,
    /// One point for medians and ratios, many for a curve.
    pub points: Vec<Point>,
}

/// A median with its interval and the samples behind it, in the chart's unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// The place on the other axis of a curve; 0 elsewhere.
    pub x: f64,
    /// The median of the samples.
    pub median: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// Every sample, in the order measured.
    pub samples: Vec<f64>,
}

impl Chart {
    /// The largest median divided by the smallest one above zero; 1 where there is nothing to compare.
    pub fn span(&self) -> f64 {
        let medians = self.series.iter().flat_map(|series| &series.points).map(|point| point.median);
        let (least, most) = medians
            .filter(|median| *median > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(least, most), median| (least.min(median), most.max(median)));
        if most > 0.0 { most / least } else { 1.0 }
    }
}

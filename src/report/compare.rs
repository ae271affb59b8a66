//! Many results beside each other. A [`Subject`] is what a report, or a published result, offers to be
//! compared: the numbers of its charts and what must be known about how they came about. [`compare`] puts
//! the same numbers of all subjects into rows and says which pairs must not be compared. It knows no
//! experiment: everything comes from sections. The terminal, the window and the exporters draw what
//! [`Comparison::sections`] tells.

mod beside;
mod cautions;
mod telling;

use jiff::tz::TimeZone;
use serde::Serialize;

use super::{Report, Trust};
use crate::{
    experiments::{
        AnyOutcome,
        published::{self, Published},
    },
    section::{Chart, ChartKind, Point, Scale, Section, Series, Unit},
    stats,
};

pub use cautions::Caution;

/// More files than this make a chart too long to read, so that no chart is drawn.
pub const MOST_DRAWN: usize = 16;
/// Numbers of a plan that decide how often something is done, not what is done.
const NOT_THE_WORK: [&str; 5] = ["rounds", "most_rounds", "cases", "order", "minutes_between_updates"];

/// What a result offers to be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// What tells it apart: drive and date, or the published name.
    pub name: String,
    /// How its numbers came about.
    pub origin: Origin,
    /// One for each chart, in the order of the report.
    parts: Vec<Part>,
    /// Figures that somebody published for some machine, or the same figures of this one.
    beside: Vec<Part>,
}

/// How the numbers of a result came about. Unknown is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Origin {
    /// The run's id, in its usual form; published results have none.
    pub run: Option<String>,
    /// The program that measured.
    pub harness: String,
    /// SQLite's version.
    pub sqlite: Option<String>,
    /// The call that SQLite waits for the drive with.
    pub sync_call: Option<String>,
    /// The operating system.
    pub os: Option<String>,
    /// The drive's model, or what it is.
    pub drive: Option<String>,
    /// The file system.
    pub file_system: Option<String>,
    /// How the drive is attached.
    pub bus: Option<String>,
    /// Whether the files were in memory.
    pub memory: Option<bool>,
    /// Whether the machine was a virtual one.
    pub virtual_machine: Option<bool>,
    /// Why the numbers deserve less trust, in a sentence.
    pub doubt: Option<String>,
}

/// The numbers of one chart.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    id: String,
    title: String,
    /// What was done, in words.
    work: Option<String>,
    /// What was done, as the plan says it; `None` where no plan is known.
    parameters: Option<serde_json::Value>,
    chart: Chart,
}

impl Subject {
    /// What a report offers.
    pub fn of(report: &Report) -> Self {
        Self {
            name: name(report),
            origin: origin(report),
            parts: report.in_order().flat_map(|outcome| parts(outcome, report)).collect(),
            beside: beside::of_report(report),
        }
    }

    /// All published results.
    pub fn all_published() -> Vec<Self> {
        published::all().iter().map(Self::published).collect()
    }

    fn published(published: &Published) -> Self {
        let origin = Origin {
            harness: published.harness.clone(),
            drive: published.drive_model.clone(),
            file_system: published.file_system.clone(),
            bus: published.bus.clone(),
            ..Origin::default()
        };
        Self { name: published.name.clone(), origin, parts: Vec::new(), beside: beside::of_published(published) }
    }

    fn part(&self, id: &str) -> Option<&Part> {
        self.parts.iter().chain(&self.beside).find(|part| part.id == id)
    }

    /// Whether it is a published result.
    pub fn is_published(&self) -> bool {
        self.origin.run.is_none()
    }

    /// Saves a second with SQLite's defaults, where they were measured: for lists.
    pub fn default_saves(&self) -> Option<f64> {
        let charts = self.parts.iter().chain(&self.beside).map(|part| &part.chart);
        let series = charts.filter(|chart| chart.axis == "saves a second").flat_map(|chart| &chart.series);
        let mut defaults = series.filter(|series| ["DELETE, FULL", "delete/full"].contains(&series.technical.as_str()));
        Some(defaults.next()?.points.first()?.median)
    }
}

fn name(report: &Report) -> String {
    let volume = &report.volume;
    let drive = volume.drive_model.as_deref().or(volume.kind.as_deref()).unwrap_or("unknown drive");
    let start = report.started_at.to_zoned_datetime(TimeZone::system()).strftime("%-d %b %Y, %H:%M");
    format!("{drive}, {start}")
}

fn origin(report: &Report) -> Origin {
    let volume = &report.volume;
    Origin {
        run: Some(report.id.to_string()),
        harness: format!("CommitMark {}", report.app.version),
        sqlite: Some(report.sqlite.version.clone()),
        sync_call: report.sqlite.sync_call.clone(),
        os: report.machine.os.clone(),
        drive: volume.drive_model.clone().or_else(|| volume.kind.clone()),
        file_system: volume.file_system.clone(),
        bus: volume.bus.map(|bus| bus.name().to_owned()),
        memory: volume.memory,
        virtual_machine: report.machine.virtual_machine,
        doubt: match report.trust() {
            Trust::Steady => None,
            Trust::Noisy(reason) | Trust::Incomplete(reason) => Some(reason),
        },
    }
}

fn parts(outcome: &AnyOutcome, report: &Report) -> Vec<Part> {
    let plan = &report.plan.experiments;
    let parameters = plan.iter().find(|parameters| parameters.id() == outcome.id());
    let work = parameters.and_then(|parameters| serde_json::to_value(parameters).ok()).map(|mut work| {
        if let Some(fields) = work.as_object_mut() {
            fields.retain(|name, _| !NOT_THE_WORK.contains(&name.as_str()));
        }
        work
    });
    outcome.sections(plan).into_iter().filter_map(|section| part(section, work.clone())).collect()
}

fn part(section: Section, parameters: Option<serde_json::Value>) -> Option<Part> {
    let chart = section.chart.filter(|chart| !chart.series.is_empty())?;
    Some(Part { id: section.id, title: section.title, work: section.work, parameters, chart })
}

/// The same numbers of many results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What is compared. The first is what the others are compared with.
    pub files: Vec<File>,
    /// What must be known before two of them are compared.
    pub cautions: Vec<Caution>,
    /// The numbers, one entry for each chart.
    pub questions: Vec<Question>,
}

/// One of the results compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct File {
    /// Its number, from 1.
    pub number: usize,
    /// Drive and date, or the published name.
    pub name: String,
    /// How its numbers came about.
    #[serde(flatten)]
    pub origin: Origin,
}

/// The numbers of one chart, of all results that have it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// The section's id.
    pub id: String,
    /// The question in plain words.
    pub title: String,
    /// What is measured, with its unit.
    pub axis: String,
    /// What the values of `x` are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_axis: Option<String>,
    #[serde(skip)]
    unit: Unit,
    #[serde(skip)]
    kind: ChartKind,
    #[serde(skip)]
    scale: Scale,
    /// One for each setting, and for each place on the other axis.
    pub rows: Vec<Row>,
}

/// One number of all results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The plain name of the setting.
    pub name: String,
    /// SQLite's terms for it.
    pub technical: String,
    /// The place on the other axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// In the order of the results; those that have no such number are left out.
    pub values: Vec<Value>,
}

/// The number of one result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Value {
    /// Which result, from 1.
    pub file: usize,
    /// The median.
    pub median: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// Every sample.
    pub samples: Vec<f64>,
    /// The median divided by that of the first result; absent where the two must not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times_first: Option<Times>,
}

/// How many times as much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// The ratio of the medians.
    pub value: f64,
    /// Its interval; absent where one of the two has too few samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<stats::Interval>,
}

/// Compares all with the first.
pub fn compare(subjects: &[&Subject]) -> Comparison {
    let number = |(index, subject): (usize, &&Subject)| File {
        number: index + 1,
        name: subject.name.clone(),
        origin: subject.origin.clone(),
    };
    let cautions = cautions::all(subjects);
    let apart = cautions::apart(&cautions, subjects.len());
    Comparison {
        files: subjects.iter().enumerate().map(number).collect(),
        questions: charts(subjects).into_iter().map(|(id, series)| question(subjects, &id, series, &apart)).collect(),
        cautions,
    }
}

/// Each chart that any of them has, in the order of the first that has it; a chart of curves once for each
/// of its settings, so that each picture has one line a result.
fn charts(subjects: &[&Subject]) -> Vec<(String, Option<(String, String)>)> {
    let mut found = Vec::new();
    let published = subjects.iter().filter(|subject| subject.is_published()).flat_map(|subject| &subject.beside);
    for part in subjects.iter().flat_map(|subject| &subject.parts).chain(published) {
        let ids: Vec<_> = match part.chart.kind {
            ChartKind::Curves => part.chart.series.iter().map(|series| (part.id.clone(), Some(key(series)))).collect(),
            ChartKind::Medians | ChartKind::Ratios => vec![(part.id.clone(), None)],
        };
        for id in ids {
            if !found.contains(&id) {
                found.push(id);
            }
        }
    }
    found
}

fn key(series: &Series) -> (String, String) {
    (series.name.clone(), series.technical.clone())
}

fn question(subjects: &[&Subject], id: &str, only: Option<(String, String)>, apart: &[bool]) -> Question {
    let parts: Vec<Option<&Part>> = subjects.iter().map(|subject| subject.part(id)).collect();
    let first = parts.first().copied().flatten();
    let (mut title, mut axis, mut x_axis) = (String::new(), String::new(), None);
    let (mut unit, mut kind, mut scale) = (Unit::Count, ChartKind::Medians, Scale::Linear);
    if let Some(part) = parts.iter().flatten().next() {
        title.clone_from(&part.title);
        axis.clone_from(&part.chart.axis);
        x_axis.clone_from(&part.chart.x_axis);
        (unit, kind, scale) = (part.chart.unit, part.chart.kind, part.chart.scale);
    }
    let mut rows: Vec<Row> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let Some(part) = part else { continue };
        let alike = index == 0 || first.is_some_and(|first| !is_other_work(first, part));
        let comparable = alike && kind != ChartKind::Ratios && !apart.get(index).copied().unwrap_or_default();
        let series = part.chart.series.iter().filter(|series| only.as_ref().is_none_or(|only| *only == key(series)));
        for (series, point) in series.flat_map(|series| series.points.iter().map(move |point| (series, point))) {
            add(&mut rows, series, point, (kind == ChartKind::Curves).then_some(point.x), (index, comparable));
        }
    }
    let (id, title) = match only {
        Some((name, technical)) => {
            let setting = if technical.contains(&name) { technical.clone() } else { format!("{name}, {technical}") };
            (format!("{id}-{}", technical.to_lowercase().replace(", ", "-")), format!("{title} {setting}"))
        }
        None => (id.to_owned(), title),
    };
    Question { id, title, axis, x_axis, unit, kind, scale, rows }
}

/// Whether two parts of one id were measured by doing different things.
fn is_other_work(one: &Part, other: &Part) -> bool {
    matches!((&one.parameters, &other.parameters), (Some(one), Some(other)) if one != other)
}

fn add(rows: &mut Vec<Row>, series: &Series, point: &Point, x: Option<f64>, (index, comparable): (usize, bool)) {
    let place = rows.iter().position(|row| row.name == series.name && row.technical == series.technical && row.x == x);
    let place = place.unwrap_or_else(|| {
        rows.push(Row { name: series.name.clone(), technical: series.technical.clone(), x, values: Vec::new() });
        rows.len() - 1
    });
    let Some(row) = rows.get_mut(place) else { return };
    let first = row.values.first().filter(|first| first.file == 1 && comparable);
    let times_first = first.and_then(|first| times(point, first));
    row.values.push(Value {
        file: index + 1,
        median: point.median,
        low: point.low,
        high: point.high,
        samples: point.samples.clone(),
        times_first,
    });
}

fn times(of: &Point, to: &Value) -> Option<Times> {
    let value = of.median / to.median;
    (value.is_finite() && value > 0.0)
        .then(|| Times { value, interval: stats::unpaired_interval(&of.samples, &to.samples) })
}

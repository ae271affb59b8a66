//! Opens a file and does all with it that any front end does, for files that nobody can foresee. Shared by
//! the tests and by the fuzz target.

use std::path::Path;

use commitmark::{
    export::{Format, write},
    report::{
        compare::{Subject, compare},
        history::Brief,
        load::parse,
    },
    section::{Chart, ChartKind, Section},
    ui::{bars::BarScale, state::Shown},
};

/// Whether the bytes are a result.
pub fn open_and_tell(bytes: &[u8]) -> bool {
    let Ok(report) = parse(bytes, Path::new("a.commitmark.json")) else { return false };
    let brief = Brief::of(&report);
    assert_eq!(brief.sentence, report.sentence());
    let subject = Subject::of(&report);
    let comparison = compare(&[&subject, &subject]);
    assert!(serde_json::to_string(&comparison).is_ok());
    comparison.sections().iter().for_each(tell);
    for format in [Format::Json, Format::Html, Format::Markdown, Format::Csv] {
        assert!(write(&report, format).is_ok());
    }
    let shown = Shown::new(report);
    shown.sections.iter().for_each(tell);
    shown.details.iter().flat_map(|(_, lines)| lines).for_each(|line| shows_harmless(line));
    true
}

fn tell(section: &Section) {
    shows_harmless(&section.verdict);
    for cell in section.table.rows.iter().flatten() {
        shows_harmless(&cell.text());
    }
    section.chart.iter().for_each(draw);
}

/// The scales that the window draws with have few enough marks to be drawn.
fn draw(chart: &Chart) {
    let values = chart.series.iter().flat_map(|series| &series.points);
    for value in values.flat_map(|point| [point.median, point.low, point.high]) {
        assert!(!value.is_nan() && value.abs() < 1e60, "{value} cannot be drawn");
        chart.unit.text(value);
    }
    if chart.kind == ChartKind::Medians {
        BarScale::linear(chart);
        if let BarScale::Log { from, to } = BarScale::log(chart) {
            assert!(to - from < 200, "{from} to {to} are too many powers of ten");
        }
    }
}

/// No character of the text acts unseen. Line ends are the program's own.
fn shows_harmless(text: &str) {
    for line in text.lines() {
        assert_eq!(commitmark::units::harmless(line), line);
    }
}

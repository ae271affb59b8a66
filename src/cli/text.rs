//! Sections as text: the sentence, the table, no chart.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table as TextTable, TableStyle};

use crate::{
    advice,
    report::{Report, Trust},
    section::{Section, Table},
};

/// A line under the heading, and none between rows.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A whole report for the terminal.
pub(super) fn report(report: &Report) -> String {
    let mut parts = vec![heading(report)];
    parts.extend(report.sections().iter().map(section));
    // What to do about it; the rest of the advice is what `commitmark settings` is for.
    parts.extend(advice::sections(report, false).iter().take(1).map(section));
    let warnings = report.all_warnings();
    if !warnings.is_empty() {
        let list: Vec<String> = warnings.iter().map(|warning| format!("  {}", warning.message)).collect();
        parts.push(format!("Warnings\n{}", list.join("\n")));
    }
    parts.join("\n\n")
}

fn heading(report: &Report) -> String {
    let trust = match report.trust() {
        Trust::Steady => "Steady".to_owned(),
        Trust::Noisy(reason) => format!("Do not rely on this: {reason}"),
        Trust::Incomplete(reason) => reason,
    };
    let place = report.volume.path.as_deref().unwrap_or("unknown folder");
    let drive = report.drive_words();
    format!(
        "{}\n{drive}, {place}, {}, SQLite {}\n{trust}",
        report.sentence(),
        report.preset_word(),
        report.sqlite.version
    )
}

/// A section: the question, the answer, the table.
pub(super) fn section(section: &Section) -> String {
    let mut lines = vec![match &section.work {
        Some(work) => format!("{} ({work})", section.title),
        None => section.title.clone(),
    }];
    lines.push(section.verdict.clone());
    lines.extend(section.detail.clone());
    if !section.table.rows.is_empty() {
        lines.push(table(&section.table));
    }
    lines.join("\n")
}

/// A table with its numbers aligned to the right, as wide as the terminal at most.
pub(super) fn table(table: &Table) -> String {
    let mut text = TextTable::new();
    text.load_style(STYLE);
    text.set_content_arrangement(ContentArrangement::Dynamic);
    text.set_header(&table.columns);
    for row in &table.rows {
        text.add_row(row.iter().map(|cell| {
            let alignment = if cell.is_number() { CellAlignment::Right } else { CellAlignment::Left };
            comfy_table::Cell::new(cell.text()).set_alignment(alignment)
        }));
    }
    text.trim_fmt()
}

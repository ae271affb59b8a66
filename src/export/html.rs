//! One page for a browser, complete in one file: it loads nothing, runs nothing and opens without network.
//! A policy in its head forbids both, so that not even a mistake in the escaping could send anything
//! anywhere. Light and dark follow the reader's system. Every chart has its table, and the result file is
//! inside, to be downloaded.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    look::{DARK, LIGHT, Paint, variables},
    page::{Facts, Page},
    svg::{self, Style},
};
use crate::{
    report::{
        Report,
        compare::{Comparison, File},
        history,
    },
    section::{Cell, Chart, Hue, Section, Table},
};

/// Styles in the page and the empty icon are all that is allowed.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/// The width of a chart on a wide and on a narrow screen, in pixels of CSS.
const WIDE: f64 = 880.0;
const NARROW: f64 = 320.0;
/// Of the fonts that systems have in place of Inter, DejaVu Sans is the widest.
const SPREAD: f64 = 1.15;
const STYLE: &str = include_str!("page.css");

/// The page.
///
/// # Errors
/// Never for a result that was measured or opened.
pub(super) fn write(page: &Page, report: &Report) -> serde_json::Result<Vec<u8>> {
    let json = serde_json::to_string(report)?;
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            (head_of(page))
            body {
                main {
                    (heading(page))
                    (figures(page))
                    @for part in &page.sections { (section(page, part)) }
                    (warnings(page))
                    section.card aria-labelledby="about" {
                        h2 #about { "What it was measured on" }
                        div.pair {
                            (facts("Machine", &page.machine))
                            (facts("Volume and drive", &page.volume))
                        }
                    }
                    (method(page))
                }
                (footer(page, report, &json))
                // Data and no script: nothing runs it.
                script #result type="application/json" { (PreEscaped(for_script(&json))) }
            }
        }
    };
    Ok(markup.into_string().into_bytes())
}

/// Results beside each other: the files, what must be known about them, and the same numbers of all.
pub(super) fn write_comparison(page: &Page, comparison: &Comparison) -> Vec<u8> {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            (head_of(page))
            body {
                main {
                    header { h1 { (page.sentence) } @if let Some(detail) = &page.detail { p.detail { (detail) } } }
                    section.card aria-labelledby="files" {
                        h2 #files { "What is compared" }
                        (table("The files", &files(comparison)))
                    }
                    (warnings(page))
                    @for part in &page.sections { (section(page, part)) }
                }
                footer {
                    p.dim { "Made by CommitMark " (page.version) ". This page loads nothing and sends nothing." }
                }
            }
        }
    };
    markup.into_string().into_bytes()
}

fn files(comparison: &Comparison) -> Table {
    let text = |fact: &Option<String>| fact.clone().map_or(Cell::Missing, Cell::Text);
    let row = |file: &File| {
        let origin = &file.origin;
        let name = Cell::Setting { plain: file.label(), technical: String::new(), hue: file.hue() };
        let facts = [&origin.file_system, &origin.bus, &origin.os, &origin.sqlite, &origin.sync_call].map(text);
        [name].into_iter().chain(facts).chain([Cell::Text(origin.harness.clone())]).collect()
    };
    let columns = ["File", "File system", "Bus", "System", "SQLite", "waits with", "Measured with"];
    Table { columns: columns.map(str::to_owned).to_vec(), rows: comparison.files.iter().map(row).collect() }
}

fn head_of(page: &Page) -> Markup {
    let (light, dark) = (variables(&LIGHT), variables(&DARK));
    let style = format!(":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{STYLE}");
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="generator" content={ "CommitMark " (page.version) };
            meta name="description" content={ (page.sentence) ". " (page.facts.join(", ")) };
            title { (page.sentence) " · CommitMark" }
            // Without this a browser asks the page's server for an icon.
            link rel="icon" href="data:,";
            style { (PreEscaped(style)) }
        }
    }
}

fn heading(page: &Page) -> Markup {
    html! {
        header {
            div.top {
                p.dim { (page.facts.join("  ·  ")) }
                p.badge.steady[page.steady] { (page.badge) }
            }
            h1 { (page.sentence) }
            @if let Some(detail) = &page.detail { p.detail { (detail) } }
            @if let Some(reason) = &page.reason { p.reason { (reason) } }
            @if let Some(note) = &page.note { p.note { span.dim { "Note: " } (note) } }
        }
    }
}

fn figures(page: &Page) -> Markup {
    html! {
        @if !page.figures.is_empty() {
            ul.figures {
                @for figure in &page.figures {
                    li.card { strong { (figure.value) } span.dim { (figure.label) } }
                }
            }
        }
    }
}

fn section(page: &Page, section: &Section) -> Markup {
    let id = format!("section-{}", section.id);
    html! {
        section.card aria-labelledby=(id) {
            h2 id=(id) { (section.title) }
            @if let Some(work) = &section.work { p.dim.work { (work) } }
            @if section.verdict != page.sentence { p { (section.verdict) } }
            @if let Some(detail) = page.detail_of(section) { p.dim { (detail) } }
            @if let Some(chart) = section.chart.as_ref().filter(|chart| !chart.series.is_empty()) { (charts(section, chart)) }
            @if !section.table.rows.is_empty() { (table(&section.title, &section.table)) }
        }
    }
}

/// The chart, and the other scale where one scale cannot show everything well.
fn charts(section: &Section, chart: &Chart) -> Markup {
    let log = svg::prefers_log(chart);
    let other = if log { "From zero" } else { "All on a log scale" };
    html! {
        (both_widths(section, chart, log))
        @if svg::has_two_scales(chart) {
            details.other { summary { (other) } (both_widths(section, chart, !log)) }
        }
    }
}

/// Drawn for a wide and for a narrow screen; the style sheet shows one of them.
fn both_widths(section: &Section, chart: &Chart, log: bool) -> Markup {
    let paint = Paint::of_style_sheet();
    let label = format!("Chart: {}. The numbers are in the table below.", section.title);
    let drawn =
        |width| svg::draw(chart, &Style { width, text: 14.0, paint: &paint, spread: SPREAD, log }).inline(&label);
    html! {
        div.chart.wide { (PreEscaped(drawn(WIDE))) }
        div.chart.narrow { (PreEscaped(drawn(NARROW))) }
    }
}

fn table(title: &str, table: &Table) -> Markup {
    let is_number = |column: usize| table.rows.iter().any(|row| row.get(column).is_some_and(Cell::is_number));
    html! {
        // A table may be wider than the page: it scrolls by itself, also by keyboard.
        div.scroll tabindex="0" role="region" aria-label={ "Table: " (title) } {
            table {
                caption { (title) }
                thead { tr {
                    @for (column, heading) in table.columns.iter().enumerate() {
                        th.number[is_number(column)] scope="col" { (heading) }
                    }
                } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (column, cell) in row.iter().enumerate() {
                                @if column == 0 { th scope="row" { (cell_of(cell)) } }
                                @else { td.number[is_number(column)] { (cell_of(cell)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell_of(cell: &Cell) -> Markup {
    match cell {
        Cell::Setting { plain, technical, hue } => html! {
            span class=(hue_class(*hue)) aria-hidden="true" {} (plain) span.dim { (technical) }
        },
        Cell::Missing => html! { span.dim { (cell.text()) } },
        other => html! { (other.text()) },
    }
}

fn hue_class(hue: Hue) -> &'static str {
    match hue {
        Hue::Wal => "mark wal",
        Hue::Rollback => "mark rollback",
        Hue::Nth(index) => match index % 8 {
            0 => "mark first",
            1 => "mark second",
            2 => "mark third",
            3 => "mark fourth",
            4 => "mark fifth",
            5 => "mark sixth",
            6 => "mark seventh",
            _ => "mark eighth",
        },
        Hue::Neutral => "mark neutral",
    }
}

fn warnings(page: &Page) -> Markup {
    html! {
        @if !page.warnings.is_empty() {
            section.card.warnings aria-labelledby="warnings" {
                h2 #warnings { "Warnings" }
                ul { @for warning in &page.warnings { li { (warning) } } }
            }
        }
    }
}

fn facts(title: &str, facts: &Facts) -> Markup {
    html! {
        table.facts {
            caption { (title) }
            tbody {
                @for (name, value) in facts {
                    tr { th scope="row" { (name) } td.dim[value == "unknown"] { (value) } }
                }
            }
        }
    }
}

fn method(page: &Page) -> Markup {
    html! {
        section.card aria-labelledby="method" {
            h2 #method { "How it was measured" }
            p {
                "CommitMark " (page.version) " measured with SQLite " (page.sqlite) ", preset " (page.preset) ". The settings took turns in "
                "rounds, since a drive changes its speed while it is measured. A number is the median of its samples, with the interval "
                "that holds the true median as sure as the page says; a ratio is taken inside each round. Nothing was left out: every "
                "sample is in the result file."
            }
            details {
                summary { "Settings, builds and samples" }
                @for (title, lines) in &page.details {
                    h3 { (title) }
                    ul.lines { @for line in lines { li { (line) } } }
                }
            }
        }
    }
}

fn footer(page: &Page, report: &Report, json: &str) -> Markup {
    html! {
        footer {
            p {
                a.download download=(history::file_name(report)) href={ "data:application/json;charset=utf-8," (for_link(json)) } {
                    "Download the result file"
                }
                span.dim { " CommitMark opens and compares it." }
            }
            p.dim {
                "Made by CommitMark " (page.version) ". This page loads nothing and sends nothing. It holds no user name, no host name and "
                "no serial number, and the home folder is written ~."
            }
        }
    }
}

/// JSON inside a script element: no character of it can end the element.
fn for_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Text inside a data URL: all but letters, digits and what RFC 3986 allows in a path is encoded.
fn for_link(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 3 / 2);
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b'!'
            | b'$'
            | b'('
            | b')'
            | b'*'
            | b'+'
            | b','
            | b';'
            | b'='
            | b':'
            | b'@'
            | b'/' => encoded.push(char::from(byte)),
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_leave_its_script() {
        let json = serde_json::json!({"note": "</script><!--<script>&"}).to_string();
        let held = for_script(&json);
        assert!(!held.contains(['<', '>', '&']), "{held}");
        let back: serde_json::Value = serde_json::from_str(&held).unwrap();
        assert_eq!(back["note"], "</script><!--<script>&");
    }

    #[test]
    fn a_link_holds_every_byte() {
        assert_eq!(for_link("{\"a\": 5%}ü"), "%7B%22a%22:%205%25%7D%C3%BC");
    }
}

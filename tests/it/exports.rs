//! Everything a result can be saved as: complete, escaped, readable by others, and without a person in it.

use std::{collections::BTreeSet, fs, path::Path, process::Command, sync::LazyLock};

use commitmark::{
    export::{self, Format, look},
    report::{Report, load::parse},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::helpers::{folder, run, small_plan};

/// A real result with bars, ratios and curves, as the text of its file. Measured once for all tests.
pub fn real_text() -> &'static str {
    static REAL: LazyLock<String> = LazyLock::new(|| {
        let folder = folder();
        let plan = small_plan(&["flush", "inserts", "contention", "batching"]);
        serde_json::to_string(&run(folder.path(), plan).report).unwrap()
    });
    &REAL
}

fn real() -> Value {
    serde_json::from_str(real_text()).unwrap()
}

fn open(value: &Value) -> Report {
    parse(value.to_string().as_bytes(), Path::new("a.commitmark.json")).unwrap()
}

/// A real result in whose words someone has hidden markup, formulas and characters that act unseen.
fn hostile() -> Report {
    let mut value = real();
    value["note"] = json!("=1+1\r\n# heading\n</script><script>alert(1)</script> \u{202e}gnp.exe");
    value["volume"]["drive_model"] = json!("</script><img src=x onerror=alert(1)>\"'&");
    value["volume"]["kind"] = json!("@SUM(A1) | `code` \u{1b}[31m");
    value["volume"]["file_system"] = json!("=cmd|'/C calc'!A0");
    value["volume"]["mount_point"] = json!("\u{2066}/mnt\u{2069}\t<b>");
    value["machine"]["cpu"] = json!("-2+3;=HYPERLINK(\"https://example.org\") @octocat #1");
    value["sqlite"]["version"] = json!("3 <svg onload=alert(1)> | \u{0} |");
    value["app"]["version"] = json!("<!-- -->");
    value["warnings"] = json!([{"code": "x", "message": "[link](javascript:alert(1)) | **bold** <b> \u{200f}"}]);
    // A case of a bare system call has no settings, so its name is shown.
    value["experiments"][0]["cases"][0]["name"] = json!("＝1 | <i onclick=\"x\"> ]]> &amp; \u{85}");
    let sample = value["experiments"][2]["cases"][0]["samples"][0].as_object_mut().unwrap();
    sample.insert("busy_codes".to_owned(), json!({"+1 <b>\r\n|": 3}));
    open(&value)
}

fn text(report: &Report, format: Format) -> String {
    String::from_utf8(export::write(report, format).unwrap()).unwrap()
}

const UNSEEN: [char; 8] = ['\u{0}', '\u{1b}', '\u{85}', '\u{200f}', '\u{202e}', '\u{2066}', '\u{2069}', '\t'];

/// The text of the only script, and the names of all elements, which must be closed in order.
fn elements(page: &str) -> (String, BTreeSet<String>) {
    const VOID: [&str; 3] = ["meta", "link", "!DOCTYPE"];
    let (mut open, mut seen, mut script) = (Vec::new(), BTreeSet::new(), String::new());
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let tag = &rest[start + 1..start + rest[start..].find('>').unwrap()];
        rest = &rest[start + tag.len() + 2..];
        let name: String = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap_or_default().to_owned();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(closed), "closed out of order");
            continue;
        }
        if ["script", "style"].contains(&name.as_str()) {
            let length = rest.find(&format!("</{name}")).unwrap();
            if name == "script" {
                assert!(script.is_empty(), "a second script");
                assert_eq!(tag, "script id=\"result\" type=\"application/json\"");
                script = rest[..length].to_owned();
            }
            rest = &rest[length..];
        }
        if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            open.push(name.clone());
        }
        seen.insert(name);
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    (script, seen)
}

#[test]
fn the_page_is_whole_and_holds_the_result_file() {
    let report = open(&real());
    let page = text(&report, Format::Html);
    let (script, seen) = elements(&page);
    assert_eq!(serde_json::from_str::<Value>(&script).unwrap(), serde_json::to_value(&report).unwrap());
    for element in ["h1", "h2", "svg", "table", "caption", "details", "title"] {
        assert!(seen.contains(element), "{element} is not among {seen:?}");
    }
    assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">"));
    for words in [
        "<th scope=\"row\">",
        "scope=\"col\"",
        "role=\"img\" aria-label=\"Chart: How many small saves a second?",
        "default-src 'none'",
        &format!("CommitMark {}", report.app.version),
        &format!("SQLite {}", report.sqlite.version),
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains(&format!("<h1>{}</h1>", report.sentence())));
    for section in report.sections() {
        assert!(page.contains(&format!("id=\"section-{}\"", section.id)), "{}", section.id);
    }
    let link = page.split("href=\"data:application/json;charset=utf-8,").nth(1).unwrap().split('"').next().unwrap();
    let downloaded = parse(&percent_decoded(link), Path::new("downloaded")).unwrap();
    assert_eq!(downloaded, report);
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let hex = String::from_utf8(vec![*high, *low]).unwrap();
                bytes.push(u8::from_str_radix(&hex, 16).unwrap());
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

#[test]
fn the_page_loads_nothing_and_runs_nothing() {
    for report in [open(&real()), hostile()] {
        let page = text(&report, Format::Html);
        let (script, seen) = elements(&page);
        let visible = page.replace(&script, "");
        for element in ["img", "iframe", "object", "embed", "form", "base", "i", "b", "image", "use"] {
            assert!(!seen.contains(element), "{element} is among {seen:?}");
        }
        // What stands between quotes is text, wherever it came from.
        let outside_quotes = |tag: &str| tag.split('"').step_by(2).collect::<String>();
        let tags: Vec<String> =
            visible.split('<').skip(1).filter_map(|part| part.split('>').next()).map(outside_quotes).collect();
        for attribute in ["src=", "srcset=", "xlink:", "onclick", "onerror", "onload", "action="] {
            assert!(!tags.iter().any(|tag| tag.contains(attribute)), "{attribute} is in a tag");
        }
        assert!(!visible.contains("url(") && !visible.contains("@import"));
        let links: Vec<&str> =
            visible.split("href=\"").skip(1).map(|rest| rest.split([',', '"']).next().unwrap()).collect();
        assert_eq!(links, ["data:", "data:application/json;charset=utf-8"]);
    }
}

#[test]
fn markup_in_a_result_stays_text_in_the_page() {
    let report = hostile();
    let page = text(&report, Format::Html);
    let (script, seen) = elements(&page);
    assert_eq!(serde_json::from_str::<Value>(&script).unwrap(), serde_json::to_value(&report).unwrap());
    let plain = elements(&text(&open(&real()), Format::Html)).1;
    assert!(seen.is_subset(&plain), "{:?}", seen.difference(&plain));
    let visible = page.replace(&script, "");
    assert!(visible.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
    assert!(visible.contains("[U+202E]gnp.exe"));
    assert!(!visible.contains(UNSEEN));
}

#[test]
fn markdown_shows_a_results_words_as_they_are() {
    for report in [open(&real()), hostile()] {
        let page = text(&report, Format::Markdown);
        let ours = ["<details>", "</details>", "<summary>", "</summary>"];
        let without_ours = ours.iter().fold(page.clone(), |page, tag| page.replace(tag, ""));
        assert!(!without_ours.contains('<') && !page.contains(UNSEEN), "{page}");
        for mention in ["@octocat", "@SUM", " #1", "https://", "]("] {
            assert!(!page.replace("\\]", "").contains(mention), "{mention}");
        }
        let pipes = |line: &str| line.replace("\\\\", "").replace("\\|", "").matches('|').count();
        let lines: Vec<&str> = page.lines().collect();
        for table in lines.split(|line| !line.starts_with('|')).filter(|table| !table.is_empty()) {
            assert!(table.iter().all(|line| pipes(line) == pipes(table[0])), "{table:#?}");
            assert!(table[1].chars().all(|letter| "|-: ".contains(letter)), "{}", table[1]);
        }
        assert_eq!(lines.iter().filter(|line| line.starts_with("## ")).count(), 1);
        assert_eq!(
            lines.iter().filter(|line| line.starts_with("### ")).count(),
            report.sections().len()
                + commitmark::advice::sections(&report, false).len()
                + usize::from(!report.all_warnings().is_empty())
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_words_at_all_stay_words_in_every_export(words in "\\PC{0,12}[<>&\"'|`\\\\;=@\\-+\r\n\t/\u{0}-\u{1f}\u{80}-\u{9f}\u{2028}\u{202e}\u{feff}]{0,6}\\PC{0,12}") {
        let mut value = real();
        value["volume"]["drive_model"] = json!(words);
        value["warnings"] = json!([{"code": "x", "message": words}]);
        value["experiments"][0]["cases"][0]["name"] = json!(words);
        let report = open(&value);
        let page = text(&report, Format::Html);
        let (script, seen) = elements(&page);
        prop_assert!(!seen.contains("img") && !page.replace(&script, "").contains(UNSEEN));
        prop_assert!(serde_json::from_str::<Report>(&script).is_ok());
        let markdown = text(&report, Format::Markdown);
        for tag in markdown.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
            prop_assert!(["details", "/details", "summary", "/summary"].contains(&tag), "{tag}");
        }
        for row in rows(&report).1 {
            prop_assert!(row.iter().all(|cell| !cell.trim_start().starts_with(['=', '+', '-', '@'])));
        }
    }
}

/// The table by column name.
fn rows(report: &Report) -> (csv::StringRecord, Vec<csv::StringRecord>) {
    let table = export::write(report, Format::Csv).unwrap();
    let mut reader = csv::Reader::from_reader(table.as_slice());
    (reader.headers().unwrap().clone(), reader.records().map(|row| row.unwrap()).collect())
}

#[test]
fn the_table_has_one_row_for_each_raw_sample() {
    let value = real();
    let report = open(&value);
    let (columns, rows) = rows(&report);
    let place =
        |name: &str| columns.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}: {columns:?}"));
    assert_eq!(columns.iter().collect::<BTreeSet<_>>().len(), columns.len(), "a column stands there twice");
    let mut rows = rows.iter();
    for experiment in value["experiments"].as_array().unwrap() {
        for case in experiment["cases"].as_array().unwrap() {
            for sample in case["samples"].as_array().unwrap() {
                let row = rows.next().unwrap();
                assert_eq!(&row[place("result_id")], value["id"].as_str().unwrap());
                assert_eq!(&row[place("experiment")], experiment["id"].as_str().unwrap());
                assert_eq!(&row[place("case")], case["name"].as_str().unwrap());
                assert_eq!(&row[place("journal_mode")], case["journal_mode"].as_str().unwrap_or_default());
                for (name, number) in sample.as_object().unwrap().iter().filter(|(_, value)| value.is_number()) {
                    let cell: f64 = row[place(name)].parse().unwrap();
                    assert_eq!(Some(cell), number.as_f64(), "{name}");
                }
            }
        }
    }
    assert_eq!(rows.count(), 0);
}

#[test]
fn no_cell_of_the_table_is_a_formula() {
    let (columns, rows) = rows(&hostile());
    let cells: Vec<&str> = columns.iter().chain(rows.iter().flatten()).collect();
    for cell in &cells {
        assert!(!cell.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']), "{cell}");
        assert!(!cell.contains(UNSEEN) && !cell.contains(['\r', '\n']), "{cell}");
    }
    for cell in ["'=cmd|'/C calc'!A0", "'＝1 | <i onclick=\"x\"> ]]> &amp;  "] {
        assert!(cells.contains(&cell), "{cell} is not in the table");
    }
    assert!(cells.iter().any(|cell| cell.contains("busy_codes.+1 <b>  |")));
}

#[test]
fn a_map_with_many_names_makes_no_table_of_many_columns() {
    let mut value = real();
    let codes: Value =
        (0..5_000).map(|code| (format!("CODE_{code}"), json!(1))).collect::<serde_json::Map<_, _>>().into();
    value["experiments"][2]["cases"][0]["samples"][0]["busy_codes"] = codes.clone();
    let (columns, rows) = rows(&open(&value));
    assert!(columns.len() < 100, "{}", columns.len());
    let place = columns.iter().position(|column| column == "busy_codes").unwrap();
    assert!(rows.iter().any(|row| serde_json::from_str::<Value>(&row[place]).is_ok_and(|cell| cell == codes)));
}

fn picture(report: &Report) -> image::RgbaImage {
    image::load_from_memory(&export::write(report, Format::Png).unwrap()).unwrap().to_rgba8()
}

fn pixels(picture: &image::RgbaImage, color: look::Rgb) -> usize {
    picture.pixels().filter(|pixel| pixel.0 == [color.0, color.1, color.2, 255]).count()
}

#[test]
fn the_picture_is_drawn_with_its_chart_and_its_badge() {
    let mut value = real();
    value["status"] = json!("complete");
    value["warnings"] = json!([]);
    for experiment in value["experiments"].as_array_mut().unwrap() {
        experiment["warnings"] = json!([]);
    }
    let steady = picture(&open(&value));
    assert_eq!(steady.width(), 1200);
    assert!((500..2_000).contains(&steady.height()), "{}", steady.height());
    assert!(steady.pixels().all(|pixel| pixel.0[3] == 255), "a picture has no holes");
    let light = look::LIGHT;
    assert!(pixels(&steady, light.wal) > 500 && pixels(&steady, light.rollback) > 50, "the chart has both families");
    assert!(pixels(&steady, light.ink) > 1_000, "the words are there");
    assert!(pixels(&steady, light.good_tint) > 1_000 && pixels(&steady, light.warning_tint) == 0);
    value["warnings"] = json!([{"code": "other_load", "message": "Other programs kept the processor busy."}]);
    let noisy = picture(&open(&value));
    assert!(pixels(&noisy, light.warning_tint) > 1_000 && pixels(&noisy, light.good_tint) == 0);
    let copied = export::picture(&open(&value)).unwrap();
    assert_eq!((copied.width, copied.height), (noisy.width() as usize, noisy.height() as usize));
    assert!(copied.rgba == *noisy.as_raw(), "what is copied is what is saved");
    assert_eq!(picture(&hostile()).width(), 1200);
}

#[test]
fn a_result_without_any_sample_has_every_export() {
    let mut value = real();
    value["experiments"] = json!([]);
    value["status"] = json!("cancelled");
    let report = open(&value);
    for format in Format::ALL {
        assert!(!export::write(&report, format).unwrap().is_empty(), "{format:?}");
    }
    assert!(text(&report, Format::Html).contains("Nothing was measured"));
    assert!(picture(&report).height() > 200);
}

#[test]
fn the_result_file_among_the_exports_opens_as_it_was() {
    let report = open(&real());
    let bytes = export::write(&report, Format::Json).unwrap();
    assert_eq!(parse(&bytes, Path::new("a")).unwrap(), report);
}

/// The program of a person called Wilhelmine, at her computer.
pub fn commitmark(arguments: &[&str], home: &Path) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_commitmark"))
        .env("COMMITMARK_DATA", home.join("data"))
        .env("HOME", home)
        .env("USERPROFILE", home)
        .envs(["USER", "LOGNAME", "USERNAME"].map(|name| (name, "wilhelmine")))
        .envs(["HOSTNAME", "COMPUTERNAME"].map(|name| (name, "wilhelmines-pc")))
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn the_terminal_writes_what_is_asked_for_and_says_what_is_wrong() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (result, page, table) = (path("a.commitmark.json"), path("a.html"), path("a.csv"));
    let (words, drawn, broken) = (path("a.md"), path("a.png"), path("broken.json"));
    fs::write(&result, real_text()).unwrap();
    fs::write(&broken, "{").unwrap();
    let arguments = ["export", &result, "--html", &page, "--csv", &table, "--markdown", &words, "--png", &drawn];
    let output = commitmark(&arguments, folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for (file, format) in
        [(&page, Format::Html), (&table, Format::Csv), (&words, Format::Markdown), (&drawn, Format::Png)]
    {
        assert!(fs::read(file).unwrap() == export::write(&open(&real()), format).unwrap(), "{file}");
    }
    for (arguments, code, sentence) in [
        (&["export", &result][..], 2, "Nothing to write"),
        (&["export"], 2, "required"),
        (&["export", &result, "--html", "no such folder/a.html"], 2, "no such folder"),
        (&["export", &broken, "--html", &page], 1, "ends too early"),
        (&["export", &result, "--png", folder.path().to_str().unwrap()], 2, "this is a folder"),
        (&["run", "--json", folder.path().to_str().unwrap()], 2, "this is a folder"),
        (&["run", "--html", "no such folder/a.html"], 2, "no such folder"),
    ] {
        let output = commitmark(arguments, folder.path());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(sentence) && !stderr.contains("panicked"), "{arguments:?}: {stderr}");
    }
}

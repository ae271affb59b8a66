//! Results beside each other: the right ratios, and none where two must not be compared.

use std::path::Path;

use commitmark::{
    report::{
        Report,
        compare::{Comparison, MOST_DRAWN, Subject, compare},
        load::parse,
    },
    section::{Cell, Hue},
    stats,
};
use uuid::Uuid;

use crate::untrusted::files;

fn golden(name: &str) -> Report {
    let (_, bytes) = files("golden").into_iter().find(|(file, _)| file.starts_with(name)).unwrap();
    parse(&bytes, Path::new("a")).unwrap()
}

/// The same result from another run, changed.
fn other(report: &Report, change: impl FnOnce(&mut Report)) -> Report {
    let mut other = report.clone();
    other.id = Uuid::new_v4();
    change(&mut other);
    other
}

fn compared(reports: &[&Report]) -> Comparison {
    let subjects: Vec<Subject> = reports.iter().map(|report| Subject::of(report)).collect();
    compare(&subjects.iter().collect::<Vec<_>>())
}

fn codes(comparison: &Comparison, must_not: bool) -> Vec<&str> {
    comparison.cautions.iter().filter(|caution| caution.must_not == must_not).map(|caution| caution.code).collect()
}

fn ratios(comparison: &Comparison) -> usize {
    let rows = comparison.questions.iter().flat_map(|question| &question.rows);
    rows.flat_map(|row| &row.values).filter(|value| value.times_first.is_some()).count()
}

/// The speeds of a case as the file has them.
fn speeds(report: &Report, case: &str) -> Vec<f64> {
    let value = serde_json::to_value(report).unwrap();
    let experiments = value["experiments"].as_array().unwrap();
    let inserts = experiments.iter().find(|experiment| experiment["id"] == "inserts").unwrap();
    let case = inserts["cases"].as_array().unwrap().iter().find(|known| known["name"] == case).unwrap();
    let speed =
        |sample: &serde_json::Value| sample["operations"].as_f64().unwrap() / sample["seconds"].as_f64().unwrap();
    case["samples"].as_array().unwrap().iter().map(speed).collect()
}

#[test]
fn the_ratio_is_that_of_the_medians_with_its_interval() {
    let one = golden("standard");
    let two = other(&one, |report| {
        let mut value = serde_json::to_value(&report.experiments).unwrap();
        for sample in value[1]["cases"][0]["samples"].as_array_mut().unwrap() {
            sample["seconds"] = (sample["seconds"].as_f64().unwrap() / 2.0).into();
        }
        report.experiments = serde_json::from_value(value).unwrap();
    });
    let comparison = compared(&[&one, &two]);
    let saves = comparison.questions.iter().find(|question| question.id == "inserts").unwrap();
    let row = saves.rows.iter().find(|row| row.technical == "DELETE, FULL").unwrap();
    let (slow, fast) = (speeds(&one, "delete/full"), speeds(&two, "delete/full"));
    assert_eq!(row.values[0].times_first, None);
    let times = row.values[1].times_first.unwrap();
    assert!((times.value - 2.0).abs() < 1e-9);
    assert_eq!(times.interval, stats::unpaired_interval(&fast, &slow));
    let other = saves.rows.iter().find(|row| row.technical == "WAL, FULL").unwrap();
    assert!((other.values[1].times_first.unwrap().value - 1.0).abs() < 1e-12);
}

#[test]
fn pairs_that_must_not_be_compared_have_a_line_and_no_ratio() {
    type Change = fn(&mut Report);
    let one = golden("standard");
    let cases: [(&str, Change); 4] = [
        ("other_sqlite", |report| report.sqlite.version = "3.49.1".to_owned()),
        ("other_sync_call", |report| report.sqlite.sync_call = Some("fsync".to_owned())),
        ("mac_default", |report| report.machine.os = Some("macOS".to_owned())),
        ("memory", |report| report.volume.memory = Some(true)),
    ];
    for (code, change) in cases {
        let comparison = compared(&[&one, &other(&one, change)]);
        assert_eq!(codes(&comparison, true), [code]);
        assert_eq!(ratios(&comparison), 0, "{code}");
        assert!(comparison.cautions[0].message.starts_with("File 2 must not be compared with file 1: "));
        assert!(comparison.sections().iter().all(|section| section.table.columns.len() == 3), "{code}");
    }
    assert!(ratios(&compared(&[&one, &other(&one, |_| {})])) > 0);
}

#[test]
fn other_work_keeps_only_its_own_numbers_apart() {
    let comparison = compared(&[&golden("standard"), &golden("quick")]);
    let forbidden: Vec<_> = comparison.cautions.iter().filter(|caution| caution.must_not).collect();
    assert!(forbidden.iter().all(|caution| caution.code == "other_work" && caution.question.is_some()));
    let saves = forbidden.iter().find(|caution| caution.question.as_deref() == Some("How many small saves a second?"));
    assert!(saves.unwrap().message.contains("10,000 saves in each run"), "{:?}", saves.unwrap().message);
    let of = |id: &str| {
        let question = comparison.questions.iter().find(|question| question.id == id).unwrap();
        question.rows.iter().flat_map(|row| &row.values).filter(|value| value.times_first.is_some()).count()
    };
    assert_eq!(of("inserts"), 0);
    assert!(of("flush") > 0);
}

#[test]
fn doubts_virtual_machines_and_one_run_twice_are_said_and_do_not_keep_apart() {
    let one = other(&golden("standard"), |report| report.machine.virtual_machine = Some(false));
    let two = other(&one, |report| {
        report.machine.virtual_machine = Some(true);
        report.status = commitmark::report::Status::Cancelled;
    });
    let comparison = compared(&[&one, &two, &one]);
    assert!(codes(&comparison, true).is_empty());
    let said = codes(&comparison, false);
    for code in ["virtual_machine", "doubt", "same_run"] {
        assert!(said.contains(&code), "{said:?}");
    }
    assert!(ratios(&comparison) > 0);
}

#[test]
fn one_line_names_all_files_that_it_is_about() {
    let one = golden("standard");
    let others: Vec<Report> =
        (0..30).map(|_| other(&one, |report| report.sqlite.version = "3.40.0".to_owned())).collect();
    let reports: Vec<&Report> = std::iter::once(&one).chain(&others).collect();
    let comparison = compared(&reports);
    assert_eq!(codes(&comparison, true), ["other_sqlite"]);
    let message = &comparison.cautions[0].message;
    assert!(message.starts_with("Files 2, 3, 4, 5, 6, 7 and 24 more: each must not"), "{message}");
    assert_eq!(comparison.cautions[0].files.len(), 30);
}

#[test]
fn every_experiment_is_compared_and_each_file_has_its_colour_and_shape() {
    let one = golden("full");
    let two = other(&one, |_| {});
    let sections = compared(&[&one, &two]).sections();
    for id in [
        "inserts",
        "contention",
        "flush",
        "readers",
        "writers",
        "batching",
        "sync_service",
        "snapshot",
        "checkpoint",
        "backup",
        "read_only",
    ] {
        let found = sections.iter().find(|section| {
            section.id.starts_with(&format!("compare-{}", id.replace('_', "-")))
                || section.id.starts_with(&format!("compare-{id}"))
        });
        let section = found.unwrap_or_else(|| {
            panic!("{id} is not among {:?}", sections.iter().map(|section| &section.id).collect::<Vec<_>>())
        });
        let chart = section.chart.as_ref().unwrap();
        assert!(chart.series.iter().any(|series| series.hue == Hue::Nth(0)), "{id}");
        assert!(chart.series.iter().any(|series| series.hue == Hue::Nth(1)), "{id}");
        assert!(section.table.rows.iter().all(|row| matches!(row[0], Cell::Setting { hue: Hue::Nth(_), .. })), "{id}");
    }
    let ids: std::collections::BTreeSet<_> = sections.iter().map(|section| &section.id).collect();
    assert_eq!(ids.len(), sections.len(), "every section has an id of its own");
}

#[test]
fn more_files_than_colours_have_tables_and_no_chart() {
    let one = golden("standard");
    let others: Vec<Report> = (0..MOST_DRAWN).map(|_| other(&one, |_| {})).collect();
    let reports: Vec<&Report> = std::iter::once(&one).chain(&others).collect();
    let sections = compared(&reports).sections();
    assert!(sections.iter().all(|section| section.chart.is_none()));
    assert!(sections.iter().all(|section| section.table.rows.len() > MOST_DRAWN));

    // Bars stand beside their words; curves have nothing but their looks, of which there are eight.
    let full = golden("full");
    let others: Vec<Report> = (0..8).map(|_| other(&full, |_| {})).collect();
    let reports: Vec<&Report> = std::iter::once(&full).chain(&others).collect();
    let sections = compared(&reports).sections();
    let drawn = |id: &str| -> Vec<bool> {
        sections.iter().filter(|section| section.id.starts_with(id)).map(|section| section.chart.is_some()).collect()
    };
    assert!(!drawn("compare-readers-").is_empty() && drawn("compare-readers-").iter().all(|drawn| !drawn));
    assert_eq!(drawn("compare-flush"), [true]);
}

#[test]
fn published_results_stand_beside_and_make_no_ratio() {
    let published = Subject::all_published();
    assert!(!published.is_empty());
    let mine = Subject::of(&golden("standard"));
    let mut subjects = vec![&mine];
    subjects.extend(&published);
    let comparison = compare(&subjects);
    assert!(codes(&comparison, true).contains(&"other_harness"));
    assert_eq!(ratios(&comparison), 0);
    assert!(
        comparison.sections().iter().any(|section| section.chart.is_some()),
        "one result beside all published ones"
    );
    // 10,000 saves in 14.56 s, the median of the published runs.
    let question =
        comparison.questions.iter().find(|question| question.id == "published-inserts-saves-a-second").unwrap();
    let row = question.rows.iter().find(|row| row.technical == "wal/full").unwrap();
    assert!(row.values.iter().any(|value| value.file == 1));
    assert!(row.values.iter().any(|value| (value.median - 10_000.0 / 14.56).abs() < 1e-9));
    // Without them their charts are not there.
    assert!(compare(&[&mine, &mine]).questions.iter().all(|question| !question.id.starts_with("published")));
}

//! Published seconds give the published ratios.

use commitmark::{stats, units};
use serde_json::Value;

fn published() -> Value {
    serde_json::from_str(include_str!("../data/published.json")).unwrap()
}

fn seconds(journal_mode: &str, synchronous: &str) -> Vec<f64> {
    let published = published();
    let cases = published["results"][0]["inserts"]["cases"].as_array().unwrap();
    let case = cases.iter().find(|case| case["journal_mode"] == journal_mode && case["synchronous"] == synchronous);
    case.unwrap()["seconds"].as_array().unwrap().iter().map(|seconds| seconds.as_f64().unwrap()).collect()
}

#[test]
fn published_seconds_give_the_published_ratios() {
    let ratios = &published()["results"][0]["inserts"]["ratios"];
    for (name, of, to, digits) in [
        ("journal at full", ("wal", "full"), ("delete", "full"), 1),
        ("journal at normal", ("wal", "normal"), ("delete", "normal"), 0),
        ("synchronous in wal", ("wal", "normal"), ("wal", "full"), 0),
        ("synchronous in delete", ("delete", "normal"), ("delete", "full"), 1),
        ("both", ("wal", "normal"), ("delete", "full"), 0),
    ] {
        // The same work in fewer seconds is as many times as fast.
        let ratio = stats::ratio_of_medians(&seconds(to.0, to.1), &seconds(of.0, of.1)).unwrap();
        let scale = 10_f64.powi(digits);
        assert_eq!((ratio * scale).round() / scale, ratios[name].as_f64().unwrap(), "{name}");
    }
}

#[test]
fn the_main_published_ratio_reads_as_it_was_published() {
    let ratio = stats::ratio_of_medians(&seconds("delete", "full"), &seconds("wal", "full")).unwrap();
    assert_eq!(units::ratio(ratio), "4.1");
}

#[test]
fn the_programs_copy_of_the_published_seconds_is_the_published_one() {
    use commitmark::measure::outcome::Measure;
    let ours = commitmark::experiments::published::all();
    let figures =
        || ours.iter().flat_map(|published| &published.experiments).flat_map(|experiment| &experiment.figures);
    for (journal_mode, synchronous) in [("delete", "full"), ("delete", "normal"), ("wal", "full"), ("wal", "normal")] {
        let case = format!("{journal_mode}/{synchronous}");
        let expected: Vec<f64> = seconds(journal_mode, synchronous).iter().map(|seconds| 10_000.0 / seconds).collect();
        let found = figures().find(|figure| figure.case == case && figure.measure == Measure::SavesPerSecond).unwrap();
        assert_eq!(found.values(), expected, "{case}");
    }
    let published = published();
    let contention = &published["results"][0]["contention"];
    for (timeout, list) in [(0, "busy_timeout_0_ms"), (5_000, "busy_timeout_5000_ms")] {
        for mode in contention[list].as_array().unwrap() {
            let case = format!("{}/full/{timeout}", mode["journal_mode"].as_str().unwrap());
            for (measure, field) in [
                (Measure::SavesPerSecond, "writes"),
                (Measure::ReadsPerSecond, "reads"),
                (Measure::RefusedSavesPerSecond, "write_busy"),
                (Measure::RefusedReadsPerSecond, "read_busy"),
            ] {
                let found = figures().find(|figure| figure.case == case && figure.measure == measure).unwrap();
                let counts = mode[field].as_array().unwrap().iter().map(|count| count.as_f64().unwrap() / 5.0);
                assert_eq!(found.values(), counts.collect::<Vec<_>>(), "{case} {field}");
            }
        }
    }
}

#[test]
fn published_figures_stand_beside_the_same_work_with_their_harness() {
    let (home, mut plan) = (crate::helpers::folder(), crate::helpers::small_plan(&["inserts", "contention"]));
    plan.set("milliseconds", 100);
    let report = crate::helpers::run(home.path(), plan).report;
    let section = report.sections().into_iter().last().unwrap();
    assert_eq!(section.id, "published");
    let row = section.table.rows.iter().find(|row| row[0].text() == "WAL instead of DELETE, at FULL").unwrap();
    let ours = report.experiments.iter().flat_map(|outcome| outcome.ratios());
    let ours = ours.clone().find(|ratio| ratio.of == "wal/full" && ratio.to == "delete/full").unwrap();
    assert_eq!(row[2].text(), "4.1");
    assert_eq!(row[3].text(), units::ratio(ours.value));
    assert!(row[5].text().contains("Python 3.12.10"));
}

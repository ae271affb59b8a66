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

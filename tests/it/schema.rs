//! The schema of the result file: golden files of format 1 are valid for an independent validator and
//! open for ever, and the documentation names every field.

use std::collections::BTreeSet;

use commitmark::report::{Status, load::parse, schema};
use serde_json::{Value, json};

use crate::untrusted::files;

fn schema() -> Value {
    serde_json::to_value(schema::of_result_file()).unwrap()
}

#[test]
fn golden_files_of_format_1_are_valid_and_open_for_ever() {
    let schema = schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut seen = BTreeSet::new();
    for (name, bytes) in files("golden") {
        let value: Value = serde_json::from_slice(&bytes).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let report = parse(&bytes, std::path::Path::new(&name)).unwrap();
        seen.extend(report.experiments.iter().map(|outcome| outcome.id().to_owned()));
        assert_eq!(report.status == Status::Cancelled, name.starts_with("cancelled"), "{name}");
    }
    let (_, refused) = files("golden").into_iter().find(|(name, _)| name.starts_with("refused")).unwrap();
    let refused = String::from_utf8(refused).unwrap().matches("\"refused\"").count();
    assert_eq!(refused, 2, "what could not be tested is said in a golden file");
    assert_eq!(seen.len(), commitmark::experiments::IDS.len(), "every experiment is in a golden file");
}

#[test]
fn the_schema_refuses_what_the_program_refuses() {
    let schema = schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let (_, bytes) = files("golden").into_iter().find(|(name, _)| name.starts_with("quick")).unwrap();
    let golden: Value = serde_json::from_slice(&bytes).unwrap();
    let wrong = |path: &str, value: Value| {
        let mut file = golden.clone();
        *file.pointer_mut(path).unwrap() = value;
        let opened = parse(file.to_string().as_bytes(), std::path::Path::new("a"));
        assert!(opened.is_err() && !validator.is_valid(&file), "{path}");
    };
    wrong("/status", json!("finished"));
    wrong("/experiments/1/id", json!("outserts"));
    wrong("/experiments/1/cases/0/samples/0/operations", json!("many"));
    wrong("/experiments/1/cases/0/samples/0/seconds", json!(null));
    wrong("/plan/preset", json!("huge"));
    wrong("/app", json!(7));
}

/// The names of all properties of the schema.
fn properties(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                names.extend(properties.keys().cloned());
            }
            fields.values().for_each(|value| properties(value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| properties(value, names)),
        _ => {}
    }
}

#[test]
fn the_documentation_names_every_field_of_the_schema() {
    let text = include_str!("../../docs/result-file.md");
    let mut names = BTreeSet::new();
    properties(&schema(), &mut names);
    assert!(names.len() > 100, "{names:?}");
    let missing: Vec<&String> = names.iter().filter(|name| !text.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "docs/result-file.md does not name {missing:?}");
}

#[test]
fn every_field_of_the_schema_is_described() {
    fn undescribed(value: &Value, path: &str, found: &mut Vec<String>) {
        let Value::Object(fields) = value else { return };
        if let Some(Value::Object(properties)) = fields.get("properties") {
            for (name, property) in properties {
                // The id of an experiment is the constant that tells them apart.
                if property.get("description").is_none() && property.get("const").is_none() {
                    found.push(format!("{path}/{name}"));
                }
            }
        }
        for (name, value) in fields {
            undescribed(value, &format!("{path}/{name}"), found);
        }
    }
    let mut found = Vec::new();
    undescribed(&schema(), "", &mut found);
    assert!(found.is_empty(), "{found:?}");
}

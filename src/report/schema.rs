//! The JSON Schema of the result file, made from the types that read and write it: `commitmark schema`
//! prints it, docs/result-file.md explains it, the tests hold golden files against it.

use schemars::{Schema, generate::SchemaSettings};

use super::{FORMAT, FORMAT_VERSION, Report};

/// The schema of format 1, in draft 2020-12.
pub fn of_result_file() -> Schema {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Report>();
    schema.insert("title".to_owned(), format!("{FORMAT}, format {FORMAT_VERSION}").into());
    schema
}

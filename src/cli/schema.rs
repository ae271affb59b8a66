//! `commitmark schema`: the JSON Schema of the result file, made from the types that write it.

use super::{DONE, FAILED, complain, print};
use crate::report::schema;

/// Returns the exit code.
pub(super) fn run() -> u8 {
    match serde_json::to_string_pretty(&schema::of_result_file()) {
        Ok(json) => {
            print(&json);
            DONE
        }
        Err(error) => {
            complain(&format!("The schema could not be written as JSON ({error}). Please report this"));
            FAILED
        }
    }
}

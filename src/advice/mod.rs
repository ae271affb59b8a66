//! From numbers to a decision: settings to copy for the framework that a person uses.

pub mod settings;

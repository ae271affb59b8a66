//! The window. `launch` opens it, `app` is its loop; `state` is all it knows and how that changes, without
//! egui; `screens` draw the state and return what the person did; `background` touches disk and system,
//! `documents` hears which files macOS wants opened.
//! Findings of any experiment are drawn by `sections`, with `tables`, `bars` and `charts`. Nothing
//! outside this folder names egui, eframe or rfd.

pub mod app;
pub mod background;
pub mod bars;
pub mod charts;
pub mod dialogs;
#[cfg(target_os = "macos")]
mod documents;
pub mod launch;
pub mod log;
pub mod screens;
pub mod sections;
pub mod state;
pub mod tables;
pub mod theme;
pub mod widgets;

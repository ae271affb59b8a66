//! A window with nothing in it but its ground, opened as CommitMark opens its own with OpenGL. `tests/e2e/first_frame.py`
//! measures how much later CommitMark's first frame comes. Without the ground nothing at all would be drawn, and the
//! driver would leave out work that every window has.

use eframe::egui::{CentralPanel, Ui, ViewportBuilder};

struct Empty;

impl eframe::App for Empty {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        CentralPanel::default().show(ui, |_| {});
    }
}

fn main() -> eframe::Result {
    let options = eframe::NativeOptions {
        viewport: ViewportBuilder::default().with_inner_size([1080.0, 760.0]),
        renderer: eframe::Renderer::Glow,
        persist_window: false,
        ..eframe::NativeOptions::default()
    };
    eframe::run_native("Empty", options, Box::new(|_creation| Ok(Box::new(Empty))))
}

//! A window with nothing in it, opened as CommitMark opens its own with OpenGL. `tests/e2e/first_frame.py`
//! measures how much later CommitMark's first frame comes.

use eframe::egui::{Ui, ViewportBuilder};

struct Empty;

impl eframe::App for Empty {
    fn ui(&mut self, _ui: &mut Ui, _frame: &mut eframe::Frame) {}
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

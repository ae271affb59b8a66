//! Opens the window on any machine: two renderers are tried in one process, a driver that crashed the
//! last start is tried second, and where nothing opens a message says why and what works instead.
//! Called by `main`.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use eframe::{
    egui::{self, ViewportBuilder},
    egui_wgpu::{WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew},
    wgpu,
};
use thiserror::Error;

use super::{
    app::{CommitMarkApp, Options},
    log,
};
use crate::report::history::data_folder;

pub use crate::cli::Renderer as RendererChoice;

/// Names the renderer to use, like `--renderer`.
const VARIABLE: &str = "COMMITMARK_RENDERER";
/// A window that has shown this many frames works.
const FRAMES_THAT_PROVE: u32 = 3;

/// No window could be opened.
#[derive(Debug, Error)]
#[error(
    "No window could be opened ({reason}). Run \"commitmark run\" in a terminal: it measures the same{}",
    log.as_ref().map_or_else(String::new, |log| format!(". The log is here: {}", log.display()))
)]
pub struct LaunchError {
    /// What the first renderer said.
    pub reason: String,
    /// The folder of the log.
    pub log: Option<PathBuf>,
}

/// Opens the window on these result files and returns when it is closed. The renderer asked for is
/// tried alone; without one, the environment variable `COMMITMARK_RENDERER` is asked, then each is tried.
///
/// # Errors
/// Nothing could open a window; a message box has said so where one can be shown.
pub fn open(files: Vec<PathBuf>, renderer: Option<RendererChoice>) -> Result<(), LaunchError> {
    log::begin();
    #[cfg(target_os = "macos")]
    super::documents::listen();
    let marker = Marker::new();
    let wanted = renderer.or_else(from_environment);
    let reason = match try_each(&files, &order(wanted, marker.crashed()), &marker) {
        Ok(()) => return Ok(()),
        Err(reason) => reason,
    };
    let error = LaunchError { reason, log: log::folder() };
    tracing::error!("{error}");
    tell(&error);
    Err(error)
}

/// Returns what the first renderer said where none works.
fn try_each(files: &[PathBuf], order: &[RendererChoice], marker: &Marker) -> Result<(), String> {
    if !has_screen() {
        return Err("there is no screen here: neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned());
    }
    let mut first_error = None;
    for renderer in order {
        let opened = open_with(*renderer, Options::of_user(files.to_vec()), marker);
        // Whoever comes back did not crash, also with a window that was closed before it had shown enough.
        marker.remove();
        match opened {
            Ok(()) => return Ok(()),
            Err(error) => {
                tracing::warn!("{renderer:?} opens no window: {error}");
                first_error.get_or_insert(reason(&error));
            }
        }
    }
    Err(first_error.unwrap_or_else(|| "nothing was tried".to_owned()))
}

/// Why a renderer does not work, without the pages of settings that some errors carry.
fn reason(error: &eframe::Error) -> String {
    match error {
        eframe::Error::NoGlutinConfigs(_, error) => format!("OpenGL does not work here: {error}"),
        other => other.to_string(),
    }
}

/// Elsewhere than on Linux there always is one.
fn has_screen() -> bool {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].iter().any(is_set)
}

fn from_environment() -> Option<RendererChoice> {
    parse(&std::env::var(VARIABLE).ok()?)
}

fn parse(name: &str) -> Option<RendererChoice> {
    <RendererChoice as clap::ValueEnum>::from_str(name, true)
        .inspect_err(|error| tracing::warn!("{VARIABLE} is ignored: {error}"))
        .ok()
}

/// Which renderers to try, in order. OpenGL first on Linux, where it is the best kept; DirectX and Metal
/// first elsewhere. One that crashed the last start comes last.
fn order(wanted: Option<RendererChoice>, crashed: Option<RendererChoice>) -> Vec<RendererChoice> {
    if let Some(wanted) = wanted {
        return vec![wanted];
    }
    let mut order = vec![RendererChoice::Wgpu, RendererChoice::Glow];
    if cfg!(target_os = "linux") {
        order.reverse();
    }
    order.sort_by_key(|renderer| Some(*renderer) == crashed);
    order
}

fn open_with(renderer: RendererChoice, options: Options, marker: &Marker) -> eframe::Result {
    marker.write(renderer);
    let marker = marker.clone();
    let native = eframe::NativeOptions {
        viewport: viewport(),
        renderer: match renderer {
            RendererChoice::Glow => eframe::Renderer::Glow,
            RendererChoice::Wgpu => eframe::Renderer::Wgpu,
        },
        wgpu_options: WgpuConfiguration { wgpu_setup: wgpu_setup(), ..WgpuConfiguration::default() },
        persist_window: false,
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        "CommitMark",
        native,
        Box::new(move |creation| {
            count_frames(&creation.egui_ctx, marker);
            Ok(Box::new(CommitMarkApp::new(creation, options)))
        }),
    )
}

fn viewport() -> ViewportBuilder {
    let viewport = ViewportBuilder::default()
        .with_title("CommitMark")
        .with_app_id("commitmark")
        .with_inner_size([1080.0, 760.0])
        .with_min_inner_size([720.0, 560.0])
        .with_drag_and_drop(true);
    match eframe::icon_data::from_png_bytes(include_bytes!("../../assets/icon.png")) {
        Ok(icon) => viewport.with_icon(Arc::new(icon)),
        Err(error) => {
            tracing::warn!("the icon cannot be read: {error}");
            viewport
        }
    }
}

/// The native interfaces alone, since asking for OpenGL through wgpu has crashed drivers; the GPU that
/// uses less power, since a chart needs no more.
fn wgpu_setup() -> WgpuSetup {
    let mut setup = WgpuSetupCreateNew::without_display_handle();
    setup.instance_descriptor.backends = wgpu::Backends::PRIMARY;
    setup.power_preference = wgpu::PowerPreference::LowPower;
    WgpuSetup::CreateNew(setup)
}

/// Removes the marker once enough frames were shown.
fn count_frames(context: &egui::Context, marker: Marker) {
    let frames = Arc::new(std::sync::atomic::AtomicU32::new(0));
    context.on_end_pass(
        "prove that the renderer works",
        Arc::new(move |context| {
            let shown = frames.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            if shown == FRAMES_THAT_PROVE {
                marker.remove();
            } else if shown < FRAMES_THAT_PROVE {
                context.request_repaint();
            }
        }),
    );
}

/// The file that says which renderer is being started. One that is still there at the next start tells
/// that the driver took the process down.
#[derive(Clone, Debug)]
struct Marker {
    file: Option<PathBuf>,
}

impl Marker {
    fn new() -> Self {
        Self { file: data_folder().map(|folder| folder.join("starting-with")) }
    }

    fn crashed(&self) -> Option<RendererChoice> {
        self.file.as_ref().and_then(|file| fs::read_to_string(file).ok()).and_then(|name| parse(name.trim()))
    }

    fn write(&self, renderer: RendererChoice) {
        let Some(file) = &self.file else { return };
        let name = match renderer {
            RendererChoice::Glow => "glow",
            RendererChoice::Wgpu => "wgpu",
        };
        if let Err(error) = write(file, name) {
            tracing::warn!("a crash of {name} would not be noticed ({error}): {}", file.display());
        }
    }

    fn remove(&self) {
        if let Some(file) = &self.file {
            // It may be gone already, or never have been written.
            let _ = fs::remove_file(file);
        }
    }
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text)
}

/// On stderr, for whoever started the program in a terminal, and in a message box, where the system has
/// a screen to show one on.
fn tell(error: &LaunchError) {
    // A program without a terminal has no stderr; then the box has said it.
    let _ = writeln!(io::stderr(), "commitmark: {error}");
    if has_screen() {
        rfd::MessageDialog::new()
            .set_level(rfd::MessageLevel::Error)
            .set_title("CommitMark")
            .set_description(error.to_string())
            .show();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_renderer_that_crashed_is_tried_last() {
        use RendererChoice::{Glow, Wgpu};
        assert_eq!(order(None, Some(Glow)), [Wgpu, Glow]);
        assert_eq!(order(None, Some(Wgpu)), [Glow, Wgpu]);
        assert_eq!(order(Some(Wgpu), Some(Wgpu)), [Wgpu]);
        let first = if cfg!(target_os = "linux") { Glow } else { Wgpu };
        assert_eq!(order(None, None).first(), Some(&first));
        assert_eq!(order(None, None).len(), 2);
    }

    #[test]
    fn a_marker_that_is_left_tells_who_crashed() {
        let home = tempfile::tempdir().unwrap();
        let marker = Marker { file: Some(home.path().join("data/starting-with")) };
        assert_eq!(marker.crashed(), None);
        marker.write(RendererChoice::Glow);
        assert_eq!(marker.crashed(), Some(RendererChoice::Glow));
        marker.remove();
        assert_eq!(marker.crashed(), None);
    }

    #[test]
    fn the_message_names_the_way_that_works() {
        let error = LaunchError { reason: "no OpenGL".to_owned(), log: Some(PathBuf::from("/logs")) };
        assert_eq!(
            error.to_string(),
            "No window could be opened (no OpenGL). Run \"commitmark run\" in a terminal: it measures the same. The log is here: /logs"
        );
    }
}

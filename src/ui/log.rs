//! The log: one file a day in the user's data folder, the last few kept. A panic is logged with its
//! place, since a window has no terminal to print to.

use std::{backtrace::Backtrace, panic, path::PathBuf};

use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::fmt;

use crate::report::history::data_folder;

/// So many days are kept.
const DAYS: usize = 7;

/// The folder of the log; `None` where the system names no data folder.
pub fn folder() -> Option<PathBuf> {
    data_folder().map(|folder| folder.join("logs"))
}

/// Begins to log. Where that is not possible the window opens all the same.
pub fn begin() {
    let Some(folder) = folder() else { return };
    // The appender makes it too, but complains on stderr first. What fails here fails there.
    let _ = std::fs::create_dir_all(&folder);
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("commitmark")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(folder);
    if let Ok(appender) = appender {
        let writer = std::sync::Mutex::new(appender);
        // Somebody else, a test for one, may log already.
        let _ = tracing::subscriber::set_global_default(fmt().with_ansi(false).with_writer(writer).finish());
    }
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        tracing::error!("{panic}\n{}", Backtrace::force_capture());
        before(panic);
    }));
}

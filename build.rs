//! Tells the program how it was built: for which target, and which call SQLite's Linux build makes to
//! reach the drive (the flag is set in .cargo/config.toml and decides it). A Windows program also gets its
//! icon, its version and its manifest.

use std::{env, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let target = env::var("TARGET").unwrap_or_default();
    let flags = format!("CFLAGS_{}", target.replace('-', "_"));
    println!("cargo:rerun-if-env-changed={flags}");
    // The system that is built for; cfg!(windows) would ask for the one that builds.
    let system = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let fdatasync = env::var(flags).unwrap_or_default().contains("HAVE_FDATASYNC=1");
    let sync_call = match system.as_str() {
        "windows" => "FlushFileBuffers",
        "linux" if fdatasync => "fdatasync",
        _ => "fsync",
    };
    println!("cargo:rustc-env=COMMITMARK_TARGET={target}");
    println!("cargo:rustc-env=COMMITMARK_SYNC_CALL={sync_call}");
    if system == "windows" {
        describe_for_windows()?;
    }
    Ok(())
}

/// Linked into the program alone: the tests and the library have no use for it.
fn describe_for_windows() -> Result<(), Box<dyn Error>> {
    let here = env::var("CARGO_MANIFEST_DIR")?;
    let icon = format!("{here}/assets/icon.ico");
    let manifest = format!("{here}/dist/windows/commitmark.manifest");
    println!("cargo:rerun-if-changed={icon}");
    println!("cargo:rerun-if-changed={manifest}");
    winresource::WindowsResource::new()
        .set_icon(&icon)
        .set_manifest_file(&manifest)
        .set("ProductName", "CommitMark")
        .set("FileDescription", "CommitMark")
        .set("OriginalFilename", "commitmark.exe")
        .set("CompanyName", "The CommitMark developers")
        .set("LegalCopyright", "The CommitMark developers. MIT or Apache 2.0")
        .compile_for("commitmark")?;
    Ok(())
}

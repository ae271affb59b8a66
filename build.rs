//! Tells the program how it was built: for which target, and which call SQLite's Linux build makes to
//! reach the drive (the flag is set in .cargo/config.toml and decides it).

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = env::var("TARGET").unwrap_or_default();
    let flags = format!("CFLAGS_{}", target.replace('-', "_"));
    println!("cargo:rerun-if-env-changed={flags}");
    let system = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let fdatasync = env::var(flags).unwrap_or_default().contains("HAVE_FDATASYNC=1");
    let sync_call = match system.as_str() {
        "windows" => "FlushFileBuffers",
        "linux" if fdatasync => "fdatasync",
        _ => "fsync",
    };
    println!("cargo:rustc-env=COMMITMARK_TARGET={target}");
    println!("cargo:rustc-env=COMMITMARK_SYNC_CALL={sync_call}");
}

//! macOS: volumes from `statfs`, the drive from `diskutil info -plist`.
//!
//! `volume` and `listing` call it through `drive`. diskutil is part of every macOS and needs no rights; the
//! plist crate reads what it prints.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use plist::{Dictionary, Value};
use rustix::fs::{Access, StatFs};

use super::diskutil::{drive_facts, whole_disk_below};
use super::{Mounted, remote_kind};
use crate::system::volume::Volume;

/// `MNT_RDONLY`, `MNT_SYNCHRONOUS`, `MNT_NOATIME` and `MNT_LOCAL` of macOS's sys/mount.h.
const READ_ONLY: u32 = 0x0000_0001;
const SYNCHRONOUS: u32 = 0x0000_0002;
const NO_ACCESS_TIME: u32 = 0x1000_0000;
const LOCAL: u32 = 0x0000_1000;
/// The writable volume behind the sealed one that is mounted on `/`.
const DATA_VOLUME: &str = "/System/Volumes/Data";

/// Everything known about the volume of an existing folder whose links are resolved.
pub(in crate::system) fn volume(folder: &Path) -> Volume {
    let Ok(status) = rustix::fs::statfs(folder) else { return Volume::default() };
    let file_system = text(&status.f_fstypename);
    let mount_point = text(&status.f_mntonname);
    let mut volume = Volume {
        mount_options: Some(options(status.f_flags)),
        total_bytes: status.f_blocks.checked_mul(u64::from(status.f_bsize)),
        free_bytes: status.f_bavail.checked_mul(u64::from(status.f_bsize)),
        network: Some(status.f_flags & LOCAL == 0),
        ..Volume::default()
    };
    if let Some(kind) = remote_kind(&file_system).or((volume.network == Some(true)).then_some("network share")) {
        (volume.kind, volume.network, volume.memory) = (Some(kind.to_owned()), Some(true), Some(false));
    } else if file_system == "tmpfs" {
        (volume.kind, volume.memory) = (Some("memory".to_owned()), Some(true));
    } else if let Some(information) = diskutil(&mount_point) {
        // An APFS volume knows its bus, but only the disk below knows its model.
        let disk = whole_disk_below(&information).and_then(|disk| diskutil(&disk));
        drive_facts(&information, disk.as_ref()).describe(&mut volume);
    }
    // HFS+ and FAT write changed data over the old; how APFS does it depends on clones and snapshots.
    volume.copy_on_write = ["hfs", "msdos", "exfat"].contains(&file_system.as_str()).then_some(false);
    volume.file_system = Some(file_system);
    volume.mount_point = Some(mount_point);
    volume
}

/// The system's drive and what is mounted in /Volumes, each once.
pub(in crate::system) fn mounted() -> Vec<Mounted> {
    let data = Some(PathBuf::from(DATA_VOLUME)).filter(|data| data.is_dir()).unwrap_or_else(|| PathBuf::from("/"));
    let system = device_of(&data).map(|device| Mounted { name: system_name(), root: data, device });
    let entries = std::fs::read_dir("/Volumes").into_iter().flatten().flatten();
    let others = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).filter_map(|entry| {
        let (root, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let status = rustix::fs::statfs(&root).ok()?;
        let own_volume = root.metadata().ok()?.dev() != Path::new("/Volumes").metadata().ok()?.dev();
        let snapshot = name.starts_with('.')
            || name.starts_with("com.apple.TimeMachine")
            || text(&status.f_mntfromname).contains('@');
        (own_volume && !snapshot).then(|| Mounted { name, device: device_key(&status), root })
    });
    let mut shown: Vec<Mounted> = Vec::new();
    for mounted in system.into_iter().chain(others) {
        if shown.iter().all(|other| other.device != mounted.device) {
            shown.push(mounted);
        }
    }
    shown
}

/// What tells the volume of this folder from others; `None` when it cannot be seen.
pub(in crate::system) fn device_of(folder: &Path) -> Option<String> {
    rustix::fs::statfs(folder).ok().map(|status| device_key(&status))
}

/// Whether the current user may create something in this folder, as `access` says without trying.
pub(in crate::system) fn may_create_in(folder: &Path) -> bool {
    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// The path without what resolving links adds: nothing on macOS.
pub(in crate::system) fn plain(path: PathBuf) -> PathBuf {
    path
}

fn device_key(status: &StatFs) -> String {
    text(&status.f_mntfromname)
}

/// The name in Finder: `Macintosh HD`.
fn system_name() -> String {
    let name = diskutil("/")
        .and_then(|information| information.get("VolumeName").and_then(Value::as_string).map(str::to_owned));
    name.unwrap_or_else(|| "System drive".to_owned())
}

fn options(flags: u32) -> String {
    let mut options = vec![if flags & READ_ONLY != 0 { "ro" } else { "rw" }];
    options.extend((flags & NO_ACCESS_TIME != 0).then_some("noatime"));
    options.extend((flags & SYNCHRONOUS != 0).then_some("sync"));
    options.join(",")
}

/// What diskutil knows about a mount point or a disk (`disk0`).
fn diskutil(of: &str) -> Option<Dictionary> {
    let output = Command::new("/usr/sbin/diskutil")
        .args(["info", "-plist", of])
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Value::from_reader_xml(output.stdout.as_slice()).ok()?.into_dictionary()
}

/// The text in one of statfs's fixed fields.
fn text(field: &[core::ffi::c_char]) -> String {
    let bytes: Vec<u8> = field.iter().map(|unit| unit.to_ne_bytes()[0]).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

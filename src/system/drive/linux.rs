//! Linux: the volume of a folder, put together from the mount table (`mounts`) and sysfs (`sysfs`).
//!
//! `volume` and `listing` call it through `drive`. Sizes come from `statvfs`, a folder's own flags from the
//! same ioctl `lsattr` uses.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use procfs::process::MountInfo;
use rustix::fs::{Access, AtFlags, CWD, IFlags, Mode, OFlags};

use super::mounts::{self, MEMORY, device_key};
use super::{Mounted, remote_kind, sysfs};
use crate::system::volume::Volume;

const SYS: &str = "/sys";
/// File systems that write changed data to a new place.
const COPY_ON_WRITE: [&str; 3] = ["btrfs", "zfs", "bcachefs"];
/// File systems that write changed data over the old and compress nothing (xfs as long as a file is no clone).
const IN_PLACE: [&str; 10] = ["ext2", "ext3", "ext4", "xfs", "jfs", "vfat", "msdos", "exfat", "reiserfs", "hfsplus"];
/// `FS_ENCRYPT_FL` and `FS_NOCOMP_FL` of the kernel's include/uapi/linux/fs.h, which rustix does not name.
const ENCRYPTED_FLAG: u32 = 0x0800;
const NEVER_COMPRESSED_FLAG: u32 = 0x0400;

/// Everything known about the volume of an existing folder whose links are resolved.
pub(in crate::system) fn volume(folder: &Path) -> Volume {
    let table = mounts::table();
    let mut volume = Volume::default();
    if let Some(mount) = mounts::mount_of(&table, folder) {
        volume = described(mount, &table, Path::new(SYS));
        apply_folder_flags(folder, mount, &mut volume);
    }
    // Pseudo file systems such as /proc have no blocks, which is not the same as being full.
    if let Some(space) = rustix::fs::statvfs(folder).ok().filter(|space| space.f_blocks > 0) {
        volume.total_bytes = space.f_blocks.checked_mul(space.f_frsize);
        volume.free_bytes = space.f_bavail.checked_mul(space.f_frsize);
    }
    volume
}

/// The mounts a person would call drives, each device once.
pub(in crate::system) fn mounted() -> Vec<Mounted> {
    let table = mounts::table();
    let shown = mounts::listed(&table).into_iter().filter(|mount| mount.mount_point.is_dir());
    shown
        .map(|mount| Mounted {
            name: mounts::name(&mount.mount_point),
            root: mount.mount_point.clone(),
            device: device_key(mount),
        })
        .collect()
}

/// What tells the volume of this folder from others; `None` when no mount is found.
pub(in crate::system) fn device_of(folder: &Path) -> Option<String> {
    mounts::mount_of(&mounts::table(), folder).map(device_key)
}

/// Whether the current user may create something in this folder, as the kernel says without trying.
pub(in crate::system) fn may_create_in(folder: &Path) -> bool {
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    // The effective user decides; kernels before 5.8 only know the real one.
    rustix::fs::accessat(CWD, folder, wanted, AtFlags::EACCESS).or_else(|_| rustix::fs::access(folder, wanted)).is_ok()
}

/// The path without what resolving its links added: nothing on Linux.
pub(in crate::system) fn plain(path: PathBuf) -> PathBuf {
    path
}

/// The facts of a mount: its file system, its options, and the drive below it.
fn described(mount: &MountInfo, table: &[MountInfo], sys: &Path) -> Volume {
    let fs_type = mount.fs_type.as_str();
    let mut volume = Volume {
        mount_point: Some(mount.mount_point.to_string_lossy().into_owned()),
        file_system: Some(file_system(mount)),
        mount_options: Some(mounts::options(mount)),
        ..Volume::default()
    };
    if let Some(kind) = remote_kind(fs_type) {
        volume.kind = Some(kind.to_owned());
        (volume.network, volume.memory) = (Some(true), Some(false));
    } else if MEMORY.contains(&fs_type) {
        volume.kind = Some("memory".to_owned());
        (volume.network, volume.memory) = (Some(false), Some(true));
    } else if fs_type == "overlay" {
        describe_overlay(mount, table, sys, &mut volume);
    } else {
        describe_devices(&devices(mount, sys), table, sys, &mut volume);
    }
    volume
}

/// The file system's name. FUSE hides it behind `fuseblk`; there udev's record of the device knows it.
fn file_system(mount: &MountInfo) -> String {
    let record = || fs::read_to_string(format!("/run/udev/data/b{}", mount.majmin)).unwrap_or_default();
    let known = (mount.fs_type == "fuseblk").then(record).unwrap_or_default();
    let named = known.lines().find_map(|line| line.strip_prefix("E:ID_FS_TYPE="));
    named.unwrap_or(&mount.fs_type).to_owned()
}

fn describe_devices(devices: &[PathBuf], table: &[MountInfo], sys: &Path, volume: &mut Volume) {
    let Some(first) = devices.first() else { return };
    volume.network = Some(false);
    sysfs::drive(devices).describe(volume);
    // A disk image is memory when its file is in memory.
    if let Some(below) = sysfs::backing_file(first).and_then(|file| mounts::mount_above(table, &file)) {
        volume.memory = described(below, &[], sys).memory;
        if volume.memory == Some(true) {
            volume.kind = Some("memory".to_owned());
        }
    }
}

/// An overlay writes to its upper folder: its drive is that folder's, where this process can see it.
fn describe_overlay(mount: &MountInfo, table: &[MountInfo], sys: &Path, volume: &mut Volume) {
    let upper =
        mount.super_options.get("upperdir").cloned().flatten().map(|upper| mounts::unescaped(Path::new(&upper)));
    let below = upper.filter(|upper| upper.is_dir()).and_then(|upper| mounts::mount_above(table, &upper));
    if let Some(below) = below.filter(|below| below.fs_type != "overlay") {
        *volume = Volume {
            mount_point: volume.mount_point.take(),
            file_system: volume.file_system.take(),
            mount_options: volume.mount_options.take(),
            ..described(below, table, sys)
        };
    }
}

/// Where sysfs describes the devices below a mount; empty for network, memory and other file systems without any.
fn devices(mount: &MountInfo, sys: &Path) -> Vec<PathBuf> {
    // btrfs, bcachefs and some FUSE file systems have numbers of their own (0:45): their source names the device.
    let by_source = || mount.mount_source.iter().flat_map(|source| sysfs::devices_by_source(sys, source)).collect();
    let found = sysfs::device_by_number(sys, &mount.majmin).map_or_else(by_source, |device| vec![device]);
    match found.first() {
        Some(first) if mount.fs_type == "btrfs" => sysfs::btrfs_members(sys, first.clone()),
        _ => found,
    }
}

/// Copy-on-write, compression and fscrypt, from the file system and from the folder's own flags.
fn apply_folder_flags(folder: &Path, mount: &MountInfo, volume: &mut Volume) {
    let opened = rustix::fs::open(folder, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty());
    let flags = opened.ok().and_then(|opened| rustix::fs::ioctl_getflags(opened).ok());
    (volume.copy_on_write, volume.compressed) = data_handling(&mount.fs_type, &mount.super_options, flags);
    if flags.is_some_and(|flags| flags.bits() & ENCRYPTED_FLAG != 0) {
        volume.encrypted = Some(true);
    }
}

/// Whether new files here are copy-on-write, and whether they are compressed.
fn data_handling(
    fs_type: &str,
    options: &HashMap<String, Option<String>>,
    flags: Option<IFlags>,
) -> (Option<bool>, Option<bool>) {
    let bits = flags.map_or(0, |flags| flags.bits());
    let option = |name| options.contains_key(name);
    let no_copy_on_write = bits & IFlags::NOCOW.bits() != 0 || option("nodatacow");
    match fs_type {
        "btrfs" => {
            let asked = option("compress") || option("compress-force") || bits & IFlags::COMPRESSED.bits() != 0;
            // btrfs(5): files without copy-on-write are never compressed.
            (Some(!no_copy_on_write), Some(asked && !no_copy_on_write && bits & NEVER_COMPRESSED_FLAG == 0))
        }
        "f2fs" => (None, flags.map(|flags| flags.contains(IFlags::COMPRESSED))),
        "squashfs" | "erofs" => (None, Some(true)),
        "ntfs3" => (Some(false), None),
        _ if COPY_ON_WRITE.contains(&fs_type) => (Some(true), None),
        _ if IN_PLACE.contains(&fs_type) => (Some(false), Some(false)),
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// What a system tool prints, or nothing where it is not installed.
    fn printed(tool: &str, arguments: &[&str], folder: &Path) -> Option<Vec<String>> {
        let output =
            Command::new(tool).args(arguments).arg(folder).output().ok().filter(|output| output.status.success())?;
        let last = String::from_utf8(output.stdout).ok()?.lines().last()?.to_owned();
        Some(last.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn the_volume_of_the_project_is_what_df_and_findmnt_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap();
        let volume = volume(&folder);
        let Some(df) = printed("df", &["-B1", "--output=fstype,size,avail,target"], &folder) else { return };
        assert_eq!(volume.total_bytes, df[1].parse().ok());
        assert_eq!(volume.mount_point.as_ref(), Some(&df[3]));
        // Other programs write meanwhile.
        let free: u64 = df[2].parse().unwrap();
        assert!(volume.free_bytes.unwrap().abs_diff(free) < 1 << 30);
        if let Some(findmnt) = printed("findmnt", &["-no", "FSTYPE", "-T"], &folder) {
            assert_eq!(volume.file_system, Some(findmnt[0].clone()));
        }
    }

    #[test]
    fn a_memory_file_system_is_called_memory() {
        let shm = Path::new("/dev/shm");
        if printed("stat", &["-f", "-c", "%T"], shm).is_some_and(|kind| kind == ["tmpfs"]) {
            let volume = volume(shm);
            assert_eq!((volume.memory, volume.kind.as_deref()), (Some(true), Some("memory")));
            assert_eq!((volume.drive_model, volume.network), (None, Some(false)));
        }
    }

    #[test]
    fn a_share_keeps_nothing_that_names_its_server() {
        let table = mounts::parse(include_str!("../../../tests/data/system/desktop.mountinfo"));
        for (mount_point, file_system, kind) in [
            ("/mnt/team", "cifs", "network share"),
            ("/mnt/backup", "nfs4", "network share"),
            ("/mnt/host", "9p", "folder shared by the host computer"),
        ] {
            let mount = table.iter().find(|mount| mount.mount_point == Path::new(mount_point)).unwrap();
            let volume = described(mount, &table, Path::new("/nonexistent"));
            assert_eq!((volume.file_system.as_deref(), volume.kind.as_deref()), (Some(file_system), Some(kind)));
            assert_eq!((volume.network, volume.memory), (Some(true), Some(false)));
            let stored = serde_json::to_string(&volume).unwrap();
            for private in ["nas01", "alice", "192.168", "1000"] {
                assert!(!stored.contains(private), "{stored} contains {private}");
            }
        }
    }

    #[test]
    fn copy_on_write_and_compression_follow_the_folder_and_the_options() {
        let plain = HashMap::new();
        let compressing = HashMap::from([("compress".to_owned(), Some("zstd:1".to_owned()))]);
        assert_eq!(data_handling("btrfs", &plain, None), (Some(true), Some(false)));
        assert_eq!(data_handling("btrfs", &compressing, None), (Some(true), Some(true)));
        assert_eq!(data_handling("btrfs", &compressing, Some(IFlags::NOCOW)), (Some(false), Some(false)));
        assert_eq!(data_handling("ext4", &plain, None), (Some(false), Some(false)));
        assert_eq!(data_handling("zfs", &plain, None), (Some(true), None));
        assert_eq!(data_handling("fuse.unknown", &plain, None), (None, None));
    }
}

//! Linux: the mount table, which mount a folder is on, and which mounts a person would call drives.
//!
//! `linux` calls it. The table is `/proc/self/mountinfo` (proc_pid_mountinfo(5)), read with procfs.

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use procfs::process::MountInfo;
use rustix::fs::{AtFlags, CWD, StatxFlags};

use super::remote_kind;

/// File systems in memory.
pub(super) const MEMORY: [&str; 4] = ["tmpfs", "ramfs", "hugetlbfs", "devtmpfs"];
/// Folders whose mounts belong to the system, not to a person.
const SYSTEM_FOLDERS: [&str; 15] = [
    "/proc",
    "/sys",
    "/dev",
    "/run",
    "/boot",
    "/efi",
    "/snap",
    "/usr",
    "/etc",
    "/sysroot",
    "/var/lib/snapd",
    "/var/snap",
    "/var/lib/docker",
    "/var/lib/containers",
    "/var/lib/kubelet",
];
/// Images of read-only media; a disc in a drive cannot be tested either.
const IMAGES: [&str; 4] = ["squashfs", "erofs", "iso9660", "udf"];
/// Mount options that say how the file system behaves and name nobody, separated by spaces.
const HARMLESS_OPTIONS: &str = "relatime noatime nodiratime lazytime strictatime sync async dirsync nosuid nodev noexec \
    discard nodiscard data barrier nobarrier commit errors delalloc nodelalloc auto_da_alloc noauto_da_alloc \
    journal_checksum journal_async_commit dax stripe norecovery noload compress compress-force datacow nodatacow datasum \
    nodatasum space_cache ssd ssd_spread nossd autodefrag flushoncommit logbufs logbsize allocsize largeio inode64 attr2 \
    noquota wsync fsync_mode background_gc compress_algorithm volatile redirect_dir metacopy cache hard soft vers proto \
    rsize wsize actimeo noac nolock local_lock nobrl mfsymlinks trans msize size prealloc";

/// The mounts this process sees; none where the table cannot be read.
pub(super) fn table() -> Vec<MountInfo> {
    parse(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
}

/// Reads each line by itself: one that a new kernel writes differently does not hide the others.
pub(super) fn parse(mountinfo: &str) -> Vec<MountInfo> {
    let lines = mountinfo.lines().filter_map(|line| MountInfo::from_line(line).ok());
    lines.map(|mount| MountInfo { mount_point: unescaped(&mount.mount_point), ..mount }).collect()
}

/// The kernel writes a space, tab, line break and backslash as three octal digits; procfs leaves them so.
pub(super) fn unescaped(path: &Path) -> PathBuf {
    let bytes = path.as_os_str().as_encoded_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let digits =
            bytes.get(at + 1..at + 4).filter(|_| byte == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        plain.push(code.unwrap_or(byte));
        at += if code.is_some() { 4 } else { 1 };
    }
    PathBuf::from(std::ffi::OsString::from_vec(plain))
}

/// The mount the kernel says an existing folder is on, otherwise the one above it in the table.
pub(super) fn mount_of<'a>(table: &'a [MountInfo], folder: &Path) -> Option<&'a MountInfo> {
    let found = rustix::fs::statx(CWD, folder, AtFlags::empty(), StatxFlags::MNT_ID).ok();
    let id = found.filter(|found| found.stx_mask & StatxFlags::MNT_ID.bits() != 0).map(|found| found.stx_mnt_id);
    let by_id = table.iter().find(|mount| u64::try_from(mount.mnt_id).ok() == id && id.is_some());
    by_id.or_else(|| mount_above(table, folder))
}

/// The mount with the longest mount point above the folder that no other mount hides.
pub(super) fn mount_above<'a>(table: &'a [MountInfo], folder: &Path) -> Option<&'a MountInfo> {
    let above = table.iter().filter(|mount| folder.starts_with(&mount.mount_point) && !is_hidden(mount, table));
    above.max_by_key(|mount| mount.mount_point.as_os_str().len())
}

/// Whether a mount at the same place or further up hides this one: it is above, but this one is not mounted on it.
fn is_hidden(mount: &MountInfo, table: &[MountInfo]) -> bool {
    let above =
        table.iter().filter(|other| other.mnt_id != mount.mnt_id && mount.mount_point.starts_with(&other.mount_point));
    above.into_iter().any(|other| !is_mounted_on(mount, other, table))
}

fn is_mounted_on(mount: &MountInfo, other: &MountInfo, table: &[MountInfo]) -> bool {
    let parent_of =
        |mount: &MountInfo| table.iter().find(|parent| parent.mnt_id == mount.pid && parent.mnt_id != mount.mnt_id);
    let mut ancestors = std::iter::successors(parent_of(mount), |mount| parent_of(mount)).take(table.len());
    ancestors.any(|ancestor| ancestor.mnt_id == other.mnt_id)
}

/// The options worth keeping, `rw` or `ro` first, the others in alphabetical order.
pub(super) fn options(mount: &MountInfo) -> String {
    let harmless = |(name, value): (&String, &Option<String>)| {
        let known = HARMLESS_OPTIONS.split_whitespace().any(|harmless| harmless == name);
        let plain = |value: &String| value.chars().all(|c| c.is_ascii_alphanumeric() || "._-:".contains(c));
        let text = value.as_ref().map_or_else(|| name.clone(), |value| format!("{name}={value}"));
        (known && value.as_ref().is_none_or(plain)).then_some(text)
    };
    let mut options: Vec<String> =
        mount.mount_options.iter().chain(&mount.super_options).filter_map(harmless).collect();
    options.sort();
    options.dedup();
    options.insert(0, if is_read_only(mount) { "ro" } else { "rw" }.to_owned());
    options.join(",")
}

fn is_read_only(mount: &MountInfo) -> bool {
    mount.mount_options.contains_key("ro") || mount.super_options.contains_key("ro")
}

/// One mount for each device a person would choose: the writable one with the shortest path.
pub(super) fn listed(table: &[MountInfo]) -> Vec<&MountInfo> {
    let order = |mount: &MountInfo| (is_read_only(mount), mount.mount_point.as_os_str().len());
    let mut best: HashMap<String, &MountInfo> = HashMap::new();
    for mount in table.iter().filter(|mount| is_for_people(mount) && !is_hidden(mount, table)) {
        let shown = best.entry(device_key(mount)).or_insert(mount);
        if order(mount) < order(shown) {
            *shown = mount;
        }
    }
    let mut shown: Vec<&MountInfo> = best.into_values().collect();
    shown.sort_by(|one, other| one.mount_point.cmp(&other.mount_point));
    shown
}

fn is_for_people(mount: &MountInfo) -> bool {
    let at = &mount.mount_point;
    let of_the_system = SYSTEM_FOLDERS.iter().any(|folder| at.starts_with(folder)) && !at.starts_with("/run/media");
    let snapshot = [&mount.root, &*at.to_string_lossy()]
        .iter()
        .any(|path| path.contains("snapshot") || path.contains("timeshift"));
    // 7 is the major number of loop devices.
    let image = mount.majmin.starts_with("7:") || is_loop_source(mount) || IMAGES.contains(&mount.fs_type.as_str());
    !of_the_system && !snapshot && !image && is_a_drive(mount)
}

fn is_loop_source(mount: &MountInfo) -> bool {
    mount.mount_source.as_ref().is_some_and(|source| source.starts_with("/dev/loop"))
}

fn is_a_drive(mount: &MountInfo) -> bool {
    let fs_type = mount.fs_type.as_str();
    let on_device = !mount.majmin.starts_with("0:")
        || mount.mount_source.as_ref().is_some_and(|source| source.starts_with("/dev/"));
    // A container's root is an overlay, a live system's may be memory; elsewhere memory is listed where people put it.
    let root = mount.mount_point == Path::new("/");
    let for_people = root || ["/tmp", "/mnt", "/media"].iter().any(|place| mount.mount_point.starts_with(place));
    let memory = MEMORY.contains(&fs_type) && for_people && !is_read_only(mount);
    on_device || remote_kind(fs_type).is_some() || fs_type == "zfs" || memory || (root && fs_type == "overlay")
}

/// What tells one device's mounts from another's: btrfs subvolumes and bind mounts of one device have the same.
pub(super) fn device_key(mount: &MountInfo) -> String {
    match &mount.mount_source {
        Some(source) if mount.majmin.starts_with("0:") && source.starts_with("/dev/") => source.clone(),
        _ => mount.majmin.clone(),
    }
}

/// A drive's name for people.
pub(super) fn name(mount_point: &Path) -> String {
    match mount_point.file_name() {
        _ if mount_point == Path::new("/home") => "Home folders".to_owned(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => "System drive".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desktop() -> Vec<MountInfo> {
        parse(include_str!("../../../tests/data/system/desktop.mountinfo"))
    }

    fn above(table: &[MountInfo], folder: &str) -> String {
        mount_above(table, Path::new(folder)).unwrap().mount_point.to_string_lossy().into_owned()
    }

    #[test]
    fn a_folder_is_on_the_mount_with_the_longest_path_above_it() {
        let table = desktop();
        assert_eq!(above(&table, "/home/alice/data"), "/home");
        assert_eq!(above(&table, "/homework"), "/");
        assert_eq!(above(&table, "/media/alice/USB Stick/db"), "/media/alice/USB Stick");
        assert_eq!(above(&table, "/proc/self"), "/proc");
    }

    #[test]
    fn a_mount_that_another_hides_is_not_the_one() {
        let table = parse(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
             2 1 8:2 / /data/inner rw - ext4 /dev/sda2 rw\n\
             3 1 8:3 / /data rw - ext4 /dev/sda3 rw\n\
             4 3 8:4 / /data rw - xfs /dev/sda4 rw\n",
        );
        assert_eq!(mount_above(&table, Path::new("/data/inner/x")).unwrap().mnt_id, 4);
        assert_eq!(listed(&table).iter().map(|mount| mount.mnt_id).collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn the_list_holds_what_a_person_calls_a_drive_and_each_device_once() {
        let table = desktop();
        let places: Vec<_> =
            listed(&table).into_iter().map(|mount| mount.mount_point.to_string_lossy().into_owned()).collect();
        assert_eq!(
            places,
            ["/", "/media/alice/USB Stick", "/mnt/backup", "/mnt/host", "/mnt/team", "/srv/pool", "/tmp"]
        );
    }

    #[test]
    fn a_containers_root_is_listed_and_its_single_files_are_not_volumes_of_their_own() {
        let table = parse(include_str!("../../../tests/data/system/container.mountinfo"));
        let listed = listed(&table);
        assert_eq!(listed.len(), 2);
        assert_eq!((listed[0].fs_type.as_str(), name(&listed[0].mount_point)), ("overlay", "System drive".to_owned()));
        assert_eq!(listed[1].mount_point, Path::new("/data"));
    }

    #[test]
    fn only_harmless_options_are_kept() {
        let line = "61 1 0:52 / /mnt/team rw,nosuid,relatime - cifs //nas01/team \
                    rw,vers=3.1.1,cache=strict,username=alice,domain=CORP,uid=1000,addr=192.168.1.5,rsize=4194304,soft";
        let mount = MountInfo::from_line(line).unwrap();
        assert_eq!(options(&mount), "rw,cache=strict,nosuid,relatime,rsize=4194304,soft,vers=3.1.1");
        let read_only = MountInfo::from_line("5 1 8:5 / /x rw,noatime - ext4 /dev/sda5 ro,errors=remount-ro").unwrap();
        assert_eq!(options(&read_only), "ro,errors=remount-ro,noatime");
    }

    #[test]
    fn octal_escapes_become_the_characters_they_stand_for() {
        assert_eq!(unescaped(Path::new(r"/media/My\040Stick\134\011x")), Path::new("/media/My Stick\\\tx"));
        assert_eq!(unescaped(Path::new(r"/a\9")), Path::new(r"/a\9"));
    }
}

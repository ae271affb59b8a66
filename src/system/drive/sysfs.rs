//! Linux: the facts of a block device, read from sysfs.
//!
//! `linux` calls it with the devices a volume is on. Partitions lead to their disk; device-mapper, RAID and
//! btrfs volumes to all the disks below them, and a fact counts only where these agree. The root of sysfs is
//! an argument, so tests build their own. Source: the kernel's Documentation/ABI/*/sysfs-block.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Drive, model_name};
use crate::system::volume::{Bus, WriteCache};

/// Device-mapper volumes are stacked at most a few deep (LVM on LUKS on RAID); more would be a loop.
const DEEPEST_STACK: usize = 8;

/// Where sysfs describes the device with this number (`254:0`).
pub(super) fn device_by_number(sys: &Path, major_minor: &str) -> Option<PathBuf> {
    fs::canonicalize(sys.join("dev/block").join(major_minor)).ok()
}

/// Where sysfs describes the devices a mount source names: `/dev/sda1`, `/dev/mapper/home`, or several
/// joined by colons (bcachefs).
pub(super) fn devices_by_source(sys: &Path, source: &str) -> Vec<PathBuf> {
    source
        .split(':')
        .filter(|source| source.starts_with("/dev/"))
        .filter_map(|source| fs::canonicalize(source).ok().or_else(|| Some(PathBuf::from(source))))
        .filter_map(|node| fs::canonicalize(sys.join("class/block").join(node.file_name()?)).ok())
        .collect()
}

/// All devices of the btrfs volume that `device` is a part of; `device` alone where sysfs does not say.
pub(super) fn btrfs_members(sys: &Path, device: PathBuf) -> Vec<PathBuf> {
    let volumes = entries(&sys.join("fs/btrfs"));
    let members = |volume: PathBuf| -> Vec<PathBuf> {
        entries(&volume.join("devices")).into_iter().filter_map(|member| fs::canonicalize(member).ok()).collect()
    };
    volumes.into_iter().map(members).find(|members| members.contains(&device)).unwrap_or_else(|| vec![device])
}

/// The facts of the drive or drives these devices are on. Where they differ a fact is unknown.
pub(super) fn drive(devices: &[PathBuf]) -> Drive {
    let mut disks = Vec::new();
    for device in devices {
        collect_disks(device, false, DEEPEST_STACK, &mut disks);
    }
    let mut disks = disks.into_iter();
    let Some(first) = disks.next() else { return Drive::default() };
    disks.fold(first, agreement)
}

/// The file behind a loop device.
pub(super) fn backing_file(device: &Path) -> Option<PathBuf> {
    text(&whole_disk(device).join("loop/backing_file")).map(PathBuf::from)
}

fn collect_disks(device: &Path, encrypted: bool, depth: usize, disks: &mut Vec<Drive>) {
    let disk = whole_disk(device);
    // dm-crypt volumes have a UUID that begins with CRYPT-, whatever made them (cryptsetup, systemd).
    let encrypted = encrypted || text(&disk.join("dm/uuid")).is_some_and(|uuid| uuid.starts_with("CRYPT-"));
    let below: Vec<PathBuf> =
        entries(&disk.join("slaves")).into_iter().filter_map(|slave| fs::canonicalize(slave).ok()).collect();
    match depth.checked_sub(1) {
        Some(depth) if !below.is_empty() => {
            for device in below {
                collect_disks(&device, encrypted, depth, disks);
            }
        }
        _ => disks.push(disk_facts(&disk, encrypted)),
    }
}

fn agreement(one: Drive, other: Drive) -> Drive {
    Drive {
        model: one.model.filter(|model| other.model.as_ref() == Some(model)),
        bus: one.bus.filter(|bus| other.bus == Some(*bus)),
        rotational: one.rotational.filter(|fact| other.rotational == Some(*fact)),
        removable_medium: one.removable_medium.filter(|fact| other.removable_medium == Some(*fact)),
        external: one.external.filter(|fact| other.external == Some(*fact)),
        write_cache: one.write_cache.filter(|fact| other.write_cache == Some(*fact)),
        encrypted: one.encrypted.filter(|fact| other.encrypted == Some(*fact)),
        memory: one.memory.filter(|fact| other.memory == Some(*fact)),
    }
}

/// The disk a partition is on; any other device is its own.
fn whole_disk(device: &Path) -> PathBuf {
    let parent = device.parent().filter(|_| device.join("partition").exists());
    parent.unwrap_or(device).to_path_buf()
}

fn disk_facts(disk: &Path, encrypted: bool) -> Drive {
    let name = disk.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bus = bus(disk, &name);
    let memory = name.starts_with("zram") || name.starts_with("ram");
    let fact = |file: &str| text(&disk.join(file));
    Drive {
        model: model_name(
            fact("device/vendor").as_deref(),
            fact("device/model").or_else(|| fact("device/name")).as_deref(),
        ),
        bus,
        rotational: rotational(disk, bus).filter(|_| !memory),
        removable_medium: flag(fact("removable")).filter(|_| bus != Some(Bus::DiskImage) && !memory),
        external: None,
        write_cache: fact("queue/write_cache").and_then(|cache| write_cache(&cache)),
        // The file behind a disk image may well be encrypted.
        encrypted: Some(encrypted).filter(|encrypted| *encrypted || bus != Some(Bus::DiskImage)),
        memory: if bus == Some(Bus::DiskImage) { None } else { Some(memory) },
    }
}

/// Reads the bus off the device's place in sysfs, the one nearest to the drive first.
fn bus(disk: &Path, name: &str) -> Option<Bus> {
    if name.starts_with("loop") {
        return Some(Bus::DiskImage);
    }
    let parts: Vec<&str> = disk.iter().filter_map(|part| part.to_str()).collect();
    let has = |start: &str| parts.iter().any(|part| numbered(part, start));
    // A USB enclosure holds a SCSI host, and that a disk: the outer bus is what a person plugs in.
    if has("usb") {
        Some(Bus::Usb)
    } else if has("nvme") || has("nvme-subsys") || name.starts_with("nvme") {
        Some(Bus::Nvme)
    } else if has("ata") {
        Some(ata_bus(disk))
    } else if has("virtio") {
        Some(Bus::Virtio)
    } else if parts.contains(&"mmc_host") {
        let card = text(&disk.join("device/type")).is_some_and(|kind| kind.starts_with("SD"));
        Some(if card { Bus::Sd } else { Bus::Mmc })
    } else if parts.iter().any(|part| part.starts_with("vbd-")) {
        Some(Bus::Xen)
    } else if parts.iter().any(|part| part.starts_with("VMBUS:") || part.starts_with("vmbus_")) {
        Some(Bus::Vmbus)
    } else if parts.iter().any(|part| part.contains("ufshc") || part.ends_with(".ufs")) {
        Some(Bus::Ufs)
    } else if has("session") {
        Some(Bus::Iscsi)
    } else if has("rport-") {
        Some(Bus::FibreChannel)
    } else if has("end_device-") {
        Some(Bus::Sas)
    } else if has("fw") {
        Some(Bus::FireWire)
    } else if has("host") {
        Some(Bus::Scsi)
    } else {
        None
    }
}

/// Whether `part` is `start` followed by a number: `usb2`, `ata1`, `host0`.
fn numbered(part: &str, start: &str) -> bool {
    part.strip_prefix(start).and_then(|rest| rest.chars().next()).is_some_and(|first| first.is_ascii_digit())
}

/// SATA where the port reports a link speed, otherwise ATA of either sort.
fn ata_bus(disk: &Path) -> Bus {
    let port = disk
        .ancestors()
        .find(|part| part.file_name().and_then(|name| name.to_str()).is_some_and(|name| numbered(name, "ata")));
    let speed = |port: &Path| {
        let number = port.file_name()?.to_str()?.strip_prefix("ata")?;
        text(&port.join(format!("link{number}/ata_link/link{number}/sata_spd")))
    };
    match port.and_then(speed) {
        Some(speed) if speed.starts_with(|first: char| first.is_ascii_digit()) => Bus::Sata,
        _ => Bus::Ata,
    }
}

fn rotational(disk: &Path, bus: Option<Bus>) -> Option<bool> {
    let reported = flag(text(&disk.join("queue/rotational")));
    match (bus, reported) {
        (Some(Bus::DiskImage | Bus::Virtio | Bus::Xen | Bus::Vmbus), _) => None,
        // The kernel calls every USB drive rotational unless the drive says otherwise: ask the drive.
        (Some(Bus::Usb), Some(true)) => rotation_rate_says(disk),
        (_, reported) => reported,
    }
}

/// The drive's own word: bytes 4 and 5 of its "block device characteristics" page (SCSI SBC-4, 6.6.2):
/// 1 is not rotating, 0x0401 and more are revolutions a minute, anything else says nothing.
fn rotation_rate_says(disk: &Path) -> Option<bool> {
    let page = fs::read(disk.join("device/vpd_pgb1")).ok()?;
    match u16::from_be_bytes([*page.get(4)?, *page.get(5)?]) {
        1 => Some(false),
        0x0401..=0xFFFE => Some(true),
        _ => None,
    }
}

fn write_cache(words: &str) -> Option<WriteCache> {
    match words {
        "write back" => Some(WriteCache::WriteBack),
        "write through" => Some(WriteCache::WriteThrough),
        _ => None,
    }
}

fn flag(text: Option<String>) -> Option<bool> {
    match text.as_deref() {
        Some("0") => Some(false),
        Some("1") => Some(true),
        _ => None,
    }
}

/// A sysfs attribute without the spaces around it; `None` when it is missing, unreadable or empty.
pub(super) fn text(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A sysfs of its own in a temporary folder.
    struct Sys(tempfile::TempDir);

    impl Sys {
        fn new() -> Self {
            Sys(tempfile::tempdir().unwrap())
        }

        fn root(&self) -> &Path {
            self.0.path()
        }

        /// Adds a device and returns where it is described.
        fn device(&self, place: &str, number: &str, files: &[(&str, &str)]) -> PathBuf {
            let folder = self.root().join("devices").join(place);
            for (file, content) in files {
                let file = folder.join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, format!("{content}\n")).unwrap();
            }
            fs::create_dir_all(&folder).unwrap();
            let name = folder.file_name().unwrap();
            for (index, link) in [("dev/block", number.as_ref()), ("class/block", name)] {
                fs::create_dir_all(self.root().join(index)).unwrap();
                symlink(&folder, self.root().join(index).join(link)).unwrap();
            }
            fs::canonicalize(folder).unwrap()
        }

        fn slave(&self, upper: &Path, lower: &Path) {
            fs::create_dir_all(upper.join("slaves")).unwrap();
            symlink(lower, upper.join("slaves").join(lower.file_name().unwrap())).unwrap();
        }

        fn drive(&self, number: &str) -> Drive {
            drive(&[device_by_number(self.root(), number).unwrap()])
        }
    }

    const NVME: &str = "pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/nvme0n1";
    const NVME_FILES: [(&str, &str); 4] = [
        ("device/model", "Samsung SSD 990 PRO 1TB                 "),
        ("queue/rotational", "0"),
        ("queue/write_cache", "write back"),
        ("removable", "0"),
    ];

    #[test]
    fn a_partition_has_the_facts_of_its_disk() {
        let sys = Sys::new();
        sys.device(NVME, "259:0", &NVME_FILES);
        sys.device(&format!("{NVME}/nvme0n1p2"), "259:2", &[("partition", "2")]);
        let drive = sys.drive("259:2");
        assert_eq!(drive, sys.drive("259:0"));
        assert_eq!(drive.model.as_deref(), Some("Samsung SSD 990 PRO 1TB"));
        assert_eq!((drive.bus, drive.rotational), (Some(Bus::Nvme), Some(false)));
        assert_eq!((drive.write_cache, drive.encrypted), (Some(WriteCache::WriteBack), Some(false)));
        assert_eq!(drive.kind(), Some("NVMe SSD"));
    }

    #[test]
    fn a_volume_on_dm_crypt_is_encrypted_and_has_the_facts_below() {
        let sys = Sys::new();
        let disk = sys.device(NVME, "259:0", &NVME_FILES);
        let crypt = sys.device("virtual/block/dm-0", "253:0", &[("dm/uuid", "CRYPT-LUKS2-0123-luks")]);
        let logical = sys.device("virtual/block/dm-1", "253:1", &[("dm/uuid", "LVM-abc")]);
        sys.slave(&logical, &crypt);
        sys.slave(&crypt, &disk);
        let drive = sys.drive("253:1");
        assert_eq!((drive.encrypted, drive.bus, drive.kind()), (Some(true), Some(Bus::Nvme), Some("NVMe SSD")));
        assert_eq!(sys.drive("259:0").encrypted, Some(false));
    }

    #[test]
    fn a_raid_of_two_sorts_of_drives_claims_only_what_they_share() {
        let sys = Sys::new();
        let ata = "pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda";
        let link = "../../../../../link3/ata_link/link3/sata_spd";
        let spinning = sys.device(
            ata,
            "8:0",
            &[
                ("device/vendor", "ATA"),
                ("device/model", "ST4000DM004-2CV1"),
                ("queue/rotational", "1"),
                (link, "6.0 Gbps"),
            ],
        );
        assert_eq!((sys.drive("8:0").bus, sys.drive("8:0").kind()), (Some(Bus::Sata), Some("hard disk")));
        let flash = sys.device(NVME, "259:0", &NVME_FILES);
        let raid = sys.device("virtual/block/md0", "9:0", &[]);
        sys.slave(&raid, &spinning);
        sys.slave(&raid, &flash);
        let drive = sys.drive("9:0");
        assert_eq!((drive.model, drive.bus, drive.rotational), (None, None, None));
        assert_eq!(drive.memory, Some(false));
    }

    #[test]
    fn a_usb_drive_rotates_only_if_it_says_so_itself() {
        let sys = Sys::new();
        let usb = "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block";
        let files =
            [("device/vendor", "WD"), ("device/model", "Elements 25A2"), ("queue/rotational", "1"), ("removable", "0")];
        let disk = sys.device(&format!("{usb}/sdb"), "8:16", &files);
        assert_eq!((sys.drive("8:16").rotational, sys.drive("8:16").kind()), (None, Some("USB drive")));
        fs::write(disk.join("device/vpd_pgb1"), [0, 0xb1, 0, 0x3c, 0x15, 0x18, 0, 3]).unwrap(); // 5,400 a minute
        assert_eq!((sys.drive("8:16").rotational, sys.drive("8:16").kind()), (Some(true), Some("USB hard disk")));
        let stick =
            [("device/vendor", "SanDisk "), ("device/model", "Ultra"), ("queue/rotational", "1"), ("removable", "1")];
        sys.device(&format!("{usb}/sdc"), "8:32", &stick);
        let drive = sys.drive("8:32");
        assert_eq!(
            (drive.rotational, drive.kind(), drive.model.as_deref()),
            (None, Some("USB stick"), Some("SanDisk Ultra"))
        );
    }

    #[test]
    fn each_bus_is_read_off_the_place_of_the_device() {
        for (place, expected) in [
            ("pci0000:00/0000:00:02.0/virtio1/block/vda", Some(Bus::Virtio)),
            ("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", Some(Bus::Nvme)),
            ("pci0000:00/0000:00:01.1/ata1/host0/target0:0:0/0:0:0:0/block/sda", Some(Bus::Ata)),
            ("platform/emmc2bus/fe340000.mmc/mmc_host/mmc0/mmc0:aaaa/block/mmcblk0", Some(Bus::Mmc)),
            ("vbd-51712/block/xvda", Some(Bus::Xen)),
            (
                "LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00/f8b3781b-1e82/host0/target0:0:0/0:0:0:0/block/sda",
                Some(Bus::Vmbus),
            ),
            ("platform/host7/session1/target7:0:0/7:0:0:1/block/sdd", Some(Bus::Iscsi)),
            ("pci0000:00/0000:00:10.0/host2/target2:0:0/2:0:0:0/block/sda", Some(Bus::Scsi)),
            ("virtual/block/loop3", Some(Bus::DiskImage)),
            ("virtual/block/nbd0", None),
        ] {
            let name = place.rsplit('/').next().unwrap();
            assert_eq!(bus(&Path::new("/sys/devices").join(place), name), expected, "{place}");
        }
    }

    #[test]
    fn zram_is_memory_and_a_virtio_disk_has_no_known_rotation() {
        let sys = Sys::new();
        sys.device("virtual/block/zram0", "253:0", &[("queue/rotational", "0"), ("removable", "0")]);
        assert_eq!((sys.drive("253:0").memory, sys.drive("253:0").kind()), (Some(true), Some("memory")));
        let files = [
            ("device/vendor", "0x1af4"),
            ("queue/rotational", "1"),
            ("queue/write_cache", "write through"),
            ("removable", "0"),
        ];
        sys.device("pci0000:00/0000:00:02.0/virtio1/block/vda", "254:0", &files);
        let drive = sys.drive("254:0");
        assert_eq!((drive.model.as_deref(), drive.rotational, drive.kind()), (None, None, Some("virtual disk")));
        assert_eq!(drive.write_cache, Some(WriteCache::WriteThrough));
    }

    #[test]
    fn a_btrfs_volume_has_all_its_disks() {
        let sys = Sys::new();
        let flash = sys.device(NVME, "259:0", &NVME_FILES);
        let second = sys.device("virtual/block/loop1", "7:1", &[]);
        fs::create_dir_all(sys.root().join("fs/btrfs/features")).unwrap();
        let devices = sys.root().join("fs/btrfs/1234-uuid/devices");
        fs::create_dir_all(&devices).unwrap();
        symlink(&flash, devices.join("nvme0n1")).unwrap();
        assert_eq!(btrfs_members(sys.root(), second.clone()), std::slice::from_ref(&second));
        symlink(&second, devices.join("loop1")).unwrap();
        assert_eq!(btrfs_members(sys.root(), flash).len(), 2);
        assert_eq!(devices_by_source(sys.root(), "/dev/loop1:/dev/gone"), [second]);
    }
}

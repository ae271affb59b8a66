//! Which volume a folder is on: file system, space, and the drive below it.
//!
//! The session puts a [`Volume`] into the `Report`, `advice` and the cautions look at it, and the window and the
//! terminal show it. The facts come from `drive`, one file per operating system; this module holds what
//! they have in common.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::drive;
use super::privacy::shorten_home;

/// A volume and the drive it is on, as the result file keeps it. `None` is unknown.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub struct Volume {
    /// The folder asked about, shortened: the home folder is `~`.
    pub path: Option<String>,
    /// Where the volume is mounted, shortened in the same way (`/`, `C:\`).
    pub mount_point: Option<String>,
    /// The file system as the operating system names it: `ext4`, `NTFS`, `apfs`, `tmpfs`, `9p`.
    pub file_system: Option<String>,
    /// Mount options separated by commas, `rw` or `ro` first. Only options known to name nobody are kept.
    pub mount_options: Option<String>,
    /// Size of the volume in bytes.
    pub total_bytes: Option<u64>,
    /// Bytes the current user may still write.
    pub free_bytes: Option<u64>,
    /// What it is in plain words: `NVMe SSD`, `USB hard disk`, `network share`, `memory`.
    pub kind: Option<String>,
    /// The drive's model with its maker, as the drive reports it; never a serial number.
    pub drive_model: Option<String>,
    /// How the drive is attached.
    pub bus: Option<Bus>,
    /// Whether the drive has spinning disks. Unknown for virtual disks, whose report cannot be trusted.
    pub rotational: Option<bool>,
    /// Whether the drive or its medium is made to be unplugged while the computer runs.
    pub removable: Option<bool>,
    /// Whether the files are kept by another system: a network share or a folder shared by a host computer.
    pub network: Option<bool>,
    /// Whether the files are in memory (tmpfs, ramfs, zram) and on no drive at all.
    pub memory: Option<bool>,
    /// What the drive does with a write, as the operating system knows it.
    pub write_cache: Option<WriteCache>,
    /// Whether changed data is written to a new place instead of over the old (btrfs without `chattr +C`, ZFS).
    pub copy_on_write: Option<bool>,
    /// Whether the file system compresses new files in this folder.
    pub compressed: Option<bool>,
    /// Whether the operating system encrypts the volume or the folder (dm-crypt, fscrypt, FileVault, EFS).
    /// Encryption inside the drive is not seen.
    pub encrypted: Option<bool>,
}

/// How a drive is attached.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the buses' own")]
pub enum Bus {
    Nvme,
    Sata,
    /// Parallel ATA, or ATA of either sort where the system does not tell them apart.
    Ata,
    Sas,
    Scsi,
    Usb,
    /// An SSD on PCI that does not speak NVMe.
    Pci,
    FireWire,
    FibreChannel,
    Iscsi,
    /// A slot or soldered chip that speaks the MultiMediaCard protocol.
    Mmc,
    /// An SD card.
    Sd,
    Ufs,
    Raid,
    StorageSpaces,
    Virtio,
    Xen,
    /// Hyper-V's channel between host and guest.
    Vmbus,
    /// Another bus of a virtual machine.
    Virtual,
    /// A file that stands for a drive: a loop device, a mounted disk image or VHD.
    DiskImage,
    AppleFabric,
    /// A bus this version has no word for, also when a newer version wrote the file.
    #[serde(other)]
    Other,
}

impl Bus {
    /// The bus's usual spelling, for people.
    pub fn name(self) -> &'static str {
        match self {
            Bus::Nvme => "NVMe",
            Bus::Sata => "SATA",
            Bus::Ata => "ATA",
            Bus::Sas => "SAS",
            Bus::Scsi => "SCSI",
            Bus::Usb => "USB",
            Bus::Pci => "PCI",
            Bus::FireWire => "FireWire",
            Bus::FibreChannel => "Fibre Channel",
            Bus::Iscsi => "iSCSI",
            Bus::Mmc => "MMC",
            Bus::Sd => "SD",
            Bus::Ufs => "UFS",
            Bus::Raid => "RAID",
            Bus::StorageSpaces => "Storage Spaces",
            Bus::Virtio => "virtio",
            Bus::Xen => "Xen",
            Bus::Vmbus => "VMBus",
            Bus::Virtual => "virtual",
            Bus::DiskImage => "disk image",
            Bus::AppleFabric => "Apple Fabric",
            Bus::Other => "other",
        }
    }
}

/// What a drive does with a write before it says "done".
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteCache {
    /// It may hold the data in a volatile cache; only a flush makes it last.
    WriteBack,
    /// It has no volatile cache, or a protected one: a finished write lasts.
    WriteThrough,
}

impl WriteCache {
    /// The Linux kernel's words for it.
    pub fn name(self) -> &'static str {
        match self {
            WriteCache::WriteBack => "write back",
            WriteCache::WriteThrough => "write through",
        }
    }
}

/// What is known about the volume `folder` is on; for a folder that does not exist yet, about its nearest
/// existing parent. May take seconds where a drive sleeps or a server is lost.
pub fn read(folder: &Path) -> Volume {
    let asked = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let mut volume = nearest_existing(&asked).map(|existing| drive::volume(&existing)).unwrap_or_default();
    volume.path = Some(shorten_home(&asked));
    volume.mount_point = volume.mount_point.map(|mount| shorten_home(Path::new(&mount)));
    volume
}

/// The folder itself with its links resolved, or the nearest parent that exists and can be seen.
pub(super) fn nearest_existing(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find_map(|ancestor| ancestor.canonicalize().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_null_and_a_missing_field_is_unknown() {
        let json = serde_json::to_value(Volume::default()).unwrap();
        assert_eq!(json["file_system"], serde_json::Value::Null);
        assert_eq!(json.as_object().unwrap().len(), 17);
        assert_eq!(serde_json::from_str::<Volume>("{}").unwrap(), Volume::default());
    }

    #[test]
    fn a_bus_from_the_future_does_not_spoil_the_file() {
        let volume: Volume = serde_json::from_str(r#"{"bus":"quantum","write_cache":"write_back"}"#).unwrap();
        assert_eq!(volume.bus, Some(Bus::Other));
        assert_eq!(volume.write_cache, Some(WriteCache::WriteBack));
        assert_eq!(serde_json::to_value(Bus::FibreChannel).unwrap(), "fibre_channel");
    }

    #[test]
    fn a_missing_folder_is_on_the_volume_of_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        let mut missing = read(&folder.path().join("not/there"));
        let existing = read(folder.path());
        assert!(missing.path.take().unwrap().ends_with("there"));
        assert_eq!((missing.mount_point, missing.file_system), (existing.mount_point, existing.file_system));
    }
}

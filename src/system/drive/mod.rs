//! The drive below a volume: model, bus, rotational, removable, write cache, one file per operating system.
//!
//! `volume` and `listing` call the functions here; each operating system's file provides the same five.
//! [`Drive`] is what they share: the facts of one drive and the plain words for them.

use super::volume::{Bus, Volume, WriteCache};
use std::path::PathBuf;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod sysfs;
#[cfg(target_os = "linux")]
pub(super) use linux::{device_of, may_create_in, mounted, plain, volume};

#[cfg(any(target_os = "macos", test))]
mod diskutil;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
pub(super) use macos::{device_of, may_create_in, mounted, plain, volume};

#[cfg(windows)]
pub(crate) mod windows;
#[cfg(windows)]
pub(super) use windows::{device_of, mains_power, may_create_in, mounted, plain, volume};

/// A mounted volume before its facts are read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mounted {
    /// Its name for people.
    pub name: String,
    /// Where it is mounted.
    pub root: PathBuf,
    /// What tells this volume from the others while the program runs (`254:0`, `C:\`); never stored.
    pub device: String,
}

/// The facts of one drive. `None` is unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Drive {
    pub model: Option<String>,
    pub bus: Option<Bus>,
    pub rotational: Option<bool>,
    /// Whether the medium leaves the drive (sticks and card readers report it, USB hard disks do not).
    pub removable_medium: Option<bool>,
    /// Whether it is outside the computer's case, where the system says so.
    pub external: Option<bool>,
    pub write_cache: Option<WriteCache>,
    pub encrypted: Option<bool>,
    /// Whether it is memory dressed as a drive (zram, a RAM disk).
    pub memory: Option<bool>,
}

impl Drive {
    /// Puts the drive's facts and, in plain words, its kind into the volume that is on it.
    pub fn describe(self, volume: &mut Volume) {
        volume.removable = self.removable();
        volume.kind = self.kind().map(str::to_owned);
        volume.rotational = self.rotational.filter(|_| !self.is_virtual());
        volume.drive_model = self.model;
        volume.bus = self.bus;
        volume.write_cache = self.write_cache;
        volume.encrypted = self.encrypted;
        volume.memory = self.memory;
    }

    /// What the drive is in plain words.
    pub fn kind(&self) -> Option<&'static str> {
        if self.memory == Some(true) {
            return Some("memory");
        }
        match (self.bus?, self.rotational, self.removable_medium) {
            (Bus::DiskImage, ..) => Some("disk image"),
            _ if self.is_virtual() => Some("virtual disk"),
            (Bus::Nvme, ..) => Some("NVMe SSD"),
            (Bus::Usb, _, Some(true)) => Some("USB stick"),
            (Bus::Usb, Some(true), _) => Some("USB hard disk"),
            (Bus::Usb, Some(false), _) => Some("USB SSD"),
            (Bus::Usb, None, _) => Some("USB drive"),
            (Bus::Sd, ..) => Some("memory card"),
            (Bus::Mmc | Bus::Ufs, ..) => Some("flash chip"),
            (Bus::Iscsi, ..) => Some("network disk"),
            (_, Some(true), _) => Some("hard disk"),
            (_, Some(false), _) => Some("SSD"),
            (_, None, _) => None,
        }
    }

    /// Whether the drive or its medium can be unplugged.
    fn removable(&self) -> Option<bool> {
        let plugged = matches!(self.bus, Some(Bus::Usb | Bus::Sd | Bus::FireWire)) || self.external == Some(true);
        if plugged { Some(true) } else { self.removable_medium }
    }

    /// Whether a virtual machine's host provides it: by its bus or by the model names the hosts use.
    fn is_virtual(&self) -> bool {
        let model = self.model.as_deref().unwrap_or_default();
        matches!(self.bus, Some(Bus::Virtio | Bus::Xen | Bus::Vmbus | Bus::Virtual))
            || ["QEMU", "VBOX", "VMware", "Virtual Disk", "VirtIO", "PersistentDisk"]
                .iter()
                .any(|name| model.contains(name))
    }
}

/// Maker and model as one name; `None` when both say nothing.
pub(super) fn model_name(vendor: Option<&str>, model: Option<&str>) -> Option<String> {
    let words = |text: Option<&str>| text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    // "ATA" and "NVMe" stand where a maker should, virtio puts a number there.
    let vendor = Some(words(vendor))
        .filter(|vendor| !["", "ATA", "NVMe"].contains(&vendor.as_str()) && !vendor.starts_with("0x"));
    let model = Some(words(model)).filter(|model| !model.is_empty());
    match (vendor, model) {
        (Some(vendor), Some(model)) if model.to_lowercase().starts_with(&vendor.to_lowercase()) => Some(model),
        (Some(vendor), Some(model)) => Some(format!("{vendor} {model}")),
        (vendor, model) => model.or(vendor),
    }
}

/// Whether a host computer shares this file system with its virtual machine or container.
pub(super) fn is_host_share(file_system: &str) -> bool {
    const SHARED: &str = "9p virtiofs vboxsf VBoxSharedFolderFS prl_fs PrlSF HGFS fuse.vmhgfs-fuse drvfs fakeowner fuse.grpcfuse \
        fuse.osxfs AppleVirtIOFS";
    is_one_of(file_system, SHARED)
}

/// The kind of a volume whose files another system keeps; `None` for other file systems.
pub(super) fn remote_kind(file_system: &str) -> Option<&'static str> {
    const SERVED: &str = "nfs nfs4 cifs smb2 smb3 smbfs afpfs afs ceph fuse.ceph lustre beegfs gpfs coda orangefs webdav davfs \
        fuse.davfs fuse.glusterfs fuse.sshfs fuse.rclone fuse.s3fs fuse.gvfsd-fuse fuse.curlftpfs";
    if is_host_share(file_system) {
        Some("folder shared by the host computer")
    } else {
        is_one_of(file_system, SERVED).then_some("network share")
    }
}

/// Whether the name is among the names, which spaces separate. The systems differ in their capitals (`9p`, `9P`).
fn is_one_of(name: &str, names: &str) -> bool {
    names.split_whitespace().any(|other| other.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(bus: Bus, rotational: Option<bool>, removable_medium: Option<bool>) -> Option<&'static str> {
        Drive { bus: Some(bus), rotational, removable_medium, ..Drive::default() }.kind()
    }

    #[test]
    fn a_drive_is_named_in_plain_words() {
        assert_eq!(kind(Bus::Nvme, Some(false), Some(false)), Some("NVMe SSD"));
        assert_eq!(kind(Bus::Sata, Some(false), Some(false)), Some("SSD"));
        assert_eq!(kind(Bus::Sata, Some(true), Some(false)), Some("hard disk"));
        assert_eq!(kind(Bus::Usb, Some(true), Some(false)), Some("USB hard disk"));
        assert_eq!(kind(Bus::Usb, None, Some(true)), Some("USB stick"));
        assert_eq!(kind(Bus::Virtio, Some(true), Some(false)), Some("virtual disk"));
        assert_eq!(kind(Bus::Scsi, None, None), None);
        assert_eq!(Drive::default().kind(), None);
    }

    #[test]
    fn a_virtual_disk_is_not_believed_about_rotation() {
        let drive = Drive {
            model: Some("VMware Virtual S".to_owned()),
            bus: Some(Bus::Scsi),
            rotational: Some(true),
            ..Drive::default()
        };
        let mut volume = Volume::default();
        drive.describe(&mut volume);
        assert_eq!((volume.kind.as_deref(), volume.rotational), (Some("virtual disk"), None));
    }

    #[test]
    fn maker_and_model_are_one_name_without_repeats() {
        assert_eq!(model_name(Some("ATA     "), Some("Samsung SSD 860 ")).as_deref(), Some("Samsung SSD 860"));
        assert_eq!(model_name(Some("SanDisk "), Some("Ultra           ")).as_deref(), Some("SanDisk Ultra"));
        assert_eq!(model_name(Some("WDC"), Some("WDC WD10EZEX-08W")).as_deref(), Some("WDC WD10EZEX-08W"));
        assert_eq!(model_name(Some("0x1af4"), None), None);
        assert_eq!(model_name(None, Some("  ")), None);
    }
}

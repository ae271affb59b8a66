//! macOS: reads what `diskutil info -plist` prints.
//!
//! `macos` calls it. The tests of every system compile it, because the reading is what can be wrong and an answer
//! in a file is enough to test it.

use plist::{Dictionary, Value};

use super::{Drive, model_name};
use crate::system::volume::Bus;

/// The disk that holds this volume: for APFS the one below its container; `None` where there are several (Fusion).
pub(super) fn whole_disk_below(volume: &Dictionary) -> Option<String> {
    let stores = volume.get("APFSPhysicalStores").and_then(Value::as_array).map(Vec::as_slice);
    let device = match stores {
        None | Some([]) => text(volume, "ParentWholeDisk")?,
        Some([store]) => text(store.as_dictionary()?, "APFSPhysicalStore")?,
        Some(_) => return None,
    };
    // "disk0s2" is the second slice of disk0.
    let number = device.strip_prefix("disk")?.split('s').next()?;
    Some(format!("disk{number}"))
}

/// The drive's facts from its volume's answer and, for the model, the whole disk's.
pub(super) fn drive_facts(volume: &Dictionary, disk: Option<&Dictionary>) -> Drive {
    let name = |answer: &Dictionary| model_name(None, text(answer, "MediaName").as_deref());
    let either = |key: &str| flag(volume, key).or_else(|| flag(disk?, key));
    let bus = text(volume, "BusProtocol").or_else(|| text(disk?, "BusProtocol"));
    Drive {
        model: disk.and_then(name).or_else(|| name(volume)),
        bus: bus.map(|bus| bus_from(&bus)),
        rotational: either("SolidState").map(|solid| !solid),
        removable_medium: either("RemovableMedia"),
        external: either("Internal").map(|internal| !internal),
        write_cache: None,
        encrypted: flag(volume, "FileVault").or_else(|| flag(volume, "Encryption")),
        memory: Some(false),
    }
}

fn bus_from(protocol: &str) -> Bus {
    match protocol {
        // What Macs attach to PCI Express speaks NVMe; "PCI" is what older ones say about SSDs that do not.
        "PCI-Express" | "NVMe" => Bus::Nvme,
        "PCI" => Bus::Pci,
        "Apple Fabric" => Bus::AppleFabric,
        "SATA" => Bus::Sata,
        "ATA" => Bus::Ata,
        "SAS" => Bus::Sas,
        "SCSI" => Bus::Scsi,
        "USB" => Bus::Usb,
        "FireWire" => Bus::FireWire,
        "Fibre Channel Interface" => Bus::FibreChannel,
        "Secure Digital" => Bus::Sd,
        "Disk Image" => Bus::DiskImage,
        "Virtual Interface" | "Virtio" => Bus::Virtual,
        _ => Bus::Other,
    }
}

fn text(answer: &Dictionary, key: &str) -> Option<String> {
    answer.get(key)?.as_string().map(str::to_owned).filter(|text| !text.is_empty())
}

fn flag(answer: &Dictionary, key: &str) -> Option<bool> {
    answer.get(key)?.as_boolean()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &[u8]) -> Dictionary {
        Value::from_reader_xml(text).unwrap().into_dictionary().unwrap()
    }

    #[test]
    fn an_apfs_volume_has_the_model_of_the_disk_below_its_container() {
        let volume = answer(include_bytes!("../../../tests/data/system/diskutil-data-volume.plist"));
        let disk = answer(include_bytes!("../../../tests/data/system/diskutil-internal-disk.plist"));
        assert_eq!(whole_disk_below(&volume).as_deref(), Some("disk0"));
        let drive = drive_facts(&volume, Some(&disk));
        assert_eq!(drive.model.as_deref(), Some("APPLE SSD AP0512Q"));
        assert_eq!((drive.bus, drive.kind()), (Some(Bus::AppleFabric), Some("SSD")));
        assert_eq!((drive.rotational, drive.removable(), drive.encrypted), (Some(false), Some(false), Some(true)));
    }

    #[test]
    fn a_stick_names_its_disk_and_can_be_unplugged() {
        let volume = answer(include_bytes!("../../../tests/data/system/diskutil-stick.plist"));
        assert_eq!(whole_disk_below(&volume).as_deref(), Some("disk4"));
        let drive = drive_facts(&volume, None);
        assert_eq!((drive.bus, drive.kind(), drive.removable()), (Some(Bus::Usb), Some("USB stick"), Some(true)));
        assert_eq!((drive.rotational, drive.encrypted), (None, None));
    }

    #[test]
    fn a_volume_on_two_disks_names_neither() {
        let two = b"<plist><dict><key>ParentWholeDisk</key><string>disk2</string><key>APFSPhysicalStores</key><array>\
            <dict><key>APFSPhysicalStore</key><string>disk0s2</string></dict>\
            <dict><key>APFSPhysicalStore</key><string>disk1s2</string></dict></array></dict></plist>";
        assert_eq!(whole_disk_below(&answer(two)), None);
        assert_eq!(whole_disk_below(&Dictionary::new()), None);
    }
}

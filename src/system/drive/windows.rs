//! Windows: volumes from the file functions, the drive from storage property queries.
//!
//! `volume` and `listing` call it through `drive`, `machine` asks it for the power source. No administrator
//! rights, no WMI and no PowerShell: a volume is opened for queries only, which every user may do.
#![allow(
    unsafe_code,
    reason = "the system calls of this file have no safe binding; each is wrapped in one small function"
)]

use std::fs::{File, OpenOptions};
use std::mem::offset_of;
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};

use windows::Win32::Foundation::{FILETIME, HANDLE};
use windows::Win32::Storage::FileSystem::{
    BusType1394, BusTypeAta, BusTypeFibre, BusTypeFileBackedVirtual, BusTypeMmc, BusTypeNvme, BusTypeRAID, BusTypeSas,
    BusTypeSata, BusTypeScsi, BusTypeSd, BusTypeSpaces, BusTypeUfs, BusTypeUnknown, BusTypeUsb, BusTypeVirtual,
    BusTypeiScsi, FILE_ADD_SUBDIRECTORY, FILE_ATTRIBUTE_COMPRESSED, FILE_ATTRIBUTE_ENCRYPTED, FILE_ATTRIBUTE_HIDDEN,
    FILE_ATTRIBUTE_NOT_CONTENT_INDEXED, FILE_FLAG_BACKUP_SEMANTICS, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, GetDiskFreeSpaceExW, GetDriveTypeW, GetLogicalDrives, GetVolumeInformationW,
    GetVolumeNameForVolumeMountPointW, GetVolumePathNameW, STORAGE_BUS_TYPE, SetFileAttributesW,
};
use windows::Win32::System::Diagnostics::Debug::{SEM_FAILCRITICALERRORS, SetThreadErrorMode};
use windows::Win32::System::IO::DeviceIoControl;
use windows::Win32::System::Ioctl::{
    DEVICE_SEEK_PENALTY_DESCRIPTOR, IOCTL_STORAGE_QUERY_PROPERTY, STORAGE_DEVICE_DESCRIPTOR, STORAGE_PROPERTY_ID,
    STORAGE_PROPERTY_QUERY, STORAGE_WRITE_CACHE_PROPERTY, StorageDeviceProperty, StorageDeviceSeekPenaltyProperty,
    StorageDeviceWriteCacheProperty, WriteCacheDisabled, WriteCacheEnabled, WriteCacheTypeNone,
    WriteCacheTypeWriteBack, WriteCacheTypeWriteThrough,
};
use windows::Win32::System::Power::{GetSystemPowerStatus, SYSTEM_POWER_STATUS};
use windows::Win32::System::SystemServices::FILE_READ_ONLY_VOLUME;
use windows::Win32::System::Threading::GetSystemTimes;
use windows::Win32::System::WindowsProgramming::{
    DRIVE_CDROM, DRIVE_FIXED, DRIVE_NO_ROOT_DIR, DRIVE_RAMDISK, DRIVE_REMOTE, DRIVE_REMOVABLE, DRIVE_UNKNOWN,
};
use windows::core::HSTRING;

use super::{Drive, Mounted, model_name, remote_kind};
use crate::system::privacy::without_verbatim_prefix;
use crate::system::volume::{Bus, Volume, WriteCache};

/// Longest path Windows knows, in UTF-16 units, with the closing zero.
const LONGEST_PATH: usize = 32_768;
/// Room for a storage descriptor and the names behind it; they take some 100 bytes.
const DESCRIPTOR_BYTES: usize = 4096;
const SHARE_ALL: u32 = FILE_SHARE_READ.0 | FILE_SHARE_WRITE.0 | FILE_SHARE_DELETE.0;

/// Everything known about the volume of an existing folder whose links are resolved.
pub(in crate::system) fn volume(folder: &Path) -> Volume {
    without_dialogs();
    let folder = plain(folder.to_path_buf());
    let Some(root) = root_of(&folder) else { return Volume::default() };
    let mut volume = Volume { mount_point: Some(root.clone()), ..Volume::default() };
    if let Some(information) = information(&root) {
        let in_place = ["NTFS", "FAT", "FAT32", "exFAT"].contains(&information.file_system.as_str());
        volume.copy_on_write = in_place.then_some(false);
        volume.mount_options = Some(if information.read_only { "ro" } else { "rw" }.to_owned());
        volume.file_system = Some(information.file_system);
    }
    describe_drive(&root, &mut volume);
    if let Some((total, free)) = space(&folder) {
        (volume.total_bytes, volume.free_bytes) = (Some(total), Some(free));
    }
    if let Ok(attributes) = folder.metadata().map(|metadata| metadata.file_attributes()) {
        volume.compressed = Some(attributes & FILE_ATTRIBUTE_COMPRESSED.0 != 0);
        // A folder that is not encrypted by itself may be on a BitLocker volume, which only administrators may ask about.
        volume.encrypted = (attributes & FILE_ATTRIBUTE_ENCRYPTED.0 != 0).then_some(true);
    }
    volume
}

/// The drive letters in use, each once; empty card readers and letters without a volume are left out.
pub(in crate::system) fn mounted() -> Vec<Mounted> {
    without_dialogs();
    let letters = logical_drives();
    let roots = (0..26u8).filter(|at| letters & (1 << at) != 0).map(|at| format!("{}:\\", char::from(b'A' + at)));
    roots
        .filter(|root| ![DRIVE_NO_ROOT_DIR, DRIVE_UNKNOWN].contains(&drive_type(root)))
        .filter_map(|root| {
            let label = information(&root)?.label;
            let letter = root.trim_end_matches('\\');
            let name = if label.is_empty() { letter.to_owned() } else { format!("{letter} {label}") };
            Some(Mounted { name, root: PathBuf::from(&root), device: root })
        })
        .collect()
}

/// What tells the volume of this folder from others; `None` when it has none.
pub(in crate::system) fn device_of(folder: &Path) -> Option<String> {
    root_of(&plain(folder.to_path_buf())).map(|root| root.to_uppercase())
}

/// Whether the current user may create a folder in this one: asks for that right and lets it go again.
pub(in crate::system) fn may_create_in(folder: &Path) -> bool {
    let mut asking = OpenOptions::new();
    asking.access_mode(FILE_ADD_SUBDIRECTORY.0).share_mode(SHARE_ALL).custom_flags(FILE_FLAG_BACKUP_SEMANTICS.0);
    asking.open(folder).is_ok()
}

/// The path as people write it: resolving links puts `\\?\` in front.
pub(in crate::system) fn plain(path: PathBuf) -> PathBuf {
    path.to_str().map(|text| PathBuf::from(without_verbatim_prefix(text))).unwrap_or(path)
}

/// Whether the machine runs on mains; `None` where Windows does not know.
pub(in crate::system) fn mains_power() -> Option<bool> {
    let mut status = SYSTEM_POWER_STATUS::default();
    // SAFETY: `status` is a live value of the type the call fills.
    unsafe { GetSystemPowerStatus(&mut status) }.ok()?;
    match status.ACLineStatus {
        0 => Some(false),
        1 => Some(true),
        _ => None, // 255
    }
}

/// Hides a folder or file from Explorer and keeps the indexer out of it; `measure::scratch` calls it for its folder.
pub(crate) fn hide(path: &Path) {
    let path = HSTRING::from(path);
    let attributes = FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;
    // SAFETY: the text ends with a zero and outlives the call.
    // A file system without these attributes refuses, and then the folder is merely seen.
    let _unimportant = unsafe { SetFileAttributesW(&path, attributes) };
}

/// The time that all cores together were busy since the start of the system, and their whole time, in units of
/// 100 ns; `conditions` calls it.
pub(crate) fn processor_times() -> Option<(u64, u64)> {
    let [mut idle, mut kernel, mut user] = [FILETIME::default(); 3];
    // SAFETY: the three places live until the call returns.
    unsafe { GetSystemTimes(Some(&mut idle), Some(&mut kernel), Some(&mut user)) }.ok()?;
    let ticks = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    // The kernel's time holds the idle time.
    let total = ticks(kernel) + ticks(user);
    Some((total.saturating_sub(ticks(idle)), total))
}

fn describe_drive(root: &str, volume: &mut Volume) {
    let drive_type = drive_type(root);
    volume.network =
        (drive_type != DRIVE_UNKNOWN && drive_type != DRIVE_NO_ROOT_DIR).then_some(drive_type == DRIVE_REMOTE);
    volume.memory = volume.network.map(|_| drive_type == DRIVE_RAMDISK);
    match drive_type {
        DRIVE_REMOTE => {
            let kind = volume.file_system.as_deref().and_then(remote_kind).unwrap_or("network share");
            volume.kind = Some(kind.to_owned());
        }
        DRIVE_RAMDISK => volume.kind = Some("memory".to_owned()),
        DRIVE_CDROM => volume.kind = Some("optical disc".to_owned()),
        DRIVE_FIXED | DRIVE_REMOVABLE => {
            let mut drive = open_device(root).map(|device| drive_facts(&device)).unwrap_or_default();
            drive.removable_medium = drive.removable_medium.or(Some(drive_type == DRIVE_REMOVABLE));
            drive.memory = volume.memory;
            drive.describe(volume);
        }
        _ => {}
    }
}

/// Opens the volume for queries alone: no access to its data, so no rights are needed.
fn open_device(root: &str) -> Option<File> {
    let path = volume_name(root)?;
    OpenOptions::new().access_mode(0).share_mode(SHARE_ALL).open(path.trim_end_matches('\\')).ok()
}

fn drive_facts(device: &File) -> Drive {
    let described = query(device, StorageDeviceProperty).map(|bytes| from_descriptor(&bytes)).unwrap_or_default();
    Drive {
        rotational: query(device, StorageDeviceSeekPenaltyProperty).and_then(|bytes| seeks(&bytes)),
        write_cache: query(device, StorageDeviceWriteCacheProperty).and_then(|bytes| write_cache(&bytes)),
        ..described
    }
}

/// Reads a `STORAGE_DEVICE_DESCRIPTOR`: maker, model, bus and whether the medium is removable; not the serial number.
fn from_descriptor(bytes: &[u8]) -> Drive {
    let text = |offset| text_at(bytes, number(bytes, offset)? as usize);
    let vendor = text(offset_of!(STORAGE_DEVICE_DESCRIPTOR, VendorIdOffset));
    let model = text(offset_of!(STORAGE_DEVICE_DESCRIPTOR, ProductIdOffset));
    Drive {
        model: model_name(vendor.as_deref(), model.as_deref()),
        bus: number(bytes, offset_of!(STORAGE_DEVICE_DESCRIPTOR, BusType))
            .and_then(|code| bus(STORAGE_BUS_TYPE(code as i32))),
        removable_medium: bytes.get(offset_of!(STORAGE_DEVICE_DESCRIPTOR, RemovableMedia)).map(|flag| *flag != 0),
        ..Drive::default()
    }
}

fn bus(code: STORAGE_BUS_TYPE) -> Option<Bus> {
    let known = [
        (BusTypeNvme, Bus::Nvme),
        (BusTypeSata, Bus::Sata),
        (BusTypeAta, Bus::Ata),
        (BusTypeSas, Bus::Sas),
        (BusTypeScsi, Bus::Scsi),
        (BusTypeUsb, Bus::Usb),
        (BusType1394, Bus::FireWire),
        (BusTypeFibre, Bus::FibreChannel),
        (BusTypeiScsi, Bus::Iscsi),
        (BusTypeMmc, Bus::Mmc),
        (BusTypeSd, Bus::Sd),
        (BusTypeUfs, Bus::Ufs),
        (BusTypeRAID, Bus::Raid),
        (BusTypeSpaces, Bus::StorageSpaces),
        (BusTypeVirtual, Bus::Virtual),
        (BusTypeFileBackedVirtual, Bus::DiskImage),
    ];
    let found = known.into_iter().find(|(known, _)| *known == code).map(|(_, bus)| bus);
    found.or((code != BusTypeUnknown).then_some(Bus::Other))
}

/// Reads a `DEVICE_SEEK_PENALTY_DESCRIPTOR`: drives that seek have spinning disks.
fn seeks(bytes: &[u8]) -> Option<bool> {
    bytes.get(offset_of!(DEVICE_SEEK_PENALTY_DESCRIPTOR, IncursSeekPenalty)).map(|flag| *flag != 0)
}

/// Reads a `STORAGE_WRITE_CACHE_PROPERTY`: the sort of cache, and whether it is switched on.
fn write_cache(bytes: &[u8]) -> Option<WriteCache> {
    let sort = number(bytes, offset_of!(STORAGE_WRITE_CACHE_PROPERTY, WriteCacheType))? as i32;
    let enabled = number(bytes, offset_of!(STORAGE_WRITE_CACHE_PROPERTY, WriteCacheEnabled))? as i32;
    if enabled == WriteCacheDisabled.0 || [WriteCacheTypeNone.0, WriteCacheTypeWriteThrough.0].contains(&sort) {
        Some(WriteCache::WriteThrough)
    } else if enabled == WriteCacheEnabled.0 && sort == WriteCacheTypeWriteBack.0 {
        Some(WriteCache::WriteBack)
    } else {
        None
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    four.try_into().ok().map(u32::from_le_bytes)
}

/// The zero-terminated text at an offset of a descriptor; offset 0 means there is none.
fn text_at(bytes: &[u8], at: usize) -> Option<String> {
    let text = bytes.get(at..).filter(|_| at != 0)?.split(|byte| *byte == 0).next()?;
    Some(String::from_utf8_lossy(text).into_owned())
}

/// Asks the drive below an opened volume for one of its properties; `None` where it does not answer.
fn query(device: &File, property: STORAGE_PROPERTY_ID) -> Option<Vec<u8>> {
    let question = STORAGE_PROPERTY_QUERY { PropertyId: property, ..STORAGE_PROPERTY_QUERY::default() };
    let mut answer = vec![0u8; DESCRIPTOR_BYTES];
    let mut written = 0u32;
    // SAFETY: the handle is open as long as `device` lives; both buffers are live and their true sizes are passed, and
    // the call is synchronous because the handle was opened without FILE_FLAG_OVERLAPPED.
    unsafe {
        DeviceIoControl(
            HANDLE(device.as_raw_handle()),
            IOCTL_STORAGE_QUERY_PROPERTY,
            Some(std::ptr::from_ref(&question).cast()),
            size_of::<STORAGE_PROPERTY_QUERY>() as u32,
            Some(answer.as_mut_ptr().cast()),
            DESCRIPTOR_BYTES as u32,
            Some(&mut written),
            None,
        )
    }
    .ok()?;
    answer.truncate(written as usize);
    Some(answer)
}

/// A volume's label, file system and whether it can be written.
struct Information {
    label: String,
    file_system: String,
    read_only: bool,
}

fn information(root: &str) -> Option<Information> {
    let (mut label, mut file_system, mut flags) = ([0u16; 261], [0u16; 261], 0u32);
    let root = HSTRING::from(root);
    // SAFETY: the text ends with a zero, the buffers are live and carry their lengths; 261 is MAX_PATH + 1 as documented.
    unsafe { GetVolumeInformationW(&root, Some(&mut label), None, None, Some(&mut flags), Some(&mut file_system)) }
        .ok()?;
    Some(Information {
        label: until_zero(&label),
        file_system: until_zero(&file_system),
        read_only: flags & FILE_READ_ONLY_VOLUME != 0,
    })
}

/// Where the volume of a folder is mounted, with a backslash at the end: `C:\`, `D:\Mounts\Data\`, `\\server\share\`.
fn root_of(folder: &Path) -> Option<String> {
    let (folder, mut root) = (HSTRING::from(folder), vec![0u16; LONGEST_PATH]);
    // SAFETY: the text ends with a zero, the buffer is live and carries its length.
    unsafe { GetVolumePathNameW(&folder, &mut root) }.ok()?;
    Some(until_zero(&root)).filter(|root| !root.is_empty())
}

/// The name by which a volume is opened (`\\?\Volume{...}\`); `None` for network drives.
fn volume_name(root: &str) -> Option<String> {
    // The longest such name is 49 characters and the zero.
    let (root, mut name) = (HSTRING::from(root), [0u16; 50]);
    // SAFETY: the text ends with a zero, the buffer is live and carries its length.
    unsafe { GetVolumeNameForVolumeMountPointW(&root, &mut name) }.ok()?;
    Some(until_zero(&name))
}

/// Bytes in all and bytes the current user may still write, quotas included.
fn space(folder: &Path) -> Option<(u64, u64)> {
    let (folder, mut free, mut total) = (HSTRING::from(folder), 0u64, 0u64);
    // SAFETY: the text ends with a zero, and both numbers outlive the call.
    unsafe { GetDiskFreeSpaceExW(&folder, Some(&mut free), Some(&mut total), None) }.ok()?;
    Some((total, free))
}

fn drive_type(root: &str) -> u32 {
    let root = HSTRING::from(root);
    // SAFETY: the text ends with a zero and outlives the call.
    unsafe { GetDriveTypeW(&root) }
}

/// One bit for each drive letter in use, A: lowest.
fn logical_drives() -> u32 {
    // SAFETY: the call takes nothing and only returns a number.
    unsafe { GetLogicalDrives() }
}

/// Keeps Windows from asking this thread's user to insert a medium into an empty drive.
fn without_dialogs() {
    // SAFETY: changes a setting of this thread alone; the old one is not wanted.
    // A failure leaves the dialog possible, which is no reason to know less about the drives.
    let _unimportant = unsafe { SetThreadErrorMode(SEM_FAILCRITICALERRORS, None) };
}

fn until_zero(text: &[u16]) -> String {
    String::from_utf16_lossy(text.split(|unit| *unit == 0).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a SanDisk stick answers to the device query, by the documented layout of the structure.
    fn stick() -> Vec<u8> {
        let mut bytes = vec![0u8; 40];
        bytes[10] = 1; // removable medium
        bytes[12..16].copy_from_slice(&40u32.to_le_bytes());
        bytes[16..20].copy_from_slice(&49u32.to_le_bytes());
        bytes[24..28].copy_from_slice(&66u32.to_le_bytes());
        bytes[28..32].copy_from_slice(&7i32.to_le_bytes()); // USB
        bytes.extend_from_slice(b"SanDisk \0Ultra Fit       \0SERIAL42\0");
        bytes
    }

    #[test]
    fn a_sticks_answer_is_read_without_its_serial_number() {
        let drive = from_descriptor(&stick());
        assert_eq!(drive.model.as_deref(), Some("SanDisk Ultra Fit"));
        assert_eq!((drive.bus, drive.kind()), (Some(Bus::Usb), Some("USB stick")));
        assert_eq!(from_descriptor(&stick()[..20]).bus, None);
        assert_eq!(from_descriptor(&[]), Drive::default());
    }

    #[test]
    fn the_write_cache_is_read_from_its_sort_and_its_switch() {
        let answer = |sort: u32, enabled: u32| {
            let numbers = [28u32, 28, sort, enabled, 0, 0, 0];
            write_cache(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
        };
        assert_eq!(answer(2, 2), Some(WriteCache::WriteBack));
        assert_eq!(answer(2, 1), Some(WriteCache::WriteThrough));
        assert_eq!(answer(3, 0), Some(WriteCache::WriteThrough));
        assert_eq!(answer(0, 0), None);
        assert_eq!(write_cache(&[]), None);
    }

    #[test]
    fn seek_penalty_means_spinning_disks() {
        assert_eq!(seeks(&[12, 0, 0, 0, 12, 0, 0, 0, 1]), Some(true));
        assert_eq!(seeks(&[12, 0, 0, 0, 12, 0, 0, 0, 0]), Some(false));
        assert_eq!(seeks(&[]), None);
    }

    #[test]
    fn a_hidden_folder_has_the_attribute() {
        let folder = tempfile::tempdir().unwrap();
        hide(folder.path());
        assert_ne!(folder.path().metadata().unwrap().file_attributes() & FILE_ATTRIBUTE_HIDDEN.0, 0);
    }

    #[test]
    fn the_temporary_folder_is_on_a_listed_drive_with_room() {
        let folder = tempfile::tempdir().unwrap();
        let volume = volume(folder.path());
        let root = volume.mount_point.clone().unwrap();
        assert!(mounted().iter().any(|mounted| mounted.root == Path::new(&root)), "{root} is listed");
        assert!(volume.total_bytes.unwrap() >= volume.free_bytes.unwrap());
        assert!(may_create_in(folder.path()) && !may_create_in(&folder.path().join("missing")));
    }
}

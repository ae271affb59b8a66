//! The drives a person can choose from: the rows of the window's "Test" screen.
//!
//! The screen's background thread calls [`list`] for the rows and [`refusal`] for a folder that was typed or
//! dropped. Snapshots, boot, loop and system volumes are not listed; a folder on one can still be read.

use std::path::{Path, PathBuf};

use super::drive::{self, Mounted};
use super::volume::{self, Volume, nearest_existing};

/// Less free space than this is "full". The quick test writes about 240 MB; the plan checks what it needs exactly.
const FULL_BELOW_BYTES: u64 = 64 << 20;

/// One row: a volume on which a test could be run.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedVolume {
    /// Its name for people: `System drive`, `Stick`, `D: Data`. For the screen only, never for a result file.
    pub name: String,
    /// The folder a test uses by default: the user's data folder where it is on this volume, otherwise the mount point.
    pub folder: PathBuf,
    /// What is known about it; its `path` is `folder`, shortened.
    pub volume: Volume,
    /// Why it cannot be tested; `None` when it can.
    pub refusal: Option<Refusal>,
}

/// Why a folder cannot be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The volume is mounted read-only.
    ReadOnly,
    /// Less than 64 MB are free.
    Full,
    /// The current user may not create anything there.
    NoPermission,
}

impl Refusal {
    /// The reason in the window's words.
    pub fn words(self) -> &'static str {
        match self {
            Refusal::ReadOnly => "read-only",
            Refusal::Full => "full",
            Refusal::NoPermission => "no permission",
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.words())
    }
}

/// The volumes of this computer, each once, the one with the user's data first.
pub fn list() -> Vec<ListedVolume> {
    let data = data_folder();
    let data_device = data.as_deref().and_then(drive::device_of);
    let mut mounted = drive::mounted();
    mounted.sort_by_key(|mounted| (Some(&mounted.device) != data_device.as_ref(), mounted.name.clone()));
    mounted
        .into_iter()
        .map(|mounted| {
            let folder = default_folder(&mounted, data.as_deref(), data_device.as_deref());
            let volume = volume::read(&folder);
            ListedVolume { name: mounted.name, refusal: refusal(&folder, &volume), folder, volume }
        })
        .collect()
}

/// Why `folder`, whose volume is `volume`, cannot be tested; looks at rights without writing anything.
/// For a folder that does not exist yet its nearest existing parent decides.
pub fn refusal(folder: &Path, volume: &Volume) -> Option<Refusal> {
    let options = volume.mount_options.as_deref().unwrap_or_default();
    if options.split(',').any(|option| option == "ro") {
        Some(Refusal::ReadOnly)
    } else if volume.free_bytes.is_some_and(|free| free < FULL_BELOW_BYTES) {
        Some(Refusal::Full)
    } else if !nearest_existing(folder).is_some_and(|existing| drive::may_create_in(&existing)) {
        Some(Refusal::NoPermission)
    } else {
        None
    }
}

/// The per-user data folder, or its nearest existing parent.
fn data_folder() -> Option<PathBuf> {
    let dirs = directories::BaseDirs::new()?;
    nearest_existing(dirs.data_local_dir()).map(drive::plain)
}

fn default_folder(mounted: &Mounted, data: Option<&Path>, data_device: Option<&str>) -> PathBuf {
    let here = data.filter(|data| data_device == Some(mounted.device.as_str()) && drive::may_create_in(data));
    if let Some(data) = here {
        return data.to_path_buf();
    }
    // Where the home folder has a drive of its own, or a service has none, nobody may write to the root of the system's.
    let for_everyone = Path::new("/var/tmp");
    if !drive::may_create_in(&mounted.root)
        && drive::device_of(for_everyone).as_ref() == Some(&mounted.device)
        && drive::may_create_in(for_everyone)
    {
        return for_everyone.to_path_buf();
    }
    mounted.root.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writable_with(options: &str, free_bytes: u64) -> Volume {
        Volume { mount_options: Some(options.to_owned()), free_bytes: Some(free_bytes), ..Volume::default() }
    }

    #[test]
    fn a_volume_that_cannot_be_tested_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |volume: &Volume| refusal(folder.path(), volume).map(Refusal::words);
        assert_eq!(refused(&writable_with("ro,relatime", 1 << 40)), Some("read-only"));
        assert_eq!(refused(&writable_with("rw,errors=remount-ro", 1 << 20)), Some("full"));
        assert_eq!(refused(&writable_with("rw", 1 << 40)), None);
        assert_eq!(refused(&Volume::default()), None);
    }

    #[test]
    fn the_first_row_holds_the_users_data() {
        let rows = list();
        let Some(data) = data_folder() else { return };
        let on_its_drive = |row: &&ListedVolume| drive::device_of(&row.folder) == drive::device_of(&data);
        if let Some(row) = rows.iter().find(on_its_drive).filter(|_| drive::may_create_in(&data)) {
            assert_eq!((&row.folder, &rows[0].folder), (&data, &data));
        }
        let folders: std::collections::HashSet<_> = rows.iter().map(|row| &row.folder).collect();
        assert_eq!(folders.len(), rows.len(), "each volume is listed once");
    }
}

//! What about a folder would spoil a test or a database, in sentences with what to do.
//!
//! The "Test" screen shows the cautions for the chosen folder, and the session turns each into a warning of the
//! `Report`. They come from the [`Volume`] and, for sync folders, from the path.

use std::path::Path;

use super::volume::Volume;

/// Something a person should know before they test, or use SQLite, in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caution {
    /// The files are in memory.
    Memory,
    /// The files are on a server.
    NetworkShare,
    /// The files are the host's, shared with this virtual machine or container.
    HostShare,
    /// A program copies the files to the internet while they change.
    SyncFolder(&'static str),
    /// The mount options let a sync return before the data is on the drive.
    SyncsSwitchedOff,
}

impl Caution {
    /// The code the result file and its readers know it by.
    pub fn code(self) -> &'static str {
        match self {
            Caution::Memory => "memory",
            Caution::NetworkShare => "network_share",
            Caution::HostShare => "host_share",
            Caution::SyncFolder(_) => "sync_folder",
            Caution::SyncsSwitchedOff => "syncs_switched_off",
        }
    }

    /// The sentence for people, with what to do.
    pub fn message(self) -> String {
        match self {
            Caution::Memory => {
                "This folder is in memory: results say nothing about a disk. Choose a folder on the drive your app uses.".to_owned()
            }
            Caution::NetworkShare => "This folder is on a network share: WAL can damage a database there without an error. \
                Keep the database on a drive of this computer."
                .to_owned(),
            Caution::HostShare => "This folder is shared by another system (a host computer or a container's bind mount): WAL can damage a \
                database there without an error. Choose a folder on a drive of its own, such as a container volume."
                .to_owned(),
            Caution::SyncFolder(service) => format!(
                "{service} syncs this folder: it can lock or copy a database while it changes, which slows saves and can damage the \
                 copy. Choose a folder outside {service}."
            ),
            Caution::SyncsSwitchedOff => "This volume is mounted so that saves are not forced onto the drive (no barriers): a power cut can \
                damage a database. Results will look too fast; mount it without that option."
                .to_owned(),
        }
    }
}

/// What a person should know about `folder`, whose volume is `volume`; the gravest first.
pub fn cautions(volume: &Volume, folder: &Path) -> Vec<Caution> {
    let synced = sync_folder(folder).map(Caution::SyncFolder);
    of_volume(volume).into_iter().chain(synced).collect()
}

/// The same from a volume alone, as a result file holds it; nothing is looked at on this computer.
pub fn of_volume(volume: &Volume) -> Vec<Caution> {
    let host = volume.file_system.as_deref().is_some_and(super::drive::is_host_share);
    let remote = match volume.network {
        Some(true) if host => Some(Caution::HostShare),
        Some(true) => Some(Caution::NetworkShare),
        _ => None,
    };
    let memory = (volume.memory == Some(true)).then_some(Caution::Memory);
    let unsafe_syncs = syncs_switched_off(volume).then_some(Caution::SyncsSwitchedOff);
    [memory, remote, unsafe_syncs].into_iter().flatten().collect()
}

/// ext4 and xfs without barriers, f2fs without them, and overlays that skip syncs (`docker run` on some systems).
fn syncs_switched_off(volume: &Volume) -> bool {
    let options = volume.mount_options.as_deref().unwrap_or_default();
    options.split(',').any(|option| matches!(option, "nobarrier" | "barrier=0" | "fsync_mode=nobarrier" | "volatile"))
}

/// The service that syncs this folder to the internet, where one is recognised: by the services' own environment
/// variables, by the names they give their folders, and by what Dropbox leaves in its own.
pub fn sync_folder(folder: &Path) -> Option<&'static str> {
    let asked = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let resolved = super::volume::nearest_existing(&asked);
    [Some(asked), resolved].into_iter().flatten().find_map(|folder| {
        let text = super::privacy::without_verbatim_prefix(&folder.to_string_lossy());
        by_root(&text, |variable| std::env::var(variable).ok())
            .or_else(|| by_names(&text))
            .or_else(|| by_marker(&folder))
    })
}

/// OneDrive tells programs where its folders are, whatever they are called.
fn by_root(folder: &str, environment: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let lower = folder.to_lowercase();
    let inside = |root: String| {
        let root = root.trim_end_matches(['/', '\\']).to_lowercase();
        let rest = lower.strip_prefix(&root).filter(|_| !root.is_empty());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
    };
    let variables = ["OneDrive", "OneDriveConsumer", "OneDriveCommercial"];
    variables.into_iter().filter_map(environment).any(inside).then_some("OneDrive")
}

fn by_names(folder: &str) -> Option<&'static str> {
    let parts: Vec<&str> = folder.split(['/', '\\']).collect();
    // On a Mac each service has its folder in ~/Library/CloudStorage, named "Service-account".
    let in_cloud_storage = |at: usize| at > 0 && parts[at - 1] == "CloudStorage";
    parts.iter().enumerate().find_map(|(at, part)| match *part {
        "OneDrive" => Some("OneDrive"),
        part if part.starts_with("OneDrive - ") || in_cloud_storage(at) && part.starts_with("OneDrive") => {
            Some("OneDrive")
        }
        "Dropbox" => Some("Dropbox"),
        part if part.starts_with("Dropbox (") || in_cloud_storage(at) && part.starts_with("Dropbox") => Some("Dropbox"),
        "iCloudDrive" | "iCloud Drive" | "com~apple~CloudDocs" => Some("iCloud Drive"),
        "Mobile Documents" if at > 0 && parts[at - 1] == "Library" => Some("iCloud Drive"),
        "Google Drive" | "GoogleDrive" | ".shortcut-targets-by-id" => Some("Google Drive"),
        part if in_cloud_storage(at) && part.starts_with("GoogleDrive") => Some("Google Drive"),
        // Google Drive for Windows is a drive of its own with this folder in it.
        "My Drive" if at == 1 && parts[0].len() == 2 && parts[0].ends_with(':') => Some("Google Drive"),
        _ => None,
    })
}

/// Dropbox keeps a cache at the top of the folder it syncs.
fn by_marker(folder: &Path) -> Option<&'static str> {
    folder.ancestors().any(|folder| folder.join(".dropbox.cache").is_dir()).then_some("Dropbox")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_folder_is_known_by_its_name() {
        for (folder, service) in [
            (r"C:\Users\Bob\OneDrive\Apps", Some("OneDrive")),
            (r"C:\Users\Bob\OneDrive - Contoso\Apps", Some("OneDrive")),
            ("/Users/c/Library/CloudStorage/OneDrive-Personal/db", Some("OneDrive")),
            ("/home/alice/Dropbox/db", Some("Dropbox")),
            ("/home/alice/Dropbox (Personal)/db", Some("Dropbox")),
            ("/Users/c/Library/Mobile Documents/com~apple~CloudDocs/db", Some("iCloud Drive")),
            (r"C:\Users\Bob\iCloudDrive", Some("iCloud Drive")),
            ("/Users/c/Library/CloudStorage/GoogleDrive-c@example.com/My Drive", Some("Google Drive")),
            (r"G:\My Drive\db", Some("Google Drive")),
            ("/home/alice/My Drive", None),
            ("/home/alice/OneDriver/db", None),
            (r"D:\Apps\data", None),
        ] {
            assert_eq!(by_names(folder), service, "{folder}");
        }
    }

    #[test]
    fn onedrive_is_found_where_its_own_variable_says() {
        let environment = |variable: &str| (variable == "OneDriveCommercial").then(|| r"D:\Cloud\".to_owned());
        assert_eq!(by_root(r"d:\cloud\db", environment), Some("OneDrive"));
        assert_eq!(by_root(r"D:\Cloudy", environment), None);
        assert_eq!(by_root(r"D:\Cloud", |_| Some(String::new())), None);
    }

    #[test]
    fn dropbox_is_found_by_its_cache() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("apps/data");
        std::fs::create_dir_all(&inside).unwrap();
        assert_eq!(sync_folder(&inside), None);
        std::fs::create_dir(folder.path().join(".dropbox.cache")).unwrap();
        assert_eq!(sync_folder(&inside), Some("Dropbox"));
    }

    #[test]
    fn each_trap_has_its_caution() {
        let folder = tempfile::tempdir().unwrap();
        let codes =
            |volume: &Volume| cautions(volume, folder.path()).into_iter().map(Caution::code).collect::<Vec<_>>();
        let on = |file_system: &str, network, memory| Volume {
            file_system: Some(file_system.to_owned()),
            network: Some(network),
            memory: Some(memory),
            ..Volume::default()
        };
        assert_eq!(codes(&on("ext4", false, false)), [""; 0]);
        assert_eq!(codes(&on("tmpfs", false, true)), ["memory"]);
        assert_eq!(codes(&on("nfs4", true, false)), ["network_share"]);
        assert_eq!(codes(&on("9p", true, false)), ["host_share"]);
        assert_eq!(codes(&on("virtiofs", true, false)), ["host_share"]);
        let mut no_barriers = on("ext4", false, false);
        no_barriers.mount_options = Some("rw,nobarrier,relatime".to_owned());
        assert_eq!(codes(&no_barriers), ["syncs_switched_off"]);
        assert_eq!(codes(&Volume::default()), [""; 0]);
    }

    #[test]
    fn every_message_says_what_to_do() {
        for caution in [
            Caution::Memory,
            Caution::NetworkShare,
            Caution::HostShare,
            Caution::SyncFolder("Dropbox"),
            Caution::SyncsSwitchedOff,
        ] {
            let message = caution.message();
            assert!(message.ends_with('.') && message.contains(". "), "{message}");
        }
    }
}

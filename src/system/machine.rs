//! The machine a test runs on: operating system, processor, memory, maker and model, power.
//!
//! The session puts a [`Machine`] into the `Report`; the window's "This computer" and the terminal's `info`
//! show it; `conditions` asks for [`power`] before and after a run. Most facts come from the sysinfo crate.
//! Never read: host name, user name, serial numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, Motherboard, Product, RefreshKind, System};

/// A machine as the result file keeps it. `None` is unknown.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub struct Machine {
    /// The operating system's name: `Debian GNU/Linux`, `Windows`, `macOS`.
    pub os: Option<String>,
    /// Its version as it counts it: `12`, `11 (26100)`, `15.1`.
    pub os_version: Option<String>,
    /// The kernel's version; on Windows the build number.
    pub kernel: Option<String>,
    /// The processor's architecture: `x86_64`, `aarch64`.
    pub arch: Option<String>,
    /// Who made the computer.
    pub vendor: Option<String>,
    /// The computer's model, or its main board's where it was built from parts.
    pub model: Option<String>,
    /// The processor's name as it reports it.
    pub cpu: Option<String>,
    /// Threads the processor runs at once.
    pub logical_cores: Option<u32>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Whether this is a virtual machine.
    pub virtual_machine: Option<bool>,
    /// Where the power came from when the facts were read.
    pub power: Option<Power>,
}

/// Where the machine's power comes from.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Power {
    /// From the wall.
    Mains,
    /// From a battery, or from an uninterruptible supply that runs on its own.
    Battery,
}

/// Reads all facts about this machine; takes some milliseconds.
pub fn read() -> Machine {
    let wanted =
        RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()).with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(wanted).ok();
    let processors = system.as_ref().map(System::cpus).unwrap_or_default();
    let board = Motherboard::new().ok();
    let vendor = meaningful(Product::vendor_name().ok()).or_else(|| meaningful(board.as_ref()?.vendor_name()));
    let model = meaningful(Product::name().ok()).or_else(|| meaningful(board.as_ref()?.name()));
    Machine {
        os: os_name(),
        os_version: meaningful(System::os_version().ok()),
        kernel: meaningful(System::kernel_version().ok()),
        arch: meaningful(Some(System::cpu_arch())),
        cpu: processors.first().and_then(|cpu| meaningful(Some(cpu.brand().to_owned()))),
        logical_cores: u32::try_from(processors.len()).ok().filter(|cores| *cores > 0),
        memory_bytes: system.as_ref().map(System::total_memory).filter(|bytes| *bytes > 0),
        virtual_machine: is_virtual(vendor.as_deref(), model.as_deref(), hypervisor()),
        power: power(),
        vendor,
        model,
    }
}

fn os_name() -> Option<String> {
    if cfg!(target_os = "macos") { Some("macOS".to_owned()) } else { meaningful(System::name().ok()) }
}

/// The text without surplus spaces; `None` for what board makers leave in fields they did not fill in.
fn meaningful(text: Option<String>) -> Option<String> {
    const FILLERS: [&str; 10] = [
        "to be filled by o.e.m.",
        "system product name",
        "system manufacturer",
        "default string",
        "not specified",
        "not applicable",
        "o.e.m.",
        "unknown",
        "none",
        "invalid",
    ];
    let text = text?.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(text).filter(|text| !text.is_empty() && !FILLERS.contains(&text.to_lowercase().as_str()))
}

/// What the processor or the kernel says about a hypervisor below this system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "no system reports all of them")]
enum Hypervisor {
    /// There is none.
    Absent,
    /// Microsoft's: below a guest, but also below Windows itself on an ordinary PC where Hyper-V is switched on.
    HyperV,
    /// Any other: this is a guest.
    Other,
    /// This system has no way to tell.
    Unknown,
}

/// Decides from the names in the firmware first, which no host gives to a real machine, then from the hypervisor.
fn is_virtual(vendor: Option<&str>, model: Option<&str>, hypervisor: Hypervisor) -> Option<bool> {
    const GUESTS: [&str; 14] = [
        "KVM",
        "QEMU",
        "VMware",
        "VirtualBox",
        "innotek",
        "Xen",
        "HVM domU",
        "Bochs",
        "Parallels",
        "BHYVE",
        "Virtual Machine",
        "Google Compute Engine",
        "OpenStack",
        "Apple Virtualization",
    ];
    let names = format!("{} {}", vendor.unwrap_or_default(), model.unwrap_or_default());
    if model.is_some_and(|model| model.ends_with(".metal")) {
        return Some(false); // Amazon's names for its machines without a hypervisor
    }
    if GUESTS.iter().any(|guest| names.contains(guest)) || names.contains("Amazon EC2") {
        return Some(true);
    }
    match hypervisor {
        Hypervisor::Absent => Some(false),
        Hypervisor::Other => Some(true),
        // A guest of Hyper-V is called "Virtual Machine"; Linux runs on it only as a guest.
        Hypervisor::HyperV if cfg!(windows) => model.map(|_| false),
        Hypervisor::HyperV => Some(true),
        Hypervisor::Unknown => None,
    }
}

#[cfg(all(not(target_os = "macos"), any(target_arch = "x86", target_arch = "x86_64")))]
fn hypervisor() -> Hypervisor {
    use raw_cpuid::{CpuId, Hypervisor as Found};
    match CpuId::new().get_hypervisor_info().map(|info| info.identify()) {
        None => Hypervisor::Absent,
        Some(Found::HyperV) => Hypervisor::HyperV,
        Some(_) => Hypervisor::Other,
    }
}

#[cfg(all(target_os = "linux", not(any(target_arch = "x86", target_arch = "x86_64"))))]
fn hypervisor() -> Hypervisor {
    let told = ["/proc/device-tree/hypervisor/compatible", "/sys/hypervisor/type"];
    if told.iter().any(|file| std::path::Path::new(file).exists()) { Hypervisor::Other } else { Hypervisor::Unknown }
}

/// macOS says itself whether it is a guest.
#[cfg(target_os = "macos")]
fn hypervisor() -> Hypervisor {
    match output("/usr/sbin/sysctl", &["-n", "kern.hv_vmm_present"]).as_deref().map(str::trim) {
        Some("0") => Hypervisor::Absent,
        Some("1") => Hypervisor::Other,
        _ => Hypervisor::Unknown,
    }
}

#[cfg(all(windows, not(any(target_arch = "x86", target_arch = "x86_64"))))]
fn hypervisor() -> Hypervisor {
    Hypervisor::Unknown
}

/// Where the power comes from now; `None` where the system does not say (most desktops and guests on Linux).
#[cfg(target_os = "linux")]
pub fn power() -> Option<Power> {
    power_from(std::path::Path::new("/sys/class/power_supply"))
}

/// Where the power comes from now; `None` where the system does not say.
#[cfg(windows)]
pub fn power() -> Option<Power> {
    super::drive::mains_power().map(|mains| if mains { Power::Mains } else { Power::Battery })
}

/// Where the power comes from now; `None` where the system does not say.
#[cfg(target_os = "macos")]
pub fn power() -> Option<Power> {
    power_from_pmset(&output("/usr/bin/pmset", &["-g", "batt"])?)
}

#[cfg(target_os = "macos")]
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = std::process::Command::new(program).args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()
}

/// Reads `pmset -g batt`, whose first line is `Now drawing from 'AC Power'`.
#[cfg(any(target_os = "macos", test))]
fn power_from_pmset(text: &str) -> Option<Power> {
    match text.lines().next()?.split('\'').nth(1)? {
        "AC Power" => Some(Power::Mains),
        "Battery Power" | "UPS Power" => Some(Power::Battery),
        _ => None,
    }
}

/// Reads the kernel's power supplies (Documentation/ABI/testing/sysfs-class-power). Batteries of mice and the like
/// have the scope "Device"; a USB-C port counts as mains only where no battery is being drained.
#[cfg(target_os = "linux")]
fn power_from(supplies: &std::path::Path) -> Option<Power> {
    let read = |folder: &std::path::Path, file: &str| {
        std::fs::read_to_string(folder.join(file)).map(|text| text.trim().to_owned()).unwrap_or_default()
    };
    let folders = std::fs::read_dir(supplies).ok()?.flatten().map(|entry| entry.path());
    let supplies: Vec<(String, String, String)> = folders
        .filter(|folder| read(folder, "scope") != "Device")
        .map(|folder| (read(&folder, "type"), read(&folder, "online"), read(&folder, "status")))
        .collect();
    let any = |kind: &str, state: &str| {
        supplies.iter().any(|(found, online, status)| found == kind && (online == state || status == state))
    };
    if any("Mains", "1") {
        Some(Power::Mains)
    } else if any("Battery", "Discharging") {
        Some(Power::Battery)
    } else if any("USB", "1") || any("Battery", "Charging") || any("Battery", "Full") || any("Battery", "Not charging")
    {
        Some(Power::Mains)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_virtual_machine_is_known_by_its_names_or_its_hypervisor() {
        let virtual_machine = |vendor, model, hypervisor| is_virtual(Some(vendor), Some(model), hypervisor);
        assert_eq!(virtual_machine("QEMU", "Standard PC (Q35 + ICH9, 2009)", Hypervisor::Unknown), Some(true));
        assert_eq!(virtual_machine("Microsoft Corporation", "Virtual Machine", Hypervisor::HyperV), Some(true));
        assert_eq!(virtual_machine("Amazon EC2", "m7g.large", Hypervisor::Unknown), Some(true));
        assert_eq!(virtual_machine("Amazon EC2", "m7g.metal", Hypervisor::Unknown), Some(false));
        assert_eq!(virtual_machine("LENOVO", "20AN", Hypervisor::Absent), Some(false));
        assert_eq!(is_virtual(None, None, Hypervisor::Other), Some(true));
        assert_eq!(is_virtual(None, None, Hypervisor::Unknown), None);
    }

    #[test]
    fn a_pc_with_hyper_v_switched_on_is_no_virtual_machine() {
        let laptop = is_virtual(Some("Dell Inc."), Some("XPS 13 9310"), Hypervisor::HyperV);
        assert_eq!(laptop, Some(!cfg!(windows)));
    }

    #[test]
    fn fillers_of_board_makers_are_unknown() {
        assert_eq!(meaningful(Some("To Be Filled By O.E.M.".to_owned())), None);
        assert_eq!(meaningful(Some("  ".to_owned())), None);
        assert_eq!(meaningful(Some(" Intel(R)  Core(TM) i7 ".to_owned())).as_deref(), Some("Intel(R) Core(TM) i7"));
    }

    #[test]
    fn pmset_says_where_a_mac_gets_its_power() {
        let battery = "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=4653155)\t95%; discharging; 8:02 remaining present: true\n";
        assert_eq!(power_from_pmset(battery), Some(Power::Battery));
        assert_eq!(power_from_pmset("Now drawing from 'AC Power'\n"), Some(Power::Mains));
        assert_eq!(power_from_pmset(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_kernels_power_supplies_say_where_the_power_comes_from() {
        let power = |supplies: &[(&str, &[(&str, &str)])]| {
            let folder = tempfile::tempdir().unwrap();
            for (name, files) in supplies {
                std::fs::create_dir(folder.path().join(name)).unwrap();
                for (file, text) in *files {
                    std::fs::write(folder.path().join(name).join(file), format!("{text}\n")).unwrap();
                }
            }
            power_from(folder.path())
        };
        let draining: (&str, &[(&str, &str)]) = ("BAT0", &[("type", "Battery"), ("status", "Discharging")]);
        let mouse: (&str, &[(&str, &str)]) =
            ("hidpp_battery_0", &[("type", "Battery"), ("status", "Discharging"), ("scope", "Device")]);
        assert_eq!(power(&[draining, ("AC", &[("type", "Mains"), ("online", "0")])]), Some(Power::Battery));
        assert_eq!(power(&[draining, ("AC", &[("type", "Mains"), ("online", "1")])]), Some(Power::Mains));
        assert_eq!(power(&[("BAT0", &[("type", "Battery"), ("status", "Full")])]), Some(Power::Mains));
        assert_eq!(power(&[mouse]), None);
        assert_eq!(power(&[]), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_is_what_its_own_tools_say() {
        let printed = |tool: &str, arguments: &[&str]| {
            let output = std::process::Command::new(tool).args(arguments).output().ok()?;
            String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
        };
        let machine = read();
        assert_eq!(machine.kernel, printed("uname", &["-r"]));
        assert_eq!(machine.arch, printed("uname", &["-m"]));
        assert_eq!(
            machine.logical_cores,
            printed("getconf", &["_NPROCESSORS_ONLN"]).and_then(|cores| cores.parse().ok())
        );
        let kibibytes = std::fs::read_to_string("/proc/meminfo").unwrap();
        let total: u64 = kibibytes.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert_eq!(machine.memory_bytes, Some(total * 1024));
        let host = printed("uname", &["-n"]).unwrap();
        let stored = serde_json::to_value(&machine).unwrap();
        assert!(stored.as_object().unwrap().values().all(|value| value != host.as_str()));
    }
}

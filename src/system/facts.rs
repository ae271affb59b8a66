//! The facts in plain names, for everyone who shows them: the terminal's `info` and the window's "This
//! computer". Unknown stays unknown.

use super::{Machine, Power, Volume};
use crate::units;

/// One fact: its plain name and its value, `None` where it is unknown.
pub type Fact = (&'static str, Option<String>);

/// What is known about the machine.
pub fn of_machine(machine: &Machine) -> Vec<Fact> {
    let power = machine.power.map(|power| match power {
        Power::Mains => "mains".to_owned(),
        Power::Battery => "battery".to_owned(),
    });
    vec![
        ("System", joined(&[&machine.os, &machine.os_version])),
        ("Kernel", machine.kernel.clone()),
        ("Architecture", machine.arch.clone()),
        ("Maker and model", joined(&[&machine.vendor, &machine.model])),
        ("Processor", machine.cpu.clone()),
        ("Logical cores", machine.logical_cores.map(|cores| units::count(cores.into()))),
        ("Memory", machine.memory_bytes.map(units::bytes)),
        ("Virtual machine", machine.virtual_machine.map(yes_or_no)),
        ("Power", power),
    ]
}

/// What is known about the folder's volume and drive.
pub fn of_volume(volume: &Volume) -> Vec<Fact> {
    vec![
        ("Folder", volume.path.clone()),
        ("Volume", volume.mount_point.clone()),
        ("Drive", volume.kind.clone()),
        ("Drive model", volume.drive_model.clone()),
        ("File system", volume.file_system.clone()),
        ("Mount options", volume.mount_options.clone()),
        ("Size", volume.total_bytes.map(units::bytes)),
        ("Free space", volume.free_bytes.map(units::bytes)),
        ("Bus", volume.bus.map(|bus| bus.name().to_owned())),
        ("Spinning disk", volume.rotational.map(yes_or_no)),
        ("Removable", volume.removable.map(yes_or_no)),
        ("On a network", volume.network.map(yes_or_no)),
        ("In memory", volume.memory.map(yes_or_no)),
        ("Write cache", volume.write_cache.map(|cache| cache.name().to_owned())),
        ("Copy on write", volume.copy_on_write.map(yes_or_no)),
        ("Compressed", volume.compressed.map(yes_or_no)),
        ("Encrypted", volume.encrypted.map(yes_or_no)),
    ]
}

fn yes_or_no(fact: bool) -> String {
    if fact { "yes" } else { "no" }.to_owned()
}

fn joined(parts: &[&Option<String>]) -> Option<String> {
    let known: Vec<&str> = parts.iter().filter_map(|part| part.as_deref()).collect();
    (!known.is_empty()).then(|| known.join(" "))
}

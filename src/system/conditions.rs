//! What else the machine did before and during a run: power source, processor load, and what other
//! programs wrote. `session` watches a run with it; the figures go into the report, and `report/trust`
//! makes warnings of those that matter. What a system does not tell is `None`.

use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sysinfo::{
    CpuRefreshKind, DiskRefreshKind, Disks, MINIMUM_CPU_UPDATE_INTERVAL, Pid, ProcessRefreshKind, ProcessesToUpdate,
    RefreshKind, System,
};

use super::machine::{self, Power};

/// What was seen before and during a run.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub struct Conditions {
    /// The power source at the start.
    pub power_before: Option<Power>,
    /// The power source at the end.
    pub power_after: Option<Power>,
    /// The part of all cores that was busy just before the run, from 0 to 1.
    pub cpu_load_before: Option<f64>,
    /// The part of all cores that other programs kept busy during the run, from 0 to 1.
    pub other_cpu_load: Option<f64>,
    /// Bytes that other programs wrote to any drive during the run, as far as this user may see.
    pub other_written_bytes: Option<u64>,
    /// Bytes that reached the tested drive during the run, from all programs and the file system itself.
    pub drive_written_bytes: Option<u64>,
    /// Bytes that this program wrote during the run.
    pub own_written_bytes: Option<u64>,
    /// How far the wall clock ran ahead of the clock that stops in sleep, in seconds; also a corrected
    /// clock shows here.
    pub clock_jump_seconds: f64,
}

/// A run being watched.
pub struct Watch {
    system: Option<System>,
    disks: Option<Disks>,
    folder: PathBuf,
    started: Instant,
    started_at: SystemTime,
    conditions: Conditions,
    own_cpu_ms: u64,
}

impl Watch {
    /// Looks at the machine before a run. Takes about a quarter of a second, for a load needs two looks.
    pub fn begin(folder: &Path) -> Self {
        let mut system =
            System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing().with_usage())).ok();
        thread::sleep(MINIMUM_CPU_UPDATE_INTERVAL);
        let cpu_load_before = system.as_mut().map(look);
        let conditions = Conditions { power_before: machine::power(), cpu_load_before, ..Conditions::default() };
        let disks = Disks::new_with_refreshed_list_specifics(DiskRefreshKind::nothing().with_io_usage()).ok();
        let own = system.as_ref().and_then(own_process);
        let own_cpu_ms = own.map_or(0, sysinfo::Process::accumulated_cpu_time);
        Self {
            system,
            disks,
            folder: std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned()),
            started: Instant::now(),
            started_at: SystemTime::now(),
            conditions,
            own_cpu_ms,
        }
    }

    /// Looks again after the run.
    pub fn end(mut self) -> Conditions {
        let elapsed = self.started.elapsed();
        let all_load = self.system.as_mut().map(look);
        if let Some(disks) = &mut self.disks {
            disks.refresh_specifics(false, DiskRefreshKind::nothing().with_io_usage());
        }
        let own = self.system.as_ref().and_then(own_process);
        let cores = self.system.as_ref().map_or(0, |system| system.cpus().len()) as f64;
        let own_ms = own.map_or(0, sysinfo::Process::accumulated_cpu_time).saturating_sub(self.own_cpu_ms);
        let own_load = own_ms as f64 / 1e3 / elapsed.as_secs_f64().max(1e-3) / cores.max(1.0);
        Conditions {
            power_after: machine::power(),
            other_cpu_load: all_load.map(|load| (load - own_load).clamp(0.0, 1.0)),
            other_written_bytes: self.system.as_ref().map(written_by_others),
            drive_written_bytes: self.disks.as_ref().and_then(|disks| written_to_drive(disks, &self.folder)),
            own_written_bytes: own.map(|process| process.disk_usage().written_bytes),
            clock_jump_seconds: clock_jump(self.started_at, SystemTime::now(), elapsed),
            ..self.conditions
        }
    }
}

/// How far the wall clock ran ahead of the monotonic one, in seconds; negative where it was set back.
pub fn clock_jump(from: SystemTime, to: SystemTime, elapsed: Duration) -> f64 {
    let wall = match to.duration_since(from) {
        Ok(forward) => forward.as_secs_f64(),
        Err(backward) => -backward.duration().as_secs_f64(),
    };
    wall - elapsed.as_secs_f64()
}

/// Looks at processor and processes; returns the part of all cores that was busy since the last look.
fn look(system: &mut System) -> f64 {
    system.refresh_cpu_usage();
    // Dead processes stay listed, so that what they wrote still counts.
    let what = ProcessRefreshKind::nothing().with_disk_usage().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::All, false, what);
    f64::from(system.global_cpu_usage()) / 100.0
}

fn own_process(system: &System) -> Option<&sysinfo::Process> {
    system.process(Pid::from_u32(std::process::id()))
}

/// What was written since the last look. A process that began meanwhile counts from its start.
fn written_by_others(system: &System) -> u64 {
    let own = Pid::from_u32(std::process::id());
    let others = system.processes().iter().filter(|(pid, process)| **pid != own && process.thread_kind().is_none());
    others.map(|(_, process)| process.disk_usage().written_bytes).fold(0, u64::saturating_add)
}

/// What reached the drive that holds the folder since the last look, where the system tells.
fn written_to_drive(disks: &Disks, folder: &Path) -> Option<u64> {
    let holding = disks.iter().filter(|disk| folder.starts_with(disk.mount_point()));
    let disk = holding.max_by_key(|disk| disk.mount_point().as_os_str().len())?;
    let usage = disk.usage();
    (usage.total_written_bytes > 0).then_some(usage.written_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_shows_as_a_jump_of_the_wall_clock() {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let jump = |wall: i64, elapsed| {
            let end = SystemTime::UNIX_EPOCH + Duration::from_secs((1_000 + wall) as u64);
            clock_jump(start, end, Duration::from_secs(elapsed))
        };
        assert_eq!(jump(60, 60), 0.0);
        assert_eq!(jump(3_660, 60), 3_600.0);
        assert_eq!(jump(-40, 60), -100.0);
    }

    #[test]
    fn what_another_program_writes_is_seen() {
        let home = tempfile::tempdir_in(".").unwrap();
        let watch = Watch::begin(home.path());
        let file = home.path().join("other");
        let mut other = std::process::Command::new(if cfg!(windows) { "fsutil" } else { "dd" });
        if cfg!(windows) {
            // Allocating is not writing there; the figure is only known to be given.
            other.args(["file", "createnew"]).arg(&file).arg("8000000");
        } else {
            other.arg("if=/dev/zero").arg(format!("of={}", file.display())).args([
                "bs=1000000",
                "count=8",
                "conv=fsync",
            ]);
        }
        let worked = other.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success());
        let conditions = watch.end();
        assert!(conditions.clock_jump_seconds.abs() < 1.0);
        if worked && cfg!(target_os = "linux") && conditions.drive_written_bytes.is_some() {
            // The process is gone when we look again; the drive remembers.
            assert!(conditions.drive_written_bytes >= Some(8_000_000), "{conditions:?}");
        }
    }
}

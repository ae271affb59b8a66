//! What else the machine did before and during a run: power source, processor load, and what other
//! programs wrote. `session` watches a run with it; the figures go into the report, and `report/trust`
//! makes warnings of those that matter. What a system does not tell is `None`.

use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

use cpu_time::ProcessTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sysinfo::{
    DiskRefreshKind, Disks, MINIMUM_CPU_UPDATE_INTERVAL, Pid, ProcessRefreshKind, ProcessesToUpdate, RefreshKind,
    System,
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
    own_cpu: ProcessTime,
    load: LoadMeter,
}

impl Watch {
    /// Looks at the machine before a run. Takes about a quarter of a second, for a load needs two looks.
    pub fn begin(folder: &Path) -> Self {
        let mut system = System::new_with_specifics(RefreshKind::nothing()).ok();
        let mut load = LoadMeter::default();
        load.busy_share(system.as_mut());
        thread::sleep(MINIMUM_CPU_UPDATE_INTERVAL);
        let cpu_load_before = load.busy_share(system.as_mut());
        if let Some(system) = &mut system {
            look_at_processes(system);
        }
        let conditions = Conditions { power_before: machine::power(), cpu_load_before, ..Conditions::default() };
        let disks = Disks::new_with_refreshed_list_specifics(DiskRefreshKind::nothing().with_io_usage()).ok();
        Self {
            system,
            disks,
            folder: std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned()),
            started: Instant::now(),
            started_at: SystemTime::now(),
            conditions,
            own_cpu: ProcessTime::now(),
            load,
        }
    }

    /// Looks again after the run.
    pub fn end(mut self) -> Conditions {
        let elapsed = self.started.elapsed();
        let all_load = self.load.busy_share(self.system.as_mut());
        if let Some(system) = &mut self.system {
            look_at_processes(system);
        }
        if let Some(disks) = &mut self.disks {
            disks.refresh_specifics(false, DiskRefreshKind::nothing().with_io_usage());
        }
        let own = self.system.as_ref().and_then(own_process);
        let cores = thread::available_parallelism().map_or(1, usize::from) as f64;
        let own_load = self.own_cpu.elapsed().as_secs_f64() / elapsed.as_secs_f64().max(1e-3) / cores;
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

/// How busy all cores together were from one look to the next.
#[derive(Default)]
struct LoadMeter {
    /// Busy and total time at the last look, in a unit of the system's.
    #[cfg(windows)]
    last: Option<(u64, u64)>,
}

impl LoadMeter {
    /// The part of all cores that was busy since the last look, from 0 to 1; `None` at the first look and
    /// where the system does not tell. On Windows the processor times are asked for directly, since the
    /// performance counters behind sysinfo's figure take long to open and are not there under Wine.
    #[cfg(windows)]
    fn busy_share(&mut self, _system: Option<&mut System>) -> Option<f64> {
        let now = super::drive::windows::processor_times()?;
        let (busy, total) = self.last.replace(now)?;
        let passed = now.1.checked_sub(total).filter(|passed| *passed > 0)?;
        Some(now.0.saturating_sub(busy) as f64 / passed as f64)
    }

    /// The part of all cores that was busy since the last look, from 0 to 1; `None` where the system does
    /// not tell. The first look says nothing yet.
    #[cfg(not(windows))]
    fn busy_share(&mut self, system: Option<&mut System>) -> Option<f64> {
        let system = system?;
        system.refresh_cpu_usage();
        Some(f64::from(system.global_cpu_usage()) / 100.0)
    }
}

/// Dead processes stay listed, so that what they wrote still counts.
fn look_at_processes(system: &mut System) {
    system.refresh_processes_specifics(ProcessesToUpdate::All, false, ProcessRefreshKind::nothing().with_disk_usage());
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

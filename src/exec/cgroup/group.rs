//! One control group, for the processes of one helper.

use crate::domain::Limits;
use crate::exec::entry::HelperEntry;
use crate::text::number::memory;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the helper and the outer layer of the sandbox need themselves, since they are in the group too.
const OWN_BYTES: u64 = 16 << 20;
const OWN_PROCESSES: u64 = 4;
/// How long to wait for all processes to end.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// A group. Dropping it ends its processes and removes it.
#[derive(Debug)]
pub struct Group {
    pub(super) folder: PathBuf,
}

impl Group {
    /// Makes a group without limits.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn make(parent: &Path, name: &str) -> io::Result<Self> {
        let folder = parent.join(name);
        fs::create_dir(&folder)?;
        Ok(Self { folder })
    }

    /// The file that a process writes its id to in order to enter the group.
    pub fn procs_file(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }

    /// The same entry through this group: the helper enters the group first, then becomes the program to start.
    pub(crate) fn entry(&self, entry: &HelperEntry) -> HelperEntry {
        HelperEntry { door: Some(self.procs_file()), ..entry.clone() }
    }

    /// Sets what all processes in the group may use together.
    ///
    /// # Errors
    /// When the system refuses a limit, which then can't be said to hold.
    pub(crate) fn set(&self, limits: &Limits) -> io::Result<()> {
        let amount = |n: u64, own: u64| if n == 0 { "max".into() } else { n.saturating_add(own).to_string() };
        self.write_file("memory.max", &amount(limits.memory_bytes, OWN_BYTES))?;
        self.write_file("pids.max", &amount(limits.processes.into(), OWN_PROCESSES))?;
        // Without swap this file does not exist, and there is nothing to limit.
        if self.folder.join("memory.swap.max").exists() {
            self.write_file("memory.swap.max", if limits.memory_bytes == 0 { "max" } else { "0" })?;
        }
        // When the system kills one process for its memory, the rest of the run is of no use, so it kills them all.
        self.write_file("memory.oom.group", "1")
    }

    /// This memory limit in words, if processes were killed because of it. The system itself knows it in whole pages
    /// only.
    pub(crate) fn out_of_memory(&self, limit: u64) -> Option<String> {
        let is_killed =
            ["oom_kill", "oom_group_kill"].iter().any(|event| self.has_seen("memory.events", event));
        (limit > 0 && is_killed).then(|| format!("memory: over {}", memory(limit)))
    }

    /// Whether one of its files of events counts this, and more than none.
    fn has_seen(&self, file: &str, event: &str) -> bool {
        let words = words(&self.folder.join(file));
        let count = words.iter().skip_while(|word| *word != event).nth(1);
        count.is_some_and(|count| count != "0")
    }

    /// Kills all processes in it, including those that fork meanwhile.
    ///
    /// # Errors
    /// When the system can't (before Linux 5.14).
    pub fn kill(&self) -> io::Result<()> {
        self.write_file("cgroup.kill", "1")
    }

    /// Whether no process is in it.
    pub fn is_empty(&self) -> bool {
        !self.has_seen("cgroup.events", "populated")
    }

    fn write_file(&self, file: &str, value: &str) -> io::Result<()> {
        write(&self.folder.join(file), value)
            .map_err(|error| io::Error::new(error.kind(), format!("{file} = {value}: {error}")))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let until = Instant::now() + END_TIMEOUT;
        // The system's folder can be removed although it holds files, but only once no process is in the group.
        while fs::remove_dir(&self.folder).is_err_and(|e| e.kind() == io::ErrorKind::ResourceBusy) {
            let _ = self.kill();
            if Instant::now() >= until {
                tracing::warn!(group = %self.folder.display(), "a control group could not be removed");
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Writes to an existing file of a group. The system accepts a value as a whole or refuses it.
pub(super) fn write(file: &Path, value: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(file)?.write_all(value.as_bytes())
}

/// The words of such a file; empty if it can't be read.
pub(super) fn words(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap_or_default().split_whitespace().map(Into::into).collect()
}

//! Builds the command that starts a helper: directly, through a control group, or inside the outer layer of a sandbox.
//! `link` starts it.

use super::helper_file::{HelperFile, ITSELF, InheritedDescriptor};
use super::helper_part::JOIN;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The path of a run's own terminal inside the outer layer.
pub(super) const CONSOLE: &str = "/dev/console";

/// How a helper is started: directly, or inside the outer layer of a sandbox. The helper is always started by its
/// descriptor, never by its path.
#[derive(Clone, Debug)]
pub(crate) struct HelperEntry {
    pub(crate) helper: HelperFile,
    /// The `cgroup.procs` file of the control group to enter first.
    pub(crate) door: Option<PathBuf>,
    /// The program of the outer layer and its arguments. The helper follows them.
    pub(crate) outer: Option<(PathBuf, Vec<OsString>)>,
    /// Whether the helper is in a process namespace of its own, where processes have other ids.
    pub(crate) apart: bool,
}

impl HelperEntry {
    pub(crate) fn plain(helper: &HelperFile) -> Self {
        Self { helper: helper.clone(), door: None, outer: None, apart: false }
    }

    /// The same entry with this terminal as `/dev/console` among the devices that the outer layer makes, so that
    /// programs inside find it by a name. `None` if the outer layer makes no devices.
    pub(super) fn with_console(&self, terminal: &Path) -> Option<Self> {
        let mut entry = self.clone();
        let (_, args) = entry.outer.as_mut()?;
        let at = args.iter().position(|word| word == "--dev")? + 2;
        let words = ["--dev-bind".as_ref(), terminal.as_os_str(), CONSOLE.as_ref()];
        args.splice(at..at, words.map(std::ffi::OsStr::to_owned));
        Some(entry)
    }

    /// The path of the first program that is started, for messages.
    pub(super) fn starts(&self) -> PathBuf {
        match &self.outer {
            Some((program, _)) if self.door.is_none() => program.clone(),
            _ => self.helper.display_path().into(),
        }
    }

    /// The command, and the descriptor that must be kept open until the command was started.
    pub(super) fn command(&self) -> std::io::Result<(Command, Option<InheritedDescriptor>)> {
        let itself = self.helper.program()?;
        let lent = self.outer.is_some().then(|| self.helper.lend()).transpose()?;
        let mut words: Vec<OsString> = Vec::new();
        if let Some(door) = &self.door {
            words.extend([itself.clone().into(), "__run".into(), JOIN.into(), door.into()]);
        }
        match (&self.outer, &lent) {
            (Some((program, args)), Some(lent)) => {
                words.push(program.into());
                words.extend(args.iter().cloned());
                words.push(lent.path().into());
            }
            // `join` is the helper itself, so it continues as another instance of itself.
            _ if self.door.is_some() => words.push(ITSELF.into()),
            _ => words.push(itself.into()),
        }
        words.push("__run".into());
        let mut words = words.into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        if self.door.is_some() || self.outer.is_none() {
            // The name in lists of processes.
            command.arg0("sayso");
        }
        Ok((command, lent))
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    fn words(entry: &HelperEntry) -> Vec<String> {
        let (command, _lent) = entry.command().unwrap();
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn the_helper_is_named_by_descriptor_in_every_way_to_it() {
        let helper = HelperFile::at("/bin/true".as_ref()).unwrap();
        let plain = HelperEntry::plain(&helper);
        let outer = Some(("/usr/bin/bwrap".into(), vec!["--".into()]));
        let door = Some("/sys/fs/cgroup/g/cgroup.procs".into());
        let apart = HelperEntry { outer: outer.clone(), apart: true, ..plain.clone() };
        let ways = [
            plain.clone(),
            apart.clone(),
            HelperEntry { door: door.clone(), ..plain },
            HelperEntry { door, ..apart },
        ];
        for entry in ways {
            let words = words(&entry);
            assert!(words.iter().all(|word| !word.contains("/bin/true")), "{words:?}");
            assert_eq!(words.last().unwrap(), "__run");
            let last = &words[words.len() - 2];
            assert!(last.starts_with("/proc/self/"), "{words:?}");
            assert_eq!(words[0].starts_with("/proc/self/fd/"), entry.door.is_some() || entry.outer.is_none());
        }
    }
}

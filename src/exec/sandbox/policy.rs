//! What a run may reach, as a plain value: made from the person's wish and from what was found on the disk. From it
//! follow the mounts of the outer layer, the walls of the inner one, and the rights that are shown. Pure.

use super::confinement::FileRules;
use super::names::{DEVICES, KERNEL_TOLD, MACHINE, SETTINGS, SYSTEM, TERMINALS};
use super::scratch::HOME_PARTS;
use crate::domain::SandboxLevel;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a run may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Policy {
    /// The level that follows from wish and place.
    pub(crate) level: SandboxLevel,
    pub(crate) cwd: PathBuf,
    /// Where the home is, as programs see it.
    pub(crate) home: PathBuf,
    /// Where the private `/tmp` is, as programs see it.
    pub(crate) tmp: PathBuf,
    /// The private folder of the session: its `tmp` and its `home`.
    pub(crate) private: (PathBuf, PathBuf),
    /// Folders that are read beside the system: toolchains, and what the person allowed.
    pub(crate) read: Vec<PathBuf>,
    /// Folders that are written beside the working folder.
    pub(crate) write: Vec<PathBuf>,
    /// Protected names that are there.
    pub(crate) protected: Vec<PathBuf>,
    /// Folders that hold protected names: they can't be moved away.
    pub(crate) pinned: Vec<PathBuf>,
    /// Secret folders inside of what can be read.
    pub(crate) hidden_folders: Vec<PathBuf>,
    /// Secret files inside of what can be read.
    pub(crate) hidden_files: Vec<PathBuf>,
    /// What can be read of the working folder without hidden things, where there are any: for layers that can't hide.
    pub(crate) shown: Vec<PathBuf>,
    /// Files behind the links of the system's settings, such as the resolver's.
    pub(crate) behind: Vec<PathBuf>,
    /// Whether the network is open.
    pub(crate) network: bool,
}

/// Something in the file system that a run sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mount {
    /// A part of the system, where it is there.
    System(PathBuf),
    Read(PathBuf),
    Write {
        /// Where it really is.
        from: PathBuf,
        /// Where it is seen.
        at: PathBuf,
    },
    /// An empty folder in place of what is there.
    Empty(PathBuf),
    /// An empty file in place of what is there.
    Nothing(PathBuf),
}

impl Mount {
    fn at(&self) -> &Path {
        match self {
            Mount::System(at)
            | Mount::Read(at)
            | Mount::Write { at, .. }
            | Mount::Empty(at)
            | Mount::Nothing(at) => at,
        }
    }

    /// The place of an empty folder.
    pub(super) fn empty(&self) -> Option<&Path> {
        if let Mount::Empty(at) = self { Some(at) } else { None }
    }
}

impl Policy {
    /// Whether the working folder can be written.
    pub(super) fn cwd_is_writable(&self) -> bool {
        self.level == SandboxLevel::Workspace
    }

    /// What is kept from being read.
    pub(super) fn hidden(&self) -> Vec<PathBuf> {
        [&self.hidden_folders[..], &self.hidden_files[..]].concat()
    }

    /// The places inside of hidden folders that are mounted there all the same: what the person opened by name, and
    /// what is hidden for a reason of its own.
    pub(super) fn opened_inside_hidden(&self) -> Vec<PathBuf> {
        let inside =
            |at: &Path| self.hidden_folders.iter().any(|hidden| at != hidden && at.starts_with(hidden));
        self.mounts().iter().map(Mount::at).filter(|at| inside(at)).map(Into::into).collect()
    }

    /// The folders of the person that can be written.
    pub(super) fn writable(&self) -> Vec<PathBuf> {
        let cwd = self.cwd_is_writable().then(|| self.cwd.clone());
        cwd.into_iter().chain(self.write.iter().cloned()).collect()
    }

    /// The folders that can be read beside the system's and the writable ones.
    pub(super) fn readable(&self) -> Vec<PathBuf> {
        let cwd = (!self.cwd_is_writable()).then(|| self.cwd.clone());
        cwd.into_iter().chain(self.read.iter().cloned()).collect()
    }

    /// The same with more folders to read.
    #[must_use]
    pub(super) fn with_read(mut self, more: &[PathBuf]) -> Self {
        let inside = |folder: &PathBuf, of: &[PathBuf]| of.iter().any(|outer| folder.starts_with(outer));
        let mut covered = [self.writable(), vec![self.cwd.clone()], self.read.clone()].concat();
        for folder in more {
            if !inside(folder, &covered) {
                covered.push(folder.clone());
                self.read.push(folder.clone());
            }
        }
        self
    }

    /// All mounts, outer folders before those inside of them.
    pub(super) fn mounts(&self) -> Vec<Mount> {
        let system = SYSTEM.iter().chain(SETTINGS).chain(MACHINE).map(|path| Mount::System(path.into()));
        let mut mounts: Vec<Mount> = system.collect();
        mounts.extend(self.behind.iter().cloned().map(Mount::System));
        let (tmp, home) = &self.private;
        mounts.push(Mount::Write { from: tmp.clone(), at: self.tmp.clone() });
        mounts.push(Mount::Empty(self.home.clone()));
        let parts = HOME_PARTS.iter().map(|part| (home.join(part), self.home.join(part)));
        mounts.extend(parts.map(|(from, at)| Mount::Write { from, at }));
        let same = |path: &PathBuf| Mount::Write { from: path.clone(), at: path.clone() };
        mounts.extend(self.readable().into_iter().map(Mount::Read));
        mounts.extend(self.writable().iter().map(same));
        mounts.extend(self.pinned.iter().map(same));
        mounts.extend(self.protected.iter().cloned().map(Mount::Read));
        mounts.extend(self.hidden_folders.iter().cloned().map(Mount::Empty));
        mounts.extend(self.hidden_files.iter().cloned().map(Mount::Nothing));
        // A later mount covers an earlier one. The sort is stable: of two in one place the later one wins.
        mounts.sort_by_key(|mount| mount.at().components().count());
        mounts
    }

    /// The walls inside the outer layer: it decided what is there at all, so that here only writing is fenced.
    pub(super) fn file_rules_inside(&self) -> FileRules {
        let mut write = vec![self.tmp.clone()];
        write.extend(HOME_PARTS.iter().map(|part| self.home.join(part)));
        write.extend(self.writable());
        write.extend(DEVICES.iter().chain(TERMINALS).map(Into::into));
        FileRules { read: vec!["/".into()], write, no_tcp: false }
    }

    /// The walls without an outer layer.
    pub(super) fn file_rules_alone(&self) -> FileRules {
        let mut read: Vec<PathBuf> =
            SYSTEM.iter().chain(SETTINGS).chain(MACHINE).chain(KERNEL_TOLD).map(Into::into).collect();
        read.extend(self.behind.iter().cloned());
        let hides = !(self.hidden_folders.is_empty() && self.hidden_files.is_empty());
        if hides {
            read.extend(self.shown.iter().cloned());
            read.extend(self.read.iter().cloned());
        } else {
            read.extend(self.readable());
        }
        let (tmp, home) = &self.private;
        read.push(home.clone());
        let mut write = vec![tmp.clone()];
        write.extend(HOME_PARTS.iter().map(|part| home.join(part)));
        write.extend(self.writable());
        write.extend(DEVICES.iter().map(Into::into));
        FileRules { read, write, no_tcp: !self.network }
    }

    /// The variables that lead programs to their private places.
    pub(super) fn environment((tmp, home): (&Path, &Path)) -> Vec<(&'static str, OsString)> {
        let below = |part: &str| home.join(part).into_os_string();
        vec![
            ("HOME", home.into()),
            ("TMPDIR", tmp.into()),
            ("XDG_CACHE_HOME", below(".cache")),
            ("XDG_CONFIG_HOME", below(".config")),
            ("XDG_DATA_HOME", below(".local/share")),
            ("XDG_STATE_HOME", below(".local/state")),
            ("MPLCONFIGDIR", below(".cache/matplotlib")),
            ("IPYTHONDIR", below(".cache/ipython")),
            ("npm_config_cache", below(".cache/npm")),
            ("CARGO_HOME", below(".cache/cargo")),
            ("GOPATH", below(".cache/go")),
            ("JULIA_DEPOT_PATH", below(".cache/julia:")),
        ]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sample(level: SandboxLevel) -> Policy {
        Policy {
            level,
            cwd: "/home/ada/data/sales".into(),
            home: "/home/ada".into(),
            tmp: "/tmp".into(),
            private: ("/tmp/sayso-1/tmp".into(), "/tmp/sayso-1/home".into()),
            read: vec!["/home/ada/.pyenv".into()],
            write: vec!["/srv/out".into()],
            protected: vec!["/home/ada/data/sales/.git/hooks".into()],
            pinned: vec!["/home/ada/data/sales/.git".into()],
            hidden_folders: Vec::new(),
            hidden_files: Vec::new(),
            shown: Vec::new(),
            behind: Vec::new(),
            network: false,
        }
    }

    fn place(mounts: &[Mount], wanted: &Mount) -> usize {
        mounts
            .iter()
            .position(|mount| mount == wanted)
            .unwrap_or_else(|| panic!("no {wanted:?} in {mounts:#?}"))
    }

    #[test]
    fn what_lies_deeper_covers_what_lies_above() {
        let policy = sample(SandboxLevel::Workspace);
        let mounts = policy.mounts();
        let cwd = Mount::Write { from: policy.cwd.clone(), at: policy.cwd.clone() };
        let hooks = Mount::Read("/home/ada/data/sales/.git/hooks".into());
        assert!(place(&mounts, &Mount::Empty("/home/ada".into())) < place(&mounts, &cwd));
        assert!(place(&mounts, &cwd) < place(&mounts, &hooks));
    }

    #[test]
    fn read_only_writes_nothing_of_the_person() {
        let policy = Policy { write: Vec::new(), ..sample(SandboxLevel::ReadOnly) };
        assert_eq!(policy.writable(), Vec::<PathBuf>::new());
        assert!(policy.mounts().contains(&Mount::Read(policy.cwd.clone())));
        for file_rules in [policy.file_rules_alone(), policy.file_rules_inside()] {
            assert!(file_rules.write.iter().all(|path| !path.starts_with(&policy.cwd)));
        }
    }

    #[test]
    fn without_the_outer_layer_no_terminal_and_no_disk_is_reached() {
        let file_rules = sample(SandboxLevel::Workspace).file_rules_alone();
        let devices = file_rules.read.iter().chain(&file_rules.write).filter(|path| path.starts_with("/dev"));
        assert!(devices.clone().count() > 0);
        for device in devices {
            assert!(DEVICES.contains(&device.to_str().unwrap()), "{device:?}");
        }
    }

    #[test]
    fn hidden_things_are_not_read_through_their_folder() {
        let policy = Policy {
            cwd: "/home/ada".into(),
            hidden_folders: vec!["/home/ada/.ssh".into()],
            shown: vec!["/home/ada/data".into()],
            ..sample(SandboxLevel::ReadOnly)
        };
        let file_rules = policy.file_rules_alone();
        assert!(
            !file_rules.read.contains(&"/home/ada".into())
                && file_rules.read.contains(&"/home/ada/data".into())
        );
    }

    #[test]
    fn what_is_reached_already_is_not_listed_again() {
        let policy = sample(SandboxLevel::Workspace).with_read(&[
            "/home/ada/data/sales/.venv".into(),
            "/home/ada/.pyenv/versions/3.12".into(),
            "/opt/conda".into(),
            "/opt/conda/".into(),
        ]);
        assert_eq!(policy.read, [PathBuf::from("/home/ada/.pyenv"), "/opt/conda".into()]);
    }
}

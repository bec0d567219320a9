//! What a run may reach, as a plain value made from the person's request and the state of the disk. The mounts of the
//! outer layer, the file rules of Landlock, and the rights that are shown follow from it. Pure.

use super::confinement::FileRules;
use super::names::{DEVICES, KERNEL_TOLD, MACHINE, SETTINGS, SYSTEM, TERMINALS};
use super::scratch::HOME_PARTS;
use crate::domain::SandboxLevel;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SandboxPolicy {
    /// The level that results from the request and the working folder.
    pub(crate) level: SandboxLevel,
    pub(crate) cwd: PathBuf,
    /// The path of the home folder, as programs see it.
    pub(crate) home: PathBuf,
    /// The path of the private `/tmp`, as programs see it.
    pub(crate) tmp: PathBuf,
    /// The private folders of the session: its `tmp` and its `home`.
    pub(crate) private: (PathBuf, PathBuf),
    /// Readable folders beside the system: toolchains, and what the person allowed.
    pub(crate) read: Vec<PathBuf>,
    /// Writable folders beside the working folder.
    pub(crate) write: Vec<PathBuf>,
    /// Protected names that exist.
    pub(crate) protected: Vec<PathBuf>,
    /// Folders that contain protected names, so that they must not be moved away.
    pub(crate) pinned: Vec<PathBuf>,
    /// Secret folders inside of readable ones.
    pub(crate) hidden_folders: Vec<PathBuf>,
    /// Secret files inside of readable folders.
    pub(crate) hidden_files: Vec<PathBuf>,
    /// Which Unix sockets are among the hidden files.
    pub(super) sockets: CoveredSockets,
    /// If something in the working folder is hidden, the readable parts of it, for a layer that can only allow.
    pub(crate) shown: Vec<PathBuf>,
    /// The targets of the system's settings that are links, such as that of the resolver.
    pub(crate) behind: Vec<PathBuf>,
    pub(crate) network: bool,
}

/// Which of the Unix sockets in the folders of runs are covered by mounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoveredSockets {
    /// Those that existed when the folders were looked through.
    All,
    /// The first ones: there is too much in the folders to look at.
    First,
    /// None: there are too many.
    None,
}

/// A mount that a run sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mount {
    /// A part of the system; skipped if it does not exist.
    System(PathBuf),
    Read(PathBuf),
    Write {
        /// The real path.
        from: PathBuf,
        /// The path that programs see.
        at: PathBuf,
    },
    /// An empty folder in place of the real one.
    Empty(PathBuf),
    /// An empty file in place of the real one.
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

    /// The path, if it is an empty folder.
    pub(super) fn empty(&self) -> Option<&Path> {
        if let Mount::Empty(at) = self { Some(at) } else { None }
    }
}

impl SandboxPolicy {
    pub(super) fn cwd_is_writable(&self) -> bool {
        self.level == SandboxLevel::Workspace
    }

    /// What must not be readable.
    pub(super) fn hidden(&self) -> Vec<PathBuf> {
        [&self.hidden_folders[..], &self.hidden_files[..]].concat()
    }

    /// Paths inside hidden folders that are mounted nevertheless: what the person opened by name, and what is hidden in
    /// its own right.
    pub(super) fn opened_inside_hidden(&self) -> Vec<PathBuf> {
        let inside =
            |at: &Path| self.hidden_folders.iter().any(|hidden| at != hidden && at.starts_with(hidden));
        self.mounts().iter().map(Mount::at).filter(|at| inside(at)).map(Into::into).collect()
    }

    /// The folders of the person that are writable.
    pub(super) fn writable(&self) -> Vec<PathBuf> {
        let cwd = self.cwd_is_writable().then(|| self.cwd.clone());
        cwd.into_iter().chain(self.write.iter().cloned()).collect()
    }

    /// The folders that are readable in addition to the system's and the writable ones.
    pub(super) fn readable(&self) -> Vec<PathBuf> {
        let cwd = (!self.cwd_is_writable()).then(|| self.cwd.clone());
        cwd.into_iter().chain(self.read.iter().cloned()).collect()
    }

    /// The person's folders as a run has them: the readable ones, then the writable ones. `mounts`: a separate file system
    /// is made, in which a writable folder that can't be looked into is read-only.
    pub(super) fn folders_of_runs(&self, mounts: bool) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let is_closed = |folder: &PathBuf| mounts && self.protected.contains(folder);
        let (closed, write): (Vec<_>, Vec<_>) = self.writable().into_iter().partition(is_closed);
        ([self.readable(), closed].concat(), write)
    }

    /// The same policy with more readable folders.
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

    /// The same policy with nothing of the person's folders, to find out whether the layers work by themselves.
    #[must_use]
    pub(super) fn without_folders(&self) -> Self {
        Self {
            level: SandboxLevel::ReadOnly,
            cwd: self.private.0.clone(),
            home: "/run/home".into(),
            tmp: "/run/tmp".into(),
            read: Vec::new(),
            write: Vec::new(),
            protected: Vec::new(),
            pinned: Vec::new(),
            hidden_folders: Vec::new(),
            hidden_files: Vec::new(),
            shown: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether a path is hidden. What the person opened by name inside of a hidden folder is not.
    fn is_hidden(&self, path: &Path) -> bool {
        let depth = |of: &[PathBuf]| {
            let around = of.iter().filter(|outer| path.starts_with(outer));
            around.map(|outer| outer.components().count()).max()
        };
        // There may be many hidden files, and this is asked of many paths.
        let hidden = depth(&self.hidden_folders).max(depth(&self.hidden_files));
        hidden.is_some() && hidden >= depth(&[self.readable(), self.writable()].concat())
    }

    /// All mounts, parents before the folders inside of them.
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
        // Settings of git name some of these. A mount would show what lies behind one that hides it.
        let shown = |path: &&PathBuf| !self.is_hidden(path);
        mounts.extend(self.pinned.iter().filter(shown).map(same));
        mounts.extend(self.protected.iter().filter(shown).cloned().map(Mount::Read));
        mounts.extend(self.hidden_folders.iter().cloned().map(Mount::Empty));
        mounts.extend(self.hidden_files.iter().cloned().map(Mount::Nothing));
        // A later mount covers an earlier one. The sort is stable, so of two mounts at the same path the later one
        // wins.
        mounts.sort_by_key(|mount| mount.at().components().count());
        mounts
    }

    /// The file rules inside the outer layer. That layer already decides what exists, so these restrict only writing.
    pub(super) fn file_rules_inside(&self) -> FileRules {
        let mut write = vec![self.tmp.clone()];
        write.extend(HOME_PARTS.iter().map(|part| self.home.join(part)));
        write.extend(self.writable());
        write.extend(DEVICES.iter().chain(TERMINALS).map(Into::into));
        FileRules { read: vec!["/".into()], write, no_tcp: false }
    }

    /// The file rules without an outer layer.
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

    /// The variables that point programs to their private folders.
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

    pub(crate) fn sample(level: SandboxLevel) -> SandboxPolicy {
        SandboxPolicy {
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
            sockets: CoveredSockets::All,
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
        let policy = SandboxPolicy { write: Vec::new(), ..sample(SandboxLevel::ReadOnly) };
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
        let policy = SandboxPolicy {
            cwd: "/home/ada".into(),
            hidden_folders: vec!["/home/ada/.ssh".into()],
            shown: vec!["/home/ada/data".into()],
            ..sample(SandboxLevel::ReadOnly)
        };
        let read = policy.file_rules_alone().read;
        assert!(!read.contains(&"/home/ada".into()) && read.contains(&"/home/ada/data".into()));
    }

    #[test]
    fn a_writable_folder_that_is_protected_as_a_whole_is_only_read() {
        let policy = sample(SandboxLevel::Workspace);
        let closed = SandboxPolicy { protected: vec![policy.cwd.clone()], ..policy.clone() };
        let (read, write) = closed.folders_of_runs(true);
        assert_eq!((read.last(), &write), (Some(&policy.cwd), &policy.write));
        assert_eq!(closed.folders_of_runs(false), (policy.readable(), policy.writable()));
        let reach = super::super::reach::tests::layered().reach(&closed, true);
        assert_eq!(reach.writes(&policy.cwd.join("notes.txt")), crate::domain::Reachability::No);
    }

    #[test]
    fn no_protected_name_shows_what_is_hidden() {
        let below = |paths: &[&str]| paths.iter().map(|path| Path::new("/srv/ada").join(path)).collect();
        let policy = SandboxPolicy {
            write: below(&["", ".ssh/mine"]),
            hidden_folders: below(&[".ssh"]),
            hidden_files: below(&[".netrc"]),
            protected: below(&[".git/hooks", ".netrc", ".ssh/keys", ".ssh/mine/.git/hooks"]),
            pinned: below(&[".git", ".ssh", ".ssh/keys", ".ssh/mine/.git"]),
            ..sample(SandboxLevel::Workspace)
        };
        let mounts = policy.mounts();
        let mounts = mounts.iter().filter(|mount| mount.at().starts_with("/srv/ada"));
        let mut paths: Vec<_> = mounts.map(|mount| mount.at().strip_prefix("/srv/ada").unwrap()).collect();
        paths.sort();
        let expected = [
            "",
            ".git",
            ".git/hooks",
            ".netrc",
            ".ssh",
            ".ssh/mine",
            ".ssh/mine/.git",
            ".ssh/mine/.git/hooks",
        ];
        assert_eq!(paths, expected.map(Path::new));
    }

    #[test]
    fn without_folders_nothing_of_the_person_is_mounted() {
        let policy = sample(SandboxLevel::Workspace);
        let policy = SandboxPolicy {
            hidden_folders: vec![policy.cwd.join("own")],
            hidden_files: vec![policy.cwd.join("server.sock")],
            shown: vec![policy.cwd.join("notes")],
            ..policy
        };
        let of_person = |path: &Path| path.starts_with("/home") || path.starts_with("/srv");
        assert!(policy.mounts().iter().any(|mount| of_person(mount.at())));
        let bare = policy.without_folders();
        assert!(!bare.mounts().iter().any(|mount| of_person(mount.at())), "{:#?}", bare.mounts());
        let FileRules { read, write, .. } = bare.file_rules_alone();
        assert!(!read.iter().chain(&write).any(|path| of_person(path)), "{read:?} {write:?}");
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

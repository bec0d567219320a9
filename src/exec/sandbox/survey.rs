//! Makes a policy from the person's request and the state of the disk. Changes nothing.

use super::bwrap::{MAX_SOCKET_MOUNTS, are_mountable};
use super::error::SandboxError;
use super::guarded_paths::{GuardedPaths, guarded_paths};
use super::managers;
use super::names::{KERNEL_FOLDERS, MEMORY_FILES, SECRETS};
use super::policy::{CoveredSockets, SandboxPolicy};
use super::scratch::Scratch;
use super::toolchain::{self, SearchScope};
use crate::config::Paths;
use crate::domain::SandboxLevel;
use crate::launch::Launcher;
use crate::text::system_error::words;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

/// How many entries of the home folder are read.
const MAX_HOME_ENTRIES: usize = 4096;

/// How many entries are searched for sockets.
const MAX_SOCKET_ENTRIES: usize = 30_000;

/// The sandbox that the person wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxRequest {
    /// The level.
    pub level: SandboxLevel,
    /// Whether the person asked for this level. Then it is enforced, or nothing runs.
    pub asked: bool,
    /// Further readable folders.
    pub read: Vec<PathBuf>,
    /// Further writable folders.
    pub write: Vec<PathBuf>,
    /// Whether the network is open.
    pub network: bool,
}

/// The surroundings of the session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionSite<'a> {
    pub(crate) cwd: &'a Path,
    pub(crate) home: Option<&'a Path>,
    /// Folders of sayso's own: configuration, sessions, state.
    pub(crate) own: &'a [PathBuf],
    /// The `PATH`, whose folders have to be readable.
    pub(crate) path: &'a OsStr,
    /// The programs that sayso may start, the outer layer among them.
    pub(crate) programs: &'a Launcher,
}

/// The policy, and notes about it for the person.
///
/// # Errors
/// When a folder that the person named can't be used.
pub(super) fn survey(
    request: &SandboxRequest,
    site: SessionSite<'_>,
    scratch: &Scratch,
) -> Result<(SandboxPolicy, Vec<String>), SandboxError> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let cwd = real(site.cwd);
    let home = site.home.map(real).filter(|home| home.components().count() > 1);
    let mut own: Vec<PathBuf> = site.own.iter().map(|folder| real(folder)).collect();
    own.extend(scratch.tmp().parent().map(Into::into));
    let (read, write) = allowed_folders(request, &own)?;
    let scope = SearchScope { home: home.as_deref(), cwd: &cwd, own: &own, programs: site.programs };
    let elsewhere = toolchain::tidy(managers::set_elsewhere(), scope);
    let tools = [toolchain::of_path(site.path, scope), elsewhere].concat();

    let at_home = home.as_ref() == Some(&cwd);
    let opened = [&read[..], &write[..]].concat();
    let (hidden_folders, mut hidden_files) = hidden_places(&cwd, home.as_deref(), &own, &opened);
    let mut notes = Vec::new();
    let mut level = request.level;
    if let Some(why) = too_wide(&cwd, home.as_deref(), &own) {
        level = SandboxLevel::ReadOnly;
        let hides = hidden_folders.iter().chain(&hidden_files).any(|path| path.starts_with(&cwd));
        let hidden = if hides { " and its secrets are hidden" } else { "" };
        notes.push(format!(
            "the working folder {why}: it is read-only{hidden}; write to $TMPDIR, or name a folder to work in with \
             --cwd"
        ));
    }
    let (found, sockets) = sockets(&[std::slice::from_ref(&cwd), &opened].concat());
    hidden_files.extend(found);
    let policy = SandboxPolicy {
        level,
        home: match &home {
            Some(home) if !at_home && !toolchain::is_system(home) => home.clone(),
            _ => "/run/home".into(),
        },
        tmp: if cwd == Path::new("/tmp") { "/run/tmp".into() } else { "/tmp".into() },
        private: (scratch.tmp(), scratch.home()),
        read: Vec::new(),
        protected: Vec::new(),
        pinned: Vec::new(),
        shown: readable_parts(&cwd, &[&hidden_folders[..], &hidden_files[..]].concat()),
        hidden_folders,
        hidden_files,
        sockets,
        behind: behind_links(),
        network: request.network,
        write,
        cwd,
    };
    let policy = policy.with_read(&read).with_read(&tools);
    let GuardedPaths { protected, pinned } = guarded_paths(&policy.writable(), &policy.hidden_files);
    Ok((SandboxPolicy { protected, pinned, ..policy }, notes))
}

/// The further folders of the request, resolved. A missing one is an error: nothing is left out silently.
fn allowed_folders(
    request: &SandboxRequest,
    own: &[PathBuf],
) -> Result<(Vec<PathBuf>, Vec<PathBuf>), SandboxError> {
    let folder = |path: &PathBuf| {
        fs::canonicalize(path).map_err(|error| SandboxError::NoFolder(path.clone(), words(&error)))
    };
    let writable = |path: PathBuf| {
        if path == Path::new("/") || own.iter().any(|own| own.starts_with(&path) || path.starts_with(own)) {
            return Err(SandboxError::OwnFolder(path));
        }
        if is_of_kernel(&path) {
            return Err(SandboxError::KernelFolder(path));
        }
        Ok(path)
    };
    let read = request.read.iter().map(folder).collect::<Result<_, _>>()?;
    let write = request.write.iter().map(|path| folder(path).and_then(writable)).collect::<Result<_, _>>()?;
    Ok((read, write))
}

/// Why a working folder is too wide to be writable.
fn too_wide(cwd: &Path, home: Option<&Path>, own: &[PathBuf]) -> Option<&'static str> {
    if cwd == Path::new("/") {
        Some("is the whole disk")
    } else if home == Some(cwd) {
        Some("is your home folder")
    } else if home.is_some_and(|home| home.starts_with(cwd)) {
        Some("holds your home folder")
    } else if own.iter().any(|own| own.starts_with(cwd)) {
        Some("holds sayso's own files")
    } else if own.iter().any(|own| is_inside(cwd, own)) {
        Some("lies inside of a folder with sayso's own files")
    } else if is_of_kernel(cwd) {
        Some("is the kernel's")
    } else {
        None
    }
}

/// Whether a working folder lies among the files in this folder of sayso's own. All of sayso's folders may be one, and
/// then demos work in it: they have folders with nothing else.
fn is_inside(cwd: &Path, own: &Path) -> bool {
    cwd.starts_with(own) && !cwd.starts_with(Paths::under(own).demo())
}

/// Whether the files in a folder are the kernel's, those of devices and of all programs. In a folder in memory they are
/// those of whoever made it.
fn is_of_kernel(folder: &Path) -> bool {
    let in_memory = folder.starts_with(MEMORY_FILES) && folder != Path::new(MEMORY_FILES);
    !in_memory && KERNEL_FOLDERS.iter().any(|kernel| folder.starts_with(kernel))
}

/// The secret folders and files inside the working folder or another open one, and sayso's own.
fn hidden_places(
    cwd: &Path,
    home: Option<&Path>,
    own: &[PathBuf],
    further: &[PathBuf],
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut secret: Vec<PathBuf> = Vec::new();
    let within = |path: &Path| path.starts_with(cwd) || further.iter().any(|folder| path.starts_with(folder));
    if let Some(home) = home.filter(|home| within(home)) {
        secret.extend(SECRETS.iter().map(|name| home.join(name)));
    }
    // What the person opened by name is meant to be readable.
    secret.retain(|path| !further.contains(path));
    secret.extend(own.iter().filter(|own| within(own)).cloned());
    if cwd == Path::new("/") {
        let of_system =
            ["/run", "/root", "/etc/shadow", "/etc/gshadow", "/etc/ssh", "/etc/sudoers", "/var/lib/docker"];
        secret.extend(of_system.iter().map(PathBuf::from));
    }
    secret.retain(|path| path != cwd && fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_symlink()));
    secret.sort();
    secret.dedup();
    secret.into_iter().partition(|path| path.is_dir())
}

/// For a layer that can only allow: the entries of a folder except the hidden ones, those that contain hidden ones, and
/// those whose names begin with a dot. Empty if nothing is hidden.
fn readable_parts(cwd: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.is_empty() {
        return Vec::new();
    }
    let entries = fs::read_dir(cwd).into_iter().flatten().take(MAX_HOME_ENTRIES).filter_map(Result::ok);
    entries
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .filter(|path| !hidden.iter().any(|hidden| hidden.starts_with(path)))
        .collect()
}

/// The Unix sockets in these folders that are to be covered, and which ones these are. Whoever listens on one is
/// outside of the sandbox and does what it is asked to.
fn sockets(folders: &[PathBuf]) -> (Vec<PathBuf>, CoveredSockets) {
    let (mut found, all) = find_sockets(folders);
    found.sort();
    found.dedup();
    if !are_mountable(&found, MAX_SOCKET_MOUNTS) {
        return (Vec::new(), CoveredSockets::None);
    }
    (found, if all { CoveredSockets::All } else { CoveredSockets::First })
}

/// The Unix sockets in these folders, and whether everything in them was looked at.
fn find_sockets(folders: &[PathBuf]) -> (Vec<PathBuf>, bool) {
    let (mut todo, mut found, mut left) = (folders.to_vec(), Vec::new(), MAX_SOCKET_ENTRIES);
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            let Some(rest) = left.checked_sub(1) else { return (found, false) };
            left = rest;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                todo.push(entry.path());
            } else if kind.is_socket() {
                found.push(entry.path());
            }
        }
    }
    (found, true)
}

/// The policy with protected names searched again, since a folder may have become a repository. Hidden files that no
/// longer exist are left out, because covering one would leave an empty file behind.
pub(super) fn survey_again(policy: &SandboxPolicy) -> SandboxPolicy {
    let GuardedPaths { protected, pinned } = guarded_paths(&policy.writable(), &policy.hidden_files);
    let is_there = |path: &&PathBuf| fs::symlink_metadata(path).is_ok();
    let hidden_files = policy.hidden_files.iter().filter(is_there).cloned().collect();
    SandboxPolicy { protected, pinned, hidden_files, ..policy.clone() }
}

/// The targets of system settings that are links.
fn behind_links() -> Vec<PathBuf> {
    ["/etc/resolv.conf", "/etc/localtime", "/etc/hosts"]
        .iter()
        .filter(|path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()))
        .filter_map(|path| fs::canonicalize(path).ok())
        .filter(|path| !toolchain::is_system(path) && !path.starts_with("/etc"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    struct SurveyDisk {
        _folder: tempfile::TempDir,
        home: PathBuf,
        own: Vec<PathBuf>,
        scratch: Scratch,
    }

    impl SurveyDisk {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let base = fs::canonicalize(folder.path()).unwrap();
            for part in ["home/.ssh", "home/work/.git/hooks", "home/own", "private", "home/data"] {
                fs::create_dir_all(base.join(part)).unwrap();
            }
            fs::write(base.join("home/.netrc"), "").unwrap();
            fs::write(base.join("home/work/.git/config"), "").unwrap();
            let scratch = Scratch::make(&base.join("private")).unwrap();
            Self { home: base.join("home"), own: vec![base.join("home/own")], scratch, _folder: folder }
        }

        fn survey(
            &self,
            request: &SandboxRequest,
            cwd: &str,
        ) -> Result<(SandboxPolicy, Vec<String>), SandboxError> {
            let cwd = self.home.join(cwd);
            let (path, programs) = (OsStr::new("/usr/bin"), &Launcher::default());
            let site = SessionSite { cwd: &cwd, home: Some(&self.home), own: &self.own, path, programs };
            survey(request, site, &self.scratch)
        }
    }

    fn workspace() -> SandboxRequest {
        SandboxRequest { level: SandboxLevel::Workspace, ..SandboxRequest::default() }
    }

    #[test]
    fn a_project_is_written_but_for_its_protected_names() {
        let disk = SurveyDisk::new();
        let (policy, notes) = disk.survey(&workspace(), "work").unwrap();
        assert!(policy.cwd_is_writable());
        assert_eq!((notes, policy.sockets), (Vec::new(), CoveredSockets::All));
        let git = disk.home.join("work/.git");
        assert_eq!(policy.protected, [git.join("config"), git.join("hooks")]);
        assert_eq!(policy.pinned, [git]);
        assert_eq!(policy.home, disk.home);
    }

    #[test]
    fn the_home_folder_is_read_without_its_secrets() {
        let disk = SurveyDisk::new();
        let (policy, notes) = disk.survey(&workspace(), "").unwrap();
        assert_eq!(policy.level, SandboxLevel::ReadOnly);
        assert!(notes[0].contains("is your home folder") && notes[0].contains("--cwd"), "{notes:?}");
        assert_eq!(policy.hidden_folders, [disk.home.join(".ssh"), disk.home.join("own")]);
        assert_eq!(policy.hidden_files, [disk.home.join(".netrc")]);
        let is_shown = |name: &str| policy.shown.contains(&disk.home.join(name));
        assert!(is_shown("data") && !is_shown("own"));
        assert_eq!(policy.home, Path::new("/run/home"));
    }

    #[test]
    fn our_own_files_are_never_opened_for_writing() {
        let disk = SurveyDisk::new();
        let request = SandboxRequest { write: vec![disk.home.clone()], ..workspace() };
        assert!(disk.survey(&request, "work").unwrap_err().to_string().contains("sayso's own files"));
        let request = SandboxRequest { read: vec![disk.home.join("gone")], ..workspace() };
        assert!(disk.survey(&request, "work").unwrap_err().to_string().contains("is not there"));
        let request = SandboxRequest { write: vec![disk.home.join("data")], ..workspace() };
        let (policy, _) = disk.survey(&request, "work").unwrap();
        assert_eq!(policy.writable(), [disk.home.join("work"), disk.home.join("data")]);
    }

    #[test]
    fn nothing_is_written_among_our_own_files() {
        let disk = SurveyDisk::new();
        let paths = Paths::under(&disk.own[0]);
        let recipes = paths.recipes();
        for folder in [&recipes, &paths.undo(), &paths.sessions().join("blobs")] {
            fs::create_dir_all(folder).unwrap();
            let (policy, notes) = disk.survey(&workspace(), folder.to_str().unwrap()).unwrap();
            assert_eq!((policy.level, policy.writable()), (SandboxLevel::ReadOnly, Vec::new()), "{folder:?}");
            assert!(notes[0].contains("sayso's own files") && !notes[0].contains("hidden"), "{notes:?}");
        }
        let demo = paths.demo().join("orders");
        fs::create_dir_all(&demo).unwrap();
        let (policy, notes) = disk.survey(&workspace(), demo.to_str().unwrap()).unwrap();
        assert_eq!((policy.writable(), notes), (vec![demo], Vec::new()));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_folders_of_the_kernel_are_never_writable() {
        let disk = SurveyDisk::new();
        for folder in ["/proc", "/proc/self", "/sys", "/sys/kernel", "/dev"] {
            let (policy, notes) = disk.survey(&workspace(), folder).unwrap();
            assert_eq!((policy.level, policy.writable()), (SandboxLevel::ReadOnly, Vec::new()), "{folder}");
            assert!(notes[0].contains("is the kernel's"), "{notes:?}");
            let request = SandboxRequest { write: vec![folder.into()], ..workspace() };
            let why = disk.survey(&request, "work").unwrap_err();
            assert!(matches!(why, SandboxError::KernelFolder(_)), "{folder}: {why}");
        }
        assert!(is_of_kernel(Path::new("/dev/shm")) && !is_of_kernel(Path::new("/dev/shm/ada")));
        assert!(!is_of_kernel(Path::new("/device")));
    }

    #[test]
    fn more_sockets_than_mounts_can_cover_are_refused_together() {
        let disk = SurveyDisk::new();
        let work = disk.home.join("work");
        let bind = |at: usize| drop(UnixListener::bind(work.join(at.to_string())).unwrap());
        (0..MAX_SOCKET_MOUNTS).for_each(bind);
        let (policy, _) = disk.survey(&workspace(), "work").unwrap();
        assert_eq!((policy.hidden_files.len(), policy.sockets), (MAX_SOCKET_MOUNTS, CoveredSockets::All));
        bind(MAX_SOCKET_MOUNTS);
        let (policy, _) = disk.survey(&workspace(), "work").unwrap();
        assert_eq!((policy.hidden_files, policy.sockets), (Vec::new(), CoveredSockets::None));
    }

    #[test]
    fn a_link_in_place_of_a_protected_name_closes_the_folder_around_it() {
        let disk = SurveyDisk::new();
        let git = disk.home.join("work/.git");
        fs::remove_dir(git.join("hooks")).unwrap();
        std::os::unix::fs::symlink("/tmp", git.join("hooks")).unwrap();
        let (policy, _) = disk.survey(&workspace(), "work").unwrap();
        assert!(policy.protected.contains(&git), "{:?}", policy.protected);
    }
}

//! Decides which folders of this machine a container sees: the working folder, and those that the person opened beside
//! it. Protected names inside them stay read-only. Pure, except for [`Grants::look`] and [`WithheldPlaces::look`].

use super::error::ContainerError;
use crate::config::FolderInContainer;
use crate::exec::sandbox::{GuardedPaths, SandboxRequest, guarded_paths};
use crate::text::system_error::words;
use bollard::models::{Mount, MountType};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// System folders. Mounting one of them would hide the container's own.
const SYSTEM: &[&str] = &[
    "/", "/bin", "/sbin", "/lib", "/lib64", "/usr", "/etc", "/var", "/run", "/opt", "/tmp", "/home", "/root",
];
const SYSTEM_TREES: &[&str] = &["/proc", "/sys", "/dev", "/run", "/var/run"];

/// What the person opened for the runs of this session beside the working folder, and what stays protected inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Grants {
    /// Further folders that are readable.
    pub(crate) read: Vec<PathBuf>,
    /// Further folders that are writable.
    pub(crate) write: Vec<PathBuf>,
    pub(crate) network: bool,
    /// Protected names in the writable folders.
    pub(crate) guarded: GuardedPaths,
}

/// What no container gets of this machine. Paths are compared by name, so links are resolved in all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct WithheldPlaces {
    /// The account's home folder.
    pub(crate) home: Option<PathBuf>,
    pub(crate) socket: Option<PathBuf>,
    /// Folders of sayso's own.
    pub(crate) own: Vec<PathBuf>,
}

impl WithheldPlaces {
    /// These places with their links resolved.
    pub(super) fn find(home: Option<&Path>, socket: Option<&Path>, own: &[PathBuf]) -> Self {
        Self {
            home: home.map(real),
            socket: socket.map(real),
            own: own.iter().map(|own| real(own)).collect(),
        }
    }
}

/// The path with links resolved. If it does not exist, its existing parents are resolved.
pub(super) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => real(folder).join(name),
        _ => path.into(),
    })
}

impl Grants {
    /// Resolves what was opened to what is on the disk now. `folder` is the working folder, if it is mounted.
    ///
    /// # Errors
    /// When an opened folder does not exist, or may not be mounted. Nothing is left out silently.
    pub(super) fn check(
        request: &SandboxRequest,
        folder: Option<(&Path, FolderInContainer)>,
        closed: &WithheldPlaces,
        remote: bool,
    ) -> Result<Self, ContainerError> {
        let opened = |path: &PathBuf| {
            let granted = |why: String| ContainerError::Granted { path: path.clone(), why };
            if remote {
                return Err(granted("the engine is on another machine".into()));
            }
            let real = std::fs::canonicalize(path).map_err(|error| granted(words(&error)))?;
            may_mount(&real, closed).map_err(|why| granted(why.into()))?;
            Ok(real)
        };
        let read: Vec<PathBuf> = request.read.iter().map(opened).collect::<Result<_, _>>()?;
        let write: Vec<PathBuf> = request.write.iter().map(opened).collect::<Result<_, _>>()?;
        let written = folder.filter(|(_, how)| *how == FolderInContainer::Writable).map(|(path, _)| path);
        let writable: Vec<PathBuf> =
            written.map(Into::into).into_iter().chain(write.iter().cloned()).collect();
        Ok(Self { read, write, network: request.network, guarded: guarded_paths(&writable, &[]) })
    }

    /// All bind mounts, each path once.
    pub(super) fn mounts(&self, folder: Option<(&Path, FolderInContainer)>) -> Vec<Mount> {
        // An entry replaces an earlier one for the same path.
        let mut places: BTreeMap<&Path, bool> = BTreeMap::new();
        let inside = |path: &Path| {
            folder.is_some_and(|(cwd, _)| path.starts_with(cwd))
                || self.write.iter().any(|written| path.starts_with(written))
        };
        places.extend(self.read.iter().map(PathBuf::as_path).filter(|path| !inside(path)).map(|p| (p, true)));
        places.extend(folder.map(|(path, how)| (path, how == FolderInContainer::ReadOnly)));
        places.extend(self.write.iter().map(|path| (path.as_path(), false)));
        // A mount point can't be moved away.
        places.extend(self.guarded.pinned.iter().map(|path| (path.as_path(), false)));
        places.extend(self.guarded.protected.iter().map(|path| (path.as_path(), true)));
        places
            .into_iter()
            .map(|(path, read_only)| Mount {
                target: Some(path.to_string_lossy().into_owned()),
                source: Some(path.to_string_lossy().into_owned()),
                typ: Some(MountType::BIND),
                read_only: Some(read_only),
                ..Mount::default()
            })
            .collect()
    }
}

/// Checks whether a folder may be mounted in a container.
///
/// # Errors
/// Why it may not.
pub(super) fn may_mount(folder: &Path, closed: &WithheldPlaces) -> Result<(), &'static str> {
    if closed.home.as_ref().is_some_and(|home| home.starts_with(folder)) {
        return Err("it holds your home folder, with its keys");
    }
    if closed.socket.as_ref().is_some_and(|socket| socket.starts_with(folder)) {
        return Err("it holds the engine's socket, which is as good as root");
    }
    if closed.own.iter().any(|own| own.starts_with(folder) || folder.starts_with(own)) {
        return Err("sayso's own files are in it");
    }
    let tree = SYSTEM_TREES.iter().any(|tree| folder.starts_with(tree));
    if tree || SYSTEM.iter().any(|system| folder == Path::new(system)) {
        return Err("it is one of the system's own");
    }
    if folder.to_str().is_none() {
        return Err("its name is not UTF-8");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_stay_outside() {
        let closed = &WithheldPlaces {
            home: Some("/home/me".into()),
            socket: Some("/srv/docker/docker.sock".into()),
            own: vec!["/home/me/.local/share/sayso".into()],
        };
        for folder in [
            "/",
            "/home",
            "/home/me",
            "/usr",
            "/proc/self",
            "/srv/docker",
            "/run/user/1000",
            "/tmp",
            "/home/me/.local",
            "/home/me/.local/share/sayso/blobs",
        ] {
            assert!(may_mount(Path::new(folder), closed).is_err(), "{folder}");
        }
        for folder in ["/home/me/work", "/srv/data", "/tmp/x", "/usr/local/src/x"] {
            assert_eq!(may_mount(Path::new(folder), closed), Ok(()), "{folder}");
        }
    }

    fn shown(mounts: &[Mount]) -> Vec<String> {
        let how = |mount: &Mount| if mount.read_only == Some(true) { "ro" } else { "rw" };
        mounts.iter().map(|mount| format!("{} {}", how(mount), mount.target.as_deref().unwrap())).collect()
    }

    #[test]
    fn protected_names_stay_as_they_are_and_each_place_is_mounted_once() {
        let granted = Grants {
            read: vec!["/srv/in".into(), "/w/part".into()],
            write: vec!["/w".into(), "/srv/out".into()],
            network: false,
            guarded: GuardedPaths {
                protected: vec!["/w/.git/hooks".into(), "/w/.vscode".into()],
                pinned: vec!["/w/.git".into()],
            },
        };
        let folder = Some((Path::new("/w"), FolderInContainer::Writable));
        assert_eq!(
            shown(&granted.mounts(folder)),
            ["ro /srv/in", "rw /srv/out", "rw /w", "rw /w/.git", "ro /w/.git/hooks", "ro /w/.vscode"]
        );
        let absent = Grants { write: Vec::new(), guarded: GuardedPaths::default(), ..granted };
        assert_eq!(shown(&absent.mounts(None)), ["ro /srv/in", "ro /w/part"]);
    }

    #[test]
    fn what_was_opened_is_had_or_refused() {
        let place = tempfile::tempdir().unwrap();
        let real = std::fs::canonicalize(place.path()).unwrap();
        std::fs::create_dir_all(real.join(".git/hooks")).unwrap();
        let closed = &WithheldPlaces::default();
        let request =
            SandboxRequest { write: vec![place.path().into()], network: true, ..SandboxRequest::default() };
        let granted = Grants::check(&request, None, closed, false).unwrap();
        assert_eq!((granted.write.as_slice(), granted.network), (&[real.clone()][..], true));
        assert_eq!(granted.guarded.protected, [real.join(".git/hooks")]);
        assert!(
            Grants::check(&request, None, closed, true).unwrap_err().to_string().contains("another machine")
        );
        let gone = SandboxRequest { read: vec![real.join("nothing")], ..SandboxRequest::default() };
        assert!(Grants::check(&gone, None, closed, false).is_err());
        let closed = &WithheldPlaces { own: vec![real], ..WithheldPlaces::default() };
        let why = Grants::check(&request, None, closed, false).unwrap_err().to_string();
        assert!(why.contains("sayso's own files"), "{why}");
    }

    #[test]
    fn links_lead_around_nothing() {
        let place = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(place.path()).unwrap();
        std::fs::create_dir_all(base.join("disk/me/work")).unwrap();
        std::os::unix::fs::symlink(base.join("disk"), base.join("home")).unwrap();
        let home = base.join("home/me");
        // Nothing was stored yet, so the last folders do not exist.
        let own = [base.join("home/me/.local/share/sayso")];
        let socket = base.join("home/me/engine.sock");
        let refused = |closed: &WithheldPlaces, folder: &str| may_mount(&base.join(folder), closed).err();
        let of_home = WithheldPlaces::find(Some(&home), None, &[]);
        assert!(refused(&of_home, "disk").unwrap().contains("your home folder"));
        assert!(refused(&of_home, "disk/me").unwrap().contains("your home folder"));
        assert_eq!(refused(&of_home, "disk/me/work"), None);
        let of_socket = WithheldPlaces::find(None, Some(&socket), &[]);
        assert!(refused(&of_socket, "disk/me").unwrap().contains("socket"));
        let of_own = WithheldPlaces::find(None, None, &own);
        assert!(refused(&of_own, "disk/me/.local").unwrap().contains("sayso's own files"));
        assert!(refused(&of_own, "disk/me/.local/share/sayso/blobs").unwrap().contains("sayso's own files"));
    }
}

//! The outer layer: bubblewrap, which gives a run namespaces and a separate file system. Finds out what the installed
//! version supports, and turns a policy into arguments. Only [`ask`] starts it.

use super::policy::{Mount, SandboxPolicy};
use crate::launch::{LaunchError, Launcher, Start};
use crate::text::system_error::words;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The size of the private `/dev/shm`.
const SHARED_MEMORY: &str = "67108864";

/// The most Unix sockets that are covered by mounts. Runs can make any number of them, and bubblewrap has to start
/// nevertheless: it takes at most 9000 arguments, three for each mount, and some 2 s for 1000 mounts. That time grows
/// with the square of their number.
pub(super) const MAX_SOCKET_MOUNTS: usize = 500;
/// The most mounts for protected names and the folders around them, for the same reason.
pub(super) const MAX_GUARDED_MOUNTS: usize = 750;
/// The most bytes of the paths of either kind. The system bounds the arguments of a program together.
const MAX_PATH_BYTES: usize = 256 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bwrap {
    /// The program, by its absolute path.
    pub(crate) path: PathBuf,
    /// Whether it can forbid nested namespaces.
    pub(crate) no_nesting: bool,
    /// Whether it can limit the size of a memory file system.
    pub(crate) sizes: bool,
}

/// Why this layer is not available, as shown in the report.
#[derive(Debug, thiserror::Error)]
pub(super) enum BwrapError {
    /// The person switched it off.
    #[error("left out")]
    LeftOut,
    #[error("it is for Linux")]
    NotLinux,
    #[error("no bwrap is on the PATH; install bubblewrap")]
    NotFound,
    #[error(transparent)]
    Untrusted(#[from] LaunchError),
    #[error("{} could not be started: {}", path.display(), words(why))]
    NotStarted { path: PathBuf, why: std::io::Error },
}

/// Asks for its version, and derives what that version supports.
///
/// # Errors
/// When it can't be started.
pub(super) fn probe(path: &Path, programs: &Launcher) -> Result<Bwrap, BwrapError> {
    let output = programs
        .command(Start::Bwrap)?
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|why| BwrapError::NotStarted { path: path.into(), why })?;
    let version = version(&String::from_utf8_lossy(&output.stdout));
    Ok(Bwrap { path: path.into(), no_nesting: version >= (0, 8), sizes: version >= (0, 7) })
}

/// The version in text such as `bubblewrap 0.8.0`; 0.0 if it can't be read.
fn version(text: &str) -> (u32, u32) {
    let number = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let mut parts = number.unwrap_or_default().split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// The arguments for this policy; the caller appends the command of the helper. The helper is not mounted: it is
/// started through an inherited descriptor, so that no path to it is followed. Pure.
pub(super) fn arguments(policy: &SandboxPolicy, bwrap: &Bwrap) -> Vec<OsString> {
    let mut args = Args::default();
    // `--unshare-all` alone would not require a user namespace.
    args.flags(&["--unshare-all", "--unshare-user"]);
    if bwrap.no_nesting {
        args.flags(&["--disable-userns"]);
    }
    if policy.network {
        args.flags(&["--share-net"]);
    }
    args.flags(&["--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    args.flags(&["--proc", "/proc", "--dev", "/dev"]);
    if bwrap.sizes {
        args.flags(&["--size", SHARED_MEMORY]);
    }
    args.flags(&["--tmpfs", "/dev/shm"]);
    let mounts = policy.mounts();
    for mount in &mounts {
        match mount {
            Mount::System(path) => args.add_mount("--ro-bind-try", path, path),
            Mount::Read(path) => args.add_mount("--ro-bind", path, path),
            Mount::Write { from, at } => args.add_mount("--bind", from, at),
            Mount::Empty(path) => args.add_path("--tmpfs", path),
            Mount::Nothing(path) => args.add_mount("--ro-bind", Path::new("/dev/null"), path),
        }
    }
    // The later mounts had to create their mount points in the empty folders, so these become read-only only now.
    for path in mounts.iter().filter_map(Mount::empty) {
        args.add_path("--remount-ro", path);
    }
    args.flags(&["--remount-ro", "/", "--chdir", "/", "--"]);
    args.0
}

/// Whether there can be a mount for each of these paths of the folders of runs. `most` is the bound on their number.
pub(super) fn are_mountable<'a>(paths: impl IntoIterator<Item = &'a PathBuf>, most: usize) -> bool {
    let (mut count, mut bytes) = (0_usize, 0_usize);
    for path in paths {
        count += 1;
        bytes += path.as_os_str().len();
    }
    count <= most && bytes <= MAX_PATH_BYTES
}

#[derive(Default)]
struct Args(Vec<OsString>);

impl Args {
    fn flags(&mut self, flags: &[&str]) {
        self.0.extend(flags.iter().map(OsString::from));
    }

    fn add_path(&mut self, flag: &str, path: &Path) {
        self.0.extend([flag.into(), path.into()]);
    }

    fn add_mount(&mut self, flag: &str, from: &Path, at: &Path) {
        self.0.extend([flag.into(), from.into(), at.into()]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::tests::sample;
    use super::super::reach::tests::layered;
    use super::*;
    use crate::domain::SandboxLevel;

    #[test]
    fn versions() {
        assert_eq!(version("bubblewrap 0.8.0\n"), (0, 8));
        assert_eq!(version("bubblewrap 0.11.0"), (0, 11));
        assert_eq!(version("something else"), (0, 0));
    }

    #[test]
    fn bubblewrap_takes_all_that_the_folders_may_add() {
        let bwrap = layered().bwrap.unwrap();
        let paths = |name: &str, count: usize| -> Vec<PathBuf> {
            (0..count).map(|at| format!("/home/ada/data/sales/{name}{at}").into()).collect()
        };
        let (sockets, names) = (paths("socket", MAX_SOCKET_MOUNTS), paths("name", MAX_GUARDED_MOUNTS));
        assert!(are_mountable(&sockets, MAX_SOCKET_MOUNTS) && are_mountable(&names, MAX_GUARDED_MOUNTS));
        assert!(!are_mountable(&names, names.len() - 1), "too many");
        assert!(!are_mountable(&[PathBuf::from("x".repeat(MAX_PATH_BYTES + 1))], 1), "too long");
        let policy =
            SandboxPolicy { hidden_files: sockets, protected: names, ..sample(SandboxLevel::Workspace) };
        let count = arguments(&policy, &bwrap).len();
        assert!(count > 3 * (MAX_SOCKET_MOUNTS + MAX_GUARDED_MOUNTS) && count < 9000 / 2, "{count}");
    }

    #[test]
    fn arguments_of_each_level() {
        let bwrap = layered().bwrap.unwrap();
        let old = Bwrap { no_nesting: false, sizes: false, ..bwrap.clone() };
        let shown = |policy: &SandboxPolicy, bwrap: &Bwrap| {
            let mut text = String::new();
            for arg in arguments(policy, bwrap) {
                let arg = arg.into_string().unwrap();
                text += if arg.starts_with("--") && !text.is_empty() { "\n" } else { " " };
                text += &arg;
            }
            text
        };
        insta::assert_snapshot!("workspace", shown(&sample(SandboxLevel::Workspace), &bwrap));
        insta::assert_snapshot!("read_only", shown(&sample(SandboxLevel::ReadOnly), &old));
        let open = SandboxPolicy { network: true, ..sample(SandboxLevel::Workspace) };
        assert!(shown(&open, &bwrap).contains("--share-net"));
    }
}

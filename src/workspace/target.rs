//! The file or folder that a block is about: where its name really leads, and what stands there now.
//!
//! Links are followed one by one, as the system would, so that what is approved is the place itself. Nothing is changed
//! here; what is read of a file is bounded.

use super::facts::size;
use crate::domain::{FileAct, OnDisk, Sha256, Target};
use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Links that are followed, as the system does.
const MOST_LINKS: usize = 40;
/// Files of more bytes than this are not replaced: they could not be compared in a moment.
const LARGEST_REPLACED: u64 = 64 << 20;
/// Texts of more bytes than this are not shown as changes.
const LARGEST_COMPARED: u64 = 1 << 20;

/// What stands where a block would act.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The place.
    pub target: Target,
    /// Its text, where it would be written over and can be compared.
    pub before: Option<Arc<str>>,
    /// What else the person should know, one line each: hard links, a text that can't be compared.
    pub remarks: Vec<String>,
}

/// Looks at what an act is about, from this folder.
///
/// # Errors
/// Words for the person: the path leads nowhere, a device, a file that can't be replaced.
pub fn look(cwd: &Path, home: Option<&Path>, act: &FileAct) -> Result<Seen, String> {
    let cwd = cwd.canonicalize().map_err(|e| format!("the working folder: {e}"))?;
    let named = named(&cwd, home, act.path())?;
    let place = resolve(&named)?;
    let plain = lexical(&named);
    let info = place.found.as_ref();
    let mut seen = Seen {
        target: Target {
            link: (plain != place.path).then_some(plain),
            outside: !place.path.starts_with(&cwd),
            found: match info {
                None => OnDisk::Nothing,
                Some(info) if info.is_dir() => OnDisk::Folder,
                Some(_) => OnDisk::File(None),
            },
            bytes: info.filter(|info| info.is_file()).map_or(0, Metadata::len),
            folders: place.folders,
            path: place.path,
        },
        before: None,
        remarks: Vec::new(),
    };
    if let Some(info) = info.filter(|info| !info.is_dir() && !info.is_file()) {
        return Err(format!("{} is {}, no file", act.path(), kind(info)));
    }
    match act {
        FileAct::Write { path } => replaceable(path, info, &mut seen)?,
        FileAct::List { path, .. } if matches!(seen.target.found, OnDisk::File(_)) => {
            return Err(format!("{path} is a file, no folder"));
        }
        FileAct::Read { path, .. } if seen.target.found == OnDisk::Folder => {
            return Err(format!("{path} is a folder, no file"));
        }
        _ => {}
    }
    Ok(seen)
}

/// The absolute path that a name means, links not followed.
fn named(cwd: &Path, home: Option<&Path>, path: &str) -> Result<PathBuf, String> {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            Ok(home.join(rest.trim_start_matches('/')))
        }
        (Some(_), _) => {
            Err(format!("{path}: whose home that is is not known; `./{path}` is a file of that name"))
        }
        (None, _) => Ok(cwd.join(path)),
    }
}

/// A path without `.` and `..`, by its words alone.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Where a path leads.
struct Place {
    path: PathBuf,
    found: Option<Metadata>,
    /// How many folders on the way are missing.
    folders: u32,
}

fn resolve(named: &Path) -> Result<Place, String> {
    let own = |part: Component<'_>| PathBuf::from(part.as_os_str());
    let mut rest: VecDeque<PathBuf> = named.components().map(own).collect();
    let mut path = PathBuf::new();
    let mut found = None;
    let (mut links, mut missing) = (0, 0u32);
    while let Some(part) = rest.pop_front() {
        match part.components().next() {
            Some(Component::ParentDir) if missing > 0 => {
                return Err(format!("{}: `..` behind a folder that is not there", named.display()));
            }
            Some(Component::ParentDir) => {
                path.pop();
                continue;
            }
            Some(Component::CurDir) | None => continue,
            _ => {}
        }
        let next = path.join(&part);
        match std::fs::symlink_metadata(&next) {
            Ok(info) if info.is_symlink() => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(format!("{}: too many links", named.display()));
                }
                let to = std::fs::read_link(&next).map_err(|e| format!("{}: {e}", next.display()))?;
                for part in to.components().rev() {
                    rest.push_front(own(part));
                }
                continue;
            }
            Ok(info) => found = Some(info),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                missing += 1;
                found = None;
            }
            Err(error) => return Err(format!("{}: {error}", next.display())),
        }
        path = next;
    }
    Ok(Place {
        found: if missing == 0 { std::fs::symlink_metadata(&path).ok().or(found) } else { None },
        path,
        folders: missing.saturating_sub(1),
    })
}

fn replaceable(path: &str, info: Option<&Metadata>, seen: &mut Seen) -> Result<(), String> {
    let Some(info) = info else {
        return if path.ends_with('/') { Err(format!("{path} names a folder, no file")) } else { Ok(()) };
    };
    if info.is_dir() {
        return Err(format!("{path} is a folder, no file"));
    }
    if info.permissions().readonly() {
        return Err(format!("{path} is read-only"));
    }
    if info.len() > LARGEST_REPLACED {
        return Err(format!("{path} has {}: too much to be replaced at once", size(info.len())));
    }
    if other_names(info) > 0 {
        seen.remarks.push(format!(
            "the file has {} more, which keep what stands there now",
            if other_names(info) == 1 { "1 name".into() } else { format!("{} names", other_names(info)) }
        ));
    }
    let bytes = super::read::bounded(&seen.target.path, LARGEST_REPLACED).map_err(|e| e.to_string())?;
    seen.target.found = OnDisk::File(Some(Sha256::of(&bytes)));
    seen.target.bytes = bytes.len() as u64;
    match String::from_utf8(bytes) {
        Ok(text) if text.len() as u64 <= LARGEST_COMPARED && !text.contains('\0') => {
            seen.before = Some(Arc::from(text));
        }
        _ => seen.remarks.push(format!(
            "what stands there now ({}) is no text that can be compared",
            size(seen.target.bytes)
        )),
    }
    Ok(())
}

/// The hash of a file's bytes, however many; `None` where it can't be read.
pub(super) fn hash(path: &Path) -> Option<Sha256> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LARGEST_REPLACED + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LARGEST_REPLACED).then(|| Sha256::of(&bytes))
}

#[cfg(unix)]
fn other_names(info: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(info).saturating_sub(1)
}

#[cfg(not(unix))]
fn other_names(_: &Metadata) -> u64 {
    0
}

#[cfg(unix)]
fn kind(info: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = info.file_type();
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(_: &Metadata) -> &'static str {
    "something else"
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn write(path: &str) -> FileAct {
        FileAct::Write { path: path.into() }
    }

    #[test]
    fn a_new_file_and_its_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let seen = look(folder.path(), None, &write("a/b/c.txt")).expect("seen");
        let real = folder.path().canonicalize().expect("real");
        assert_eq!(seen.target.path, real.join("a/b/c.txt"));
        assert_eq!(
            (seen.target.found, seen.target.folders, seen.target.outside),
            (OnDisk::Nothing, 2, false)
        );
        assert_eq!(seen.target.link, None);
    }

    #[test]
    fn what_stands_there_is_hashed_and_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a"), "old\n").expect("written");
        let seen = look(folder.path(), None, &write("./x/../a")).expect_err("a folder that is not there");
        assert!(seen.contains(".."), "{seen}");
        let seen = look(folder.path(), None, &write("a")).expect("seen");
        assert_eq!(seen.target.found, OnDisk::File(Some(Sha256::of(b"old\n"))));
        assert_eq!((seen.before.as_deref(), seen.target.bytes), (Some("old\n"), 4));
    }

    #[test]
    fn links_are_followed_and_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = tempfile::tempdir().expect("a folder");
        symlink(other.path(), folder.path().join("out")).expect("linked");
        symlink("missing", other.path().join("dangling")).expect("linked");
        let seen = look(folder.path(), None, &write("out/dangling")).expect("seen");
        let real = other.path().canonicalize().expect("real");
        assert_eq!(seen.target.path, real.join("missing"), "the place that would be written");
        assert!(seen.target.outside && seen.target.link.is_some());
        symlink("b", folder.path().join("a")).expect("linked");
        symlink("a", folder.path().join("b")).expect("linked");
        assert!(look(folder.path(), None, &write("a")).is_err_and(|why| why.contains("too many links")));
    }

    #[test]
    fn outside_is_outside_however_it_is_spelled() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in ["../x", "/etc/hosts", "a/../../x"] {
            let seen = look(folder.path(), None, &FileAct::Read { path: path.into(), from: 1, lines: 1 });
            assert!(seen.map_or(true, |seen| seen.target.outside), "{path}");
        }
        let home = folder.path().join("home");
        let seen = look(folder.path(), Some(&home), &write("~/.bashrc")).expect("seen");
        assert!(seen.target.path.ends_with("home/.bashrc"));
        assert!(look(folder.path(), None, &write("~ann/x")).is_err());
    }

    #[test]
    fn what_is_no_file_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("d")).expect("made");
        std::fs::write(folder.path().join("r"), "x").expect("written");
        std::fs::set_permissions(folder.path().join("r"), std::fs::Permissions::from_mode(0o444))
            .expect("set");
        assert!(look(folder.path(), None, &write("d")).is_err());
        assert!(look(folder.path(), None, &write("new/")).is_err());
        assert!(look(folder.path(), None, &write("r")).is_err_and(|why| why.contains("read-only")));
        assert!(look(folder.path(), None, &write("/dev/null")).is_err_and(|why| why.contains("device")));
        assert!(look(folder.path(), None, &FileAct::List { path: "r".into(), depth: 1 }).is_err());
    }

    #[test]
    fn other_names_and_bytes_that_are_no_text_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a"), b"\x00\xff").expect("written");
        std::fs::hard_link(folder.path().join("a"), folder.path().join("b")).expect("linked");
        let seen = look(folder.path(), None, &write("a")).expect("seen");
        assert_eq!((seen.before, seen.remarks.len()), (None, 2), "{:?}", seen.remarks);
    }
}

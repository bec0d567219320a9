//! Describes how much a path in a block holds: `3 files, 1.2 MB`.

use crate::text::number::size;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most entries that are counted before the result says "more than".
const MAX_ENTRIES: usize = 20_000;

const COUNT_TIMEOUT: Duration = Duration::from_millis(150);

/// Describes a path: `does not exist`, `48 KB`, `3 files, 1.2 MB`, `more than 20000 files`; `None` if it can't be
/// examined. Links are not followed. `named` may begin with `~/`.
pub(crate) fn describe(cwd: &Path, home: Option<&Path>, named: &str) -> Option<String> {
    let path = resolve(cwd, home, named)?;
    let Ok(info) = std::fs::symlink_metadata(&path) else {
        return (!path.exists()).then(|| "does not exist".to_string());
    };
    if info.is_symlink() {
        return Some("a link".into());
    }
    if !info.is_dir() {
        return Some(size(info.len()));
    }
    let (files, bytes, whole) = count(&path);
    let noun = if files == 1 { "file" } else { "files" };
    Some(if whole { format!("{files} {noun}, {}", size(bytes)) } else { format!("more than {files} {noun}") })
}

/// The most links that are followed for one path, like in the kernel.
const MAX_LINKS: usize = 40;

/// Resolves all links of a path. Of a path that does not exist, the part that exists is resolved.
///
/// Paths that differ for each process are not resolved to those of sayso, which asks on behalf of another process:
/// its standard streams and its program stay as they are, and `/proc/self` is not replaced by sayso's process id.
pub(crate) fn resolve_links(path: &Path) -> PathBuf {
    let streams = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"];
    let is_stream = streams.iter().any(|folder| path.starts_with(folder) && path != Path::new(folder));
    if is_stream
        || ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc/self/exe", "/proc/thread-self/exe"]
            .iter()
            .any(|own| path == Path::new(own))
    {
        return path.into();
    }
    let mut left = MAX_LINKS;
    let found = follow(path, &mut left);
    match found.strip_prefix(format!("/proc/{}", std::process::id())) {
        // A path that contains sayso's process id means sayso, whichever process opens it.
        Ok(rest) if leads_to_oneself(path) => Path::new(OWN).components().chain(rest.components()).collect(),
        _ => found,
    }
}

/// The folder in which each process finds itself.
const OWN: &str = "/proc/self";

/// Whether a path leads into `/proc/self`, by that name, by `/proc/thread-self`, or by links to them.
fn leads_to_oneself(path: &Path) -> bool {
    let parts = |path: &Path| -> Vec<OsString> {
        path.components().rev().map(|part| part.as_os_str().to_owned()).collect()
    };
    let (mut place, mut left) = (PathBuf::new(), MAX_LINKS);
    // The components that are still to be walked, the next one last.
    let mut ahead = parts(&std::path::absolute(path).unwrap_or_else(|_| path.into()));
    while let Some(part) = ahead.pop() {
        if part == ".." {
            place.pop();
            continue;
        }
        place.push(part);
        if place == Path::new("/proc/thread-self") {
            place = Path::new(OWN).join("task/own");
        } else if place != Path::new(OWN)
            && let Some(target) = std::fs::read_link(&place).ok().filter(|_| left > 0)
        {
            left -= 1;
            place.pop();
            ahead.extend(parts(&target));
        }
    }
    place.starts_with(OWN)
}

fn follow(path: &Path, left: &mut usize) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return path.into() };
    let place = follow(parent, left).join(name);
    // A link to a missing target is still resolved to that target.
    match std::fs::read_link(&place) {
        Ok(target) if *left > 0 => {
            *left -= 1;
            follow(&place.parent().unwrap_or(parent).join(target), left)
        }
        _ => place,
    }
}

/// The path that a name in a block means in this folder; `None` for names with wildcards or variables.
fn resolve(cwd: &Path, home: Option<&Path>, named: &str) -> Option<PathBuf> {
    if named.is_empty() || named.contains(['*', '?', '$', '\0']) {
        return None;
    }
    match named.strip_prefix("~/") {
        Some(rest) => home.map(|home| home.join(rest)),
        None if named.starts_with('~') => None,
        None => Some(cwd.join(named)),
    }
}

/// Files and bytes below a folder, and whether all were counted.
fn count(folder: &Path) -> (usize, u64, bool) {
    let began = Instant::now();
    let (mut files, mut bytes, mut seen) = (0, 0, 0);
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MAX_ENTRIES || began.elapsed() > COUNT_TIMEOUT {
                return (files, bytes, false);
            }
            match entry.metadata() {
                Ok(info) if info.is_dir() => folders.push(entry.path()),
                Ok(info) => {
                    files += 1;
                    bytes += info.len();
                }
                Err(_) => {}
            }
        }
    }
    (files, bytes, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::TestFolder;

    #[test]
    fn folders_are_counted_and_files_are_sized() {
        let folder = tempfile::tempdir().expect("a folder");
        let charts = folder.path().join("out/charts");
        std::fs::create_dir_all(&charts).expect("made");
        for name in ["a.png", "b.png", "c.png"] {
            std::fs::write(charts.join(name), vec![0; 400_000]).expect("written");
        }
        assert_eq!(describe(folder.path(), None, "out/charts").as_deref(), Some("3 files, 1.2 MB"));
        assert_eq!(describe(folder.path(), None, "out/charts/a.png").as_deref(), Some("400 KB"));
        assert_eq!(describe(folder.path(), None, "nothing").as_deref(), Some("does not exist"));
        assert_eq!(describe(folder.path(), None, "out/*"), None);
    }

    #[test]
    fn what_each_process_has_for_itself_is_not_that_of_sayso() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("streams");
        std::os::unix::fs::symlink("/proc/self/fd", &link).expect("a link");
        for (path, place) in [
            ("/proc/self/fd", "/proc/self/fd"),
            ("/proc/self/status", "/proc/self/status"),
            ("/proc/self/fd/0", "/proc/self/fd/0"),
            ("/dev/fd/90", "/dev/fd/90"),
            ("/dev/fd", "/proc/self/fd"),
            ("/dev/stdin", "/dev/stdin"),
            ("/proc/self/root/etc/passwd", "/etc/passwd"),
            (link.to_str().expect("text"), "/proc/self/fd"),
        ] {
            assert_eq!(resolve_links(Path::new(path)), Path::new(place), "{path}");
        }
    }

    #[test]
    fn what_is_of_sayso_by_its_number_is_not_that_of_each_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = format!("/proc/{}", std::process::id());
        let link = |target: &str, name: &str| {
            let at = folder.path().join(name);
            std::os::unix::fs::symlink(target, &at).expect("a link");
            at.to_str().expect("text").to_owned()
        };
        for (path, place) in [
            (own.clone(), own.clone()),
            (format!("{own}/status"), format!("{own}/status")),
            (link(&own, "sayso"), own.clone()),
            (format!("{}/fd", link("sayso", "far")), format!("{own}/fd")),
            // From `/proc/self` to a path that is the same for all processes, and from there to sayso.
            (format!("/proc/self/root{own}/status"), format!("{own}/status")),
            (link("/proc/self/status", "status"), "/proc/self/status".into()),
            (format!("{}/../self/status", link("/proc/self", "self")), "/proc/self/status".into()),
            ("/proc/thread-self/../../status".into(), "/proc/self/status".into()),
        ] {
            assert_eq!(resolve_links(Path::new(&path)), Path::new(&place), "{path}");
        }
    }

    #[test]
    fn links_are_followed_to_what_is_not_there_and_never_for_ever() {
        let TestFolder { base, .. } = &TestFolder::new();
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, base.join(name)).expect("a link");
        };
        std::fs::create_dir(base.join("there")).expect("made");
        link("there", "near");
        link("/nowhere/at/all", "gone");
        link("gone", "far");
        link("round/x", "round");
        for (path, end) in [
            ("near/a/b", base.join("there/a/b")),
            ("gone", "/nowhere/at/all".into()),
            ("far/x", "/nowhere/at/all/x".into()),
            ("new/file", base.join("new/file")),
        ] {
            assert_eq!(resolve_links(&base.join(path)), end, "{path}");
        }
        resolve_links(&base.join("round/x/y/z"));
    }
}

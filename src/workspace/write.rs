//! Writes files for the person: whole or not at all, and nothing is overwritten unless it was asked for.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something of that name is there.
    #[error("{} is there already and was not overwritten", .0.display())]
    Exists(PathBuf),
    /// What stands there is no file that can be written.
    #[error("{} is not a plain file", .0.display())]
    NotAFile(PathBuf),
    /// The name can't be that of a file in a folder.
    #[error("{0:?} is not a name for a file")]
    Name(String),
    /// The system refused.
    #[error("{} can't be written: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn failed(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
    |source| WriteError::Io { path: path.to_owned(), source }
}

/// Writes a new file.
///
/// # Errors
/// When something of that name is there, or it can't be written; then nothing was changed.
pub fn new(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let file = filled(path, bytes)?;
    set_mode(&file, default_mode()).map_err(failed(path))?;
    file.persist_noclobber(path).map(drop).map_err(|error| {
        if error.error.kind() == io::ErrorKind::AlreadyExists {
            WriteError::Exists(path.to_owned())
        } else {
            failed(path)(error.error)
        }
    })
}

/// Writes a file in the place of the one that is there, or a new one; a file that is there keeps its mode. A link is
/// followed: what it points to is replaced, not the link.
///
/// # Errors
/// When what is there is no plain file, or it can't be written; then nothing was changed.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mode = match fs::metadata(&target) {
        Ok(meta) if meta.is_file() => meta.permissions(),
        Ok(_) => return Err(WriteError::NotAFile(path.to_owned())),
        Err(_) => default_mode(),
    };
    let file = filled(&target, bytes)?;
    set_mode(&file, mode).map_err(failed(path))?;
    file.persist(&target).map(drop).map_err(|error| failed(path)(error.error))
}

/// Writes a file under this name, or under the next one that is free: `figure-1.png`, then `figure-2.png`; `sales.csv`,
/// then `sales-2.csv`. Returns where it is.
///
/// # Errors
/// When the name leads out of the folder, or it can't be written.
pub fn under_free_name(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, WriteError> {
    if name.is_empty()
        || name.starts_with('.')
        || name.contains(['/', '\\', '\0'])
        || name.chars().any(char::is_control)
    {
        return Err(WriteError::Name(name.to_owned()));
    }
    let mut candidate = name.to_owned();
    for _ in 0..10_000 {
        let path = folder.join(&candidate);
        match new(&path, bytes) {
            Ok(()) => return Ok(path),
            Err(WriteError::Exists(_)) => candidate = next_name(&candidate),
            Err(error) => return Err(error),
        }
    }
    Err(WriteError::Exists(folder.join(name)))
}

/// The name after this one.
fn next_name(name: &str) -> String {
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) => (stem, format!(".{extension}")),
        None => (name, String::new()),
    };
    let numbered = stem.rsplit_once('-').and_then(|(base, number)| {
        let plain = !number.is_empty() && number.len() < 6 && number.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| Some((base, number.parse::<u32>().ok()?))).flatten()
    });
    match numbered {
        Some((base, number)) => format!("{base}-{}{extension}", number + 1),
        None => format!("{stem}-2{extension}"),
    }
}

/// A temporary file beside the place where it will be, with these bytes on the disk.
fn filled(path: &Path, bytes: &[u8]) -> Result<NamedTempFile, WriteError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = Builder::new().prefix(".sayso-").tempfile_in(folder).map_err(failed(path))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_data()).map_err(failed(path))?;
    Ok(file)
}

fn set_mode(file: &NamedTempFile, mode: Permissions) -> io::Result<()> {
    let file: &File = file.as_file();
    file.set_permissions(mode)
}

/// The mode that a new file would get.
fn default_mode() -> Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    // The mask can only be read by setting it, which would be seen by other threads; the system tells it in text.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask =
        status.lines().find_map(|line| u32::from_str_radix(line.strip_prefix("Umask:")?.trim(), 8).ok());
    Permissions::from_mode(0o666 & !mask.unwrap_or(0o022))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_free_name_is_found_and_nothing_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        for (name, wanted) in [
            ("figure-1.png", "figure-1.png"),
            ("figure-1.png", "figure-2.png"),
            ("sales.csv", "sales.csv"),
            ("sales.csv", "sales-2.csv"),
            ("sales.csv", "sales-3.csv"),
            ("plain", "plain"),
            ("plain", "plain-2"),
        ] {
            let path = under_free_name(dir.path(), name, name.as_bytes()).unwrap();
            assert_eq!(path, dir.path().join(wanted));
            assert_eq!(fs::read(path).unwrap(), name.as_bytes());
        }
        assert_eq!(names(dir.path()).len(), 7, "nothing else is left behind");
        for bad in ["", "../x", "a/b", ".bashrc", "a\nb", "\0"] {
            assert!(matches!(under_free_name(dir.path(), bad, b""), Err(WriteError::Name(_))), "{bad:?}");
        }
    }

    #[test]
    fn replacing_keeps_the_mode_and_the_link() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("run.sh");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o750)).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("run.sh", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(matches!(new(&file, b"x"), Err(WriteError::Exists(_))));
        assert!(matches!(replace(dir.path(), b"x"), Err(WriteError::NotAFile(_))));
        assert!(matches!(new(&dir.path().join("no/such"), b"x"), Err(WriteError::Io { .. })));
        assert_eq!(names(dir.path()), ["link", "run.sh"]);
    }

    #[test]
    fn a_new_file_has_the_mode_of_any_other() {
        let dir = tempfile::tempdir().unwrap();
        new(&dir.path().join("a"), b"").unwrap();
        fs::write(dir.path().join("b"), b"").unwrap();
        let mode = |name| fs::metadata(dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("a"), mode("b"));
    }
}

//! Reads the files of the configuration: the person's, and the project's, which others may have put there.

use super::error::ConfigError;
use crate::domain::Notice;
use rustix::fs::OFlags;
use std::fs::Metadata;
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The largest configuration file.
const MAX_BYTES: u64 = 1 << 20;

/// The name of a project's configuration file.
const PROJECT_FILE: &str = ".sayso.toml";

/// The text of the person's file, which may be a link; `None` if it does not exist.
pub(super) fn read_file(path: &Path) -> Result<Option<String>, ConfigError> {
    Ok(read_opened(path, OFlags::empty())?.map(|(text, _)| text))
}

/// Whether the error says that the file is not there, nor perhaps its folder.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The text of a file and what the system says of it.
fn read_opened(path: &Path, more: OFlags) -> Result<Option<(String, Metadata)>, ConfigError> {
    let failed = |source| ConfigError::Io { path: path.to_owned(), source };
    // Opening a pipe would block, and so would reading it.
    let flags = i32::try_from((more | OFlags::NONBLOCK).bits()).unwrap_or_default();
    let file = match std::fs::File::options().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let info = file.metadata().map_err(failed)?;
    if !info.is_file() {
        return Err(failed(io::Error::other("it is not a plain file")));
    }
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(failed(io::Error::other("it is larger than 1 MiB")));
    }
    Ok(Some((text, info)))
}

/// All project files from the working folder upwards, the outermost first: a run can make one in the working folder,
/// and that must not put another one out of force. One above the working folder that somebody else put into a folder
/// in which anybody may make files, such as `/tmp`, is passed over with a notice.
pub(super) fn project_files(
    cwd: &Path,
    own: &Path,
    notices: &mut Vec<Notice>,
) -> Result<Vec<(PathBuf, String)>, ConfigError> {
    let mut files = Vec::new();
    let account = rustix::process::geteuid().as_raw();
    for folder in cwd.ancestors() {
        let path = folder.join(PROJECT_FILE);
        if path == own {
            continue;
        }
        let Ok(info) = std::fs::symlink_metadata(&path) else { continue };
        // Somebody may put another file there at any moment, so what was opened is asked, too.
        let is_foreign =
            |info: &Metadata| folder != cwd && is_open_to_all(folder) && !is_ours(info.uid(), account);
        let found =
            if is_foreign(&info) { Some((String::new(), info)) } else { read_project_file(&path, &info)? };
        match found {
            Some((_, info)) if is_foreign(&info) => {
                let path = path.display();
                notices.push(Notice::warn(format!(
                    "{path} was ignored: somebody else made it in a folder that is open to everybody."
                )));
            }
            Some((source, _)) => files.push((path, source)),
            None => {}
        }
    }
    files.reverse();
    Ok(files)
}

/// Whether anybody may make files in a folder. This alone says little: on some disks every folder has this mode.
fn is_open_to_all(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|info| info.mode() & 0o002 != 0)
}

/// Whether a file of this owner is this account's or root's.
fn is_ours(owner: u32, account: u32) -> bool {
    [account, 0].contains(&owner)
}

/// The text of a project's file, of which `info` tells; `None` if it is no file.
fn read_project_file(path: &Path, info: &Metadata) -> Result<Option<(String, Metadata)>, ConfigError> {
    // The link belongs to the folder, and what it leads to may be a file of the person.
    if info.is_symlink() {
        let source = io::Error::other("it is a link, and links of a project are not followed");
        return Err(ConfigError::Io { path: path.to_owned(), source });
    }
    if info.is_file() { read_opened(path, OFlags::NOFOLLOW) } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_account_or_of_root_is_ours() {
        assert!(is_ours(1000, 1000) && is_ours(0, 1000) && !is_ours(1001, 1000) && !is_ours(1000, 0));
    }
}

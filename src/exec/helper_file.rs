//! Holds open the program that answers to `__run`: sayso itself, as the running image, never the file that now lies at
//! the path from which it was started.
//!
//! A run can change files in a folder that it may write to, and sayso's own program may lie there. So the program is
//! held open from the start, and every helper is started through that descriptor. Only Linux can start a program by
//! descriptor; elsewhere the path is used, after a check that it still leads to the same file. Between that check and
//! the start, somebody could still replace the file.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The path by which a process starts its own image, whatever lies at its original path.
pub(super) const ITSELF: &str = "/proc/self/exe";

/// The file of the helper, held open. Cheap to clone.
#[derive(Clone, Debug)]
pub struct HelperFile {
    held: Arc<OpenProgram>,
}

#[derive(Debug)]
struct OpenProgram {
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "it can't be started by descriptor there")
    )]
    file: OwnedFd,
    /// Its path when it was opened, for messages, and to start it where that can't be done by descriptor.
    path: PathBuf,
    /// Whether this is a private copy that nobody can change.
    copied: bool,
    #[cfg(not(target_os = "linux"))]
    was: Option<Identity>,
}

/// A copy of the descriptor that the next program inherits. Drop it right after that program was started.
#[derive(Debug)]
pub(crate) struct InheritedDescriptor {
    path: PathBuf,
    _file: Option<OwnedFd>,
}

impl HelperFile {
    /// The program of this process. If the system lets others write to a running program, this is a copy that can't be
    /// changed.
    ///
    /// # Errors
    /// When it can't be opened.
    pub(crate) fn running() -> io::Result<Self> {
        let path = std::env::current_exe()?;
        #[cfg(target_os = "linux")]
        {
            let file = File::open(ITSELF)?;
            // Nothing is written; this only checks whether somebody could.
            if File::options().write(true).open(ITSELF).is_err() {
                return Ok(Self::hold(file, path, false));
            }
            Ok(Self::hold(copy(file)?, path, true))
        }
        #[cfg(not(target_os = "linux"))]
        Self::at(&path)
    }

    /// Another program that answers to `__run`. The caller makes sure that nobody writes to it.
    ///
    /// # Errors
    /// When it can't be opened.
    pub fn at(path: &Path) -> io::Result<Self> {
        Ok(Self::hold(File::open(path)?, path.into(), false))
    }

    fn hold(file: impl Into<OwnedFd>, path: PathBuf, copied: bool) -> Self {
        let file = file.into();
        #[cfg(not(target_os = "linux"))]
        let was = std::fs::symlink_metadata(&path).ok().map(|meta| Identity::of(&meta));
        Self {
            held: Arc::new(OpenProgram {
                file,
                path,
                copied,
                #[cfg(not(target_os = "linux"))]
                was,
            }),
        }
    }

    /// Its path when it was opened. For messages only.
    pub(crate) fn display_path(&self) -> &Path {
        &self.held.path
    }

    /// Whether this is a copy that has no path.
    pub(crate) fn is_copy(&self) -> bool {
        self.held.copied
    }
}

#[cfg(target_os = "linux")]
impl HelperFile {
    /// The path by which this process starts it.
    ///
    /// # Errors
    /// Not on Linux: when another file now lies at the path.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn program(&self) -> io::Result<PathBuf> {
        Ok(by_descriptor(self.held.file.as_raw_fd()))
    }

    /// A copy of the descriptor for a program that itself starts the helper.
    ///
    /// # Errors
    /// When there is no descriptor left.
    pub(crate) fn lend(&self) -> io::Result<InheritedDescriptor> {
        let copy = rustix::io::fcntl_dupfd_cloexec(self.held.file.as_fd(), 3)?;
        rustix::io::fcntl_setfd(&copy, rustix::io::FdFlags::empty())?;
        Ok(InheritedDescriptor { path: by_descriptor(copy.as_raw_fd()), _file: Some(copy) })
    }
}

#[cfg(target_os = "linux")]
fn by_descriptor(number: i32) -> PathBuf {
    format!("/proc/self/fd/{number}").into()
}

/// Copies the bytes to an unnamed file and seals it, so that nobody can change it.
#[cfg(target_os = "linux")]
fn copy(mut from: File) -> io::Result<File> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Linux before 6.3 does not know the flag that makes it executable (and needs none).
    let fd = memfd_create("sayso", flags | MemfdFlags::EXEC).or_else(|_| memfd_create("sayso", flags))?;
    let mut file = File::from(fd);
    io::copy(&mut from, &mut file)?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
    Ok(file)
}

/// What identifies a file.
#[cfg(not(target_os = "linux"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    place: (u64, u64),
    size: u64,
    changed: (i64, i64),
}

#[cfg(not(target_os = "linux"))]
impl Identity {
    fn of(meta: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            place: (meta.dev(), meta.ino()),
            size: meta.size(),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl HelperFile {
    /// The path by which this process starts it.
    ///
    /// # Errors
    /// When another file now lies at the path.
    pub(crate) fn program(&self) -> io::Result<PathBuf> {
        let now = std::fs::symlink_metadata(&self.held.path).map(|meta| Identity::of(&meta));
        if now.is_ok_and(|now| self.held.was == Some(now)) {
            return Ok(self.held.path.clone());
        }
        let path = self.held.path.display();
        Err(io::Error::other(format!("{path} is another file than the one that runs; start sayso anew")))
    }

    /// The same path, for a program that itself starts the helper.
    ///
    /// # Errors
    /// When another file now lies at the path.
    pub(crate) fn lend(&self) -> io::Result<InheritedDescriptor> {
        Ok(InheritedDescriptor { path: self.program()?, _file: None })
    }
}

impl InheritedDescriptor {
    /// The path by which the inheriting program starts the helper.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{printed, set_mode};
    use std::process::Command;

    fn said(program: &Path) -> String {
        printed(Command::new(program).arg("told"))
    }

    /// A program that prints its argument, in a folder of its own.
    fn echo() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::copy("/bin/echo", &path).unwrap();
        set_mode(&path, 0o755);
        (folder, path)
    }

    #[test]
    fn what_lies_at_its_path_later_is_not_started() {
        let (folder, path) = echo();
        let helper = HelperFile::at(&path).unwrap();
        let other = folder.path().join("other");
        std::fs::copy("/bin/true", &other).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(said(&path), "");
        assert_eq!(said(&helper.program().unwrap()), "told\n");
        std::fs::remove_file(&path).unwrap();
        let lent = helper.lend().unwrap();
        assert_eq!(printed(Command::new("/usr/bin/env").arg(lent.path()).arg("told")), "told\n");
    }

    #[test]
    fn a_copy_stays_as_it_was_when_its_source_is_overwritten() {
        let (_folder, path) = echo();
        let copied = copy(File::open(&path).unwrap()).unwrap();
        let helper = HelperFile::hold(copied, path.clone(), true);
        let before = std::fs::read("/bin/true").unwrap();
        std::fs::write(&path, before).unwrap();
        assert_eq!(said(&helper.program().unwrap()), "told\n");
        let again = File::options().write(true).open(helper.program().unwrap());
        assert!(again.map_or(true, |mut f| std::io::Write::write_all(&mut f, b"x").is_err()));
    }

    #[test]
    fn the_running_program_is_held_and_can_not_be_written() {
        let helper = HelperFile::running().unwrap();
        assert!(helper.is_copy() || File::options().write(true).open(ITSELF).is_err());
        assert!(std::fs::metadata(helper.program().unwrap()).unwrap().len() > 0);
    }
}

//! The program that answers to `__run`: sayso itself, as the image that runs, never as the file that lies where it was
//! started from.
//!
//! A run can change what lies in a folder that it may write, also sayso's own program, when that lies there. So it is
//! held open from the start, and every helper is started by that descriptor. Elsewhere than on Linux the system can't
//! start a program by descriptor: there the path is used, after a look whether it still leads to the same file. Between
//! the look and the start somebody else could change that; no more can be had there.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a program says it is to start itself: the image that runs, whatever lies at its path.
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
    /// Where it lay; for messages, and to start it where that can't be done by descriptor.
    path: PathBuf,
    /// Whether this is a copy of our own that nobody can change.
    copied: bool,
    #[cfg(not(target_os = "linux"))]
    was: Option<Identity>,
}

/// A copy of the descriptor that the next program inherits; it is to be dropped right after that was started.
#[derive(Debug)]
pub(crate) struct InheritedDescriptor {
    path: PathBuf,
    _file: Option<OwnedFd>,
}

impl HelperFile {
    /// The program of this process. Where the system lets others write into a program that runs, this is a copy that
    /// can't be changed.
    ///
    /// # Errors
    /// When it can't be opened.
    pub(crate) fn running() -> io::Result<Self> {
        let path = std::env::current_exe()?;
        #[cfg(target_os = "linux")]
        {
            let file = File::open(ITSELF)?;
            // Nothing is written: this asks whether somebody could.
            if File::options().write(true).open(ITSELF).is_err() {
                return Ok(Self::hold(file, path, false));
            }
            Ok(Self::hold(copy(file)?, path, true))
        }
        #[cfg(not(target_os = "linux"))]
        Self::at(&path)
    }

    /// Another program that answers to `__run`: who names it sees to it that nobody writes into it.
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

    /// Where it lay when it was opened. For words only.
    pub(crate) fn display_path(&self) -> &Path {
        &self.held.path
    }

    /// Whether this is a copy without a place in the file system.
    pub(crate) fn is_copy(&self) -> bool {
        self.held.copied
    }
}

#[cfg(target_os = "linux")]
impl HelperFile {
    /// By what this process starts it.
    ///
    /// # Errors
    /// Elsewhere than on Linux, when another file lies there now.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn program(&self) -> io::Result<PathBuf> {
        Ok(by_descriptor(self.held.file.as_raw_fd()))
    }

    /// A copy for a program that starts the helper in its turn.
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

/// The same bytes in a file without a name that nobody can change any more.
#[cfg(target_os = "linux")]
fn copy(mut from: File) -> io::Result<File> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // A system before Linux 6.3 does not know that it is to be started.
    let fd = memfd_create("sayso", flags | MemfdFlags::EXEC).or_else(|_| memfd_create("sayso", flags))?;
    let mut file = File::from(fd);
    io::copy(&mut from, &mut file)?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
    Ok(file)
}

/// What a file is known by.
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
    /// By what this process starts it.
    ///
    /// # Errors
    /// When another file lies there now.
    pub(crate) fn program(&self) -> io::Result<PathBuf> {
        let now = std::fs::symlink_metadata(&self.held.path).map(|meta| Identity::of(&meta));
        if now.is_ok_and(|now| self.held.was == Some(now)) {
            return Ok(self.held.path.clone());
        }
        let path = self.held.path.display();
        Err(io::Error::other(format!("{path} is another file than the one that runs; start sayso anew")))
    }

    /// The same for a program that starts the helper in its turn.
    ///
    /// # Errors
    /// When another file lies there now.
    pub(crate) fn lend(&self) -> io::Result<InheritedDescriptor> {
        Ok(InheritedDescriptor { path: self.program()?, _file: None })
    }
}

impl InheritedDescriptor {
    /// By what the program that inherits it starts the helper.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;
    use std::time::{Duration, Instant};

    fn said(program: &Path) -> String {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            match Command::new(program).arg("told").output() {
                // What this process had open to write, another test hands on for a moment when it forks.
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && Instant::now() < until => {
                    std::thread::yield_now();
                }
                output => return String::from_utf8(output.unwrap().stdout).unwrap(),
            }
        }
    }

    /// A program that prints its argument, in a folder of its own.
    fn echo() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::copy("/bin/echo", &path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
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
        let through = Command::new("/usr/bin/env").arg(lent.path()).arg("told").output().unwrap();
        assert_eq!(String::from_utf8(through.stdout).unwrap(), "told\n");
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

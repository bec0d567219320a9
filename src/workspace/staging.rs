//! A file in the making: complete under a name of its own before it gets the one that is meant, in a folder that is held
//! open. Nobody sees half of it, and nothing that stands there is lost unseen.

use super::place::open_in;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, linkat, openat, renameat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;

/// A file that has no lasting name yet. Dropped, it is gone.
pub(super) struct Staging<'f> {
    folder: &'f File,
    file: File,
    own: String,
    /// Whether nothing is to be removed any more.
    named: bool,
}

impl<'f> Staging<'f> {
    /// An empty file in a folder. The system takes from its mode what the person's mask says.
    pub(super) fn new(folder: &'f File, mode: Mode) -> io::Result<Self> {
        let own = format!(".sayso-{}", uuid::Uuid::now_v7().simple());
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(folder, &own, flags, mode)?);
        Ok(Self { folder, file, own, named: false })
    }

    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives it this name, where nothing has it.
    ///
    /// # Errors
    /// `AlreadyExists` where something has it; what the system says.
    pub(super) fn take_free(&mut self, name: &OsStr) -> io::Result<()> {
        match renamed(self.folder, &self.own, name, RenameFlags::NOREPLACE) {
            Ok(true) => self.named = true,
            // A file system that can't: the second name is made, the first one goes when this is dropped.
            Ok(false) => linkat(self.folder, &*self.own, self.folder, name, AtFlags::empty())?,
            Err(error) => return Err(error),
        }
        self.is_under(name)
    }

    /// Gives it this name in the place of what stands there, if that is what is expected; otherwise that stays. Tells
    /// whether it got it.
    pub(super) fn replace(&mut self, name: &OsStr, expected: impl Fn(File) -> bool) -> io::Result<bool> {
        let is_expected = |name: &OsStr| open_in(self.folder, name).is_ok_and(&expected);
        if renamed(self.folder, &self.own, name, RenameFlags::EXCHANGE)? {
            // Only what was taken away for good to see can't change any more under its name.
            if !is_expected(OsStr::new(&self.own)) {
                renamed(self.folder, &self.own, name, RenameFlags::EXCHANGE)?;
                return Ok(false);
            }
        } else {
            if !is_expected(name) {
                return Ok(false);
            }
            renameat(self.folder, &*self.own, self.folder, name)?;
            self.named = true;
        }
        self.is_under(name).map(|()| true)
    }

    /// A name may be taken from a file while it gets another: what stands there has to be this very file.
    fn is_under(&self, name: &OsStr) -> io::Result<()> {
        let (own, there) = (self.file.metadata()?, open_in(self.folder, name)?.metadata()?);
        if (own.dev(), own.ino()) == (there.dev(), there.ino()) {
            Ok(())
        } else {
            Err(io::Error::other("another file came in its place meanwhile"))
        }
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if !self.named {
            unlinkat(self.folder, &*self.own, AtFlags::empty()).ok();
        }
    }
}

/// Renames within a folder; false where the file system knows no such flag.
fn renamed(folder: &File, from: &str, to: &OsStr, flags: RenameFlags) -> io::Result<bool> {
    match rustix::fs::renameat_with(folder, from, folder, to, flags) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

//! Writes a file completely under a temporary name, in a folder that is held open, before it gets its real name.
//! Nobody sees half of it, and nothing that exists under the real name is lost unnoticed.

use super::held_path::{is_same_file, open_in};
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, linkat, openat, renameat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io;

/// A file under a temporary name. Dropping it removes what has the temporary name: the file, if it got no real name, or
/// the one that it replaced.
pub(super) struct Staging<'f> {
    folder: &'f File,
    file: File,
    own: String,
    /// Whether the file got its real name, so that dropping removes nothing.
    named: bool,
    /// Whether the temporary name is that of the file that was replaced.
    has_old: bool,
    /// Whether to use the system's atomic renames: exchange two names, and rename only to a free name.
    in_one_step: bool,
}

/// A temporary name that nobody else uses.
pub(super) fn own_name() -> String {
    format!(".sayso-{}", uuid::Uuid::now_v7().simple())
}

impl<'f> Staging<'f> {
    /// Creates an empty file in the folder. The system applies the person's umask to the mode.
    pub(super) fn new(folder: &'f File, mode: Mode) -> io::Result<Self> {
        Self::under(folder, own_name(), mode)
    }

    /// Like `new`, under this name.
    pub(super) fn under(folder: &'f File, own: String, mode: Mode) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(folder, &own, flags, mode)?);
        Ok(Self { folder, file, own, named: false, has_old: false, in_one_step: true })
    }

    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file this name, if the name is free.
    ///
    /// # Errors
    /// `AlreadyExists` if it is not free; otherwise the system's error.
    pub(super) fn take_free(&mut self, name: &OsStr) -> io::Result<()> {
        match self.renamed(name, RenameFlags::NOREPLACE) {
            Ok(true) => self.named = true,
            // On a file system without that flag: adds the real name, and dropping removes the temporary one.
            Ok(false) => linkat(self.folder, &*self.own, self.folder, name, AtFlags::empty())?,
            Err(error) => return Err(error),
        }
        self.is_under(name)
    }

    /// Gives the file this name in place of what has it, if that is what is `expected`; otherwise changes nothing.
    /// Returns whether the file got the name. What had it stays until this is dropped, where the system can exchange
    /// names.
    pub(super) fn replace(&mut self, name: &OsStr, expected: impl Fn(File) -> bool) -> io::Result<bool> {
        if let Some(is_exchanged) = self.exchange(name, &expected)? {
            if !is_exchanged {
                return Ok(false);
            }
            self.has_old = true;
        } else {
            if !open_in(self.folder, name).is_ok_and(&expected) {
                return Ok(false);
            }
            renameat(self.folder, &*self.own, self.folder, name)?;
            self.named = true;
        }
        self.is_under(name).map(|()| true)
    }

    /// Whether the file that was replaced still exists.
    pub(super) fn has_old(&self) -> bool {
        self.has_old
    }

    /// Gives the file that was replaced its name back, if what has it is the new one by `is_new`; otherwise changes
    /// nothing. Returns whether it got the name.
    pub(super) fn put_old_back(&mut self, name: &OsStr, is_new: impl Fn(File) -> bool) -> io::Result<bool> {
        let is_back = self.has_old && self.exchange(name, is_new)? == Some(true);
        self.has_old &= !is_back;
        Ok(is_back)
    }

    /// Exchanges the names, if what has this one is what is `expected`, and returns whether it did; `None` if the file
    /// system can't do that.
    fn exchange(&mut self, name: &OsStr, expected: impl Fn(File) -> bool) -> io::Result<Option<bool>> {
        if !self.renamed(name, RenameFlags::EXCHANGE)? {
            return Ok(None);
        }
        // Once it is exchanged, what had the name can't be changed under it any more. It is checked before it is
        // removed.
        self.named = true;
        let is_expected = open_in(self.folder, OsStr::new(&self.own)).is_ok_and(expected);
        if !is_expected {
            self.renamed(name, RenameFlags::EXCHANGE)?;
        }
        self.named = false;
        Ok(Some(is_expected))
    }

    /// Works as on a file system that can't exchange names, for tests.
    #[cfg(test)]
    pub(super) fn without_exchange(&mut self) {
        self.in_one_step = false;
    }

    /// Renames to this name; returns false if the file system does not support the flag.
    fn renamed(&self, to: &OsStr, flags: RenameFlags) -> io::Result<bool> {
        if !self.in_one_step {
            return Ok(false);
        }
        match rustix::fs::renameat_with(self.folder, &*self.own, self.folder, to, flags) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Checks that the name refers to this very file, because another process may have taken the name meanwhile.
    fn is_under(&self, name: &OsStr) -> io::Result<()> {
        if is_same_file(&self.file, &open_in(self.folder, name)?)? {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};

    fn read(file: File) -> String {
        let (mut file, mut text) = (file, String::new());
        file.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn names_are_given_with_flags_of_the_system_and_without() {
        for in_one_step in [true, false] {
            let base = tempfile::tempdir().unwrap();
            let at = |name: &str| base.path().join(name);
            let folder = File::open(base.path()).unwrap();
            let staged = |text: &str| {
                let mut staging = Staging::new(&folder, Mode::from_bits_truncate(0o644)).unwrap();
                staging.in_one_step = in_one_step;
                staging.file().write_all(text.as_bytes()).unwrap();
                staging
            };
            staged("new").take_free(OsStr::new("a")).unwrap();
            let taken = staged("other").take_free(OsStr::new("a")).unwrap_err();
            assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
            let expected = |old: File| read(old) == "new";
            assert!(staged("newer").replace(OsStr::new("a"), expected).unwrap());
            let is_replaced = staged("newest").replace(OsStr::new("a"), expected).unwrap();
            assert!(!is_replaced, "it is not what was expected");
            assert_eq!(std::fs::read_to_string(at("a")).unwrap(), "newer");
            // A link is not a file, so it is not replaced.
            std::os::unix::fs::symlink("a", at("link")).unwrap();
            assert!(!staged("x").replace(OsStr::new("link"), |_| true).unwrap());
            assert!(std::fs::symlink_metadata(at("link")).unwrap().is_symlink());
            drop(staged("never named"));
            assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 2, "nothing is left behind");
        }
    }
}

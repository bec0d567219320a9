//! A file in the making: complete under a name of its own before it gets the one that is meant, in a folder that is held
//! open. Nobody sees half of it, and nothing that stands there is lost unseen.

use super::place::{is_same_file, open_in};
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, linkat, openat, renameat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io;

/// A file that has no lasting name yet. Dropped, it is gone.
pub(super) struct Staging<'f> {
    folder: &'f File,
    file: File,
    own: String,
    /// Whether nothing is to be removed any more.
    named: bool,
    /// Whether names are exchanged, and given only where they are free, by the system in one step.
    in_one_step: bool,
}

/// A name that nobody else gives.
pub(super) fn own_name() -> String {
    format!(".sayso-{}", uuid::Uuid::now_v7().simple())
}

impl<'f> Staging<'f> {
    /// An empty file in a folder. The system takes from its mode what the person's mask says.
    pub(super) fn new(folder: &'f File, mode: Mode) -> io::Result<Self> {
        Self::under(folder, own_name(), mode)
    }

    /// The same under this name.
    pub(super) fn under(folder: &'f File, own: String, mode: Mode) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(folder, &own, flags, mode)?);
        Ok(Self { folder, file, own, named: false, in_one_step: true })
    }

    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives it this name, where nothing has it.
    ///
    /// # Errors
    /// `AlreadyExists` where something has it; what the system says.
    pub(super) fn take_free(&mut self, name: &OsStr) -> io::Result<()> {
        match self.renamed(name, RenameFlags::NOREPLACE) {
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
        if self.renamed(name, RenameFlags::EXCHANGE)? {
            // What was taken away can't change any more under its name. It is not removed before it was looked at.
            self.named = true;
            let is_expected = is_expected(OsStr::new(&self.own));
            if !is_expected {
                self.renamed(name, RenameFlags::EXCHANGE)?;
            }
            self.named = false;
            if !is_expected {
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

    /// Renames to this; false where the file system knows no such flag.
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

    /// A name may be taken from a file while it gets another: what stands there has to be this very file.
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
            assert!(
                !staged("newest").replace(OsStr::new("a"), expected).unwrap(),
                "it is not what was expected"
            );
            assert_eq!(std::fs::read_to_string(at("a")).unwrap(), "newer");
            // Nothing that is no file is taken for one, and it stays.
            std::os::unix::fs::symlink("a", at("link")).unwrap();
            assert!(!staged("x").replace(OsStr::new("link"), |_| true).unwrap());
            assert!(std::fs::symlink_metadata(at("link")).unwrap().is_symlink());
            drop(staged("never named"));
            assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 2, "nothing is left behind");
        }
    }
}

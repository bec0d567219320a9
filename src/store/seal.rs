//! The seal of this installation: a MAC over each line of a session and the one before it. The key lies in the state
//! folder, never with the sessions: who can write a session's file can't make a line that counts as written here.
//!
//! A file whose lines are not all sealed in one chain is foreign. The person can adopt it: one more line, which names the
//! hash of all that stands before it.

use super::{StoreError, disk};
use crate::domain::Sha256;
use hmac::{Hmac, Mac as _};
use sha2::Digest as _;
use std::fmt;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the key in the state folder.
const KEY: &str = "session-key";
/// The folder beside it that tells how far sessions went when they were last synced.
const ENDS: &str = "session-ends";
const BYTES: usize = 32;

/// What seals lines. Cheap to clone; its key is shown nowhere.
#[derive(Clone)]
pub struct Seal(Arc<Inner>);

struct Inner {
    key: [u8; BYTES],
    /// Where it is noted how far sessions went.
    ends: PathBuf,
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(..)")
    }
}

impl Seal {
    /// The seal of the installation with this state folder; it is made where there is none. Of several processes that
    /// make one at a time, all get the same.
    ///
    /// # Errors
    /// When the key can't be made or read, or is none.
    pub fn make(state: &Path) -> Result<Self, StoreError> {
        if let Some(seal) = Self::find(state)? {
            return Ok(seal);
        }
        disk::make_folder(state)?;
        let path = state.join(KEY);
        let new = state.join(format!("{KEY}-{}", uuid::Uuid::now_v7().simple()));
        let failed = |error| StoreError::io(&path, "made", error);
        let mut key = [0; BYTES];
        File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut key)).map_err(failed)?;
        let mut file = disk::replace(&new)?;
        let named = file.write_all(&key).and_then(|()| file.sync_all()).and_then(|()| {
            // Under its name it is whole from the first moment, and nobody's key is ever replaced.
            std::fs::hard_link(&new, &path)
        });
        std::fs::remove_file(&new).ok();
        match named {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => disk::sync_folder(state).map_err(failed)?,
        }
        Self::find(state)?.ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))
    }

    /// The seal of this installation; `None` where none was made.
    ///
    /// # Errors
    /// When its key can't be read, or is none.
    pub fn find(state: &Path) -> Result<Option<Self>, StoreError> {
        let path = state.join(KEY);
        let mut file = match disk::open_read(&path) {
            Ok(file) => file,
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let mut key = Vec::new();
        (&mut file)
            .take(BYTES as u64 + 1)
            .read_to_end(&mut key)
            .map_err(|e| StoreError::io(&path, "read", e))?;
        match <[u8; BYTES]>::try_from(key) {
            Ok(key) => Ok(Some(Self(Arc::new(Inner { key, ends: state.join(ENDS) })))),
            Err(_) => Err(StoreError::unsafe_place(
                &path,
                "is not the key that was made: delete it for a new one; all sessions then wait to be adopted",
            )),
        }
    }

    fn hmac(&self, before: &Mac, covered: &[u8]) -> Option<Hmac<sha2::Sha256>> {
        let mut hmac = Hmac::<sha2::Sha256>::new_from_slice(&self.0.key).ok()?;
        hmac.update(&before.0);
        hmac.update(covered);
        Some(hmac)
    }

    fn end_of(&self, root: &Mac) -> PathBuf {
        self.0.ends.join(Sha256(root.0).to_string())
    }

    /// The line that a session reached for certain, where that was noted.
    fn end(&self, root: &Mac) -> Option<Mac> {
        let mut text = String::new();
        disk::open_read(&self.end_of(root)).ok()?.take(64).read_to_string(&mut text).ok()?;
        Sha256::parse(&text).map(|hash| Mac(hash.0))
    }

    /// Whether that is the MAC of a line behind another; the comparison takes the same time for every wrong one.
    fn made(&self, before: &Mac, covered: &[u8], mac: &Mac) -> bool {
        self.hmac(before, covered).is_some_and(|hmac| hmac.verify_slice(&mac.0).is_ok())
    }
}

/// A MAC, or what stands for one where a chain begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mac(pub(crate) [u8; BYTES]);

impl Mac {
    /// Before the first line of a file.
    pub(crate) const FIRST: Mac = Mac([0; BYTES]);
    /// Before a line that adopts what stands in front of it.
    pub(crate) const ADOPTED: Mac = Mac([1; BYTES]);
    /// Before what is added to a foreign file: such lines count once they are adopted, never by themselves.
    pub(crate) const FOREIGN: Mac = Mac([2; BYTES]);
}

/// What seals the next line of a file.
#[derive(Clone, Debug)]
pub(crate) struct Sealing {
    seal: Seal,
    before: Mac,
    /// The line with which the chain begins: what the session goes by.
    root: Option<Mac>,
}

impl Sealing {
    /// Behind this, where a chain begins.
    pub(super) fn begin(seal: Seal, before: Mac) -> Self {
        Self { seal, before, root: None }
    }

    /// The MAC of a line, and what seals the one behind it.
    pub(super) fn next(self, covered: &[u8]) -> Option<(Mac, Self)> {
        let mac = Mac(self.seal.hmac(&self.before, covered)?.finalize().into_bytes().into());
        let begins = self.before == Mac::FIRST || self.before == Mac::ADOPTED;
        let root = self.root.or(begins.then_some(mac));
        Some((mac, Self { seal: self.seal, before: mac, root }))
    }

    /// Notes that the session went as far as the line before, which is on the disk: what is cut off later is noticed. It
    /// need not be synced, for an older note does no harm.
    pub(super) fn note_end(&self) {
        let Some(root) = &self.root else { return };
        let path = self.seal.end_of(root);
        let open =
            || std::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = open().or_else(|_| {
            disk::make_folder(&self.seal.0.ends)
                .and_then(|()| open().map_err(|error| StoreError::io(&path, "written", error)))
        });
        let noted = file.map_err(|error| error.to_string()).and_then(|file| {
            let text = Sha256(self.before.0).to_string();
            file.write_all_at(text.as_bytes(), 0).map_err(|error| error.to_string())
        });
        if let Err(why) = noted {
            tracing::warn!(%why, "how far the session went is not noted");
        }
    }
}

/// Why nothing of a session's file counts as this installation's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// There is no key to look with.
    NoKey,
    /// This line has no seal.
    Unsealed(u64),
    /// The seal of this line is another one: of another installation or session, or the line or one before was changed.
    Broken(u64),
    /// Its end is missing: it had gone further when it was last synced.
    Cut,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Foreign::NoKey => f.write_str("this installation has no key that could have sealed it"),
            Foreign::Unsealed(line) => {
                write!(f, "line {line} has no seal: an older sayso or something else wrote it")
            }
            Foreign::Cut => f.write_str("its end is missing: lines were cut off, or it is an older copy"),
            Foreign::Broken(line) => write!(
                f,
                "the seal of line {line} does not fit: another installation wrote it, or it was changed"
            ),
        }
    }
}

/// Follows the seals of a file, line by line.
pub(super) struct Chain<'f> {
    seal: Option<&'f Seal>,
    file: &'f File,
    before: Mac,
    foreign: Option<Foreign>,
    root: Option<Mac>,
    /// The line that it has to reach.
    end: Option<Mac>,
}

impl<'f> Chain<'f> {
    pub(super) fn new(seal: Option<&'f Seal>, file: &'f File) -> Self {
        let foreign = seal.is_none().then_some(Foreign::NoKey);
        Self { seal, file, before: Mac::FIRST, foreign, root: None, end: None }
    }

    /// Takes the next whole line, which begins at this byte, without its newline. `adopts`: the hash of what it adopts,
    /// where it is such a line.
    pub(super) fn line(&mut self, number: u64, start: u64, line: &[u8], adopts: Option<Sha256>) {
        let Some(seal) = self.seal else { return };
        let Some((covered, mac)) = super::wire::stored_mac(line) else {
            self.foreign.get_or_insert(Foreign::Unsealed(number));
            return;
        };
        if self.foreign.is_none() && seal.made(&self.before, covered, &mac) {
            self.follow(seal, mac);
        } else if let Some(sha256) = adopts
            && seal.made(&Mac::ADOPTED, covered, &mac)
            && hash(self.file, start).is_ok_and(|hash| hash == sha256)
        {
            (self.foreign, self.root) = (None, None);
            self.follow(seal, mac);
        } else {
            self.foreign.get_or_insert(Foreign::Broken(number));
        }
    }

    fn follow(&mut self, seal: &Seal, mac: Mac) {
        self.before = mac;
        if self.root.is_none() {
            (self.root, self.end) = (Some(mac), seal.end(&mac));
        }
        self.end.take_if(|end| *end == mac);
    }

    /// Why the file is foreign, and what seals the next line.
    pub(super) fn end(self) -> (Option<Foreign>, Option<Sealing>) {
        let foreign = self.foreign.or(self.end.map(|_| Foreign::Cut));
        let own = foreign.is_none();
        let (before, root) = if own { (self.before, self.root) } else { (Mac::FOREIGN, None) };
        (foreign, self.seal.map(|seal| Sealing { seal: seal.clone(), before, root }))
    }
}

/// The hash of the first bytes of a file.
pub(super) fn hash(file: &File, bytes: u64) -> std::io::Result<Sha256> {
    let mut hasher = sha2::Sha256::new();
    let (mut at, mut piece) = (0, vec![0; 64 << 10]);
    while at < bytes {
        let wanted = usize::try_from(bytes - at).unwrap_or(usize::MAX).min(piece.len());
        let read = file.read_at(piece.get_mut(..wanted).unwrap_or_default(), at)?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        hasher.update(piece.get(..read).unwrap_or_default());
        at += read as u64;
    }
    Ok(Sha256(hasher.finalize().into()))
}

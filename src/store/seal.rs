//! The seal of this installation: a MAC over each line of a session and the one before it. The key lies in the state
//! folder, never with the sessions: who can write a session's file can't make a line that counts as written here.
//!
//! A file whose lines are not all sealed in one chain is foreign. The person can adopt it: one more line, which names the
//! hash of all that stands before it.

use super::{StoreError, disk};
use crate::domain::Sha256;
use hmac::{Hmac, Mac as _};
use std::fmt;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the key in the state folder.
const KEY_NAME: &str = "session-key";
/// The folder beside it that tells how far sessions went when they were last synced.
const ENDS_FOLDER: &str = "session-ends";
const BYTES: usize = 32;

/// What seals lines. Cheap to clone; its key is shown nowhere.
#[derive(Clone)]
pub struct Seal(Arc<Inner>);

struct Inner {
    /// Begun with the key once: each line goes on from a copy of it.
    keyed: Hmac<sha2::Sha256>,
    /// Where it is noted how far sessions went; `None`: it is not.
    ends: Option<PathBuf>,
    /// Whether the key was made just now: it may not be on the disk yet.
    is_new: bool,
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(..)")
    }
}

impl Seal {
    /// The seal of the installation with this state folder; it is made where there is none. Of several processes that
    /// make one at a time, all get the same. It has to be kept ([`Seal::keep`]) before it seals anything.
    pub fn make(state: &Path) -> Result<Self, StoreError> {
        if let Some(seal) = Self::find(state)? {
            return Ok(seal);
        }
        disk::make_folder(state)?;
        let path = state.join(KEY_NAME);
        let new = state.join(format!("{KEY_NAME}-{}", uuid::Uuid::now_v7().simple()));
        let failed = |error| StoreError::io(&path, "made", error);
        let mut key = [0; BYTES];
        File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut key)).map_err(failed)?;
        let mut file = disk::replace(&new)?;
        // Under its name it is whole from the first moment, and nobody's key is ever replaced.
        let named = file.write_all(&key).and_then(|()| std::fs::hard_link(&new, &path));
        std::fs::remove_file(&new).ok();
        named.or_else(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Ok(()),
            _ => Err(failed(error)),
        })?;
        Self::read(state, true)?.ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))
    }

    /// Brings a key that was made just now to the disk. Nobody who looks at a screen waits for it: the writer does it.
    pub(crate) fn keep(&self) {
        let ends = self.0.ends.as_deref().filter(|_| self.0.is_new);
        let Some(state) = ends.and_then(Path::parent) else { return };
        let kept = File::open(state.join(KEY_NAME)).and_then(|key| key.sync_all());
        if let Err(error) = kept.and_then(|()| disk::sync_folder(state)) {
            tracing::warn!(%error, "the key of sessions may not outlive a power cut");
        }
    }

    /// The seal of this installation; `None` where none was made.
    pub(crate) fn find(state: &Path) -> Result<Option<Self>, StoreError> {
        Self::read(state, false)
    }

    fn read(state: &Path, is_new: bool) -> Result<Option<Self>, StoreError> {
        let path = state.join(KEY_NAME);
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
        let keyed = Some(key).filter(|key| key.len() == BYTES);
        match keyed.and_then(|key| Hmac::new_from_slice(&key).ok()) {
            Some(keyed) => {
                Ok(Some(Self(Arc::new(Inner { keyed, ends: Some(state.join(ENDS_FOLDER)), is_new }))))
            }
            None => Err(StoreError::unsafe_place(
                &path,
                "is not the key that was made: delete it for a new one; all sessions then wait to be adopted",
            )),
        }
    }

    fn hmac(&self, before: &Mac, covered: &[u8]) -> Hmac<sha2::Sha256> {
        let mut hmac = self.0.keyed.clone();
        hmac.update(&before.0);
        hmac.update(covered);
        hmac
    }

    /// The same for a file that is not in its place yet: how far it goes is not noted.
    pub(super) fn without_ends(&self) -> Self {
        Self(Arc::new(Inner { keyed: self.0.keyed.clone(), ends: None, is_new: false }))
    }

    fn end_of(&self, root: &Mac) -> Option<PathBuf> {
        Some(self.0.ends.as_ref()?.join(Sha256(root.0).to_string()))
    }

    /// The line that a session reached for certain, where that was noted.
    pub(super) fn end(&self, root: &Mac) -> Option<Mac> {
        let mut text = String::new();
        disk::open_read(&self.end_of(root)?).ok()?.take(64).read_to_string(&mut text).ok()?;
        Sha256::parse(&text).map(|hash| Mac(hash.0))
    }

    /// Whether that is the MAC of a line behind another; the comparison takes the same time for every wrong one.
    pub(super) fn verify(&self, before: &Mac, covered: &[u8], mac: &Mac) -> bool {
        self.hmac(before, covered).verify_slice(&mac.0).is_ok()
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
pub(crate) struct LineSeal {
    pub(super) seal: Seal,
    pub(super) before: Mac,
    /// The line with which the chain begins: what the session goes by.
    pub(super) root: Option<Mac>,
}

impl LineSeal {
    /// Behind this, where a chain begins.
    pub(super) fn begin(seal: Seal, before: Mac) -> Self {
        Self { seal, before, root: None }
    }

    /// The MAC of a line, and what seals the one behind it.
    pub(super) fn next(self, covered: &[u8]) -> (Mac, Self) {
        let mac = Mac(self.seal.hmac(&self.before, covered).finalize().into_bytes().into());
        let begins = self.before == Mac::FIRST || self.before == Mac::ADOPTED;
        let root = self.root.or(begins.then_some(mac));
        (mac, Self { seal: self.seal, before: mac, root })
    }

    fn noted_at(&self) -> Option<PathBuf> {
        self.seal.end_of(self.root.as_ref()?)
    }

    /// Forgets how far the session went: another file is about to take its place.
    pub(super) fn forget_end(&self) {
        self.noted_at().map(std::fs::remove_file);
    }

    /// Notes that the session went as far as the line before, which is on the disk: what is cut off later is noticed. It
    /// need not be synced, for an older note does no harm.
    pub(super) fn note_end(&self) {
        let Some(path) = self.noted_at() else { return };
        let open =
            || std::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = open().or_else(|_| {
            disk::make_folder(path.parent().unwrap_or(&path))
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

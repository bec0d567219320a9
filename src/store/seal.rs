//! The seal of this installation: a MAC over each line of a session and the one before it. The key is stored in the
//! state folder, never with the sessions, so whoever can write a session's file can't make a line that counts as
//! written here.
//!
//! A file whose lines are not all sealed in one chain is foreign. The person can adopt it, which adds a line with the
//! hash of everything before it.

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
/// The folder beside it that notes the last synced line of each session.
const ENDS_FOLDER: &str = "session-ends";
const BYTES: usize = 32;

/// Seals lines. Cheap to clone; the key is never shown.
#[derive(Clone)]
pub struct Seal(Arc<Inner>);

struct Inner {
    /// The MAC after the key was fed in; each line continues with a copy.
    keyed: Hmac<sha2::Sha256>,
    /// The folder where the last synced lines are noted; `None` if they are not noted.
    ends: Option<PathBuf>,
    /// Whether the key was created just now and may not be on the disk yet.
    is_new: bool,
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(..)")
    }
}

impl Seal {
    /// The seal of the installation with this state folder; creates its key if there is none. If several processes
    /// create one at the same time, all get the same. [`Seal::keep`] must be called before it seals anything.
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
        // A hard link gives the complete key its name in one step, and never replaces an existing key.
        let named = file.write_all(&key).and_then(|()| std::fs::hard_link(&new, &path));
        std::fs::remove_file(&new).ok();
        named.or_else(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Ok(()),
            _ => Err(failed(error)),
        })?;
        Self::read(state, true)?.ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))
    }

    /// Syncs a key that was created just now to the disk. The writer thread calls this, so that no front end waits
    /// for it.
    pub(crate) fn sync_key(&self) {
        let ends = self.0.ends.as_deref().filter(|_| self.0.is_new);
        let Some(state) = ends.and_then(Path::parent) else { return };
        let kept = File::open(state.join(KEY_NAME)).and_then(|key| key.sync_all());
        if let Err(error) = kept.and_then(|()| disk::sync_folder(state)) {
            tracing::warn!(%error, "the key of sessions may not outlive a power cut");
        }
    }

    /// The seal of this installation; `None` if none was created.
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

    /// The same seal for a file that has not replaced the session yet: its last line is not noted.
    pub(super) fn without_ends(&self) -> Self {
        Self(Arc::new(Inner { keyed: self.0.keyed.clone(), ends: None, is_new: false }))
    }

    fn end_of(&self, root: &Mac) -> Option<PathBuf> {
        Some(self.0.ends.as_ref()?.join(Sha256(root.0).to_string()))
    }

    /// The last line of a session that was certainly synced, if it was noted.
    pub(super) fn end(&self, root: &Mac) -> Option<Mac> {
        let mut text = String::new();
        disk::open_read(&self.end_of(root)?).ok()?.take(64).read_to_string(&mut text).ok()?;
        Sha256::parse(&text).map(|hash| Mac(hash.0))
    }

    /// Whether this is the MAC of a line after the previous one. The comparison takes constant time.
    pub(super) fn verify(&self, before: &Mac, covered: &[u8], mac: &Mac) -> bool {
        self.hmac(before, covered).verify_slice(&mac.0).is_ok()
    }
}

/// A MAC, or a constant in its place where a chain begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mac(pub(crate) [u8; BYTES]);

impl Mac {
    /// Precedes the first line of a file.
    pub(crate) const FIRST: Mac = Mac([0; BYTES]);
    /// Precedes a line that adopts everything before it.
    pub(crate) const ADOPTED: Mac = Mac([1; BYTES]);
    /// Precedes lines that are added to a foreign file: they only count once they are adopted.
    pub(crate) const FOREIGN: Mac = Mac([2; BYTES]);
}

/// The state that seals the next line of a file.
#[derive(Clone, Debug)]
pub(crate) struct SealState {
    pub(super) seal: Seal,
    pub(super) before: Mac,
    /// The MAC of the line with which the chain begins. It identifies the session.
    pub(super) root: Option<Mac>,
}

impl SealState {
    /// Begins a chain after this MAC.
    pub(super) fn begin(seal: Seal, before: Mac) -> Self {
        Self { seal, before, root: None }
    }

    /// The MAC of a line, and the state for the next one.
    pub(super) fn next(self, covered: &[u8]) -> (Mac, Self) {
        let mac = Mac(self.seal.hmac(&self.before, covered).finalize().into_bytes().into());
        let begins = self.before == Mac::FIRST || self.before == Mac::ADOPTED;
        let root = self.root.or(begins.then_some(mac));
        (mac, Self { seal: self.seal, before: mac, root })
    }

    fn noted_at(&self) -> Option<PathBuf> {
        self.seal.end_of(self.root.as_ref()?)
    }

    /// Deletes the note of the session's last line, because another file is about to replace the session.
    pub(super) fn forget_end(&self) {
        self.noted_at().map(std::fs::remove_file);
    }

    /// Notes that the session was synced up to the previous line, so that cutting off lines later is noticed. The
    /// note need not be synced, because an older one does no harm.
    pub(super) fn note_last_line(&self) {
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

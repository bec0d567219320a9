//! Verifies the seals of a session's file from line to line, and finds out why a file is foreign: not this
//! installation's own.

use super::seal::{Mac, Seal, SealState};
use super::wire::stored_mac;
use crate::domain::Sha256;
use sha2::Digest as _;
use std::fmt;
use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// Why a session's file does not count as this installation's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// There is no key to verify with.
    NoKey,
    /// This line has no seal.
    Unsealed(u64),
    /// The seal of this line does not fit: it is of another installation or session, or the line or one before it was
    /// changed.
    Broken(u64),
    /// The end of the file is missing: it was longer when it was last synced.
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

/// Verifies the seals of a file, line by line.
pub(super) struct Chain<'f> {
    seal: Option<&'f Seal>,
    file: &'f File,
    before: Mac,
    foreign: Option<Foreign>,
    root: Option<Mac>,
    /// The seal of the last synced line, until it is reached.
    end: Option<Mac>,
}

impl<'f> Chain<'f> {
    pub(super) fn new(seal: Option<&'f Seal>, file: &'f File) -> Self {
        let foreign = seal.is_none().then_some(Foreign::NoKey);
        Self { seal, file, before: Mac::FIRST, foreign, root: None, end: None }
    }

    /// Takes the next whole line without its newline; `start` is its position. `adopts` is the hash that it adopts,
    /// if it is an adopting line.
    pub(super) fn line(&mut self, number: u64, start: u64, line: &[u8], adopts: Option<Sha256>) {
        let Some(seal) = self.seal else { return };
        let Some((covered, mac)) = stored_mac(line) else {
            self.foreign.get_or_insert(Foreign::Unsealed(number));
            return;
        };
        if self.foreign.is_none() && seal.verify(&self.before, covered, &mac) {
            self.follow(seal, mac);
        } else if let Some(sha256) = adopts
            && seal.verify(&Mac::ADOPTED, covered, &mac)
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

    /// Why the file is foreign, if it is, and the seal state for the next line.
    pub(super) fn end(self) -> (Option<Foreign>, Option<SealState>) {
        let foreign = self.foreign.or(self.end.map(|_| Foreign::Cut));
        let own = foreign.is_none();
        let (before, root) = if own { (self.before, self.root) } else { (Mac::FOREIGN, None) };
        (foreign, self.seal.map(|seal| SealState { seal: seal.clone(), before, root }))
    }
}

/// The hash of the first bytes of a file.
pub(super) fn hash(file: &File, bytes: u64) -> std::io::Result<Sha256> {
    let mut hasher = sha2::Sha256::new();
    read_first(file, bytes, |piece| hasher.update(piece))?;
    Ok(Sha256(hasher.finalize().into()))
}

/// Passes on the first bytes of a file piece by piece.
pub(super) fn read_first(file: &File, bytes: u64, mut take: impl FnMut(&[u8])) -> std::io::Result<()> {
    let (mut at, mut buffer) = (0, vec![0; 64 << 10]);
    while at < bytes {
        let wanted = usize::try_from(bytes - at).unwrap_or(usize::MAX).min(buffer.len());
        let piece = buffer.get_mut(..wanted).unwrap_or_default();
        file.read_exact_at(piece, at)?;
        take(piece);
        at += wanted as u64;
    }
    Ok(())
}

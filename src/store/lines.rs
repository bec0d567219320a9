//! Locates the entries in a session's file, as it was when it was opened, so that they can be read again one by one.

use super::wire::{self, LineContent};
use super::{blob, disk};
use crate::domain::{Entry, OutputBuffer, Sha256, Stream};
use sha2::Digest as _;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

const PAGE_BYTES: u32 = 32 << 10;

/// Consecutive lines of the file, each of which is an entry.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// The index of its first entry.
    entry: u64,
    /// Its position, and its size without the last newline.
    at: u64,
    bytes: u32,
    /// The hash of those bytes.
    sha256: Sha256,
}

/// The lines of a file, grouped in pages so that little memory is needed for each.
#[derive(Debug, Default)]
pub(super) struct LineIndex {
    pages: Vec<Page>,
    /// For outputs in files of their own that were read: the entry, and the hash of the output.
    outside: Vec<(u64, Sha256)>,
}

/// Builds a line index while the file is read.
#[derive(Debug, Default)]
pub(super) struct LineIndexBuilder {
    index: LineIndex,
    /// The page being built, and its hash so far.
    page: Option<(Page, sha2::Sha256)>,
}

/// Why a line can't be read again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RereadError {
    /// The file can't be read.
    #[error("the file can't be read: {0}")]
    Io(#[from] io::Error),
    /// The file with its output can't be read, or does not fit its line.
    #[error("{0}")]
    Outside(String),
    /// The file's content is not what it was when the session was opened, or the entry was not noted.
    #[error("the file was changed since it was opened")]
    Changed,
}

impl LineIndexBuilder {
    /// Notes the line of this entry, which begins at position `at`.
    pub(super) fn note(&mut self, entry: u64, at: u64, line: &[u8]) {
        let Ok(more) = u32::try_from(line.len()) else { return };
        if let Some((page, hash)) = &mut self.page {
            // A damaged line is not an entry, so the line after it begins a new page.
            let follows = page.at + u64::from(page.bytes) + 1 == at;
            let bytes = more.checked_add(1).and_then(|more| page.bytes.checked_add(more));
            if let Some(bytes) = bytes.filter(|bytes| follows && *bytes <= PAGE_BYTES) {
                page.bytes = bytes;
                hash.update(b"\n");
                hash.update(line);
                return;
            }
        }
        self.close_page();
        let page = Page { entry, at, bytes: more, sha256: Sha256([0; 32]) };
        self.page = Some((page, sha2::Sha256::new_with_prefix(line)));
    }

    /// Notes the output of this entry that is stored in a file of its own.
    pub(super) fn note_outside(&mut self, entry: u64, output: &OutputBuffer) {
        self.index.outside.push((entry, hash(output)));
    }

    fn close_page(&mut self) {
        if let Some((page, hash)) = self.page.take() {
            self.index.pages.push(Page { sha256: Sha256(hash.finalize().into()), ..page });
        }
    }

    pub(super) fn end(mut self) -> LineIndex {
        self.close_page();
        self.index.pages.shrink_to_fit();
        self.index
    }
}

/// Reads entries of a file again. It keeps the last page, so that neighbouring entries are read once.
#[derive(Debug, Default)]
pub(super) struct PageReader {
    file: Option<File>,
    page: Option<(u64, Vec<u8>)>,
}

impl PageReader {
    /// Reads an entry again from this file, and checks that it is as it was when it was noted.
    pub(super) fn read(&mut self, index: &LineIndex, path: &Path, entry: u64) -> Result<Entry, RereadError> {
        let behind = index.pages.partition_point(|page| page.entry <= entry);
        let page = behind.checked_sub(1).and_then(|at| index.pages.get(at)).ok_or(RereadError::Changed)?;
        let number = usize::try_from(entry - page.entry).map_err(|_| RereadError::Changed)?;
        let bytes = self.page(page, path)?;
        let line = bytes.split(|byte| *byte == b'\n').nth(number).ok_or(RereadError::Changed)?;
        let frame = wire::open(line).map_err(|_| RereadError::Changed)?;
        let blobs = super::blobs_of(path);
        let Ok(LineContent::Entry(mut found, outside)) = wire::decode(&frame, &blobs) else {
            return Err(RereadError::Changed);
        };
        if let (Some(outside), Entry::Ran { report, .. }) = (outside, &mut *found) {
            let read = blob::read_blob(&blobs.join(outside.name()), &outside);
            let output = read.map_err(|why| RereadError::Outside(why.to_string()))?;
            let noted = index.outside.binary_search_by_key(&entry, |(of, _)| *of).ok();
            let noted = noted.and_then(|at| index.outside.get(at)).map(|(_, hash)| *hash);
            if noted != Some(hash(&output)) {
                return Err(RereadError::Changed);
            }
            report.output = output;
        }
        Ok(*found)
    }

    /// The bytes of a page, checked to be as they were when it was noted.
    fn page(&mut self, page: &Page, path: &Path) -> Result<&[u8], RereadError> {
        if self.page.as_ref().is_none_or(|(at, _)| *at != page.at) {
            self.page = None;
            let file = match self.file.take() {
                Some(file) => file,
                None => disk::open_read(path).map_err(|error| io::Error::other(error.brief()))?,
            };
            let mut bytes = vec![0; usize::try_from(page.bytes).unwrap_or_default()];
            file.read_exact_at(&mut bytes, page.at)?;
            self.file = Some(file);
            if Sha256::of(&bytes) != page.sha256 {
                return Err(RereadError::Changed);
            }
            self.page = Some((page.at, bytes));
        }
        self.page.as_ref().map(|(_, bytes)| bytes.as_slice()).ok_or(RereadError::Changed)
    }
}

/// A hash of an output's content, including the stream and the length of each piece.
fn hash(output: &OutputBuffer) -> Sha256 {
    let mut bytes = Vec::new();
    for piece in output.pieces() {
        bytes.push(u8::from(piece.stream == Stream::Stderr));
        bytes.extend((piece.bytes.len() as u64).to_le_bytes());
        bytes.extend(&piece.bytes);
    }
    Sha256::of(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Outcome, RunReport};
    use crate::store::samples::{self, AT, wait, write_session};
    use crate::store::{ReadProgress, Store};

    fn reply(n: u32, bytes: usize) -> Entry {
        samples::reply(&format!("{n} {}", "é".repeat(bytes / 2)))
    }

    #[test]
    fn long_replies_are_read_again_and_nothing_that_was_changed() {
        let home = tempfile::tempdir().unwrap();
        let entries: Vec<Entry> =
            (0..6).map(|n| reply(n, if n % 2 == 0 { 10 } else { 5_000 * n as usize })).collect();
        let path = write_session(home.path(), "s-1", &entries);
        // A damaged line is not an entry: those after it keep their positions.
        let mut text = std::fs::read(&path).unwrap();
        let second = text.iter().position(|byte| *byte == b'\n').unwrap() + 30;
        text[second] ^= 1;
        std::fs::write(&path, &text).unwrap();
        let (store, loaded, _) =
            Store::open_or_read::<Vec<_>>(&path, None, &ReadProgress::default()).unwrap();
        assert!(!loaded.damage.is_empty());
        for (number, (_, entry)) in loaded.entries.iter().enumerate() {
            let again = store.read_again(number as u64);
            // The header that replaces an unreadable one has no line.
            assert_eq!(again.ok().as_ref(), Some(entry));
        }
        store.append(reply(9, 9_000), AT);
        wait(store.sync()).unwrap();
        let last = loaded.entries.len() as u64 - 1;
        assert!(store.read_again(last).is_ok() && store.read_again(last + 1).is_err());
        // A change of the file in place is noticed, even if its checksums were changed, too.
        let other = String::from_utf8(std::fs::read(&path).unwrap()).unwrap().replace("5 é", "5 e");
        std::fs::write(&path, other).unwrap();
        assert!(matches!(store.read_again(last), Err(RereadError::Changed)));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(store.read_again(last), Err(RereadError::Io(_))));
    }

    /// A run that printed this many bytes.
    fn ran(n: u32, bytes: usize) -> Entry {
        let mut report = RunReport::bare(Outcome::Ok);
        report.output.push(Stream::Stdout, "o".repeat(bytes).as_bytes());
        report.output.push(Stream::Stderr, "wrong\n".repeat(bytes / 60).as_bytes());
        crate::domain::samples::ran(n, n, report)
    }

    #[test]
    fn outputs_are_read_again_those_in_a_file_of_their_own_too_and_nothing_that_was_changed() {
        let home = tempfile::tempdir().unwrap();
        let path = write_session(home.path(), "s-1", &[ran(1, 100), ran(2, 20_000), ran(3, 300_000)]);
        let (store, loaded, _) =
            Store::open_or_read::<Vec<_>>(&path, None, &ReadProgress::default()).unwrap();
        // The header is entry 0.
        for number in [1, 2, 3] {
            assert_eq!(store.read_again(number).unwrap(), loaded.entries[number as usize].1);
        }
        // The line is unchanged, but the file with the output is another one, with the same checksum or without.
        let blobs = crate::store::blobs_of(&path);
        let blob = std::fs::read_dir(&blobs).unwrap().next().unwrap().unwrap().path();
        let whole = std::fs::read(&blob).unwrap();
        let mut other = whole.clone();
        other[1_000] = b'x';
        std::fs::write(&blob, &other).unwrap();
        assert!(matches!(store.read_again(3), Err(RereadError::Outside(_))));
        let forged = with_checksum(other, crc32fast::hash(&whole));
        assert_eq!(crc32fast::hash(&forged), crc32fast::hash(&whole));
        std::fs::write(&blob, &forged).unwrap();
        assert!(matches!(store.read_again(3), Err(RereadError::Changed)));
        std::fs::write(&blob, &whole).unwrap();
        assert!(store.read_again(3).is_ok());
        std::fs::remove_file(&blob).unwrap();
        assert!(matches!(store.read_again(3), Err(RereadError::Outside(_))));
    }

    /// Replaces the last four bytes so that the bytes have this checksum.
    fn with_checksum(mut bytes: Vec<u8>, wanted: u32) -> Vec<u8> {
        // A checksum is linear: test for each bit of the last four bytes which bits of the checksum it changes.
        let at = bytes.len() - 4;
        bytes[at..].fill(0);
        let base = crc32fast::hash(&bytes);
        let mut rows: Vec<(u32, u32)> = (0..32)
            .map(|bit| {
                bytes[at + bit / 8] = 1 << (bit % 8);
                let changed = crc32fast::hash(&bytes) ^ base;
                bytes[at + bit / 8] = 0;
                (changed, 1 << bit)
            })
            .collect();
        let (mut left, mut chosen) = (base ^ wanted, 0u32);
        for bit in (0..32).rev() {
            let Some(row) = rows.iter().position(|(changed, _)| changed >> bit & 1 == 1) else { continue };
            let (changed, bits) = rows.swap_remove(row);
            for other in &mut rows {
                if other.0 >> bit & 1 == 1 {
                    *other = (other.0 ^ changed, other.1 ^ bits);
                }
            }
            if left >> bit & 1 == 1 {
                (left, chosen) = (left ^ changed, chosen ^ bits);
            }
        }
        bytes[at..].copy_from_slice(&chosen.to_le_bytes());
        bytes
    }
}

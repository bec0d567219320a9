//! A glance at the end of a large session, for what is shown while all of it is read: its first line and the last ones.
//! Each line is looked at by itself. Nothing is decided by what is seen here: seals and what stands before are checked by
//! the reading that follows.

use super::wire::{self, LineContent};
use super::{blobs_of, disk};
use crate::domain::{Entry, Timestamp};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// A smaller file is read as a whole at once.
const LARGE: u64 = 4 << 20;
/// Bytes of its end that are looked at.
const END: usize = 1 << 20;
/// The longest first line.
const FIRST: usize = 64 << 10;

/// The header and the last entries of a session, where it is so large that its reading is waited for.
pub(crate) fn glance(path: &Path) -> Option<Vec<(Timestamp, Entry)>> {
    let file = disk::open_read(path).ok()?;
    let bytes = file.metadata().ok()?.len();
    if bytes < LARGE {
        return None;
    }
    let first = piece(&file, 0, FIRST)?;
    let end = piece(&file, bytes.saturating_sub(END as u64), END)?;
    let blobs = blobs_of(path);
    let entry = |line: &[u8]| {
        let frame = wire::open(line).ok()?;
        match wire::decode(&frame, &blobs).ok()? {
            // Output in a file of its own comes with the reading.
            LineContent::Entry(entry, _) => Some((frame.at, *entry)),
            LineContent::UnknownKind => None,
        }
    };
    let header = first.split(|byte| *byte == b'\n').next().and_then(entry);
    // The first piece is the end of a line.
    let last: Vec<_> = end.split(|byte| *byte == b'\n').skip(1).filter_map(entry).collect();
    (!last.is_empty()).then(|| header.into_iter().chain(last).collect())
}

fn piece(file: &File, at: u64, most: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; most];
    let mut read = 0;
    while let Some(rest) = bytes.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, at + read as u64).ok()? {
            0 => break,
            count => read += count,
        }
    }
    bytes.truncate(read);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use crate::store::samples::header;

    #[tokio::test]
    async fn the_last_lines_of_a_large_session_are_seen_and_nothing_of_a_small_one() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::create(home.path(), header("s-1"));
        let path = home.path().join("s-1.jsonl");
        let prompt =
            |n: usize, more: usize| Entry::Prompt(format!("{n} {}", "x".repeat(more)).as_str().into());
        store.append(prompt(0, 10), Timestamp(0));
        store.sync().await.unwrap();
        assert!(glance(&path).is_none());
        for n in 1..60 {
            store.append(prompt(n, 100_000), Timestamp(n as i64));
        }
        store.close().await.unwrap();
        let seen = glance(&path).unwrap();
        assert!(matches!(&seen[0].1, Entry::Header(_)));
        let texts: Vec<&str> = seen[1..]
            .iter()
            .map(|(_, entry)| match entry {
                Entry::Prompt(prompt) => prompt.text.split(' ').next().unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(texts, ["50", "51", "52", "53", "54", "55", "56", "57", "58", "59"]);
        // What is damaged is passed over, and what is no session shows nothing.
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() - 50_000;
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(glance(&path).unwrap().len(), 10);
        std::fs::write(&path, vec![b'\n'; 5 << 20]).unwrap();
        assert!(glance(&path).is_none());
        std::fs::write(&path, vec![b'x'; 5 << 20]).unwrap();
        assert!(glance(&path).is_none());
    }
}

//! Reads the first line and the last lines of a large session, which are shown while the rest of it is read. Each
//! line is decoded by itself. Nothing is decided from it: the full reading that follows checks the seals and the
//! order of the lines.

use super::wire::{self, LineContent};
use super::{blobs_of, disk};
use crate::domain::{Entry, Timestamp};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// A smaller file is read completely at once.
const MAX_WHOLE_BYTES: u64 = 4 << 20;
/// How many bytes of the end are read: the larger number if the smaller one holds no complete line.
const TAIL_BYTES: [usize; 2] = [256 << 10, 4 << 20];
const MAX_FIRST_LINE_BYTES: usize = 64 << 10;

/// The header and the last entries of a session that is large enough for its reading to take time.
pub(crate) fn glance(path: &Path) -> Option<Vec<(Timestamp, Entry)>> {
    let file = disk::open_read(path).ok()?;
    let bytes = file.metadata().ok()?.len();
    if bytes < MAX_WHOLE_BYTES {
        return None;
    }
    let first = read_range(&file, 0, MAX_FIRST_LINE_BYTES).ok()?;
    let blobs = blobs_of(path);
    let entry = |line: &[u8]| {
        let frame = wire::open(line).ok()?;
        match wire::decode(&frame, &blobs).ok()? {
            // Output in a file of its own is only read by the full reading.
            LineContent::Entry(entry, _) => Some((frame.at, *entry)),
            LineContent::UnknownKind => None,
        }
    };
    let header = first.split(|byte| *byte == b'\n').next().and_then(entry);
    let last = TAIL_BYTES.into_iter().find_map(|most| {
        let end = read_range(&file, bytes.saturating_sub(most as u64), most).ok()?;
        // What precedes the first newline is the rest of a line.
        let last: Vec<_> = end.split(|byte| *byte == b'\n').skip(1).filter_map(entry).collect();
        (!last.is_empty()).then_some(last)
    })?;
    Some(header.into_iter().chain(last).collect())
}

/// Up to `most` bytes of a file from position `at` on.
pub(super) fn read_range(mut file: &File, at: u64, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(most);
    file.seek(SeekFrom::Start(at))?;
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use crate::store::samples::header;
    use std::io::Write as _;

    #[test]
    fn a_piece_ends_with_its_length_or_with_the_file() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        assert_eq!(read_range(&file, 1, 5).unwrap(), b"12345");
        assert_eq!(read_range(&file, 4, 99).unwrap(), b"456789");
        assert_eq!(read_range(&file, 10, 1).unwrap(), b"");
    }

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
        store.sync().await.unwrap();
        let seen = || {
            let seen = glance(&path).unwrap();
            assert!(matches!(&seen[0].1, Entry::Header(_)));
            let first_word = |(_, entry): &(Timestamp, Entry)| match entry {
                Entry::Prompt(prompt) => prompt.text.split(' ').next().unwrap().to_owned(),
                other => panic!("{other:?}"),
            };
            seen[1..].iter().map(first_word).collect::<Vec<_>>()
        };
        assert_eq!(seen(), ["58", "59"]);
        // A single long line is no reason to show nothing.
        store.append(prompt(60, 300_000), Timestamp(60));
        store.close().await.unwrap();
        assert_eq!(seen().len(), 39);
        // Damaged lines are skipped, and a file that is no session shows nothing.
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() - 50_000;
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(seen().len(), 38);
        std::fs::write(&path, vec![b'\n'; 5 << 20]).unwrap();
        assert!(glance(&path).is_none());
        std::fs::write(&path, vec![b'x'; 5 << 20]).unwrap();
        assert!(glance(&path).is_none());
    }
}

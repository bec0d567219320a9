//! Reads a text of any length where it is shown: only the lines on screen stay in memory.
//!
//! A line ends at its line feed. A very long line is cut where a multiple of [`PIECE_BYTES`] follows at least one whole
//! piece of it, so that the same lines are found forwards and backwards from any byte by reading only a few pieces.

use crate::tui::pattern::Pattern;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// Long lines are cut at multiples of this.
const PIECE_BYTES: u64 = 16 << 10;
/// The longest line that is not cut, including the rest of a character that its end would split.
const MAX_LINE_BYTES: usize = 2 * PIECE_BYTES as usize + 3;
/// How many bytes are read at once.
const READ_BYTES: usize = 256 << 10;
/// How many bytes of lines are held at most.
const MAX_HELD_BYTES: usize = 1 << 20;
/// How many bytes are searched at once.
const SEARCH_BYTES: u64 = 4 << 20;

/// A text to page through.
#[derive(Debug)]
pub(super) struct PagerSource {
    held: SourceBytes,
    /// Its length when it was opened.
    opened: u64,
}

#[derive(Debug)]
enum SourceBytes {
    File(File, PathBuf),
    Bytes(Vec<u8>),
}

/// A line: the byte at which it begins, the one at which the next line begins, and its text, safe to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileLine {
    pub(super) start: u64,
    pub(super) next: u64,
    pub(super) text: String,
    /// The ranges of the text that are escapes of bytes that are no text.
    pub(super) bytes: Vec<Range<usize>>,
}

/// What happened to a file since it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileStatus {
    /// It is unchanged, or longer.
    There,
    /// It can be read, but its name no longer leads to it.
    Removed,
    /// It was truncated.
    Shorter,
}

impl PagerSource {
    /// Opens a file. Anything but a regular file is refused, and no link is followed, because a run could have put it
    /// there.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
        }
        Ok(Self { opened: about.len(), held: SourceBytes::File(file, path.to_owned()) })
    }

    pub(super) fn of(bytes: Vec<u8>) -> Self {
        Self { opened: bytes.len() as u64, held: SourceBytes::Bytes(bytes) }
    }

    /// Its length in bytes; what was appended after it was opened is not shown.
    pub(super) fn len(&self) -> u64 {
        match &self.held {
            SourceBytes::File(file, _) => file.metadata().map_or(0, |about| about.len().min(self.opened)),
            SourceBytes::Bytes(bytes) => bytes.len() as u64,
        }
    }

    pub(super) fn status(&self) -> FileStatus {
        let SourceBytes::File(file, path) = &self.held else { return FileStatus::There };
        let Ok(about) = file.metadata() else { return FileStatus::Removed };
        if about.len() < self.opened {
            return FileStatus::Shorter;
        }
        match std::fs::symlink_metadata(path) {
            Ok(named) if (named.dev(), named.ino()) == (about.dev(), about.ino()) => FileStatus::There,
            _ => FileStatus::Removed,
        }
    }

    /// At most this many bytes from an offset; fewer at the end.
    fn read(&self, from: u64, most: usize) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.len().saturating_sub(from)).unwrap_or(usize::MAX);
        let most = most.min(left);
        match &self.held {
            SourceBytes::Bytes(bytes) => {
                let from = usize::try_from(from).unwrap_or(usize::MAX);
                Ok(bytes.get(from..from.saturating_add(most)).unwrap_or_default().to_vec())
            }
            SourceBytes::File(file, _) => {
                let mut buffer = vec![0; most];
                let mut filled = 0;
                while filled < most {
                    let rest = buffer.get_mut(filled..).unwrap_or_default();
                    match file.read_at(rest, from + filled as u64) {
                        Ok(0) => break,
                        Ok(count) => filled += count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                buffer.truncate(filled);
                Ok(buffer)
            }
        }
    }

    /// Where the line with this byte begins.
    pub(super) fn line_start(&self, at: u64) -> io::Result<u64> {
        let from = at.saturating_sub(2 * PIECE_BYTES);
        let before = self.read(from, usize::try_from(at - from).unwrap_or(0))?;
        let feed = before.iter().rposition(|byte| *byte == b'\n').map(|at| from + at as u64 + 1);
        let begins = feed.unwrap_or(from);
        let cut = at / PIECE_BYTES * PIECE_BYTES;
        let is_cut = cut >= PIECE_BYTES && cut - PIECE_BYTES >= begins;
        Ok(if is_cut { cut } else { begins })
    }

    /// Where the line before this one begins.
    pub(super) fn line_before(&self, start: u64) -> io::Result<Option<u64>> {
        start.checked_sub(1).map(|at| self.line_start(at)).transpose()
    }

    /// At most this many lines from an offset; fewer if they are long.
    pub(super) fn lines(&self, from: u64, count: usize) -> io::Result<Vec<FileLine>> {
        let (mut lines, mut held) = (Vec::new(), 0);
        let (mut start, end) = (from, self.len());
        let (mut buffer, mut buffered) = (Vec::new(), from);
        while start < end && lines.len() < count && held < MAX_HELD_BYTES {
            let mut at = usize::try_from(start - buffered).unwrap_or(usize::MAX);
            let is_short = buffer.len().saturating_sub(at) < MAX_LINE_BYTES;
            if is_short && buffered + (buffer.len() as u64) < end {
                (buffer, buffered, at) = (self.read(start, READ_BYTES)?, start, 0);
            }
            let rest = buffer.get(at..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            let line = line(rest, start);
            held += line.text.len();
            start = line.next;
            lines.push(line);
        }
        Ok(lines)
    }

    /// Searches a pattern in the next portion of lines. Returns the first line that contains it, or where the next
    /// portion begins, if there is one.
    pub(super) fn find(&self, pattern: &Pattern, from: u64) -> io::Result<SearchOutcome> {
        let (chunk, end) =
            (self.read(from, usize::try_from(SEARCH_BYTES).unwrap_or(usize::MAX))?, self.len());
        let whole = from + chunk.len() as u64;
        // Search only whole lines: a line that is cut is searched again with the next portion.
        let until = if whole >= end { whole } else { self.line_start(whole)?.max(from + 1) };
        let chunk = chunk.get(..usize::try_from(until - from).unwrap_or(usize::MAX)).unwrap_or(&chunk);
        let mut at = 0;
        while let Some(found) = pattern.first_in_bytes(chunk, at) {
            let start = self.line_start(from + found.start as u64)?;
            let Some(line) = self.lines(start, 1)?.pop() else { break };
            if pattern.is_in(&line.text) {
                return Ok(SearchOutcome::Found(line));
            }
            at = usize::try_from(line.next.saturating_sub(from)).unwrap_or(usize::MAX).max(at + 1);
            if at > chunk.len() {
                break;
            }
        }
        Ok(if until >= end || chunk.is_empty() { SearchOutcome::None } else { SearchOutcome::Next(until) })
    }

    /// The same backwards, in the lines before an offset.
    pub(super) fn find_back(&self, pattern: &Pattern, before: u64) -> io::Result<SearchOutcome> {
        if before == 0 {
            return Ok(SearchOutcome::None);
        }
        let from = self.line_start(before.saturating_sub(SEARCH_BYTES))?;
        let chunk = self.read(from, usize::try_from(before - from).unwrap_or(0))?;
        let (mut places, mut at) = (Vec::new(), 0);
        while let Some(found) = pattern.first_in_bytes(&chunk, at) {
            places.push(from + found.start as u64);
            // One match per line is enough.
            let behind = chunk.get(found.start..).unwrap_or_default().iter().position(|byte| *byte == b'\n');
            at = behind.map_or(chunk.len() + 1, |feed| found.start + feed + 1).max(found.start + 1);
            if at > chunk.len() {
                break;
            }
        }
        for place in places.into_iter().rev() {
            let start = self.line_start(place)?;
            let line = self.lines(start, 1)?.pop();
            if let Some(line) = line.filter(|line| line.start < before && pattern.is_in(&line.text)) {
                return Ok(SearchOutcome::Found(line));
            }
        }
        Ok(if from == 0 { SearchOutcome::None } else { SearchOutcome::Next(from) })
    }
}

/// The result of searching a portion.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SearchOutcome {
    /// This line contains the pattern.
    Found(FileLine),
    /// No match; the next portion begins (or, backwards, ends) here.
    Next(u64),
    /// No match, and no further portion.
    None,
}

/// The line at the start of these bytes, which begin at offset `start` of the file.
fn line(bytes: &[u8], start: u64) -> FileLine {
    let first_cut = if start.is_multiple_of(PIECE_BYTES) {
        start + PIECE_BYTES
    } else {
        (start / PIECE_BYTES + 2) * PIECE_BYTES
    };
    let cut = usize::try_from(first_cut - start).unwrap_or(usize::MAX);
    let feed = bytes.iter().take(cut).position(|byte| *byte == b'\n');
    let end = feed.unwrap_or(cut.min(bytes.len()));
    // A character that a cut would split belongs to the piece in which it begins.
    let rest = |at: usize| {
        let bytes = bytes.get(at..).unwrap_or_default();
        bytes.iter().take(3).take_while(|byte| (0x80..0xc0).contains(*byte)).count()
    };
    let from = if start.is_multiple_of(PIECE_BYTES) && start > 0 { rest(0).min(end) } else { 0 };
    let to = if feed.is_none() && end == cut { end + rest(end) } else { end };
    let (text, marked) = decode(bytes.get(from..to).unwrap_or_default());
    FileLine { start, next: start + (end + usize::from(feed.is_some())) as u64, text, bytes: marked }
}

/// Decodes bytes as text; invalid ones are escaped.
fn decode(bytes: &[u8]) -> (String, Vec<Range<usize>>) {
    let (mut text, mut marked) = (String::with_capacity(bytes.len()), Vec::<Range<usize>>::new());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let from = text.len();
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
        match marked.last_mut().filter(|last| last.end == from) {
            Some(last) => last.end = text.len(),
            None if text.len() > from => marked.push(from..text.len()),
            None => {}
        }
    }
    (text, marked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(source: &PagerSource) -> Vec<String> {
        source.lines(0, 1000).unwrap().into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn lines_are_read_where_they_are_looked_at() {
        let source = PagerSource::of(b"a\r\n\nb\xff\xfe\x1b[2J".to_vec());
        assert_eq!(texts(&source), ["a\r", "", "b\\xff\\xfe\u{1b}[2J"]);
        assert_eq!(source.lines(4, 1).unwrap()[0].bytes, [1..9]);
        assert_eq!(texts(&PagerSource::of(Vec::new())), Vec::<String>::new());
        assert_eq!(texts(&PagerSource::of(b"\n".to_vec())), [""]);
    }

    #[test]
    fn a_line_of_many_pages_is_cut_between_characters() {
        let text = "ä".repeat(100_000);
        let source = PagerSource::of(text.clone().into_bytes());
        let lines = source.lines(0, 1000).unwrap();
        assert!(lines.len() > 5 && lines.iter().all(|line| line.bytes.is_empty()), "{}", lines.len());
        assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<String>(), text);
    }

    #[test]
    fn what_is_no_file_is_not_opened_and_no_link_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("f"), folder.path().join("l"));
        std::fs::write(&file, "x").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(PagerSource::open(&file).is_ok() && PagerSource::open(&link).is_err());
        assert!(
            PagerSource::open(folder.path()).is_err() && PagerSource::open("/dev/zero".as_ref()).is_err()
        );
    }

    #[test]
    fn a_file_that_is_removed_or_shortened_is_told_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        std::fs::write(&path, "one\ntwo\n").unwrap();
        let source = PagerSource::open(&path).unwrap();
        assert_eq!(source.status(), FileStatus::There);
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5).unwrap();
        assert_eq!((source.status(), texts(&source)), (FileStatus::Shorter, vec!["one".into(), "t".into()]));
        std::fs::write(&path, "one\ntwo\nthree\n").unwrap();
        assert_eq!(texts(&source).len(), 2, "what is added later is not shown");
        std::fs::remove_file(&path).unwrap();
        assert_eq!((source.status(), texts(&source).len()), (FileStatus::Removed, 2));
    }

    fn file() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => proptest::collection::vec(any::<u8>(), 0..50),
            3 => (0usize..60_000).prop_map(|n| vec![b'x'; n]),
            2 => Just(b"\n\nneedle\n".to_vec()),
        ];
        proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(crate::test_cases::cases(120))]

        /// Forwards and backwards the lines are the same, they contain all bytes, and every byte leads to its line.
        #[test]
        fn lines_are_the_same_from_both_ends(bytes in file(), probe in any::<prop::sample::Index>()) {
            let source = PagerSource::of(bytes.clone());
            let (mut starts, mut at) = (Vec::new(), 0);
            while let Some(line) = source.lines(at, 1).unwrap().pop() {
                prop_assert_eq!(line.start, at);
                prop_assert!(line.next > at && line.text.len() <= 4 * MAX_LINE_BYTES);
                starts.push(at);
                at = line.next;
            }
            prop_assert_eq!(at, bytes.len() as u64);
            let many: Vec<u64> = source.lines(0, usize::MAX).unwrap().iter().map(|line| line.start).collect();
            prop_assert_eq!(&starts, &many);
            let mut back = Vec::new();
            let mut at = bytes.len() as u64;
            while let Some(start) = source.line_before(at).unwrap() {
                back.push(start);
                at = start;
            }
            back.reverse();
            prop_assert_eq!(&starts, &back);
            if !bytes.is_empty() {
                let byte = probe.index(bytes.len()) as u64;
                let start = starts.iter().rev().find(|start| **start <= byte).copied();
                prop_assert_eq!(Some(source.line_start(byte).unwrap()), start);
            }
            let pattern = Pattern::text("needle").unwrap();
            let holds = source.lines(0, usize::MAX).unwrap().into_iter().filter(|line| pattern.is_in(&line.text));
            let holds: Vec<FileLine> = holds.collect();
            let first = match source.find(&pattern, 0).unwrap() { SearchOutcome::Found(line) => Some(line), _ => None };
            prop_assert_eq!(first.as_ref(), holds.first());
            let end = bytes.len() as u64;
            let last = match source.find_back(&pattern, end).unwrap() { SearchOutcome::Found(line) => Some(line), _ => None };
            prop_assert_eq!(last.as_ref(), holds.last());
        }
    }
}

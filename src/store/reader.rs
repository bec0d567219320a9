//! Reads a session file line by line, whatever its state.
//!
//! An incomplete last line is reported; a damaged line is reported and skipped, and the rest is read. Nothing is
//! changed here: [`Store::open`](super::Store::open) cuts off an incomplete line.

use super::approval_check::TextHashes;
use super::blob::read_blob;
use super::chain::Chain;
use super::lines::{LineIndex, LineIndexBuilder};
use super::reading::ReadProgress;
use super::seal::Seal;
use super::wire::{self, ChainLink, Crc, Frame, LineContent, LineFault};
use super::{Damage, Entries, Fault, LoadedSession, StoreError, disk};
use crate::domain::{Entry, Header, SessionId, Sha256, Timestamp};
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// A longer line is not one of ours: replies and values are bounded, and large output has its own file.
const MAX_LINE_BYTES: u64 = 256 << 20;

/// Reads a session without locking it.
///
/// # Errors
/// When the file can't be read, is no session, or was written by a newer version.
pub fn read(path: &Path) -> Result<LoadedSession, StoreError> {
    read_with(path, None)
}

/// Like `read`, and also finds out whether this installation wrote all of it.
pub(crate) fn read_with(path: &Path, seal: Option<&Seal>) -> Result<LoadedSession, StoreError> {
    let reading = ReadProgress::default();
    Ok(read_file(path, &disk::open_read(path)?, seal, &reading)?.loaded)
}

/// What was read, and the state from which writing continues.
#[derive(Debug)]
pub(super) struct OpenSession<C> {
    pub(super) loaded: LoadedSession<C>,
    /// The link for the next line.
    pub(super) next: ChainLink,
    /// The bytes of complete lines; what follows them is an incomplete line.
    pub(super) whole: u64,
    /// Whether the last line is complete except for its newline.
    pub(super) newline_missing: bool,
    /// The number of prompts and replies.
    pub(super) messages: u64,
    pub(super) blocks: u32,
    /// The last name that was given.
    pub(super) name: Option<String>,
    pub(super) lines: LineIndex,
}

/// Reads an open session file from its start.
pub(super) fn read_file<C: Entries>(
    path: &Path,
    file: &File,
    seal: Option<&Seal>,
    reading: &ReadProgress,
) -> Result<OpenSession<C>, StoreError> {
    let failed = |error| StoreError::io(path, "read", error);
    let mut lines = BufReader::with_capacity(256 << 10, file);
    let mut scan = LineScan::new(path, Chain::new(seal, file));
    let mut line = Vec::new();
    reading.begin(file.metadata().map_or(0, |meta| meta.len()));
    loop {
        if !reading.is_wanted() {
            return Err(StoreError::Stopped);
        }
        line.clear();
        let count = (&mut lines).take(MAX_LINE_BYTES).read_until(b'\n', &mut line).map_err(failed)?;
        if count == 0 {
            break;
        }
        let mut bytes = count as u64;
        let over = line.last() != Some(&b'\n') && bytes == MAX_LINE_BYTES;
        if over {
            line.clear();
            let (skipped, ended) = skip_line(&mut lines).map_err(failed)?;
            bytes += skipped;
            line.extend(ended.then_some(b'\n'));
        }
        scan.line(&line, bytes)?;
        reading.add(bytes);
    }
    scan.end()
}

/// Skips the rest of a line; returns its bytes, and whether it ended with a newline.
fn skip_line(lines: &mut impl BufRead) -> std::io::Result<(u64, bool)> {
    let mut skipped = 0;
    loop {
        let buffer = lines.fill_buf()?;
        if buffer.is_empty() {
            return Ok((skipped, false));
        }
        let newline = buffer.iter().position(|b| *b == b'\n');
        let used = newline.map_or(buffer.len(), |at| at + 1);
        lines.consume(used);
        skipped += used as u64;
        if newline.is_some() {
            return Ok((skipped, true));
        }
    }
}

/// The state while one file is read.
struct LineScan<'a, C> {
    path: &'a Path,
    blobs: PathBuf,
    number: u64,
    /// What was read so far; its `next` and `lines` are only known at the end.
    opened: OpenSession<C>,
    /// The checksum stored in the previous line; `None` if it has none.
    last: Option<Crc>,
    seq: u64,
    /// The number of entries so far.
    entries: u64,
    lines: LineIndexBuilder,
    texts: TextHashes,
    chain: Chain<'a>,
    /// The hash that the current line adopts, if it is an adopting line.
    adopts: Option<Sha256>,
}

impl<'a, C: Entries> LineScan<'a, C> {
    fn new(path: &'a Path, chain: Chain<'a>) -> Self {
        let opened = OpenSession {
            loaded: LoadedSession::default(),
            next: ChainLink::FIRST,
            whole: 0,
            newline_missing: false,
            messages: 0,
            blocks: 0,
            name: None,
            lines: LineIndex::default(),
        };
        Self {
            path,
            blobs: super::blobs_of(path),
            number: 0,
            opened,
            last: Some(ChainLink::FIRST.prev),
            seq: 0,
            entries: 0,
            lines: LineIndexBuilder::default(),
            texts: TextHashes::default(),
            chain,
            adopts: None,
        }
    }

    /// Takes the next line of the file; `bytes` is its size in the file.
    fn line(&mut self, line: &[u8], bytes: u64) -> Result<(), StoreError> {
        self.number += 1;
        self.opened.loaded.bytes += bytes;
        let ended = line.last() == Some(&b'\n');
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let first = self.number == 1;
        if first && let Some(found) = wire::peek_version(text).filter(|v| *v > wire::VERSION) {
            return Err(self.newer(found));
        }
        match wire::open(text) {
            Ok(frame) => {
                self.opened.newline_missing = !ended;
                self.frame(frame, text)?;
            }
            Err(LineFault::Newer(found)) if first => return Err(self.newer(found)),
            // Only the last line can lack its newline.
            Err(_) if !ended => {
                self.damage(Fault::Torn(bytes));
                self.number -= 1;
                return Ok(());
            }
            Err(fault) => self.fault(text, fault)?,
        }
        self.chain.line(self.number, self.opened.whole, text, self.adopts.take());
        self.last = wire::stored_crc(text);
        self.opened.whole += bytes;
        Ok(())
    }

    fn frame(&mut self, frame: Frame<'_>, line: &[u8]) -> Result<(), StoreError> {
        if let (Some(before), Some(prev)) = (self.last, frame.link())
            && before != prev
        {
            self.damage(Fault::Chain);
        }
        self.seq = self.seq.max(frame.seq);
        if self.number == 1 && frame.kind != "header" {
            self.damage(Fault::Chain);
            self.lost_header(frame.at);
        }
        if frame.redacted {
            self.damage(Fault::Redacted);
        }
        match wire::decode(&frame, &self.blobs) {
            Ok(LineContent::Entry(entry, outside)) => {
                self.lines.note(self.entries, self.opened.whole, line);
                self.entry(frame.at, *entry, outside.as_ref());
            }
            Ok(LineContent::UnknownKind) => self.damage(Fault::UnknownKind(frame.kind.into_owned())),
            Err(why) if self.number == 1 => {
                return Err(StoreError::not_a_session(self.path, why.to_string()));
            }
            Err(why) => self.damage(Fault::Unreadable(why.to_string())),
        }
        Ok(())
    }

    fn entry(&mut self, at: Timestamp, mut entry: Entry, outside: Option<&wire::ExternalOutput>) {
        if let (Some(outside), Entry::Ran { report, .. }) = (outside, &mut entry) {
            match read_blob(&self.blobs.join(outside.name()), outside) {
                Ok(output) => {
                    self.lines.note_outside(self.entries, &output);
                    report.output = output;
                }
                Err(why) => self.damage(Fault::Blob(why.to_string())),
            }
        }
        match &entry {
            Entry::Prompt(_) | Entry::Reply { .. } => self.opened.messages += 1,
            Entry::Block(block) => self.opened.blocks = self.opened.blocks.max(block.id.0),
            Entry::Accepted { sha256 } => self.adopts = Some(*sha256),
            Entry::Renamed(name) => self.opened.name = Some(name.clone()),
            _ => {}
        }
        if let Some(fault) = self.texts.check(&entry) {
            self.damage(fault);
        }
        self.take(at, entry);
    }

    fn take(&mut self, at: Timestamp, entry: Entry) {
        self.opened.loaded.entries.extend([(at, entry)]);
        self.entries += 1;
    }

    /// Handles a line that is not what was written. The first line is treated more leniently, because without it
    /// there is no session.
    fn fault(&mut self, text: &[u8], fault: LineFault) -> Result<(), StoreError> {
        if self.number == 1 {
            // Nothing from a damaged header is used: its session gets the id of its file name.
            let ours = text.starts_with(b"{\"v\":1,") || wire::stored_crc(text).is_some();
            if !ours {
                return Err(StoreError::not_a_session(self.path, "its first line is not a header"));
            }
            self.damage(Fault::Header);
            self.lost_header(Timestamp::default());
            return Ok(());
        }
        self.damage(match fault {
            LineFault::Checksum => Fault::Checksum,
            LineFault::Unreadable(why) => Fault::Unreadable(why),
            // Only this line is affected: the lines around it were written by this version.
            LineFault::Newer(version) => Fault::NewerLine(version),
        });
        Ok(())
    }

    /// Adds a header in place of one that can't be read.
    fn lost_header(&mut self, at: Timestamp) {
        let id = self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        self.take(at, Entry::Header(Header::new(SessionId(id), at, PathBuf::new())));
    }

    fn end(mut self) -> Result<OpenSession<C>, StoreError> {
        if self.opened.whole == 0 {
            // At most a part of a first line.
            let torn = matches!(self.opened.loaded.damage.as_slice(), [Damage { fault: Fault::Torn(_), .. }]);
            return Err(if self.opened.loaded.bytes == 0 || (torn && self.starts_like_ours()) {
                StoreError::Empty { path: self.path.to_owned() }
            } else {
                StoreError::not_a_session(self.path, "its first line is not a header")
            });
        }
        let (foreign, sealing) = self.chain.end();
        self.opened.loaded.foreign = foreign;
        let seq = self.seq.max(self.number).saturating_add(1);
        self.opened.next = ChainLink { seq, prev: self.last.unwrap_or_default(), sealing };
        self.opened.lines = self.lines.end();
        Ok(self.opened)
    }

    /// Whether the file begins like the first line of a session.
    fn starts_like_ours(&self) -> bool {
        let mut start = Vec::new();
        let read = disk::open_read(self.path).ok().and_then(|file| file.take(7).read_to_end(&mut start).ok());
        read.is_some() && b"{\"v\":1,".starts_with(&start)
    }

    fn damage(&mut self, fault: Fault) {
        self.opened.loaded.damage.push(Damage { line: self.number, fault });
    }

    fn newer(&self, found: u64) -> StoreError {
        StoreError::Newer { path: self.path.to_owned(), line: self.number, found, known: wire::VERSION }
    }
}

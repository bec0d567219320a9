//! Bounded output: keeps the first quarter of each stream's allowance and the tail, and counts what is dropped between.
//!
//! The pieces of both streams keep their order, so that a view can show them as they arrived; `gap` tells
//! where bytes are missing in them.

pub(crate) mod gap;

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Which stream a chunk came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A stretch of one stream's output, with its position in the order of all output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPiece {
    /// The position; it increases, with gaps where pieces were dropped.
    pub(crate) seq: u64,
    /// The stream on which it came.
    pub(crate) stream: Stream,
    /// The bytes as they came; they may begin and end inside a character.
    pub bytes: Vec<u8>,
}

/// What is kept of one stream.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct StreamBuffer {
    head: Vec<OutputPiece>,
    head_len: usize,
    tail: VecDeque<OutputPiece>,
    tail_len: usize,
    dropped: u64,
    total: u64,
}

/// Both kept ends of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct StreamEnds {
    pub(crate) head: Vec<u8>,
    pub(crate) tail: Vec<u8>,
    /// How many bytes are missing between them.
    pub(crate) dropped: u64,
}

/// Bounded output of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputBuffer {
    limit: usize,
    next_seq: u64,
    stdout: StreamBuffer,
    stderr: StreamBuffer,
}

impl OutputBuffer {
    /// An empty buffer that will keep at most `limit` bytes of each stream.
    pub fn new(limit: u64) -> Self {
        Self {
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            next_seq: 0,
            stdout: StreamBuffer::default(),
            stderr: StreamBuffer::default(),
        }
    }

    /// Rebuilds a buffer from a session file: the pieces in order, and the bytes dropped of each stream.
    pub(crate) fn restore(
        limit: u64,
        pieces: impl IntoIterator<Item = (Stream, Vec<u8>)>,
        dropped: (u64, u64),
    ) -> Self {
        let mut captured = Self::new(limit);
        for (stream, bytes) in pieces {
            captured.push(stream, &bytes);
        }
        for (kept, dropped) in [(&mut captured.stdout, dropped.0), (&mut captured.stderr, dropped.1)] {
            kept.dropped = kept.dropped.saturating_add(dropped);
            kept.total = kept.total.saturating_add(dropped);
        }
        captured
    }

    /// Builds a buffer of which only both ends of each stream are kept.
    pub(crate) fn of_ends(limit: usize, stdout: StreamEnds, stderr: StreamEnds) -> Self {
        let mut next_seq = 0;
        let mut stream = |stream: Stream, ends: StreamEnds| {
            let mut piece = |bytes: Vec<u8>| {
                next_seq += 1;
                (!bytes.is_empty()).then_some(OutputPiece { seq: next_seq - 1, stream, bytes })
            };
            let StreamEnds { head, tail, dropped } = ends;
            let (head_len, tail_len) = (head.len(), tail.len());
            StreamBuffer {
                head: piece(head).into_iter().collect(),
                head_len,
                tail: piece(tail).into_iter().collect(),
                tail_len,
                dropped,
                total: dropped.saturating_add((head_len + tail_len) as u64),
            }
        };
        let (stdout, stderr) = (stream(Stream::Stdout, stdout), stream(Stream::Stderr, stderr));
        Self { limit, next_seq, stdout, stderr }
    }

    /// A copy without the other stream.
    pub(crate) fn only_stream(&self, stream: Stream) -> Self {
        let of =
            |kept: Stream| if kept == stream { self.kept(kept).clone() } else { StreamBuffer::default() };
        Self {
            limit: self.limit,
            next_seq: self.next_seq,
            stdout: of(Stream::Stdout),
            stderr: of(Stream::Stderr),
        }
    }

    /// How many bytes of both streams are kept.
    pub(crate) fn kept_bytes(&self) -> usize {
        [&self.stdout, &self.stderr].iter().map(|stream| stream.head_len + stream.tail_len).sum()
    }

    /// Appends output.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let (limit, seq) = (self.limit, self.next_seq);
        self.next_seq = self.kept_mut(stream).push(stream, seq, bytes, limit);
    }

    /// The pieces of both streams in their order.
    pub fn pieces(&self) -> impl Iterator<Item = &OutputPiece> {
        let mut out = self.stdout.pieces().peekable();
        let mut err = self.stderr.pieces().peekable();
        std::iter::from_fn(move || match (out.peek(), err.peek()) {
            (Some(a), Some(b)) if a.seq > b.seq => err.next(),
            (Some(_), _) => out.next(),
            (None, _) => err.next(),
        })
    }

    /// What is kept of one stream, head and tail together, without a sign of what is missing between them.
    pub fn bytes(&self, stream: Stream) -> Vec<u8> {
        self.kept(stream).pieces().flat_map(|p| p.bytes.iter().copied()).collect()
    }

    /// The kept head of one stream; `dropped` bytes are missing behind it.
    pub fn head(&self, stream: Stream) -> Vec<u8> {
        self.kept(stream).head.iter().flat_map(|p| p.bytes.iter().copied()).collect()
    }

    /// What is kept of one stream behind so many of its bytes.
    pub(crate) fn behind(&self, stream: Stream, bytes: u64) -> Vec<u8> {
        let kept = self.kept(stream);
        let known = |bytes: u64, of: usize| usize::try_from(bytes).unwrap_or(usize::MAX).min(of);
        let head = self.head(stream).split_off(known(bytes, kept.head_len));
        let before_tail = (kept.head_len as u64).saturating_add(kept.dropped);
        let tail = self.tail(stream).split_off(known(bytes.saturating_sub(before_tail), kept.tail_len));
        [head, tail].concat()
    }

    /// The kept tail of one stream.
    pub fn tail(&self, stream: Stream) -> Vec<u8> {
        self.kept(stream).tail.iter().flat_map(|p| p.bytes.iter().copied()).collect()
    }

    /// How many bytes of one stream were dropped.
    pub(crate) fn dropped(&self, stream: Stream) -> u64 {
        self.kept(stream).dropped
    }

    /// How many bytes one stream printed in all.
    pub fn total(&self, stream: Stream) -> u64 {
        self.kept(stream).total
    }

    /// Whether nothing was printed.
    pub(crate) fn is_empty(&self) -> bool {
        self.stdout.total == 0 && self.stderr.total == 0
    }

    /// The most bytes kept of each stream.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    fn kept(&self, stream: Stream) -> &StreamBuffer {
        match stream {
            Stream::Stdout => &self.stdout,
            Stream::Stderr => &self.stderr,
        }
    }

    fn kept_mut(&mut self, stream: Stream) -> &mut StreamBuffer {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}

impl Default for OutputBuffer {
    fn default() -> Self {
        Self::new(1 << 20)
    }
}

impl StreamBuffer {
    fn pieces(&self) -> impl Iterator<Item = &OutputPiece> {
        self.head.iter().chain(self.tail.iter())
    }

    /// Appends bytes; returns the next free position in the order.
    fn push(&mut self, stream: Stream, seq: u64, bytes: &[u8], limit: usize) -> u64 {
        self.total += bytes.len() as u64;
        let quarter = limit / 4;
        let room = if self.total_tail() == 0 { quarter.saturating_sub(self.head_len) } else { 0 };
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        let mut seq = seq;
        if !first.is_empty() {
            self.head_len += first.len();
            let small = small_piece(self.head.len(), quarter);
            match self.head.last_mut() {
                Some(last) if last.seq + 1 == seq || last.bytes.len() < small => {
                    last.bytes.extend_from_slice(first);
                }
                _ => {
                    self.head.push(OutputPiece { seq, stream, bytes: first.to_vec() });
                    seq += 1;
                }
            }
        }
        if rest.is_empty() { seq } else { self.push_tail(stream, seq, rest, limit - quarter) }
    }

    fn push_tail(&mut self, stream: Stream, seq: u64, bytes: &[u8], allowed: usize) -> u64 {
        // Bytes that would be dropped at once are never copied.
        let skip = bytes.len().saturating_sub(allowed);
        if skip > 0 {
            self.dropped += (self.tail_len + skip) as u64;
            self.tail.clear();
            self.tail_len = 0;
        }
        let bytes = bytes.get(skip..).unwrap_or_default();
        let mut seq = seq;
        let small = small_piece(self.tail.len(), allowed);
        for part in bytes.chunks(MAX_PIECE_BYTES) {
            self.tail_len += part.len();
            match self.tail.back_mut() {
                Some(last)
                    if (last.seq + 1 == seq && last.bytes.len() + part.len() <= MAX_PIECE_BYTES)
                        || last.bytes.len() < small =>
                {
                    last.bytes.extend_from_slice(part);
                }
                _ => {
                    self.tail.push_back(OutputPiece { seq, stream, bytes: part.to_vec() });
                    seq += 1;
                }
            }
        }
        self.trim(allowed);
        seq
    }

    /// All bytes that ever came behind the head.
    fn total_tail(&self) -> u64 {
        self.tail_len as u64 + self.dropped
    }

    /// Drops from the front of the tail what exceeds its allowance.
    fn trim(&mut self, allowed: usize) {
        while self.tail_len > allowed {
            let over = self.tail_len - allowed;
            let Some(front) = self.tail.front_mut() else { return };
            let cut = over.min(front.bytes.len());
            if cut == front.bytes.len() {
                self.tail.pop_front();
            } else {
                front.bytes.drain(..cut);
            }
            self.tail_len -= cut;
            self.dropped += cut as u64;
        }
    }
}

/// The largest piece of a tail, which bounds what dropping from its front has to move.
const MAX_PIECE_BYTES: usize = 4 << 10;
/// How many pieces one end of a stream may have before small ones are joined.
const MAX_PIECES: usize = 4096;

/// Up to which length the last piece is extended although the other stream printed in between; usually 0. When two
/// streams alternate byte by byte, each piece would take far more memory than its content; then the order is only kept
/// to some hundred bytes.
fn small_piece(pieces: usize, allowed: usize) -> usize {
    if pieces < MAX_PIECES { 0 } else { (allowed / MAX_PIECES).max(64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stream() -> impl Strategy<Value = Stream> {
        prop_oneof![Just(Stream::Stdout), Just(Stream::Stderr)]
    }

    fn pushes() -> impl Strategy<Value = Vec<(Stream, Vec<u8>)>> {
        prop::collection::vec((stream(), prop::collection::vec(any::<u8>(), 0..60)), 0..40)
    }

    fn captured(limit: u64, pushes: &[(Stream, Vec<u8>)]) -> OutputBuffer {
        let mut captured = OutputBuffer::new(limit);
        for (stream, bytes) in pushes {
            captured.push(*stream, bytes);
        }
        captured
    }

    proptest! {
        /// Each stream keeps exactly the first quarter and, for the rest of the allowance, its end; the middle is
        /// counted.
        #[test]
        fn both_ends_are_kept(limit in 0usize..200, pushes in pushes()) {
            let captured = captured(limit as u64, &pushes);
            for stream in [Stream::Stdout, Stream::Stderr] {
                let all: Vec<u8> = pushes.iter().filter(|p| p.0 == stream).flat_map(|p| p.1.clone()).collect();
                let head = all.len().min(limit / 4);
                let tail = (all.len() - head).min(limit - limit / 4);
                prop_assert_eq!(captured.head(stream), &all[..head]);
                prop_assert_eq!(captured.tail(stream), &all[all.len() - tail..]);
                prop_assert_eq!(captured.dropped(stream), (all.len() - head - tail) as u64);
                prop_assert_eq!(captured.total(stream), all.len() as u64);
                prop_assert_eq!(captured.bytes(stream).len(), head + tail);
                for at in [0, head, head + 1, all.len() - tail, all.len()] {
                    let behind = [&all[head.min(at)..head], &all[at.max(all.len() - tail).min(all.len())..]].concat();
                    prop_assert_eq!(captured.behind(stream, at as u64), behind);
                }
            }
        }

        /// While nothing is dropped, all pieces together are what was printed, in order.
        #[test]
        fn order_is_kept(pushes in pushes()) {
            let captured = captured(1 << 20, &pushes);
            let flat = |it: &mut dyn Iterator<Item = (Stream, Vec<u8>)>| -> Vec<(Stream, u8)> {
                it.flat_map(|(s, bytes)| bytes.into_iter().map(move |b| (s, b))).collect()
            };
            let got = flat(&mut captured.pieces().map(|p| (p.stream, p.bytes.clone())));
            prop_assert_eq!(got, flat(&mut pushes.into_iter()));
        }

        /// A buffer restored from its pieces equals the original.
        #[test]
        fn restored(limit in 0usize..200, pushes in pushes()) {
            let captured = captured(limit as u64, &pushes);
            let dropped = (captured.dropped(Stream::Stdout), captured.dropped(Stream::Stderr));
            let pieces = captured.pieces().map(|p| (p.stream, p.bytes.clone()));
            let again = OutputBuffer::restore(limit as u64, pieces, dropped);
            for stream in [Stream::Stdout, Stream::Stderr] {
                prop_assert_eq!(again.bytes(stream), captured.bytes(stream));
                prop_assert_eq!(again.head(stream), captured.head(stream));
                prop_assert_eq!(again.dropped(stream), captured.dropped(stream));
                prop_assert_eq!(again.total(stream), captured.total(stream));
            }
        }
    }

    #[test]
    fn streams_that_alternate_byte_by_byte_stay_small() {
        let mut captured = OutputBuffer::new(1 << 20);
        for _ in 0..1_000_000 {
            captured.push(Stream::Stdout, b"o");
            captured.push(Stream::Stderr, b"e");
        }
        assert!(captured.pieces().count() < 40_000, "{}", captured.pieces().count());
        assert_eq!(captured.bytes(Stream::Stdout).len(), 1_000_000);
    }

    #[test]
    fn a_flood_of_small_pieces_costs_the_same_at_any_length() {
        let mut captured = OutputBuffer::new(1 << 20);
        for _ in 0..3_000_000 {
            captured.push(Stream::Stdout, b"0123456789");
        }
        assert_eq!(captured.bytes(Stream::Stdout).len(), 1 << 20);
    }
}

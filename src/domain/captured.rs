//! Bounded output: of each stream the first quarter of its allowance and the tail are kept, the middle is counted.
//!
//! Pieces of both streams keep their order, so that a view can show them as they came.

use super::Stream;
use std::collections::VecDeque;

/// A stretch of output of one stream, with its place in the order of all output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Place in the order; grows, with gaps where pieces were dropped.
    pub seq: u64,
    /// Its stream.
    pub stream: Stream,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What is kept of one stream.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Kept {
    head: Vec<Piece>,
    head_len: usize,
    tail: VecDeque<Piece>,
    tail_len: usize,
    dropped: u64,
    total: u64,
}

/// Bounded output of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    limit: usize,
    next_seq: u64,
    stdout: Kept,
    stderr: Kept,
}

impl Captured {
    /// Nothing yet; at most `limit` bytes of each stream will be kept.
    pub fn new(limit: u64) -> Self {
        Self {
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            next_seq: 0,
            stdout: Kept::default(),
            stderr: Kept::default(),
        }
    }

    /// Puts together what was kept elsewhere (a session file): pieces in order, and the bytes dropped of each stream.
    pub fn restore(
        limit: u64,
        pieces: impl IntoIterator<Item = (Stream, Vec<u8>)>,
        dropped: (u64, u64),
    ) -> Self {
        let mut captured = Self::new(limit);
        for (stream, bytes) in pieces {
            captured.push(stream, &bytes);
        }
        captured.stdout.dropped += dropped.0;
        captured.stdout.total += dropped.0;
        captured.stderr.dropped += dropped.1;
        captured.stderr.total += dropped.1;
        captured
    }

    /// Adds output at the end.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let (limit, seq) = (self.limit, self.next_seq);
        let grown = self.kept_mut(stream).push(stream, seq, bytes, limit);
        self.next_seq = grown;
    }

    /// The pieces of both streams in their order.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        let mut out = self.stdout.pieces().peekable();
        let mut err = self.stderr.pieces().peekable();
        std::iter::from_fn(move || match (out.peek(), err.peek()) {
            (Some(a), Some(b)) if a.seq > b.seq => err.next(),
            (Some(_), _) => out.next(),
            (None, _) => err.next(),
        })
    }

    /// What is kept of one stream, head and tail together.
    pub fn bytes(&self, stream: Stream) -> Vec<u8> {
        self.kept(stream).pieces().flat_map(|p| p.bytes.iter().copied()).collect()
    }

    /// What is kept of the head of one stream; behind it `dropped` bytes are missing.
    pub fn head(&self, stream: Stream) -> Vec<u8> {
        self.kept(stream).head.iter().flat_map(|p| p.bytes.iter().copied()).collect()
    }

    /// What is kept of the tail of one stream.
    pub fn tail(&self, stream: Stream) -> Vec<u8> {
        self.kept(stream).tail.iter().flat_map(|p| p.bytes.iter().copied()).collect()
    }

    /// Bytes of one stream that were not kept.
    pub fn dropped(&self, stream: Stream) -> u64 {
        self.kept(stream).dropped
    }

    /// Bytes that one stream printed in all.
    pub fn total(&self, stream: Stream) -> u64 {
        self.kept(stream).total
    }

    /// Whether nothing was printed.
    pub fn is_empty(&self) -> bool {
        self.stdout.total == 0 && self.stderr.total == 0
    }

    /// Bytes kept of each stream at the most.
    pub fn limit(&self) -> usize {
        self.limit
    }

    fn kept(&self, stream: Stream) -> &Kept {
        match stream {
            Stream::Stdout => &self.stdout,
            Stream::Stderr => &self.stderr,
        }
    }

    fn kept_mut(&mut self, stream: Stream) -> &mut Kept {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}

impl Default for Captured {
    fn default() -> Self {
        Self::new(1 << 20)
    }
}

impl Kept {
    fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.head.iter().chain(self.tail.iter())
    }

    /// Adds bytes; returns the next free place in the order.
    fn push(&mut self, stream: Stream, seq: u64, bytes: &[u8], limit: usize) -> u64 {
        if bytes.is_empty() {
            return seq;
        }
        self.total += bytes.len() as u64;
        let quarter = limit / 4;
        let room = if self.tail.is_empty() { quarter.saturating_sub(self.head_len) } else { 0 };
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        let mut seq = seq;
        if !first.is_empty() {
            self.head_len += first.len();
            match self.head.last_mut() {
                Some(last) if last.seq + 1 == seq => last.bytes.extend_from_slice(first),
                _ => {
                    self.head.push(Piece { seq, stream, bytes: first.to_vec() });
                    seq += 1;
                }
            }
        }
        if !rest.is_empty() {
            self.tail_len += rest.len();
            match self.tail.back_mut() {
                Some(last) if last.seq + 1 == seq && last.bytes.len() < 64 << 10 => {
                    last.bytes.extend_from_slice(rest);
                }
                _ => {
                    self.tail.push_back(Piece { seq, stream, bytes: rest.to_vec() });
                    seq += 1;
                }
            }
            self.trim(limit - quarter);
        }
        seq
    }

    /// Drops from the front of the tail what is over its allowance.
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

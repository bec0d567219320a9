//! Masking what comes in pieces: a key that is split over two of them is held back until it is whole.

use super::{MaskPen, MaskedValue, Masker, scan};
use std::collections::BTreeSet;

/// Bytes that are held back at the most: a private key is shorter.
const MAX_HELD_BYTES: usize = 32 << 10;

/// Bytes in front of what is held that tell whether a word begins there.
const CONTEXT_BYTES: usize = 16;

/// One stream of bytes, masked as it comes.
#[derive(Debug)]
pub(crate) struct MaskStream {
    masker: Masker,
    /// The last bytes that were passed on, then those that are held back.
    buffer: Vec<u8>,
    /// How many of them were passed on already.
    passed: usize,
}

impl MaskStream {
    /// A stream without anything in it yet.
    pub(crate) fn new(masker: Masker) -> Self {
        Self { masker, buffer: Vec::new(), passed: 0 }
    }

    /// Takes more bytes; gives what can't be part of a key that is not whole yet.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> MaskedValue<Vec<u8>> {
        self.buffer.extend_from_slice(bytes);
        self.pass_on(false)
    }

    /// Nothing more comes: gives what was held back.
    pub(crate) fn end(&mut self) -> MaskedValue<Vec<u8>> {
        self.pass_on(true)
    }

    fn pass_on(&mut self, last: bool) -> MaskedValue<Vec<u8>> {
        let known = self.masker.known();
        let mut found = scan(&known, &self.buffer, self.passed, last);
        if self.buffer.len() - found.hold > MAX_HELD_BYTES {
            found = scan(&known, &self.buffer, self.passed, true);
        }
        let mut pen = MaskPen { known, kinds: BTreeSet::new() };
        // What is kept as context for the next piece must be what came, not its mask: only masks are passed on.
        let raw = self.buffer.get(self.passed..found.hold).unwrap_or_default();
        let mut value = raw.to_vec();
        let passed = self.passed;
        let spans = found.spans.into_iter().map(|mut span| {
            span.range = span.range.start - passed..span.range.end - passed;
            span
        });
        pen.cover(&mut value, spans.collect());
        self.buffer.drain(..found.hold.saturating_sub(CONTEXT_BYTES));
        self.passed = found.hold.min(CONTEXT_BYTES);
        MaskedValue { value, kinds: pen.kinds }
    }
}

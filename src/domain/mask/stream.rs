//! Masks data that arrives in pieces: holds back what may be part of a key until the key is complete.

use super::{MaskPen, MaskedValue, Masker, scan};
use std::collections::BTreeSet;

/// The most bytes to hold back: private keys are shorter.
const MAX_HELD_BYTES: usize = 32 << 10;

/// How many bytes before the held ones are kept to see whether a word begins.
const CONTEXT_BYTES: usize = 16;

/// One stream of bytes, masked as it arrives.
#[derive(Debug)]
pub(crate) struct MaskStream {
    masker: Masker,
    /// The last bytes that were passed on, followed by those that are held back.
    buffer: Vec<u8>,
    /// How many of them were passed on.
    passed: usize,
}

impl MaskStream {
    pub(crate) fn new(masker: Masker) -> Self {
        Self { masker, buffer: Vec::new(), passed: 0 }
    }

    /// Adds bytes; returns those that can't be part of an incomplete key.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> MaskedValue<Vec<u8>> {
        self.buffer.extend_from_slice(bytes);
        self.pass_on(false)
    }

    /// Ends the stream: returns the bytes that were held back.
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
        // The context for the next piece must be the original bytes; only masked ones are passed on.
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

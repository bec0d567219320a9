//! Masks keys in everything that is written, and reports which kinds it masked, never their values.
//!
//! The masker knows the keys of this process (`known`: verbatim and in cheap encodings) and the shapes of well-known
//! tokens (`shapes`). A mask is as long as the text that it covers and keeps line ends, so that positions stay valid.
//! `stream` masks data that arrives in pieces, `server_message` masks what servers say about a key. Everything that
//! writes takes a [`MaskedValue`], which only this module can make. Text on the screen is not masked: the person sees
//! the original.

mod own_keys;
mod server_message;
mod shapes;
mod stream;

pub(crate) use stream::MaskStream;

use super::{Entry, ModelRequest, OutputBuffer, Role, Stream};
use own_keys::KnownKeys;
use secrecy::SecretString;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// What was masked, in words that follow "masked": `a GitHub token`.
pub(crate) type SecretKind = &'static str;

/// Finds and masks keys. Cheap to clone; all clones know the same keys.
#[derive(Clone, Default)]
pub struct Masker(Arc<RwLock<Arc<KnownKeys>>>);

impl std::fmt::Debug for Masker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Masker({})", self.known().len())
    }
}

/// A stretch of a text that holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeySpan {
    /// Its bytes in the scanned text.
    pub(crate) range: Range<usize>,
    /// Which kind of key it looks like, or whose it is known to be.
    pub(crate) kind: SecretKind,
}

/// A value without keys. Only a [`Masker`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedValue<T> {
    value: T,
    kinds: BTreeSet<SecretKind>,
}

impl<T> MaskedValue<T> {
    /// The kinds of keys that were masked; empty if nothing was.
    pub(crate) fn kinds(&self) -> &BTreeSet<SecretKind> {
        &self.kinds
    }

    /// The value itself; the type no longer proves that it is masked.
    pub(crate) fn into_inner(self) -> T {
        self.value
    }
}

impl<T> std::ops::Deref for MaskedValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A value whose texts can be masked in place.
pub(crate) trait Maskable {
    /// Passes all texts and bytes that will be written to the pen.
    fn mask_with(&mut self, pen: &mut MaskPen);
}

/// Masks texts, and records the kinds that it masked.
pub(crate) struct MaskPen {
    known: Arc<KnownKeys>,
    kinds: BTreeSet<SecretKind>,
}

impl Masker {
    /// A masker that knows these keys from the start.
    pub(crate) fn knowing(keys: impl IntoIterator<Item = SecretString>) -> Self {
        let masker = Self::default();
        masker.learn(keys);
        masker
    }

    /// A masker for these keys alone, without token shapes: for text on the screen.
    pub(crate) fn only(keys: impl IntoIterator<Item = SecretString>) -> Self {
        let masker = Self(Arc::new(RwLock::new(Arc::new(KnownKeys::default().without_shapes()))));
        masker.learn(keys);
        masker
    }

    /// Adds keys for this masker and all its clones. Values of less than eight bytes are taken for placeholders
    /// (`none`, `ollama`) and are not masked in what is written; `Bearer x` counts as `x`.
    pub(crate) fn learn(&self, keys: impl IntoIterator<Item = SecretString>) {
        let mut place = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut known = KnownKeys::clone(&place);
        known.learn(keys);
        *place = Arc::new(known);
    }

    /// A copy that also masks these words, however short; the original does not change.
    #[must_use]
    pub(crate) fn with_words(&self, words: impl IntoIterator<Item = SecretString>) -> Self {
        let mut known = KnownKeys::clone(&self.known());
        known.learn_words(words);
        Self(Arc::new(RwLock::new(Arc::new(known))))
    }

    /// A copy that knows the same keys now, and no token shapes: what looks like a key of others stays.
    pub(crate) fn without_shapes(&self) -> Self {
        let known = KnownKeys::clone(&self.known()).without_shapes();
        Self(Arc::new(RwLock::new(Arc::new(known))))
    }

    /// Masks the value.
    pub(crate) fn mask<T: Maskable>(&self, mut value: T) -> MaskedValue<T> {
        let mut pen = MaskPen { known: self.known(), kinds: BTreeSet::new() };
        value.mask_with(&mut pen);
        MaskedValue { value, kinds: pen.kinds }
    }

    /// Masks a text, where the kinds don't matter.
    pub(crate) fn text(&self, text: &str) -> String {
        self.mask(text.to_owned()).into_inner()
    }

    /// Finds the keys in a text, in order.
    pub(crate) fn find(&self, text: &str) -> Vec<KeySpan> {
        scan(&self.known(), text.as_bytes(), 0, true).spans
    }

    fn known(&self) -> Arc<KnownKeys> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl MaskPen {
    /// Whether it would mask something in a text.
    pub(crate) fn touches(&self, text: &str) -> bool {
        !scan(&self.known, text.as_bytes(), 0, true).spans.is_empty()
    }

    pub(crate) fn bytes(&mut self, bytes: &mut [u8]) {
        let spans = scan(&self.known, bytes, 0, true).spans;
        self.cover(bytes, spans);
    }

    pub(crate) fn text(&mut self, text: &mut String) {
        let spans = scan(&self.known, text.as_bytes(), 0, true).spans;
        if spans.is_empty() {
            return;
        }
        let mut bytes = std::mem::take(text).into_bytes();
        self.cover(&mut bytes, spans);
        // Spans begin and end at character boundaries, so the bytes are still valid UTF-8.
        *text =
            String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    }

    fn cover(&mut self, bytes: &mut [u8], spans: Vec<KeySpan>) {
        for span in spans {
            if let Some(place) = bytes.get_mut(span.range) {
                cover(place);
                self.kinds.insert(span.kind);
            }
        }
    }

    /// Masks what is left of a key that a gap cut: the end of the text before the gap, and the beginning of the text
    /// behind.
    fn gap(&mut self, before: &mut [u8], behind: &mut [u8]) {
        let half = scan(&self.known, before, 0, false);
        let end = self.known.cut_at_end(before).or_else(|| half.begun.map(|kind| (half.hold, kind)));
        if let Some((at, kind)) = end
            && let Some(place) = before.get_mut(at..)
        {
            cover(place);
            self.kinds.insert(kind);
        }
        if let Some((end, kind)) = self.known.cut_at_start(behind)
            && let Some(place) = behind.get_mut(..end)
        {
            cover(place);
            self.kinds.insert(kind);
        }
    }
}

/// Overwrites the bytes with `[redacted]` and asterisks, or with asterisks alone if the word does not fit. Keeps line
/// ends.
fn cover(place: &mut [u8]) {
    const WORD: &[u8] = b"[redacted]";
    let word = if place.len() < WORD.len() { &[] } else { WORD };
    let mut letters = word.iter().copied().chain(std::iter::repeat(b'*'));
    for byte in place.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = letters.next().unwrap_or(b'*');
    }
}

/// The result of scanning some bytes.
struct Scan {
    /// The keys, in order, without overlap.
    spans: Vec<KeySpan>,
    /// Where something begins that may become a key once more bytes arrive; else the length.
    hold: usize,
    /// What that would be, if its first letters alone tell.
    begun: Option<SecretKind>,
}

/// Scans for keys from `from` on; the bytes before it only show where words begin. `last`: no more bytes follow.
fn scan(known: &KnownKeys, bytes: &[u8], from: usize, last: bool) -> Scan {
    let mut found = Scan { spans: Vec::new(), hold: bytes.len(), begun: None };
    let mut at = from;
    while let Some(next) = known.next(bytes, at) {
        at = next;
        let rest = bytes.get(at..).unwrap_or_default();
        let seen = match known.at(rest, last) {
            shapes::ShapeMatch::No if known.shapes => shapes::at(bytes, at, last),
            seen => seen,
        };
        match seen {
            shapes::ShapeMatch::No => at += 1,
            shapes::ShapeMatch::Key(range, kind) => {
                let range = at + range.start..at + range.end;
                at = range.end.max(at + 1);
                found.spans.push(KeySpan { range, kind });
            }
            shapes::ShapeMatch::Begun(kind) => {
                (found.hold, found.begun) = (at, kind);
                break;
            }
        }
    }
    found
}

impl Maskable for String {
    fn mask_with(&mut self, pen: &mut MaskPen) {
        pen.text(self);
    }
}

impl Maskable for Vec<u8> {
    fn mask_with(&mut self, pen: &mut MaskPen) {
        pen.bytes(self);
    }
}

/// Scans the output of a run per stream, so that a key split over several pieces is found. The other texts of a run are
/// masked where they become fields of a line.
impl Maskable for Entry {
    fn mask_with(&mut self, pen: &mut MaskPen) {
        if let Entry::Ran { report, .. } = self {
            report.output.mask_with(pen);
        }
    }
}

/// The model's own messages stay as they came: servers want some of them back unchanged.
impl Maskable for ModelRequest {
    fn mask_with(&mut self, pen: &mut MaskPen) {
        let others = self.messages.iter_mut().filter(|message| message.role != Role::Assistant);
        others.for_each(|message| pen.text(&mut message.text));
    }
}

impl Maskable for OutputBuffer {
    fn mask_with(&mut self, pen: &mut MaskPen) {
        if self.is_empty() {
            return;
        }
        let before = std::mem::take(&mut pen.kinds);
        let mut streams = [Stream::Stdout, Stream::Stderr].map(|stream| self.masked_stream(stream, pen));
        if !pen.kinds.is_empty() {
            // Masks keep the length, so the pieces' ranges still fit.
            let pieces: Vec<(Stream, Vec<u8>)> = self
                .pieces()
                .map(|piece| {
                    let rest = match piece.stream {
                        Stream::Stdout => &mut streams[0],
                        Stream::Stderr => &mut streams[1],
                    };
                    let behind = rest.split_off(piece.bytes.len().min(rest.len()));
                    (piece.stream, std::mem::replace(rest, behind))
                })
                .collect();
            let dropped = (self.dropped(Stream::Stdout), self.dropped(Stream::Stderr));
            *self = OutputBuffer::restore(self.limit() as u64, pieces, dropped);
        }
        pen.kinds.extend(before);
    }
}

impl OutputBuffer {
    fn masked_stream(&self, stream: Stream, pen: &mut MaskPen) -> Vec<u8> {
        if self.dropped(stream) == 0 {
            let mut bytes = self.bytes(stream);
            pen.bytes(&mut bytes);
            return bytes;
        }
        let (mut head, mut tail) = (self.head(stream), self.tail(stream));
        pen.bytes(&mut head);
        pen.bytes(&mut tail);
        pen.gap(&mut head, &mut tail);
        head.extend(tail);
        head
    }
}

#[cfg(test)]
mod tests;

//! The one masker: it takes keys out of everything that is written, and tells what it took out, never its value.
//!
//! It knows the keys of this process (`known`: as they stand and in the encodings that are cheap to look for) and the
//! shapes of well-known tokens (`shapes`). A mask is as long as what it stands for and keeps line ends, so that places
//! in a text stay what they were. `stream` masks what comes in pieces, `told` the sentences of servers about a key.
//! Everybody who writes takes a [`MaskedValue`], which nobody else can make. Text on the screen is not masked: the person
//! sees what there was.

mod known;
mod server_message;
mod shapes;
mod stream;

pub(crate) use stream::MaskStream;

use super::{Entry, OutputBuffer, Stream};
use known::KnownKeys;
use secrecy::SecretString;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// What is masked, in words that follow "masked": `a GitHub token`.
pub(crate) type SecretKind = &'static str;

/// Finds and masks keys. Cheap to clone; all clones know the same keys.
#[derive(Clone, Default)]
pub struct Masker(Arc<RwLock<Arc<KnownKeys>>>);

impl std::fmt::Debug for Masker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Masker({})", self.known().len())
    }
}

/// A place that holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeySpan {
    /// Its bytes in the text that was looked at.
    pub(crate) range: Range<usize>,
    /// What kind of key it looks like, or whose it is known to be.
    pub(crate) kind: SecretKind,
}

/// A value without keys. Only a [`Masker`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedValue<T> {
    value: T,
    kinds: BTreeSet<SecretKind>,
}

impl<T> MaskedValue<T> {
    /// What was masked in it; empty where it is as it was.
    pub(crate) fn kinds(&self) -> &BTreeSet<SecretKind> {
        &self.kinds
    }

    /// The value without the promise.
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
    /// Hands every text and all bytes that are written to the pen.
    fn mask_with(&mut self, pen: &mut MaskPen);
}

/// Masks texts, and keeps in mind what it masked.
pub(crate) struct MaskPen {
    known: Arc<KnownKeys>,
    kinds: BTreeSet<SecretKind>,
}

impl Masker {
    /// One that knows these keys from the start.
    pub(crate) fn knowing(keys: impl IntoIterator<Item = SecretString>) -> Self {
        let masker = Self::default();
        masker.learn(keys);
        masker
    }

    /// One that masks these keys and nothing else: for what goes to the screen.
    pub(crate) fn only(keys: impl IntoIterator<Item = SecretString>) -> Self {
        let masker = Self(Arc::new(RwLock::new(Arc::new(KnownKeys::without_shapes()))));
        masker.learn(keys);
        masker
    }

    /// Learns more keys, from now on, for all clones. Values of less than eight bytes are placeholders (`none`,
    /// `ollama`) and are left alone where something is written; `Bearer x` counts as `x`.
    pub(crate) fn learn(&self, keys: impl IntoIterator<Item = SecretString>) {
        let mut place = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut known = KnownKeys::clone(&place);
        known.learn(keys);
        *place = Arc::new(known);
    }

    /// One that knows these words too, however short they are; this one does not.
    #[must_use]
    pub(crate) fn with_words(&self, words: impl IntoIterator<Item = SecretString>) -> Self {
        let mut known = KnownKeys::clone(&self.known());
        known.learn_words(words);
        Self(Arc::new(RwLock::new(Arc::new(known))))
    }

    /// The value without keys.
    pub(crate) fn mask<T: Maskable>(&self, mut value: T) -> MaskedValue<T> {
        let mut pen = MaskPen { known: self.known(), kinds: BTreeSet::new() };
        value.mask_with(&mut pen);
        MaskedValue { value, kinds: pen.kinds }
    }

    /// The text without keys, where only the text matters.
    pub(crate) fn text(&self, text: &str) -> String {
        self.mask(text.to_owned()).into_inner()
    }

    /// Where a text holds keys, in their order.
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
        // A span begins and ends with whole characters: the bytes are a text still.
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

    /// The end of what stands in front of a gap and the beginning of what stands behind it: a key that the gap cut is
    /// known by the part that is left.
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

/// `[redacted]` and asterisks over the whole place, or asterisks where there is no room for the word. Line ends stay.
fn cover(place: &mut [u8]) {
    const WORD: &[u8] = b"[redacted]";
    let word = if place.len() < WORD.len() { &[] } else { WORD };
    let mut letters = word.iter().copied().chain(std::iter::repeat(b'*'));
    for byte in place.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = letters.next().unwrap_or(b'*');
    }
}

/// What a look over bytes found.
struct Scan {
    /// The keys, in their order, none over another.
    spans: Vec<KeySpan>,
    /// Where something begins that may be a key once more bytes are there; the length where nothing does.
    hold: usize,
    /// What it would be, where its first letters alone tell.
    begun: Option<SecretKind>,
}

/// Looks for keys from a place on; what stands in front of it only tells where words begin. `last`: nothing follows.
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

/// The output of a run is looked at as each stream printed it, also where a key came in several pieces. Its other texts
/// are masked where they become fields of a line.
impl Maskable for Entry {
    fn mask_with(&mut self, pen: &mut MaskPen) {
        if let Entry::Ran { report, .. } = self {
            report.output.mask_with(pen);
        }
    }
}

impl Maskable for OutputBuffer {
    fn mask_with(&mut self, pen: &mut MaskPen) {
        if self.is_empty() {
            return;
        }
        let before = pen.kinds.clone();
        pen.kinds.clear();
        let mut streams = [Stream::Stdout, Stream::Stderr].map(|stream| self.masked_stream(stream, pen));
        if !pen.kinds.is_empty() {
            // Masks keep the length: the stretches of the pieces still fit.
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

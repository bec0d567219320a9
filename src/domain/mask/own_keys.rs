//! The keys of this process: verbatim, and in the encodings in which programs print them unintentionally.
//!
//! These are JSON (if it escapes something), percent encoding, hexadecimal, and Base64 in each of its three alignments
//! (`Basic` headers, dumps of secrets). Compressed, encrypted or line-wrapped keys are not found.

use super::SecretKind;
use super::shapes::{self, ShapeMatch};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretString};

/// Shorter values are placeholders, and would mask ordinary words.
const MIN_BYTES: usize = 8;

/// At a gap, at least this much of a key must be left to be recognized.
const MIN_PART_BYTES: usize = 4;

/// The kind of a known key.
const KIND: SecretKind = "a key that sayso knows";

/// The kind of a word that the person named.
const WORD: SecretKind = "a word that you named";

/// One text to search for.
#[derive(Clone)]
struct Needle {
    text: SecretString,
    kind: SecretKind,
    /// The text with its letters in the other case, byte for byte: each byte matches either text, because a word is a
    /// word at the beginning of a sentence too. `None`: only the text as it is matches.
    other_case: Option<SecretString>,
}

impl Needle {
    fn bytes(&self) -> &[u8] {
        self.text.expose_secret().as_bytes()
    }

    /// Its bytes in the other case.
    fn bytes_of_other_case(&self) -> &[u8] {
        self.other_case.as_ref().map_or(self.bytes(), |text| text.expose_secret().as_bytes())
    }

    /// Whether the part of it that begins at `from` and is as long as these bytes matches them.
    fn matches(&self, from: usize, bytes: &[u8]) -> bool {
        let parts = (self.bytes().get(from..), self.bytes_of_other_case().get(from..));
        let (Some(text), Some(other_case)) = parts else { return false };
        let mut each = bytes.iter().zip(text.iter().zip(other_case));
        bytes.len() <= text.len() && each.all(|(byte, (one, other))| byte == one || byte == other)
    }
}

/// The known keys, prepared for searching.
#[derive(Clone)]
pub(super) struct KnownKeys {
    /// The keys themselves, short ones too.
    values: Vec<SecretString>,
    /// Everything to search for, longer needles first, because one may contain another.
    needles: Vec<Needle>,
    /// Whether to search for the shapes of well-known tokens too.
    pub(super) shapes: bool,
    /// The needles that begin with each byte.
    starts: Vec<Vec<usize>>,
    /// Whether something can begin with a pair of bytes, indexed by the pair. This alone decides for nearly all output.
    pairs: Vec<bool>,
    /// The same for the first byte, used when no second byte has arrived yet.
    firsts: Vec<bool>,
}

impl Default for KnownKeys {
    fn default() -> Self {
        let (starts, pairs, firsts) = (Vec::new(), Vec::new(), Vec::new());
        let mut known = Self { values: Vec::new(), needles: Vec::new(), shapes: true, starts, pairs, firsts };
        known.prepare();
        known
    }
}

impl KnownKeys {
    /// How many keys it knows.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(ExposeSecret::expose_secret)
    }

    pub(super) fn learn(&mut self, keys: impl IntoIterator<Item = SecretString>) {
        for key in keys {
            let value = key.expose_secret().trim();
            let value = value.strip_prefix("Bearer ").unwrap_or(value).trim();
            if value.len() < 4 || self.values().any(|known| known == value) {
                continue;
            }
            if value.len() >= MIN_BYTES {
                self.look_for(value, KIND);
            }
            self.values.push(SecretString::from(value));
        }
        self.prepare();
    }

    /// Adds words to mask wherever they occur, short ones too: in any case, and in the form that they take in the
    /// automatic name of a session.
    pub(super) fn learn_words(&mut self, words: impl IntoIterator<Item = SecretString>) {
        for word in words.into_iter().filter(|word| !word.expose_secret().is_empty()) {
            let word = word.expose_secret();
            let (lower, upper) = (word.to_lowercase(), word.to_uppercase());
            // This letter has two uppercase forms; `to_uppercase` gives the other one.
            let sharp = lower.replace('\u{df}', "\u{1e9e}").to_uppercase();
            let named = lower.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
            let named = named.collect::<Vec<_>>().join("-");
            for form in [word, &lower, &upper, &sharp, &named] {
                self.look_for(form, WORD);
            }
        }
        self.prepare();
    }

    fn look_for(&mut self, value: &str, kind: SecretKind) {
        let needle = |form: String| {
            let other_case = (kind == WORD && form == value).then(|| in_other_case(value).into());
            Needle { text: form.into(), kind, other_case }
        };
        self.needles.extend(forms(value).into_iter().map(needle));
    }

    /// The same keys without the shapes of tokens.
    pub(super) fn without_shapes(self) -> Self {
        let mut known = Self { shapes: false, ..self };
        known.prepare();
        known
    }

    /// Puts the needles in order and builds the index by which they are found.
    fn prepare(&mut self) {
        self.sort_needles();
        self.build_index();
    }

    /// Sorts the needles by length, and joins those with the same text.
    fn sort_needles(&mut self) {
        self.needles.sort_by(|a, b| {
            let (a, b) = (a.bytes(), b.bytes());
            b.len().cmp(&a.len()).then_with(|| a.cmp(b))
        });
        self.needles.dedup_by(|a, b| {
            let is_same = a.bytes() == b.bytes();
            if is_same && b.other_case.is_none() {
                b.other_case = a.other_case.take();
            }
            is_same
        });
    }

    fn build_index(&mut self) {
        self.starts = vec![Vec::new(); 1 << 8];
        self.pairs = vec![false; 1 << 16];
        self.firsts = vec![false; 1 << 8];
        let mut begins = if self.shapes { shapes::beginnings() } else { Vec::new() };
        for (index, needle) in self.needles.iter().enumerate() {
            let starts = (needle.bytes().first_chunk::<2>(), needle.bytes_of_other_case().first_chunk::<2>());
            let (Some([first, second]), Some([other_first, other_second])) = starts else {
                continue;
            };
            let (firsts, seconds) = ([*first, *other_first], [*second, *other_second]);
            begins.extend(firsts.iter().flat_map(|first| seconds.map(|second| [*first, second])));
            for first in firsts {
                let needles = self.starts.get_mut(usize::from(first));
                if let Some(needles) = needles.filter(|needles| needles.last() != Some(&index)) {
                    needles.push(index);
                }
            }
        }
        for pair in begins {
            set(&mut self.pairs, usize::from(u16::from_be_bytes(pair)));
            set(&mut self.firsts, usize::from(pair[0]));
        }
    }

    /// The next position from `from` on where a key or a shape can begin, judging by two bytes.
    pub(super) fn next(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let rest = bytes.get(from..).unwrap_or_default();
        let begins = |pair: &[u8]| match pair {
            [a, b] => self.pairs.get(usize::from(u16::from_be_bytes([*a, *b]))).is_some_and(|is| *is),
            _ => false,
        };
        let found = rest.windows(2).position(begins).or_else(|| {
            let last = rest.last()?;
            self.firsts.get(usize::from(*last)).is_some_and(|is| *is).then(|| rest.len() - 1)
        });
        found.map(|at| from + at)
    }

    fn needles_with(&self, first: u8) -> impl Iterator<Item = &Needle> {
        let indices = self.starts.get(usize::from(first)).map_or(&[][..], Vec::as_slice);
        indices.iter().filter_map(|i| self.needles.get(*i))
    }

    /// Matches a key at the start of these bytes.
    pub(super) fn at(&self, rest: &[u8], last: bool) -> ShapeMatch {
        let Some(first) = rest.first() else { return ShapeMatch::No };
        for needle in self.needles_with(*first) {
            let (bytes, kind) = (needle.bytes(), needle.kind);
            if rest.get(..bytes.len()).is_some_and(|start| needle.matches(0, start)) {
                return ShapeMatch::Key(0..bytes.len(), kind);
            }
            if !last && needle.matches(0, rest) {
                return ShapeMatch::Begun((rest.len() >= MIN_PART_BYTES).then_some(kind));
            }
        }
        ShapeMatch::No
    }

    /// Finds the first part of a key at the end of these bytes.
    pub(super) fn cut_at_end(&self, bytes: &[u8]) -> Option<(usize, SecretKind)> {
        let of = |needle: &Needle| {
            let most = needle.bytes().len().saturating_sub(1).min(bytes.len());
            let end = |len: usize| bytes.get(bytes.len() - len..);
            (MIN_PART_BYTES..=most).rev().find(|len| end(*len).is_some_and(|end| needle.matches(0, end)))
        };
        let longest = self.needles.iter().filter_map(|n| Some((of(n)?, n.kind))).max()?;
        Some((bytes.len() - longest.0, longest.1))
    }

    /// Finds the last part of a key at the start of these bytes, and returns where it ends.
    pub(super) fn cut_at_start(&self, bytes: &[u8]) -> Option<(usize, SecretKind)> {
        let of = |needle: &Needle| {
            let whole = needle.bytes().len();
            let most = whole.saturating_sub(1).min(bytes.len());
            let start = |len: usize| bytes.get(..len);
            (MIN_PART_BYTES..=most)
                .rev()
                .find(|len| start(*len).is_some_and(|start| needle.matches(whole - len, start)))
        };
        self.needles.iter().filter_map(|n| Some((of(n)?, n.kind))).max()
    }
}

/// Sets the flag with this index.
fn set(flags: &mut [bool], index: usize) {
    if let Some(flag) = flags.get_mut(index) {
        *flag = true;
    }
}

/// A text of the same length in which each letter has its other case; a letter stays if its other case has another
/// length.
fn in_other_case(text: &str) -> String {
    let other = |c: char| {
        let other: String =
            if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() };
        if other.len() == c.len_utf8() { other } else { c.into() }
    };
    text.chars().map(other).collect()
}

/// A key in all its encodings.
fn forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    if let Ok(json) = serde_json::to_string(value) {
        forms.push(json.trim_matches('"').to_owned());
    }
    let hex = value.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02X}"));
    forms.extend([hex.to_lowercase(), hex]);
    forms.extend(percent(value));
    for lead in 0..3 {
        // The letters at both ends depend on the bytes beside the key, so they are left out.
        let bytes = [&b"\0\0"[..lead], value.as_bytes()].concat();
        let skip = [0, 2, 3].get(lead).copied().unwrap_or(0);
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let text = engine.encode(&bytes);
            let whole = bytes.len() / 3 * 4;
            forms.extend(text.get(skip..whole).filter(|part| part.len() >= MIN_BYTES).map(str::to_owned));
        }
    }
    // An encoding that differs from the key only in case would mask ordinary words.
    let (first, rest) = forms.split_at(1);
    let others = rest.iter().filter(|form| !form.eq_ignore_ascii_case(value)).cloned();
    first.iter().cloned().chain(others).collect()
}

/// A key in percent encoding, with uppercase and with lowercase hexadecimal digits.
fn percent(value: &str) -> [String; 2] {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    let parts = || utf8_percent_encode(value, ESCAPED);
    // A part is one escape, or plain letters.
    let lower = |part: &str| if part.starts_with('%') { part.to_lowercase() } else { part.to_owned() };
    [parts().to_string(), parts().map(lower).collect()]
}

//! The sets of letters that tokens consist of, and how far the letters of one reach.

/// The letters that a token consists of.
#[derive(Clone, Copy)]
pub(super) enum LetterSet {
    Alnum,
    Upper,
    Hex,
    /// Letters, digits, `_`.
    Name,
    /// Letters, digits, `_`, `-`.
    Word,
    /// Letters, digits, `_`, `-`, `.`.
    Dotted,
}

impl LetterSet {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            LetterSet::Alnum => byte.is_ascii_alphanumeric(),
            LetterSet::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            LetterSet::Hex => byte.is_ascii_hexdigit(),
            LetterSet::Name => byte.is_ascii_alphanumeric() || byte == b'_',
            LetterSet::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            LetterSet::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
        }
    }
}

/// How many leading bytes satisfy `is`.
pub(super) fn run(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|b| !is(*b)).unwrap_or(bytes.len())
}

pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

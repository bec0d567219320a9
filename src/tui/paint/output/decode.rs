//! Decodes the bytes of one stream into text, control characters and the escape sequences that matter. The
//! state is a few bytes, so the tokens are the same however the bytes are split.
//!
//! Sequences that only a terminal obeys (titles, links, modes, images) are removed. A control character ends an
//! incomplete sequence, so it can't swallow the following lines. Bytes that are no UTF-8 come out as `\xff`.
//!
//! This decoder is hand-written because a parser made for terminals (`vte`) behaves differently: it stores an
//! unclosed title in growing memory and shows none of the lines after it, continues a sequence after a control
//! character, and replaces all invalid bytes by one and the same character.

use std::fmt::Write as _;

/// One token of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OutputToken<'a> {
    /// Text without control characters.
    Text(&'a str),
    /// `\r`.
    Return,
    /// `\n`.
    LineFeed,
    /// `\b`.
    Back,
    /// `\t`.
    Tab,
    /// A control sequence: its last byte and its parameters, digits and separators only.
    Csi(u8, &'a [u8]),
}

/// The most parameter bytes of a sequence; longer sequences are ignored.
const MAX_PARAMETER_BYTES: usize = 128;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DecoderState {
    #[default]
    Text,
    Escape,
    /// After ESC and an intermediate byte: one more byte belongs to the sequence.
    EscapeLonger,
    /// Inside a control sequence.
    Csi,
    /// Inside a string for the terminal (title, link, image), which ends with BEL or ESC \.
    String,
}

/// The decoder state of one stream.
#[derive(Debug, Default)]
pub(super) struct EscapeDecoder {
    at: DecoderState,
    parameters: Vec<u8>,
    /// The first bytes of a character that is not complete yet.
    begun: Vec<u8>,
}

impl EscapeDecoder {
    /// Decodes bytes and passes the tokens to `tell`.
    pub(super) fn feed(&mut self, mut bytes: &[u8], tell: &mut impl FnMut(OutputToken<'_>)) {
        while let Some(first) = bytes.first().copied() {
            if self.at == DecoderState::Text && !is_control(first) {
                let end = bytes.iter().position(|b| is_control(*b)).unwrap_or(bytes.len());
                let (text, rest) = bytes.split_at(end);
                self.text(text, tell);
                bytes = rest;
            } else {
                self.byte(first, tell);
                bytes = bytes.get(1..).unwrap_or_default();
            }
        }
    }

    /// Ends what is incomplete: no more bytes come, or some are missing here.
    pub(super) fn finish(&mut self, tell: &mut impl FnMut(OutputToken<'_>)) {
        self.give_up_begun(tell);
        self.at = DecoderState::Text;
        self.parameters.clear();
    }

    fn text(&mut self, text: &[u8], tell: &mut impl FnMut(OutputToken<'_>)) {
        if self.begun.is_empty() {
            self.characters(text, tell);
        } else {
            let mut whole = std::mem::take(&mut self.begun);
            whole.extend_from_slice(text);
            self.characters(&whole, tell);
        }
    }

    fn characters(&mut self, bytes: &[u8], tell: &mut impl FnMut(OutputToken<'_>)) {
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            if !chunk.valid().is_empty() {
                tell(OutputToken::Text(chunk.valid()));
            }
            let invalid = chunk.invalid();
            let is_incomplete = str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if chunks.peek().is_none() && is_incomplete {
                self.begun = invalid.to_vec();
            } else if !invalid.is_empty() {
                escape_bytes(invalid, tell);
            }
        }
    }

    fn give_up_begun(&mut self, tell: &mut impl FnMut(OutputToken<'_>)) {
        if !self.begun.is_empty() {
            escape_bytes(&std::mem::take(&mut self.begun), tell);
        }
    }

    fn byte(&mut self, byte: u8, tell: &mut impl FnMut(OutputToken<'_>)) {
        match (self.at, byte) {
            (DecoderState::String, 0x07) => self.at = DecoderState::Text,
            (_, 0x1b) => {
                self.give_up_begun(tell);
                self.at = DecoderState::Escape;
            }
            (DecoderState::String, b' '..) => {}
            (DecoderState::Escape, b'[') => {
                self.parameters.clear();
                self.at = DecoderState::Csi;
            }
            (DecoderState::Escape, b']' | b'P' | b'X' | b'^' | b'_') => self.at = DecoderState::String,
            (DecoderState::Escape | DecoderState::EscapeLonger, b' '..=b'/') => {
                self.at = DecoderState::EscapeLonger;
            }
            // This also handles the `ESC \` that ends a string.
            (DecoderState::Escape | DecoderState::EscapeLonger, b'0'..=b'~') => self.at = DecoderState::Text,
            (DecoderState::Csi, b' '..=b'?') => {
                if self.parameters.len() <= MAX_PARAMETER_BYTES {
                    self.parameters.push(byte);
                }
            }
            (DecoderState::Csi, b'@'..=b'~') => {
                self.at = DecoderState::Text;
                let ordinary = self.parameters.iter().all(|b| matches!(b, b'0'..=b';'));
                if ordinary && self.parameters.len() <= MAX_PARAMETER_BYTES {
                    tell(OutputToken::Csi(byte, &self.parameters));
                }
            }
            (_, byte) => {
                self.at = DecoderState::Text;
                self.control(byte, tell);
            }
        }
    }

    fn control(&mut self, byte: u8, tell: &mut impl FnMut(OutputToken<'_>)) {
        if !is_control(byte) {
            return self.text(&[byte], tell);
        }
        self.give_up_begun(tell);
        match byte {
            b'\n' => tell(OutputToken::LineFeed),
            b'\r' => tell(OutputToken::Return),
            b'\t' => tell(OutputToken::Tab),
            0x08 => tell(OutputToken::Back),
            // Bell, character set shifts, cancel, delete: terminals draw nothing for them.
            0x07 | 0x0e | 0x0f | 0x18 | 0x1a | 0x7f => {}
            other => escape_bytes(&[other], tell),
        }
    }
}

fn is_control(byte: u8) -> bool {
    byte < b' ' || byte == 0x7f
}

fn escape_bytes(bytes: &[u8], tell: &mut impl FnMut(OutputToken<'_>)) {
    let mut text = String::with_capacity(bytes.len() * 4);
    for byte in bytes {
        // Writing to a string can't fail.
        let _ = write!(text, "\\x{byte:02x}");
    }
    tell(OutputToken::Text(&text));
}

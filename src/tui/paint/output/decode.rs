//! Bytes of one stream → text, controls and the escape sequences that matter. State is a few bytes, so any split of the
//! bytes gives the same tokens.
//!
//! Sequences that only a terminal obeys (titles, links, modes, images) are taken out. A sequence that is cut short by a
//! control character ends there: nothing swallows the lines behind it. What is no UTF-8 comes out as `\xff`.
//!
//! It is kept by hand because a parser made for terminals (`vte`) has other needs: it keeps a title that is never closed in
//! memory as it grows and draws nothing of the lines behind it, goes on with a sequence behind a control character, and
//! tells bytes that are no text as one sign that stands for all of them.

use std::fmt::Write as _;

/// What a stream says.
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

/// Parameter bytes kept of a sequence; longer ones do nothing.
const MAX_PARAMETER_BYTES: usize = 128;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DecoderState {
    #[default]
    Text,
    Escape,
    /// Behind ESC and an intermediate byte: one more byte belongs to it.
    EscapeLonger,
    /// In a control sequence.
    Csi,
    /// In a string for the terminal (title, link, image), which ends with BEL or ESC \.
    String,
}

/// The state of one stream.
#[derive(Debug, Default)]
pub(super) struct EscapeDecoder {
    at: DecoderState,
    parameters: Vec<u8>,
    /// The beginning of a character whose end has not come yet.
    begun: Vec<u8>,
}

impl EscapeDecoder {
    /// Takes in bytes and tells what they say.
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

    /// No more bytes come, or some are missing here: what was begun ends.
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
        let mut rest = bytes;
        loop {
            match std::str::from_utf8(rest) {
                Ok("") => return,
                Ok(text) => return tell(OutputToken::Text(text)),
                Err(error) => {
                    let (valid, behind) = rest.split_at(error.valid_up_to());
                    if let Ok(text) = std::str::from_utf8(valid)
                        && !text.is_empty()
                    {
                        tell(OutputToken::Text(text));
                    }
                    let Some(invalid) = error.error_len() else {
                        self.begun = behind.to_vec();
                        return;
                    };
                    let (bad, behind) = behind.split_at(invalid.min(behind.len()));
                    escape_bytes(bad, tell);
                    rest = behind;
                }
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
            // This is also where `ESC \` ends a string.
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
            // Bell, shifts of the character set, cancel, delete: no terminal draws anything for them.
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

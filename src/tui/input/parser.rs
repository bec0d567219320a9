//! The parser: bytes from the terminal → events, whatever way they are cut.
//!
//! A state machine over single bytes. Every control sequence and string (CSI, SS3, OSC, DCS, APC, PM, SOS) is read to
//! its end before it is judged, known or not, so none of its bytes is ever taken for a key. What can be the beginning of
//! something or a key by itself (Esc) is decided by [`InputParser::timeout`]. Time is the caller's.
//!
//! It is kept by hand because a key decides what runs: the guard has to know of every byte that was no key (noise, answers
//! of the terminal, pastes without brackets), and the parsers of libraries drop those, or read terminal and clock themselves.

mod sequences;

use super::InputEvent;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

/// The longest control sequence that is looked at; longer ones are read to their end and dropped.
const MAX_SEQUENCE_BYTES: usize = 64;
/// The most that is kept of a string answer; the rest is read and dropped.
const MAX_STRING_BYTES: usize = 4096;
/// The most that is taken from one paste, in bytes; the rest is read and dropped.
pub(crate) const MAX_PASTE_BYTES: usize = 8 << 20;
/// How long the rest of a sequence that has begun may take.
const SEQUENCE_TIMEOUT: Duration = Duration::from_millis(250);
/// How long the rest of a string answer or a paste may take.
const STRING_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParserState {
    Ground,
    /// Bytes of one character.
    Utf8 {
        need: usize,
        alt: bool,
    },
    Esc,
    Csi,
    /// `CSI [`: function keys of the Linux console.
    CsiLinux,
    Ss3,
    /// Three bytes of an old mouse report.
    OldMouse(u8),
    /// The contents of OSC (`]`: a bell ends it too), DCS (`P`), APC (`_`), PM (`^`) or SOS (`X`).
    Text {
        opened: u8,
    },
    /// An Esc inside such a string.
    TextEsc {
        opened: u8,
    },
    Paste,
}

#[derive(Debug)]
pub(crate) struct InputParser {
    state: ParserState,
    buffer: Vec<u8>,
    overflow: bool,
    esc_delay: Duration,
    events: Vec<InputEvent>,
    /// The bytes that each event was read from, as far as they are kept.
    bytes: Vec<Vec<u8>>,
    /// Those of what is under way.
    raw: Vec<u8>,
}

impl InputParser {
    /// A parser that waits so long after an Esc for the rest of a sequence.
    pub(crate) fn new(esc_delay: Duration) -> Self {
        Self {
            state: ParserState::Ground,
            buffer: Vec::new(),
            overflow: false,
            esc_delay,
            events: Vec::new(),
            bytes: Vec::new(),
            raw: Vec::new(),
        }
    }

    /// Reads bytes; what was recognized is taken with [`InputParser::take`].
    pub(crate) fn parse(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((byte, tail)) = rest.split_first() {
            if self.state == ParserState::Paste {
                rest = self.paste(rest);
                self.give_bytes(None);
            } else {
                if self.raw.len() < MAX_SEQUENCE_BYTES {
                    self.raw.push(*byte);
                }
                self.byte(*byte);
                self.give_bytes(Some(*byte));
                rest = tail;
            }
        }
    }

    /// The events recognized so far.
    #[cfg(test)]
    pub(crate) fn take(&mut self) -> Vec<InputEvent> {
        self.bytes.clear();
        std::mem::take(&mut self.events)
    }

    /// The same, each with the bytes that it was read from: of a long one, the first.
    pub(crate) fn take_with_bytes(&mut self) -> impl Iterator<Item = (InputEvent, Vec<u8>)> + use<> {
        let bytes = std::mem::take(&mut self.bytes);
        std::mem::take(&mut self.events).into_iter().zip(bytes)
    }

    /// What was read so far belongs to the event that came of it.
    fn give_bytes(&mut self, last: Option<u8>) {
        if self.events.len() > self.bytes.len() {
            let mut raw = std::mem::take(&mut self.raw);
            // What broke off the one begins the next.
            if let Some(last) = last.filter(|_| self.state != ParserState::Ground) {
                raw.pop();
                self.raw.push(last);
            }
            self.bytes.push(raw);
            self.bytes.resize(self.events.len(), Vec::new());
        } else if self.state == ParserState::Ground {
            self.raw.clear();
        }
    }

    /// How long to wait for more bytes before [`InputParser::timeout`]; `None`: nothing is under way.
    pub(crate) fn patience(&self) -> Option<Duration> {
        match self.state {
            ParserState::Ground => None,
            ParserState::Esc => Some(self.esc_delay),
            // `Alt-[` and its kind look like the beginning of a sequence.
            ParserState::Csi | ParserState::Text { .. } | ParserState::Ss3
                if self.buffer.is_empty() && !self.overflow =>
            {
                Some(self.esc_delay)
            }
            ParserState::Csi
            | ParserState::CsiLinux
            | ParserState::Ss3
            | ParserState::OldMouse(_)
            | ParserState::Utf8 { .. } => Some(SEQUENCE_TIMEOUT),
            ParserState::Text { .. } | ParserState::TextEsc { .. } | ParserState::Paste => {
                Some(STRING_TIMEOUT)
            }
        }
    }

    /// No more bytes came in time: what could be a key by itself is one, the rest of what was under way is dropped.
    pub(crate) fn timeout(&mut self) {
        let empty = self.buffer.is_empty() && !self.overflow;
        match self.state {
            ParserState::Esc => self.key(KeyCode::Esc, KeyModifiers::NONE),
            ParserState::Csi if empty => self.key(KeyCode::Char('['), KeyModifiers::ALT),
            ParserState::Ss3 if empty => {
                self.key(KeyCode::Char('O'), KeyModifiers::ALT | KeyModifiers::SHIFT);
            }
            ParserState::Text { opened } if empty => self.character(char::from(opened), true),
            ParserState::Paste => self.end_paste(),
            ParserState::Ground | ParserState::Text { .. } | ParserState::TextEsc { .. } => {}
            ParserState::Utf8 { .. }
            | ParserState::Csi
            | ParserState::CsiLinux
            | ParserState::Ss3
            | ParserState::OldMouse(_) => {
                self.noise();
            }
        }
        self.reset();
        self.give_bytes(None);
    }

    /// Bytes were dropped that a person may have typed.
    fn noise(&mut self) {
        self.events.push(InputEvent::Noise);
    }

    fn reset(&mut self) {
        self.state = ParserState::Ground;
        self.buffer.clear();
        self.overflow = false;
    }

    fn enter(&mut self, state: ParserState) {
        self.reset();
        self.state = state;
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.events.push(InputEvent::Key(KeyEvent::new(code, modifiers)));
    }

    fn keep(&mut self, byte: u8, limit: usize) {
        if self.buffer.len() < limit {
            self.buffer.push(byte);
        } else {
            self.overflow = true;
        }
    }

    fn byte(&mut self, byte: u8) {
        match self.state {
            ParserState::Ground => self.ground(byte, false),
            ParserState::Utf8 { need, alt } => self.utf8(byte, need, alt),
            ParserState::Esc => self.esc(byte),
            ParserState::Csi => self.csi(byte),
            ParserState::CsiLinux => {
                self.reset();
                if (b'A'..=b'E').contains(&byte) {
                    self.key(KeyCode::F(byte - b'A' + 1), KeyModifiers::NONE);
                } else {
                    self.noise();
                }
            }
            ParserState::Ss3 => self.ss3(byte),
            ParserState::OldMouse(left) if left > 1 => self.state = ParserState::OldMouse(left - 1),
            ParserState::OldMouse(_) => self.reset(),
            ParserState::Text { opened } => match byte {
                0x1b => self.state = ParserState::TextEsc { opened },
                0x07 if opened == b']' => self.end_text(opened),
                0x18 | 0x1a => {
                    self.noise();
                    self.reset();
                }
                _ => self.keep(byte, MAX_STRING_BYTES),
            },
            ParserState::TextEsc { opened } => {
                if byte == b'\\' {
                    self.end_text(opened);
                } else {
                    // The string was broken off by a new sequence.
                    self.noise();
                    self.enter(ParserState::Esc);
                    self.esc(byte);
                }
            }
            ParserState::Paste => {}
        }
    }

    fn ground(&mut self, byte: u8, alt: bool) {
        let with = |modifiers| if alt { modifiers | KeyModifiers::ALT } else { modifiers };
        match byte {
            0x1b => self.enter(ParserState::Esc),
            b'\r' => self.key(KeyCode::Enter, with(KeyModifiers::NONE)),
            b'\t' => self.key(KeyCode::Tab, with(KeyModifiers::NONE)),
            0x7f => self.key(KeyCode::Backspace, with(KeyModifiers::NONE)),
            0 => self.key(KeyCode::Char(' '), with(KeyModifiers::CONTROL)),
            0x01..=0x1a => {
                self.key(KeyCode::Char(char::from(byte - 1 + b'a')), with(KeyModifiers::CONTROL));
            }
            0x1c..=0x1f => {
                self.key(KeyCode::Char(char::from(byte + 0x40)), with(KeyModifiers::CONTROL));
            }
            b' '..=b'~' => self.character(char::from(byte), alt),
            0xc2..=0xf4 => {
                let need = if byte < 0xe0 {
                    2
                } else if byte < 0xf0 {
                    3
                } else {
                    4
                };
                self.enter(ParserState::Utf8 { need, alt });
                self.buffer.push(byte);
            }
            // No character begins so.
            _ => self.noise(),
        }
    }

    fn character(&mut self, c: char, alt: bool) {
        let mut modifiers = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
        modifiers.set(KeyModifiers::ALT, alt);
        self.key(KeyCode::Char(c), modifiers);
    }

    fn utf8(&mut self, byte: u8, need: usize, alt: bool) {
        if byte & 0xc0 != 0x80 {
            // The character was broken off; this byte begins something of its own.
            self.noise();
            self.reset();
            self.byte(byte);
            return;
        }
        self.buffer.push(byte);
        if self.buffer.len() == need {
            let c = std::str::from_utf8(&self.buffer).ok().and_then(|s| s.chars().next());
            self.reset();
            match c.filter(|c| !c.is_control()) {
                Some(c) => self.character(c, alt),
                None => self.noise(),
            }
        }
    }

    /// Takes bytes of a paste; returns those behind its end.
    fn paste<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        const END: &[u8] = b"\x1b[201~";
        // The end may be cut in two by the reads: look at the last bytes that are kept too.
        let before = self.buffer.len();
        let from = before.saturating_sub(END.len() - 1);
        let room = (MAX_PASTE_BYTES + END.len()).saturating_sub(before);
        if bytes.len() > room {
            self.overflow = true;
        }
        self.buffer.extend_from_slice(bytes);
        let found =
            self.buffer.get(from..).and_then(|tail| tail.windows(END.len()).position(|window| window == END));
        if let Some(at) = found {
            let end = from + at;
            let used = (end + END.len()).saturating_sub(before);
            self.buffer.truncate(end);
            self.end_paste();
            self.reset();
            return bytes.get(used..).unwrap_or_default();
        }
        if self.overflow {
            // Keep the beginning, and enough of the end to see it end.
            let tail =
                self.buffer.split_off(self.buffer.len().saturating_sub(END.len() - 1).max(MAX_PASTE_BYTES));
            self.buffer.truncate(MAX_PASTE_BYTES);
            self.buffer.extend_from_slice(&tail);
        }
        &[]
    }

    fn end_paste(&mut self) {
        self.buffer.truncate(MAX_PASTE_BYTES);
        self.events.push(InputEvent::Paste(pasted_text(&self.buffer)));
    }
}

/// Pasted bytes as text, line ends as line feeds.
pub(super) fn pasted_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests;

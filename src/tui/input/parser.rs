//! Parses bytes from the terminal into events, however the bytes are split.
//!
//! It is a state machine over single bytes. Every control sequence and string (CSI, SS3, OSC, DCS, APC, PM,
//! SOS) is read to its end before it is interpreted, known or not, so that none of its bytes is taken for a
//! key. Bytes that may be a key (Esc) or the beginning of a sequence are resolved by [`InputParser::timeout`];
//! the caller measures the time.
//!
//! It is hand-written because a key decides what runs: the guard has to know of every byte that was no key
//! (noise, answers of the terminal, pastes without brackets). Library parsers drop those, or read the terminal
//! and the clock themselves.

pub(super) mod paste;
mod sequences;

use super::InputEvent;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

/// The longest control sequence that is interpreted; longer ones are read to their end and dropped.
const MAX_SEQUENCE_BYTES: usize = 64;
/// The most bytes kept of a string; the rest is read and dropped.
const MAX_STRING_BYTES: usize = 4096;
/// How long to wait for the rest of a sequence.
const SEQUENCE_TIMEOUT: Duration = Duration::from_millis(250);
/// How long to wait for the rest of a string or a paste.
const STRING_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ParserState {
    #[default]
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
    /// Three bytes of an old mouse report follow.
    OldMouse(u8),
    /// Inside OSC (`]`, also ended by a bell), DCS (`P`), APC (`_`), PM (`^`) or SOS (`X`).
    Text {
        opened: u8,
    },
    /// An Esc inside such a string.
    TextEsc {
        opened: u8,
    },
    Paste,
}

#[derive(Debug, Default)]
pub(crate) struct InputParser {
    state: ParserState,
    buffer: Vec<u8>,
    overflow: bool,
    esc_delay: Duration,
    events: Vec<InputEvent>,
    /// The bytes of each event, as far as they are kept.
    bytes: Vec<Vec<u8>>,
    /// The bytes of the event being read.
    raw: Vec<u8>,
}

impl InputParser {
    /// Makes a parser that waits this long after Esc for the rest of a sequence.
    pub(crate) fn new(esc_delay: Duration) -> Self {
        Self { esc_delay, ..Self::default() }
    }

    /// Parses bytes; [`InputParser::take`] returns the recognized events.
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

    /// Returns the events recognized so far.
    #[cfg(test)]
    pub(crate) fn take(&mut self) -> Vec<InputEvent> {
        self.bytes.clear();
        std::mem::take(&mut self.events)
    }

    /// Like [`InputParser::take`], each event with its bytes; of long events only the first bytes.
    pub(crate) fn take_with_bytes(&mut self) -> impl Iterator<Item = (InputEvent, Vec<u8>)> + use<> {
        let bytes = std::mem::take(&mut self.bytes);
        std::mem::take(&mut self.events).into_iter().zip(bytes)
    }

    /// Assigns the bytes read so far to the event that they made.
    fn give_bytes(&mut self, last: Option<u8>) {
        if self.events.len() > self.bytes.len() {
            let mut raw = std::mem::take(&mut self.raw);
            // The byte that interrupted one sequence begins the next.
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

    /// How long to wait for more bytes before calling [`InputParser::timeout`]; `None`: no sequence is open.
    pub(crate) fn patience(&self) -> Option<Duration> {
        match self.state {
            ParserState::Ground => None,
            ParserState::Esc => Some(self.esc_delay),
            // `Alt-[` and similar keys look like the beginning of a sequence.
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

    /// Call this when no more bytes came in time: emits the key if the bytes could be one, and drops any other
    /// open sequence.
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

    /// Reports dropped bytes that a person may have typed.
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
                    // A new sequence interrupted the string.
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
                let need = match byte {
                    ..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    _ => 4,
                };
                self.enter(ParserState::Utf8 { need, alt });
                self.buffer.push(byte);
            }
            // No character begins with this byte.
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
            // The character is incomplete; this byte begins something new.
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
}

#[cfg(test)]
mod tests;

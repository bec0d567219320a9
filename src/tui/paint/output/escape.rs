//! Bytes of one stream → text, controls and the few escapes that are obeyed. Any cut of the bytes gives the same.

use super::super::plain;
use super::ink::Ink;
use crate::domain::Stream;
use std::borrow::Cow;

/// Sequences longer than this are shown as far as they came.
const LONGEST: usize = 256;

/// What was recognized.
#[derive(Debug)]
pub enum Token<'a> {
    /// Text without control characters.
    Text(Cow<'a, str>),
    /// What is shown in place of something: an escape that is not obeyed, a byte that is no text.
    Shown(String),
    /// A control character.
    Control(u8),
    /// An escape that is obeyed.
    Escape(Escape),
}

/// Escapes that are obeyed: those of progress bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// Lines up.
    Up(usize),
    /// Lines down.
    Down(usize),
    /// Columns right.
    Right(usize),
    /// Columns left.
    Left(usize),
    /// To a column, counted from 1.
    Column(usize),
    /// To the start of a line below.
    NextLine(usize),
    /// To the start of a line above.
    PreviousLine(usize),
    /// Erase to the end of the line.
    EraseToEnd,
    /// Erase to its start.
    EraseToStart,
    /// Erase the line.
    EraseLine,
    /// Erase from here to the end of everything.
    EraseBelow,
    /// Nothing that can be seen: colours (taken by the scanner), showing and hiding the cursor, character sets.
    Nothing,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Esc,
    Csi,
    /// OSC, DCS and their kind, up to BEL or ST.
    String,
    StringEsc,
    /// The byte behind `ESC (`.
    Charset,
}

/// Reads one stream.
#[derive(Debug, Default)]
pub struct Scanner {
    state: State,
    /// Bytes of a sequence, or of a character that is not whole.
    held: Vec<u8>,
    ink: Ink,
}

impl Scanner {
    /// The colours that the program has set.
    pub fn ink(&self, stream: Stream) -> Ink {
        self.ink.on(stream)
    }

    /// Reads the next token; returns it and how many bytes were used.
    pub fn next<'a>(&mut self, bytes: &'a [u8]) -> (Option<Token<'a>>, usize) {
        if self.state != State::Text {
            return self.sequence(bytes);
        }
        let Some(first) = bytes.first().copied() else { return (None, 0) };
        if first == 0x1b {
            let shown = self.give_up_character();
            if shown.is_some() {
                return (shown, 0);
            }
            self.state = State::Esc;
            self.held.push(first);
            return (None, 1);
        }
        if first < 0x20 || first == 0x7f {
            let shown = self.give_up_character();
            return if shown.is_some() { (shown, 0) } else { (Some(Token::Control(first)), 1) };
        }
        if !self.held.is_empty() {
            return self.continue_character(first);
        }
        let end = bytes.iter().position(|b| *b < 0x20 || *b == 0x7f).unwrap_or(bytes.len());
        let run = bytes.get(..end).unwrap_or_default();
        match std::str::from_utf8(run) {
            Ok(text) => (Some(Token::Text(Cow::Borrowed(text))), end),
            Err(error) if error.valid_up_to() > 0 => {
                let text = run.get(..error.valid_up_to()).and_then(|v| std::str::from_utf8(v).ok());
                (Some(Token::Text(Cow::Borrowed(text.unwrap_or_default()))), error.valid_up_to())
            }
            // A character that is cut at the end of what came: wait for its rest.
            Err(error) if error.error_len().is_none() && end == bytes.len() => {
                self.held.extend_from_slice(run);
                (None, end)
            }
            Err(_) => (Some(Token::Shown(format!("\\x{first:02x}"))), 1),
        }
    }

    /// Adds a byte to a character that was cut.
    fn continue_character<'a>(&mut self, byte: u8) -> (Option<Token<'a>>, usize) {
        self.held.push(byte);
        match std::str::from_utf8(&self.held) {
            Ok(text) => {
                let text = text.to_string();
                self.held.clear();
                (Some(Token::Text(Cow::Owned(text))), 1)
            }
            Err(error) if error.error_len().is_none() => (None, 1),
            Err(_) => {
                self.held.pop();
                (self.give_up_character(), 0)
            }
        }
    }

    /// Shows the bytes of a character that will not be whole.
    fn give_up_character<'a>(&mut self) -> Option<Token<'a>> {
        if self.held.is_empty() {
            return None;
        }
        let held = std::mem::take(&mut self.held);
        Some(Token::Shown(plain::decode(&held).into_owned()))
    }

    fn sequence<'a>(&mut self, bytes: &'a [u8]) -> (Option<Token<'a>>, usize) {
        let mut used = 0;
        for byte in bytes {
            match self.sequence_byte(*byte) {
                None => used += 1,
                Some((token, own)) => return (Some(token), used + usize::from(own)),
            }
        }
        (None, used)
    }

    /// Takes a byte of a sequence; a token comes with whether the byte belonged to it.
    fn sequence_byte<'a>(&mut self, byte: u8) -> Option<(Token<'a>, bool)> {
        if self.held.len() >= LONGEST {
            return Some((self.show(), false));
        }
        match (self.state, byte) {
            (State::Esc, b'[') => self.hold(byte, State::Csi),
            (State::Esc, b']' | b'P' | b'_' | b'^' | b'X') => self.hold(byte, State::String),
            (State::Esc, b'(' | b')' | b'*' | b'+') => self.hold(byte, State::Charset),
            (State::Esc, 0x20..=0x7e) => {
                self.held.push(byte);
                Some((self.show(), true))
            }
            (State::Charset, 0x20..=0x7e) => {
                self.end();
                Some((Token::Escape(Escape::Nothing), true))
            }
            (State::Csi, 0x20..=0x3f) => self.hold(byte, State::Csi),
            (State::Csi, 0x40..=0x7e) => {
                self.held.push(byte);
                Some((self.csi(), true))
            }
            (State::String, 0x07) => {
                self.held.push(byte);
                Some((self.show(), true))
            }
            (State::String, 0x1b) => self.hold(byte, State::StringEsc),
            (State::String, b'\n') => Some((self.show(), false)),
            (State::String, _) => self.hold(byte, State::String),
            (State::StringEsc, b'\\') => {
                self.held.push(byte);
                Some((self.show(), true))
            }
            // Not what it began as: what came is shown, this byte is read anew.
            _ => Some((self.show(), false)),
        }
    }

    fn hold<'a>(&mut self, byte: u8, state: State) -> Option<(Token<'a>, bool)> {
        self.held.push(byte);
        self.state = state;
        None
    }

    fn end(&mut self) {
        self.state = State::Text;
        self.held.clear();
    }

    fn show<'a>(&mut self) -> Token<'a> {
        let text = plain::decode(&self.held).chars().fold(String::new(), |mut text, c| {
            if c.is_control() {
                text.push_str(&plain::escaped(c));
            } else {
                text.push(c);
            }
            text
        });
        self.end();
        Token::Shown(text)
    }

    fn csi<'a>(&mut self) -> Token<'a> {
        let last = self.held.last().copied().unwrap_or(0);
        let params = self.held.get(2..self.held.len() - 1).unwrap_or_default();
        let plain_numbers = params.iter().all(|b| b.is_ascii_digit() || matches!(b, b';' | b':'));
        let number = params
            .split(|b| *b == b';')
            .next()
            .unwrap_or_default()
            .iter()
            .fold(0usize, |n, b| n.saturating_mul(10).saturating_add(usize::from(b.wrapping_sub(b'0'))));
        let times = number.clamp(1, 4096);
        let escape = match last {
            b'm' if plain_numbers => {
                let params = params.to_vec();
                self.ink.set(&params);
                Escape::Nothing
            }
            b'h' | b'l' if params == b"?25" => Escape::Nothing,
            _ if !plain_numbers => return self.show(),
            b'A' => Escape::Up(times),
            b'B' => Escape::Down(times),
            b'C' => Escape::Right(times),
            b'D' => Escape::Left(times),
            b'E' => Escape::NextLine(times),
            b'F' => Escape::PreviousLine(times),
            b'G' => Escape::Column(times),
            b'K' if number == 0 => Escape::EraseToEnd,
            b'K' if number == 1 => Escape::EraseToStart,
            b'K' if number == 2 => Escape::EraseLine,
            b'J' if number == 0 => Escape::EraseBelow,
            _ => return self.show(),
        };
        self.end();
        Token::Escape(escape)
    }
}

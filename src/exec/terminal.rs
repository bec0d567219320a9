//! Emulates the terminal of a run, and decides which output is kept: the lines that a program prints, and for a
//! full-screen program only a note with its last screen. Pure. It holds no more than one screen.
//!
//! `vte` parses the escape sequences, built without its own buffers, so that an endless sequence costs nothing. Their
//! meaning is implemented here (`perform`), because crates that do so (`vt100`) lack the line-drawing characters that
//! curses programs use, repeat as often as they are told, and may panic.

mod grid;
mod perform;
mod state;
mod tab_stops;
#[cfg(test)]
mod tests;

use crate::domain::TerminalScreen;
use state::TerminalState;

/// Rows and columns until a size is set.
pub(super) const DEFAULT_SIZE: (u16, u16) = (24, 80);
const MAX_LAST_SCREEN_BYTES: usize = 4 << 10;
/// How many last screens of one run are kept. Of further ones only a note is kept, and at some point not even that.
const MAX_LAST_SCREENS: u32 = 8;
const MAX_LAST_SCREENS_REPORTED: u32 = 100;

/// A terminal. What is printed goes in, and the lines to keep come out; its screen can be read at any time.
pub(super) struct Emulator {
    parser: vte::Parser,
    /// The beginning of an incomplete character. The parser drops text after a character that it gets in two pieces, so
    /// it only gets complete ones.
    part: Vec<u8>,
    state: TerminalState,
    /// How many full-screen programs have ended.
    screens: u32,
}

impl Emulator {
    pub(super) fn new() -> Self {
        let state = TerminalState::new(DEFAULT_SIZE.0, DEFAULT_SIZE.1);
        Self { parser: vte::Parser::new(), part: Vec::new(), state, screens: 0 }
    }

    /// Processes output. Returns the part of it to keep.
    pub(super) fn take_in(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.part);
        all.extend_from_slice(bytes);
        self.part = all.split_off(all.len() - unfinished(&all));
        let (mut bytes, mut kept) = (all.as_slice(), Vec::new());
        while !bytes.is_empty() {
            let was_alternate = self.state.is_alternate;
            let count = self.parser.advance_until_terminated(&mut self.state, bytes);
            let (done, rest) = bytes.split_at(count.min(bytes.len()));
            if !was_alternate {
                kept.extend_from_slice(done);
            }
            if std::mem::take(&mut self.state.switched) && was_alternate {
                self.append_last_screen(&mut kept);
            }
            bytes = rest;
        }
        kept
    }

    /// Called at the end of the run. Returns what to keep of a full-screen program that is still running.
    pub(super) fn end(&mut self) -> Vec<u8> {
        let mut kept = Vec::new();
        if self.state.is_alternate {
            self.append_last_screen(&mut kept);
        }
        kept.append(&mut self.part);
        kept
    }

    fn append_last_screen(&mut self, kept: &mut Vec<u8>) {
        let text = self.state.take_last_screen().unwrap_or_default();
        self.screens = self.screens.saturating_add(1);
        if self.screens > MAX_LAST_SCREENS_REPORTED {
            return;
        }
        if self.state.normal.cursor().1 > 0 {
            kept.extend_from_slice(b"\r\n");
        }
        if text.is_empty() || self.screens > MAX_LAST_SCREENS {
            kept.extend_from_slice(b"--- a full-screen program ran ---\r\n");
            return;
        }
        let cut = text.floor_char_boundary(MAX_LAST_SCREEN_BYTES);
        let (shown, rest) = text.split_at(cut);
        let more = if rest.is_empty() { "" } else { "\r\n..." };
        let shown = shown.replace('\n', "\r\n");
        let told = format!(
            "--- a full-screen program ran; its last screen: ---\r\n{shown}{more}\r\n--- end of that screen ---\r\n"
        );
        kept.extend_from_slice(told.as_bytes());
    }

    /// Answers to send to the program for what it asked its terminal. They contain nothing that the program wrote.
    pub(super) fn answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.state.answers)
    }

    pub(super) fn resize(&mut self, rows: u16, columns: u16) {
        self.state.resize(rows, columns);
    }

    pub(super) fn screen(&self) -> TerminalScreen {
        self.state.screen()
    }
}

impl std::fmt::Debug for Emulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emulator").finish_non_exhaustive()
    }
}

/// How many bytes at the end are the beginning of an incomplete character.
fn unfinished(bytes: &[u8]) -> usize {
    let needs = |lead: u8| match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 0,
    };
    let last = bytes.iter().rev().take(3).position(|byte| byte & 0xc0 != 0x80);
    let there = last.map_or(0, |at| at + 1);
    let lead = bytes.len().checked_sub(there).and_then(|at| bytes.get(at)).copied().unwrap_or_default();
    if needs(lead) > there { there } else { 0 }
}

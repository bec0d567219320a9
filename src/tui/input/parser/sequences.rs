//! Parses the sequences that begin with Esc.

use super::{InputParser, MAX_SEQUENCE_BYTES, ParserState};
use crate::tui::graphics;
use crate::tui::input::InputEvent;
use crate::tui::input::csi::{self, Meaning};
use crossterm::event::{KeyCode, KeyModifiers};

impl InputParser {
    pub(super) fn esc(&mut self, byte: u8) {
        match byte {
            b'[' => self.enter(ParserState::Csi),
            b'O' => self.enter(ParserState::Ss3),
            b']' | b'P' | b'_' | b'^' | b'X' => self.enter(ParserState::Text { opened: byte }),
            0x1b => {
                self.key(KeyCode::Esc, KeyModifiers::NONE);
                self.enter(ParserState::Esc);
            }
            _ => {
                self.reset();
                self.ground(byte, true);
            }
        }
    }

    pub(super) fn csi(&mut self, byte: u8) {
        match byte {
            b'[' if self.buffer.is_empty() => self.state = ParserState::CsiLinux,
            b' '..=b'?' => self.keep(byte, MAX_SEQUENCE_BYTES),
            0x40..=0x7e => {
                let params = std::mem::take(&mut self.buffer);
                let overflow = self.overflow;
                self.reset();
                if overflow {
                    self.noise();
                } else {
                    self.meaning(csi::read(&params, byte));
                }
            }
            0x1b => {
                self.noise();
                self.enter(ParserState::Esc);
            }
            // Cancelled, or no valid sequence.
            _ => {
                self.noise();
                self.reset();
            }
        }
    }

    fn meaning(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::Event(event) => self.events.push(event),
            Meaning::PasteStart => self.enter(ParserState::Paste),
            Meaning::OldMouse => self.enter(ParserState::OldMouse(3)),
            Meaning::Unknown => self.noise(),
            Meaning::Answer => {}
        }
    }

    pub(super) fn ss3(&mut self, byte: u8) {
        self.reset();
        match byte {
            0x1b => self.enter(ParserState::Esc),
            b'M' => self.key(KeyCode::Enter, KeyModifiers::NONE),
            // The numeric keypad in application mode.
            b'j'..=b'y' => self.character(char::from(byte - b'j' + b'*'), false),
            _ => match csi::lettered_key(byte) {
                Some(code) => self.key(code, KeyModifiers::NONE),
                None => self.noise(),
            },
        }
    }

    pub(super) fn end_text(&mut self, opened: u8) {
        let text = std::mem::take(&mut self.buffer);
        let overflow = self.overflow;
        self.reset();
        let answer = match opened {
            b']' => csi::background(&text).map(InputEvent::Background),
            b'_' => graphics::parse_answer(&text).map(InputEvent::KittyGraphics),
            _ => None,
        };
        self.events.extend(answer.filter(|_| !overflow));
    }
}

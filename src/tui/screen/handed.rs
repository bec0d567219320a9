//! Keys that are handed over: what is typed goes into the terminal of the run that goes on, and nowhere else.
//!
//! One key hands them over and takes them back. Nobody else takes them back: when the program has ended, what is typed
//! on goes nowhere until that key comes, so that the rest of an answer decides and sends nothing.

use super::{Ctx, Note, Screen, UiCommand};
use crate::domain::{BlockId, RunId};
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::guard::Class;
use crate::tui::keymap::{Context, Key};
use crate::tui::panes::Lower;
use crate::tui::widgets::layout::{self, Pane};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The largest paste that is typed: more does not wait for a program that is slow to read.
const MOST_PASTED: usize = 64 << 10;

/// Who gets the keys.
#[derive(Debug, Default)]
pub(super) struct HandedKeys {
    /// The run that they were handed to.
    to: Option<(RunId, BlockId)>,
    /// The size that the terminal of a run was given: rows and columns.
    size: Option<(RunId, u16, u16)>,
}

impl Screen {
    /// Whether the keys are handed over.
    pub fn hands_over(&self) -> bool {
        self.handed.to.is_some()
    }

    /// What the status line says of the keys: where they go, and which key takes them back. `None`: nothing is to be said.
    pub(in crate::tui) fn handed_words(&self, state: &State) -> Option<String> {
        let key = self.keymap.hint(Context::Everywhere, Action::HandOver);
        match (self.handed.to, state.terminal()) {
            (Some(to), Some(run)) if to == run => Some(format!(
                "{key} takes the keys back. They all go to block {}'s program, Ctrl-C too.",
                to.1
            )),
            (Some((_, block)), _) => {
                let waits = state.waiting().map(|item| format!(" Block {} waits.", item.block.id));
                let waits = waits.unwrap_or_default();
                Some(format!("{key} takes the keys back. Block {block} has ended: they go nowhere.{waits}"))
            }
            (None, Some((_, block))) => {
                Some(format!("{key} types into block {block}'s own terminal.   Ctrl-C stops it."))
            }
            (None, None) => None,
        }
    }

    /// Hands the keys to the program that has a terminal of its own, or takes them back.
    pub(super) fn hand_over(&mut self, state: &State) {
        if self.hands_over() {
            return self.take_back_keys();
        }
        let Some(run) = state.terminal() else {
            return self
                .say(Note::info("Nothing that runs now has a terminal of its own (T in the review)."));
        };
        if !self.overlays.is_empty() {
            return self.say(Note::info("What is open here comes first: Esc closes it."));
        }
        self.handed.to = Some(run);
        // What it asks is in sight; keys act nowhere now.
        self.panes.focus = Pane::Output;
        self.panes.lower = Lower::Output;
        self.panes.output.follow();
    }

    /// Takes a key that is not for this screen.
    pub(super) fn handed_key(&mut self, event: &KeyEvent, ctx: Ctx<'_>) -> Option<Vec<UiCommand>> {
        let (run, _) = self.handed.to?;
        // Whatever is typed here is text: no decision counts right behind it.
        self.guard.key(event, Class::Text, ctx.at);
        (self.last_step, self.note) = (ctx.at, None);
        self.follow.key(ctx.at);
        let key = Key::new(event.code, event.modifiers);
        // Whatever a keymap says, the key that was shipped takes them back.
        let shipped = Key::new(KeyCode::Char(']'), KeyModifiers::CONTROL);
        if key == shipped || self.keymap.action(Context::Everywhere, key) == Some(Action::HandOver) {
            self.take_back_keys();
            return Some(Vec::new());
        }
        // Nobody sees what is typed there.
        if self.arrangement.class == layout::Class::TooSmall {
            return Some(Vec::new());
        }
        Some(Self::into_terminal(run, bytes(event), ctx.state))
    }

    fn take_back_keys(&mut self) {
        self.handed.to = None;
        if self.overlays.is_empty() {
            // Letters are text there.
            self.panes.focus = Pane::Message;
        }
    }

    /// Takes a paste that is not for this screen. Of it only text is typed, no keys.
    pub(super) fn handed_paste(&mut self, text: &str, ctx: Ctx<'_>) -> Option<Vec<UiCommand>> {
        let (run, _) = self.handed.to?;
        self.guard.pasted(false, ctx.at);
        let text: String = text
            .chars()
            .filter_map(|c| match c {
                '\n' => Some('\r'),
                '\t' => Some('\t'),
                c => (!c.is_control()).then_some(c),
            })
            .collect();
        if text.len() > MOST_PASTED {
            self.say(Note::warn("That is more than a terminal takes at once: nothing of it was typed."));
            return Some(Vec::new());
        }
        Some(Self::into_terminal(run, text.into_bytes(), ctx.state))
    }

    fn into_terminal(run: RunId, bytes: Vec<u8>, state: &State) -> Vec<UiCommand> {
        let goes_on = state.terminal().is_some_and(|(there, _)| there == run);
        if goes_on && !bytes.is_empty() { vec![UiCommand::Type(run, bytes)] } else { Vec::new() }
    }

    /// The terminal of the run is as large as the pane that shows it.
    pub(super) fn fit_terminal(&mut self, state: &State) -> Option<UiCommand> {
        let (run, _) = state.terminal()?;
        let area = self.arrangement.output?.inner;
        let size = (run, area.height, area.width);
        if area.is_empty() || self.handed.size.replace(size) == Some(size) {
            return None;
        }
        Some(UiCommand::ResizeTerminal(run, area.height, area.width))
    }
}

/// What a terminal sends for a key; nothing for those that have no bytes.
fn bytes(event: &KeyEvent) -> Vec<u8> {
    let held = |modifier| event.modifiers.contains(modifier);
    let mut bytes = if held(KeyModifiers::ALT) { vec![0x1b] } else { Vec::new() };
    let named: &[u8] = match event.code {
        KeyCode::Char(c) if held(KeyModifiers::CONTROL) => match control(c) {
            Some(byte) => return [bytes, vec![byte]].concat(),
            None => return Vec::new(),
        },
        KeyCode::Char(c) => {
            let c = if held(KeyModifiers::SHIFT) { super::keys::upper(c) } else { c };
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            return bytes;
        }
        KeyCode::Enter => b"\r",
        KeyCode::Tab => b"\t",
        KeyCode::BackTab => b"\x1b[Z",
        KeyCode::Backspace => b"\x7f",
        KeyCode::Esc => b"\x1b",
        KeyCode::Up => b"\x1b[A",
        KeyCode::Down => b"\x1b[B",
        KeyCode::Right => b"\x1b[C",
        KeyCode::Left => b"\x1b[D",
        KeyCode::Home => b"\x1b[H",
        KeyCode::End => b"\x1b[F",
        KeyCode::Delete => b"\x1b[3~",
        KeyCode::PageUp => b"\x1b[5~",
        KeyCode::PageDown => b"\x1b[6~",
        _ => return Vec::new(),
    };
    bytes.extend_from_slice(named);
    bytes
}

/// The control character that Ctrl makes of a key.
fn control(c: char) -> Option<u8> {
    Some(match c {
        'a'..='z' | 'A'..='Z' | '[' | '\\' | ']' | '^' | '_' | '@' => {
            u8::try_from(c.to_ascii_uppercase()).ok()? & 0x1f
        }
        ' ' | '2' => 0,
        '3'..='7' => u8::try_from(c).ok()? - b'3' + 0x1b,
        '/' => 0x1f,
        '8' | '?' => 0x7f,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_terminals_send() {
        let key = |code, modifiers| bytes(&KeyEvent::new(code, modifiers));
        let (none, ctrl) = (KeyModifiers::NONE, KeyModifiers::CONTROL);
        assert_eq!(key(KeyCode::Char('é'), none), "é".as_bytes());
        assert_eq!(key(KeyCode::Char('a'), KeyModifiers::SHIFT), b"A");
        assert_eq!(key(KeyCode::Char('c'), ctrl), [3]);
        assert_eq!(key(KeyCode::Char('d'), ctrl), [4]);
        assert_eq!(key(KeyCode::Char('4'), ctrl), [0x1c]);
        assert_eq!(key(KeyCode::Char('_'), ctrl), [0x1f]);
        assert_eq!(key(KeyCode::Char(' '), ctrl), [0]);
        assert_eq!(key(KeyCode::Char('é'), ctrl), b"");
        assert_eq!(key(KeyCode::Char('b'), KeyModifiers::ALT), b"\x1bb");
        assert_eq!(key(KeyCode::Enter, none), b"\r");
        assert_eq!(key(KeyCode::Up, none), b"\x1b[A");
        assert_eq!(key(KeyCode::F(3), none), b"");
    }
}

//! Keys that are handed over: what is typed goes into the terminal of the run that goes on, and nowhere else.
//!
//! One key hands them over and takes them back. Nobody else takes them back: when the program has ended, what is typed
//! on goes nowhere until that key comes, so that the rest of an answer decides and sends nothing.

use super::handed_bytes::{bytes, pasted};
use super::{Ctx, Note, Screen, UiCommand};
use crate::domain::{BlockId, CountedTime, RunId, TerminalScreen};
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::guard::KeyClass;
use crate::tui::keymap::{Context, Key};
use crate::tui::panes::LowerPane;
use crate::tui::widgets::layout::{self, Pane};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton};

/// The largest paste that is typed: more does not wait for a program that is slow to read.
const MAX_PASTED_BYTES: usize = 64 << 10;

/// Who gets the keys.
#[derive(Debug, Default)]
pub(super) struct HandedKeys {
    /// The run that they were handed to.
    pub(super) to: Option<(RunId, BlockId)>,
    /// Whether a button of the mouse went down in the program: until it goes up, the mouse is the program's.
    pub(super) held_button: Option<MouseButton>,
    /// The run of which the time limit was to count what is computed alone.
    computes: Option<RunId>,
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
                let asks = state.live.run.as_ref().is_some_and(|run| run.asks);
                Some(if asks {
                    format!("It waits for input: {key} types.   Ctrl-C stops it.")
                } else {
                    format!("{key} types into block {block}'s own terminal.   Ctrl-C stops it.")
                })
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
                .show_note(Note::info("Nothing that runs now has a terminal of its own (T in the review)."));
        };
        if !self.overlays.is_empty() {
            return self.show_note(Note::info("What is open here comes first: Esc closes it."));
        }
        self.handed.to = Some(run);
        // What it asks is in sight; keys act nowhere now.
        self.panes.focus = Pane::Output;
        self.panes.lower = LowerPane::Output;
        self.panes.output.follow();
    }

    /// Takes a key that is not for this screen.
    pub(super) fn handed_key(&mut self, event: &KeyEvent, ctx: Ctx<'_>) -> Option<Vec<UiCommand>> {
        let (run, _) = self.handed.to?;
        // Whatever is typed here is text: no decision counts right behind it.
        self.guard.key(event, KeyClass::Text, ctx.at);
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
        if self.arrangement.class == layout::SizeClass::TooSmall {
            return Some(Vec::new());
        }
        let application = ctx.state.terminal_screen().is_some_and(|screen| screen.application_cursor);
        Some(Self::into_terminal(run, bytes(event, application), ctx.state))
    }

    fn take_back_keys(&mut self) {
        (self.handed.to, self.handed.held_button) = (None, None);
        if self.overlays.is_empty() {
            // Letters are text there.
            self.panes.focus = Pane::Message;
        }
    }

    /// Takes a paste that is not for this screen. Of it only text is typed, no keys.
    pub(super) fn handed_paste(&mut self, text: &str, ctx: Ctx<'_>) -> Option<Vec<UiCommand>> {
        let (run, _) = self.handed.to?;
        self.guard.pasted(false, ctx.at);
        let bracketed = ctx.state.terminal_screen().is_some_and(|screen| screen.bracketed_paste);
        let bytes = pasted(text, bracketed);
        if bytes.len() > MAX_PASTED_BYTES {
            self.show_note(Note::warn(
                "That is more than a terminal takes at once: nothing of it was typed.",
            ));
            return Some(Vec::new());
        }
        Some(Self::into_terminal(run, bytes, ctx.state))
    }

    pub(super) fn into_terminal(run: RunId, bytes: Vec<u8>, state: &State) -> Vec<UiCommand> {
        let goes_on = state.terminal().is_some_and(|(there, _)| there == run);
        if goes_on && !bytes.is_empty() { vec![UiCommand::Type(run, bytes)] } else { Vec::new() }
    }

    /// The screen that stands where the output does: while the keys are with the program, and of one that paints all of its
    /// screen. Else its lines stand there, which can be scrolled.
    pub(super) fn program_screen<'a>(&self, state: &'a State) -> Option<&'a TerminalScreen> {
        let (run, _) = state.terminal()?;
        let is_handed = self.handed.to.is_some_and(|(to, _)| to == run);
        state.terminal_screen().filter(|screen| is_handed || screen.is_alternate)
    }

    /// While the keys are with a program, its time limit counts what it computes: the person may think before they type.
    pub(super) fn count_time(&mut self, state: &State) -> Option<UiCommand> {
        let (run, _) = state.terminal()?;
        // Before that nobody counts.
        state.live.run.as_ref().filter(|run| run.started)?;
        let before = self.handed.computes.filter(|of| *of == run);
        let now = self.handed.to.filter(|(to, _)| *to == run).map(|(to, _)| to);
        self.handed.computes = now;
        let what = if now.is_some() { CountedTime::Computing } else { CountedTime::Passing };
        (before != now).then_some(UiCommand::Count(run, what))
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

//! Forwards keys: they go to the terminal of the running program, and nowhere else.
//!
//! One key begins that and takes them back; nothing else takes them back. When the program has ended, keys
//! go nowhere until that key comes, so that the rest of an answer can't decide or send anything.

mod bytes;
mod mouse;

use super::{Ctx, Screen, UiCommand};
use crate::domain::{BlockId, CountedTime, RunControl, RunId, TerminalScreen};
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::guard::KeyClass;
use crate::tui::keymap::{Context, Key};
use crate::tui::panes::LowerPane;
use crate::tui::widgets::layout::{self, Pane};
use bytes::{bytes, pasted};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton};

/// The largest paste that is passed on; a program that reads slowly must not make sayso wait for more.
const MAX_PASTED_BYTES: usize = 64 << 10;

/// Where the keys go.
#[derive(Debug, Default)]
pub(super) struct KeyForwarding {
    /// The run that gets them.
    pub(super) to: Option<(RunId, BlockId)>,
    /// A mouse button that was pressed in the program: until it is released, the mouse belongs to the program.
    pub(super) held_button: Option<MouseButton>,
    /// The run whose time limit was last set to count computing time only.
    counting_computing_time: Option<RunId>,
    /// The size that was last given to the terminal of a run: rows and columns.
    size: Option<(RunId, u16, u16)>,
}

impl Screen {
    /// Whether keys are forwarded.
    pub fn forwards_keys(&self) -> bool {
        self.forwarding.to.is_some()
    }

    /// The text of the status line about forwarded keys: where they go, and which key takes them back.
    /// `None`: no run has a terminal, and keys are not forwarded.
    pub(in crate::tui) fn forwarding_words(&self, state: &State) -> Option<String> {
        let key = self.keymap.hint(Context::Everywhere, Action::ForwardKeys);
        match (self.forwarding.to, state.terminal()) {
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

    /// Forwards the keys to the program in the run's own terminal, or takes them back.
    pub(super) fn forward_keys(&mut self, state: &State) {
        if self.forwards_keys() {
            return self.take_back_keys();
        }
        let Some(run) = state.terminal() else {
            return self.inform("Nothing that runs now has a terminal of its own (T in the review).");
        };
        if !self.overlays.is_empty() {
            return self.inform("What is open here comes first: Esc closes it.");
        }
        self.forwarding.to = Some(run);
        // Show what the program asks; keys do nothing in this pane.
        self.panes.focus = Pane::Output;
        self.panes.lower = LowerPane::Output;
        self.panes.output.follow();
    }

    /// Handles a key while keys are forwarded; returns whether they are, else the key is for the screen.
    pub(super) fn forwarded_key(&mut self, event: &KeyEvent, ctx: Ctx<'_>) -> bool {
        let Some((run, _)) = self.forwarding.to else { return false };
        // Whatever is typed here is text: no decision may count right after it.
        self.guard.key(event, KeyClass::Text, ctx.at);
        (self.last_step, self.note) = (ctx.at, None);
        self.follow.key(ctx.at);
        let key = Key::new(event.code, event.modifiers);
        // The default key takes them back even if the keymap binds another one.
        let shipped = Key::new(KeyCode::Char(']'), KeyModifiers::CONTROL);
        if key == shipped || self.keymap.action(Context::Everywhere, key) == Some(Action::ForwardKeys) {
            self.take_back_keys();
            return true;
        }
        // In a window this small nobody sees what is typed.
        if self.arrangement.class == layout::SizeClass::TooSmall {
            return true;
        }
        let application = ctx.state.terminal_screen().is_some_and(|screen| screen.application_cursor);
        self.into_terminal(run, bytes(event, application), ctx.state);
        true
    }

    fn take_back_keys(&mut self) {
        (self.forwarding.to, self.forwarding.held_button) = (None, None);
        if self.overlays.is_empty() {
            // In Message, letters are text.
            self.panes.focus = Pane::Message;
        }
    }

    /// Handles a paste while keys are forwarded: only its text is typed, no control keys. Returns whether they are.
    pub(super) fn forwarded_paste(&mut self, text: &str, ctx: Ctx<'_>) -> bool {
        let Some((run, _)) = self.forwarding.to else { return false };
        self.guard.pasted(false, ctx.at);
        let bracketed = ctx.state.terminal_screen().is_some_and(|screen| screen.bracketed_paste);
        let bytes = pasted(text, bracketed);
        if bytes.len() > MAX_PASTED_BYTES {
            self.warn("That is more than a terminal takes at once: nothing of it was typed.");
            return true;
        }
        self.into_terminal(run, bytes, ctx.state);
        true
    }

    pub(super) fn into_terminal(&mut self, run: RunId, bytes: Vec<u8>, state: &State) {
        let goes_on = state.terminal().is_some_and(|(there, _)| there == run);
        if goes_on && !bytes.is_empty() {
            self.commands.push(UiCommand::Control(run, RunControl::Type(bytes)));
        }
    }

    /// The program's screen, if it is shown in place of the output's lines: while keys are forwarded, and for
    /// a full-screen program. Otherwise the lines are shown, which can be scrolled.
    pub(super) fn program_screen<'a>(&self, state: &'a State) -> Option<&'a TerminalScreen> {
        let (run, _) = state.terminal()?;
        let is_forwarded = self.forwarding.to.is_some_and(|(to, _)| to == run);
        state.terminal_screen().filter(|screen| is_forwarded || screen.is_alternate)
    }

    /// While a program has the keys, its time limit only counts computing time: the person may think before
    /// typing.
    pub(super) fn count_time(&mut self, state: &State) -> Option<UiCommand> {
        let (run, _) = state.terminal()?;
        // Before the start no time is counted.
        state.live.run.as_ref().filter(|run| run.started)?;
        let before = self.forwarding.counting_computing_time.filter(|of| *of == run);
        let now = self.forwarding.to.filter(|(to, _)| *to == run).map(|(to, _)| to);
        self.forwarding.counting_computing_time = now;
        let what = if now.is_some() { CountedTime::Computing } else { CountedTime::Passing };
        (before != now).then_some(UiCommand::Control(run, RunControl::Count(what)))
    }

    /// Gives the run's terminal the size of the pane that shows it.
    pub(super) fn fit_terminal(&mut self, state: &State) -> Option<UiCommand> {
        let (run, _) = state.terminal()?;
        let area = self.arrangement.output?.inner;
        let size = (run, area.height, area.width);
        if area.is_empty() || self.forwarding.size.replace(size) == Some(size) {
            return None;
        }
        Some(UiCommand::Control(run, RunControl::Resize(area.height, area.width)))
    }
}

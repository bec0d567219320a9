//! The panes: what each of them shows, where the person has scrolled to, and its rows. A pane knows no other pane and
//! nothing of the screen that it stands on.

pub(crate) mod chat;
pub mod code;
pub(crate) mod composer;
pub(crate) mod editor;
mod hunks;
pub(crate) mod output;
pub(crate) mod pictures;
pub(crate) mod recipe;
pub(crate) mod vars;

use crate::engine::State;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::look::Look;
use chat::ChatPane;
use code::CodePane;
use composer::Composer;
use output::OutputPane;
use pictures::Pictures;
use vars::VarsPane;

/// What stands where the output stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Lower {
    /// What a run printed.
    #[default]
    Output,
    /// The kernel's variables.
    Vars,
    /// What went wrong, and what can be done about it.
    Problems,
}

/// All panes, and where the person is among them.
#[derive(Debug, Default)]
pub struct Panes {
    /// The pane with the focus.
    pub focus: Pane,
    /// What stands where the output stands.
    pub lower: Lower,
    /// The message.
    pub composer: Composer,
    /// The conversation.
    pub chat: ChatPane,
    /// The code.
    pub code: CodePane,
    /// The output.
    pub output: OutputPane,
    /// The variables.
    pub vars: VarsPane,
    /// Pictures of the output.
    pub pictures: Pictures,
    /// What was looked for last, and which of its places was shown.
    pub searched: Option<(String, Option<usize>)>,
}

impl Panes {
    /// Scrolls a pane by rows.
    pub fn scroll(&mut self, pane: Pane, rows: isize, state: &State, look: Look<'_>) {
        match (pane, self.lower) {
            (Pane::Chat | Pane::Message, _) => self.chat.scroll(state, rows, look),
            (Pane::Code, _) => self.code.scroll(rows),
            (Pane::Output | Pane::Vars, Lower::Vars) => self.vars.scroll(rows),
            (Pane::Output | Pane::Vars, Lower::Output) => self.output.scroll(rows, look),
            (Pane::Output | Pane::Vars, Lower::Problems) => {}
        }
    }

    /// Takes the pane with the focus to its first row.
    pub fn to_top(&mut self, state: &State, look: Look<'_>) {
        match self.focus {
            Pane::Chat | Pane::Message => self.chat.to_top(state, look),
            Pane::Code => self.code.to_top(),
            Pane::Output | Pane::Vars if self.lower == Lower::Vars => self.vars.to_top(),
            Pane::Output | Pane::Vars => self.output.to_top(look),
        }
    }

    /// Takes the pane with the focus to its end, where it stays.
    pub fn to_end(&mut self) {
        match self.focus {
            Pane::Chat | Pane::Message => self.chat.follow(),
            Pane::Code => self.code.to_end(),
            Pane::Output | Pane::Vars if self.lower == Lower::Vars => self.vars.to_end(),
            Pane::Output | Pane::Vars => self.output.follow(),
        }
    }

    /// What the pane with the focus shows, exactly as it is.
    pub fn text(&self, state: &State) -> Option<String> {
        match self.focus {
            Pane::Chat | Pane::Message => self.chat.text(state),
            Pane::Code => self.code.text(),
            Pane::Output | Pane::Vars if self.lower == Lower::Vars => self.vars.name(state),
            Pane::Output | Pane::Vars => self.output.text(state),
        }
    }
}

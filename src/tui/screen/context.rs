//! Where a key is pressed: the context in which the keymap looks it up, and what the guard has to know of it.

use super::Screen;
use super::focus::Lower;
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::guard::{Class, Verb};
use crate::tui::keymap::Context;
use crate::tui::view::code::Mode;
use crate::tui::view::layout::Pane;

impl Screen {
    /// The context of the next key.
    pub fn context(&self, state: &State) -> Context {
        if let Some(layer) = self.layers.last() {
            return layer.context();
        }
        match self.focus {
            Pane::Message => Context::Message,
            Pane::Chat => Context::Pane,
            Pane::Code => self.code_context(state),
            Pane::Output | Pane::Vars => match self.lower {
                Lower::Problems => Context::Problems,
                Lower::Vars => Context::Vars,
                Lower::Output => Context::Done,
            },
        }
    }

    fn code_context(&self, state: &State) -> Context {
        match self.code.mode {
            Mode::Edit(_) => Context::Edit,
            Mode::Queue(_) => Context::Queue,
            Mode::View | Mode::Diff(_) => match state.waiting() {
                Some(item) if self.code.subject() == Some(item.block.id) => Context::Review,
                _ => Context::Done,
            },
        }
    }

    /// Whether letters are text where the person is.
    pub fn takes_text(&mut self, state: &State) -> bool {
        if let Some(layer) = self.layers.last_mut() {
            return layer.field().is_some();
        }
        matches!(self.context(state), Context::Message | Context::Edit)
    }

    /// What a key would do, as far as the guard cares.
    pub(super) fn class(&self, state: &State, action: Option<Action>) -> Class {
        let Some(action) = action else { return Class::Other };
        // Decisions are made on the block on screen, in review, with nothing over it: nowhere else.
        let in_review = self.layers.is_empty()
            && self.focus == Pane::Code
            && matches!(self.code.mode, Mode::View)
            && self.context(state) == Context::Review;
        // Stopping what would start by itself is never locked.
        if action == Action::Skip && in_review && self.announced(state).is_some() {
            return Class::Other;
        }
        if in_review && let Some(verb) = verb(action) {
            return Class::Decision(verb);
        }
        if action.is_scroll() { Class::Scroll } else { Class::Other }
    }
}

/// The decision that an action asks for.
pub(super) fn verb(action: Action) -> Option<Verb> {
    Some(match action {
        Action::Approve => Verb::Approve,
        Action::Always => Verb::Always,
        Action::Edit => Verb::Edit,
        Action::EditOutside => Verb::EditOutside,
        Action::Reject => Verb::Reject,
        Action::Skip => Verb::Skip,
        Action::Restore => Verb::Change,
        Action::HunkDrop => Verb::Hunk,
        _ => return None,
    })
}

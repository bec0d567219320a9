//! Puts a message that was not sent back into the message box.

use super::{Ctx, Screen};
use crate::domain::Departure;
use crate::domain::sentences::sending;
use crate::engine::transcript::Item;
use crate::engine::{Phase, State};

impl Screen {
    /// Puts a message of which nothing was sent back into the message box, if that is empty.
    pub(super) fn take_back_unsent(&mut self, ctx: Ctx<'_>) {
        let Phase::Stuck(failure) = &ctx.state.phase else { return };
        let Some(message) = unanswered(ctx.state) else { return };
        if failure.departure == Departure::Never && self.panes.composer.is_empty() {
            self.panes.composer.set(message);
            self.unsent = Some(message.to_owned());
        }
    }

    /// The message is sent after all: removes its copy from the message box.
    pub(super) fn unsent_goes_out(&mut self) {
        if let Some(message) = self.unsent.take()
            && self.panes.composer.full_text() == message
        {
            self.panes.composer.clear();
        }
    }

    /// Whether the message box contains exactly the message that got stuck.
    pub(crate) fn is_unsent(&self, ctx: Ctx<'_>) -> bool {
        let stuck = matches!(ctx.state.phase, Phase::Stuck(_));
        stuck && unanswered(ctx.state).is_some_and(|message| message == self.panes.composer.full_text())
    }

    /// Says in a sentence where the unanswered message is; `None` if there is none.
    pub(crate) fn place_of_message(&self, state: &State) -> Option<&'static str> {
        let message = unanswered(state)?;
        Some(sending::place_of_message(self.panes.composer.full_text().trim() == message.trim()))
    }
}

/// The message that nothing has answered yet.
fn unanswered(state: &State) -> Option<&str> {
    state.transcript.items.iter().rev().find_map(|item| match item {
        Item::Prompt { text, .. } => Some(Some(&**text)),
        Item::Reply(_) | Item::TurnEnd { .. } | Item::Recipe { .. } => Some(None),
        _ => None,
    })?
}

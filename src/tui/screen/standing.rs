//! What the person is told of this session as a whole when they ask: what confines runs, what left this computer; and
//! the message that was not sent, which stays theirs.

use super::{Ctx, Note, Screen, UiCommand};
use crate::domain::sentences::sandbox::SandboxStanding;
use crate::domain::sentences::sending;
use crate::domain::{Departure, SandboxReport};
use crate::driver::Job;
use crate::engine::transcript::Item;
use crate::engine::{Phase, State};

impl Screen {
    /// `/sandbox`: what its tests found; they are asked for where that is not known.
    pub(super) fn tell_sandbox(&mut self) -> Vec<UiCommand> {
        self.sandbox_asked = self.sandbox.is_none();
        self.say_sandbox();
        if self.sandbox_asked { vec![UiCommand::Job(Job::Sandbox)] } else { Vec::new() }
    }

    pub(super) fn sandbox_found(&mut self, found: Result<SandboxReport, String>) {
        self.sandbox = Some(found);
        if std::mem::take(&mut self.sandbox_asked) {
            self.say_sandbox();
        }
    }

    fn say_sandbox(&mut self) {
        let standing = SandboxStanding::of(self.sandbox.as_ref());
        let (text, bad) = (standing.sentence(), standing.is_bad());
        self.show_note(if bad { Note::warn(text) } else { Note::info(text) });
    }

    /// A message of which nothing went out belongs into the composer again, unless something else is written there.
    pub(super) fn take_back_unsent(&mut self, ctx: Ctx<'_>) {
        let Phase::Stuck(failure) = &ctx.state.phase else { return };
        let Some(message) = unanswered(ctx.state) else { return };
        if failure.departure == Departure::Never && self.panes.composer.is_empty() {
            self.panes.composer.set(message);
            self.unsent = Some(message.to_owned());
        }
    }

    /// The message goes out after all: it does not stand in two places.
    pub(super) fn unsent_goes_out(&mut self) {
        if let Some(message) = self.unsent.take()
            && self.panes.composer.full_text() == message
        {
            self.panes.composer.clear();
        }
    }

    /// Whether what is written is the message that got stuck, word for word.
    pub(super) fn is_unsent(&self, ctx: Ctx<'_>) -> bool {
        let stuck = matches!(ctx.state.phase, Phase::Stuck(_));
        stuck && unanswered(ctx.state).is_some_and(|message| message == self.panes.composer.full_text())
    }

    /// Where the message is that got no answer, in a sentence; `None` where none waits for one.
    pub(crate) fn place_of_message(&self, state: &State) -> Option<&'static str> {
        let message = unanswered(state)?;
        Some(sending::place_of_message(self.panes.composer.full_text().trim() == message.trim()))
    }
}

/// The message that nothing has come for yet.
fn unanswered(state: &State) -> Option<&str> {
    state.transcript.items.iter().rev().find_map(|item| match item {
        Item::Prompt { text, .. } => Some(Some(&**text)),
        Item::Reply(_) | Item::TurnEnd { .. } | Item::Recipe { .. } => Some(None),
        _ => None,
    })?
}

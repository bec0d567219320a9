//! What the person asks about the session as a whole: what confines runs, and what left this computer. Also
//! puts a message that was not sent back into the message box.

use super::{Ctx, Note, Screen, UiCommand};
use crate::domain::sentences::sandbox::SandboxStanding;
use crate::domain::sentences::sending;
use crate::domain::{Departure, SandboxReport};
use crate::driver::Job;
use crate::engine::transcript::Item;
use crate::engine::{Phase, State};

impl Screen {
    /// `/sandbox`: shows what the sandbox tests found; starts them if that is not known.
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
    pub(super) fn is_unsent(&self, ctx: Ctx<'_>) -> bool {
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

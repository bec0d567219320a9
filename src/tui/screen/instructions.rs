//! Handles instruction files that changed since the run began: shows the whole difference, then asks the
//! person.

use super::{Ctx, Note, Screen};
use crate::driver::HeldFile;
use crate::driver::Job;
use crate::tui::instruction_changes::{NONE, difference, summary};
use crate::tui::overlays::ask::Ask;
use crate::tui::ui_command::{PagerText, UiCommand};

impl Screen {
    /// Shows what changed, and asks whether to send it to the model.
    pub(super) fn ask_instructions(&mut self, held: Vec<HeldFile>, ctx: Ctx<'_>) {
        if held.is_empty() {
            return self.show_note(Note::info(NONE));
        }
        let lines = held.iter().map(|held| summary(held, &ctx.draw.place.path(&held.path)));
        let text: String = held.iter().map(difference).collect();
        let ask = Ask::new("Tell the model?", lines.collect(), 'w', "leave it as it was told");
        let take = UiCommand::Job(Job::TakeInstructions(held));
        self.open(ask.or_command('t', "tell the model the new text", take));
        self.open_pager("What changed".into(), PagerText::Text(text));
    }
}

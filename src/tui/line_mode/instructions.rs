//! Shows what a run changed in instruction files, and asks whether the model is told it. Only a whole word decides.

use super::ask::Ask;
use super::page::{LinePage, TEXT_LEAD};
use super::session::{NOTHING_DECIDED, Session};
use crate::domain::sentences::sending;
use crate::driver::{HeldFile, Job};
use crate::tui::instruction_changes::{NONE, difference, summary};
use std::io;

impl Session<'_> {
    /// Handles the files that were looked up: shows them and asks.
    pub(super) fn changed_instructions(&mut self, held: &[HeldFile]) -> io::Result<()> {
        if held.is_empty() {
            self.mode.page.line(NONE)?;
            return self.put_again();
        }
        let Some(why_not) = self.is_busy() else { return self.put(Ask::Instructions(held.to_vec())) };
        show(held, &mut self.mode.page)?;
        self.mode.page.line(&why_not)?;
        self.put_again()
    }

    /// Handles the answer about them.
    pub(super) fn about_instructions(&mut self, held: Vec<HeldFile>, text: &str) -> io::Result<()> {
        if text != "tell" {
            self.keep_sentence(text);
            return self.mode.page.line(NOTHING_DECIDED);
        }
        self.driver.start_job(Job::TakeInstructions(held));
        let are_used = self.driver.state().live.use_instructions;
        self.mode.page.line(sending::instructions_accepted(are_used))
    }
}

/// Prints every line of the files, with a sign before those that were added or removed.
fn show(held: &[HeldFile], page: &mut LinePage) -> io::Result<()> {
    for file in held {
        page.line(&summary(file, &file.path.display().to_string()))?;
        page.lines_behind(TEXT_LEAD, &difference(file))?;
    }
    Ok(())
}

/// Shows them, and explains the word.
pub(super) fn ask(held: &[HeldFile], page: &mut LinePage) -> io::Result<()> {
    show(held, page)?;
    page.ask("Type tell to tell the model the new text. Anything else leaves it as it was told:")
}

//! Handles what the driver reports: notices, pieces of output, results of jobs.

use super::{Ctx, Screen};
use crate::domain::Entry;
use crate::domain::sentences::saving;
use crate::driver::{JobResult, Notification};
use crate::tui::overlays::{OverlayResponse, not_shown};

impl Screen {
    /// Handles one notification.
    pub fn notified(&mut self, notification: Notification, ctx: Ctx<'_>) {
        self.last_step = ctx.at;
        match notification {
            Notification::Output(run, chunk) => {
                if chunk.skipped > 0 {
                    self.panes.output.note_gap(run, chunk.stream, chunk.skipped);
                }
                self.panes.output.push(run, chunk.stream, &chunk.bytes);
            }
            Notification::Notice(notice) => {
                // A form that waits for its result can be sent again.
                self.forms().for_each(|form| form.sent = false);
                self.show_notice(notice);
            }
            Notification::Job(found) => self.job_done(found, ctx),
            Notification::Recorded(entry) => match *entry {
                Entry::Prompt(prompt) => self.panes.composer.remember(prompt.text),
                Entry::Approved { .. } => self.forget_interrupt(),
                other => self.recipe_recorded(&other),
            },
            // These are already in the engine's state.
            Notification::Delta(..) | Notification::Reasoning(..) | Notification::Retrying { .. } => {}
        }
    }

    /// Handles the result of a job: the overlay that asked for it gets it, else the screen.
    fn job_done(&mut self, result: JobResult, ctx: Ctx<'_>) {
        if let JobResult::Recipes(recipes, notices) = &result {
            self.recipes_read(recipes, notices);
        }
        let mut overlays = self.overlays.iter_mut().rev().enumerate();
        let taken = overlays.find_map(|(above, overlay)| Some((above > 0, overlay.job_done(&result)?)));
        if let Some((is_covered, mut responses)) = taken {
            if is_covered {
                // A newly opened overlay would take the keys from the question that is open above.
                responses
                    .iter_mut()
                    .filter(|response| matches!(response, OverlayResponse::Open(_)))
                    .for_each(|response| *response = not_shown());
            }
            return self.carry_out(responses, ctx);
        }
        match result {
            JobResult::RecipeRefused { name, misfits } => self.recipe_refused(&name, misfits),
            JobResult::Sandbox(found) => self.sandbox_found(found),
            JobResult::AttachedFiles(text, files) => self.files_read(&text, files),
            JobResult::NewRecipe(path) => self.inform(format!(
                "Written: {}. /recipe {} opens it as it stands then: change it first.",
                ctx.draw.locale.path(&path),
                path.file_stem().unwrap_or_default().to_string_lossy(),
            )),
            JobResult::ChangedInstructions(held) => self.ask_instructions(held, ctx),
            JobResult::Opened(path) => {
                self.inform(format!("Opened {}.", ctx.draw.locale.path(&path)));
            }
            JobResult::KeyStored(provider, file) => {
                let file = ctx.draw.locale.path(&file);
                self.inform(saving::key_stored(&provider, &file));
            }
            JobResult::Saved(path) => self.inform(saving::file(&ctx.draw.locale.path(&path))),
            JobResult::Failed(why) | JobResult::Compared(_, Err(why)) => self.warn(why),
            // The overlay that asked is closed; pictures are painted by the run loop.
            JobResult::Recipes(..)
            | JobResult::Sessions(_)
            | JobResult::SessionHits(..)
            | JobResult::Preview(..)
            | JobResult::Compared(..)
            | JobResult::SessionsChanged
            | JobResult::Changes(..)
            | JobResult::ChangeTexts(..)
            | JobResult::Interpreters(_)
            | JobResult::Servers(_)
            | JobResult::Offers(_)
            | JobResult::Offer(_)
            | JobResult::Tested(..)
            | JobResult::FolderFiles(_)
            | JobResult::Picture(..) => {}
        }
    }
}

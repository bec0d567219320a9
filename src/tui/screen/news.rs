//! What the driver tells: notices, pieces of output, results of small jobs.

use super::{Ctx, Note, Screen, Wish};
use crate::domain::Entry;
use crate::domain::sentences::saving;
use crate::driver::{Found, Told};

impl Screen {
    /// Takes in one thing that was told.
    pub fn told(&mut self, told: Told, ctx: Ctx<'_>) -> Vec<Wish> {
        self.last_step = ctx.at;
        match told {
            Told::Output(run, chunk) => self.panes.output.push(run, chunk.stream, &chunk.bytes),
            Told::Notice(notice) => {
                self.form_answered();
                self.say(notice.into());
            }
            Told::Found(found) => return self.found(found, ctx),
            Told::Recorded(entry) => match *entry {
                Entry::Prompt(text) => self.panes.composer.remember(text),
                Entry::Approved { .. } => self.forget_interrupt(),
                other => self.recipe_recorded(&other),
            },
            // The state has all of these.
            Told::Delta(..) | Told::Reasoning(..) | Told::Retrying { .. } => {}
        }
        Vec::new()
    }

    /// What a job found: for the overlay that asked for it, else for the screen.
    fn found(&mut self, found: Found, ctx: Ctx<'_>) -> Vec<Wish> {
        if let Some(then) = self.overlays.iter_mut().rev().find_map(|overlay| overlay.found(&found)) {
            return self.carry_out(then, ctx);
        }
        match found {
            Found::RecipeRefused { name, misfits } => self.recipe_refused(&name, misfits),
            Found::Sandbox(found) => self.sandbox_found(found),
            Found::NewRecipe(path) => self.say(Note::info(format!(
                "Written: {}. Change it, then start {} again.",
                ctx.look.place.path(&path),
                self.setup.app
            ))),
            Found::ChangedInstructions(held) => return self.ask_instructions(held, ctx),
            Found::Opened(path) => self.say(Note::info(format!("Opened {}.", ctx.look.place.path(&path)))),
            Found::Saved(path) => self.say(Note::info(saving::file(&ctx.look.place.path(&path)))),
            Found::Failed(why) => self.say(Note::warn(why)),
            // The overlay that asked is closed; pictures are painted by the run loop.
            Found::Sessions(_)
            | Found::Preview(..)
            | Found::SessionsChanged
            | Found::Interpreters(_)
            | Found::Servers(_)
            | Found::Offers(_)
            | Found::Offer(_)
            | Found::Tested(..)
            | Found::Picture(..) => {}
        }
        Vec::new()
    }
}

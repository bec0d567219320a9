//! What the driver tells: notices, pieces of output, results of small jobs.

use super::layer::Layer;
use super::{Ctx, Note, Screen, Wish};
use crate::domain::Entry;
use crate::domain::sentences::saving;
use crate::driver::{Errand, Found, Told};

impl Screen {
    /// Takes in one thing that was told.
    pub fn told(&mut self, told: Told, ctx: Ctx<'_>) -> Vec<Wish> {
        self.last_step = ctx.at;
        match told {
            Told::Output(run, chunk) => self.output.push(run, chunk.stream, &chunk.bytes),
            Told::Notice(notice) => {
                self.form_answered();
                self.say(notice.into());
            }
            Told::Found(found) => return self.found(found, ctx),
            Told::Recorded(entry) => match *entry {
                Entry::Prompt(text) => self.composer.remember(text),
                Entry::Approved { .. } => self.forget_interrupt(),
                other => self.recipe_recorded(&other),
            },
            // The state has all of these.
            Told::Delta(..) | Told::Reasoning(..) | Told::Retrying { .. } => {}
        }
        Vec::new()
    }

    fn found(&mut self, found: Found, ctx: Ctx<'_>) -> Vec<Wish> {
        match found {
            Found::Sessions(list) => {
                if let Some(sessions) = self.sessions() {
                    sessions.all = Some(list);
                    return self.preview_wish();
                }
            }
            Found::Preview(path, lines) => {
                if let Some(sessions) = self.sessions() {
                    sessions.preview = Some((path, lines));
                }
            }
            Found::RecipeRefused { name, misfits } => self.recipe_refused(&name, misfits),
            Found::SessionsChanged => {
                if self.sessions().is_some() {
                    return vec![Wish::Errand(Errand::Sessions)];
                }
            }
            Found::Interpreters(found) => {
                if let Some(welcome) = self.welcome() {
                    welcome.interpreters = Some(found);
                }
            }
            Found::Sandbox(found) => self.sandbox_found(found),
            Found::Servers(found) => {
                if let Some(welcome) = self.welcome() {
                    welcome.found(found);
                }
            }
            Found::Offers(offers) => {
                if let Some(models) = self.models() {
                    models.offers = Some(offers);
                }
            }
            Found::Offer(offer) => {
                if let Some(models) = self.models() {
                    models.told(offer);
                }
            }
            Found::Tested(model, answer) => {
                if let Some(models) = self.models()
                    && models.tested.as_ref().is_some_and(|(of, _)| *of == model)
                {
                    models.tested = Some((model, Some(answer)));
                }
            }
            Found::NewRecipe(path) => self.say(Note::info(format!(
                "Written: {}. Change it, then start {} again.",
                ctx.look.place.path(&path),
                self.setup.app
            ))),
            Found::ChangedInstructions(held) => return self.ask_instructions(held, ctx),
            Found::Opened(path) => self.say(Note::info(format!("Opened {}.", ctx.look.place.path(&path)))),
            Found::Saved(path) => self.say(Note::info(saving::file(&ctx.look.place.path(&path)))),
            Found::Failed(why) => self.say(Note::warn(why)),
            // Pictures are painted by the run loop.
            Found::Picture(..) => {}
        }
        Vec::new()
    }

    /// The list of sessions, if it is open.
    pub(super) fn sessions(&mut self) -> Option<&mut super::layer::Sessions> {
        self.layers.iter_mut().find_map(|layer| match layer {
            Layer::Sessions(list) => Some(list),
            _ => None,
        })
    }

    fn models(&mut self) -> Option<&mut super::layer::Models> {
        self.layers.iter_mut().find_map(|layer| match layer {
            Layer::Models(list) => Some(list),
            _ => None,
        })
    }

    fn welcome(&mut self) -> Option<&mut super::layer::Welcome> {
        self.layers.iter_mut().find_map(|layer| match layer {
            Layer::Welcome(welcome) => Some(welcome),
            _ => None,
        })
    }

    /// Asks for the preview of the chosen session, where it is not there.
    pub(super) fn preview_wish(&mut self) -> Vec<Wish> {
        let wanted = self.sessions().and_then(|s| s.wants_preview().map(std::path::Path::to_path_buf));
        wanted.map(|path| Wish::Errand(Errand::Preview(path))).into_iter().collect()
    }
}

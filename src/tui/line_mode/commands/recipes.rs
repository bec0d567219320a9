//! The slash command for recipes: it lists them, writes a new one, or starts the named one.

use super::super::awaited_jobs::AwaitedJob;
use super::super::session::Session;
use crate::domain::{Notice, RecipeCard};
use crate::driver::Job;
use std::io;

impl Session<'_> {
    pub(super) fn recipe(&mut self, argument: &str) -> io::Result<()> {
        let (name, words) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
        if name == "new" {
            self.start_job(Job::NewRecipe(words.trim().to_owned()));
            return self.ask_again();
        }
        self.named_recipe = (!name.is_empty()).then(|| (name.to_owned(), words.trim().to_owned()));
        self.start(AwaitedJob::Recipes, Job::Recipes);
        self.ask_again()
    }

    /// Handles the recipes that were read: lists them, or starts the named one.
    pub(in crate::tui::line_mode) fn recipes(
        &mut self,
        recipes: &[RecipeCard],
        told: &[Notice],
    ) -> io::Result<()> {
        for notice in told {
            self.mode.page.line(&format!("Warning: {}", notice.text))?;
        }
        let Some((name, words)) = self.named_recipe.take() else {
            for card in recipes {
                self.mode.page.line(&format!("  {}: {}", card.name, card.title))?;
            }
            return self.put_again();
        };
        let card = recipes.iter().find(|card| card.name == name);
        let first = card.and_then(|card| card.inputs.fields.first()).map(|field| field.name.clone());
        // Without words the form is asked, as in the panes: single fields may stay empty, but not all of them.
        let shown = words.is_empty() && first.is_some();
        let given = first.filter(|_| !words.is_empty()).map(|field| (field, words));
        self.begin_recipe(&name, given.into_iter().collect(), shown)
    }
}

//! Recipes that can be begun: their list, and what has to be found out on the machine before one begins.

use super::sources::Signal;
use super::{Driver, Found};
use crate::domain::{Answers, Misfit, RecipeCard, RecipeStart};
use crate::engine::{Command, Event};
use crate::recipe::{Recipe, Want};
use crate::workspace;
use std::path::Path;

/// Bytes of a file that a recipe is begun with.
const LARGEST: u64 = 256 << 10;

impl Driver {
    /// The recipes that there are, in the order of their list.
    pub fn recipes(&self) -> impl Iterator<Item = &RecipeCard> {
        self.recipes.iter().map(Recipe::card)
    }

    /// Begins a recipe when what it needs was found out; until then, and when something does not fit
    /// ([`Found::RecipeRefused`]), nothing has happened.
    pub(super) fn begin_recipe(&self, name: &str, answers: Answers) {
        let found = self.recipes.iter().find(|recipe| recipe.card().name == name).cloned();
        let (name, inbox, cwd) = (name.to_owned(), self.inbox(), self.scope.cwd.clone());
        tokio::task::spawn_blocking(move || {
            let signal =
                match found.ok_or_else(|| unknown(&name)).and_then(|recipe| begin(&recipe, &answers, &cwd)) {
                    Ok(start) => Signal::Event(Event::User(Command::BeginRecipe(Box::new(start)))),
                    Err(misfits) => Signal::Errand(Found::RecipeRefused { name, misfits }),
                };
            let _ = inbox.blocking_send(signal);
        });
    }
}

fn unknown(name: &str) -> Vec<Misfit> {
    vec![Misfit { field: String::new(), why: format!("there is no recipe {name}") }]
}

fn begin(recipe: &Recipe, answers: &Answers, cwd: &Path) -> Result<RecipeStart, Vec<Misfit>> {
    let inputs = recipe.card().inputs.check(answers)?;
    let (mut facts, mut misfits) = (Vec::new(), Vec::new());
    for want in recipe.wants(&inputs) {
        match look(&want, cwd) {
            Ok(Some(fact)) => facts.push(fact),
            Ok(None) => {}
            Err(misfit) => misfits.push(misfit),
        }
    }
    if misfits.is_empty() { recipe.start(inputs, facts) } else { Err(misfits) }
}

/// Finds one thing out.
fn look(want: &Want, cwd: &Path) -> Result<Option<(String, String)>, Misfit> {
    match want {
        Want::File { input, path } => {
            let misfit = |why: String| Misfit { field: input.clone(), why };
            let bytes =
                workspace::read::bounded(&cwd.join(path), LARGEST).map_err(|e| misfit(e.to_string()))?;
            let text = String::from_utf8(bytes).map_err(|_| misfit("this file is no text".into()))?;
            Ok(Some((format!("file:{input}"), text)))
        }
        Want::Runners | Want::Tests | Want::Functions => Ok(None),
    }
}

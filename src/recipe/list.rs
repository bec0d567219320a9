//! The recipes of a session: those that ship, read when one is first looked for, or all with the person's own.

use super::{Recipe, shipped};
use crate::domain::RecipeCards;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// Recipes, those that ship first. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RecipeList(Arc<OnceLock<Vec<Recipe>>>);

impl RecipeList {
    /// Those that ship with sayso: the first frame does not wait for them to be read.
    pub fn shipped() -> Self {
        Self(Arc::default())
    }

    /// What is told of each, read with them.
    pub fn cards(&self) -> RecipeCards {
        let list = self.clone();
        RecipeCards::later(move || list.iter().map(|recipe| recipe.card().clone()).collect())
    }
}

impl From<Vec<Recipe>> for RecipeList {
    fn from(recipes: Vec<Recipe>) -> Self {
        Self(Arc::new(OnceLock::from(recipes)))
    }
}

impl Deref for RecipeList {
    type Target = [Recipe];

    fn deref(&self) -> &[Recipe] {
        self.0.get_or_init(shipped)
    }
}

//! The recipes of a session: those that ship with sayso, read at the first use, or these together with the person's
//! own.

use super::{Recipe, shipped};
use crate::domain::RecipeCards;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The recipes, the shipped ones first. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RecipeList(Arc<OnceLock<Vec<Recipe>>>);

impl RecipeList {
    /// The recipes that ship with sayso. They are read at the first use, so the first frame need not wait.
    pub fn shipped() -> Self {
        Self(Arc::default())
    }

    /// The cards of all recipes, read at the first use.
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

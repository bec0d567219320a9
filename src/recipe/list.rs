//! The recipes of a session: those that ship with sayso, read at the first use, or these together with the person's
//! own.

use super::Recipe;
use crate::domain::RecipeCards;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The definitions of the recipes that ship with sayso, in the order of the list.
const DEFINITIONS: &[&str] = &[
    include_str!("../../assets/recipes/function.toml"),
    include_str!("../../assets/recipes/tdd.toml"),
    include_str!("../../assets/recipes/debug.toml"),
    include_str!("../../assets/recipes/refactor.toml"),
    include_str!("../../assets/recipes/explain.toml"),
    include_str!("../../assets/recipes/review.toml"),
    include_str!("../../assets/recipes/port.toml"),
    include_str!("../../assets/recipes/plot.toml"),
    include_str!("../../assets/recipes/data.toml"),
];

/// The recipes that ship with sayso, in the order of their list.
pub(crate) fn shipped() -> Vec<Recipe> {
    DEFINITIONS.iter().filter_map(|text| Recipe::read(text, None).ok()).collect()
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_can_be_read() {
        let mut names = BTreeSet::new();
        for text in DEFINITIONS {
            match Recipe::read(text, None) {
                Ok(recipe) => assert!(names.insert(recipe.card().name.clone())),
                Err(faults) => panic!("{faults:#?}\n{text}"),
            }
        }
    }
}

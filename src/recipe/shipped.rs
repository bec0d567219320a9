//! The recipes that ship with sayso, defined like the person's own.

use super::Recipe;

/// Their definitions, in the order of the list.
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

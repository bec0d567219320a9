//! A person's own recipes: `recipes/*.toml` in the folder of the configuration, read when the program starts.
//!
//! One that can't be used is left out with a notice that says why, and where. None takes the name of another: those that
//! ship stay what they are.

use super::own_files;
use crate::config::LoadedConfig;
use crate::domain::Notice;
use crate::recipe::{self, Recipe, RecipeList};
use crate::text::located::LocatedError;
use std::path::Path;

/// Larger files hold no recipe.
const LARGEST: u64 = 64 << 10;

/// The recipes that there are, those that ship first, and what could not be used.
pub(super) fn all(loaded: &LoadedConfig) -> (RecipeList, Vec<Notice>) {
    let own_files = own_files::of(&loaded.paths.recipes());
    if own_files.is_empty() {
        return (RecipeList::shipped(), Vec::new());
    }
    let (mut recipes, mut notices) = (recipe::shipped(), Vec::new());
    for path in own_files {
        match own(&path, &recipes) {
            Ok(recipe) => recipes.push(recipe),
            Err(told) => notices.extend(told.into_iter().map(Notice::warn)),
        }
    }
    (recipes.into(), notices)
}

/// The recipe of a file.
fn own(path: &Path, known: &[Recipe]) -> Result<Recipe, Vec<String>> {
    let unreadable = |error| vec![format!("{}: the recipe can't be read: {error}.", path.display())];
    let text = own_files::read(path, LARGEST).map_err(unreadable)?;
    let recipe = Recipe::read(&text, Some(path)).map_err(|faults| {
        let told = |fault: &LocatedError| format!("{fault}. {} The recipe is not used.", fault.hint);
        faults.iter().map(told).collect::<Vec<_>>()
    })?;
    let name = &recipe.card().name;
    let Some(other) = known.iter().find(|other| other.card().name == *name) else { return Ok(recipe) };
    let whose = match &other.card().file {
        Some(file) => format!("is in {}", file.display()),
        None => "ships with sayso".into(),
    };
    let line = text.lines().position(|line| line.trim_start().starts_with("name")).map_or(1, |at| at + 1);
    Err(vec![format!(
        "{}:{line}:1: a recipe named {name} {whose}. Give this one another name. The recipe is not used.",
        path.display()
    )])
}

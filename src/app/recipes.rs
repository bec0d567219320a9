//! A person's own recipes: `recipes/*.toml` in the folder of the configuration, read when the house is opened.
//!
//! One that can't be used is left out with a notice that says why, and where. None takes the name of another: those that
//! ship stay what they are.

use crate::config::Loaded;
use crate::domain::Notice;
use crate::recipe::{self, Recipe};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Most files of recipes.
const MOST: usize = 64;

/// Larger files hold no recipe.
const LARGEST: u64 = 64 << 10;

/// The recipes that there are, those that ship first, and what could not be used.
pub(super) fn all(loaded: &Loaded) -> (Vec<Recipe>, Vec<Notice>) {
    let (mut recipes, mut notices) = (recipe::shipped(), Vec::new());
    for path in files(&loaded.paths.recipes()) {
        match own(&path, &recipes) {
            Ok(recipe) => recipes.push(recipe),
            Err(told) => notices.extend(told.into_iter().map(Notice::warn)),
        }
    }
    (recipes, notices)
}

/// The recipe of a file.
fn own(path: &Path, known: &[Recipe]) -> Result<Recipe, Vec<String>> {
    let unreadable = |error| vec![format!("{}: the recipe can't be read: {error}.", path.display())];
    let text = read(path).map_err(unreadable)?;
    let recipe = Recipe::read(&text, Some(path)).map_err(|faults| {
        let told = |fault: &recipe::Fault| format!("{fault}. {} The recipe is not used.", fault.hint);
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

/// The recipe files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort_unstable();
    files.truncate(MOST);
    files
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(std::io::Error::other(format!("it is larger than {} KiB", LARGEST / 1024)));
    }
    Ok(text)
}

//! `sayso recipes`: lists the recipes, with the inputs of each.

use super::Console;
use crate::cli::{ModelArgs, RecipesArgs};
use crate::domain::RecipeCard;
use crate::domain::visible::{Visible, visible_line};
use crate::headless::{form, json};
use crate::report::Failure;
use serde_json::{Value, json};

pub(super) fn run(args: RecipesArgs, outer: &ModelArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let factory = super::factory(outer, console)?;
    let recipes = factory.recipes();
    let cards = recipes.iter().map(crate::recipe::Recipe::card);
    if args.json {
        let recipes: Value = cards.map(card_json).collect();
        json::write_line(console.out, &json!({ "recipes": recipes }))?;
        return Ok(());
    }
    for card in cards {
        write(card, console)?;
    }
    let folder = factory.loaded.paths.recipes();
    writeln!(console.err, "Recipes of your own go into {}.", Visible(&folder.to_string_lossy()))?;
    Ok(())
}

fn card_json(card: &RecipeCard) -> Value {
    json!({
        "name": card.name,
        "title": card.title,
        "when": card.when,
        "file": card.file.as_ref().map(|file| file.to_string_lossy()),
        "inputs": form::fields(&card.inputs),
    })
}

fn write(card: &RecipeCard, console: &mut Console<'_>) -> Result<(), Failure> {
    let (name, title, when) = (visible_line(&card.name), visible_line(&card.title), visible_line(&card.when));
    writeln!(console.out, "{name:<12} {title}: {when}")?;
    for field in &card.inputs.fields {
        writeln!(console.out, "             --input {}", visible_line(&form::field_line(field)))?;
    }
    if let Some(file) = &card.file {
        writeln!(console.out, "             from {}", Visible(&file.to_string_lossy()))?;
    }
    Ok(())
}

//! Chooses the recipe with which a session begins (from the command line or from a story) and checks its answers as
//! far as possible before the person is asked.

use super::input;
use crate::cli::RecipeArgs;
use crate::domain::visible::visible_line;
use crate::domain::{AnswerError, Answers, Field, FieldKind, Form, Languages};
use crate::driver::MAX_RECIPE_INPUT;
use crate::engine::{OpenedFile, answers};
use crate::headless::form;
use crate::import;
use crate::recipe::{Recipe, RecipeList};
use crate::report::{Failure, FailureClass};
use crate::session::setup::ChosenRecipe;
use crate::text::near::nearest;
use std::path::Path;

/// Reads the file that a session begins with (`--from`) and splits it into its parts; decides nothing about them.
pub(crate) fn open_file(path: &Path, languages: &Languages) -> Result<OpenedFile, Failure> {
    let text = input::read_plain(path)?;
    import::read(path, &text, languages).map_err(|why| {
        let what =
            format!("{} can't be opened: {}", input::display_path(path), visible_line(&why.to_string()));
        Failure::new(FailureClass::Usage, what)
    })
}

/// The chosen recipe, and the prompt unless the recipe uses it: a prompt beside a recipe answers its first question.
/// Reads the recipes only if one was chosen.
pub(crate) fn chosen_recipe(
    args: &RecipeArgs,
    story: Option<ChosenRecipe>,
    prompt: Option<String>,
    recipes: impl FnOnce() -> RecipeList,
) -> Result<(Option<ChosenRecipe>, Option<String>), Failure> {
    let wanted = args.recipe.clone().map(|name| ChosenRecipe { name, given: Answers::new() });
    // A story's answers only fit its own recipe.
    let story = story.filter(|story| args.recipe.as_ref().is_none_or(|name| *name == story.name));
    let Some(mut chosen) = story.filter(|_| prompt.is_none()).or(wanted) else {
        if args.inputs.is_empty() {
            return Ok((None, prompt));
        }
        return Err(Failure::new(
            FailureClass::Usage,
            "--input answers what a recipe asks, and none was named",
        )
        .hint("Name one with --recipe NAME; sayso recipes lists them."));
    };
    let recipes = recipes();
    let recipe = find(&chosen.name, &recipes)?;
    let form = &recipe.card().inputs;
    for (key, value) in &args.inputs {
        let field = form.fields.iter().find(|field| field.name == *key);
        if field.is_none() && !recipe.asks_later() {
            return Err(unknown_input(key, &chosen.name, form));
        }
        chosen.given.push((key.clone(), read_answer(key, value, field)?));
    }
    if let Some(prompt) = prompt {
        match form.fields.iter().find(|field| matches!(field.kind, FieldKind::Text { .. })) {
            Some(first) if !chosen.given.iter().any(|(key, _)| *key == first.name) => {
                chosen.given.push((first.name.clone(), prompt));
            }
            _ => {
                let what = format!(
                    "a prompt was given beside the recipe {}, which has no place for it",
                    chosen.name
                );
                return Err(Failure::new(FailureClass::Usage, what).hint(describe_inputs(&chosen.name, form)));
            }
        }
    }
    Ok((Some(chosen), None))
}

/// Names each answer that is missing or does not fit, and lists what the recipe asks.
pub(crate) fn check_answers(chosen: &ChosenRecipe, recipes: &[Recipe]) -> Result<(), Failure> {
    let form = &find(&chosen.name, recipes)?.card().inputs;
    answers::check(form, &chosen.given)
        .map(drop)
        .map_err(|misfits| answers_failure(&chosen.name, &misfits, form))
}

/// The failure of a recipe that can't begin with its answers.
pub(crate) fn answers_failure(name: &str, misfits: &[AnswerError], form: &Form) -> Failure {
    let told: Vec<String> = misfits.iter().map(ToString::to_string).collect();
    let what = format!("the recipe {name} can't begin: {}", told.join("; "));
    Failure::new(FailureClass::Usage, what).hint(describe_inputs(name, form))
}

fn find<'a>(name: &str, recipes: &'a [Recipe]) -> Result<&'a Recipe, Failure> {
    recipes.iter().find(|recipe| recipe.card().name == name).ok_or_else(|| {
        let names: Vec<&str> = recipes.iter().map(|recipe| recipe.card().name.as_str()).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(meant) => format!("Did you mean {meant}? sayso recipes lists all of them."),
            None => format!("There are {}. sayso recipes tells when each fits.", names.join(", ")),
        };
        Failure::new(FailureClass::Usage, format!("there is no recipe {name:?}")).hint(hint)
    })
}

fn unknown_input(key: &str, name: &str, form: &Form) -> Failure {
    let meant = nearest(key, form.fields.iter().map(|field| field.name.as_str()));
    let meant = meant.map_or(String::new(), |name| format!("; did you mean {name:?}?"));
    Failure::new(FailureClass::Usage, format!("the recipe {name} asks for nothing named {key:?}{meant}"))
        .hint(describe_inputs(name, form))
}

/// The inputs of a recipe, on one line.
fn describe_inputs(name: &str, form: &Form) -> String {
    if form.fields.is_empty() {
        return format!("{name} asks for nothing.");
    }
    let told: Vec<String> = form.fields.iter().map(form::field_line).collect();
    let told = told.join("; ");
    let stop = if told.ends_with(['?', '.', '!']) { "" } else { "." };
    format!("{name} asks for: {told}{stop}")
}

/// The text of an answer: the value itself, or the file that `@FILE` names. For a question that asks for paths the
/// value stays as it is.
fn read_answer(key: &str, value: &str, field: Option<&Field>) -> Result<String, Failure> {
    let is_path = field.is_some_and(|field| matches!(field.kind, FieldKind::File | FieldKind::Files));
    match value.strip_prefix('@') {
        Some(escaped) if escaped.starts_with('@') && !is_path => Ok(escaped.to_owned()),
        Some(file) if !is_path => {
            input::read_at_most(Path::new(file), MAX_RECIPE_INPUT).map_err(|mut failure| {
                failure.what = format!("--input {key}: {}", failure.what);
                if let Some(hint) = &mut failure.hint {
                    *hint = "A text that begins with @ is written with two: KEY=@@text.".into();
                }
                failure
            })
        }
        _ => Ok(value.to_owned()),
    }
}

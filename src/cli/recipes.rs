//! Command line options for the recipe with which a session begins, and for answers to its questions.

use super::argument::pair;
use clap::Args;

/// Which recipe, and what it is told.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecipeArgs {
    /// Work by this recipe; `sayso recipes` lists them
    #[arg(long, value_name = "NAME")]
    pub(crate) recipe: Option<String>,
    /// An answer to what the recipe asks, now or later; KEY=@FILE takes the text of a file
    #[arg(long = "input", value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) inputs: Vec<(String, String)>,
}

impl RecipeArgs {
    /// These options, else those before the subcommand; answers of both are joined.
    #[must_use]
    pub(crate) fn or(self, outer: &RecipeArgs) -> Self {
        Self {
            recipe: self.recipe.or_else(|| outer.recipe.clone()),
            inputs: outer.inputs.iter().cloned().chain(self.inputs).collect(),
        }
    }
}

/// `sayso recipes`.
#[derive(Args, Clone, Copy, Debug)]
pub struct RecipesArgs {
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_name_and_may_hold_anything() {
        assert_eq!(pair("spec=a = b\nc"), Ok(("spec".into(), "a = b\nc".into())));
        assert_eq!(pair(" n ="), Ok(("n".into(), String::new())));
        assert!(pair("spec").is_err() && pair("=x").is_err());
    }

    #[test]
    fn answers_from_both_sides_come_together_and_the_later_counts() {
        let outer = RecipeArgs { recipe: Some("tdd".into()), inputs: vec![("a".into(), "1".into())] };
        let inner = RecipeArgs { recipe: None, inputs: vec![("a".into(), "2".into())] };
        let both = inner.or(&outer);
        assert_eq!((both.recipe.as_deref(), both.inputs.len()), (Some("tdd"), 2));
        assert_eq!(both.inputs.last().map(|(_, value)| value.as_str()), Some("2"));
    }
}

//! Recipes in dialogues with the engine.

use crate::domain::{Answers, RecipeStart};
use crate::engine::dialogue::Dialogue;
use crate::engine::{Command, Settings};
use crate::recipe::{Recipe, shipped, ways};

fn dialogue() -> Dialogue {
    Dialogue::with(Settings { ways: ways(), step_limit: 100, repeat_limit: 100, ..Settings::default() })
}

fn recipe(name: &str) -> Recipe {
    shipped().into_iter().find(|recipe| recipe.card().name == name).unwrap()
}

fn answers(given: &[(&str, &str)]) -> Answers {
    given.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn begin(d: &mut Dialogue, recipe: &Recipe, inputs: &[(&str, &str)], facts: &[(&str, &str)]) -> String {
    let inputs = recipe.card().inputs.check(&answers(inputs)).unwrap();
    let start: RecipeStart = recipe.start(inputs, answers(facts)).unwrap();
    d.command(Command::BeginRecipe(Box::new(start)))
}

mod explain {
    use super::*;

    #[test]
    fn nothing_runs_and_words_are_enough() {
        let mut d = dialogue();
        let line = begin(&mut d, &recipe("explain"), &[("file", "a.py")], &[("file:file", "print('```')\n")]);
        assert_eq!(line, "+prompt, +recipe explain, +said explain.1, ask s1 | replying s1");
        assert!(
            d.told().contains("My question: what it does.") && d.told().contains("print('```')\n````"),
            "{}",
            d.told()
        );
        let line = d.reply("It prints.\n```python\nprint(1)\n```\n");
        assert!(line.contains("+declined 1") && line.contains("+judged explain.1 answered"), "{line}");
        assert!(line.contains("+recipe done") && line.ends_with("+end answered | idle"), "{line}");
    }

    #[test]
    fn a_reply_without_words_is_asked_for_again_and_then_it_ends() {
        let mut d = dialogue();
        begin(&mut d, &recipe("explain"), &[("code", "x = 1")], &[]);
        let line = d.reply("```python\nprint(1)\n```\n");
        assert!(line.contains("+judged explain.1 nothing, +said explain.2, ask s2"), "{line}");
        assert!(d.reopen().ends_with("stuck cut"));
        d.command(Command::Retry);
        let line = d.reply("```python\nprint(1)\n```\n");
        assert!(line.contains("+judged explain.2 nothing, +recipe gave_up"), "{line}");
    }
}

//! Makes a recipe from a session: a definition in TOML that asks for the same again, for the person to edit.

use crate::domain::BlockKind;
use crate::engine::Transcript;
use crate::engine::transcript::{BlockStatus, Item, ReplyItem};
use std::fmt::Write as _;

const MAX_STEPS: usize = 8;
const MAX_PROMPT_BYTES: usize = 4 << 10;

/// A definition with one step for each prompt of the session (only the newest if there are many). Its check is chosen
/// by what came of the prompt: code that ran, files that were written, or an answer in words.
pub(crate) fn scaffold(transcript: &Transcript, name: &str) -> String {
    let mut turns = turns(transcript);
    turns.drain(..turns.len().saturating_sub(MAX_STEPS));
    if turns.is_empty() {
        turns.push(ScaffoldTurn { prompt: "Do it.".into(), is_part: false, check: "reply" });
    }
    let name = valid_name(name);
    let title = quoted(&name.replace(['-', '_'], " "));
    let mut text = format!(
        "# Made from a session. Change it as you like: texts in braces are inputs, a round ends by what its check says.\n\
         name = {name}\ntitle = {title}\nwhen = \"You want it done as before.\"\nprompt = {prompt}\n\n\
         [[input]]\nname = \"what\"\nask = \"What is different this time?\"\nkind = \"lines\"\nrequired = false\n",
        name = quoted(&name),
        prompt = quoted(&format!("{name}: {{what}}")),
    );
    for (at, turn) in turns.iter().enumerate() {
        let number = at + 1;
        let (good, then) = (good(turn.check), if number < turns.len() { "next" } else { "end" });
        let prompt = turn.prompt.replace('{', "{{").replace('}', "}}");
        let say = if at == 0 { format!("{prompt}\n\n{{what}}") } else { prompt };
        let part =
            if turn.is_part { "# Only a part of a long message: the session has the rest.\n" } else { "" };
        let _ = write!(
            text,
            "\n{part}[[step]]\nname = \"step-{number}\"\ntitle = \"Step {number}\"\nsay = {say}\ncheck = \"{check}\"\n\
             [step.on.{good}]\nthen = \"{then}\"\n",
            say = quoted(&say),
            check = turn.check,
        );
    }
    text.push_str("\n[end]\nsummary = \"\"\"\nFiles:\n{files}\n\nSteps:\n{steps}\n\"\"\"\n");
    text
}

struct ScaffoldTurn {
    prompt: String,
    /// Whether the prompt is longer than `prompt` holds: truncated here, or not loaded in full.
    is_part: bool,
    check: &'static str,
}

impl ScaffoldTurn {
    /// Chooses the check by the blocks of a reply that were approved: a file that was written counts more than code.
    fn note_reply(&mut self, reply: &ReplyItem, transcript: &Transcript) {
        let blocks = reply.blocks.iter().filter_map(|id| transcript.blocks.get(id));
        for item in blocks.filter(|item| item.status == BlockStatus::Approved) {
            match item.block.kind {
                BlockKind::Write { .. } | BlockKind::Edit { .. } => self.check = "written",
                BlockKind::Code { .. } | BlockKind::Call { .. } if self.check == "reply" => {
                    self.check = "run";
                }
                _ => {}
            }
        }
    }
}

/// The verdict of a check that leads on.
fn good(check: &str) -> &'static str {
    match check {
        "run" => "ok",
        "written" => "written",
        _ => "answered",
    }
}

fn turns(transcript: &Transcript) -> Vec<ScaffoldTurn> {
    let mut turns: Vec<ScaffoldTurn> = Vec::new();
    for (at, item) in transcript.items.iter().enumerate() {
        match item {
            Item::Prompt { text, .. } if !text.trim().is_empty() => {
                let fits = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
                let mut prompt: String = text.trim().chars().filter(fits).collect();
                let is_part = prompt.len() > MAX_PROMPT_BYTES || transcript.message_away(at).is_some();
                prompt.truncate(prompt.floor_char_boundary(MAX_PROMPT_BYTES));
                turns.push(ScaffoldTurn { prompt, is_part, check: "reply" });
            }
            Item::Reply(reply) => {
                if let Some(turn) = turns.last_mut() {
                    turn.note_reply(reply, transcript);
                }
            }
            _ => {}
        }
    }
    turns.retain(|turn| !turn.prompt.trim().is_empty());
    turns
}

/// Turns a name into one that a definition may have.
fn valid_name(name: &str) -> String {
    let fits = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    let name: String = name.to_ascii_lowercase().chars().map(fits).take(30).collect();
    let name = name.trim_matches('-');
    if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name.to_owned()
    } else {
        format!("my-{name}").trim_end_matches('-').to_owned()
    }
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Entry, Timestamp};
    use crate::engine::transcript::PagedTranscript;
    use crate::recipe::Recipe;
    use proptest::prelude::*;

    fn session(prompts: &[&str]) -> Transcript {
        Transcript::fold(prompts.iter().map(|text| (Timestamp(0), Entry::Prompt((*text).into()))))
    }

    #[test]
    fn each_prompt_is_a_step() {
        let text = scaffold(&session(&["Plot {x}", "  ", "And in \"\"\"red\"\"\""]), "Sales Q3");
        let recipe = Recipe::read(&text, None).unwrap_or_else(|faults| panic!("{faults:#?}\n{text}"));
        assert_eq!(recipe.card().name, "sales-q3");
        assert_eq!(text.matches("[[step]]").count(), 2);
        assert!(text.contains("{{x}}"), "{text}");
    }

    #[test]
    fn a_prompt_of_which_a_part_is_taken_says_so() {
        let long = "Plot it. ".repeat(MAX_PROMPT_BYTES);
        let text = scaffold(&session(&["short", &long]), "x");
        assert_eq!(text.matches("# Only a part").count(), 1, "{text}");
        let mut paged = PagedTranscript::default();
        let rest = "y".repeat(6 << 20);
        let prompts = ["z".repeat(3_000), rest.clone(), rest, "last".into()];
        paged.extend(prompts.map(|text| (Timestamp(0), Entry::Prompt(text.as_str().into()))));
        let text = scaffold(&paged.into(), "x");
        assert_eq!(text.matches("# Only a part").count(), 3, "{text}");
        assert!(text.contains("characters left out]") && Recipe::read(&text, None).is_ok(), "{text}");
    }

    proptest! {
        #[test]
        fn any_session_makes_a_recipe_that_can_be_read(prompts in prop::collection::vec(".{0,60}|[\\x00-\\x7f]{0,20}", 0..12), name in ".{0,50}") {
            let prompts: Vec<&str> = prompts.iter().map(String::as_str).collect();
            let text = scaffold(&session(&prompts), &name);
            let read = Recipe::read(&text, None);
            prop_assert!(read.is_ok(), "{:#?}\n{}", read.err(), text);
        }
    }
}

//! A recipe of the person's own, begun from what was asked in a session: a definition to be changed, with comments.
//! It overwrites nothing.

use super::sources::Signal;
use super::{Driver, Found};
use crate::engine::transcript::Item;
use crate::workspace;
use std::path::Path;

/// Prompts that are taken over, the newest of the session.
const PROMPTS: usize = 8;
/// Bytes of each.
const LONGEST: usize = 4_000;
/// Letters of a name.
const NAME: usize = 40;

impl Driver {
    /// Writes a definition with the prompts of this session; what comes of it is told.
    pub(super) fn new_recipe(&self, name: &str) {
        let prompts: Vec<String> = self
            .state()
            .transcript
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Prompt { text, .. } => Some(text.clone()),
                _ => None,
            })
            .collect();
        let (name, folder, inbox) = (name.to_owned(), self.own_recipes.clone(), self.inbox());
        tokio::task::spawn_blocking(move || {
            let known = prompts.len().saturating_sub(PROMPTS);
            let written = write(&folder, &name, prompts.get(known..).unwrap_or_default());
            let _ = inbox.blocking_send(Signal::Errand(written.unwrap_or_else(Found::Failed)));
        });
    }
}

fn write(folder: &Path, name: &str, prompts: &[String]) -> Result<Found, String> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > NAME || !name.chars().all(fits) || name.starts_with('-') {
        return Err(format!(
            "A recipe's name has up to {NAME} letters a-z, digits and -: /recipe new tidy-up"
        ));
    }
    let text = draft(name, prompts);
    let path = workspace::write::below(folder, &format!("{name}.toml"), text.as_bytes());
    let path = path.map_err(|error| format!("{error}. Nothing was written."))?;
    Ok(Found::NewRecipe(path))
}

/// The definition.
fn draft(name: &str, prompts: &[String]) -> String {
    let told: Vec<&str> =
        prompts.iter().map(|text| head(text.trim())).filter(|text| !text.is_empty()).collect();
    let told = told.join("\n\n").replace('{', "{{").replace('}', "}}");
    // A string of TOML that holds anything; its own lines stay lines.
    let lines: Vec<String> = told.lines().map(quoted).collect();
    format!(
        r#"# A recipe of your own. Change what is here: `sayso check {name}.toml` says what is wrong with it.
name = "{name}"
title = "{name}"
# When it fits, in a line, for the list of recipes.
when = "You want this done again."
# The prompt of its turn; {{NAME}} stands for the answer to an input.
prompt = "{name}: {{what}}"

# What is asked before it begins. kind: text, lines, choice (with choices), file, number (with min, max, whole).
[[input]]
name = "what"
ask = "What should be done?"
kind = "lines"
required = true

# One step after the other. What is said begins with what you asked in the session that this was made from.
[[step]]
name = "work"
title = "Do it"
say = """
{}

{{what}}
"""
# What the model may propose; every block waits for you.
blocks = ["code", "write", "read", "list"]
# How it is found out what came of it: run looks at how the newest block of code ended.
check = "run"
rounds = 3

[step.on.ok]
then = "end"

[end]
summary = "Done: {{note}}"
"#,
        lines.join("\n")
    )
}

/// A line inside of a string of several lines.
fn quoted(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\t' => out.push('\t'),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// The beginning of a long text, in whole characters.
fn head(text: &str) -> &str {
    let end = (0..=LONGEST.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(prompts: &[&str]) -> String {
        let prompts: Vec<String> = prompts.iter().map(ToString::to_string).collect();
        let table: toml::Table = draft("tidy", &prompts).parse().expect("TOML");
        table["step"][0]["say"].as_str().expect("a text").to_owned()
    }

    #[test]
    fn anything_that_was_asked_makes_a_definition() {
        assert_eq!(
            say(&["Say \"\"\" {x}\\n\r\u{1b}[2J\u{7f}"]),
            "Say \"\"\" {{x}}\\n\r\u{1b}[2J\u{7f}\n\n{what}\n"
        );
        assert_eq!(say(&["one", " ", "two\nthree"]), "one\n\ntwo\nthree\n\n{what}\n");
        assert!(say(&["\u{e9}".repeat(9_000).as_str()]).len() < LONGEST + 20);
    }

    #[test]
    fn nothing_is_overwritten_and_a_name_is_a_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().join("recipes");
        assert!(
            matches!(write(&at, "tidy", &[]), Ok(Found::NewRecipe(path)) if path == at.join("tidy.toml"))
        );
        assert!(write(&at, "tidy", &[]).expect_err("it is there").contains("Nothing was written"));
        for name in ["", "../x", "a b", "A", "-x", "a/b", &"a".repeat(41)] {
            assert!(write(&at, name, &[]).is_err(), "{name}");
        }
    }
}

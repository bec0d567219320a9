//! Composes the system prompt, which tells a model about sayso, from texts in `assets/prompts`.

use crate::domain::{Dialect, Language, Languages};
use std::fmt::Write as _;

const SYSTEM: &str = include_str!("../../assets/prompts/system.md");
const ABOUT: &str = include_str!("../../assets/prompts/about.md");
const ABOUT_SMALL: &str = include_str!("../../assets/prompts/about-small.md");
const FENCES: &str = include_str!("../../assets/prompts/fences.md");
const FENCES_SMALL: &str = include_str!("../../assets/prompts/fences-small.md");
const TOOLS: &str = include_str!("../../assets/prompts/tools.md");
const EDITS: &str = include_str!("../../assets/prompts/edits.md");
const EXECUTE_TAGS: &str = include_str!("../../assets/prompts/execute-tags.md");
const EXECUTE_TAGS_SMALL: &str = include_str!("../../assets/prompts/execute-tags-small.md");

/// Where the text about sayso is inserted, and within that the text about the dialect.
const ABOUT_PLACEHOLDER: &str = "{about}";
const DIALECT_PLACEHOLDER: &str = "{dialect}";
/// Where the prompt says whether anybody can type into a block.
const INPUT_PLACEHOLDER: &str = "{input}";
/// Where the prompt describes the Python kernel, if Python has one.
const LEFT_PLACEHOLDER: &str = "{left}";
const VALUES_PLACEHOLDER: &str = "{values}";

/// Used where code runs in Jupyter kernels: which languages have one becomes known later, and is sent with the
/// conditions.
const KERNELS: &str = "- the languages for which there is a Jupyter kernel, which the conditions name: each has one persistent \
                       kernel, in which variables, functions and imports stay between blocks.";

/// The system prompt for a session in which Jupyter kernels run the code.
pub(crate) fn system_of_kernels(cwd: &str, os: &str) -> String {
    filled(KERNELS, cwd, os)
}

/// The system prompt for a session: what can run, and where, with a placeholder for what depends on the model.
/// `terminals` are languages whose blocks have a terminal of their own: these keep nothing in a kernel.
pub(crate) fn system(languages: &Languages, terminals: &[Language], cwd: &str, os: &str) -> String {
    let (mut running, mut fresh) = (String::new(), Vec::new());
    for entry in languages.0.iter() {
        let state = if entry.persistent && !terminals.contains(&entry.name) {
            "one persistent kernel: variables, functions and imports stay between blocks"
        } else if entry.name == Language::bash() {
            "a fresh process for each block; the folder and exported variables stay between blocks"
        } else {
            fresh.push(entry.name.as_str());
            continue;
        };
        let _ = writeln!(running, "- {}: {state}.", entry.name);
    }
    if !fresh.is_empty() {
        let _ = writeln!(running, "- {}: a fresh process for each block.", fresh.join(", "));
    }
    filled(running.trim_end(), cwd, os)
}

fn filled(languages: &str, cwd: &str, os: &str) -> String {
    SYSTEM.replace("{languages}", languages).replace("{os}", os).replace("{cwd}", cwd)
}

/// Fills the placeholder of a system prompt: how to work, and how to hand over code in this dialect. Small models get a
/// shorter, plainer text without edits: they take examples for the task and make up the output of code (`cargo bench
/// --bench replies`). Edits that they write all the same are understood.
pub(crate) fn in_dialect(prompt: &str, dialect: Dialect, is_small: bool, terminals: &[Language]) -> String {
    let (about, how) = match (dialect, is_small) {
        (Dialect::Fences, true) => (ABOUT_SMALL, FENCES_SMALL.trim_end().to_owned()),
        (Dialect::ExecuteTags, true) => (ABOUT_SMALL, EXECUTE_TAGS_SMALL.trim_end().to_owned()),
        (Dialect::Fences, false) => (ABOUT, format!("{}\n\n{}", FENCES.trim_end(), EDITS.trim_end())),
        (Dialect::ExecuteTags, false) => {
            (ABOUT, format!("{}\n\n{}", EXECUTE_TAGS.trim_end(), EDITS.trim_end()))
        }
        (Dialect::Tools, _) => (ABOUT, TOOLS.trim_end().to_owned()),
    };
    let (left, values) = if terminals.contains(&Language::python()) {
        ("in the folder", "")
    } else {
        (
            "in the Python kernel and in the folder",
            "The value of a last expression in Python is reported too. ",
        )
    };
    let about = about.trim_end().replacen(LEFT_PLACEHOLDER, left, 1).replacen(VALUES_PLACEHOLDER, values, 1);
    let about = about.replacen(INPUT_PLACEHOLDER, &input(is_small, terminals), 1).replacen(
        DIALECT_PLACEHOLDER,
        &how,
        1,
    );
    // The placeholder comes before all text from outside, so only sayso's own is replaced.
    prompt.replacen(ABOUT_PLACEHOLDER, &about, 1)
}

/// The sentence on input: it can be typed only into blocks that have a terminal by default.
fn input(is_small: bool, terminals: &[Language]) -> String {
    let names: Vec<&str> = terminals.iter().map(Language::as_str).collect();
    match (names.as_slice(), is_small) {
        ([], true) => "There is no input: never call input().".into(),
        ([], false) => "There is no terminal and no input: never ask for it in code.".into(),
        (names, true) => {
            format!("Only blocks in {} may ask for input: the person types it.", names.join(", "))
        }
        (names, false) => format!(
            "Blocks in {} run in a terminal, each in one of its own: what they ask for, the person types there. Others \
             have no terminal and no input: never ask for it in them.",
            names.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::dialogue::TextChecks as _;

    #[test]
    fn each_dialect_is_told_whole() {
        let gapped = system(&Languages::default(), &[], "/home/ann/{about}", "Linux");
        let told = |dialect| in_dialect(&gapped, dialect, false, &[]);
        let (fences, tags, tools) = (told(Dialect::Fences), told(Dialect::ExecuteTags), told(Dialect::Tools));
        for text in [&fences, &tags, &tools] {
            assert!(text.contains("/home/ann/{about}") && text.contains("Linux"), "{text}");
            assert!(text.contains("- python: one persistent kernel"), "{text}");
            assert!(text.contains("- javascript, ") && text.contains(": a fresh process"), "{text}");
            for gap in ["{languages}", "{os}", "{cwd}", "{dialect}"] {
                assert!(!text.contains(gap), "{gap} is left in {text}");
            }
            assert_eq!(text.matches(ABOUT_PLACEHOLDER).count(), 1, "the folder's name alone: {text}");
        }
        assert!(fences.contains("```python") && !fences.contains("<execute>"));
        assert!(tags.contains("<execute>") && tags.contains("</execute>"));
        assert!(tools.contains("run_code") && !tools.contains("```python"));
        assert!(
            fences.contains("```edit path=")
                && tags.contains("<<<<<<< SEARCH")
                && tools.contains("edit_file")
        );
        for (dialect, begin) in
            [(Dialect::Fences, "```python\nimport"), (Dialect::ExecuteTags, "<execute>\nimport")]
        {
            let small = in_dialect(&gapped, dialect, true, &[]);
            assert!(!small.contains("SEARCH"), "small models write whole files: {small}");
            assert!(small.contains(begin) && small.contains("- python: one persistent kernel"), "{small}");
            assert!(small.len() < told(dialect).len() / 2, "{small}");
            assert!(
                !small.contains(DIALECT_PLACEHOLDER) && small.matches(ABOUT_PLACEHOLDER).count() == 1,
                "{small}"
            );
            assert!(small.contains("never call input()"), "{small}");
        }
    }

    #[test]
    fn who_has_a_terminal_is_told_so() {
        let gapped = system(&Languages::default(), &[], "/work", "Linux");
        let told =
            |is_small, terminals: &[Language]| in_dialect(&gapped, Dialect::Fences, is_small, terminals);
        assert!(told(false, &[]).contains("There is no terminal and no input"));
        for is_small in [false, true] {
            let text = told(is_small, &[Language::bash()]);
            assert!(text.contains("locks in bash ") && !text.contains(INPUT_PLACEHOLDER), "{text}");
            assert!(!text.contains("There is no terminal") && !text.contains("There is no input"), "{text}");
        }
    }

    #[test]
    fn what_has_a_terminal_has_no_kernel() {
        let python = [Language::python()];
        let gapped = system(&Languages::default(), &python, "/work", "Linux");
        let text = in_dialect(&gapped, Dialect::Fences, false, &python);
        assert!(!text.contains("kernel") && !text.contains("last expression"), "{text}");
        assert!(text.contains("- python, javascript, ") && text.contains("left in the folder."), "{text}");
        let text = in_dialect(&gapped, Dialect::Fences, false, &[]);
        assert!(text.contains("left in the Python kernel and in the folder."), "{text}");
        assert!(text.contains("a last expression in Python is reported too. There is no"), "{text}");
    }

    #[test]
    fn jupyter_kernels_are_told_without_languages_that_may_have_none() {
        let gapped = system_of_kernels("/work", "Linux");
        assert!(!gapped.contains("bash") && !gapped.contains("a fresh process"), "{gapped}");
        gapped.has("for which there is a Jupyter kernel").has("/work");
    }
}

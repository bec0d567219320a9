//! The system prompt: what a model has to know about sayso, put together from texts in `assets/prompts`.

use crate::domain::{Dialect, Language, Languages};
use std::fmt::Write as _;

const SYSTEM: &str = include_str!("../../assets/prompts/system.md");
const FENCES: &str = include_str!("../../assets/prompts/fences.md");
const TOOLS: &str = include_str!("../../assets/prompts/tools.md");
const EDITS: &str = include_str!("../../assets/prompts/edits.md");
const EXECUTE_TAGS: &str = include_str!("../../assets/prompts/execute-tags.md");

/// Where the words on the dialect go.
const GAP: &str = "{dialect}";

/// The system prompt for a session: what can be run, where; with a gap for the dialect.
pub(crate) fn system(languages: &Languages, cwd: &str, os: &str) -> String {
    let mut running = String::new();
    for entry in &languages.0 {
        let state = if entry.persistent {
            "one persistent kernel: variables, functions and imports stay between blocks"
        } else if entry.name == Language::bash() {
            "a fresh process for each block; the folder and exported variables stay between blocks"
        } else {
            "a fresh process for each block"
        };
        let _ = writeln!(running, "- {}: {state}.", entry.name);
    }
    SYSTEM.replace("{languages}", running.trim_end()).replace("{os}", os).replace("{cwd}", cwd)
}

/// A system prompt with its gap filled: how to hand over code in this dialect. Small models are not told of edits: they do
/// better with whole files, and what they write of edits all the same is read.
pub(crate) fn in_dialect(prompt: &str, dialect: Dialect, is_small: bool) -> String {
    let how = match dialect {
        Dialect::Fences => FENCES,
        Dialect::ExecuteTags => EXECUTE_TAGS,
        Dialect::Tools => TOOLS,
    };
    // The gap stands in front of all that comes from outside.
    let edits = dialect != Dialect::Tools && !is_small;
    let how =
        if edits { format!("{}\n\n{}", how.trim_end(), EDITS.trim_end()) } else { how.trim_end().into() };
    prompt.replacen(GAP, &how, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_is_told_whole() {
        let gapped = system(&Languages::default(), "/home/ann/{dialect}", "Linux");
        let told = |dialect| in_dialect(&gapped, dialect, false);
        let (fences, tags, tools) = (told(Dialect::Fences), told(Dialect::ExecuteTags), told(Dialect::Tools));
        for text in [&fences, &tags, &tools] {
            assert!(text.contains("/home/ann/{dialect}") && text.contains("Linux"), "{text}");
            assert!(text.contains("- python: one persistent kernel"), "{text}");
            assert!(text.contains("- javascript: a fresh process"), "{text}");
            for gap in ["{languages}", "{os}", "{cwd}"] {
                assert!(!text.contains(gap), "{gap} is left in {text}");
            }
            assert_eq!(text.matches(GAP).count(), 1, "the folder's name alone: {text}");
        }
        assert!(fences.contains("```python") && !fences.contains("<execute>"));
        assert!(tags.contains("<execute>") && tags.contains("</execute>"));
        assert!(tools.contains("run_code") && !tools.contains("```python"));
        assert!(
            fences.contains("```edit path=")
                && tags.contains("<<<<<<< SEARCH")
                && tools.contains("edit_file")
        );
        assert!(
            !in_dialect(&gapped, Dialect::Fences, true).contains("SEARCH"),
            "small models write whole files"
        );
    }
}

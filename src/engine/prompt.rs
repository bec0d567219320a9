//! The system prompt: what a model has to know about sayso, put together from texts in `assets/prompts`.

use crate::domain::{Dialect, Language, Languages};
use std::fmt::Write as _;

const SYSTEM: &str = include_str!("../../assets/prompts/system.md");
const FENCES: &str = include_str!("../../assets/prompts/fences.md");
const EXECUTE_TAGS: &str = include_str!("../../assets/prompts/execute-tags.md");

/// The system prompt for a session: how to hand over code in this dialect, what can be run, where.
pub fn system(dialect: Dialect, languages: &Languages, cwd: &str, os: &str) -> String {
    let how = match dialect {
        Dialect::Fences => FENCES,
        Dialect::ExecuteTags => EXECUTE_TAGS,
    };
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
    SYSTEM
        .replace("{dialect}", how.trim_end())
        .replace("{languages}", running.trim_end())
        .replace("{os}", os)
        .replace("{cwd}", cwd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dialects_are_told_whole() {
        let languages = Languages::default();
        let fences = system(Dialect::Fences, &languages, "/home/ann/data", "Linux");
        let tags = system(Dialect::ExecuteTags, &languages, "/home/ann/data", "Linux");
        for text in [&fences, &tags] {
            assert!(text.contains("/home/ann/data") && text.contains("Linux"), "{text}");
            assert!(text.contains("- python: one persistent kernel"), "{text}");
            assert!(text.contains("- javascript: a fresh process"), "{text}");
            for gap in ["{dialect}", "{languages}", "{os}", "{cwd}"] {
                assert!(!text.contains(gap), "{gap} is left in {text}");
            }
        }
        assert!(fences.contains("```python") && !fences.contains("<execute>"));
        assert!(tags.contains("<execute>") && tags.contains("</execute>"));
    }
}

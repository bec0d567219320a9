//! Finds the known word that was probably meant.

use super::diff::similarity;

/// The least similarity of two words.
const MIN_SIMILARITY: f32 = 0.6;

/// The known word most similar to this one, if any is similar; ignores case.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let alike = |name: &'a str| (similarity(&name.to_lowercase(), &word), name);
    let near = known.into_iter().map(alike).filter(|(ratio, _)| *ratio > MIN_SIMILARITY);
    near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_word_that_is_most_alike_was_meant() {
        let known = ["anthropic", "openai", "ollama", "limits", "python-tests"];
        let rows = [
            ("antropic", Some("anthropic")),
            ("OpenAI", Some("openai")),
            ("LIMIT", Some("limits")),
            ("olama", Some("ollama")),
            ("python_tests", Some("python-tests")),
            ("", None),
            ("xyz", None),
            ("grok", None),
        ];
        for (word, expected) in rows {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
        assert_eq!(nearest("x", []), None);
    }
}

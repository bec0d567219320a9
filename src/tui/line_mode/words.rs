//! Parses a line as an answer about the waiting block. Only whole words decide, never letters.

/// An answer about a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Approve,
    /// With the number of a rule, after they were listed.
    Always(Option<usize>),
    Edit,
    /// With the reason, if there is one.
    Reject(Option<String>),
    Skip,
    /// Compare with what the model wrote, and with the present file.
    Diff,
    /// Print the code and its rights again, in full.
    Show,
    /// Ask another model for its opinion.
    Opinion,
    /// Set the language of a block that names none.
    Language(String),
    /// None of the words.
    Unknown,
}

/// Parses an answer. A word that takes no argument is no answer if more text follows: a sentence decides
/// nothing.
pub(super) fn answer(line: &str) -> Answer {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match (word, rest) {
        ("approve", "") => Answer::Approve,
        ("always", "") => Answer::Always(None),
        ("always", number) => match number.parse::<usize>().ok().filter(|number| *number > 0) {
            Some(number) => Answer::Always(Some(number)),
            None => Answer::Unknown,
        },
        ("edit", "") => Answer::Edit,
        ("reject", "") => Answer::Reject(None),
        ("reject", why) => Answer::Reject(Some(why.to_owned())),
        ("skip", "") => Answer::Skip,
        ("diff", "") => Answer::Diff,
        ("show", "") => Answer::Show,
        ("opinion", "") => Answer::Opinion,
        ("language", name) if !name.is_empty() => Answer::Language(name.to_owned()),
        _ => Answer::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_decide_and_nothing_else() {
        assert_eq!(answer(" approve "), Answer::Approve);
        assert_eq!(answer("always 2"), Answer::Always(Some(2)));
        assert_eq!(answer("reject keep the old charts"), Answer::Reject(Some("keep the old charts".into())));
        for text in [
            "a",
            "y",
            "yes",
            "",
            "1",
            "Approve",
            "approve it",
            "approve 3",
            "always all",
            "edit x",
            "skip it",
        ] {
            assert_eq!(answer(text), Answer::Unknown, "{text}");
        }
    }
}

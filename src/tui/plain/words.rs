//! What a line means as an answer about the block that waits. Whole words decide, never letters.

/// An answer about a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Approve,
    /// With the number of a rule, once they were listed.
    Always(Option<usize>),
    Edit,
    /// With the reason, where one was given.
    Reject(Option<String>),
    Skip,
    /// Compare with what the model wrote, and with what stands in the file.
    Diff,
    /// The code and its rights once more, in full.
    Show,
    /// What another model thinks of it.
    Opinion,
    /// The language of a block that names none.
    Language(String),
    /// None of the words.
    Unknown,
}

/// Takes an answer apart. What follows a word that takes nothing makes it none: a sentence decides nothing.
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

//! Words of a message that begin with `@`: names of files that the person gives with it.

/// A word that begins with `@`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AtWord {
    /// The text behind the `@`, without quotes.
    pub(crate) name: String,
    /// Whether it was in quotes, and so is exactly the name.
    pub(crate) is_quoted: bool,
}

impl AtWord {
    /// The names that may be meant, the longest first: a full stop at the end belongs to the sentence, unless a file
    /// has that name.
    pub(crate) fn candidates(&self) -> Vec<&str> {
        let mut names = vec![self.name.as_str()];
        while let Some(last) = names.last().filter(|_| !self.is_quoted) {
            match last.strip_suffix(|c: char| ".,;:!?)]}>'\"".contains(c)) {
                Some(shorter) if !shorter.is_empty() => names.push(shorter),
                _ => break,
            }
        }
        names
    }
}

/// Whether an `@` behind this text begins a word: one inside an address does not.
pub(crate) fn begins_word(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| c.is_whitespace() || "([{<\"'".contains(c))
}

/// Finds the words in a text, in order.
pub(crate) fn at_words(text: &str) -> Vec<AtWord> {
    let mut words = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('@')).map(|at| from + at) {
        from = at + 1;
        if !text.get(..at).is_some_and(begins_word) {
            continue;
        }
        let rest = text.get(from..).unwrap_or_default();
        let quoted = rest.strip_prefix('"').and_then(|inner| {
            let inner = inner.lines().next().unwrap_or_default();
            inner.split_once('"').map(|(name, _)| name)
        });
        let (name, is_quoted) = match quoted {
            Some(name) => (name, true),
            None => (rest.split(char::is_whitespace).next().unwrap_or_default(), false),
        };
        from += name.len() + if is_quoted { 2 } else { 0 };
        if !name.is_empty() {
            words.push(AtWord { name: name.to_owned(), is_quoted });
        }
    }
    words
}

/// Writes a name behind an `@`; `None` if the result could not be parsed back.
pub(crate) fn at_word(name: &str) -> Option<String> {
    if name.is_empty() || name.contains('"') || name.chars().any(char::is_control) {
        return None;
    }
    let bare = AtWord { name: name.to_owned(), is_quoted: false };
    let is_plain = !name.contains(char::is_whitespace) && bare.candidates().len() == 1;
    Some(if is_plain { format!("@{name}") } else { format!("@\"{name}\"") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(text: &str) -> Vec<String> {
        at_words(text).into_iter().map(|word| word.name).collect()
    }

    #[test]
    fn names_begin_where_words_do() {
        assert_eq!(names("see @a.py and (@src/b.rs) now"), ["a.py", "src/b.rs)"]);
        assert_eq!(names("@\"my file.csv\"@x, @\"open"), ["my file.csv", "x,", "\"open"]);
        assert!(names("mail bob@example.com, or @ nothing, a@b").is_empty());
        assert_eq!(names("@@a"), ["@a"]);
    }

    #[test]
    fn what_ends_a_sentence_may_be_left_off() {
        let words = at_words("is it @a.py?). @\"b?\"");
        assert_eq!(words[0].candidates(), ["a.py?).", "a.py?)", "a.py?", "a.py"]);
        assert_eq!(words[1].candidates(), ["b?"]);
    }

    proptest! {
        #[test]
        fn a_name_that_can_be_written_is_read_again(name in ".{1,20}") {
            if let Some(word) = at_word(&name) {
                let read = at_words(&format!("see {word} now"));
                prop_assert_eq!(read.len(), 1);
                prop_assert_eq!(&read[0].name, &name);
            }
        }

        #[test]
        fn any_text_is_read(text in "[@\" a.\n\u{e9}]{0,40}") {
            for word in at_words(&text) {
                prop_assert!(!word.name.is_empty());
                prop_assert!(text.contains(&word.name));
            }
        }
    }
}

//! Quotes words for shells.

/// A text as one word of a POSIX shell, quoted if necessary; safe anywhere in a command, even as the first word.
pub(crate) fn quoted(word: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | ',' | '=');
    if !word.is_empty() && word.chars().all(plain) && !is_assignment(word) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Whether a shell would take this for an assignment at the start of a command.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '+';
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(in_name)
    })
}

#[cfg(test)]
mod tests {
    use super::quoted;
    use proptest::prelude::*;

    #[test]
    fn words_are_quoted_where_they_have_to_be() {
        let rows = [
            ("", "''"),
            ("a/b.py", "a/b.py"),
            ("/opt/c++/bin", "/opt/c++/bin"),
            ("-c", "-c"),
            ("--port=80", "--port=80"),
            ("python:3.13,slim", "python:3.13,slim"),
            ("a=b", "'a=b'"),
            ("PATH+=x", "'PATH+=x'"),
            ("./a=b", "./a=b"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("zähle", "'zähle'"),
            ("~/x", "'~/x'"),
            ("$(x)`y`;&|<>*?[]{}!#%^\\\"", "'$(x)`y`;&|<>*?[]{}!#%^\\\"'"),
            ("a\nb", "'a\nb'"),
        ];
        for (word, expected) in rows {
            assert_eq!(quoted(word), expected, "{word:?}");
        }
    }

    /// The word that a shell reads from plain characters, quotes and escaped single quotes.
    fn read(text: &str) -> Option<String> {
        let (mut word, mut inside) = (String::new(), false);
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\'' => inside = !inside,
                c if inside => word.push(c),
                '\\' => word.push(chars.next().filter(|c| *c == '\'')?),
                c if c.is_ascii_alphanumeric() || "/._-+:,=".contains(c) => word.push(c),
                _ => return None,
            }
        }
        (!inside).then_some(word)
    }

    proptest! {
        #[test]
        fn a_shell_reads_the_same_word(word in any::<String>(), acting in "[ '\\\\\"$`a]{0,12}") {
            for word in [word, acting] {
                prop_assert_eq!(read(&quoted(&word)), Some(word));
            }
        }
    }
}

//! Writes texts as strings of Python.

use std::fmt::Write as _;

/// A text as a Python string: over several lines if it reads the same that way.
pub(super) fn quoted(text: &str) -> String {
    let plain = !text.contains("'''") && !text.ends_with(['\'', '\\']) && !text.contains(is_hidden);
    if plain { format!("r'''{text}'''") } else { literal(text) }
}

/// A character that Python's parser would change, or that a person would not see.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || crate::domain::unicode::hidden(c).is_some()
}

/// A text as a Python string on one line. Like JSON, but hidden characters become `\U` escapes.
pub(super) fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if is_hidden(c) => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_python_reads_them() {
        assert_eq!(quoted("a\nb"), "r'''a\nb'''");
        assert_eq!(quoted("a'"), "\"a'\"");
        assert_eq!(quoted("x\r\n"), "\"x\\U0000000d\\n\"");
        assert_eq!(literal("\"\\\u{202e}é"), "\"\\\"\\\\\\U0000202eé\"");
    }
}

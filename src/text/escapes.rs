//! Removes terminal control sequences from printed text.
//!
//! A sequence ends at a control character, as in the panes, so that it can't swallow the text behind.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// A control sequence (a colour), a string for the terminal (a title, a link), or another sequence; incomplete ones
/// too.
static SEQUENCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\x1b(?:\[[ -?]*[@-~]?|[\]PX^_][^\x00-\x1f\x7f]*\x07?|[ -/]*[0-~]?)").ok());

/// The text without such sequences.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    match SEQUENCE.as_ref().filter(|_| text.contains('\x1b')) {
        Some(sequence) => sequence.replace_all(text, ""),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_and_what_a_terminal_obeys_goes() {
        for (printed, told) in [
            ("\x1b[1;31mFAILED\x1b[0m tests/a.py", "FAILED tests/a.py"),
            ("\x1b]8;;http://e.org\x1b\\here\x1b]8;;\x1b\\ \x1b]0;title\x07x", "here x"),
            ("\x1b(Ba\x1b=b\x1b", "ab"),
            ("\x1b]0;never closed\nstays", "\nstays"),
            ("\x1b[31\nstays", "\nstays"),
            ("plain [31m", "plain [31m"),
        ] {
            assert_eq!(without_escapes(printed), told, "{printed:?}");
        }
    }
}

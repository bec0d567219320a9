//! Escapes text of others for a plain terminal or a file.
//!
//! Controls become `\x1b`, other hidden characters `<U+202E>`. Tabs, line feeds and unusual spaces stay, and so do
//! joiners with an ordinary function (emoji, scripts that use them). CRLF becomes a line feed. The panes use a painter
//! of their own.

use super::unicode::{HiddenReason, hidden, joins};
use std::fmt::{self, Write as _};

/// Displays a text escaped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visible<'a>(pub(crate) &'a str);

/// The escaped text.
pub(crate) fn visible(text: &str) -> String {
    Visible(text).to_string()
}

/// The escaped text on one line: line ends and tabs become spaces.
pub(crate) fn visible_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = None;
        let mut rest = self.0.chars().peekable();
        while let Some(c) = rest.next() {
            let after = rest.peek().copied();
            match hidden(c) {
                None | Some(HiddenReason::OddSpace) => f.write_char(c)?,
                Some(HiddenReason::Control) if c == '\r' && after == Some('\n') => {}
                Some(HiddenReason::Control) => write!(f, "\\x{:02x}", u32::from(c))?,
                Some(HiddenReason::ZeroWidth) if joins(before, c, after) => f.write_char(c)?,
                Some(_) => write!(f, "<U+{:04X}>", u32::from(c))?,
            }
            before = Some(c);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_or_hides_is_written_out() {
        assert_eq!(visible("a\u{1b}[2J\u{7}\u{9b}m\u{7f}\r"), "a\\x1b[2J\\x07\\x9bm\\x7f\\x0d");
        assert_eq!(visible("x\u{202e}y\u{200b}\u{e0041}\u{feff}"), "x<U+202E>y<U+200B><U+E0041><U+FEFF>");
    }

    #[test]
    fn ordinary_text_stays() {
        for text in ["a\tb\nc", "漢字 é 👩\u{200d}💻", "نمی\u{200c}خواهم", "1\u{a0}000"] {
            assert_eq!(visible(text), text);
        }
        assert_eq!(visible("a\r\nb"), "a\nb");
        assert_eq!(visible_line("a\n  b\tc\u{1b}"), "a b c\\x1b");
    }

    proptest::proptest! {
        #[test]
        fn nothing_that_acts_is_left(text in proptest::prelude::any::<String>()) {
            let shown = visible(&text);
            assert!(!shown.chars().any(|c| matches!(hidden(c), Some(HiddenReason::Control | HiddenReason::Bidi | HiddenReason::Tag))));
        }
    }
}

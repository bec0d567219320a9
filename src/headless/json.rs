//! JSON that is safe in a terminal, a log or a pipe: one value a line, without active characters.
//!
//! Besides what JSON itself escapes, this writes DEL, U+0080 to U+009F and direction controls as `\u` escapes.

use crate::domain::unicode::{HiddenReason, hidden};
use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use std::io::{self, Write};

/// Writes a value and a line feed, and flushes.
pub(crate) fn write_line(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    let mut text = to_bytes(value)?;
    text.push(b'\n');
    out.write_all(&text)?;
    out.flush()
}

/// Writes a value without a line feed, as a part of a larger one.
pub(crate) fn write_fragment(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    out.write_all(&to_bytes(value)?)
}

fn to_bytes(value: &Value) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(256);
    value.serialize(&mut Serializer::with_formatter(&mut bytes, EscapingFormatter))?;
    Ok(bytes)
}

struct EscapingFormatter;

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut start = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| needs_escape(*c)) {
            CompactFormatter.write_string_fragment(out, fragment.get(start..at).unwrap_or(""))?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            start = at + c.len_utf8();
        }
        CompactFormatter.write_string_fragment(out, fragment.get(start..).unwrap_or(""))
    }
}

fn needs_escape(c: char) -> bool {
    !c.is_ascii_graphic()
        && matches!(hidden(c), Some(HiddenReason::Control | HiddenReason::Bidi | HiddenReason::Tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn written(value: &Value) -> String {
        let mut out = Vec::new();
        write_line(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_acts_is_escaped() {
        let text = "a\u{1b}[2J\u{7f}\u{80}\u{9b}\u{202e}\u{2066}é漢\"\\\n";
        let expected = "\"a\\u001b[2J\\u007f\\u0080\\u009b\\u202e\\u2066é漢\\\"\\\\\\n\"\n";
        assert_eq!(written(&json!(text)), expected);
        assert_eq!(written(&json!({ "\u{9b}": 1 })), "{\"\\u009b\":1}\n");
    }

    proptest! {
        #[test]
        fn it_is_json_on_one_line_that_says_the_same(text in any::<String>()) {
            let line = written(&json!({ "text": text }));
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert!(!line.trim_end().chars().any(needs_escape));
            let back: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(back["text"].as_str(), Some(text.as_str()));
        }
    }
}

//! JSON that is safe in a terminal, a log or a pipe: one value a line, without active characters.

use crate::domain::json_text::escaped;
use serde_json::Value;
use std::io::{self, Write};

/// Writes a value and a line feed, and flushes.
pub(crate) fn write_line(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    let mut text = escaped(serde_json::to_string(value)?);
    text.push('\n');
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a value without a line feed, as a part of a larger one.
pub(crate) fn write_fragment(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    out.write_all(escaped(serde_json::to_string(value)?).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::json_text::is_active;
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
        // Some readers end a line here, too.
        assert_eq!(written(&json!("a\u{2028}b\u{2029}\u{85}")), "\"a\\u2028b\\u2029\\u0085\"\n");
    }

    proptest! {
        #[test]
        fn it_is_json_on_one_line_that_says_the_same(text in any::<String>()) {
            let line = written(&json!({ "text": text }));
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert!(!line.trim_end().chars().any(is_active));
            let back: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(back["text"].as_str(), Some(text.as_str()));
        }
    }
}

//! JSON whose text does nothing in a terminal, a log or a pipe.
//!
//! Besides what JSON itself escapes, DEL, U+0080 to U+009F, direction controls and the separators of lines and
//! paragraphs become `\u` escapes: some readers of lines end one at U+2028, and would get half a value.

use super::unicode::{HiddenReason, hidden};
use std::fmt::Write as _;

/// Escapes active characters in a written JSON value. JSON has them in strings only.
pub(crate) fn escaped(json: String) -> String {
    if !json.chars().any(is_active) {
        return json;
    }
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_active(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

/// Whether a character does something beyond ASCII, or ends a line for some readers; JSON itself escapes the controls
/// of ASCII.
pub(crate) fn is_active(c: char) -> bool {
    use HiddenReason::{Bidi, Control, Separator, Tag};
    c > '~' && matches!(hidden(c), Some(Control | Bidi | Tag | Separator))
}

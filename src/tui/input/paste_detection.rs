//! Recognizes a paste from a terminal that does not mark pastes: text with line ends inside that arrives all at
//! once. Nobody types like that; taken as keys, each line would be sent, and a line beginning with a slash
//! would run as a command. Pure.

use super::parser::paste::{MAX_PASTE_BYTES, pasted_text};
use std::time::Duration;

/// Text that arrives within this time belongs to the paste.
pub(super) const PASTE_TIMEOUT: Duration = Duration::from_millis(30);

/// The bytes pasted so far; empty if no paste is open.
#[derive(Debug, Default)]
pub(super) struct UnmarkedPaste(Vec<u8>);

impl UnmarkedPaste {
    pub(super) fn goes_on(&self) -> bool {
        !self.0.is_empty()
    }

    /// Adds bytes that were read at once, if they are part of a paste; returns whether they are.
    pub(super) fn take(&mut self, bytes: &[u8]) -> bool {
        let is_part = if self.goes_on() { is_text(bytes) } else { begins(bytes) };
        if is_part {
            let room = MAX_PASTE_BYTES.saturating_sub(self.0.len()).min(bytes.len());
            self.0.extend_from_slice(bytes.get(..room).unwrap_or_default());
        }
        is_part
    }

    /// Ends the paste and returns its text, with line feeds as line ends.
    pub(super) fn end(&mut self) -> Option<String> {
        self.goes_on().then(|| pasted_text(&std::mem::take(&mut self.0)))
    }
}

/// Whether a line end is followed by more text.
fn begins(bytes: &[u8]) -> bool {
    let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
    let behind = end.and_then(|at| bytes.get(at..)).unwrap_or_default();
    is_text(bytes) && end != Some(0) && behind.iter().any(|byte| !matches!(byte, b'\r' | b'\n'))
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\r' | b'\n' | b'\t') || (*byte >= b' ' && *byte != 0x7f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_with_line_ends_inside_is_pasted_and_what_is_typed_is_not() {
        for typed in
            ["a", "hello", "hello\r", "hello\r\r", "\r", "\rhello", "a\x19b\rc", "\x1b[A\rx", "a\x7f\rb"]
        {
            assert!(!UnmarkedPaste::default().take(typed.as_bytes()), "{typed:?}");
        }
        let mut paste = UnmarkedPaste::default();
        assert!(paste.take("one\rtwo é".as_bytes()) && paste.take(b"\xc3") && paste.take(b"\xa9\r\nend\r"));
        assert!(!paste.take(b"\x03"), "a key that is none of it");
        assert_eq!(paste.end().as_deref(), Some("one\ntwo éé\nend\n"));
        assert_eq!(paste.end(), None);
    }
}

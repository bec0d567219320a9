//! Reads a paste between its marks, up to a limit, however its bytes are split.

use super::InputParser;
use crate::tui::input::InputEvent;

/// The most bytes kept of one paste; the rest is read and dropped.
pub(in crate::tui::input) const MAX_PASTE_BYTES: usize = 8 << 20;

impl InputParser {
    /// Handles bytes of a paste; returns the bytes after its end.
    pub(super) fn paste<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        const END: &[u8] = b"\x1b[201~";
        // The end marker may be split between two reads: search the last kept bytes too.
        let before = self.buffer.len();
        let from = before.saturating_sub(END.len() - 1);
        let room = (MAX_PASTE_BYTES + END.len()).saturating_sub(before);
        if bytes.len() > room {
            self.overflow = true;
        }
        self.buffer.extend_from_slice(bytes);
        let found =
            self.buffer.get(from..).and_then(|tail| tail.windows(END.len()).position(|window| window == END));
        if let Some(at) = found {
            let end = from + at;
            let used = (end + END.len()).saturating_sub(before);
            self.buffer.truncate(end);
            self.end_paste();
            self.reset();
            return bytes.get(used..).unwrap_or_default();
        }
        if self.overflow {
            // Keep the beginning, and enough of the end to recognize the end marker.
            let tail =
                self.buffer.split_off(self.buffer.len().saturating_sub(END.len() - 1).max(MAX_PASTE_BYTES));
            self.buffer.truncate(MAX_PASTE_BYTES);
            self.buffer.extend_from_slice(&tail);
        }
        &[]
    }

    pub(super) fn end_paste(&mut self) {
        self.buffer.truncate(MAX_PASTE_BYTES);
        self.events.push(InputEvent::Paste(pasted_text(&self.buffer)));
    }
}

/// Decodes pasted bytes; line ends become line feeds.
pub(in crate::tui::input) fn pasted_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n")
}

//! The rows that precede an item of the conversation: an empty one, and who speaks.

use crate::domain::Timestamp;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use ratatui::text::{Line, Span};

/// An empty row in front of every item but the first.
pub(super) fn gap(rows: &mut Vec<Line<'static>>, at: usize) {
    if at > 0 {
        rows.push(Line::default());
    }
}

/// `model  10:41`
pub(super) fn speaker(who: &'static str, at: Timestamp, slot: Slot, draw: DrawContext<'_>) -> Line<'static> {
    Line::from(vec![
        Span::styled(who, draw.style(slot)),
        Span::styled(format!("  {}", draw.locale.hour(at)), draw.dim()),
    ])
}

//! What stands in an empty conversation: how it goes, and prompts to begin with. One of them is suggested in the message
//! box; it is text there, and nothing is asked before the person sends it.

use crate::engine::State;
use crate::tui::paint::markdown;
use crate::tui::setup::Opening;
use crate::tui::theme::Slot;
use crate::tui::widgets::look::DrawStyle;
use crate::tui::widgets::safe;
use ratatui::text::{Line, Span};
use std::ops::Range;

/// So many prompts are always shown.
const MIN_PROMPTS: usize = 3;

/// The opening as it is laid out.
#[derive(Debug, Default)]
pub(super) struct OpeningRows {
    pub(crate) rows: Vec<Line<'static>>,
    /// Where each prompt stands among them.
    pub(crate) prompts: Vec<Range<usize>>,
    /// The prompt that is marked, and the columns and rows that it was laid out for.
    laid_for: (usize, (u16, u16)),
}

/// Whether nothing was said yet, so that the opening has its place.
pub(in crate::tui) fn is_open(state: &State) -> bool {
    !state.transcript.has_begun() && state.live.reply.is_none() && state.live.queued.is_none()
}

impl OpeningRows {
    /// Lays it out for so many columns; `suggested` is marked. Prompts give way where the words would not be seen.
    pub(super) fn new(
        opening: &Opening,
        suggested: usize,
        (width, height): (u16, u16),
        look: DrawStyle<'_>,
    ) -> Self {
        let rows = markdown::lines(&opening.text, width, look.theme, look.links);
        let mut laid = Self { rows, prompts: Vec::new(), laid_for: (suggested, (width, height)) };
        if opening.prompts.is_empty() {
            return laid;
        }
        laid.rows.push(Line::default());
        let room = usize::from(height).saturating_sub(laid.rows.len());
        let shown = shown(opening.prompts.len(), suggested, room);
        for (at, prompt) in opening.prompts.iter().enumerate() {
            if !shown.contains(&at) {
                // It keeps its number, and stands nowhere.
                laid.prompts.push(0..0);
                continue;
            }
            let (mark, slot) = if at == suggested { ("> ", Slot::UiFocus) } else { ("  ", Slot::UiText) };
            let from = laid.rows.len();
            let mark = Span::styled(mark, look.style(slot));
            laid.rows.extend(safe::hanging(mark, &safe::one_line(prompt), width.into(), look.style(slot)));
            laid.prompts.push(from..laid.rows.len());
        }
        let hidden = opening.prompts.len() - shown.len();
        if hidden > 0 {
            laid.rows.push(Line::styled(format!("  {hidden} more: Up, Down"), look.dim()));
        }
        laid
    }

    /// Whether it is laid out so already.
    pub(super) fn is_for(&self, suggested: usize, size: (u16, u16)) -> bool {
        self.laid_for == (suggested, size)
    }
}

/// Which of so many prompts are shown on so many rows: all, or some with the suggested one among them.
fn shown(prompts: usize, suggested: usize, rows: usize) -> Range<usize> {
    if prompts <= rows {
        return 0..prompts;
    }
    let count = rows.saturating_sub(1).max(MIN_PROMPTS).min(prompts);
    let first = suggested.saturating_sub(count - 1).min(prompts - count);
    first..first + count
}

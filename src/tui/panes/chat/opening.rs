//! The opening of an empty conversation: how sayso works, and prompts to start with. One prompt is suggested in the
//! message box; it is only text, and nothing is sent before the person sends it.

use crate::engine::State;
use crate::tui::paint::markdown;
use crate::tui::setup::Opening;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
use ratatui::text::{Line, Span};
use std::ops::Range;

/// At least this many prompts are shown, however small the pane is.
const MIN_PROMPTS: usize = 3;

/// The laid out opening.
#[derive(Debug, Default)]
pub(super) struct OpeningRows {
    pub(crate) rows: Vec<Line<'static>>,
    /// The rows of each prompt; empty for a hidden one.
    pub(crate) prompts: Vec<Range<usize>>,
    /// The marked prompt, and the columns and rows of the pane, for which it was laid out.
    laid_for: (usize, (u16, u16)),
}

/// Whether nothing was said yet, so that the opening is shown.
pub(in crate::tui) fn is_open(state: &State) -> bool {
    !state.transcript.has_begun() && state.live.reply.is_none() && state.live.queued.is_none()
}

impl OpeningRows {
    /// Lays out the opening; `suggested` is marked. Prompts are hidden if they would push the text above off screen.
    pub(super) fn new(
        opening: &Opening,
        suggested: usize,
        (width, height): (u16, u16),
        draw: DrawContext<'_>,
    ) -> Self {
        let rows = markdown::lines(&opening.text, width, draw.markdown(), draw.links);
        let mut laid = Self { rows, prompts: Vec::new(), laid_for: (suggested, (width, height)) };
        if opening.prompts.is_empty() {
            return laid;
        }
        laid.rows.push(Line::default());
        let room = usize::from(height).saturating_sub(laid.rows.len());
        let shown = shown(opening.prompts.len(), suggested, room);
        for (at, prompt) in opening.prompts.iter().enumerate() {
            if !shown.contains(&at) {
                // It keeps its number but has no rows.
                laid.prompts.push(0..0);
                continue;
            }
            let (mark, slot) = if at == suggested { ("> ", Slot::UiFocus) } else { ("  ", Slot::UiText) };
            let from = laid.rows.len();
            let mark = Span::styled(mark, draw.style(slot));
            laid.rows.extend(safe::hanging(mark, &safe::one_line(prompt), width.into(), draw.style(slot)));
            laid.prompts.push(from..laid.rows.len());
        }
        let hidden = opening.prompts.len() - shown.len();
        if hidden > 0 {
            laid.rows.push(Line::styled(format!("  {hidden} more: Up, Down"), draw.dim()));
        }
        laid
    }

    /// Whether it was laid out for these values.
    pub(super) fn is_for(&self, suggested: usize, size: (u16, u16)) -> bool {
        self.laid_for == (suggested, size)
    }
}

/// Which prompts are shown on `rows` rows: all, or some including the suggested one.
fn shown(prompts: usize, suggested: usize, rows: usize) -> Range<usize> {
    if prompts <= rows {
        return 0..prompts;
    }
    let count = rows.saturating_sub(1).max(MIN_PROMPTS).min(prompts);
    let first = suggested.saturating_sub(count - 1).min(prompts - count);
    first..first + count
}

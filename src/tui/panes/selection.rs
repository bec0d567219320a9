//! The mouse selection: text of one pane, between two positions in it. It refers to text, not to rows or the screen, so
//! that output that arrives meanwhile does not move it.

use super::Panes;
use crate::engine::State;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::passage::{TextPlace, text_between};

/// A selection in a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) pane: Pane,
    /// What was selected first, from one position to another: a position, a word or a line.
    began: (TextPlace, TextPlace),
    /// Where the mouse is.
    at: TextPlace,
}

impl Selection {
    /// A selection that begins with the text between two positions.
    pub(crate) fn new(pane: Pane, (from, to): (TextPlace, TextPlace)) -> Self {
        Self { pane, began: (from, to), at: to }
    }

    /// Extends the selection to the mouse's position.
    pub(crate) fn reach(&mut self, at: TextPlace) {
        self.at = at;
    }

    /// The range of the selection, if it is in this pane and not empty.
    pub(crate) fn of(&self, pane: Pane) -> Option<(TextPlace, TextPlace)> {
        let (from, to) = (self.began.0.min(self.at), self.began.1.max(self.at));
        (pane == self.pane && from != to).then_some((from, to))
    }
}

impl Panes {
    /// The selected text as it was written or printed.
    pub(crate) fn selected_text(&self, state: &State, draw: DrawContext<'_>) -> Option<String> {
        let selection = self.selection?;
        let (from, to) = selection.of(selection.pane)?;
        let items = from.item..=to.item;
        let text = match selection.pane {
            Pane::Chat => text_between((from, to), items, |item| self.chat.lines_of(state, item, draw)),
            Pane::Code => text_between((from, to), items, |item| self.code.lines_of(item)),
            _ => {
                let items = self.output.items(from.item, to.item);
                text_between((from, to), items, |item| self.output.lines_of(item))
            }
        };
        (!text.is_empty()).then_some(text)
    }
}

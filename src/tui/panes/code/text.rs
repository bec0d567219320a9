//! The text of the code pane, for search and selection: its lines, and which of them are on which rows of the screen.
//! It contains no rights, findings or lines of an older text.

use super::subject::{PaneSubject, subject};
use super::{CodePane, Mode};
use crate::domain::BlockId;
use crate::engine::State;
use crate::tui::paint::glyphs::Strictness;
use crate::tui::widgets::passage::WrappedLine;
use crate::tui::widgets::passage::screen_text::ScreenText;
use ratatui::layout::Rect;

impl CodePane {
    /// The text on screen: the lines of one item, the block.
    pub(crate) fn screen_text(&self, state: &State) -> ScreenText {
        let mut text = ScreenText::default();
        let (Mode::View, PaneSubject::Block(item)) = (&self.mode, subject(self, state)) else { return text };
        let Some(laid) = self.layout.as_ref().filter(|laid| laid.block() == item.block.id) else {
            return text;
        };
        let rights = laid.rights.rows().len();
        let (above, from) = if self.division().pinned > 0 {
            (rights, self.top)
        } else {
            (rights.saturating_sub(self.top), self.top.saturating_sub(rights))
        };
        let above = above + usize::from(rights == 0);
        let mut on: Option<(usize, usize)> = None;
        for (y, row) in (above..self.height()).zip(from..) {
            let (Some((line, part)), Ok(y)) = (laid.doc.code_row(row), u16::try_from(y)) else { continue };
            let number = match on.filter(|(at, _)| *at == line) {
                Some((_, number)) => number,
                None => text.line(item.block.id.0 as usize, line, laid.doc.passage(line)),
            };
            on = Some((line, number));
            text.row(self.area.y + y, number, part);
        }
        text
    }

    /// The lines of the block on screen.
    pub(crate) fn lines_of(&self, block: usize) -> Vec<WrappedLine> {
        let laid = self.layout.as_ref().filter(|laid| laid.block().0 as usize == block);
        let lines = laid.into_iter().flat_map(|laid| laid.doc.source().lines());
        lines.map(|line| WrappedLine::from_rows(line.to_owned(), Vec::new(), 0, Strictness::Code)).collect()
    }

    pub(crate) fn show_in(&mut self, block: BlockId, line: usize) {
        if !self.edits() {
            self.show(block);
            self.show_line(line);
        }
    }

    /// The screen area of the text.
    pub(crate) fn area(&self) -> Rect {
        self.area
    }
}

//! Draws the output pane and its title.

use super::{OutputPane, receipt};
use crate::engine::{BlockState, State};
use crate::tui::paint::canvas::Canvas;
use crate::tui::paint::screen;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::frame::Title;
use crate::tui::widgets::virtual_list::{Anchor, EndKeys};
use crate::tui::widgets::words;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr as _;

/// The columns of a title without its texts: brackets and gaps.
const TITLE_FRAME_COLUMNS: usize = 7;

impl OutputPane {
    /// The title: whose output, how the run ended, and the scroll position.
    pub(crate) fn title(&self, state: &State, focused: bool, keys: &EndKeys, draw: DrawContext<'_>) -> Title {
        let (left, right, style) = match self.run(state).map(|(item, run)| (item.block.id, run)) {
            Some((block, run)) => {
                let standing = BlockState::of_run(run);
                let time = run.ended.as_ref().map(|(_, r)| words::duration(r.receipt.wall_us / 1000));
                let (left, right) = match standing {
                    BlockState::Running => (format!("Output block {block}"), receipt::progress(state, draw)),
                    _ => (format!("Output block {block}: {standing}"), time.unwrap_or_default()),
                };
                (left, right, Some(draw.block(standing)))
            }
            None => ("Output".into(), String::new(), None),
        };
        if let Some(image) = self.image_position(state) {
            return Title { left, right: image, focused, style };
        }
        let table = self.table().filter(|_| self.screen.is_none());
        let columns = table.map(|table| table.position_text(self.skipped, self.area.width.into()));
        let standing = (!self.list.follows()).then(|| self.list.position_text(keys));
        let parts = [columns.unwrap_or_default(), standing.unwrap_or_default(), right];
        let right = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
        let room =
            usize::from(self.area.width).saturating_sub(left.width() + right.width() + TITLE_FRAME_COLUMNS);
        let right = match self.line_reached().filter(|line| line.width() <= room) {
            Some(line) if right.is_empty() => line,
            Some(line) => format!("{line}  {right}"),
            None => right,
        };
        Title { left, right, focused, style }
    }

    /// `line 23/200`: the last output line on screen, if not everything fits.
    fn line_reached(&self) -> Option<String> {
        if self.screen.is_some() || self.single_image.is_some() {
            return None;
        }
        let visible = &self.list.visible;
        let begins_above = visible.first().is_some_and(|at| *at != Anchor { item: 0, row: 0 });
        if !begins_above && !self.list.goes_on {
            return None;
        }
        let all = self.output.len();
        let last = visible
            .iter()
            .rev()
            .find_map(|at| at.item.checked_sub(self.head.len()).filter(|line| *line < all))?;
        let printed = self.output.printed_lines()?;
        let grouped = |count: usize| words::grouped(count as u64);
        Some(format!("line {}/{}", grouped(self.output.number(last) + 1), grouped(printed)))
    }

    /// Draws a sign left of the rows from standard error, in the margin or border, because their colour alone would not
    /// be visible without colours.
    fn mark_errors(&self, area: Rect, buf: &mut Canvas, draw: DrawContext<'_>) {
        let Some(x) = area.x.checked_sub(1).filter(|_| !self.whole) else { return };
        for (y, at) in (area.y..area.bottom()).zip(&self.list.visible) {
            let line = at.item.checked_sub(self.head.len());
            if self.single_image.is_none() && line.is_some_and(|line| self.output.is_error(line)) {
                buf.set_stringn(x, y, "!", 1, draw.style(Slot::OutputStderr));
            }
        }
    }

    /// The rows that the header of a table takes at the top.
    pub(super) fn header_rows(&self) -> u16 {
        u16::try_from(self.header.len()).unwrap_or(0)
    }

    /// Draws the rows that [`OutputPane::arrange`] laid out. Returns where to put the program's cursor, if its screen
    /// is shown.
    pub(crate) fn draw(&self, buf: &mut Canvas, draw: DrawContext<'_>) -> Option<Position> {
        match &self.screen {
            Some(screen) => screen::draw(screen, self.area, buf, draw.theme),
            None => {
                buf.set_lines(self.area, &self.header);
                let above = self.header_rows().min(self.area.height);
                let area = Rect { y: self.area.y + above, height: self.area.height - above, ..self.area };
                self.list.draw(area, buf);
                self.mark_errors(area, buf, draw);
                None
            }
        }
    }
}

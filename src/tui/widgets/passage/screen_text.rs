//! The visible text of a pane: which text is at a position of the screen, and where a stretch of text is on screen.

use super::{FoundText, TextPlace, WrappedLine, part_of};
use crate::tui::pattern::Pattern;
use crate::tui::widgets::virtual_list::Anchor;
use ratatui::layout::Rect;
use std::ops::Range;

/// The visible text of a pane.
#[derive(Debug, Default)]
pub(crate) struct ScreenText {
    lines: Vec<(usize, usize, WrappedLine)>,
    /// Rows of the screen, top to bottom: the screen row, the index in `lines`, the row of that line.
    rows: Vec<(u16, usize, usize)>,
}

impl ScreenText {
    /// Builds the text of a list from its visible rows, the first of them at screen row `top`; `lines_of`
    /// returns the lines of an item.
    pub(crate) fn of_list(
        top: u16,
        visible: impl Iterator<Item = Anchor>,
        mut lines_of: impl FnMut(usize) -> Vec<WrappedLine>,
    ) -> Self {
        let mut text = Self::default();
        // The current item, and for each of its rows the line and the row of that line.
        let mut on: Option<(usize, Vec<(usize, usize)>)> = None;
        for (y, at) in (top..).zip(visible) {
            if on.as_ref().is_none_or(|(item, _)| *item != at.item) {
                let mut rows = Vec::new();
                for (number, passage) in lines_of(at.item).into_iter().enumerate() {
                    let count = passage.rows();
                    let line = text.line(at.item, number, passage);
                    rows.extend((0..count).map(|row| (line, row)));
                }
                on = Some((at.item, rows));
            }
            if let Some((line, row)) = on.as_ref().and_then(|(_, rows)| rows.get(at.row)) {
                text.row(y, *line, *row);
            }
        }
        text
    }

    /// Adds a line of an item. Returns its index in `lines`.
    pub(crate) fn line(&mut self, item: usize, line: usize, passage: WrappedLine) -> usize {
        self.lines.push((item, line, passage));
        self.lines.len() - 1
    }

    /// Records that a row of a line is drawn on a row of the screen.
    pub(crate) fn row(&mut self, y: u16, line: usize, row: usize) {
        self.rows.push((y, line, row));
    }

    /// The text position nearest to a position on screen.
    pub(crate) fn place_at(&self, area: Rect, column: u16, y: u16) -> Option<TextPlace> {
        let behind = self.rows.partition_point(|(at, ..)| *at <= y);
        // Above all text: the start of the text. Beside a row without text: the end of the text above it.
        let Some((at, line, row)) = behind.checked_sub(1).and_then(|i| self.rows.get(i)).copied() else {
            let (_, line, row) = self.rows.first().copied()?;
            let (item, number, passage) = self.lines.get(line)?;
            return Some(TextPlace { item: *item, line: *number, byte: passage.byte_at(row, 0) });
        };
        let (item, number, passage) = self.lines.get(line)?;
        let column = if at == y { usize::from(column.saturating_sub(area.x)) } else { usize::MAX };
        Some(TextPlace { item: *item, line: *number, byte: passage.byte_at(row, column) })
    }

    pub(crate) fn word(&self, at: TextPlace) -> Option<(TextPlace, TextPlace)> {
        let range = self.passage(at)?.word_at(at.byte);
        Some((TextPlace { byte: range.start, ..at }, TextPlace { byte: range.end, ..at }))
    }

    pub(crate) fn whole_line(&self, at: TextPlace) -> Option<(TextPlace, TextPlace)> {
        let end = self.passage(at)?.text.len();
        Some((TextPlace { byte: 0, ..at }, TextPlace { byte: end, ..at }))
    }

    fn passage(&self, at: TextPlace) -> Option<&WrappedLine> {
        self.lines.iter().find(|(item, line, _)| (*item, *line) == (at.item, at.line)).map(|(.., p)| p)
    }

    /// The visible cells of all matches of a pattern, each with whether it belongs to `current`, the match that the
    /// person is at.
    pub(crate) fn matches(
        &self,
        area: Rect,
        pattern: &Pattern,
        current: Option<&FoundText>,
    ) -> Vec<(Rect, bool)> {
        let mut marked = Vec::new();
        for (number, (item, line, passage)) in self.lines.iter().enumerate() {
            for bytes in pattern.find_in(&passage.text) {
                let is_current =
                    current.is_some_and(|at| (at.item, at.line, &at.bytes) == (*item, *line, &bytes));
                marked.extend(self.on_screen(area, number, &bytes).map(|cells| (cells, is_current)));
            }
        }
        marked
    }

    /// The visible cells between two text positions.
    pub(crate) fn selected(&self, area: Rect, from: TextPlace, to: TextPlace) -> Vec<Rect> {
        let mut cells = Vec::new();
        for (number, (item, line, passage)) in self.lines.iter().enumerate() {
            if let Some(bytes) = part_of((*item, *line), passage.text.len(), from, to) {
                cells.extend(self.on_screen(area, number, &bytes));
            }
        }
        cells
    }

    fn on_screen(&self, area: Rect, line: usize, bytes: &Range<usize>) -> impl Iterator<Item = Rect> {
        let columns = self.lines.get(line).map(|(.., passage)| passage.columns(bytes)).unwrap_or_default();
        columns.into_iter().filter_map(move |(row, columns)| {
            let (y, ..) = self.rows.iter().find(|(_, at, r)| (*at, *r) == (line, row))?;
            let x = area.x.checked_add(u16::try_from(columns.start).ok()?)?;
            let width = u16::try_from(columns.len()).ok()?;
            let cells = Rect { x, y: *y, width, height: 1 }.intersection(area);
            (cells.width > 0).then_some(cells)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::paint::glyphs::Strictness;
    use crate::tui::widgets::passage::text_between;
    use crate::tui::widgets::safe;

    const AREA: Rect = Rect { x: 10, y: 5, width: 12, height: 6 };

    /// A screen that shows all rows of these lines, each line an item.
    fn shown(lines: Vec<WrappedLine>) -> ScreenText {
        let (mut text, mut y) = (ScreenText::default(), AREA.y);
        for (item, passage) in lines.into_iter().enumerate() {
            let rows = passage.rows();
            let line = text.line(item, 0, passage);
            for row in 0..rows {
                text.row(y, line, row);
                y += 1;
            }
        }
        text
    }

    fn place(item: usize, byte: usize) -> TextPlace {
        TextPlace { item, line: 0, byte }
    }

    #[test]
    fn a_place_on_screen_is_a_byte_of_the_text() {
        // Columns: a tab up to 8, a wide character, a letter.
        let line = WrappedLine::from_glyphs("ab\t漢c".into(), 12, 8);
        let text = shown(vec![line]);
        let byte = |column| text.place_at(AREA, AREA.x + column, AREA.y).unwrap().byte;
        assert_eq!(
            [byte(0), byte(1), byte(2), byte(7), byte(8), byte(9), byte(10), byte(11)],
            [0, 1, 2, 2, 3, 3, 6, 7]
        );
        assert_eq!(text.place_at(AREA, 0, 0), Some(place(0, 0)), "above all text");
        assert_eq!(text.place_at(AREA, 10, 9), Some(place(0, 7)), "below all text");
    }

    #[test]
    fn what_is_selected_is_the_source_and_its_cells_have_no_gutter() {
        let code = |text: &str| {
            let rows = safe::code_ranges(text, 8);
            WrappedLine::from_rows(text.into(), rows, 4, Strictness::Code)
        };
        let lines = vec![code("let x = '漢漢漢';"), code("\tend")];
        let text = shown(lines.clone());
        let (from, to) = (place(0, 4), place(1, 2));
        assert_eq!(text_between((from, to), 0..2, |item| vec![lines[item].clone()]), "x = '漢漢漢';\n\te");
        let cells: Vec<_> =
            text.selected(AREA, from, to).iter().map(|r| (r.x - 10, r.y - 5, r.width)).collect();
        assert_eq!(cells, [(8, 0, 4), (4, 1, 8), (4, 2, 1), (4, 3, 5)]);
    }

    #[test]
    fn a_match_across_a_wrap_is_marked_on_both_rows() {
        let line = WrappedLine::from_glyphs("0123456789needle".into(), 12, 8);
        let text = shown(vec![line]);
        let current = FoundText { item: 0, line: 0, bytes: 10..16 };
        let marked = text.matches(AREA, &Pattern::text("needle").unwrap(), Some(&current));
        let rows: Vec<_> = marked.iter().map(|(r, now)| (r.x, r.y, r.width, *now)).collect();
        assert_eq!(rows, [(20, 5, 2, true), (10, 6, 4, true)]);
    }
}

//! Draws the screen of a run's own terminal as cells that are safe to draw. Each cell is text from outside, and
//! stays in its cell.

use super::canvas::Canvas;
use super::glyphs::{self, Strictness};
use super::pen;
use crate::domain::{PenColor, ScreenCell, TerminalScreen};
use crate::tui::theme::Theme;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use std::borrow::Cow;

/// Drawn for an unsafe character: its escape does not fit into one cell.
const REPLACEMENT: &str = "?";

/// How many rows of the screen are scrolled off above an area of this height.
pub(crate) fn rows_above(screen: &TerminalScreen, height: u16) -> u16 {
    let last = screen.cursor.map_or(0, |(row, _)| row);
    (last + 1).saturating_sub(height)
}

/// Draws the screen so that the row of its cursor is visible; returns the cursor's position.
pub(crate) fn draw(screen: &TerminalScreen, area: Rect, buf: &mut Canvas, theme: &Theme) -> Option<Position> {
    let above = rows_above(screen, area.height);
    for (y, row) in (area.y..area.bottom()).zip(screen.rows.iter().skip(above.into())) {
        for (x, cell) in (area.x..area.right()).zip(row.iter()) {
            if cell.width == 0 {
                continue;
            }
            let (text, is_marked) = cell_symbol(cell);
            let style = style(cell, theme);
            let style = if is_marked { style.patch(theme.mark()) } else { style };
            let room = u16::from(cell.width).min(area.right() - x);
            buf.set_stringn(x, y, " ".repeat(room.into()), room.into(), style);
            if room == u16::from(cell.width) {
                buf.set_stringn(x, y, text, room.into(), style);
            }
        }
    }
    let (row, column) = screen.cursor?;
    let place = Position { x: area.x.saturating_add(column), y: area.y.saturating_add(row - above) };
    area.contains(place).then_some(place)
}

/// The safe text of a cell, and whether it replaces something that may not be drawn.
fn cell_symbol(cell: &ScreenCell) -> (Cow<'static, str>, bool) {
    let mut text = String::from(cell.character);
    if cell.marks.is_none() && glyphs::is_plain(&text) {
        return (text.into(), false);
    }
    let alone = text.clone();
    text.extend(cell.marks.iter().map(|marks| &**marks));
    // If a character with its marks is wider than its cell, the marks are dropped.
    [text, alone]
        .into_iter()
        .find(|text| fits(text, cell.width))
        .map_or((REPLACEMENT.into(), true), |text| (text.into(), false))
}

fn fits(text: &str, width: u8) -> bool {
    let mut glyphs = glyphs::of(text, Strictness::Text, glyphs::TAB);
    let first = glyphs.next().is_some_and(|glyph| {
        !glyph.marked
            && glyph.width == usize::from(width)
            && glyph.end - glyph.start == text.len()
            && glyph.text == text
    });
    first && glyphs.next().is_none()
}

fn style(cell: &ScreenCell, theme: &Theme) -> Style {
    let mut pen = cell.pen;
    if cell.character == ' ' && cell.marks.is_none() {
        // A space in the colour of its background must not hide anything.
        pen.fg = PenColor::Default;
    }
    pen::style(pen, theme.depth())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Pen;
    use crate::tui::theme::Depth;
    use ratatui::buffer::Buffer;
    use ratatui::style::Color;
    use std::sync::Arc;

    fn cell(character: char, marks: &str, width: u8) -> ScreenCell {
        let marks = (!marks.is_empty()).then(|| marks.into());
        ScreenCell { character, marks, width, pen: Pen::default() }
    }

    fn row(cells: Vec<ScreenCell>) -> (String, Buffer) {
        let area = Rect::new(0, 0, 8, 1);
        let mut canvas = Canvas::new((area.width, area.height));
        let screen = TerminalScreen { rows: vec![Arc::new(cells)], ..TerminalScreen::default() };
        draw(&screen, area, &mut canvas, &Theme::terminal(Depth::True));
        let buf = canvas.to_buffer();
        let text = buf.content().iter().map(|cell| cell.symbol()).collect();
        (text, buf)
    }

    #[test]
    fn each_cell_stays_in_its_place_whatever_it_holds() {
        let hostile = ['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}', '\u{e0041}', '\u{7}'];
        for c in hostile {
            assert_eq!(row(vec![cell(c, "", 1), cell('b', "", 1)]).0, "?b      ", "{c:?}");
            // On another character it is dropped.
            let marked = String::from(c);
            assert_eq!(row(vec![cell('a', &marked, 1), cell('b', "", 1)]).0, "ab      ", "{c:?}");
        }
        assert_eq!(row(vec![cell('e', "\u{301}", 1), cell('b', "", 1)]).0, "e\u{301}b      ");
        let wide = vec![cell('漢', "", 2), cell(' ', "", 0), cell('b', "", 1)];
        assert!(row(wide).0.starts_with("漢"));
        // The half of a wide character that does not fit is blank.
        let mut cut = vec![cell('a', "", 1); 7];
        cut.push(cell('漢', "", 2));
        assert_eq!(row(cut).0, "aaaaaaa ");
    }

    #[test]
    fn text_in_its_own_background_is_shown_and_blanks_keep_theirs() {
        let mut red = Pen::default();
        red.obey(b"31;41");
        let cells =
            vec![ScreenCell { pen: red, ..cell('x', "", 1) }, ScreenCell { pen: red, ..cell(' ', "", 1) }];
        let (_, buf) = row(cells);
        let (text, blank) = (&buf.content()[0], &buf.content()[1]);
        assert_eq!((text.fg, text.bg), (Color::Reset, Color::Reset));
        assert_eq!(blank.bg, Color::Red);
    }
}

//! The target of all drawing. It records, row by row, what a frame draws.
//!
//! The cells of a row follow from its record alone. A row that is drawn as in the frame before has the same cells, so
//! nobody has to make or compare them: after a typed letter these are nearly all rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::merge::MergeStrategy;
use ratatui::text::Line;
use std::ops::Range;

/// What a frame draws.
#[derive(Debug, Default)]
pub struct Canvas {
    pub(crate) area: Rect,
    rows: Vec<RowRecord>,
}

/// What is drawn in a row.
#[derive(Debug, Default, PartialEq, Eq)]
struct RowRecord {
    steps: Vec<DrawStep>,
    /// The texts of the steps, one after the other.
    texts: String,
}

/// One step of drawing a row; `end` is where its text ends among the texts of the row.
#[derive(Debug, PartialEq, Eq)]
enum DrawStep {
    /// The following texts start at this column and fill at most so many columns.
    Start {
        x: u16,
        room: u16,
    },
    Text {
        end: usize,
        style: Style,
    },
    /// The same piece of a border in each of these columns, joined with a border that is already there.
    Border {
        columns: Range<u16>,
        end: usize,
        style: Style,
    },
    Style {
        columns: Range<u16>,
        style: Style,
    },
    Blank {
        columns: Range<u16>,
        style: Style,
    },
}

impl Canvas {
    /// An empty canvas of so many columns and rows.
    pub fn new((width, height): (u16, u16)) -> Self {
        let rows = std::iter::repeat_with(RowRecord::default).take(height.into()).collect();
        Self { area: Rect::new(0, 0, width, height), rows }
    }

    /// Removes what was drawn; keeps the memory for the next frame.
    pub(crate) fn clear(&mut self) {
        for row in &mut self.rows {
            row.steps.clear();
            row.texts.clear();
        }
    }

    /// Draws a line in at most `room` columns.
    pub(crate) fn set_line(&mut self, x: u16, y: u16, line: &Line<'_>, room: u16) {
        let Some(row) = self.rows.get_mut(usize::from(y)) else { return };
        row.steps.push(DrawStep::Start { x, room });
        for span in &line.spans {
            row.text(&span.content, line.style.patch(span.style));
        }
    }

    /// Draws lines from the top of an area on, as many as it has rows.
    pub(crate) fn set_lines<'a>(&mut self, area: Rect, lines: impl IntoIterator<Item = &'a Line<'static>>) {
        for (y, line) in (area.y..area.bottom()).zip(lines) {
            self.set_line(area.x, y, line, area.width);
        }
    }

    /// Draws a text in at most `room` columns.
    pub(crate) fn set_stringn(&mut self, x: u16, y: u16, text: impl AsRef<str>, room: usize, style: Style) {
        let Some(row) = self.rows.get_mut(usize::from(y)) else { return };
        row.steps.push(DrawStep::Start { x, room: u16::try_from(room).unwrap_or(u16::MAX) });
        row.text(text.as_ref(), style);
    }

    /// Draws a piece of a border in each of these columns, joined with a border that is already there.
    pub(crate) fn set_border(&mut self, columns: Range<u16>, y: u16, symbol: &str, style: Style) {
        let Some(row) = self.rows.get_mut(usize::from(y)) else { return };
        row.texts.push_str(symbol);
        row.steps.push(DrawStep::Border { columns, end: row.texts.len(), style });
    }

    pub(crate) fn set_style(&mut self, area: Rect, style: Style) {
        for row in self.rows_of(area) {
            row.steps.push(DrawStep::Style { columns: area.left()..area.right(), style });
        }
    }

    /// Removes everything from an area.
    pub(crate) fn set_blank(&mut self, area: Rect, style: Style) {
        for row in self.rows_of(area) {
            row.steps.push(DrawStep::Blank { columns: area.left()..area.right(), style });
        }
    }

    fn rows_of(&mut self, area: Rect) -> impl Iterator<Item = &mut RowRecord> {
        self.rows.iter_mut().take(area.bottom().into()).skip(area.top().into())
    }

    /// Whether a row is drawn as on the other canvas, so that its cells are the same.
    pub(crate) fn has_same_row(&self, y: u16, other: &Self) -> bool {
        self.rows.get(usize::from(y)) == other.rows.get(usize::from(y))
    }

    /// Makes the cells of a row.
    pub(crate) fn paint_row(&self, y: u16, buf: &mut Buffer) {
        blank(self.area.left()..self.area.right(), y, Style::new(), buf);
        if let Some(row) = self.rows.get(usize::from(y)) {
            row.paint(y, buf);
        }
    }

    /// The cells of the whole frame.
    pub fn to_buffer(&self) -> Buffer {
        let mut buf = Buffer::empty(self.area);
        (self.area.top()..self.area.bottom()).for_each(|y| self.paint_row(y, &mut buf));
        buf
    }
}

impl RowRecord {
    fn text(&mut self, text: &str, style: Style) {
        self.texts.push_str(text);
        self.steps.push(DrawStep::Text { end: self.texts.len(), style });
    }

    fn paint(&self, y: u16, buf: &mut Buffer) {
        let (mut at, mut room, mut text_start) = (0, 0, 0);
        let mut next_text = |end: usize| {
            let text = self.texts.get(text_start..end).unwrap_or_default();
            text_start = end;
            text
        };
        for step in &self.steps {
            match step {
                DrawStep::Start { x, room: columns } => (at, room) = (*x, *columns),
                DrawStep::Text { end, style } => {
                    let (next, _) = buf.set_stringn(at, y, next_text(*end), room.into(), *style);
                    room = room.saturating_sub(next.saturating_sub(at));
                    at = next;
                }
                DrawStep::Border { columns, end, style } => {
                    let symbol = next_text(*end);
                    columns.clone().for_each(|x| border(x, y, symbol, *style, buf));
                }
                DrawStep::Style { columns, style } => {
                    let width = columns.end.saturating_sub(columns.start);
                    buf.set_style(Rect { x: columns.start, y, width, height: 1 }, *style);
                }
                DrawStep::Blank { columns, style } => blank(columns.clone(), y, *style, buf),
            }
        }
    }
}

/// Draws a piece of a border, and joins it with a border that is already in the cell.
fn border(x: u16, y: u16, symbol: &str, style: Style, buf: &mut Buffer) {
    let Some(cell) = buf.cell_mut((x, y)) else { return };
    // ASCII borders can't be joined: a corner stays a corner.
    if cell.symbol() != "+" {
        cell.merge_symbol(symbol, MergeStrategy::Exact);
    }
    cell.set_style(style);
}

fn blank(columns: Range<u16>, y: u16, style: Style, buf: &mut Buffer) {
    for x in columns {
        if let Some(cell) = buf.cell_mut((x, y)) {
            cell.reset();
            cell.set_style(style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::{Color, Modifier};
    use ratatui::text::Span;

    const SIZE: (u16, u16) = (9, 3);

    #[test]
    fn the_cells_are_those_of_the_same_steps_on_a_buffer() {
        let (red, bold) = (Style::new().fg(Color::Red), Style::new().add_modifier(Modifier::BOLD));
        let texts = ["", "plain", "a\u{6f22}b\u{6f22}", "e\u{301}\u{200b}\tx", "longer than the row"];
        for (first, second) in texts.iter().flat_map(|first| texts.map(|second| (*first, second))) {
            for (x, room) in (0..12).flat_map(|x| (0..12).map(move |room| (x, room))) {
                let line = Line::from(vec![Span::styled(first, red), Span::raw(second)]).style(bold);
                let (mut canvas, mut buf) =
                    (Canvas::new(SIZE), Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1)));
                let part = Rect::new(1, 1, 3, 1);
                canvas.set_stringn(0, 1, "under all", 9, Style::new());
                canvas.set_line(x, 1, &line, room);
                canvas.set_style(part, bold);
                buf.set_stringn(0, 1, "under all", 9, Style::new());
                buf.set_line(x, 1, &line, room);
                buf.set_style(part, bold);
                assert_eq!(canvas.to_buffer(), buf, "{first:?} {second:?} at {x} in {room}");
            }
        }
    }

    #[test]
    fn a_row_is_the_same_only_if_all_of_its_steps_are() {
        let draw = |steps: &dyn Fn(&mut Canvas)| {
            let mut canvas = Canvas::new(SIZE);
            steps(&mut canvas);
            canvas
        };
        let red = Style::new().fg(Color::Red);
        let plain = draw(&|canvas| canvas.set_stringn(0, 1, "ab", 9, Style::new()));
        let again = draw(&|canvas| canvas.set_stringn(0, 1, "ab", 9, Style::new()));
        assert!((0..SIZE.1).all(|y| plain.has_same_row(y, &again)));
        let others: [&dyn Fn(&mut Canvas); 8] = [
            &|_| (),
            &|canvas| canvas.set_stringn(0, 1, "ac", 9, Style::new()),
            &|canvas| canvas.set_stringn(1, 1, "ab", 9, Style::new()),
            &|canvas| canvas.set_stringn(0, 1, "ab", 1, Style::new()),
            &|canvas| canvas.set_stringn(0, 1, "ab", 9, red),
            &|canvas| canvas.set_border(0..2, 1, "ab", Style::new()),
            &|canvas| {
                canvas.set_stringn(0, 1, "ab", 9, Style::new());
                canvas.set_style(Rect::new(0, 0, 9, 3), red);
            },
            &|canvas| {
                canvas.set_stringn(0, 1, "ab", 9, Style::new());
                canvas.set_blank(Rect::new(0, 0, 9, 3), Style::new());
            },
        ];
        for (nth, steps) in others.into_iter().enumerate() {
            assert!(!plain.has_same_row(1, &draw(steps)), "{nth}");
        }
    }
}

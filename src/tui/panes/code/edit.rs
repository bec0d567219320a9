//! Draws the text being edited, with its gutter, its selection and the cursor.

use super::doc::changed_words::marked;
use super::doc::{Gutter, LineStyles, gutter_width};
use super::{CodePane, Mode};
use crate::tui::paint::canvas::Canvas;
use crate::tui::paint::wrap;
use crate::tui::panes::editor::Editor;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::Pos;
use crate::tui::widgets::typed_text::selected_in;
use crate::tui::widgets::{safe, words};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

/// The style of the bracket under the cursor and of its counterpart.
const BRACKET: Style = Style::new().add_modifier(Modifier::BOLD).add_modifier(Modifier::UNDERLINED);

impl CodePane {
    /// Scrolls so that the cursor of the editor is on screen.
    pub(super) fn follow_cursor(&mut self) {
        let Mode::Edit(editor) = &mut self.mode else { return };
        editor.compare();
        let room = text_width(editor, self.area);
        editor.field.content.lay_out(wrap::WrapOptions::code(room, Style::default()));
        let height = usize::from(self.area.height.saturating_sub(1)).max(1);
        let at = editor.field.cursor();
        let lines = editor.field.lines();
        let rows_of = |line: usize| lines.get(line).map_or(1, |text| safe::code_rows(text, room));
        let (within, _) = safe::code_place(lines.get(at.line).map_or("", String::as_str), room, at.byte);
        // Lines more than a screen above the cursor need not be counted row by row.
        let top = self.edit_top.min(at.line).max((at.line + 1).saturating_sub(height));
        let top = top_for_cursor(top, at.line, within, height, rows_of);
        self.edit_top = top_without_gap(top, lines.len(), height, rows_of);
    }

    /// Draws the editor; returns where to put the cursor.
    pub(super) fn draw_editor(&self, buf: &mut Canvas, draw: DrawContext<'_>) -> Option<Position> {
        let area = self.area;
        let edit_top = self.edit_top;
        let Mode::Edit(editor) = &self.mode else { return None };
        let changed = editor.changed_count();
        let note = match changed {
            0 if editor.only_ends_changed() => {
                "you changed the ends of lines; the checks run again when you leave".to_owned()
            }
            0 => "nothing changed yet".to_owned(),
            n => format!("you changed {}; the checks run again when you leave", words::count(n, "line")),
        };
        let indent = gutter_width(editor.field.lines().len()) - 1;
        let note = safe::cut(&format!("{}{note}", " ".repeat(indent)), area.width.into());
        buf.set_line(area.x, area.y, &Line::styled(note, draw.dim()), area.width);
        let marks = editor.changed_lines();
        let room = text_width(editor, area);
        let of = editor.field.lines().len();
        let at = editor.field.cursor();
        let brackets = editor.brackets();
        let mut y = area.y + 1;
        let mut cursor = None;
        for (number, whole) in editor.field.lines().iter().enumerate().skip(edit_top) {
            if y >= area.bottom() {
                break;
            }
            // For a line that continues below the pane, only the visible part is laid out.
            let text = safe::code_prefix(whole, room, usize::from(area.bottom() - y));
            let styles = self.styles_of(editor, number, text, brackets, draw);
            let mut rows = safe::code(text, &styles, draw.text(), room, draw.theme.mark());
            if number == at.line {
                let (down, column) = safe::code_place(whole, room, at.byte);
                let x = u16::try_from(indent + 1 + column).unwrap_or(0);
                let place = Position { x: area.x + x, y: y.saturating_add(u16::try_from(down).unwrap_or(0)) };
                cursor = area.contains(place).then_some(place);
                // A cursor after a full row needs a row of its own.
                if down >= rows.len() {
                    rows.push(wrap::WrappedRow { line: Line::default(), range: text.len()..text.len() });
                }
            }
            let changed = marks.get(number).copied().unwrap_or(false);
            for (part, line) in rows.into_iter().enumerate() {
                if y >= area.bottom() {
                    break;
                }
                let gutter = Gutter { goes_on: part > 0, changed, ..Gutter::new(number, of) };
                let mut spans = gutter.spans(draw);
                spans.extend(line.line.spans);
                buf.set_line(area.x, y, &Line::from(spans), area.width);
                y += 1;
            }
        }
        cursor
    }

    /// The styles of a line, or of its beginning: colours, search hits, brackets, the selection.
    fn styles_of(
        &self,
        editor: &Editor,
        number: usize,
        text: &str,
        brackets: Option<(Pos, Pos)>,
        draw: DrawContext<'_>,
    ) -> LineStyles {
        let whole = editor.field.lines().get(number).map_or("", String::as_str);
        let mut styles = self.colours.for_line(number, whole).unwrap_or_default();
        styles.retain(|(range, _)| range.start < text.len());
        let needle = editor.needle().into_iter().flat_map(|needle| needle.in_line(whole));
        let found: Vec<_> = needle.take_while(|found| found.start < text.len()).collect();
        styles = marked(&styles, &found, draw.style(Slot::UiMatch));
        for bracket in brackets.iter().flat_map(|(here, there)| [here, there]).filter(|b| b.line == number) {
            let range = bracket.byte..bracket.byte + 1;
            styles = marked(&styles, &[range], BRACKET);
        }
        if let Some(selected) = selected_in(editor.field.selection(), number, whole.len()) {
            styles = marked(&styles, &[selected], draw.style(Slot::UiSelection));
        }
        styles
    }

    /// The position in the edited text at a screen cell; outside of the text, the nearest one.
    pub(in crate::tui) fn edited_at(&self, column: u16, row: u16) -> Option<Pos> {
        let Mode::Edit(editor) = &self.mode else { return None };
        let room = text_width(editor, self.area);
        let column = usize::from(column.saturating_sub(self.area.x))
            .saturating_sub(gutter_width(editor.field.lines().len()));
        let cursor = editor.field.cursor();
        let mut left = usize::from(row.saturating_sub(self.area.y + 1));
        for (number, text) in editor.field.lines().iter().enumerate().skip(self.edit_top) {
            let byte = if number == cursor.line { cursor.byte } else { 0 };
            let (extra, _) = safe::code_place(text, room, byte);
            let rows = safe::code_rows(text, room).max(extra + 1);
            if left < rows {
                return Some(Pos::new(number, safe::code_byte_at(text, room, left, column)));
            }
            left -= rows;
        }
        let last = editor.field.lines().len().saturating_sub(1);
        Some(Pos::new(last, editor.field.lines().last().map_or(0, String::len)))
    }
}

/// The first line on screen, at or below `top`, with which the row `within` of the line with the cursor fits.
fn top_for_cursor(
    mut top: usize,
    line: usize,
    within: usize,
    height: usize,
    rows_of: impl Fn(usize) -> usize,
) -> usize {
    while top < line {
        let above: usize = (top..line).map(&rows_of).sum();
        if above + within < height {
            break;
        }
        top += (above + within + 1 - height).min(line - top).max(1);
    }
    top
}

/// The first line on screen, at or above `top`: where lines went away below, lines above fill the room, so that none is
/// hidden while rows are empty.
fn top_without_gap(mut top: usize, lines: usize, height: usize, rows_of: impl Fn(usize) -> usize) -> usize {
    let mut filled = 0;
    for line in top..lines {
        filled += rows_of(line);
        if filled >= height {
            return top;
        }
    }
    while let Some(above) = top.checked_sub(1) {
        filled += rows_of(above);
        if filled > height {
            break;
        }
        top = above;
    }
    top
}

fn text_width(editor: &Editor, area: Rect) -> usize {
    usize::from(area.width).saturating_sub(gutter_width(editor.field.lines().len())).max(1)
}

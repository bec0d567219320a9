//! Builds the rows of an overlay: title, text, fields, list entries, and the position of its cursor.

use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::{Field, Pos};
use crate::tui::widgets::hits::FieldPlace;
use crate::tui::widgets::safe;
use crate::tui::widgets::typed_text::TypedText;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::borrow::Cow;
use std::ops::Range;
use unicode_width::UnicodeWidthStr as _;

/// What an overlay shows.
pub struct Sheet {
    /// The title in its border.
    pub(crate) title: String,
    pub(crate) rows: Vec<Line<'static>>,
    /// The positions of its fields, counted from the first row and column of the sheet.
    pub(crate) fields: Vec<FieldPlace>,
    /// The row and column of the cursor.
    pub(crate) cursor: Option<(usize, usize)>,
    /// The rows to show where not all fit, in a box that also tells how many are hidden below; without it, the row of
    /// the cursor.
    pub(crate) in_view: Option<Range<usize>>,
}

impl Sheet {
    /// A sheet with only a title.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rows: Vec::new(), fields: Vec::new(), cursor: None, in_view: None }
    }

    /// The rows that a box of this height shows. Where it is higher than they are, a row above them tells what is hidden
    /// there, and in a box that tells that, one below them.
    pub(crate) fn visible(&self, height: usize) -> Range<usize> {
        let all = self.rows.len();
        if all <= height {
            return 0..all;
        }
        let row = self.cursor.map_or(0, |(row, _)| row).min(all - 1);
        let wanted = self.in_view.clone().unwrap_or(row..row + 1);
        // In a lower box these rows would hide what they are for.
        let (above, below) = if height < 3 { (0, 0) } else { (1, usize::from(self.in_view.is_some())) };
        if wanted.end + below <= height {
            return 0..height - below;
        }
        let first = wanted.end.saturating_sub(height - above - below).min(wanted.start);
        if first == 0 {
            return 0..height - below;
        }
        let most = all - (height - above);
        if first >= most { most..all } else { first..first + height - above - below }
    }

    pub(crate) fn row(&mut self, line: Line<'static>) -> &mut Self {
        self.rows.push(line);
        self
    }

    pub(crate) fn gap(&mut self) -> &mut Self {
        self.row(Line::default())
    }

    /// Adds a row that says something about the others.
    pub(crate) fn dim(&mut self, text: impl Into<Cow<'static, str>>, draw: DrawContext<'_>) -> &mut Self {
        self.row(Line::styled(text, draw.dim()))
    }

    pub(crate) fn words(&mut self, text: &str, width: u16, style: Style) -> &mut Self {
        self.rows.extend(safe::wrap_words(text, width.into(), style));
        self
    }

    pub(crate) fn rule(&mut self, width: u16, draw: DrawContext<'_>) -> &mut Self {
        self.row(Line::styled(draw.glyphs.border.horizontal.repeat(width.into()), draw.style(Slot::UiBorder)))
    }

    /// Adds a field after a label, with the cursor in it.
    pub(crate) fn field(
        &mut self,
        head: &str,
        field: &Field,
        width: u16,
        draw: DrawContext<'_>,
    ) -> &mut Self {
        let indent = head.chars().count();
        let room = usize::from(width).saturating_sub(indent).max(4);
        let hidden: Vec<String>;
        let mut typed = TypedText::of(field);
        if field.is_secret() {
            // One star for each letter, up to a limit that hides longer lengths.
            hidden = field.lines().iter().map(|r| "*".repeat(r.chars().count().min(40))).collect();
            let letters = field.before_cursor().chars().count().min(40);
            typed = TypedText { lines: &hidden, cursor: Pos::new(0, letters), selected: None, ..typed };
        }
        let (lines, (row, column)) = typed.layout(room, draw.text(), draw.style(Slot::UiSelection));
        let first = self.rows.len();
        for (at, mut line) in lines.into_iter().enumerate() {
            let head = if at == 0 { head.to_owned() } else { " ".repeat(indent) };
            line.spans.insert(0, Span::styled(head, draw.dim()));
            self.rows.push(line);
        }
        self.cursor = Some((first + row, indent + column));
        self.field_at(self.fields.len(), first, indent, room)
    }

    /// Records that the rows from `first` on are the text of a field of so many columns.
    pub(crate) fn field_at(&mut self, number: usize, first: usize, indent: usize, width: usize) -> &mut Self {
        let height = self.rows.len().saturating_sub(first);
        self.fields.push(FieldPlace::of(number, (first, indent), (width, height)));
        self
    }
}

/// A row of a list.
pub(crate) fn entry(text: &str, chosen: bool, width: u16, draw: DrawContext<'_>) -> Line<'static> {
    let mark = if chosen { "> " } else { "  " };
    let style = if chosen { draw.style(Slot::UiSelection) } else { draw.text() };
    let text = safe::cut(&format!("{mark}{text}"), width.into());
    // The highlight of the chosen row reaches to the right edge.
    let rest = if chosen { usize::from(width).saturating_sub(text.width()) } else { 0 };
    Line::styled(text + &" ".repeat(rest), style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_to_be_in_view_is_never_hidden() {
        for (all, height) in (0..12).flat_map(|all| (0..12).map(move |height| (all, height))) {
            let mut sheet = Sheet::new("");
            sheet.rows = vec![Line::default(); all];
            for row in 0..all.min(all * height) {
                sheet.cursor = Some((row, 0));
                for in_view in [None, Some(row..row + 1), Some(row..(row + 3).min(all))] {
                    sheet.in_view = in_view.clone();
                    let shown = sheet.visible(height);
                    let wanted = in_view.unwrap_or(row..row + 1);
                    let fits = wanted.len() + 2 <= height || wanted.len() == 1 || all <= height;
                    assert!(shown.contains(&wanted.start), "{wanted:?} of {all} in {height}: {shown:?}");
                    assert!(!fits || wanted.end <= shown.end, "{wanted:?} of {all} in {height}: {shown:?}");
                    let (above, below) = (usize::from(shown.start > 0), usize::from(shown.end < all));
                    let marks =
                        if height < 3 { 0 } else { above + below * usize::from(sheet.in_view.is_some()) };
                    assert_eq!(
                        shown.len() + marks,
                        height.min(all),
                        "{wanted:?} of {all} in {height}: {shown:?}"
                    );
                }
            }
        }
    }
}

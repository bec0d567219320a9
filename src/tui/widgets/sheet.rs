//! Builds the rows of an overlay: title, text, fields, list entries, and the position of its cursor.

use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::{Field, Pos};
use crate::tui::widgets::hits::FieldPlace;
use crate::tui::widgets::typed_text::TypedText;
use crate::tui::widgets::{safe, words};
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
    /// The rows to show where not all fit; without it, the row of the cursor.
    pub(crate) in_view: Option<Range<usize>>,
}

impl Sheet {
    /// A sheet with only a title.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rows: Vec::new(), fields: Vec::new(), cursor: None, in_view: None }
    }

    /// The rows that a box of this height shows.
    pub(crate) fn visible(&self, height: usize) -> Range<usize> {
        let row = self.cursor.map_or(0, |(row, _)| row).min(self.rows.len().saturating_sub(1));
        visible(self.rows.len(), self.in_view.clone().unwrap_or(row..row + 1), height)
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
        if field.is_secret {
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

/// The rows, of so many, that this height shows, with those that are wanted. Where not all fit, they leave one row for
/// what is hidden above and one for what is hidden below.
fn visible(all: usize, wanted: Range<usize>, height: usize) -> Range<usize> {
    if all <= height {
        return 0..all;
    }
    // In a lower box the row that tells it would hide what it is for.
    let sign = usize::from(height >= 3);
    let first = wanted.end.saturating_sub(height - 2 * sign).min(wanted.start);
    let most = all - (height - sign);
    if first == 0 || wanted.end + sign <= height {
        0..height - sign
    } else if first >= most {
        most..all
    } else {
        first..first + height - 2 * sign
    }
}

/// The rows that tell how many are hidden above and below the visible ones, if there is room.
pub(crate) fn hidden(
    visible: &Range<usize>,
    all: usize,
    height: usize,
    draw: DrawContext<'_>,
) -> [Option<Line<'static>>; 2] {
    let has_room = visible.len() < height;
    [("^", visible.start, "above"), ("v", all - visible.end, "below")].map(|(sign, rows, place)| {
        let text = || format!("{sign} {} {place}", words::count(rows, "row"));
        (rows > 0 && has_room).then(|| Line::styled(text(), draw.dim()))
    })
}

/// The rows of a list, of so many, that this height shows, and how many are hidden above and below.
pub(crate) fn scrolled(
    all: usize,
    wanted: Range<usize>,
    height: usize,
    draw: DrawContext<'_>,
    row: impl Fn(usize) -> Option<Line<'static>>,
) -> impl Iterator<Item = Line<'static>> {
    let shown = visible(all, wanted, height);
    let [above, below] = hidden(&shown, all, height, draw);
    above.into_iter().chain(shown.filter_map(row)).chain(below)
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
                    let marks = if height < 3 { 0 } else { above + below };
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

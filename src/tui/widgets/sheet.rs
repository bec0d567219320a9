//! Builds the rows of an overlay: title, text, fields, list entries, and the position of its cursor.

use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::{Field, Pos};
use crate::tui::widgets::hits::FieldPlace;
use crate::tui::widgets::safe;
use crate::tui::widgets::typed_text::TypedText;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
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
}

impl Sheet {
    /// A sheet with only a title.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rows: Vec::new(), fields: Vec::new(), cursor: None }
    }

    pub(crate) fn with_field(
        title: &str,
        text: &str,
        field: &Field,
        width: u16,
        draw: DrawContext<'_>,
    ) -> Self {
        let mut sheet = Self::new(title);
        sheet.words(text, width, draw.text()).gap().field("> ", field, width, draw);
        sheet.gap().row(Line::styled("Enter take it   Esc back", draw.dim()));
        sheet
    }

    pub(crate) fn row(&mut self, line: Line<'static>) -> &mut Self {
        self.rows.push(line);
        self
    }

    pub(crate) fn gap(&mut self) -> &mut Self {
        self.row(Line::default())
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

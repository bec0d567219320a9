//! The limits of the waiting block: a row for each, with what it counts and how it is enforced. The block's terms tell
//! how.

pub(crate) mod limit;

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse};
use crate::domain::{BlockId, Enforcement, ExecutorKind, Limits, Terms};
use crate::engine::{Command, State};
use crate::tui::note::Note;
use crate::tui::panes::Panes;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use crate::tui::widgets::typed_text::TypedText;
use limit::Limit;
use ratatui::layout::Rect;
use ratatui::text::Span;
use unicode_width::UnicodeWidthStr as _;

/// Columns of the names, of the values, of the descriptions.
const NAME_COLUMNS: usize = 12;
const VALUE_COLUMNS: usize = 14;
const DESCRIPTION_COLUMNS: usize = 27;

/// A form to change the limits of the waiting block.
#[derive(Debug)]
pub struct LimitsForm {
    pub(crate) block: BlockId,
    /// A row for each limit.
    pub rows: Vec<LimitRow>,
    /// The row with the cursor.
    pub at: usize,
    /// The limits when the form was opened.
    before: Limits,
}

/// A row of the form.
#[derive(Debug)]
pub struct LimitRow {
    pub(crate) limit: Limit,
    /// What was typed.
    pub field: Field,
    /// How the limit is enforced.
    pub(crate) hold: Enforcement,
    /// Why the typed text is invalid.
    pub wrong: Option<&'static str>,
}

impl LimitsForm {
    /// Opens a form for the waiting block; the error says why there is none.
    pub(crate) fn open(state: &State) -> Result<Self, Note> {
        let Some(item) = state.waiting() else {
            return Err(Note::info("No block waits: limits belong to a block."));
        };
        let block = item.block.id;
        let terms = state.inspected(block).and_then(|i| i.terms.as_ref().ok());
        if terms.is_some_and(|terms| terms.executor == ExecutorKind::Files) {
            return Err(Note::about_waiting_block(format!(
                "Block {block} starts nothing that limits could hold."
            )));
        }
        let chosen = state.live.blocks.get(&block).and_then(|b| b.limits);
        let limits = chosen.or(terms.map(|terms| terms.limits)).unwrap_or_default();
        Ok(Self::new(block, limits, terms))
    }

    /// A form for a block with these limits and terms.
    fn new(block: BlockId, limits: Limits, terms: Option<&Terms>) -> Self {
        let row = |limit: Limit| {
            let field = Field::offering(&limit.text(&limits));
            LimitRow { limit, field, hold: limit.enforcement(terms), wrong: None }
        };
        Self { block, rows: Limit::ALL.into_iter().map(row).collect(), at: 0, before: limits }
    }

    /// Moves the cursor to another row.
    fn walk(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
    }

    /// Types a text into the row of a limit.
    pub(crate) fn set(&mut self, limit: Limit, text: &str) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.limit == limit) {
            row.field.set(text);
        }
    }

    /// Reads the limits as typed. If a row is invalid, it shows why and gets the cursor.
    fn read(&mut self) -> Option<Limits> {
        let mut limits = self.before;
        let mut first = None;
        for (at, row) in self.rows.iter_mut().enumerate() {
            let typed = row.field.text();
            // An untouched value stays exactly as it was.
            if typed == row.limit.text(&self.before) {
                row.wrong = None;
                continue;
            }
            row.wrong = row.limit.read(&typed, &mut limits).err();
            if row.wrong.is_some() {
                first.get_or_insert(at);
            }
        }
        match first {
            Some(at) => {
                self.at = at;
                None
            }
            None => Some(limits),
        }
    }

    /// Sends the limits as typed; returns `None` if a row is invalid.
    pub(crate) fn apply(&mut self) -> Option<OverlayResponse> {
        let limits = self.read()?;
        if limits == self.before {
            return Some(OverlayResponse::about_waiting_block("Nothing was changed."));
        }
        Some(OverlayResponse::send(Command::SetLimits { block: self.block, limits }))
    }
}

impl Overlay for LimitsForm {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 66, ..OverlayProperties::default() }
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.rows.get_mut(self.at).map(|row| &mut row.field)
    }

    fn to_field(&mut self, number: usize) -> Option<&mut Field> {
        self.at = number.min(self.rows.len().saturating_sub(1));
        self.field()
    }

    fn step(&mut self, by: isize, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.walk(by);
        Vec::new()
    }

    /// Called when a text changed: the error about it is removed; reading it again may bring it back.
    fn changed(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if let Some(row) = self.rows.get_mut(self.at) {
            row.wrong = None;
        }
        Vec::new()
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.apply().map_or_else(Vec::new, |then| vec![OverlayResponse::Close, then])
    }

    fn is_stale(&self, state: &State) -> bool {
        state.waiting().map(|item| item.block.id) != Some(self.block)
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Up/Down", "limit", 1).plain("Enter", "apply", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(format!("Limits of block {}: Enter shows it anew under them.", self.block))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let mut sheet = Sheet::new(format!("Limits of block {}", self.block));
        for (at, row) in self.rows.iter().enumerate() {
            draw_row(&mut sheet, (at, row), at == self.at, width, draw);
        }
        let text = "0: not limited. enforced: the system holds it; watched: sayso looks often and ends what is over it. \
                    The block is shown anew.";
        sheet.gap().words(text, width, draw.dim());
        sheet.dim("Enter apply   Up/Down other limit   Esc back, nothing changed", draw);
        Some(sheet)
    }
}

fn draw_row(
    sheet: &mut Sheet,
    (number, row): (usize, &LimitRow),
    here: bool,
    width: u16,
    draw: DrawContext<'_>,
) {
    let mark = if here { "> " } else { "  " };
    let head = format!("{mark}{:<NAME_COLUMNS$}", row.limit.name());
    // A long text continues below; its description stays in the first row.
    let room = VALUE_COLUMNS.min(usize::from(width).saturating_sub(NAME_COLUMNS + 3)).max(4);
    let typed = TypedText::of(&row.field);
    let typed = if here { typed } else { TypedText { selected: None, ..typed } };
    let (lines, (line, column)) = typed.layout(room, draw.text(), draw.style(Slot::UiSelection));
    let first = sheet.rows.len();
    for (at, mut typed) in lines.into_iter().enumerate() {
        let wide: usize = typed.spans.iter().map(|span| span.content.width()).sum();
        let style = if here { draw.style(Slot::UiKeybarKey) } else { draw.text() };
        typed.spans.insert(
            0,
            if at == 0 { Span::styled(head.clone(), style) } else { Span::raw(" ".repeat(NAME_COLUMNS + 2)) },
        );
        if at == 0 {
            typed.spans.push(Span::raw(" ".repeat((VALUE_COLUMNS + 1).saturating_sub(wide))));
            typed
                .spans
                .push(Span::styled(format!("{:<DESCRIPTION_COLUMNS$}", row.limit.description()), draw.dim()));
            typed.spans.push(match row.hold {
                Enforcement::Enforced => Span::styled("enforced", draw.text()),
                Enforcement::Watched => Span::styled("watched", draw.style(Slot::StatusWarn)),
                Enforcement::None => Span::styled("not held", draw.style(Slot::StatusWarn)),
            });
        }
        sheet.rows.push(typed);
    }
    sheet.field_at(number, first, NAME_COLUMNS + 2, room);
    if here {
        sheet.cursor = Some((first + line, NAME_COLUMNS + 2 + column));
    }
    if let Some(why) = &row.wrong {
        let head = Span::raw(" ".repeat(NAME_COLUMNS + 2));
        sheet.rows.extend(safe::hanging(head, why, width.into(), draw.style(Slot::StatusError)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_was_not_touched_keeps_what_could_not_be_typed() {
        let before = Limits { wall_ms: 500, output_kept_bytes: 100, ..Limits::default() };
        let mut form = LimitsForm::new(BlockId(1), before, None);
        form.set(Limit::Processes, "3");
        assert_eq!(form.read(), Some(Limits { processes: 3, ..before }));
    }
}

//! The blocks whose code can be copied, newest first.

use super::{Overlay, OverlayContext, OverlayResponse};
use crate::domain::BlockId;
use crate::engine::State;
use crate::tui::note::Note;
use crate::tui::panes::Panes;
use crate::tui::ui_command::UiCommand;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::filter::{Cursor, rank};
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::sheet::{Sheet, entry};
use crate::tui::widgets::{safe, words};
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Columns of a block's first line that are shown and found.
const SHOWN: usize = 60;

/// The list.
#[derive(Debug)]
pub(crate) struct BlockList {
    filter: Field,
    blocks: Vec<BlockId>,
    /// A row for each: number, language, first line.
    rows: Vec<String>,
    /// Those that the filter leaves, best first.
    shown: Vec<usize>,
    cursor: Cursor,
}

impl BlockList {
    /// The blocks of a session; the cursor stands on the one on screen.
    pub(crate) fn of(state: &State, on_screen: Option<BlockId>) -> Self {
        let all = || state.transcript.blocks.values().rev();
        let row = |item: &crate::engine::transcript::BlockItem| {
            let first = safe::cut(&safe::one_line(words::first_line(&item.block.current().source)), SHOWN);
            format!("{:<4} {:<10} {first}", item.block.id, safe::one_line(&item.block.label()))
        };
        let blocks: Vec<BlockId> = all().map(|item| item.block.id).collect();
        let at = blocks.iter().position(|block| Some(*block) == on_screen).unwrap_or_default();
        let shown = (0..blocks.len()).collect();
        Self { filter: Field::line(), blocks, rows: all().map(row).collect(), shown, cursor: Cursor(at) }
    }
}

/// Copies the code of a block, where there is such a block and it has any.
pub(crate) fn copied(state: &State, block: BlockId) -> OverlayResponse {
    let Some(item) = state.transcript.blocks.get(&block) else {
        return OverlayResponse::Say(Note::warn(format!("There is no block {block}.")));
    };
    match &*item.block.current().source {
        "" => OverlayResponse::Say(Note::info(format!("Block {block} is empty: there is nothing to copy."))),
        source => OverlayResponse::UiCommand(UiCommand::Copy(source.to_owned())),
    }
}

impl Overlay for BlockList {
    fn width(&self) -> u16 {
        76
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.filter)
    }

    fn list(&mut self) -> Option<(&mut Cursor, usize)> {
        Some((&mut self.cursor, self.shown.len()))
    }

    fn changed(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        self.cursor.0 = 0;
        self.shown = rank(&self.filter.text(), &self.rows);
        Vec::new()
    }

    fn accept(&mut self, around: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let block = self.shown.get(self.cursor.0).and_then(|at| self.blocks.get(*at));
        std::iter::once(OverlayResponse::Close)
            .chain(block.map(|block| copied(around.state, *block)))
            .collect()
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("type to filter", "", 2).plain("Up/Down", "", 2);
        hints.plain("Enter", "copy", 0).plain("Esc", "back", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some(format!("{} of {}.", self.shown.len(), words::count(self.blocks.len(), "block")))
    }

    fn sheet(&self, around: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, look) = (room.width, around.look);
        let mut sheet = Sheet::new("Copy the code of a block");
        sheet.field("> ", &self.filter, width, look).rule(width, look);
        let rows = usize::from(room.height.saturating_sub(4).clamp(1, 12));
        let first = self.cursor.window(rows);
        for (at, row) in self.shown.iter().enumerate().skip(first).take(rows) {
            let text = self.rows.get(*row).map(String::as_str).unwrap_or_default();
            sheet.row(entry(text, at == self.cursor.0, width, look));
        }
        if self.shown.is_empty() {
            sheet.row(Line::styled("  No block matches.", look.dim()));
        }
        Some(sheet)
    }
}
